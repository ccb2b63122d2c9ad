#include "harness/store/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace yardstick::harness {
namespace {

using nlohmann::json;

std::string_view to_text(tasks::SampleStatus status) {
  switch (status) {
    case tasks::SampleStatus::kOk: return "ok";
    case tasks::SampleStatus::kNonFinite: return "nonfinite";
    case tasks::SampleStatus::kSkipped: return "skipped";
  }
  return "skipped";
}

tasks::SampleStatus to_status(std::string_view text) {
  if (text == "ok") return tasks::SampleStatus::kOk;
  if (text == "nonfinite") return tasks::SampleStatus::kNonFinite;
  return tasks::SampleStatus::kSkipped;
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json to_json(const std::map<std::string, double>& values) {
  json object = json::object();
  for (const auto& [name, value] : values) {
    // A whole number is written as one, which is shorter and easier on people.
    if (std::nearbyint(value) == value && std::abs(value) < 1e15 && !std::signbit(value))
      object[name] = static_cast<std::int64_t>(value);
    else
      object[name] = value;
  }
  return object;
}

std::map<std::string, double> to_values(const std::string& text) {
  std::map<std::string, double> values;
  const json parsed = json::parse(text);
  for (const auto& [name, value] : parsed.items()) {
    values[name] = value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  }
  return values;
}

void bind_optional(SQLite::Statement& statement, int index, std::optional<double> value) {
  if (value && !std::isnan(*value))
    statement.bind(index, *value);
  else
    statement.bind(index);
}

}  // namespace

void insert_samples(SQLite::Database& database, std::int64_t cell_id,
                    const std::vector<tasks::SampleScore>& scores) {
  SQLite::Statement sample(database, "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?)");
  SQLite::Statement loss(database, "INSERT INTO sample_position_loss VALUES (?, ?, ?, ?, ?, ?)");
  for (const tasks::SampleScore& score : scores) {
    sample.bind(1, cell_id);
    sample.bind(2, score.sample_id);
    sample.bind(3, score.document_id);
    sample.bind(4, std::string(to_text(score.status)));
    sample.bind(5, score.reason);
    sample.bind(6, dump(to_json(score.values)));
    sample.bind(7, dump(score.details));
    sample.exec();
    sample.reset();
    for (const tasks::PositionLoss& bucket : score.position_losses) {
      loss.bind(1, cell_id);
      loss.bind(2, score.sample_id);
      loss.bind(3, bucket.first);
      loss.bind(4, bucket.last);
      loss.bind(5, bucket.sum_nll);
      loss.bind(6, bucket.count);
      loss.exec();
      loss.reset();
    }
  }
}

namespace {

/// Of a sample's details what an aggregate goes by; a prompt and its choices take the most room.
json category_of(const std::string& details) {
  const auto keep = [](int depth, json::parse_event_t event, const json& parsed) {
    return depth != 1 || event != json::parse_event_t::key || parsed == "category";
  };
  return json::parse(details, keep);
}

/// Where each id stands in the order of aggregation.
class Places {
 public:
  explicit Places(const std::vector<std::string>& planned) : planned_(planned) {
    sorted_.reserve(planned.size());
    for (std::size_t i = 0; i < planned.size(); ++i) sorted_.push_back(i);
    std::sort(sorted_.begin(), sorted_.end(),
              [&](std::size_t a, std::size_t b) { return planned_[a] < planned_[b]; });
  }

  [[nodiscard]] std::optional<std::size_t> find(const std::string& id) const {
    const auto found = std::lower_bound(
        sorted_.begin(), sorted_.end(), id,
        [&](std::size_t at, const std::string& wanted) { return planned_[at] < wanted; });
    if (found == sorted_.end() || planned_[*found] != id) return std::nullopt;
    return *found;
  }

 private:
  const std::vector<std::string>& planned_;
  std::vector<std::size_t> sorted_;
};

}  // namespace

std::vector<tasks::SampleScore> read_samples(SQLite::Database& database, std::int64_t cell_id,
                                             const std::vector<std::string>& planned) {
  const Places places(planned);
  std::vector<tasks::SampleScore> ordered(planned.size());
  SQLite::Statement sample(database,
                           "SELECT sample_id, document_id, status, reason, \"values\", details "
                           "FROM sample WHERE cell_id = ?");
  sample.bind(1, cell_id);
  while (sample.executeStep()) {
    const std::string id = sample.getColumn(0).getString();
    const std::optional<std::size_t> place = places.find(id);
    if (!place) continue;
    tasks::SampleScore& score = ordered[*place];
    score.sample_id = id;
    score.document_id = sample.getColumn(1).getString();
    score.status = to_status(sample.getColumn(2).getString());
    score.reason = sample.getColumn(3).getString();
    score.values = to_values(sample.getColumn(4).getString());
    score.details = category_of(sample.getColumn(5).getString());
  }
  for (std::size_t i = 0; i < planned.size(); ++i) {
    check(ordered[i].sample_id == planned[i],
          fmt::format("sample '{}' is stored before its cell ends", planned[i]));
  }
  SQLite::Statement loss(database,
                         "SELECT sample_id, first, last, sum_nll, count FROM sample_position_loss "
                         "WHERE cell_id = ? ORDER BY sample_id, first");
  loss.bind(1, cell_id);
  while (loss.executeStep()) {
    const std::optional<std::size_t> place = places.find(loss.getColumn(0).getString());
    if (!place) continue;
    ordered[*place].position_losses.push_back(
        {loss.getColumn(1).getInt64(), loss.getColumn(2).getInt64(), loss.getColumn(3).getDouble(),
         loss.getColumn(4).getInt64()});
  }
  return ordered;
}

void replace_metrics(SQLite::Database& database, std::int64_t cell_id,
                     const std::vector<tasks::MetricValue>& metrics) {
  SQLite::Statement clear(database, "DELETE FROM metric WHERE cell_id = ?");
  clear.bind(1, cell_id);
  clear.exec();
  SQLite::Statement insert(database, "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const tasks::MetricValue& metric = metrics[i];
    insert.bind(1, cell_id);
    insert.bind(2, metric.name);
    insert.bind(3, static_cast<std::int64_t>(i));
    bind_optional(insert, 4, metric.value);
    bind_optional(insert, 5, metric.standard_error);
    bind_optional(insert, 6, metric.ci_low);
    bind_optional(insert, 7, metric.ci_high);
    insert.bind(8, metric.n);
    insert.bind(9, std::string(to_string(metric.meaning.unit)));
    insert.bind(10, std::string(to_string(metric.meaning.better)));
    insert.bind(11, std::string(to_string(metric.meaning.scale)));
    insert.exec();
    insert.reset();
  }
}

}  // namespace yardstick::harness
