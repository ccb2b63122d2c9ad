#include "tasks/needle/ruler/qa_data.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json.hpp"
#include "tasks/data/compressed.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/data/text_file.hpp"

namespace yardstick::tasks {
namespace {

using Json = nlohmann::ordered_json;

/// A question whose documents are texts yet.
struct RawQuestion {
  std::string question;
  std::vector<std::string> answers;
  std::vector<std::string> supporting;
  std::vector<std::string> companions;
  std::string article;  ///< its other documents are companions, too
};

class Reader {
 public:
  explicit Reader(std::filesystem::path file) : file_(std::move(file)) {}

  QaData read() {
    if (inflated_name(file_).extension() == ".jsonl") {
      for_each_json_line(file_, [&](std::int64_t line, Json&& record) {
        add_record(record, fmt::format("{}:{}", file_.string(), line));
        return Proceed::kNext;
      });
    } else {
      read_json();
    }
    if (questions_.empty()) fail(file_.string(), "holds no question");
    return finish();
  }

 private:
  [[noreturn]] static void fail(const std::string& where, std::string_view message) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: {}; expected SQuAD's or HotpotQA's JSON, or lines with question, "
                            "context and answers",
                            where, message));
  }

  static const Json& field(const Json& object, const char* name, const std::string& where) {
    const auto found = object.find(name);
    if (found == object.end()) fail(where, fmt::format("has no field '{}'", name));
    return *found;
  }

  static std::string text(const Json& value, const std::string& where) {
    if (!value.is_string())
      fail(where, fmt::format("found {}, expected a text", value.type_name()));
    return value.get<std::string>();
  }

  static const Json& list(const Json& value, const std::string& where) {
    if (!value.is_array()) fail(where, fmt::format("found {}, expected a list", value.type_name()));
    return value;
  }

  // SQuAD 2.0's questions without an answer.
  static bool is_impossible(const Json& item, const std::string& where) {
    const auto found = item.find("is_impossible");
    if (found == item.end()) return false;
    if (!found->is_boolean()) fail(where, "has an is_impossible that is neither true nor false");
    return found->get<bool>();
  }

  void read_json() {
    const Json root = parse_ordered_json(read_text_file(file_), file_.string());
    if (root.is_object()) {
      for (const Json& article : list(field(root, "data", file_.string()), file_.string())) {
        add_article(article);
      }
      return;
    }
    std::size_t index = 0;
    for (const Json& record : list(root, file_.string())) {
      add_record(record, fmt::format("{}, item {}", file_.string(), index++));
    }
  }

  void add_article(const Json& article) {
    const std::string name = fmt::format("article {}", articles_++);
    const std::string where = fmt::format("{}, {}", file_.string(), name);
    for (const Json& paragraph : list(field(article, "paragraphs", where), where)) {
      const std::string context = text(field(paragraph, "context", where), where);
      add_document(context, name);
      for (const Json& item : list(field(paragraph, "qas", where), where)) {
        if (is_impossible(item, where)) continue;
        add_question({.question = text(field(item, "question", where), where),
                      .answers = read_answers(field(item, "answers", where), where),
                      .supporting = {context},
                      .companions = {},
                      .article = name});
      }
    }
  }

  void add_record(const Json& record, const std::string& where) {
    if (!record.is_object()) fail(where, "is not an object");
    RawQuestion question{.question = text(field(record, "question", where), where)};
    const char* const answers = record.contains("answers") ? "answers" : "answer";
    question.answers = read_answers(field(record, answers, where), where);
    const Json& context = field(record, "context", where);
    if (context.is_string()) {
      question.supporting = {context.get<std::string>()};
      if (const auto title = record.find("title"); title != record.end()) {
        question.article = text(*title, where);
      }
      add_document(question.supporting.front(), question.article);
    } else {
      add_paragraphs(record, where, question);
    }
    add_question(std::move(question));
  }

  void add_paragraphs(const Json& record, const std::string& where, RawQuestion& question) {
    std::set<std::string> supporting;
    if (const auto facts = record.find("supporting_facts"); facts != record.end()) {
      for (const Json& fact : list(*facts, where)) {
        if (list(fact, where).empty()) fail(where, "a supporting fact has no title");
        supporting.insert(text(fact[0], where));
      }
    }
    for (const Json& paragraph : list(field(record, "context", where), where)) {
      if (list(paragraph, where).size() != 2) fail(where, "a paragraph is not [title, sentences]");
      const std::string title = text(paragraph[0], where);
      std::string document = title + "\n";
      for (const Json& sentence : list(paragraph[1], where)) document += text(sentence, where);
      add_document(document, "");
      const bool is_supporting = supporting.empty() || supporting.contains(title);
      (is_supporting ? question.supporting : question.companions).push_back(std::move(document));
    }
    if (question.supporting.empty()) fail(where, "has no paragraph that supports the answer");
  }

  static std::vector<std::string> read_answers(const Json& value, const std::string& where) {
    std::vector<std::string> answers;
    for (const Json& answer : value.is_array() ? value : Json::array({value})) {
      std::string spelling =
          text(answer.is_object() ? field(answer, "text", where) : answer, where);
      if (spelling.find_first_not_of(" \t\n") == std::string::npos) {
        fail(where, "has an empty answer, which would stand in every output");
      }
      if (std::find(answers.begin(), answers.end(), spelling) == answers.end()) {
        answers.push_back(std::move(spelling));
      }
    }
    if (answers.empty()) fail(where, "has no answer");
    return answers;
  }

  void add_document(const std::string& document, const std::string& article) {
    documents_.insert(document);
    if (!article.empty()) in_article_[article].push_back(document);
  }

  void add_question(RawQuestion question) { questions_.push_back(std::move(question)); }

  QaData finish() {
    QaData data;
    data.documents.assign(documents_.begin(), documents_.end());
    const auto index_of = [&](const std::string& document) {
      return static_cast<std::size_t>(
          std::lower_bound(data.documents.begin(), data.documents.end(), document) -
          data.documents.begin());
    };
    for (RawQuestion& raw : questions_) {
      QaQuestion question{.question = std::move(raw.question), .answers = std::move(raw.answers)};
      std::set<std::size_t> seen;
      for (const std::string& document : raw.supporting) {
        if (seen.insert(index_of(document)).second) {
          question.supporting.push_back(index_of(document));
        }
      }
      if (!raw.article.empty()) raw.companions = in_article_[raw.article];
      for (const std::string& document : raw.companions) {
        if (seen.insert(index_of(document)).second) {
          question.companions.push_back(index_of(document));
        }
      }
      data.questions.push_back(std::move(question));
    }
    return data;
  }

  std::filesystem::path file_;
  std::size_t articles_ = 0;
  std::set<std::string> documents_;
  std::map<std::string, std::vector<std::string>> in_article_;
  std::vector<RawQuestion> questions_;
};

}  // namespace

QaData read_qa(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace yardstick::tasks
