#include "models/tokenizer/post_processor.hpp"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "models/tokenizer/component.hpp"

namespace yardstick::tokenizer {
namespace {

using Ids = std::vector<TokenId>;

class TemplateReader {
 public:
  TemplateReader(Component& component, const Vocabulary& vocabulary)
      : fields_(component.fields()), vocabulary_(vocabulary) {}

  Tokenizer::Specials read() {
    for (const auto& [name, pointer] : fields_.members("special_tokens"))
      ids_.emplace(name, read_special(pointer));
    static_cast<void>(fields_.has("pair"));  // for pairs of texts, which nothing here encodes
    Tokenizer::Specials out;
    int texts = 0;
    for (const std::string& pointer : fields_.elements("single")) {
      Fields piece(fields_.located(), pointer, "a piece of the template");
      const bool is_text = piece.has("Sequence");
      const bool is_token = piece.has("SpecialToken");
      if (is_text == is_token)
        throw fields_.error("single", "a piece is neither \"Sequence\" nor \"SpecialToken\"");
      piece.finish();
      if (is_text) {
        ++texts;
        continue;
      }
      Ids& side = texts == 0 ? out.before : out.behind;
      const Ids& ids = ids_of(piece.pointer("SpecialToken"));
      side.insert(side.end(), ids.begin(), ids.end());
    }
    if (texts != 1)
      throw fields_.error("single", fmt::format("found the text {} times, expected once", texts));
    fields_.finish();
    return out;
  }

 private:
  Ids read_special(const std::string& pointer) {
    Fields special(fields_.located(), pointer, "a special token of the template");
    static_cast<void>(special.text("id"));
    static_cast<void>(special.texts("tokens"));
    Ids out;
    for (const nlohmann::json& id : special.raw("ids")) {
      const bool known = id.is_number_integer() && id.get<std::int64_t>() >= 0 &&
                         id.get<std::int64_t>() < vocabulary_.size() &&
                         vocabulary_.text_of(id.get<TokenId>()) != nullptr;
      if (!known) throw special.error("ids", fmt::format("no token has the id {}", id.dump()));
      out.push_back(id.get<TokenId>());
    }
    special.finish();
    return out;
  }

  const Ids& ids_of(const std::string& pointer) {
    Fields token(fields_.located(), pointer, "a special token of the template");
    const std::string name = token.text("id");
    static_cast<void>(token.optional_integer("type_id", 0, 1 << 20));
    token.finish();
    const auto it = ids_.find(name);
    if (it == ids_.end())
      throw token.error("id", fmt::format("'{}' is not in special_tokens", name));
    return it->second;
  }

  Fields& fields_;
  const Vocabulary& vocabulary_;
  std::map<std::string, Ids> ids_;
};

void wrap(Tokenizer::Specials& inner, const Tokenizer::Specials& outer) {
  inner.before.insert(inner.before.begin(), outer.before.begin(), outer.before.end());
  inner.behind.insert(inner.behind.end(), outer.behind.begin(), outer.behind.end());
}

}  // namespace

Tokenizer::Specials read_post_processor(const Located& file, const std::string& pointer,
                                        const Vocabulary& vocabulary) {
  Component component(file, pointer, "post-processor");
  if (component.type() == "TemplateProcessing") return TemplateReader(component, vocabulary).read();
  Tokenizer::Specials out;
  if (component.type() == "Sequence") {
    for (const std::string& element : component.fields().elements("processors"))
      wrap(out, read_post_processor(file, element, vocabulary));
  } else if (component.type() == "ByteLevel") {  // changes offsets only, no ids
    static_cast<void>(component.flag("add_prefix_space", true));
    static_cast<void>(component.flag("trim_offsets", true));
    static_cast<void>(component.flag("use_regex", true));
  } else {
    component.refuse_type("TemplateProcessing, ByteLevel and Sequence");
  }
  component.fields().finish();
  return out;
}

}  // namespace yardstick::tokenizer
