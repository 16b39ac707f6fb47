#!/usr/bin/env bash
# Fetches the files of others that the console's page uses, with their licences, and checks them against the sums in
# vendor/README.md. With another version: change it here, run, look at what changed, and write the new sums there.
set -euo pipefail
htm=3.1.1
preact=10.28.0 # for the text of its licence: what runs is inside htm's file
uplot=1.6.32

to=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/src/main/resources/dev/sluice/console/page/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fetch() { # NAME VERSION
  npm pack --silent "$1@$2" >/dev/null
  mkdir "$1"
  tar xzf "$1-$2.tgz" -C "$1" --strip-components=1
}

fetch htm "$htm"
fetch preact "$preact"
fetch uplot "$uplot"
cp htm/preact/standalone.module.js "$to/preact/"
cp htm/LICENSE "$to/preact/LICENSE-htm"
cp preact/LICENSE "$to/preact/LICENSE-preact"
cp uplot/dist/uPlot.iife.min.js uplot/LICENSE "$to/uplot/"

cd "$to"
sed -n 's/^| `\([^`]*\)` .*`\([0-9a-f]\{64\}\)` |$/\2  \1/p' README.md | sha256sum --check
