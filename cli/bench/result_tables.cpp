#include "cli/bench/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "cli/table.hpp"

namespace rtindex::cli {

namespace {

using bench::Experiment;
using bench::Record;

// Four significant digits, without an exponent.
std::string number_text(double value) {
  if (value == 0) return "0";
  const int digits = 3 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, std::clamp(digits, 0, 6));
}

std::string cell_text(const Record& record) {
  return record.ok() ? number_text(*record.value) : "–";
}

// The columns of a table: x values in ascending order, then categories in order of appearance.
class Columns {
 public:
  void add(const Record& record) {
    if (record.x)
      numbers_.insert(*record.x);
    else if (std::find(names_.begin(), names_.end(), record.category) == names_.end())
      names_.push_back(record.category);
  }
  [[nodiscard]] std::vector<std::string> headings(const Experiment& experiment) const {
    const bool is_power = experiment.x && experiment.x->name.starts_with("log2_");
    std::vector<std::string> headings;
    for (const double number : numbers_)
      headings.push_back((is_power ? "2^" : "") + fmt::format("{:g}", number));
    headings.insert(headings.end(), names_.begin(), names_.end());
    return headings;
  }
  [[nodiscard]] std::size_t column_of(const Record& record) const {
    if (record.x)
      return static_cast<std::size_t>(std::distance(numbers_.begin(), numbers_.find(*record.x)));
    const auto name = std::find(names_.begin(), names_.end(), record.category);
    return numbers_.size() + static_cast<std::size_t>(name - names_.begin());
  }

 private:
  std::set<double> numbers_;
  std::vector<std::string> names_;
};

struct Row {
  std::string series;
  std::vector<std::string> cells;
};

// "RX, RTX 4090" for a published series, the series itself for ours.
std::string row_name(const Record& record) {
  if (record.source.empty()) return record.series;
  return fmt::format("{} ({})", record.series, record.machine.value("gpu", "published"));
}

std::string table_of(const Experiment& experiment, const std::string& label,
                     const std::vector<const Record*>& records) {
  Columns columns;
  for (const Record* record : records) columns.add(*record);
  const std::vector<std::string> headings = columns.headings(experiment);
  std::vector<Row> rows;
  for (const Record* record : records) {
    const std::string name = row_name(*record);
    auto row =
        std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.series == name; });
    if (row == rows.end())
      row = rows.insert(rows.end(), {name, std::vector<std::string>(headings.size(), "")});
    row->cells[columns.column_of(*record)] = cell_text(*record);
  }
  std::vector<std::string> header = {experiment.x ? experiment.x->label : "case"};
  constexpr std::size_t many = 6;
  if (!experiment.x && headings.size() > many && headings.size() > rows.size()) {
    // Many cases and few series: a row per case.
    for (const Row& row : rows) header.push_back(row.series);
    Table table(std::move(header));
    for (std::size_t i = 0; i < headings.size(); ++i) {
      std::vector<std::string> line = {headings[i]};
      for (const Row& row : rows) line.push_back(row.cells[i]);
      table.add(std::move(line));
    }
    return fmt::format("{}\n{}\n", label, table.text(2));
  }
  header.insert(header.end(), headings.begin(), headings.end());
  Table table(std::move(header));
  for (Row& row : rows) {
    row.cells.insert(row.cells.begin(), row.series);
    table.add(std::move(row.cells));
  }
  return fmt::format("{}\n{}\n", label, table.text(2));
}

// Every reason once, with its series.
std::string reasons_of(const std::vector<Record>& records) {
  std::vector<std::pair<std::string, std::set<std::string>>> reasons;
  for (const Record& record : records) {
    if (record.ok()) continue;
    const std::string reason = record.status + ": " + record.reason;
    auto known = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& entry) { return entry.first == reason; });
    if (known == reasons.end()) known = reasons.insert(reasons.end(), {reason, {}});
    known->second.insert(record.series);
  }
  std::string text;
  for (const auto& [reason, series] : reasons)
    text += fmt::format("  {}: {}\n", fmt::join(series, "; "), reason);
  return text.empty() ? text : "missing values:\n" + text + "\n";
}

// The paper's main machine; all of them for experiments that compare machines.
bool is_comparable(const Record& published, const Experiment& experiment) {
  return published.experiment == experiment.name &&
         (experiment.compares_machines || published.machine.value("gpu", "") == "RTX 4090");
}

}  // namespace

std::string result_tables(const Experiment& experiment, const std::vector<Record>& ours,
                          const std::vector<Record>& published) {
  const std::string source =
      experiment.figure == "none"
          ? ""
          : fmt::format(" ({}{}{})", experiment.figure,
                        experiment.section.empty() ? "" : ", section ", experiment.section);
  std::string text = fmt::format("{}{}: {}\n\n", experiment.name, source, experiment.question);
  const bool has_published =
      std::any_of(published.begin(), published.end(),
                  [&](const Record& record) { return is_comparable(record, experiment); });
  if (has_published)
    text +=
        "RX, HT, B+, SA: RTIndeX, PVLDB 16, at 2^26 keys and 2^27 lookups unless the axis says\n"
        "otherwise.\n\n";
  for (const bench::Metric& metric : experiment.metrics) {
    std::vector<const Record*> chosen;
    for (const Record& record : ours)
      if (record.metric == metric.name) chosen.push_back(&record);
    const bool is_measured =
        std::any_of(chosen.begin(), chosen.end(), [](const Record* r) { return r->ok(); });
    for (const Record& record : published)
      if (is_comparable(record, experiment) && record.metric == metric.name)
        chosen.push_back(&record);
    if (is_measured) text += table_of(experiment, metric.label, chosen);
  }
  return text + reasons_of(ours);
}

}  // namespace rtindex::cli
