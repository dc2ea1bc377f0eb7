#include "claims/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include <rtindex/error.hpp>

#include "claims/claims.hpp"
#include "experiments/experiments.hpp"
#include "harness/records.hpp"

namespace rtindex::bench {

namespace fs = std::filesystem;

namespace {

// A machine's folder, its records, and the minutes that its experiments took.
struct Machine {
  std::string folder;
  std::vector<Record> records;
  std::map<std::string, double> minutes;
};

Machine machine_in(const fs::path& folder) {
  const fs::path plain = folder.has_filename() ? folder : folder.parent_path();
  Machine machine{.folder = plain.filename(), .records = read_records(folder)};
  for (const Record& record : machine.records)
    if (record.elapsed_s) machine.minutes[record.experiment] += *record.elapsed_s / 60;
  return machine;
}

// A folder of records per machine, or the records of one.
std::vector<Machine> machines_in(const fs::path& results) {
  if (!fs::is_directory(results))
    throw Error(results.string() +
                " is not a folder: expected one with a folder of records per machine");
  std::vector<Machine> machines;
  for (const auto& entry : fs::directory_iterator(results)) {
    if (!entry.is_directory() || entry.path().filename() == "paper") continue;
    machines.push_back(machine_in(entry.path()));
  }
  if (machines.empty()) machines.push_back(machine_in(results));
  std::erase_if(machines, [](const Machine& machine) { return machine.minutes.empty(); });
  if (machines.empty())
    throw Error(
        results.string() +
        " has no records: expected a folder that `rtindex bench -o` wrote, or one with such "
        "a folder per machine");
  std::sort(machines.begin(), machines.end(),
            [](const Machine& a, const Machine& b) { return a.folder < b.folder; });
  return machines;
}

// A number and, for claims that allow several x values, the one it was measured at.
std::string number_text(const Claim& claim, const Quantity& quantity, const Figures& figures) {
  if (!quantity) return "–";
  const std::string x = claim.measured_at ? claim.measured_at(figures) : std::string();
  return fmt::format("{:.2f}{}{}", *quantity, x.empty() ? "" : " at ", x);
}

std::string row_of(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string head_of(const std::vector<std::string>& cells) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) rule += "---|";
  return row_of(cells) + rule + "\n";
}

std::string minutes_text(double minutes) {
  return minutes < 0.1 ? "< 0.1" : fmt::format("{:.1f}", minutes);
}

}  // namespace

std::string figure_table(const fs::path& results) {
  const std::vector<Machine> machines = machines_in(results);
  std::vector<std::string> head = {"in the paper", "question", "command"};
  for (const Machine& machine : machines)
    head.push_back(fmt::format("minutes, file in `results/{}/`", machine.folder));
  std::string text = head_of(head);
  for (const Experiment& experiment : experiments()) {
    const std::string in_paper =
        experiment.section.empty() ? "–"
        : experiment.figure == "text"
            ? experiment.section
            : fmt::format("{}, `{}`", experiment.section, experiment.figure);
    std::vector<std::string> row = {in_paper, experiment.question,
                                    fmt::format("`{} {}`", experiment.command, experiment.name)};
    for (const Machine& machine : machines) {
      const auto minutes = machine.minutes.find(experiment.name);
      row.push_back(
          minutes == machine.minutes.end()
              ? "–"
              : fmt::format("{}, `{}.jsonl`", minutes_text(minutes->second), experiment.name));
    }
    text += row_of(row);
  }
  return text;
}

std::string claim_table(const fs::path& results) {
  std::vector<Record> records;
  for (const Machine& machine : machines_in(results))
    records.insert(records.end(), machine.records.begin(), machine.records.end());
  const Figures published = published_figures("RTX 4090");
  const std::vector<Figures> ours = figures_of(records);
  std::vector<std::string> head = {"section", "claim", "number", "holds if", "published, RTX 4090"};
  for (const Figures& figures : ours) {
    head.push_back(figures.name());
    head.emplace_back("verdict");
  }
  std::string text = head_of(head);
  for (const Claim& claim : claims()) {
    std::vector<std::string> row = {claim.section, claim.sentence, claim.number, claim.condition,
                                    number_text(claim, claim.published(published), published)};
    for (const Figures& figures : ours) {
      row.push_back(number_text(claim, claim.quantity(figures), figures));
      row.push_back(verdict(claim, figures));
    }
    text += row_of(row);
  }
  return text;
}

std::string with_block(const std::string& text, const std::string& name, const std::string& block) {
  const std::string open = "<!-- " + name + " -->\n";
  const std::string close = "<!-- end of " + name + " -->";
  const std::size_t start = text.find(open);
  const std::size_t end = text.find(close);
  if (start == std::string::npos || end == std::string::npos || end < start)
    throw Error("cannot insert " + name + ": expected the lines " + open + "and " + close);
  return text.substr(0, start + open.size()) + block + text.substr(end);
}

}  // namespace rtindex::bench
