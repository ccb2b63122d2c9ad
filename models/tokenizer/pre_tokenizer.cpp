#include "models/tokenizer/pre_tokenizer.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/tokenizer/component.hpp"
#include "models/tokenizer/metaspace.hpp"
#include "models/tokenizer/regex.hpp"
#include "models/tokenizer/splitter.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

constexpr std::string_view kSupported =
    "ByteLevel, Split, Digits, Metaspace, Whitespace, WhitespaceSplit and Sequence";

// GPT-2's split, as ByteLevel applies it.
constexpr std::string_view kByteLevelPattern =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

class SplitStep final : public PreTokenizerStep {
 public:
  explicit SplitStep(Splitter splitter) : splitter_(std::move(splitter)) {}
  void apply(Pieces& pieces) const override { splitter_.apply(pieces); }

 private:
  Splitter splitter_;
};

// Rewrites every part that is not an added token, and moves the borders along.
template <typename Rewrite>
void rewrite_parts(Pieces& pieces, const Rewrite& rewrite) {
  AlignedEdit edit(pieces.text);
  std::size_t done = 0;
  for (Piece& part : pieces.parts) {
    edit.keep(done, part.begin);
    done = part.end;
    const std::size_t begin = edit.size();
    if (part.token) {
      edit.keep(part.begin, part.end);
    } else {
      rewrite(edit, part);
    }
    part.begin = begin;
    part.end = edit.size();
  }
  edit.keep(done, pieces.text.text().size());
  edit.finish();
}

// ByteLevel's add_prefix_space: a space in front of every part that does not begin with one.
class PrefixSpaceStep final : public PreTokenizerStep {
 public:
  void apply(Pieces& pieces) const override {
    rewrite_parts(pieces, [&](AlignedEdit& edit, const Piece& part) {
      if (pieces.text.text()[part.begin] != ' ') edit.replace(part.begin, part.begin, " ");
      edit.keep(part.begin, part.end);
    });
  }
};

// Metaspace without its split: spaces become the replacement, and one may be put in front.
class MetaspaceStep final : public PreTokenizerStep {
 public:
  explicit MetaspaceStep(Metaspace options) : options_(std::move(options)) {}

  void apply(Pieces& pieces) const override {
    rewrite_parts(pieces,
                  [&](AlignedEdit& edit, const Piece& part) { rewrite(pieces.text, edit, part); });
  }

 private:
  void rewrite(const AlignedText& aligned, AlignedEdit& edit, const Piece& part) const {
    const std::string_view text = aligned.text().substr(0, part.end);
    const bool has_one =
        text[part.begin] == ' ' || text.substr(part.begin).starts_with(options_.replacement);
    const bool wanted =
        options_.prepend == Metaspace::Prepend::kAlways ||
        (options_.prepend == Metaspace::Prepend::kFirst && aligned.source_at(part.begin) == 0);
    if (wanted && !has_one) edit.replace(part.begin, part.begin, options_.replacement);
    std::size_t done = part.begin;
    for (std::size_t at = text.find(' ', done); at != std::string_view::npos;
         at = text.find(' ', done)) {
      edit.keep(done, at);
      edit.replace(at, at + 1, options_.replacement);
      done = at + 1;
    }
    edit.keep(done, part.end);
  }

  Metaspace options_;
};

class Reader {
 public:
  explicit Reader(const Located& file) : file_(file) {}

  void read(const std::string& pointer) {
    Component component(file_, pointer, "pre-tokenizer");
    if (out_.input == ModelInput::kBytes) {
      component.refuse_option("type",
                              "stands behind ByteLevel, which is supported only as the "
                              "last pre-tokenizer");
    }
    const std::string& type = component.type();
    if (type == "Sequence") return read_sequence(component);
    if (type == "ByteLevel") return read_byte_level(component);
    if (type == "Split") return read_split(component);
    if (type == "Digits") return read_digits(component);
    if (type == "Metaspace") return read_metaspace_steps(component);
    if (type == "Whitespace") {
      component.fields().finish();
      return add_split(fmt::format("[{0}]+|[^{0}{1}]+", kWordCharacters, kWhiteSpace),
                       SplitBehavior::kRemoved, SplitOn::kGaps);
    }
    if (type == "WhitespaceSplit") {
      component.fields().finish();
      return add_split(std::string(kWhiteSpace), SplitBehavior::kRemoved, SplitOn::kMatches);
    }
    component.refuse_type(kSupported);
  }

  PreTokenizer take() { return std::move(out_); }

 private:
  void add_split(const std::string& pattern, SplitBehavior behavior, SplitOn on) {
    out_.steps.push_back(std::make_unique<SplitStep>(Splitter(pattern, behavior, on)));
  }

  void read_sequence(Component& component) {
    const std::vector<std::string> elements = component.fields().elements("pretokenizers");
    component.fields().finish();
    for (const std::string& element : elements) read(element);
  }

  void read_byte_level(Component& component) {
    const bool prefix = component.flag("add_prefix_space", true);
    const bool use_regex = component.flag("use_regex", true);
    static_cast<void>(component.flag("trim_offsets", true));  // moves offsets only, not ids
    component.fields().finish();
    if (prefix) out_.steps.push_back(std::make_unique<PrefixSpaceStep>());
    if (use_regex)
      add_split(translate_pattern(kByteLevelPattern), SplitBehavior::kIsolated, SplitOn::kMatches);
    out_.input = ModelInput::kBytes;
  }

  void read_split(Component& component) {
    static constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kBehaviors = {
        {{"Removed", SplitBehavior::kRemoved},
         {"Isolated", SplitBehavior::kIsolated},
         {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
         {"MergedWithNext", SplitBehavior::kMergedWithNext},
         {"Contiguous", SplitBehavior::kContiguous}}};
    const std::string pattern = component.pattern();
    Fields& fields = component.fields();
    if (!fields.has("behavior")) static_cast<void>(fields.text("behavior"));  // throws
    const auto behavior =
        fields.choice<SplitBehavior>("behavior", SplitBehavior::kIsolated, kBehaviors);
    const SplitOn on = component.flag("invert", false) ? SplitOn::kGaps : SplitOn::kMatches;
    fields.finish();
    add_split(pattern, behavior, on);
  }

  void read_digits(Component& component) {
    const bool individual = component.flag("individual_digits", false);
    component.fields().finish();
    add_split("\\p{N}", individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous,
              SplitOn::kMatches);
  }

  void read_metaspace_steps(Component& component) {
    const Metaspace options = read_metaspace(component);
    out_.steps.push_back(std::make_unique<MetaspaceStep>(options));
    if (options.split == Metaspace::Split::kYes) {
      add_split(quote_pattern(options.replacement), SplitBehavior::kMergedWithNext,
                SplitOn::kMatches);
    }
  }

  const Located& file_;
  PreTokenizer out_;
};

}  // namespace

PreTokenizer read_pre_tokenizer(const Located& file, const std::string& pointer) {
  Reader reader(file);
  reader.read(pointer);
  return reader.take();
}

}  // namespace yardstick::tokenizer
