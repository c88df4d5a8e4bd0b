# `cpack -G DEB` in the build folder: one Debian package with the library, headers, programs and scenes.
set(CPACK_PACKAGE_NAME tenon)
set(CPACK_PACKAGE_VENDOR tenon)
set(CPACK_PACKAGE_CONTACT "tenon developers <tenon@localhost>") # whoever passes the package on names himself
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "Simulates rigid bodies, robots, cables and soft bodies with exact frictional contact.
The package has the programs tenon and tenon-bench, the library with its headers, a CMake package
and a pkg-config file, and the scenes.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libexpat1-dev, zlib1g-dev") # what CMake asks for where others link libtenon.a
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg, libglfw3, libegl1, libegl-mesa0")
find_program(TENON_SHLIBDEPS dpkg-shlibdeps)
if(TENON_SHLIBDEPS) # asks the installed packages; it knows which versions of a library are needed
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libexpat1, zlib1g")
endif()
include(CPack)
