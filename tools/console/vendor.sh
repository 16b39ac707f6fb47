#!/usr/bin/env bash
# Fetches the files of others that the console's page uses, with their licences, bundles Preact with htm, and checks the
# result against the sums in vendor/README.md. With another version: change it here, run, look at what changed, and write
# the new sums there, and the new versions into vendored.json.
set -euo pipefail
htm=3.1.1
preact=10.29.8
uplot=1.6.32
esbuild=0.28.2

to=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/src/main/resources/dev/sluice/console/page/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

npm install --silent --no-save --no-audit --no-fund "htm@$htm" "preact@$preact" "uplot@$uplot" "esbuild@$esbuild"
# only the names that the page imports: the page stays small
cat >standalone.js <<'END'
import htm from 'htm';
import { h } from 'preact';
export { render } from 'preact';
export { useEffect, useRef, useState } from 'preact/hooks';
export const html = htm.bind(h);
END
node_modules/.bin/esbuild standalone.js --bundle --format=esm --minify --target=es2020 --log-level=warning \
  --outfile="$to/preact/standalone.module.js"
cp node_modules/htm/LICENSE "$to/preact/LICENSE-htm"
cp node_modules/preact/LICENSE "$to/preact/LICENSE-preact"
cp node_modules/uplot/dist/uPlot.iife.min.js node_modules/uplot/LICENSE "$to/uplot/"

cd "$to"
sed -n 's/^| `\([^`]*\)` .*`\([0-9a-f]\{64\}\)` |$/\2  \1/p' README.md | sha256sum --check
