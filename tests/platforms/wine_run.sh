#!/usr/bin/env bash
# Runs a program of Windows with Wine: wine_run.sh PROGRAM.EXE [ARGUMENTS...]. WINEPREFIX is its folder of settings.
export WINEDEBUG=-all DISPLAY='' WINEDLLOVERRIDES='mscoree,mshtml='
for wine in /usr/lib/wine/wine64 wine64 wine; do
    if command -v "$wine" >/dev/null; then exec "$wine" "$@"; fi
done
echo "there is no Wine" >&2
exit 127
