#!/bin/sh
# Writes the secrets of the stack into deploy/.env, each once: what is there already stays. Keep a copy of that file where you keep secrets:
# without TIDINGS_MASTER_KEY no personal data in the log can be read.
set -eu
umask 077
file=$(dirname "$0")/.env
touch "$file"

random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

for name in POSTGRES_PASSWORD TIDINGS_MASTER_KEY TIDINGS_PROVIDER_SECRET; do
  grep -q "^$name=" "$file" || printf '%s=%s\n' "$name" "$(random)" >>"$file"
done
echo "The secrets are in $file."
