#!/usr/bin/env bash
# Builds wheels of the Python package for every system with the compiler of zig, which has old C libraries and other processors.
#
#   cmake/wheels.sh [TARGET …]      into dist/; default: x86_64-linux-gnu.2.17 aarch64-linux-gnu.2.17 x86_64-linux-musl
#
# Others are aarch64-linux-musl, aarch64-macos.13.0, x86_64-macos.13.0 and x86_64-windows-gnu.
#
# TENON_WHEEL_PYTHON is a Python of at least 3.12, whose wheels fit later ones, too (default: .venv), with the packages
# scikit-build-core, nanobind, ziglang and wheel; the headers of OpenGL, EGL and GLFW are those of this machine, and those of
# Python are of TENON_WHEEL_PYTHON. For Windows TENON_PYTHON_WINDOWS is the folder of a Python there (include/, libs/python3.lib).
# TENON_PYTHON_TYPES is a file _core.pyi of another build, for the wheel. TENON_WHEEL_OPTIONS are more options of pip wheel.
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
        windows=${TENON_PYTHON_WINDOWS?the folder of a Python for Windows}
        options+=(-C cmake.define.Python_INCLUDE_DIR="$windows/include" -C cmake.define.Python_LIBRARY="$windows/libs/python3.lib"
            -C cmake.define.Python_SABI_LIBRARY="$windows/libs/python3.lib")
        ;;
    *) echo "no tag of a wheel is known for $target" >&2 && exit 2 ;;
    esac
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
    # shellcheck disable=SC2086
    _PYTHON_HOST_PLATFORM=linux-$machine "$python" -m pip wheel . -q --no-deps --no-build-isolation -w "$folder/out" \
        -C cmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" -C cmake.define.TENON_ZIG_TARGET="$target" \
        -C cmake.define.TENON_ZIG_FOLDER="$folder" -C cmake.define.TENON_PYTHON_TYPES="${TENON_PYTHON_TYPES-}" \
        -C build-dir="$folder/build" "${options[@]}" ${TENON_WHEEL_OPTIONS-}
    "$python" -m wheel tags --remove --platform-tag "$tags" "$folder"/out/*.whl >/dev/null
    mkdir -p dist
    mv "$folder"/out/*.whl dist/
    ls -l dist/*"$tags"*.whl
done
