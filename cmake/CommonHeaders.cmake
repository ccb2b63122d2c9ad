# The headers that nearly every source reads, read once: parsing them is half of what a source costs.
# A source still names what it uses; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without. One set of
# headers for each way of compiling, since the compiler takes them only with the flags they were
# read with.
set(yardstick_standard_headers
  <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory> <optional> <ranges> <span>
  <string> <string_view> <unordered_map> <utility> <variant> <vector> <nlohmann/json.hpp>)

# yardstick_headers(NAME STATIC|EXECUTABLE HEADERS <a> ... LIBS lib ...)
function(yardstick_headers name form)
  cmake_parse_arguments(arg "" "" "HEADERS;LIBS" ${ARGN})
  set(target yardstick_headers_${name})
  set(source ${PROJECT_SOURCE_DIR}/cmake/common_headers.cpp)
  if(form STREQUAL "STATIC")
    add_library(${target} STATIC ${source})
  else()
    add_executable(${target} EXCLUDE_FROM_ALL ${source})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  target_link_libraries(${target} PRIVATE
    nlohmann_json::nlohmann_json ${arg_LIBS} yardstick_warnings yardstick_sanitizers)
  target_precompile_headers(${target} PRIVATE ${yardstick_standard_headers} ${arg_HEADERS})
endfunction()

yardstick_headers(plain STATIC HEADERS <fmt/format.h> LIBS fmt::fmt)
yardstick_headers(torch STATIC HEADERS <fmt/format.h> <ATen/core/Tensor.h>
  LIBS fmt::fmt yardstick::torch)
if(YARDSTICK_TESTS)
  yardstick_headers(plain_test EXECUTABLE HEADERS <gmock/gmock.h> <gtest/gtest.h> LIBS GTest::gmock)
  yardstick_headers(torch_test EXECUTABLE
    HEADERS <gmock/gmock.h> <gtest/gtest.h> <ATen/core/Tensor.h> LIBS GTest::gmock yardstick::torch)
endif()

# Which set of headers fits a target with these libraries: sets `result` to plain or torch.
function(yardstick_headers_of result)
  set(found plain)
  foreach(library IN LISTS ARGN)
    if(library MATCHES "^yardstick::(torch|attention|decoder|compute|trainer)$")
      set(found torch)
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
