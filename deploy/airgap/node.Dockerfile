# Node from npm's own package of its binary, and the programs that the processes start. `build` adds the package manager,
# which no running container needs.
ARG BASE
FROM ${BASE} AS runtime
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap ca-certificates git tini util-linux \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb
COPY node/bin/node /usr/local/bin/node

FROM runtime AS build
COPY pnpm /usr/local/lib/pnpm
RUN printf '#!/bin/sh\nexec node /usr/local/lib/pnpm/bin/pnpm.cjs "$@"\n' >/usr/local/bin/pnpm \
 && chmod 0755 /usr/local/bin/pnpm
