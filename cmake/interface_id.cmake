# cmake -DSOURCE=... -DOUTPUT=... -DBUILD=... -P interface_id.cmake
# Writes the id of the interface between the program and its backend library: a hash of every header
# that both see, and of how they are compiled. Two builds with one id may meet; others refuse.
file(GLOB_RECURSE headers RELATIVE ${SOURCE} ${SOURCE}/core/*.hpp ${SOURCE}/models/*.hpp)
list(SORT headers)
set(hashes "${BUILD}")
foreach(header IN LISTS headers)
  file(SHA256 ${SOURCE}/${header} hash)
  string(APPEND hashes "\n${header} ${hash}")
endforeach()
string(SHA256 id "${hashes}")
string(SUBSTRING ${id} 0 16 id)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// Made by cmake/interface_id.cmake.
#pragma once

namespace yardstick::models {

inline constexpr const char* kInterfaceId = "@id@";

}  // namespace yardstick::models
]] @ONLY)
