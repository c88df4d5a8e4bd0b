#!/usr/bin/env bash
# Builds for Windows by zig, and runs the library's tests and the program with Wine. Not by mingw's gcc: its AVX code needs
# stacks that Windows does not give (GCC bug 54412), which crashes there and never under Wine.
#
#   tests/platforms/windows.sh [CTEST OPTIONS]    into build-x86_64-windows-gnu/; such as -R hashes
#   tests/platforms/windows.sh --quick            five scenes and four tests
#
# Needs the packages of tests/platforms/requirements.txt, and wine64 of Debian. See zig.sh.
. "$(dirname "${BASH_SOURCE[0]}")/zig.sh"
zig_setup x86_64-windows-gnu "${1-}"
tests/platforms/wine_run.sh --version >/dev/null 2>&1 || missing "no Wine: apt-get install wine64"
export WINEPREFIX=$folder/wine
runner=$PWD/tests/platforms/wine_run.sh
if $quick; then
    zig_configure
else
    zig_configure -DTENON_BUILD_APPS=ON
    zig_build tenon_app
    echo "the program:"
    portable() { grep -o '"state_hash": "[0-9a-f]*"'; }
    here=$("$runner" "$folder/tenon.exe" run scenes/stir.xml --duration 0.3 --isa portable --json 2>/dev/null | portable)
    echo "stir after 0.3 s: $here"
    "$runner" "$folder/tenon.exe" run scenes/cradle.xml --duration 0.1 --record "$folder/a.tnr" --csv "$folder/a.csv" --quiet
    "$runner" "$folder/tenon.exe" run scenes/cradle.xml --duration 0.1 --record "$folder/a.tnr" --quiet # over the old one
    "$runner" "$folder/tenon.exe" info "$folder/a.tnr" | head -n 3
fi
zig_test "$@"
