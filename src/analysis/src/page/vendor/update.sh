#!/bin/sh
# Takes other versions of D3 and Observable Plot from npm: `sh update.sh D3_VERSION PLOT_VERSION`.
set -eu
[ $# = 2 ] || { echo "usage: sh update.sh D3_VERSION PLOT_VERSION" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
take() {
    (cd "$folder" && rm -rf package && tar -xzf "$(npm pack --silent "$1@$2")")
    cp "$folder/package/dist/$3" "$here/$3"
    cp "$folder/package/LICENSE" "$here/$4.LICENSE"
}
take d3 "$1" d3.min.js d3
take @observablehq/plot "$2" plot.umd.min.js plot
# The notices of the packages that both files hold; the others are of programs beside them.
cd "$folder"
npm install --silent --ignore-scripts --prefix "$folder/all" "d3@$1" "@observablehq/plot@$2"
node - "$folder/all/node_modules" >"$here/NOTICES" <<'SCRIPT'
const fs = require("fs"), path = require("path"), root = process.argv[2], beside = ["commander", "iconv-lite", "rw", "safer-buffer"];
const folders = fs.readdirSync(root).flatMap((name) => (name.startsWith("@") ? fs.readdirSync(path.join(root, name)).map((own) => `${name}/${own}`) : [name]));
const texts = new Map();
for (const name of folders.filter((name) => !name.startsWith(".") && !beside.includes(name)).sort()) {
    const { version, license } = JSON.parse(fs.readFileSync(path.join(root, name, "package.json")));
    const text = fs.readFileSync(path.join(root, name, "LICENSE"), "utf8").trim();
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version} (${license})`]);
}
for (const [text, names] of texts) console.log(`${names.join("\n")}\n\n${text.replace(/^/gm, "    ").replace(/ +$/gm, "")}\n`);
SCRIPT
