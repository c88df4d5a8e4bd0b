#!/usr/bin/env bash
# Builds wheels of the Python package for Linux with the compiler of zig, which has old C libraries and other processors.
#
#   cmake/wheels.sh [TARGET …]      into dist/; default: x86_64-linux-gnu.2.17 aarch64-linux-gnu.2.17 x86_64-linux-musl
#
# TENON_WHEEL_PYTHON is a Python of at least 3.12, whose wheels fit later ones, too (default: .venv), with the packages
# scikit-build-core, nanobind, ziglang and wheel; the headers of OpenGL, EGL and GLFW are those of this machine.
# TENON_PYTHON_TYPES is a file _core.pyi of another build, for the wheel.
. "$(dirname "${BASH_SOURCE[0]}")/zig.sh"
export TENON_ZIG_PYTHON=${TENON_WHEEL_PYTHON-$PWD/.venv/bin/python}
[ $# -gt 0 ] || set -- x86_64-linux-gnu.2.17 aarch64-linux-gnu.2.17 x86_64-linux-musl

for target in "$@"; do
    machine=${target%%-*}
    case $target in
    *-musl) tags=musllinux_1_2_$machine ;;
    *-gnu.2.17) tags=manylinux_2_17_$machine.manylinux2014_$machine ;;
    *) echo "no tag of a wheel is known for $target" >&2 && exit 2 ;;
    esac
    zig_folder=$PWD/build-wheel-$target
    zig_setup "$target"
    for part in GL EGL KHR GLFW; do
        [ ! -e "/usr/include/$part" ] || cp -r "/usr/include/$part" "$folder/sysroot/include"
    done
    rm -rf "$folder/out"
    _PYTHON_HOST_PLATFORM=linux-$machine "$python" -m pip wheel . -q --no-deps --no-build-isolation -w "$folder/out" \
        -C cmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" -C cmake.define.TENON_ZIG_TARGET="$target" \
        -C cmake.define.TENON_ZIG_FOLDER="$folder" -C cmake.define.TENON_PYTHON_TYPES="${TENON_PYTHON_TYPES-}" \
        -C build-dir="$folder/build" -C install.strip=true
    "$python" -m wheel tags --remove --platform-tag "$tags" "$folder"/out/*.whl >/dev/null
    mkdir -p dist
    mv "$folder"/out/*.whl dist/
    ls -l dist/*"$machine".whl
done
