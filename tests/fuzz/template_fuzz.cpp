// Any bytes as a template and, behind a zero byte, a document for it in JSON: a text, or one Error
// of the kind that says whose fault it is. The value of an expression, printed as Python does and
// read back, is the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "tasks/template/python_literal.hpp"
#include "tasks/template/template.hpp"

namespace {

using yardstick::Error;
using yardstick::ErrorKind;
using yardstick::tasks::Template;
using Json = nlohmann::ordered_json;

Json document_of(std::string_view text) {
  Json out = Json::parse(text, nullptr, false);
  if (!out.is_discarded()) return out;
  return {{"question", "Wh\u00e9n?"},
          {"n", 3},
          {"choices", {{"text", {"a", "b"}}, {"label", {"A", "B"}}}}};
}

void use(const Template& parsed, const Json& document) {
  try {
    static_cast<void>(parsed.render(document));
    if (!parsed.is_expression()) return;
    const Json value = parsed.evaluate(document);
    const auto read = yardstick::tasks::parse_python_literal(yardstick::tasks::python_repr(value));
    if (read && *read != value) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t border = std::min(bytes.find('\0'), bytes.size());
  static_cast<void>(yardstick::tasks::parse_python_literal(bytes.substr(0, border)));
  try {
    const Template parsed(std::string(bytes.substr(0, border)), "fuzz");
    use(parsed, document_of(bytes.substr(std::min(border + 1, bytes.size()))));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kConfig) std::abort();
  }
  return 0;
}
