# What `cmake --install` puts where, and how others find it: a CMake package and a pkg-config file, both relocatable.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TENON_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)

set(TENON_INSTALL_KINDS "static;shared" CACHE STRING "Which libraries are installed: package managers take one kind")
foreach(kind ${TENON_INSTALL_KINDS})
  install(TARGETS tenon_${kind} EXPORT tenonTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
  PATTERN "render.h" EXCLUDE PATTERN "mpi.h" EXCLUDE)
if(TENON_MPI)
  install(FILES include/tenon/mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenon)
endif()
if(TARGET tenon_render_shared AND "shared" IN_LIST TENON_INSTALL_KINDS)
  install(TARGETS tenon_render_shared EXPORT tenonTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES include/tenon/render.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenon)
endif()
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon
  PATTERN "*.py" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TENON_BUILD_APPS) # what the programs have inside
  install(FILES web/dist/LICENSE.three.txt DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES apps/render/font/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.font.txt)
endif()

install(EXPORT tenonTargets NAMESPACE tenon:: DESTINATION ${TENON_CMAKE_DIR})
configure_package_config_file(cmake/tenonConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/tenonConfig.cmake
  INSTALL_DESTINATION ${TENON_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/tenonConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/tenonConfig.cmake ${PROJECT_BINARY_DIR}/cmake/tenonConfigVersion.cmake
  DESTINATION ${TENON_CMAKE_DIR})

# The .pc file names its prefix relative to itself, so that a moved or staged tree still works.
file(RELATIVE_PATH TENON_PC_TO_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/tenon.pc.in ${PROJECT_BINARY_DIR}/cmake/tenon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/tenon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)
