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
