#include "tasks/downstream/question_set.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/data/oddities.hpp"
#include "tasks/data/records.hpp"
#include "tasks/downstream/dataset.hpp"
#include "tasks/downstream/doc_form.hpp"
#include "tasks/downstream/doc_templates.hpp"
#include "tasks/downstream/document.hpp"
#include "tasks/downstream/example_config.hpp"
#include "tasks/downstream/example_pool.hpp"
#include "tasks/downstream/field_template.hpp"
#include "tasks/downstream/prompt.hpp"
#include "tasks/downstream/transforms.hpp"

namespace yardstick::tasks {
namespace {

using nlohmann::ordered_json;

std::vector<TaskDocument> read_documents(const std::filesystem::path& file,
                                         const Transforms& transforms,
                                         Oddities* oddities = nullptr) {
  std::vector<TaskDocument> documents;
  for (Record& record : read_records(file)) {
    if (oddities != nullptr) oddities->look_at(record.fields, record.line);
    documents.push_back({.fields = std::move(record.fields), .line = record.line, .part = ""});
  }
  documents = transforms.apply(std::move(documents), file.string());
  if (documents.empty()) {
    throw Error(ErrorKind::kData, fmt::format("{}: holds no documents", file.string()));
  }
  return documents;
}

FieldNames names_of(const std::vector<TaskDocument>& documents) {
  FieldNames names;
  for (const TaskDocument& document : documents) {
    for (const auto& [name, unused] : document.fields.items()) names.insert(name);
  }
  return names;
}

/// What makes worked examples of documents.
struct ExampleMaker {
  DocTemplates templates;
  std::optional<FieldTemplate> prefix;
  std::optional<FieldTemplate> group;  // fewshot_by
  PromptDelimiters delimiters;
  /// That of the tested documents; nothing where the examples have templates of their own.
  std::optional<DocForm> form;

  [[nodiscard]] WorkedExample make(RenderedDoc rendered, const ordered_json& document,
                                   const DocForm& read_as) const {
    const DocReading reading = templates.read(std::move(rendered), document, read_as);
    const std::string text = read_as.place == ChoicePlace::kContext
                                 ? reading.choices[static_cast<std::size_t>(reading.gold.front())]
                                 : reading.text;
    const std::string& answer = reading.targets.front();
    return {.text = worked_example(text, prefix ? prefix->text(document) : "", answer, delimiters),
            .key = key_of(reading),
            .group = group ? group->text(document) : ""};
  }

  /// Two documents with one key are the same question.
  static std::string key_of(const DocReading& reading) {
    std::string key = reading.text + '\x1f' + reading.targets.front();
    for (const std::string& choice : reading.choices) key += '\x1f' + choice;
    return key;
  }
};

/// Where worked examples come from.
struct ExampleSource {
  ExampleConfig config;
  ExampleMaker maker;
  Transforms transforms;
  DatasetFiles files;
  bool shares_transforms = true;  // with the tested documents
};

struct Parts {
  std::vector<TaskDocument> documents;
  std::vector<DocReading> readings;  // of the documents
  DocTemplates templates;
  DocForm form;
  std::vector<std::string> notes;
  std::optional<FieldTemplate> description;
  std::optional<FieldTemplate> prefix;
  std::optional<FieldTemplate> category;
  std::optional<FieldTemplate> kind;  // a field that sorts the documents into kinds
  PromptDelimiters delimiters;
  std::string scored_delimiter;
};

class FileQuestionSet final : public QuestionSet {
 public:
  FileQuestionSet(Parts parts, ExampleSource examples)
      : parts_(std::move(parts)), examples_(std::move(examples)) {
    for (std::size_t i = 0; i < size(); ++i) {
      const TaskDocument& document = parts_.documents[i];
      at_document(document, [&] {
        categories_.push_back(parts_.category ? parts_.category->text(document.fields) : "");
        const std::optional<FieldTemplate>& group = examples_.maker.group;
        asked_.push_back({.index = i,
                          .key = ExampleMaker::key_of(parts_.readings[i]),
                          .group = group ? group->text(document.fields) : ""});
      });
    }
    if (num_fewshot() == 0) return;
    check_examples();
    note_other_categories();
  }

