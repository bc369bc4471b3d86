#!/bin/sh
# Makes the data on the first start, then becomes the server. It understands those variables of the official image that
# deployments use: PGDATA, POSTGRES_USER, POSTGRES_PASSWORD_FILE, POSTGRES_DB.
set -eu

if [ "$1" != postgres ]; then exec "$@"; fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # Made under another name and moved when complete: a container that is killed here does not leave half a cluster.
  making=$PGDATA.making
  rm -rf "$making"
  initdb --pgdata="$making" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" \
    --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-instructions
  printf 'host all all all scram-sha-256\n' >>"$making/pg_hba.conf"
  if [ "$POSTGRES_DB" != postgres ]; then
    printf 'create database "%s";\n' "$POSTGRES_DB" |
      postgres --single -D "$making" postgres >/dev/null
  fi
  mv "$making" "$PGDATA"
fi
# The shell would hand it on.
unset PWD
exec "$@"
