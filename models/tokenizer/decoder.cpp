#include "models/tokenizer/decoder.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "models/tokenizer/byte_fallback.hpp"
#include "models/tokenizer/byte_level.hpp"
#include "models/tokenizer/component.hpp"
#include "models/tokenizer/metaspace.hpp"
#include "models/tokenizer/regex.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

using Tokens = std::vector<std::string>;
constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Bytes of all tokens, joined and repaired: characters may be cut by token borders.
class ByteLevelStep final : public DecoderStep {
 public:
  void apply(Tokens& tokens, std::size_t /*most_bytes*/) const override {
    std::string bytes;
    for (const std::string& token : tokens) bytes += byte_level_bytes(token).value_or(token);
    tokens = {repair_utf8(bytes)};
  }
};

// Runs of <0xNN> become the characters they spell; a run that spells none, one U+FFFD a byte.
class ByteFallbackStep final : public DecoderStep {
 public:
  void apply(Tokens& tokens, std::size_t /*most_bytes*/) const override {
    Tokens out;
    std::string run;
    const auto flush = [&] {
      if (run.empty()) return;
      if (find_invalid_utf8(run)) {
        for (std::size_t i = 0; i < run.size(); ++i) out.emplace_back(kReplacementCharacter);
      } else {
        out.push_back(run);
      }
      run.clear();
    };
    for (std::string& token : tokens) {
      if (const std::optional<char> byte = fallback_byte(token)) {
        run += *byte;
      } else {
        flush();
        out.push_back(std::move(token));
      }
    }
    flush();
    tokens = std::move(out);
  }
};

class FuseStep final : public DecoderStep {
 public:
  void apply(Tokens& tokens, std::size_t /*most_bytes*/) const override {
    std::string all;
    for (const std::string& token : tokens) all += token;
    tokens = {std::move(all)};
  }
};

struct StripOptions {
  std::string content;  // one character
  std::size_t at_start = 0;
  std::size_t at_end = 0;
};

// Takes up to so many of one character off both ends of every token.
class StripStep final : public DecoderStep {
 public:
  explicit StripStep(StripOptions options) : options_(std::move(options)) {}

  void apply(Tokens& tokens, std::size_t /*most_bytes*/) const override {
    for (std::string& token : tokens) {
      std::string_view rest = token;
      for (std::size_t i = 0; i < options_.at_start && rest.starts_with(options_.content); ++i)
        rest.remove_prefix(options_.content.size());
      for (std::size_t i = 0; i < options_.at_end && rest.ends_with(options_.content); ++i)
        rest.remove_suffix(options_.content.size());
      token = std::string(rest);
    }
  }

 private:
  StripOptions options_;
};

class ReplaceTextStep final : public DecoderStep {
 public:
  ReplaceTextStep(const std::string& pattern, std::string content)
      : regex_(pattern), content_(std::move(content)) {}

  void apply(Tokens& tokens, std::size_t most_bytes) const override {
    RegexSearch search(regex_);
    std::vector<Stretch> stretches;
    std::size_t left = most_bytes;
    for (std::string& token : tokens) {
      stretches.clear();
      search.partition(token, stretches);
      std::string out;
      for (const Stretch& part : stretches) {
        const bool match = part.kind == Stretch::Kind::kMatch;
        const std::string_view added =
            match ? std::string_view(content_)
                  : std::string_view(token).substr(part.begin, part.end - part.begin);
        if (added.size() > left) {
          throw Error(ErrorKind::kData,
                      fmt::format("the tokenizer's decoder makes more than {} bytes of a text that "
                                  "is far shorter; is its file damaged?",
                                  most_bytes));
        }
        left -= added.size();
        out += added;
      }
      token = std::move(out);
    }
  }

 private:
  Regex regex_;
  std::string content_;
};

// The replacement character becomes a space, but nothing in the first token if one was put in front
// of the text.
class MetaspaceTextStep final : public DecoderStep {
 public:
  explicit MetaspaceTextStep(const Metaspace& options)
      : to_space_(quote_pattern(options.replacement), " "),
        to_nothing_(quote_pattern(options.replacement), ""),
        prepend_(options.prepend) {}

  void apply(Tokens& tokens, std::size_t most_bytes) const override {
    if (tokens.empty()) return;
    Tokens first = {std::move(tokens.front())};
    if (prepend_ != Metaspace::Prepend::kNever) {
      to_nothing_.apply(first, most_bytes);
    } else {
      to_space_.apply(first, most_bytes);
    }
    tokens.front().clear();
    to_space_.apply(tokens, most_bytes);
    tokens.front() = std::move(first.front());
  }

 private:
  ReplaceTextStep to_space_;
  ReplaceTextStep to_nothing_;
  Metaspace::Prepend prepend_;
};

std::unique_ptr<const DecoderStep> read_strip(Fields& fields) {
  constexpr std::int64_t kMost = 1 << 20;
  StripOptions options;
  options.content = fields.text("content");
  if (count_code_points(options.content) != 1)
    throw fields.error("content", "expected exactly one character");
  options.at_start = static_cast<std::size_t>(fields.integer("start", 0, kMost));
  options.at_end = static_cast<std::size_t>(fields.integer("stop", 0, kMost));
  return std::make_unique<StripStep>(std::move(options));
}

void read_into(const Located& file, const std::string& pointer, Decoder& out) {
  Component component(file, pointer, "decoder");
  Fields& fields = component.fields();
  const std::string& type = component.type();
  if (type == "Sequence") {
    for (const std::string& element : fields.elements("decoders")) read_into(file, element, out);
  } else if (type == "ByteLevel") {
    static_cast<void>(component.flag("add_prefix_space", true));  // has no effect on decoding
    static_cast<void>(component.flag("trim_offsets", true));
    static_cast<void>(component.flag("use_regex", true));
    out.steps.push_back(std::make_unique<ByteLevelStep>());
  } else if (type == "ByteFallback") {
    out.steps.push_back(std::make_unique<ByteFallbackStep>());
  } else if (type == "Fuse") {
    out.steps.push_back(std::make_unique<FuseStep>());
  } else if (type == "Strip") {
    out.steps.push_back(read_strip(fields));
  } else if (type == "Replace") {
    const std::string pattern = component.pattern();
    out.steps.push_back(std::make_unique<ReplaceTextStep>(pattern, fields.text("content")));
  } else if (type == "Metaspace") {
    out.steps.push_back(std::make_unique<MetaspaceTextStep>(read_metaspace(component)));
  } else {
    component.refuse_type("ByteLevel, ByteFallback, Fuse, Strip, Replace, Metaspace and Sequence");
  }
  fields.finish();
}

}  // namespace

Decoder read_decoder(const Located& file, const std::string& pointer) {
  Decoder out;
  read_into(file, pointer, out);
  return out;
}

}  // namespace yardstick::tokenizer
