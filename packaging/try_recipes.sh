#!/usr/bin/env bash
# Tries a recipe as far as it goes without the servers of its package manager.
#
#   packaging/try_recipes.sh vcpkg     the steps of the port, with stand-ins for vcpkg's functions, and a program that uses it
#   packaging/try_recipes.sh conan     conan create, with expat and zlib of the system (CONAN: the program conan)
#
# Each builds the library once, into build-recipes/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$PWD/build-recipes
mkdir -p "$folder"

try_vcpkg() {
    rm -rf "$folder/packages" "$folder/use"
    cat >"$folder/stand_ins.cmake" <<'END'
cmake_minimum_required(VERSION 3.22)
set(CMAKE_CURRENT_LIST_DIR ${ROOT}/packaging/vcpkg/tenon)
set(PORT tenon)
set(VCPKG_LIBRARY_LINKAGE static)
set(CURRENT_PACKAGES_DIR ${OUT}/packages)
macro(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endmacro()
function(vcpkg_check_features)
  cmake_parse_arguments(A "" OUT_FEATURE_OPTIONS FEATURES ${ARGN})
  set(${A_OUT_FEATURE_OPTIONS} -DTENON_BUILD_APPS=OFF PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(A "" SOURCE_PATH OPTIONS ${ARGN})
  run(${CMAKE_COMMAND} -G Ninja -S ${A_SOURCE_PATH} -B ${OUT}/vcpkg -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DCMAKE_INSTALL_LIBDIR=lib ${A_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${OUT}/vcpkg --target install)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(A "" CONFIG_PATH "" ${ARGN})
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${A_CONFIG_PATH}/tenonConfig.cmake)
    message(FATAL_ERROR "there is no ${A_CONFIG_PATH}")
  endif()
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(A "" "" FILE_LIST ${ARGN})
  file(INSTALL ${A_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/tenon)
endfunction()
include(${CMAKE_CURRENT_LIST_DIR}/portfile.cmake)
END
    cmake -DROOT="$PWD" -DOUT="$folder" -P "$folder/stand_ins.cmake"
    if ls "$folder"/packages/lib/*.so* >/dev/null 2>&1; then echo "a static port has a shared library" >&2 && exit 1; fi
    cmake -G Ninja -S packaging/conan/test_package -B "$folder/use" -DCMAKE_PREFIX_PATH="$folder/packages" >/dev/null
    cmake --build "$folder/use" >/dev/null
    "$folder/use/hello_world"
}

try_conan() {
    local conan=${CONAN-conan} name
    export CONAN_HOME=$folder/conan
    mkdir -p "$CONAN_HOME"
    "$conan" profile detect --force >/dev/null 2>&1
    for name in expat:2.6.4:EXPAT:expat zlib:1.3.1:ZLIB:z; do
        IFS=: read -r package version target library <<<"$name"
        mkdir -p "$folder/system/$package"
        cat >"$folder/system/$package/conanfile.py" <<END
from conan import ConanFile
class System(ConanFile):
    name, version = "$package", "$version"
    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "$target")
        self.cpp_info.set_property("cmake_target_name", "$target::$target")
        self.cpp_info.set_property("cmake_find_mode", "both")
        self.cpp_info.system_libs = ["$library"]
        self.cpp_info.includedirs, self.cpp_info.libdirs = [], []
END
        "$conan" create "$folder/system/$package" --no-remote >/dev/null 2>&1
    done
    "$conan" create packaging/conan --no-remote
}

"try_${1:?usage: packaging/try_recipes.sh vcpkg | conan}"
echo "the recipe of $1 holds"
