# PostgreSQL of Debian, started as the official image is: the same variables, the same data directory.
ARG BASE
FROM ${BASE}
# The data is made where the deployment mounts it, not by the package.
RUN mkdir -p /etc/postgresql-common \
 && printf 'create_main_cluster = false\n' >/etc/postgresql-common/createcluster.conf \
 && apt-get update \
 && apt-get install -y --no-install-recommends postgresql-15 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb \
 # initdb looks its user up; deployments run it under this number.
 && printf 'sallyport-postgres:x:10020:10020::/nonexistent:/usr/sbin/nologin\n' >>/etc/passwd
COPY postgres-entrypoint.sh /usr/local/bin/postgres-entrypoint
RUN chmod 0755 /usr/local/bin/postgres-entrypoint
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin
ENTRYPOINT ["/usr/local/bin/postgres-entrypoint"]
CMD ["postgres"]
