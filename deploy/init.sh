#!/bin/sh
# Writes the secrets of the stack into deploy/.env, each once: what is there already stays. Keep a copy of that file where you keep secrets:
# without TIDINGS_MASTER_KEY no personal data in the log can be read.
set -eu
umask 077
file=$(dirname "$0")/.env

random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

# Data that was written under a lost key is not opened by another one, and the new file would hide that the old one is missing.
if ! grep -qs '^TIDINGS_MASTER_KEY=.' "$file" && docker volume inspect tidings_postgres >/dev/null 2>&1; then
  echo "There is data in the Docker volume tidings_postgres, and no TIDINGS_MASTER_KEY in $file: put that file back from a copy, or remove the volumes (docker compose down --volumes) to begin anew." >&2
  exit 1
fi

# A last line without an end would take the next one into its value.
if [ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ]; then echo >>"$file"; fi
for name in POSTGRES_PASSWORD TIDINGS_MASTER_KEY TIDINGS_PROVIDER_SECRET; do
  grep -qs "^$name=." "$file" || printf '%s=%s\n' "$name" "$(random)" >>"$file"
done
echo "The secrets are in $file."
