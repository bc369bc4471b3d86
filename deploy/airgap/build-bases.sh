#!/bin/sh
# Builds the base images of a deployment from Debian packages and npm's `node` binary alone, for networks that have mirrors
# of those two but no image registry. Nothing is taken from an image that somebody else made.
# An image that was built from the same files and versions is kept; --force builds it anew. Needs root (debootstrap), docker, debootstrap and npm.
set -eu

usage() {
  cat <<'TEXT'
usage: build-bases.sh [--force] [debian|node|postgres|redis]…

Makes sallyport-base/{debian,node,node-build,postgres,redis}. Without names: all of them.

environment:
  DEBIAN_MIRROR     where debootstrap takes packages from; default: debootstrap's own
  APT_SOURCES_FILE  a sources.list or .sources file for the images (security updates); default: the mirror alone
  SUITE             default bookworm
  NODE_VERSION      a version of npm's node binary; default 20.20.2
  EXTRA_CA_FILE     PEM certificates that the images trust as well, for mirrors behind a private authority
  DOCKER            the docker client; default docker
npm's own configuration (registry, cafile, proxy) holds for what is fetched with npm.
TEXT
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
root=$(CDPATH='' cd -- "$here/../.." && pwd -P)
docker=${DOCKER:-docker}
suite=${SUITE:-bookworm}
node_version=${NODE_VERSION:-20.20.2}
force=no
names=''
for word in "$@"; do
  case $word in
    --help | -h) usage; exit 0 ;;
    --force) force=yes ;;
    debian | node | postgres | redis) names="$names $word" ;;
    *) echo "build-bases.sh: \"$word\" is not understood (--help)" >&2; exit 2 ;;
  esac
done
[ -n "$names" ] || names='node postgres redis'

work=$(mktemp -d "${TMPDIR:-/tmp}/sallyport-bases.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

say() { echo "build-bases.sh: $*" >&2; }
# A label of the image says what it was built from; there IMAGE RECIPE.
there() {
  [ "$force" = no ] || return 1
  found=$("$docker" image inspect --format '{{index .Config.Labels "sallyport.recipe"}}' "$1" 2>/dev/null) || return 1
  [ "$found" = "$2" ] || return 1
  say "$1 is there"
}
recipe() { (cd "$here" && cat "$@" && echo "$suite") | sha256sum | cut -c1-32; }

need() {
  for program in "$@"; do
    command -v "$program" >/dev/null 2>&1 && continue
    say "$program is not installed (Debian: apt-get install $program)"
    exit 2
  done
}

# An image that a later one is built from is made at most once in a call, also with --force.
debian_made=no
build_debian() {
  image=sallyport-base/debian:$suite
  [ "$debian_made" = no ] || return 0
  debian_made=yes
  if there "$image" debootstrap; then return 0; fi
  need debootstrap
  if [ "$(id -u)" != 0 ]; then say 'debootstrap needs root'; exit 2; fi
  say "making $image with debootstrap (a minute or two)"
  tree=$work/debian
  log=$work/debootstrap.log
  # shellcheck disable=SC2086 # without a mirror there is no word
  if ! debootstrap --variant=minbase --include=ca-certificates "$suite" "$tree" ${DEBIAN_MIRROR:-} >"$log" 2>&1; then
    tail -n 20 "$log" "$tree/debootstrap/debootstrap.log" >&2 || true
    say 'debootstrap failed; DEBIAN_MIRROR chooses another mirror'
    exit 1
  fi
  if [ -n "${EXTRA_CA_FILE:-}" ]; then
    cat "$EXTRA_CA_FILE" >>"$tree/etc/ssl/certs/ca-certificates.crt"
  fi
  if [ -n "${APT_SOURCES_FILE:-}" ]; then
    rm -f "$tree/etc/apt/sources.list"
    cp "$APT_SOURCES_FILE" "$tree/etc/apt/sources.list.d/"
  fi
  rm -rf "$tree"/var/cache/apt/archives/*.deb "$tree"/var/lib/apt/lists/* "$tree"/var/log/*.log
  rm -rf "$tree"/usr/share/man/* "$tree"/usr/share/locale/*
  tar -C "$tree" --numeric-owner -c . |
    "$docker" import --change 'LABEL sallyport.recipe=debootstrap' - "$image" >/dev/null
  rm -rf "$tree"
}

# build IMAGE DOCKERFILE RECIPE [TARGET]: the context is what stands in $work/context, the Dockerfile comes from here.
build() {
  image=$1
  target=$2
  say "building $image"
  cp "$here/$target.Dockerfile" "$work/context/Dockerfile"
  "$docker" build --quiet --build-arg "BASE=sallyport-base/debian:$suite" ${4:+--target "$4"} \
    --label "sallyport.recipe=$3" --tag "$image" "$work/context" >/dev/null
}

fetch() {
  (cd "$work" && npm pack --silent "$1" >/dev/null)
  mkdir -p "$work/context/$2"
  tar -C "$work/context/$2" --strip-components=1 -xzf "$work/$3"
}

build_node() {
  pnpm_version=$(sed -n 's/.*"packageManager": *"pnpm@\([0-9.]*\).*/\1/p' "$root/package.json")
  made=$(recipe node.Dockerfile)-$node_version-$pnpm_version
  if there sallyport-base/node:20 "$made" && there sallyport-base/node-build:20 "$made"; then return 0; fi
  build_debian
  need npm
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) say "npm has no node binary for $(uname -m)"; exit 1 ;;
  esac
  rm -rf "$work/context"
  fetch "node-linux-$arch@$node_version" node "node-linux-$arch-$node_version.tgz"
  fetch "pnpm@$pnpm_version" pnpm "pnpm-$pnpm_version.tgz"
  build sallyport-base/node:20 node "$made" runtime
  build sallyport-base/node-build:20 node "$made" build
}

build_postgres() {
  made=$(recipe postgres.Dockerfile postgres-entrypoint.sh)
  if there sallyport-base/postgres:15 "$made"; then return 0; fi
  build_debian
  rm -rf "$work/context"
  mkdir -p "$work/context"
  cp "$here/postgres-entrypoint.sh" "$work/context/"
  build sallyport-base/postgres:15 postgres "$made"
}

build_redis() {
  made=$(recipe redis.Dockerfile)
  if there sallyport-base/redis:7 "$made"; then return 0; fi
  build_debian
  rm -rf "$work/context"
  mkdir -p "$work/context"
  build sallyport-base/redis:7 redis "$made"
}

for name in $names; do "build_$name"; done
say 'done; see docs/compose.md for the names to put into .env'
