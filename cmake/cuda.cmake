# The CUDA back end: src/gpu/*.cu by nvcc, into the library in place of src/gpu/none.c.
find_program(TENON_NVCC nvcc DOC "nvcc of CUDA 13")
if(NOT TENON_NVCC)
  message(FATAL_ERROR "TENON_CUDA needs nvcc 13: install CUDA, or the packages of cmake/cuda-requirements.txt, and give -DTENON_NVCC=FILE")
endif()
get_filename_component(TENON_CUDA_HOME ${TENON_NVCC} REALPATH)
get_filename_component(TENON_CUDA_HOME ${TENON_CUDA_HOME} DIRECTORY)
find_library(TENON_CUDART NAMES libcudart_static.a HINTS ${TENON_CUDA_HOME}/.. PATH_SUFFIXES lib lib64 REQUIRED)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(cmake/gpu_sources.cmake)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/nvcc_flags.txt TENON_NVCC_FLAGS)
set(TENON_GPU_OBJECTS)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/gpu/batch ${PROJECT_BINARY_DIR}/gpu/chip)
foreach(name ${TENON_GPU_FILES})
  set(object ${PROJECT_BINARY_DIR}/gpu/${name}.o)
  add_custom_command(OUTPUT ${object} VERBATIM
    COMMAND ${TENON_NVCC} ${TENON_NVCC_FLAGS} ${TENON_GPU_INCLUDES} -c ${TENON_GPU_FOLDER}/${name}.cu -o ${object}
    DEPENDS ${TENON_GPU_DEPENDS} COMMENT "nvcc ${name}.cu")
  list(APPEND TENON_GPU_OBJECTS ${object})
endforeach()
set(TENON_GPU_LIBRARIES ${TENON_CUDART} stdc++ rt ${CMAKE_DL_LIBS})
