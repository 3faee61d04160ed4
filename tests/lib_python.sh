# lib_python.sh -- for tests that need the Python package; $build is the folder with the library.

# find_python: $python, 3.11 or later, with headers, setuptools, numpy and pytest: WEFT_PYTHON, or one that is found; else empty
find_python() {
    python=
    for p in ${WEFT_PYTHON:-python3 /usr/bin/python3}; do
        if "$p" -c 'import sys, os, sysconfig, numpy, pytest, setuptools
sys.exit(sys.version_info < (3, 11) or not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' 2>/dev/null; then
            python=$p
            break
        fi
    done
}

# build_package FOLDER: FOLDER/lib is the package with its entry points, FOLDER/log what was said
build_package() {
    mkdir -p "$1/lib"
    (cd bindings/python && WEFT_BUILD=$build WEFT_PY_CFLAGS=-Werror "$python" setup.py -q egg_info --egg-base "$1/lib" build --build-base "$1/base" --build-lib "$1/lib") >"$1/log" 2>&1
}
