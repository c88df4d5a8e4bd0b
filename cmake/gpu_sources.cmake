# The sources of the back end: its own, and the engine's with __device__ before each function.
set(TENON_GPU_FOLDER ${PROJECT_SOURCE_DIR}/src/gpu)
set(TENON_GPU_FILES gpu sort scene narrow batch/batch batch/batch_worlds batch/batch_worlds64 chip/chip chip/chip_others)
set(TENON_GPU_COPIES ${PROJECT_BINARY_DIR}/gpu/sources)
file(GLOB_RECURSE TENON_GPU_OWN CONFIGURE_DEPENDS ${TENON_GPU_FOLDER}/*.cu ${TENON_GPU_FOLDER}/*.h)
file(GLOB_RECURSE TENON_GPU_ENGINE CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/base/*.h ${PROJECT_SOURCE_DIR}/src/math/*.h
  ${PROJECT_SOURCE_DIR}/src/model/*.h ${PROJECT_SOURCE_DIR}/src/model/hull.c ${PROJECT_SOURCE_DIR}/src/collision/*.[ch]
  ${PROJECT_SOURCE_DIR}/src/subsystem/*.[ch]
  ${PROJECT_SOURCE_DIR}/src/constraint/unilateral.*)
add_custom_command(OUTPUT ${TENON_GPU_COPIES}/all_sources.h VERBATIM
  COMMAND ${Python3_EXECUTABLE} ${TENON_GPU_FOLDER}/device_sources.py ${PROJECT_SOURCE_DIR}/src ${TENON_GPU_COPIES}
  DEPENDS ${TENON_GPU_FOLDER}/device_sources.py ${TENON_GPU_ENGINE} COMMENT "sources for the device")
set(TENON_GPU_DEPENDS ${TENON_GPU_COPIES}/all_sources.h ${TENON_GPU_OWN})
set(TENON_GPU_INCLUDES -I${TENON_GPU_FOLDER}/shim -I${TENON_GPU_COPIES} -I${TENON_GPU_FOLDER} -I${PROJECT_SOURCE_DIR}/include)