  [[nodiscard]] std::size_t size() const override { return parts_.documents.size(); }
  [[nodiscard]] std::span<const std::string> categories() const override { return categories_; }
  [[nodiscard]] std::int64_t num_fewshot() const override { return examples_.config.num_fewshot; }
  [[nodiscard]] std::int64_t fewshot_pool() const override;
  [[nodiscard]] std::vector<std::string> notes() const override { return parts_.notes; }
  [[nodiscard]] const std::string& target_delimiter() const override {
    return parts_.scored_delimiter;
  }
  [[nodiscard]] Question question(std::size_t i, std::uint64_t seed,
                                  std::int64_t num_fewshot) const override;
  [[nodiscard]] std::string id(std::size_t i) const override { return parts_.documents.at(i).id(); }
  void describe(Fingerprint& fingerprint) const override;
  void describe_examples(Fingerprint& fingerprint) const override {
    fingerprint.add("target_delimiter", parts_.delimiters.target);
    if (has_pool()) pool().describe(fingerprint);
  }

 private:
  [[nodiscard]] std::string file() const { return examples_.files.tested.string(); }

  /// Runs `work`; an error of it names the document's place.
  template <typename Work>
  void at_document(const TaskDocument& document, const Work& work) const {
    try {
      work();
    } catch (const Error& error) {
      throw error.within(fmt::format("{}:{}", file(), document.line));
    }
  }

  [[nodiscard]] bool has_pool() const {
    return !examples_.config.samples.empty() || examples_.files.examples.has_value();
  }
  /// Refuses more worked examples than a question can have.
  void check_examples() const;
  /// A note if worked examples may be of another kind than the question.
  void note_other_categories();
  void add_kind(const ordered_json& document, std::set<std::string>& kinds) const;
  [[nodiscard]] const ExamplePool& pool() const;
  [[nodiscard]] ExamplePool make_pool() const;
  [[nodiscard]] std::vector<WorkedExample> examples_of_file() const;
  [[nodiscard]] std::vector<WorkedExample> make_examples(
      std::span<const ordered_json* const> documents, ValueTypes types,
      const DocPlace& place) const;

  Parts parts_;
  ExampleSource examples_;
  std::vector<AskedQuestion> asked_;
  std::vector<std::string> categories_;
  mutable std::once_flag pool_is_read_;  // pools can be large, and most tasks ask without examples
  mutable std::optional<ExamplePool> pool_;
  mutable std::set<std::string> example_kinds_;  // of the pool, where documents have kinds
};

Question FileQuestionSet::question(std::size_t i, std::uint64_t seed,
                                   std::int64_t num_fewshot) const {
  const TaskDocument& document = parts_.documents.at(i);
  const DocReading& reading = parts_.readings[i];
  Question out;
  at_document(document, [&] {
    out.id = document.id();
    out.document = document.fields;
    out.choices = reading.choices;
    out.gold = reading.gold;
    out.targets = reading.targets;
    out.category = categories_[i];
    std::string front = parts_.description ? parts_.description->text(document.fields) : "";
    out.description_bytes = front.size();
    if (num_fewshot > 0) {
      front += pool().examples_for(asked_[i], seed, num_fewshot);
    }
    out.question_begins_at = front.size();
    const std::string prefix = parts_.prefix ? parts_.prefix->text(document.fields) : "";
    if (parts_.form.place == ChoicePlace::kContinuation) {
      out.context = front + open_question(reading.text, prefix, parts_.delimiters);
      return;
    }
    const PromptDelimiters none{.target = "", .example = ""};
    for (const std::string& choice : reading.choices) {
      out.contexts.push_back(front + open_question(choice, prefix, none));
    }
    out.context = front;
  });
  return out;
}

void FileQuestionSet::check_examples() const {
  const ExampleConfig& config = examples_.config;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::int64_t available = pool().size_for(asked_[i]);
    if (config.num_fewshot <= available) continue;
    const std::string group =
        asked_[i].group.empty() ? "" : fmt::format(" of '{}' (fewshot_by)", asked_[i].group);
    const std::string there =
        config.samples.empty()
            ? fmt::format(
                  "'{}' has {}{} besides the question of {}:{}; set it lower, or name a "
                  "larger split as fewshot_split",
                  examples_.files.examples->string(), available, group, file(),
                  parts_.documents[i].line)
            : fmt::format("fewshot_config.samples has {}; set it lower, or write more", available);
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: num_fewshot: {} worked examples are asked for, but {}",
                            config.num_fewshot_place, config.num_fewshot, there));
  }
}

