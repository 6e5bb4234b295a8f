#!/bin/sh
# Puts schemathesis, as PyPI has it, where test/fuzz looks for it: test/fuzz/install-schemathesis.sh
set -eu
place=$(cd "$(dirname "$0")/../.." && pwd)/node_modules/.cache/schemathesis-4.32.5
[ -x "$place/bin/schemathesis" ] && exit 0
python3 -m venv "$place"
"$place/bin/pip" install --quiet --disable-pip-version-check schemathesis==4.32.5 hypothesis==6.170.15 jsonschema_rs==0.60.3
