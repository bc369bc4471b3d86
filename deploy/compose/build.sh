#!/bin/sh
# Builds the image that all processes run from. The context is put together here, so that only what belongs into an image
# can get into it: no tests, no local state, no secrets, whatever lies in the checkout.
set -eu

usage() {
  cat <<'TEXT'
usage: build.sh

Builds $SALLYPORT_IMAGE (default sallyport:local) from this checkout.

environment, or .env beside this script:
  SALLYPORT_IMAGE      the image's name
  BASE_IMAGE           what it is built from; default node:20-bookworm-slim
  BUILD_IMAGE          what the dependencies are installed in; default: BASE_IMAGE
environment:
  NPM_CONFIG_REGISTRY  the npm registry; default: what `npm config get registry` says on this machine
  EXTRA_CA_FILE        PEM certificates that the installation trusts as well; they do not get into the image
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY
                       for the installation; no credentials: they would stand in the build's history
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

# The environment wins over the file.
setting() {
  eval "value=\${$1:-}"
  if [ -z "$value" ] && [ -f "$here/.env" ]; then value=$(sed -n "s/^$1=//p" "$here/.env" | tail -n 1); fi
  printf '%s' "${value:-$2}"
}
image=$(setting SALLYPORT_IMAGE sallyport:local)
base=$(setting BASE_IMAGE node:20-bookworm-slim)
builder=$(setting BUILD_IMAGE "$base")
registry=${NPM_CONFIG_REGISTRY:-}
if [ -z "$registry" ] && command -v npm >/dev/null 2>&1; then registry=$(npm config get registry); fi

context=$(mktemp -d "${TMPDIR:-/tmp}/sallyport-context.XXXXXX")
trap 'rm -rf "$context"' EXIT
trap 'exit 130' INT TERM
mkdir "$context/manifests" "$context/source" "$context/build"

copy() {
  (cd "$root" && tar -c "$@") | tar -x -C "$target"
}
# What decides the installation goes first and alone: while it is unchanged, so is the installation.
target=$context/manifests
copy package.json pnpm-lock.yaml pnpm-workspace.yaml
for manifest in "$root"/packages/*/package.json "$root"/services/*/package.json; do
  copy "${manifest#"$root"/}"
done
target=$context/source
copy --exclude=node_modules --exclude='*.test.ts' --exclude='*.test.mjs' --exclude='.*' \
  LICENSE sallyport packages services deploy/config
cp "$here/Dockerfile" "$context/Dockerfile"
cp -R "$here/image" "$context/image"
: >"$context/build/extra-ca.pem"
if [ -n "${EXTRA_CA_FILE:-}" ]; then cat "$EXTRA_CA_FILE" >"$context/build/extra-ca.pem"; fi
chmod -R go=u-w "$context"

echo "build.sh: building $image from $base" >&2
"${DOCKER:-docker}" build --tag "$image" \
  --build-arg "BASE_IMAGE=$base" --build-arg "BUILD_IMAGE=$builder" \
  ${registry:+--build-arg "NPM_CONFIG_REGISTRY=$registry"} \
  ${HTTP_PROXY:+--build-arg "HTTP_PROXY=$HTTP_PROXY"} \
  ${HTTPS_PROXY:+--build-arg "HTTPS_PROXY=$HTTPS_PROXY"} \
  ${NO_PROXY:+--build-arg "NO_PROXY=$NO_PROXY"} \
  "$context"