std::int64_t FileQuestionSet::fewshot_pool() const {
  if (!has_pool()) return 0;
  std::set<std::string_view> groups;
  std::int64_t least = pool().size(asked_.front().group);
  for (const AskedQuestion& question : asked_) {
    if (!groups.insert(question.group).second) continue;
    least = std::min(least, pool().size(question.group));
  }
  return least;
}

const ExamplePool& FileQuestionSet::pool() const {
  std::call_once(pool_is_read_, [&] { pool_.emplace(make_pool()); });
  return *pool_;
}

std::vector<WorkedExample> FileQuestionSet::examples_of_file() const {
  const ExampleSource& source = examples_;
  if (!source.files.examples) {
    throw Error(ErrorKind::kConfig, fmt::format("the task has no worked examples to draw from: {}",
                                                source.files.missing_examples));
  }
  const bool is_tested = *source.files.examples == source.files.tested && source.shares_transforms;
  std::vector<TaskDocument> read;
  if (!is_tested) read = read_documents(*source.files.examples, source.transforms);
  const std::vector<TaskDocument>& documents = is_tested ? parts_.documents : read;
  std::vector<const ordered_json*> chosen;
  std::vector<std::int64_t> lines;
  const auto add = [&](const TaskDocument& document) {
    chosen.push_back(&document.fields);
    lines.push_back(document.line);
  };
  if (source.config.indices.empty()) {
    for (const TaskDocument& document : documents) add(document);
  }
  for (const std::int64_t index : source.config.indices) {
    if (index >= static_cast<std::int64_t>(documents.size())) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: fewshot_indices: there is no document {}, the last is {}",
                              source.files.examples->string(), index, documents.size() - 1));
    }
    add(documents[static_cast<std::size_t>(index)]);
  }
  return make_examples(chosen, value_types(*source.files.examples), [&](std::size_t i) {
    return fmt::format("{}:{}", source.files.examples->string(), lines[i]);
  });
}

std::vector<WorkedExample> FileQuestionSet::make_examples(
    std::span<const ordered_json* const> documents, ValueTypes types, const DocPlace& place) const {
  const ExampleMaker& maker = examples_.maker;
  const auto at = [&](std::size_t i, const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      throw error.within(place(i));
    }
  };
  std::vector<RenderedDoc> rendered(documents.size());
  for (std::size_t i = 0; i < documents.size(); ++i) {
    at(i, [&] { rendered[i] = maker.templates.render(*documents[i]); });
    if (parts_.kind) add_kind(*documents[i], example_kinds_);
  }
  DocForm form = maker.form.value_or(DocForm{});
  if (!maker.form) {
    form.target = decide_form(maker.templates, rendered, types, place).form.target;
    // Examples stand in front of questions of one form, whatever theirs looks like.
    if (maker.templates.choices) form.place = parts_.form.place;
  }
  std::vector<WorkedExample> examples;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    at(i, [&] { examples.push_back(maker.make(std::move(rendered[i]), *documents[i], form)); });
  }
  return examples;
}

ExamplePool FileQuestionSet::make_pool() const {
  const ExampleSource& source = examples_;
  if (source.config.samples.empty()) {
    return {examples_of_file(), source.config.choice, OwnExample::kLeftOut};
  }
  std::vector<const ordered_json*> samples;
  for (const ordered_json& sample : source.config.samples) samples.push_back(&sample);
  return {make_examples(samples, ValueTypes::kTyped,
                        [](std::size_t i) { return fmt::format("fewshot_config.samples[{}]", i); }),
          source.config.choice, OwnExample::kAllowed};
}

