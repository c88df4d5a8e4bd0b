# Sourced by ./run and ./test: installs what is missing (Debian, Ubuntu) and builds.

say() { printf '== %s\n' "$*" >&2; }

# need COMMAND_OR_FILE PACKAGE: the package is wanted where the thing is not there.
missing=()
need() {
    case $1 in
    /*) [ -e "$1" ] || missing+=("$2") ;;
    *) command -v "$1" >/dev/null 2>&1 || missing+=("$2") ;;
    esac
}

# The one line that installs what is missing, for someone who may.
print_install_line() {
    local line="apt-get update && apt-get install -y ${missing[*]}"
    [ "$(id -u)" -eq 0 ] && printf '%s\n' "$line" && return
    if command -v sudo >/dev/null 2>&1; then printf "sudo sh -c '%s'\n" "$line"; else printf "su -c '%s'\n" "$line"; fi
}

# install_missing [COMMAND_OR_FILE:PACKAGE...]: what every build needs, and the given ones.
install_missing() {
    missing=()
    if [ -z "${extra_only-}" ]; then
        need cc build-essential
        need cmake cmake
        need ninja ninja-build
        need /usr/include/expat.h libexpat1-dev
        need /usr/include/zlib.h zlib1g-dev
        need /usr/include/stb/stb_image.h libstb-dev
        need python3 python3
    fi
    for package in "$@"; do need "${package%%:*}" "${package##*:}"; done
    install_listed
}

# The packages in `missing`, with apt-get; ends the shell where that cannot be done.
install_listed() {
    [ ${#missing[@]} -eq 0 ] && return

    local apt=(apt-get) may=true
    if [ "$(id -u)" -ne 0 ]; then
        apt=(sudo apt-get)
        # without a terminal sudo cannot ask for a password
        command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; } || may=false
    fi
    if ! $may || ! command -v apt-get >/dev/null 2>&1; then
        say "${missing[*]} missing; install with the next line and start again"
        print_install_line >&2
        exit 1
    fi
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    "${apt[@]}" update -qq </dev/null >&2 || say "apt-get update failed; trying with the lists that are there"
    if ! "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}" </dev/null >&2; then
        say "that failed; install with the next line and start again"
        print_install_line >&2
        exit 1
    fi
}

# What pictures and the window are built with, and a driver that draws without a graphics card.
drawing=(/usr/include/GL/glcorearb.h:libgl-dev /usr/include/EGL/egl.h:libegl-dev /usr/include/GLFW/glfw3.h:libglfw3-dev
    /usr/share/glvnd/egl_vendor.d/50_mesa.json:libegl-mesa0)

# install_wished COMMAND_OR_FILE:PACKAGE...: one by one; what cannot be had is named and left out.
install_wished() {
    local package
    for package in "$@"; do
        (extra_only=true install_missing "$package") || say "going on without ${package##*:}"
    done
}

# MPI that compiles and starts: mpicc may be there without its headers.
has_mpi() { command -v mpirun >/dev/null && echo '#include <mpi.h>' | mpicc -E -x c - >/dev/null 2>&1; }

install_mpi() {
    has_mpi && return
    (missing=(openmpi-bin libopenmpi-dev) && install_listed) || say "going on without MPI"
}

# What the test of the HTML replay drives the browser with, and the bundler that checks the committed page.
install_browser_driver() {
    command -v npm >/dev/null 2>&1 || return 0
    [ web/node_modules/.package-lock.json -nt web/package-lock.json ] && return
    say "installing the packages of web/"
    (cd web && npm ci --no-audit --no-fund --loglevel=error </dev/null >&2) || say "going on without the packages of web/"
}

# MuJoCo and packages with models for it, which tests/oracle compares with, in a Python environment of the project.
install_oracle() {
    local wanted=tests/oracle/requirements.txt models=tests/oracle/packages.txt done=.venv/oracle.txt
    cat $wanted $models | cmp -s - $done && return
    python3 -c 'import ensurepip, venv' 2>/dev/null || install_wished /usr/lib/python3/ensurepip:python3-venv
    say "installing MuJoCo into .venv, to compare with"
    if { [ -x .venv/bin/python ] || python3 -m venv .venv; } </dev/null >&2 &&
        .venv/bin/python -m pip install -q --disable-pip-version-check -r $wanted </dev/null >&2 &&
        .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps -r $models </dev/null >&2; then
        cat $wanted $models >$done
    else
        say "going on without MuJoCo"
    fi
}

# What the Python package is built and tested with, in the same environment.
install_python_tools() {
    local wanted=python/requirements.txt done=.venv/python.txt
    cmp -s $wanted $done && return
    python3 -c 'import ensurepip, venv' 2>/dev/null || install_wished /usr/lib/python3/ensurepip:python3-venv
    local header
    header=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include") + "/Python.h")')
    [ -e "$header" ] || install_wished "$header:python3-dev"
    say "installing what builds the Python package into .venv"
    if { [ -x .venv/bin/python ] || python3 -m venv .venv; } </dev/null >&2 &&
        .venv/bin/python -m pip install -q --disable-pip-version-check -r $wanted </dev/null >&2; then
        cp $wanted $done
    else
        say "going on without the Python package"
    fi
}

# nvcc of CUDA 13, which compiles the back end for devices (docs/gpu.md), in an environment of its own.
install_cuda() {
    local wanted=cmake/cuda-requirements.txt done=.venv/cuda/packages.txt
    cmp -s $wanted $done && return
    python3 -c 'import ensurepip, venv' 2>/dev/null || install_wished /usr/lib/python3/ensurepip:python3-venv
    say "installing nvcc into .venv/cuda"
    if { [ -x .venv/cuda/bin/python ] || python3 -m venv .venv/cuda; } </dev/null >&2 &&
        .venv/cuda/bin/python -m pip install -q --disable-pip-version-check -r $wanted </dev/null >&2; then
        cp $wanted $done
    else
        say "going on without nvcc"
    fi
}

# Stable-Baselines3, for the test that learns. Its torch comes from Debian: that of PyPI has 3 GB of libraries for graphics
# cards. So this is an environment of the system's own Python.
install_learning() {
    local wanted=tests/python/learning.txt done=.venv-learning/learning.txt python=/usr/bin/python3
    cmp -s $wanted $done && return
    $python -c 'import ensurepip, venv' 2>/dev/null || install_wished /usr/lib/python3/ensurepip:python3-venv
    install_wished /usr/lib/python3/dist-packages/torch:python3-torch
    $python -c 'import torch' 2>/dev/null || return 0
    say "installing Stable-Baselines3 into .venv-learning"
    if { [ -x .venv-learning/bin/python ] || $python -m venv --system-site-packages .venv-learning; } </dev/null >&2 &&
        .venv-learning/bin/python -m pip install -q --disable-pip-version-check --no-deps -r $wanted </dev/null >&2; then
        cp $wanted $done
    else
        say "going on without Stable-Baselines3"
    fi
}

# What docs/build needs, in the same environment.
install_docs_tools() {
    local wanted=docs/requirements.txt done=.venv/docs.txt
    command -v doxygen >/dev/null 2>&1 || install_wished doxygen:doxygen
    [ -x .venv/bin/python ] || return 0 # install_python_tools has said why
    install_mathjax
    cmp -s $wanted $done && return
    say "installing what builds the documentation into .venv"
    if .venv/bin/python -m pip install -q --disable-pip-version-check -r $wanted </dev/null >&2; then
        cp $wanted $done
    else
        say "going on without the tools of the documentation"
    fi
}

# MathJax, which the site brings along.
install_mathjax() {
    local wanted=docs/site/package.json folder=.venv/site
    cmp -s $wanted $folder/done.json && return
    command -v npm >/dev/null 2>&1 || install_wished npm:npm
    mkdir -p $folder && cp $wanted $folder/
    if npm install --prefix $folder --no-package-lock --no-audit --no-fund --ignore-scripts --silent </dev/null >&2; then
        cp $wanted $folder/done.json
    else
        say "going on without MathJax"
    fi
}

# Ray, on which sweeps are tested, in the same environment.
install_ray() {
    local wanted=python/requirements-ray.txt done=.venv/ray.txt
    cmp -s $wanted $done && return
    [ -x .venv/bin/python ] || return 0
    say "installing Ray into .venv"
    if .venv/bin/python -m pip install -q --disable-pip-version-check -r $wanted </dev/null >&2; then
        cp $wanted $done
    else
        say "going on without Ray"
    fi
}

# Readers of other formats, which read what tenon exports.
install_bridges() {
    local wanted=tests/bridges/requirements.txt done=.venv/bridges.txt
    cmp -s $wanted $done && return
    [ -x .venv/bin/python ] || return 0
    say "installing readers of other formats into .venv"
    if .venv/bin/python -m pip install -q --disable-pip-version-check -r $wanted </dev/null >&2; then
        cp $wanted $done
    else
        say "going on without readers of other formats"
    fi
}

# zig and wasmtime, which build and run for other systems, in the same environment.
install_platforms() {
    local wanted=tests/platforms/requirements.txt done=.venv/platforms.txt
    cmp -s $wanted $done && return
    [ -x .venv/bin/python ] || return 0
    say "installing zig and wasmtime into .venv"
    if .venv/bin/python -m pip install -q --disable-pip-version-check -r $wanted </dev/null >&2; then
        cp $wanted $done
    else
        say "going on without zig and wasmtime"
    fi
}

# Writes what it reads to a log; on a terminal, one line counts the files that are built.
log_with_count() {
    local line
    while IFS= read -r line; do
        printf '%s\n' "$line" >&3
        if [ -t 2 ] && [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
            printf '\r   %s of %s\033[K' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
        fi
    done 3>"$1"
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

# build FOLDER TARGET [CMAKE OPTIONS]
build() {
    local folder=$1 target=$2 log
    shift 2
    log=$folder/build.log
    mkdir -p "$folder"
    local generator=()
    [ -e "$folder/CMakeCache.txt" ] || generator=(-G Ninja)
    say "building into $folder"
    if ! { cmake -S . -B "$folder" "${generator[@]}" "$@" && cmake --build "$folder" --parallel --target "$target"; } 2>&1 |
        log_with_count "$log"; then
        tail -n 60 "$log" >&2
        say "the build failed; all of it is in $log"
        return 1
    fi
}
