#include "tasks/downstream/stretch.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/home_path.hpp"
#include "tasks/data/compressed.hpp"
#include "tasks/data/records.hpp"
#include "tasks/data/text_file.hpp"

namespace yardstick::tasks {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 2;  // raise it when the same stretch would give other contexts

constexpr std::string_view kBlank = " \t\n\v\f\r";
constexpr std::array<std::string_view, 3> kTextEndings = {".txt", ".raw", ".md"};

using ByWord = std::pair<std::string_view, StretchBy>;
constexpr std::array<ByWord, 3> kBy = {{{"distractors", StretchBy::kDistractors},
                                        {"fewshot", StretchBy::kFewshot},
                                        {"haystack", StretchBy::kHaystack}}};
using PositionWord = std::pair<std::string_view, StretchPosition>;
constexpr std::array<PositionWord, 3> kPositions = {{{"start", StretchPosition::kStart},
                                                     {"middle", StretchPosition::kMiddle},
                                                     {"end", StretchPosition::kEnd}}};

template <typename Words, typename Value>
std::string_view word_of(const Words& words, Value value) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const auto& word) { return word.second == value; });
  check(found != words.end(), "every value has a word");
  return found->first;
}

std::string without_front_blank(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(kBlank), text.size()));
  return text;
}

// ---- reading -----------------------------------------------------------------------------------

std::vector<std::string> split_paragraphs(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", at), text.size());
    std::string paragraph = text.substr(at, end - at);
    paragraph.erase(paragraph.find_last_not_of(kBlank) + 1);
    out.push_back(without_front_blank(std::move(paragraph)));
    at = end + 2;
  }
  return out;
}

std::vector<std::string> read_texts(const fs::path& file, const Template& text) {
  if (std::find(kTextEndings.begin(), kTextEndings.end(),
                inflated_name(file).extension().string()) != kTextEndings.end()) {
    return split_paragraphs(read_text_file(file));
  }
  std::vector<std::string> out;
  for (const Record& record : read_records(file)) {
    try {
      out.push_back(text.render(record.fields));
    } catch (const Error& error) {
      throw error.within(fmt::format("{}:{}", file.string(), record.line));
    }
  }
  return out;
}

/// The file that `key` names. @throws Error(kConfig) for one that is not there or cannot be read.
fs::path source_file(Fields& fields, std::string_view key, const fs::path& base) {
  fs::path file = path_from(base, fields.text(key));
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    throw fields.error(key, fmt::format("there is no file '{}' (relative paths start at '{}')",
                                        file.string(), base.empty() ? "." : base.string()));
  }
  std::vector<std::string_view> endings(kTextEndings.begin(), kTextEndings.end());
  endings.insert(endings.end(), record_suffixes().begin(), record_suffixes().end());
  if (std::find(endings.begin(), endings.end(), inflated_name(file).extension().string()) !=
      endings.end())
    return file;
  throw fields.error(key, fmt::format("'{}' has an ending that is not known; known are: {}",
                                      file.filename().string(), fmt::join(endings, " ")));
}

// A path, or {path, text}: the template of a record's text.
std::vector<std::string> read_source(Fields& fields, const fs::path& base) {
  if (!fields.has("source")) return {};
  if (!fields.raw("source").is_object()) {
    return read_texts(source_file(fields, "source", base), {"{{text}}", fields.where("source")});
  }
  Fields source(fields.located(), fields.pointer("source"), "the source of a stretch");
  const fs::path file = source_file(source, "path", base);
  const Template text(source.optional_text("text").value_or("{{text}}"), source.where("text"));
  source.finish();
  return read_texts(file, text);
}

/// A source that holds nothing would stand for none: for the data set's own passages.
void check_holds_text(Fields& fields, const std::vector<std::string>& texts) {
  const bool holds_text = std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    return text.find_first_not_of(kBlank) != std::string::npos;
  });
  if (holds_text || !fields.has("source")) return;
  const nlohmann::json source = fields.raw("source");
  const nlohmann::json& path = source.is_object() ? source.at("path") : source;
  throw Error(ErrorKind::kData,
              fmt::format("{}: {} holds no text; give a file with passages or a long text",
                          fields.where("source"), path.get<std::string>()));
}

// ---- laying out --------------------------------------------------------------------------------

std::string joined(std::span<const std::string> units, std::string_view glue) {
  std::string out;
  for (const std::string& unit : units) {
    if (!out.empty()) out += glue;
    out += unit;
  }
  return without_front_blank(std::move(out));
}

