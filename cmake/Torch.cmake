# LibTorch, any version from 1.13 on, as the target yardstick::torch (headers as SYSTEM, so that our
# warnings stay ours). A CUDA LibTorch stops configuration when no CUDA toolkit is there; look first
# and say it in words.
find_package(CUDAToolkit QUIET)
if(CUDAToolkit_FOUND AND TARGET CUDA::nvtx3 AND NOT TARGET CUDA::nvToolsExt)
  # LibTorch before about 2.8 asks for a target that newer toolkits no longer define.
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
  target_link_libraries(CUDA::nvToolsExt INTERFACE CUDA::nvtx3)
endif()
find_package(Torch QUIET)
yardstick_require(Torch_FOUND "LibTorch" "libtorch-dev, or configure with -DCMAKE_PREFIX_PATH=<libtorch folder>")
message(STATUS "LibTorch ${Torch_VERSION}")
add_library(yardstick_torch_deps INTERFACE)
add_library(yardstick::torch ALIAS yardstick_torch_deps)
target_link_libraries(yardstick_torch_deps INTERFACE ${TORCH_LIBRARIES})
target_include_directories(yardstick_torch_deps SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
separate_arguments(yardstick_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(yardstick_torch_deps INTERFACE ${yardstick_torch_flags})
