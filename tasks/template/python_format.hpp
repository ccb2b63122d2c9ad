// Python's formatting operator: "%s has %d" % (name, count).
#pragma once

#include <string>
#include <string_view>

#include "tasks/template/value.hpp"

namespace yardstick::tasks::jinja {

/// Conversions %s %r %d %i %u %x %X %o %e %f %g (and capitals) %c %%, with flags, width and
/// precision, and %(name)s of a dict. @throws Fault for another one, and where arguments lack or
/// are left.
[[nodiscard]] std::string percent_format(std::string_view format, const Value& arguments);

}  // namespace yardstick::tasks::jinja
