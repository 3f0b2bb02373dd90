# The CUDA compiler, for the cuda backend alone.
find_program(NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_PATH PATH_SUFFIXES bin)
if(NVCC AND NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${NVCC})
endif()
if(CCACHE)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
set(CMAKE_CUDA_ARCHITECTURES OFF)  # named per target: see src/backend/cuda
enable_language(CUDA)
find_package(CUDAToolkit 13 REQUIRED)
