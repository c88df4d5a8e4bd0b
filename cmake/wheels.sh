#!/usr/bin/env bash
# Builds wheels of the Python package for every system with the compiler of zig, which has old C libraries and other processors.
#
#   cmake/wheels.sh [TARGET …]      into dist/; default: x86_64-linux-gnu.2.17 aarch64-linux-gnu.2.17 x86_64-linux-musl
#
# Others are aarch64-linux-musl, aarch64-macos.13.0, x86_64-macos.13.0 and x86_64-windows-gnu.
#
# TENON_WHEEL_PYTHON is a Python of at least 3.12, whose wheels fit later ones, too (default: .venv), with the packages
# scikit-build-core, nanobind, ziglang and wheel; the headers of OpenGL, EGL and GLFW are those of this machine.
# TENON_PYTHON_HOME is the folder of a Python of the target: include/, and for Windows libs/python3.lib. Without one the headers
# are those of TENON_WHEEL_PYTHON, which serve everywhere but on Windows, unless they are Debian's.
# TENON_PYTHON_TYPES is a file _core.pyi of another build, for the wheel.
. "$(dirname "${BASH_SOURCE[0]}")/zig.sh"
export TENON_ZIG_PYTHON=${TENON_WHEEL_PYTHON-$PWD/.venv/bin/python}
[ $# -gt 0 ] || set -- x86_64-linux-gnu.2.17 aarch64-linux-gnu.2.17 x86_64-linux-musl

for target in "$@"; do
    machine=${target%%-*} options=()
    case $target in
    *-linux-musl) tags=musllinux_1_2_$machine ;;
    *-linux-gnu.2.17) tags=manylinux_2_17_$machine.manylinux2014_$machine ;;
    *-macos.*)
        version=${target#*-macos.}
        tags=macosx_${version/./_}_${machine/aarch64/arm64}
        options+=(-C cmake.define.CMAKE_OSX_DEPLOYMENT_TARGET="$version")
        ;;
    x86_64-windows-gnu)
        tags=win_amd64
        library=${TENON_PYTHON_HOME:?must be the folder of a Python for Windows}/libs/python3.lib
        options+=(-C cmake.define.Python_LIBRARY="$library" -C cmake.define.Python_SABI_LIBRARY="$library")
        ;;
    *) echo "no tag of a wheel is known for $target" >&2 && exit 2 ;;
    esac
    [ -z "${TENON_PYTHON_HOME-}" ] || options+=(-C cmake.define.Python_INCLUDE_DIR="$TENON_PYTHON_HOME/include")
    zig_folder=$PWD/build-wheel-$target
    zig_setup "$target"
    case $target in
    *-linux-*)
        [ ! -e /usr/include/EGL ] || cp -r /usr/include/EGL "$folder/sysroot/include"
        options+=(-C install.strip=true)
        ;;
    *) options+=(-C install.strip=false) ;; # strip knows this machine's programs only
    esac
    rm -rf "$folder/out"
    _PYTHON_HOST_PLATFORM=linux-$machine "$python" -m pip wheel . -q --no-deps --no-build-isolation -w "$folder/out" \
        -C cmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" -C cmake.define.TENON_ZIG_TARGET="$target" \
        -C cmake.define.TENON_ZIG_FOLDER="$folder" -C cmake.define.TENON_PYTHON_TYPES="${TENON_PYTHON_TYPES-}" \
        -C build-dir="$folder/build" "${options[@]}"
    "$python" -m wheel tags --remove --platform-tag "$tags" "$folder"/out/*.whl >/dev/null
    mkdir -p dist
    mv "$folder"/out/*.whl dist/
    ls -l dist/*"${tags%%.*}"*.whl
done