/// Where the part of a question that comes last in its prompt begins.
std::size_t split_of(std::string_view question, const std::string& passage, const std::string& id) {
  if (!passage.empty()) {
    const std::size_t found = question.rfind(passage);
    if (found != std::string_view::npos) return found + passage.size();
    throw Error(ErrorKind::kData,
                fmt::format("{}: what stretch.passage renders is not part of the context; use the "
                            "template that the context itself uses",
                            id));
  }
  const std::size_t line = question.rfind('\n');
  if (line != std::string_view::npos && line > 0) return line;
  throw Error(ErrorKind::kData,
              fmt::format("{}: the context is one line, so nothing can stand between the question "
                          "and its answer; give stretch.passage, the template of the part that the "
                          "question is about, or position: end",
                          id));
}

struct Layout {
  StretchPosition position = StretchPosition::kEnd;
  std::string_view separator;
  std::string_view glue;
};

/// `base` among its padding: behind the description, in front of the worked examples.
Question lay_out(const Question& base, const std::string& passage,
                 std::span<const std::string> units, const Layout& layout) {
  if (units.empty()) return base;
  std::size_t in_front = units.size();
  if (layout.position == StretchPosition::kStart) in_front = 0;
  if (layout.position == StretchPosition::kMiddle) in_front = (units.size() + 1) / 2;
  std::string front = joined(units.first(in_front), layout.glue);
  const std::string behind = joined(units.subspan(in_front), layout.glue);
  if (!front.empty()) front += layout.separator;
  const auto pad = [&](std::string& context) {
    if (!behind.empty()) {
      const std::string_view own = std::string_view(context).substr(base.question_begins_at);
      const std::size_t split = base.question_begins_at + split_of(own, passage, base.id);
      context.insert(split, std::string(layout.separator) + behind);
    }
    context.insert(base.description_bytes, front);
  };
  Question padded = base;
  if (padded.contexts.empty()) pad(padded.context);
  for (std::string& context : padded.contexts) pad(context);
  padded.question_begins_at += front.size();
  return padded;
}

// ---- sizing ------------------------------------------------------------------------------------

/// A number of units, and the tokens that the question has with them.
struct Sized {
  std::size_t units = 0;
  std::int64_t tokens = 0;
};

// The largest known to fit, the smallest known not to, and the question without padding.
struct Bracket {
  Sized alone;
  Sized low;
  std::optional<Sized> high;
  std::size_t above = 0;  ///< the units of `high`, or one more than there are
};

/// What the units of a stretch are called, and what helps if there are too few.
struct PaddingWords {
  std::string_view units;
  std::string_view help;
};

PaddingWords padding_words(const Stretch& stretch) {
  if (stretch.by == StretchBy::kFewshot) {
    return {.units = "worked examples", .help = "name a larger fewshot_split"};
  }
  return {
      .units = stretch.by == StretchBy::kDistractors ? "passages" : "words",
      .help = stretch.source.empty() ? "name a source with more passages" : "give a larger source"};
}

// Units to try next, strictly between low and above: where the line through what is known meets
// the length, and now and then the middle, so that a bend cannot hold the search up.
std::size_t next_guess(const Bracket& known, std::int64_t length, int step) {
  if (known.low.units == 0 && !known.high) return 1;
  if (known.high && step % 4 == 3) return known.low.units + (known.above - known.low.units) / 2;
  const Sized& left = known.high ? known.low : known.alone;
  const Sized& right = known.high ? *known.high : known.low;
  const double slope = static_cast<double>(right.tokens - left.tokens) /
                       static_cast<double>(right.units - left.units);
  const double units = static_cast<double>(length - known.low.tokens) / std::max(slope, 1e-3);
  const double room = static_cast<double>(known.above - known.low.units - 1);
  return known.low.units + static_cast<std::size_t>(std::clamp(units, 1.0, room));
}

}  // namespace

void Stretch::describe(Fingerprint& fingerprint) const {
  fingerprint.add("stretch.implementation", kVersion)
      .add("stretch.by", word_of(kBy, by))
      .add("stretch.position", word_of(kPositions, position))
      .add("stretch.separator", separator)
      .add("stretch.passage", passage ? passage->text() : "")
      .add("stretch.source", static_cast<std::int64_t>(source.size()));
  for (const std::string& text : source) fingerprint.add("text", text);
}

