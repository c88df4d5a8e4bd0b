#!/usr/bin/env bash
# Builds for Windows by zig, and runs the library's tests and the program with Wine. Not by mingw's gcc: its AVX code needs
# stacks that Windows does not give (GCC bug 54412), which crashes there and never under Wine.
#
#   tests/platforms/windows.sh [CTEST OPTIONS]    into build-x86_64-windows-gnu/; such as -R hashes
#   tests/platforms/windows.sh --quick            five scenes and four tests
#
# Needs the packages of tests/platforms/requirements.txt, and wine64 of Debian. See cmake/zig.sh.
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/zig.sh"
zig_setup x86_64-windows-gnu "${1-}"
tests/platforms/wine_run.sh --version >/dev/null 2>&1 || missing "no Wine: apt-get install wine64"
export WINEPREFIX=$folder/wine
export TENON_ISA=${TENON_ISA-portable} # the promise; the hashes and tests of kernels choose for themselves
runner=$PWD/tests/platforms/wine_run.sh
# films by a program that stands for ffmpeg
films=$folder/films
rm -rf "$films" && mkdir "$films"
"$folder/cc" -D_GNU_SOURCE -std=c17 -O1 -s -Iapps/render -Iinclude tests/platforms/film.c \
    apps/render/{ffmpeg,child_posix,child_windows,system}.c -o "$films/film.exe"
cp "$films/film.exe" "$films/ffmpeg.exe"
"$runner" "$films/film.exe" "Z:$films"
if $quick; then
    zig_configure
else
    zig_configure -DTENON_BUILD_APPS=ON
    zig_build tenon_app
    # the program: the same bits as that of this machine, and recordings that take the place of old ones
    hash_of() { "$@" run scenes/stir.xml --duration 0.3 --isa portable --json 2>/dev/null | tr -d '\r' | grep '"state_hash"'; }
    there=$(hash_of "$runner" "$folder/tenon.exe")
    echo "stir after 0.3 s: $there"
    if [ -x build/tenon ] && [ "$(hash_of build/tenon)" != "$there" ]; then echo "build/tenon has other bits" >&2 && exit 1; fi
    for _ in 1 2; do
        "$runner" "$folder/tenon.exe" run scenes/cradle.xml --duration 0.1 --record "$folder/a.tnr" --csv "$folder/a.csv" --quiet
    done
    "$runner" "$folder/tenon.exe" info "$folder/a.tnr" >"$folder/info.txt"
    grep -q 'frames  *6' "$folder/info.txt" || { cat "$folder/info.txt" && exit 1; }
fi
zig_test "$@"