void FileQuestionSet::note_other_categories() {
  if (examples_.maker.group || !examples_.config.samples.empty() || !parts_.kind) return;
  std::set<std::string> kinds = example_kinds_;  // check_examples() has read them
  for (const TaskDocument& document : parts_.documents) add_kind(document.fields, kinds);
  if (kinds.size() < 2) return;
  const std::string& field = parts_.kind->written();
  parts_.notes.push_back(fmt::format(
      "{}: num_fewshot: worked examples are drawn from all {} kinds of '{}'; `fewshot_by: {}` "
      "draws those of the question's own",
      examples_.config.num_fewshot_place, kinds.size(), field, field));
}

void FileQuestionSet::add_kind(const ordered_json& document, std::set<std::string>& kinds) const {
  const auto found = document.find(parts_.kind->written());
  if (found != document.end() && found->is_string()) kinds.insert(found->get<std::string>());
}

void FileQuestionSet::describe(Fingerprint& fingerprint) const {
  fingerprint.add("questions", static_cast<std::int64_t>(size()))
      .add("target_delimiter", parts_.scored_delimiter)
      .add("num_fewshot", num_fewshot());
  for (std::size_t i = 0; i < size(); ++i) {
    const Question asked = question(i, 0, 0);
    fingerprint.add("id", asked.id).add("context", asked.context).add("category", asked.category);
    for (const std::string& context : asked.contexts) fingerprint.add("own context", context);
    for (const std::string& choice : asked.choices) fingerprint.add("choice", choice);
    for (const std::int64_t gold : asked.gold) fingerprint.add("gold", gold);
    for (const std::string& target : asked.targets) fingerprint.add("target", target);
  }
  if (num_fewshot() > 0) describe_examples(fingerprint);
}

std::optional<FieldTemplate> read_optional(Fields& fields, std::string_view key,
                                           const FieldNames& names) {
  const std::optional<std::string> text = fields.optional_text(key);
  if (!text) return std::nullopt;
  return FieldTemplate(*text, fields.where(key), names);
}

PromptDelimiters read_delimiters(Fields& fields, PromptDelimiters fallback) {
  if (fields.has("delimiter") && fields.has("target_delimiter")) {
    throw fields.error("target_delimiter", "says the same as 'delimiter'; remove one of them");
  }
  const std::optional<std::string> ours = fields.optional_text("delimiter");
  return {
      .target = fields.optional_text("target_delimiter").value_or(ours.value_or(fallback.target)),
      .example = fields.optional_text("fewshot_delimiter").value_or(fallback.example)};
}

/// Keys of lm-evaluation-harness that change no question here.
void pass_over(Fields& fields) {
  for (const char* const key : {"tag", "group", "task_alias", "metadata", "unsafe_code",
                                "should_decontaminate", "doc_to_decontamination_query"}) {
    static_cast<void>(fields.raw(key));
  }
  if (fields.has("use_prompt")) {
    throw fields.error("use_prompt",
                       "names a prompt of the promptsource library, which is not "
                       "read here; write it out as doc_to_text, doc_to_choice and "
                       "doc_to_target");
  }
}

std::optional<FieldTemplate> read_group(Fields& fields, const FieldNames& names) {
  const std::optional<std::string> group = fields.optional_text("fewshot_by");
  if (!group) return std::nullopt;
  return read_field_template(fields, "fewshot_by", *group, names);
}

/// The field that sorts documents into kinds: that of `category`, or one that is called so.
std::optional<FieldTemplate> find_kind(const std::optional<FieldTemplate>& category,
                                       const FieldNames& names) {
  if (category && category->is_field()) return category;
  constexpr std::array<std::string_view, 2> kCustomary = {"subject", "category"};
  for (const std::string_view name : kCustomary) {
    if (names.contains(name)) return FieldTemplate(std::string(name), "", names);
  }
  return std::nullopt;
}

