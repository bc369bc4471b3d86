#!/bin/sh
# Builds the image that sandboxes are made of with the docker driver. The context is put together here, so that only what
# belongs into a sandbox can get into it. Node comes from npm's own package of its binary, so that no image but a Debian
# is needed.
set -eu

usage() {
  cat <<'TEXT'
usage: build.sh

Builds $SANDBOX_IMAGE (default sallyport-sandbox:local) and prints its id, which SANDBOX_IMAGE of the launcher and IMAGES
of engine-guard take.

environment:
  SANDBOX_IMAGE        the image's name
  AGENT_CLIS           npm packages at exact versions, separated by spaces, such as
                       "@anthropic-ai/claude-code@2.1.332 @openai/codex@0.150.0"; default: none
  EXTRA_PACKAGES       further Debian packages, separated by spaces, such as "g++ golang"
  BASE_IMAGE           a Debian; default debian:bookworm-slim (without a registry: sallyport-base/debian:bookworm, see
                       deploy/airgap)
  NODE_VERSION         a version of npm's node binary; default 24.22.3
  NPM_VERSION          default 11.21.2
  NPM_CONFIG_REGISTRY  the npm registry; default: what `npm config get registry` says on this machine
  EXTRA_CA_FILE        PEM certificates that the installation trusts as well; they do not get into the image
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY
                       for the installation; no credentials: they would stand in the build's history
  BUILD_NETWORK        the network of the build, as `docker build --network` takes it
  DOCKER               the docker client; default docker
TEXT
}

case ${1:-} in
  '') ;;
  --help | -h) usage; exit 0 ;;
  *) echo "build.sh: \"$1\" is not understood (--help)" >&2; exit 2 ;;
esac

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
root=$(CDPATH='' cd -- "$here/../.." && pwd -P)
docker=${DOCKER:-docker}
image=${SANDBOX_IMAGE:-sallyport-sandbox:local}
base=${BASE_IMAGE:-debian:bookworm-slim}
node_version=${NODE_VERSION:-24.22.3}
npm_version=${NPM_VERSION:-11.21.2}
say() { echo "build.sh: $*" >&2; }

# A range would be another program at each build, under a name that was tried with one of them.
for cli in ${AGENT_CLIS:-}; do
  if ! printf '%s\n' "$cli" | grep -Eq '^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*@[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$'; then
    say "AGENT_CLIS: \"$cli\" has no exact version; write name@1.2.3"
    exit 2
  fi
done
for package in ${EXTRA_PACKAGES:-}; do
  case $package in
    [a-z0-9]*) ;;
    *) say "EXTRA_PACKAGES: \"$package\" is not the name of a Debian package"; exit 2 ;;
  esac
done
for program in npm tar sha256sum; do
  command -v "$program" >/dev/null 2>&1 || { say "$program is not installed"; exit 2; }
done
case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) say "npm has no node binary for $(uname -m)"; exit 1 ;;
esac

context=$(mktemp -d "${TMPDIR:-/tmp}/sallyport-sandbox.XXXXXX")
trap 'rm -rf "$context"' EXIT
trap 'exit 130' INT TERM
mkdir "$context/build" "$context/collector"

# fetch PACKAGE VERSION DIRECTORY
fetch() {
  mkdir -p "$context/$3"
  archive=$(cd "$context" && npm pack --silent "$1@$2")
  tar -C "$context/$3" --strip-components=1 -xzf "$context/$archive"
  rm "$context/$archive"
}
fetch "node-linux-$arch" "$node_version" node
fetch npm "$npm_version" npm

cp "$root"/services/worker-launcher/src/launcher/collector/inside/*.mjs "$context/collector/"
collector=$(cd "$context/collector" && LC_ALL=C sha256sum -- *.mjs | sha256sum | cut -d ' ' -f 1)
cp "$here/Dockerfile" "$context/Dockerfile"
: >"$context/build/extra-ca.pem"
if [ -n "${EXTRA_CA_FILE:-}" ]; then cat "$EXTRA_CA_FILE" >"$context/build/extra-ca.pem"; fi
chmod -R u=rwX,go=rX "$context"
registry=${NPM_CONFIG_REGISTRY:-$(npm config get registry)}

say "building $image from $base"
"$docker" build --tag "$image" \
  --build-arg "BASE_IMAGE=$base" \
  --build-arg "AGENT_CLIS=${AGENT_CLIS:-}" --build-arg "EXTRA_PACKAGES=${EXTRA_PACKAGES:-}" \
  --build-arg "NPM_CONFIG_REGISTRY=$registry" \
  --label "sallyport.collector=$collector" --label "sallyport.agents=${AGENT_CLIS:-}" \
  ${HTTP_PROXY:+--build-arg "HTTP_PROXY=$HTTP_PROXY"} \
  ${HTTPS_PROXY:+--build-arg "HTTPS_PROXY=$HTTPS_PROXY"} \
  ${NO_PROXY:+--build-arg "NO_PROXY=$NO_PROXY"} \
  ${BUILD_NETWORK:+--network "$BUILD_NETWORK"} \
  "$context" >&2
"$docker" image inspect --format '{{.Id}}' "$image"
