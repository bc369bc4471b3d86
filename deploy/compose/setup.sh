#!/bin/sh
# Makes a deployment ready: .env and the state directory with its secrets, each readable by one container's user alone. What
# is there already stays as it is, so it may be run again at any time. Needs docker and the image (build.sh), no more; the
# part that sees secrets runs in a container of that image without a network.
set -eu

usage() {
  cat <<'TEXT'
usage: setup.sh --app-id NUMBER --app-slug SLUG --app-key FILE [--deployment ID] [--env FILE]
       setup.sh

The first time it needs the App's number, slug and private key; later it finds them.
  --app-id NUMBER   the App's id
  --app-slug SLUG   the last part of the App's public page
  --app-key FILE    the private key as downloaded (PEM); it is copied for the publisher alone
  --deployment ID   part of role, schema and key names; default sallyport
  --env FILE        default .env beside this script

environment:
  DOCKER            the docker client; default docker
TEXT
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
env_file=$here/.env
app_id=''
app_slug=''
app_key=''
deployment=''
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --app-id | --app-slug | --app-key | --deployment | --env)
      if [ $# -lt 2 ]; then echo "setup.sh: $1 needs a value" >&2; exit 2; fi
      case $1 in
        --app-id) app_id=$2 ;;
        --app-slug) app_slug=$2 ;;
        --app-key) app_key=$2 ;;
        --deployment) deployment=$2 ;;
        --env) env_file=$2 ;;
      esac
      shift 2
      ;;
    *) echo "setup.sh: \"$1\" is not understood (--help)" >&2; exit 2 ;;
  esac
done

if [ ! -f "$env_file" ]; then
  if [ -z "$app_id" ] || [ -z "$app_slug" ]; then
    echo 'setup.sh: the first time, say --app-id NUMBER --app-slug SLUG --app-key FILE' >&2
    exit 2
  fi
  case $app_id in *[!0-9]*) echo "setup.sh: --app-id is a number, not $app_id" >&2; exit 2 ;; esac
  umask 022
  sed -e "s/^GITHUB_APP_ID=.*/GITHUB_APP_ID=$app_id/" -e "s/^GITHUB_APP_SLUG=.*/GITHUB_APP_SLUG=$app_slug/" \
    -e "s/^DEPLOYMENT_ID=.*/DEPLOYMENT_ID=${deployment:-sallyport}/" "$here/env.example" >"$env_file.new"
  mv "$env_file.new" "$env_file"
  echo "made $env_file"
fi

# The environment wins over the file, as it does for compose.
setting() {
  eval "value=\${$1:-}"
  if [ -z "$value" ]; then value=$(sed -n "s/^$1=//p" "$env_file" | tail -n 1); fi
  printf '%s' "${value:-$2}"
}
differs() {
  if [ -n "$2" ] && [ "$2" != "$(setting "$1" '')" ]; then
    echo "setup.sh: $1 is $(setting "$1" '') (in $env_file or the environment), not $2; change it there" >&2
    exit 2
  fi
}
differs GITHUB_APP_ID "$app_id"
differs GITHUB_APP_SLUG "$app_slug"
differs DEPLOYMENT_ID "$deployment"

state=$(setting STATE ./state)
case $state in /*) ;; *) state=$here/$state ;; esac
mkdir -p "$state"
if [ -n "$app_key" ]; then
  if [ ! -r "$app_key" ]; then echo "setup.sh: cannot read $app_key" >&2; exit 2; fi
  app_key=$(CDPATH='' cd -- "$(dirname -- "$app_key")" && pwd -P)/$(basename -- "$app_key")
fi

exec "${DOCKER:-docker}" run --rm --network none --read-only --user 0:0 --cap-drop ALL \
  --cap-add CHOWN --cap-add DAC_OVERRIDE --cap-add FOWNER --security-opt no-new-privileges \
  --env TSX_DISABLE_CACHE=1 --volume "$state:/state" ${app_key:+--volume "$app_key:/given/app-key.pem:ro"} \
  "$(setting SALLYPORT_IMAGE sallyport:local)" \
  sallyport-service packages/cli/src/compose/main.ts --dir /state \
  --config-owner "$(id -u):$(id -g)" --deployment "$(setting DEPLOYMENT_ID sallyport)" ${app_key:+--app-key /given/app-key.pem}
