#!/usr/bin/env bash
# Makes the folder that the image runs from: deploy/build-image-tree.sh OUT
# The source is run as it is, so it must not lie below a folder node_modules, where Node refuses to strip types: pnpm links the packages of
# the workspace to their own folders. That is why this is a pruned install in a copied tree and not `pnpm deploy`.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"

# What is only there for tests stays behind.
tar -C "$root" -cf - \
  --exclude=node_modules --exclude='*.test.ts' --exclude='*.testing.ts' --exclude='*.fixture.ts' --exclude='*/testing' \
  --exclude='packages/*/test' --exclude=projectors/test --exclude=packages/codec/golden \
  package.json pnpm-workspace.yaml pnpm-lock.yaml domain packages command-api query-api dashboard-api projectors consumers deploy/migrations |
  tar -xf -

# Optional dependencies are left out: the embedded Postgres is one, and an image has its database elsewhere.
npx --yes pnpm@12.21.0 install --prod --no-optional --frozen-lockfile --ignore-scripts --filter-prod '@tidings/cli...'
chmod 755 packages/cli/bin/tidings.mjs

# One program made of what a start loads (docs/explanation/architecture.md). Its maker is a tool of development, and is gone again.
tools=$(mktemp -d)
trap 'rm -rf "$tools" packages/cli/node_modules/rolldown' EXIT
version=$(sed -n 's/^  rolldown: //p' pnpm-workspace.yaml)
npm install --prefix "$tools" --no-audit --no-fund --ignore-scripts "rolldown@$version"
ln -s "$tools/node_modules/rolldown" packages/cli/node_modules/rolldown
node packages/cli/bin/bundle.mjs --fixed
test -f bundle/main.mjs

# The pages of the dashboard, made beside the tree: what they are made of stays there.
mkdir "$tools/pages"
tar -C "$root" -cf - --exclude=node_modules --exclude='*.test.ts' --exclude=test \
  package.json pnpm-workspace.yaml pnpm-lock.yaml tsconfig.base.json domain packages dashboard |
  tar -C "$tools/pages" -xf -
(cd "$tools/pages" && npx --yes pnpm@12.21.0 install --prod --frozen-lockfile --ignore-scripts --filter-prod '@tidings/dashboard...')
node "$tools/pages/dashboard/build.mjs" --fixed "$PWD/pages"
test -f pages/index.html
rm -rf node_modules/.cache
