# Sourced by the scripts that need a Galaxy: makes a virtual environment with Galaxy, TPV and tpvc, or takes one that is there.
#
#   GALAXY_VENV  the environment to take (its packages are taken as they are) or to make; else one in the user's cache
#   TPVC_WHEEL   the wheel to install; else one is built from this checkout
#   TPVC_PROFILE the profile to build it with: `release`, or `quick`
#   TPVC_INSTALLED=1  tpvc is in the environment already: build and install nothing
#
# Afterwards $venv is the environment, $tests this folder and $cache a folder for what can be thrown away.

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tpvc-tests
venv=${GALAXY_VENV:-$cache/galaxy-26.1.1}
mkdir -p "$cache"

if [ ! -x "$venv/bin/python" ]; then
    if [ "${TPVC_CI_INSTALL:-1}" != 1 ]; then
        echo "SKIPPED: $venv is missing; TPVC_CI_INSTALL=1 makes it" >&2
        exit 0
    fi
    echo "making $venv: 900 MB of Galaxy's packages, about a minute" >&2
    "${PYTHON:-python3}" -m venv "$cache/uv"
    "$cache/uv/bin/pip" install --quiet uv
    "$cache/uv/bin/uv" venv --quiet --python "${PYTHON:-python3}" --seed "$venv"
    "$cache/uv/bin/uv" pip install --quiet --python "$venv/bin/python" --compile-bytecode \
        -r "$tests/galaxy_requirements.txt" -c "$tests/galaxy_constraints.txt"
fi
if [ -z "${TPVC_INSTALLED:-}" ]; then
    if [ -z "${TPVC_WHEEL:-}" ]; then
        "${PYTHON:-python3}" -m venv "$cache/maturin"
        "$cache/maturin/bin/pip" install --quiet maturin==1.16.0
        (cd "$tests/.." && "$cache/maturin/bin/maturin" build --profile "${TPVC_PROFILE:-release}" --interpreter "$venv/bin/python" --out "$cache/dist")
        TPVC_WHEEL=$(ls -t "$cache"/dist/tpvc-*.whl | head -1)
    fi
    if [ -x "$cache/uv/bin/uv" ]; then
        "$cache/uv/bin/uv" pip install --quiet --python "$venv/bin/python" --reinstall-package tpvc "$TPVC_WHEEL"
    else
        "$venv/bin/python" -m pip install --quiet --force-reinstall --no-deps "$TPVC_WHEEL"
    fi
fi
