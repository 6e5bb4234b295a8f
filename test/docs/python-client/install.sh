#!/bin/sh
# Puts openapi-python-client, and what the Python client of clients/python needs, at the versions of requirements.txt, where tests look for them: test/docs/python-client/install.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=$here/../../../node_modules/.cache/python-client
[ -x "$place/bin/openapi-python-client" ] && cmp -s "$here/requirements.txt" "$place/requirements.txt" && exit 0
rm -rf "$place"
python3 -m venv "$place"
"$place/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: --requirement "$here/requirements.txt"
cp "$here/requirements.txt" "$place/requirements.txt"
