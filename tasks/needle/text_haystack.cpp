#include "tasks/needle/text_haystack.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/home_path.hpp"
#include "tasks/data/compressed.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/data/text_file.hpp"

namespace yardstick::tasks {
namespace {

void append(std::string& text, std::string_view more) {
  if (!text.empty()) text += "\n\n";
  text += more;
}

std::string read_texts_of_lines(const std::filesystem::path& file) {
  std::string text;
  for_each_json_line(file, [&](std::int64_t line, nlohmann::ordered_json&& object) {
    const auto found = object.find("text");
    if (found == object.end() || !found->is_string()) {
      throw Error(ErrorKind::kData, fmt::format("{}:{}: has no field 'text' that is a text; a "
                                                "haystack's lines are {{\"text\": ...}}",
                                                file.string(), line));
    }
    append(text, found->get_ref<const std::string&>());
    return Proceed::kNext;
  });
  return text;
}

}  // namespace

TextHaystack::TextHaystack(std::string text, std::string_view name)
    : text_(std::move(text)), words_(split_words(text_, name)) {
  starts_.push_back(0);
  for (std::size_t i = 1; i < words_.size(); ++i) {
    if (words_[i - 1].end == Unit::End::kBoundary) starts_.push_back(static_cast<std::int64_t>(i));
  }
}

std::int64_t TextHaystack::random_start(Random& random) const {
  return starts_[random.below(starts_.size())];
}

UnitRun TextHaystack::run(const TextCodec& codec, std::int64_t start) const {
  return repeat_units(codec, words_, start);
}

UnitRun repeat_units(const TextCodec& codec, const std::vector<Unit>& units, std::int64_t start) {
  return {codec, [&units, start](std::int64_t i) {
            return units[static_cast<std::size_t>(start + i) % units.size()];
          }};
}

std::string read_haystack_text(Fields& fields, std::string_view key,
                               const std::filesystem::path& base) {
  std::string text;
  for (const std::string& name : fields.texts(key)) {
    const std::filesystem::path file = path_from(base, name);
    if (!std::filesystem::is_regular_file(file)) {
      throw fields.error(key, fmt::format("there is no file '{}'", file.string()));
    }
    const bool is_lines = inflated_name(file).extension() == ".jsonl";
    append(text, is_lines ? read_texts_of_lines(file) : read_text_file(file));
  }
  return text;
}

}  // namespace yardstick::tasks
