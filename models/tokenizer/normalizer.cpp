#include "models/tokenizer/normalizer.hpp"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/tokenizer/base64.hpp"
#include "models/tokenizer/component.hpp"
#include "models/tokenizer/precompiled.hpp"
#include "models/tokenizer/regex.hpp"
#include "models/tokenizer/unicode_form.hpp"

namespace yardstick::tokenizer {
namespace {

constexpr std::string_view kSupported =
    "NFC, NFD, NFKC, NFKD, Prepend, Replace, Strip, Precompiled and Sequence";

class UnicodeFormStep final : public NormalizerStep {
 public:
  explicit UnicodeFormStep(UnicodeForm form) : form_(form) {}
  void apply(AlignedText& text) const override { apply_unicode_form(form_, text); }

 private:
  UnicodeForm form_;
};

class PrependStep final : public NormalizerStep {
 public:
  explicit PrependStep(std::string content) : content_(std::move(content)) {}

  void apply(AlignedText& text) const override {
    if (text.text().empty()) return;
    AlignedEdit edit(text);
    edit.replace(0, 0, content_);
    edit.keep(0, text.text().size());
    edit.finish();
  }

 private:
  std::string content_;
};

class ReplaceStep final : public NormalizerStep {
 public:
  ReplaceStep(const std::string& pattern, std::string content)
      : regex_(pattern), content_(std::move(content)) {}

  void apply(AlignedText& text) const override {
    RegexSearch search(regex_);
    std::vector<Stretch> stretches;
    search.partition(text.text(), stretches);
    AlignedEdit edit(text);
    for (const Stretch& stretch : stretches) {
      if (stretch.kind == Stretch::Kind::kGap) {
        edit.keep(stretch.begin, stretch.end);
      } else {
        edit.replace(stretch.begin, stretch.end, content_);
      }
    }
    edit.finish();
  }

 private:
  Regex regex_;
  std::string content_;
};

std::optional<UnicodeForm> form_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, UnicodeForm>, 4> kForms = {
      {{"NFC", UnicodeForm::kNfc},
       {"NFD", UnicodeForm::kNfd},
       {"NFKC", UnicodeForm::kNfkc},
       {"NFKD", UnicodeForm::kNfkd}}};
  for (const auto& [word, form] : kForms) {
    if (word == name) return form;
  }
  return std::nullopt;
}

// White space at the beginning or end of the whole text.
std::unique_ptr<const NormalizerStep> remove_space(const char* pattern) {
  return std::make_unique<ReplaceStep>(fmt::format(fmt::runtime(pattern), kWhiteSpace), "");
}

std::unique_ptr<const NormalizerStep> read_precompiled(Fields& fields) {
  const std::optional<std::string> bytes = decode_base64(fields.text("precompiled_charsmap"));
  if (!bytes) throw fields.error("precompiled_charsmap", "is no base64");
  try {
    return precompiled_normalizer(*bytes);
  } catch (const Error& error) {
    throw fields.error("precompiled_charsmap", error.what());
  }
}

void read_into(const Located& file, const std::string& pointer, Normalizer& out) {
  Component component(file, pointer, "normalizer");
  Fields& fields = component.fields();
  if (const std::optional<UnicodeForm> form = form_named(component.type())) {
    out.push_back(std::make_unique<UnicodeFormStep>(*form));
  } else if (component.type() == "Prepend") {
    out.push_back(std::make_unique<PrependStep>(fields.text("prepend")));
  } else if (component.type() == "Replace") {
    const std::string pattern = component.pattern();
    out.push_back(std::make_unique<ReplaceStep>(pattern, fields.text("content")));
  } else if (component.type() == "Strip") {
    if (component.flag("strip_left", true)) out.push_back(remove_space("\\A{}+"));
    if (component.flag("strip_right", true)) out.push_back(remove_space("{}+\\z"));
  } else if (component.type() == "Precompiled") {
    out.push_back(read_precompiled(fields));
  } else if (component.type() == "Sequence") {
    for (const std::string& element : fields.elements("normalizers")) read_into(file, element, out);
  } else {
    component.refuse_type(kSupported);
  }
  fields.finish();
}

}  // namespace

Normalizer read_normalizer(const Located& file, const std::string& pointer) {
  Normalizer out;
  read_into(file, pointer, out);
  return out;
}

void normalize(const Normalizer& normalizer, AlignedText& text) {
  for (const auto& step : normalizer) step->apply(text);
}

}  // namespace yardstick::tokenizer
