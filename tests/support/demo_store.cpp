#include "tests/support/demo_store.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/schema.hpp"

namespace yardstick::test {
namespace {

constexpr int kTrained = 512;
constexpr std::array<int, 7> kLengths{128, 256, 512, 1024, 2048, 4096, 8192};

struct DemoModel {
  std::string name;
  std::string encoding;
  double growth;  // exponent of the perplexity beyond the training length
  double reach;   // how fast pass-key accuracy falls
};

const std::vector<DemoModel>& models() {
  static const std::vector<DemoModel> kModels{{"rope-60m", "rope", 0.85, 0.2},
                                              {"alibi-60m", "alibi", 0.0, 1.6},
                                              {"fope-60m", "fope", 0.3, 4.0},
                                              {"nope <b>60m</b>", "none", 0.7, 0.5}};
  return kModels;
}

class Writer {
 public:
  explicit Writer(SQLite::Database& db) : db_(db) {}

  struct Axes {
    std::optional<int> length;
    std::optional<double> depth;
  };

  std::int64_t cell(int model, int task, const Axes& axes, const std::string& status,
                    const std::string& message) {
    SQLite::Statement insert(db_,
                             "INSERT INTO cell(key, model_id, task_id, length, depth, seed, dtype, "
                             "status, message, run_id, device, "
                             "planned_samples, tokens, seconds) VALUES (?, ?, ?, ?, ?, 1, "
                             "'float32', ?, ?, 1, 'cpu', 20, 8192, 0.5)");
    insert.bind(1, "key" + std::to_string(++position_));
    insert.bind(2, model + 1);
    insert.bind(3, task + 1);
    if (axes.length) insert.bind(4, *axes.length);
    if (axes.depth) insert.bind(5, *axes.depth);
    insert.bind(6, status);
    insert.bind(7, message);
    insert.exec();
    const std::int64_t id = db_.getLastInsertRowid();
    SQLite::Statement shown(db_, "INSERT INTO suite_cell VALUES ('demo', ?, ?, ?, ?)");
    shown.bind(1, models().at(static_cast<std::size_t>(model)).name);
    shown.bind(2, std::array<const char*, 3>{"ppl", "passkey", "choice"}.at(
                      static_cast<std::size_t>(task)));
    shown.bind(3, id);
    shown.bind(4, position_);
    shown.exec();
    return id;
  }