/// Renders the documents, decides how they are read, and reads them.
void read_all(Parts& parts, const std::filesystem::path& file) {
  const DocPlace place = [&](std::size_t i) {
    return fmt::format("{}:{}", file.string(), parts.documents[i].line);
  };
  const auto at = [&](std::size_t i, const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      throw error.within(place(i));
    }
  };
  std::vector<RenderedDoc> rendered(parts.documents.size());
  for (std::size_t i = 0; i < rendered.size(); ++i) {
    at(i, [&] { rendered[i] = parts.templates.render(parts.documents[i].fields); });
  }
  DecidedForm decided = decide_form(parts.templates, rendered, value_types(file), place);
  parts.form = decided.form;
  if (!decided.note.empty()) parts.notes.push_back(std::move(decided.note));
  parts.readings.reserve(rendered.size());
  for (std::size_t i = 0; i < rendered.size(); ++i) {
    at(i, [&] {
      parts.readings.push_back(
          parts.templates.read(std::move(rendered[i]), parts.documents[i].fields, parts.form));
    });
  }
}

ExampleSource read_examples(Fields& fields, const Parts& parts, const FieldNames& names,
                            ExampleConfig config, std::optional<Fields>& keys, DatasetFiles files) {
  FieldNames all = names;
  for (const ordered_json& sample : config.samples) {
    for (const auto& [name, unused] : sample.items()) all.insert(name);
  }
  ExampleSource source{.config = std::move(config),
                       .maker = {.templates = parts.templates,
                                 .prefix = parts.prefix,
                                 .group = read_group(fields, names),
                                 .delimiters = parts.delimiters,
                                 .form = parts.form},
                       .transforms = read_transforms(fields, "process_docs"),
                       .files = std::move(files)};
  if (!keys) return source;
  source.maker.templates = override_doc_templates(std::move(source.maker.templates), *keys, all);
  const nlohmann::json own = fields.raw("fewshot_config");
  if (own.contains("doc_to_target") || own.contains("doc_to_choice")) source.maker.form.reset();
  if (keys->has("gen_prefix")) source.maker.prefix = read_optional(*keys, "gen_prefix", all);
  source.maker.delimiters = read_delimiters(*keys, parts.delimiters);
  if (keys->has("process_docs")) {
    source.transforms = read_transforms(*keys, "process_docs");
    source.shares_transforms = false;
  }
  keys->finish();
  return source;
}

}  // namespace

std::unique_ptr<const QuestionSet> read_question_set(Fields& fields,
                                                     const TaskDefinition& definition,
                                                     OutputType type) {
  pass_over(fields);
  std::optional<Fields> example_keys;
  if (fields.has("fewshot_config")) {
    example_keys.emplace(fields.located(), fields.pointer("fewshot_config"), "fewshot_config");
  }
  ExampleConfig config = read_example_config(fields, example_keys);
  DatasetFiles files = choose_files(fields, read_dataset(fields, definition), config.split);
  Oddities oddities;
  std::vector<TaskDocument> documents =
      read_documents(files.tested, read_transforms(fields, "process_docs"), &oddities);
  const FieldNames names = names_of(documents);

  const PromptDelimiters delimiters = read_delimiters(fields, {});
  Parts parts{.documents = std::move(documents),
              .readings = {},
              .templates = read_doc_templates(fields, names, type),
              .form = {},
              .notes = oddities.notes(files.tested.string()),
              .description = read_optional(fields, "description", names),
              .prefix = read_optional(fields, "gen_prefix", names),
              .category = std::nullopt,
              .kind = std::nullopt,
              .delimiters = delimiters,
              // lm-evaluation-harness scores a loglikelihood's target as it stands.
              .scored_delimiter = type == OutputType::kMultipleChoice ? delimiters.target : ""};
  read_all(parts, files.tested);
  if (const std::optional<std::string> category = fields.optional_text("category")) {
    parts.category = read_field_template(fields, "category", *category, names);
  }
  parts.kind = find_kind(parts.category, names);
  ExampleSource examples =
      read_examples(fields, parts, names, std::move(config), example_keys, std::move(files));
  return std::make_unique<FileQuestionSet>(std::move(parts), std::move(examples));
}

}  // namespace yardstick::tasks
