# Sourced by ./run and ./test: installs what is missing (Debian, Ubuntu) and builds.

say() { printf '== %s\n' "$*" >&2; }

# need COMMAND_OR_FILE PACKAGE: the package is wanted where neither the thing nor the package is there.
missing=()
need() {
    case $1 in
    /*) [ -e "$1" ] && return ;;
    *) command -v "$1" >/dev/null 2>&1 && return ;;
    esac
    dpkg -s "$2" >/dev/null 2>&1 || missing+=("$2")
}

install_missing() {
    missing=()
    need cc build-essential
    need cmake cmake
    need ninja ninja-build
    need /usr/include/expat.h libexpat1-dev
    need python3 python3
    for package in "$@"; do need "${package%%:*}" "${package##*:}"; done
    [ ${#missing[@]} -eq 0 ] && return

    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
            as_root=(sudo)
        else
            as_root=(no)
        fi
    fi
    if ! command -v apt-get >/dev/null 2>&1 || [ "${as_root[*]}" = no ]; then
        say "these packages are missing; install them and start again:"
        printf 'sudo apt-get install -y %s\n' "${missing[*]}" >&2
        exit 1
    fi
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    "${as_root[@]}" apt-get update -qq </dev/null >&2 || say "apt-get update failed; trying with the lists that are there"
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >&2
}

# build FOLDER [CMAKE OPTIONS]
build() {
    local folder=$1 log
    shift
    log=$folder/build.log
    mkdir -p "$folder"
    local generator=()
    [ -e "$folder/CMakeCache.txt" ] || generator=(-G Ninja)
    say "building into $folder"
    if ! { cmake -S . -B "$folder" "${generator[@]}" "$@" && cmake --build "$folder" --parallel; } >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        say "the build failed; all of it is in $log"
        return 1
    fi
}