std::optional<Stretch> read_stretch(Fields& fields, const fs::path& base) {
  if (!fields.has("stretch")) return std::nullopt;
  Fields inner(fields.located(), fields.pointer("stretch"), "a stretch");
  Stretch stretch;
  if (!inner.has("by"))
    throw inner.error("by", "missing; expected distractors, fewshot or haystack");
  stretch.by = inner.choice("by", StretchBy::kHaystack, std::span<const ByWord>(kBy));
  stretch.position =
      inner.choice("position", StretchPosition::kEnd, std::span<const PositionWord>(kPositions));
  stretch.lengths = inner.lengths("lengths");
  stretch.separator = inner.optional_text("separator").value_or("\n\n");
  if (const std::optional<std::string> passage = inner.optional_text("passage")) {
    stretch.passage.emplace(*passage, inner.where("passage"));
  }
  if (stretch.by == StretchBy::kHaystack && !inner.has("source")) {
    static_cast<void>(inner.text("source"));  // throws: the key is missing
  }
  stretch.source = read_source(inner, base);
  check_holds_text(inner, stretch.source);
  if (stretch.by == StretchBy::kFewshot &&
      (inner.has("source") || inner.has("passage") || stretch.position != StretchPosition::kEnd)) {
    throw inner.error("by",
                      "worked examples stand in front of the question and come from the data set; "
                      "remove source, passage and position");
  }
  if (stretch.by == StretchBy::kHaystack && stretch.source.empty()) {
    throw inner.error("source", "holds no text to make a haystack of");
  }
  inner.finish();
  return stretch;
}

Stretcher::Stretcher(const Stretch& stretch, const QuestionSet& questions, std::uint64_t seed)
    : stretch_(stretch), questions_(questions), seed_(seed) {
  if (stretch.by == StretchBy::kFewshot) return;
  std::vector<std::string> texts = stretch.source;
  if (texts.empty()) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const Question other = questions.question(i, seed, 0);
      texts.push_back(stretch.passage ? stretch.passage->render(other.document)
                                      : std::string(other.own_text()));
    }
  }
  if (stretch.by == StretchBy::kDistractors) {
    padding_ = passage_padding(std::move(texts), stretch.separator);
    return;
  }
  std::string text;
  for (const std::string& one : texts) text += one + "\n\n";
  padding_ = text_padding(std::move(text));
}

std::variant<StretchedQuestion, std::string> Stretcher::search(const Candidate& candidate,
                                                               std::size_t most,
                                                               std::int64_t length,
                                                               const Size& size) const {
  Question best = candidate(0);
  const Sized alone{.units = 0, .tokens = size(best)};
  if (alone.tokens > length) {
    return fmt::format("infeasible: the question alone takes {} tokens, this cell's length is {}",
                       alone.tokens, length);
  }
  Bracket known{.alone = alone, .low = alone, .high = std::nullopt, .above = most + 1};
  for (int step = 0; known.above - known.low.units > 1; ++step) {
    const std::size_t units = next_guess(known, length, step);
    Question tried = candidate(units);
    const Sized sized{.units = units, .tokens = size(tried)};
    if (sized.tokens > length) {
      known.high = sized;
      known.above = units;
    } else {
      known.low = sized;
      best = std::move(tried);
    }
  }
  if (!known.high && known.low.tokens < length) {
    const auto [units, help] = padding_words(stretch_);
    return fmt::format(
        "infeasible: all {} {} that there are make {} tokens, this cell's length is {}; {}", most,
        units, known.low.tokens, length, help);
  }
  return StretchedQuestion{.question = std::move(best),
                           .units = static_cast<std::int64_t>(known.low.units),
                           .tokens = known.low.tokens};
}

std::variant<StretchedQuestion, std::string> Stretcher::fill(std::size_t i, std::int64_t length,
                                                             const Size& size) const {
  const std::int64_t shots = questions_.num_fewshot();
  if (stretch_.by == StretchBy::kFewshot) {
    const std::int64_t more = std::max<std::int64_t>(questions_.fewshot_pool() - shots, 0);
    return search(
        [&](std::size_t units) {
          return questions_.question(i, seed_, shots + static_cast<std::int64_t>(units));
        },
        static_cast<std::size_t>(more), length, size);
  }
  const Question base = questions_.question(i, seed_, shots);
  const std::string passage = stretch_.passage ? stretch_.passage->render(base.document) : "";
  // A word is a token at least, but for tokens of several words.
  const std::vector<std::string> units =
      padding_->units(base.id, passage.empty() ? base.own_text() : std::string_view(passage), seed_,
                      2 * static_cast<std::size_t>(length));
  const Layout layout{
      .position = stretch_.position, .separator = stretch_.separator, .glue = padding_->glue()};
  return search(
      [&](std::size_t count) {
        return lay_out(base, passage, std::span<const std::string>(units).first(count), layout);
      },
      units.size(), length, size);
}

}  // namespace yardstick::tasks