  void metric(std::int64_t cell, const std::string& name, double value, double half_width, int n) {
    SQLite::Statement insert(db_, "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, cell);
    insert.bind(2, name);
    insert.bind(3, ++metric_position_);
    insert.bind(4, value);
    insert.bind(5, half_width / 1.96);
    insert.bind(6, value - half_width);
    insert.bind(7, value + half_width);
    insert.bind(8, n);
    const bool is_perplexity = name == "perplexity";
    insert.bind(9, is_perplexity ? "perplexity" : "share");
    insert.bind(10, is_perplexity ? "lower" : "higher");
    insert.bind(11, is_perplexity ? "logarithmic" : "linear");
    insert.exec();
  }

  void sample(std::int64_t cell, int index, const std::string& status) {
    SQLite::Statement insert(db_, "INSERT INTO sample VALUES (?, ?, 'd', ?, '', '{}', '{}')");
    insert.bind(1, cell);
    insert.bind(2, "s" + std::to_string(index));
    insert.bind(3, status);
    insert.exec();
  }

  void loss(std::int64_t cell, int first, int last, double mean) {
    SQLite::Statement insert(db_, "INSERT INTO sample_position_loss VALUES (?, 's0', ?, ?, ?, ?)");
    insert.bind(1, cell);
    insert.bind(2, first);
    insert.bind(3, last);
    insert.bind(4, mean * (last - first + 1));
    insert.bind(5, last - first + 1);
    insert.exec();
  }

 private:
  SQLite::Database& db_;
  int position_ = 0;
  int metric_position_ = 0;
};

void write_fixed_rows(SQLite::Database& db) {
  db.exec(
      "INSERT INTO run VALUES (1, 'demo', '2026-01-02T03:04:05Z', '2026-01-02T03:09:05Z', "
      "'yardstick run demo.yaml', "
      "'0.1.0', 'LibTorch', 'host', '{}')");
  for (const DemoModel& model : models()) {
    SQLite::Statement insert(
        db,
        "INSERT INTO model(fingerprint, architecture, encoding, parameters, weight_dtype, "
        "training_length, position_plan, tokenizer, bos) VALUES (?, 'llama', ?, 60300000, 'BF16', "
        "?, "
        "'{\"kind\":\"rope\",\"rope_theta\":10000.0}', 'BPE', 'none')");
    insert.bind(1, "print-" + model.name);
    insert.bind(2, model.encoding);
    insert.bind(3, kTrained);
    insert.exec();
  }
  db.exec(
      "INSERT INTO task VALUES (1, 't1', 'perplexity', 'disjoint, token-weighted', '{}', "
      "'perplexity', 'lower'),"
      "(2, 't2', 'passkey', 'passkey, greedy, exact match', '{}', 'accuracy', 'higher'),"
      "(3, 't3', 'multiple_choice', 'log-likelihood', '{}', 'acc', 'higher')");
}

double demo_perplexity(const DemoModel& model, int length) {
  const double in_range =
      24 * std::pow(kTrained / static_cast<double>(std::min(length, kTrained)), 0.08);
  return length <= kTrained
             ? in_range
             : in_range * std::pow(length / static_cast<double>(kTrained), model.growth);
}

double demo_accuracy(const DemoModel& model, int length, double depth) {
  const double ratio = std::max(1.0, length / static_cast<double>(kTrained));
  const double fall = std::pow(std::log2(ratio) / model.reach, 2) * (1.1 - depth);
  return std::round(20 * std::exp(-fall)) / 20;
}

void write_perplexity(Writer& writer, int m) {
  const DemoModel& model = models().at(static_cast<std::size_t>(m));
  for (const int length : kLengths) {
    if (m == 3 && length == 8192) {
      writer.cell(m, 0, {length, std::nullopt}, "failed",
                  "out of memory <script>alert(1)</script>");
      continue;
    }
    const std::int64_t id = writer.cell(m, 0, {length, std::nullopt}, "ok", "");
    const double value = demo_perplexity(model, length);
    writer.metric(id, "perplexity", value, 0.03 * value, 24);
    writer.sample(id, 0, "ok");
    for (int first = 1; first < length; first *= 2) {
      const int last = std::min(2 * first - 1, length - 1);
      writer.loss(id, first, last, std::log(demo_perplexity(model, std::max(first, 8))));
    }
  }
}

void write_passkey(Writer& writer, int m) {
  const DemoModel& model = models().at(static_cast<std::size_t>(m));
  for (const int length : kLengths) {
    for (const double depth : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      if (length == 128) {
        writer.cell(m, 1, {length, depth}, "skipped", "infeasible: needs at least 140 tokens");
        continue;
      }
      const std::int64_t id = writer.cell(m, 1, {length, depth}, "ok", "");
      writer.metric(id, "accuracy", demo_accuracy(model, length, depth), 0.1,
                    depth == 0.75 ? 4 : 20);
      writer.sample(id, 0, "ok");
      if (m == 0) writer.sample(id, 1, "nonfinite");
    }
  }
}

}  // namespace

void write_demo_store(const std::filesystem::path& file) {
  SQLite::Database db(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Transaction transaction(db);
  db.exec(harness::kSchema);
  db.exec(harness::kViews);
  db.exec("PRAGMA user_version = " + std::to_string(harness::kSchemaVersion));
  write_fixed_rows(db);
  Writer writer(db);
  for (int m = 0; m < 4; ++m) write_perplexity(writer, m);
  for (int m = 0; m < 4; ++m) write_passkey(writer, m);
  for (int m = 0; m < 3; ++m) {
    const std::int64_t id = writer.cell(m, 2, {}, "ok", "");
    for (const char* name : {"acc", "acc_char", "acc_byte", "acc_token"})
      writer.metric(id, name, 0.4 + 0.1 * m, 0.08, 200);
    writer.sample(id, 0, "ok");
  }
  writer.cell(3, 2, {}, "pending", "");
  transaction.commit();
}

}  // namespace yardstick::test
