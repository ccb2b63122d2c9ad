#include "models/tokenizer/sentencepiece_text.hpp"

#include <optional>
#include <string_view>

#include "core/text.hpp"
#include "models/tokenizer/byte_fallback.hpp"
#include "models/tokenizer/prefix_trie.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

constexpr std::string_view kMarker = "\u2581";
constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

class TextNormalizer final : public NormalizerStep {
 public:
  explicit TextNormalizer(const SentencePieceText& options)
      : prepend_(options.prepend), spaces_(options.spaces) {
    if (!options.character_map.empty()) map_.emplace(options.character_map);
    for (const std::string& text : options.user_defined)
      static_cast<void>(user_defined_.insert(text, 0));
  }

  void apply(AlignedText& aligned) const override {
    const std::string_view text = aligned.text();
    AlignedEdit edit(aligned);
    const bool trims = spaces_ == SentencePieceText::Spaces::kTrim;
    std::size_t at = 0;
    while (trims && at < text.size()) {
      const Step step = next(text, at);
      if (step.content != " ") break;
      at += step.length_bytes;
    }
    if (at < text.size()) {
      const bool wanted = prepend_ == Metaspace::Prepend::kAlways ||
                          (prepend_ == Metaspace::Prepend::kFirst && aligned.source_at(0) == 0);
      if (wanted) edit.replace(at, at, kMarker);
    }
    bool behind_space = trims;
    while (at < text.size()) {
      const Step step = next(text, at);
      std::string_view content = step.content;
      while (behind_space && content.starts_with(' ')) content.remove_prefix(1);
      write(edit, at, step, content);
      if (!content.empty()) behind_space = trims && content.ends_with(' ');
      at += step.length_bytes;
    }
    std::size_t size = edit.size();
    while (trims && edit.written().substr(0, size).ends_with(kMarker)) size -= kMarker.size();
    edit.shorten(size);
    edit.finish();
  }

 private:
  struct Step {
    std::size_t length_bytes = 0;
    std::string_view content;
  };

  Step next(std::string_view text, std::size_t at) const {
    std::size_t end = at;
    user_defined_.prefixes(text, at, [&](std::size_t found, std::int32_t) { end = found; });
    if (end != at) return {end - at, text.substr(at, end - at)};
    if (map_) {
      if (const auto rule = map_->longest(text.substr(at)))
        return {rule->length_bytes, rule->replacement};
    }
    const std::size_t length = code_point_at(text, at).length_bytes;
    return {length, text.substr(at, length)};
  }

  static void write(AlignedEdit& edit, std::size_t at, const Step& step, std::string_view content) {
    const std::size_t end = at + step.length_bytes;
    if (content.find(' ') == std::string_view::npos) return edit.replace(at, end, content);
    std::string escaped;
    for (const char c : content) {
      if (c == ' ') {
        escaped += kMarker;
      } else {
        escaped += c;
      }
    }
    edit.replace(at, end, escaped);
  }

  std::optional<CharacterMap> map_;
  PrefixTrie user_defined_;
  Metaspace::Prepend prepend_;
  SentencePieceText::Spaces spaces_;
};

class TextDecoder final : public DecoderStep {
 public:
  explicit TextDecoder(const SentencePieceText& options)
      : trims_(options.spaces == SentencePieceText::Spaces::kTrim),
        has_prefix_(trims_ || options.prepend != Metaspace::Prepend::kNever) {}

  void apply(std::vector<std::string>& tokens, std::size_t /*most_bytes*/) const override {
    std::string out;
    std::string bytes;
    bool prefix_taken = !has_prefix_;
    for (const std::string& token : tokens) {
      if (const std::optional<char> byte = fallback_byte(token)) {
        bytes += *byte;
        continue;
      }
      add_characters(bytes, out);
      std::string_view rest = token;
      if (!prefix_taken && out.empty() && rest.starts_with(kMarker)) {
        rest.remove_prefix(kMarker.size());
        prefix_taken = !trims_;
      }
      add_with_spaces(rest, out);
    }
    add_characters(bytes, out);
    tokens = {std::move(out)};
  }

 private:
  // Characters that the bytes spell; bytes that spell none are one U+FFFD each.
  static void add_characters(std::string& bytes, std::string& out) {
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const std::size_t good = find_invalid_utf8(rest).value_or(rest.size());
      out += rest.substr(0, good);
      rest.remove_prefix(good);
      if (rest.empty()) break;
      out += kReplacementCharacter;
      rest.remove_prefix(1);
    }
    bytes.clear();
  }

  static void add_with_spaces(std::string_view text, std::string& out) {
    for (std::size_t at = text.find(kMarker); at != std::string_view::npos;
         at = text.find(kMarker)) {
      out += text.substr(0, at);
      out += ' ';
      text.remove_prefix(at + kMarker.size());
    }
    out += text;
  }

  bool trims_;
  bool has_prefix_;
};

}  // namespace

std::unique_ptr<const NormalizerStep> sentencepiece_normalizer(const SentencePieceText& options) {
  return std::make_unique<TextNormalizer>(options);
}

std::unique_ptr<const DecoderStep> sentencepiece_decoder(const SentencePieceText& options) {
  return std::make_unique<TextDecoder>(options);
}

}  // namespace yardstick::tokenizer
