#include "tasks/data/documents.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/data/text_file.hpp"
#include "tasks/data/token_file.hpp"

namespace yardstick::tasks {
namespace {

constexpr const char* kTextId = "text";

// Takes documents in order until the budget is used up.
class Collector {
 public:
  Collector(const DataSource& source, DocumentJoin join, const TextCodec& codec,
            std::optional<std::int64_t> max_tokens)
      : source_(source), join_(join), codec_(codec), max_tokens_(max_tokens) {}

  Proceed add(Document document) {
    if (join_ == DocumentJoin::kJoined && document.tokens.empty()) {
      left_out_.push_back(std::move(document.id));
      return Proceed::kNext;
    }
    if (join_ == DocumentJoin::kJoined && !documents_.empty()) {
      append_separator();
      append(document);
    } else {
      if (join_ == DocumentJoin::kJoined) {
        document.id = "stream";
        document.offsets.clear();
      }
      total_ += static_cast<std::int64_t>(document.tokens.size());
      documents_.push_back(std::move(document));
    }
    return cut_to_budget();
  }

  Documents take() { return {.read = std::move(documents_), .left_out = std::move(left_out_)}; }

 private:
  void append_separator() {
    const std::optional<TokenId> end = codec_.end_of_text();
    if (!end) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: holds several documents, and the tokenizer declares no "
                              "end-of-text token to join them with; set `documents: separate`",
                              source_.path.string()));
    }
    Document& stream = documents_.front();
    stream.tokens.push_back(*end);
    if (!stream.bytes.empty()) {  // the stream is of texts
      stream.bytes.push_back(0);
      stream.words.push_back(0);
    }
    ++total_;
  }

  void append(const Document& document) {
    Document& stream = documents_.front();
    stream.tokens.insert(stream.tokens.end(), document.tokens.begin(), document.tokens.end());
    stream.bytes.insert(stream.bytes.end(), document.bytes.begin(), document.bytes.end());
    stream.words.insert(stream.words.end(), document.words.begin(), document.words.end());
    total_ += static_cast<std::int64_t>(document.tokens.size());
  }

  Proceed cut_to_budget() {
    if (!max_tokens_ || total_ < *max_tokens_) return Proceed::kNext;
    Document& last = documents_.back();
    const auto surplus = static_cast<std::size_t>(total_ - *max_tokens_);
    last.tokens.resize(last.tokens.size() - surplus);
    for (auto* const counts : {&last.bytes, &last.words})
      if (!counts->empty()) counts->resize(last.tokens.size());
    if (!last.offsets.empty()) last.offsets.resize(last.tokens.size());
    total_ = *max_tokens_;
    return Proceed::kStop;
  }

  const DataSource& source_;
  DocumentJoin join_;
  const TextCodec& codec_;
  std::optional<std::int64_t> max_tokens_;
  std::vector<Document> documents_;
  std::vector<std::string> left_out_;
  std::int64_t total_ = 0;
};

/// Adds the words to the tokens that they begin in. One that begins where no token is (a character
/// that the tokenizer drops) goes to the next token, or to the last.
void add_words(Document& document, std::span<const TokenSpan> spans, std::string_view text) {
  document.words.assign(spans.size(), 0);
  if (spans.empty()) return;
  std::size_t token = 0;
  for (const std::int64_t begin : word_begins(text)) {
    while (token + 1 < spans.size() && spans[token].end <= begin) ++token;
    ++document.words[token];
  }
}

Document encode_document(std::string id, std::string_view text, const TextCodec& codec,
                         SpecialTexts specials) {
  const std::vector<TokenSpan> spans =
      specials == SpecialTexts::kPlain ? codec.encode_plain_spans(text) : codec.encode_spans(text);
  Document document;
  document.id = std::move(id);
  document.tokens.reserve(spans.size());
  document.bytes.reserve(spans.size());
  document.offsets.reserve(spans.size());
  for (const TokenSpan& span : spans) {
    document.tokens.push_back(span.id);
    document.bytes.push_back(static_cast<std::int32_t>(span.end - span.begin));
    document.offsets.push_back(span.begin);
  }
  add_words(document, spans, text);
  return document;
}

std::string line_id(std::int64_t line) { return fmt::format("line-{}", line); }

/// The text under `field` of a line's object.
const std::string& text_of(const nlohmann::ordered_json& object, const std::string& field,
                           const DataSource& source, std::int64_t line) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_string()) {
    throw Error(ErrorKind::kData,
                fmt::format("{}:{}: the object has no text under '{}'; name the right key with "
                            "`data: {{field: ...}}`",
                            source.path.string(), line, field));
  }
  return found->get_ref<const std::string&>();
}

void add_json_lines(const DataSource& source, const TextCodec& codec, SpecialTexts specials,
                    Collector& collector) {
  for_each_json_line(source.path, [&](std::int64_t line, nlohmann::ordered_json&& object) {
    return collector.add(encode_document(line_id(line), text_of(object, source.field, source, line),
                                         codec, specials));
  });
}

}  // namespace

Documents read_documents(const DataSource& source, DocumentJoin join, const TextCodec& codec,
                         std::optional<std::int64_t> max_tokens, SpecialTexts specials) {
  Collector collector(source, join, codec, max_tokens);
  if (source.format == DataFormat::kJsonl) {
    add_json_lines(source, codec, specials, collector);
  } else if (source.format == DataFormat::kText) {
    static_cast<void>(
        collector.add(encode_document(kTextId, read_text_file(source.path), codec, specials)));
  } else {
    const TokenLimits limits{.vocabulary = codec.vocabulary_size(), .max_tokens = max_tokens};
    std::int64_t number = 0;
    for (std::vector<TokenId>& ids : read_token_file(source, limits)) {
      Document document;
      document.id = fmt::format("array-{}", number++);
      document.tokens = std::move(ids);
      if (collector.add(std::move(document)) == Proceed::kStop) break;
    }
  }
  return collector.take();
}

std::map<std::string, TextCounts> count_texts(const DataSource& source, const std::string& field) {
  std::map<std::string, TextCounts> counts;
  if (source.format == DataFormat::kText) {
    counts.emplace(kTextId, count_text(read_text_file(source.path)));
  } else if (source.format == DataFormat::kJsonl) {
    for_each_json_line(source.path, [&](std::int64_t line, nlohmann::ordered_json&& object) {
      counts.emplace(line_id(line), count_text(text_of(object, field, source, line)));
      return Proceed::kNext;
    });
  }
  return counts;
}

}  // namespace yardstick::tasks
