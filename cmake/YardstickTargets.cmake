# Targets: one library a folder, warnings and sanitizers from interface targets, nothing global.
# Missing field initialisers are the point of designated ones, so that warning is off; g++ 12's
# -Wrestrict, -Wmaybe-uninitialized, -Wstringop-overflow and -Warray-bounds misfire inside its own string
# and regex (GCC bug 105651).

add_library(yardstick_warnings INTERFACE)
target_compile_options(yardstick_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wno-missing-field-initializers
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized;-Wno-stringop-overflow;-Wno-array-bounds>" $<$<BOOL:${YARDSTICK_WERROR}>:-Werror>)

# Release builds read untrusted files: what the compiler and linker can check at run time, they do.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT YARDSTICK_SANITIZE)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong)
  add_link_options(-Wl,-z,relro,-z,now)
endif()

add_library(yardstick_sanitizers INTERFACE)
if(YARDSTICK_SANITIZE)
  list(JOIN YARDSTICK_SANITIZE "," yardstick_sanitize_list)
  target_compile_options(yardstick_sanitizers INTERFACE
    -fsanitize=${yardstick_sanitize_list} -fno-omit-frame-pointer)
  target_link_options(yardstick_sanitizers INTERFACE -fsanitize=${yardstick_sanitize_list})
endif()

include(${CMAKE_CURRENT_LIST_DIR}/CommonHeaders.cmake)

# yardstick_library(NAME SOURCES a.cpp ... [PUBLIC lib ...] [PRIVATE lib ...] [OWN_FLAGS])
# makes the static library yardstick_NAME with the alias yardstick::NAME. OWN_FLAGS: it is compiled
# with flags of its own, so the common headers do not fit.
function(yardstick_library name)
  cmake_parse_arguments(arg "OWN_FLAGS" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(yardstick_${name} STATIC ${arg_SOURCES})
  add_library(yardstick::${name} ALIAS yardstick_${name})
  target_include_directories(yardstick_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(yardstick_${name}
    PUBLIC ${arg_PUBLIC} yardstick_sanitizers
    PRIVATE ${arg_PRIVATE} fmt::fmt yardstick_warnings)
  if(NOT arg_OWN_FLAGS)
    yardstick_headers_of(headers ${arg_PUBLIC})
    target_precompile_headers(yardstick_${name} REUSE_FROM yardstick_headers_${headers})
  endif()
endfunction()

# The instruction sets and layouts beside this machine's own, which tests of the CPU's loops run in too.
set(yardstick_other_isas "")
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo yardstick_cpu_flags REGEX "^flags" LIMIT_COUNT 1)
  if(yardstick_cpu_flags MATCHES " avx2 ")
    list(APPEND yardstick_other_isas portable avx2-wide)
  endif()
  if(yardstick_cpu_flags MATCHES " avx512vl ")
    list(APPEND yardstick_other_isas avx2)
  endif()
endif()

# yardstick_test(ROOM SOURCES a_test.cpp ... LIBS lib ... [WHOLE [EACH_ISA]])
# makes one test program yardstick_ROOM_test. Its cases become ctest tests of their own, or one test
# with WHOLE, for programs whose start (LibTorch) costs more than their cases. With EACH_ISA it runs
# once more in each other instruction set of the machine (YARDSTICK_ISA). Labels follow the room.
# Tests run in the source folder, and find the shared reference data through YARDSTICK_SHARED
# (../shared by default).
function(yardstick_test room)
  cmake_parse_arguments(arg "WHOLE;EACH_ISA" "" "SOURCES;LIBS" ${ARGN})
  set(target yardstick_${room}_test)
  add_executable(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main
    yardstick_warnings yardstick_sanitizers)
  yardstick_headers_of(headers ${arg_LIBS})
  target_precompile_headers(${target} REUSE_FROM yardstick_headers_${headers}_test)
  # A quarter less to compile than at -O3; what is tested is built as it is used.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(arg_WHOLE)
    add_test(NAME ${room} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${room} PROPERTIES LABELS ${room})
    if(arg_EACH_ISA)
      foreach(isa IN LISTS yardstick_other_isas)
        add_test(NAME ${room}.${isa} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(${room}.${isa} PROPERTIES
          LABELS "${room};isa" ENVIRONMENT YARDSTICK_ISA=${isa})
      endforeach()
    endif()
  else()
    gtest_discover_tests(${target} TEST_PREFIX "${room}." WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      PROPERTIES LABELS ${room} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
