#include "claims/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <rtindex/error.hpp>

#include "claims/claims.hpp"
#include "experiments/experiments.hpp"
#include "harness/records.hpp"

namespace rtindex::bench {

namespace fs = std::filesystem;

namespace {

// A machine's folder and its records; of each experiment its minutes and the files with it.
struct Machine {
  fs::path folder;
  std::vector<Record> records;
  std::map<std::string, double> minutes;
  std::map<std::string, std::set<std::string>> files;
};

Machine machine_in(const fs::path& folder) {
  Machine machine{.folder = folder};
  for (const fs::path& file : record_files(folder))
    for (Record& record : read_records(file)) {
      machine.minutes[record.experiment] += record.elapsed_s.value_or(0) / 60;
      machine.files[record.experiment].insert(file.string());
      machine.records.push_back(std::move(record));
    }
  return machine;
}

// Whether a machine has records of `rtindex bench`.
bool has_experiment(const Machine& machine) {
  return std::ranges::any_of(experiments(), [&](const Experiment& experiment) {
    return machine.files.contains(experiment.name);
  });
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
  std::erase_if(machines, [](const Machine& machine) { return !has_experiment(machine); });
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

// Of "results/here/" as of "results/here": "here".
std::string name_of(const fs::path& folder) {
  return folder.has_filename() ? folder.filename() : folder.parent_path().filename();
}

std::string row_of(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string head_of(const std::vector<std::string>& cells) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) rule += "---|";
  return row_of(cells) + rule + "\n";
}

// "0.4, `results/here/keys.jsonl`"; minutes are unknown where records have no times.
std::string measured_text(const Machine& machine, const std::string& experiment) {
  const auto files = machine.files.find(experiment);
  if (files == machine.files.end()) return "–";
  const double minutes = machine.minutes.at(experiment);
  const std::string time = minutes < 0.1 ? "< 0.1" : fmt::format("{:.1f}", minutes);
  return fmt::format("{}, `{}`", time, fmt::join(files->second, "`, `"));
}

std::string in_paper(const Experiment& experiment) {
  if (experiment.section.empty()) return "–";
  if (experiment.figure == "text") return experiment.section;
  return fmt::format("{}, `{}`", experiment.section, experiment.figure);
}

// "Other claims need `rtindex bench keys`, ..."; empty if none is missing.
std::string missing_text(const std::set<std::string>& missing) {
  std::vector<std::string> commands;
  for (const Experiment& experiment : experiments())
    if (missing.contains(experiment.name))
      commands.push_back(fmt::format("`{} {}`", experiment.command, experiment.name));
  if (commands.empty()) return {};
  return fmt::format("\nOther claims need {}.\n", fmt::join(commands, ", "));
}

}  // namespace

std::string figure_table(const fs::path& results) {
  const std::vector<Machine> machines = machines_in(results);
  std::vector<std::string> head = {"in the paper", "question", "command"};
  for (const Machine& machine : machines)
    head.push_back(fmt::format("minutes and file, {}", name_of(machine.folder)));
  std::string text = head_of(head);
  for (const Experiment& experiment : experiments()) {
    const auto is_measured = [&](const Machine& machine) {
      return machine.files.contains(experiment.name);
    };
    if (std::ranges::none_of(machines, is_measured)) continue;
    std::vector<std::string> row = {in_paper(experiment), experiment.question,
                                    fmt::format("`{} {}`", experiment.command, experiment.name)};
    for (const Machine& machine : machines) row.push_back(measured_text(machine, experiment.name));
    text += row_of(row);
  }
  return text;
}

std::string claim_table(const fs::path& results) {
  std::vector<Record> records;
  for (const Machine& machine : machines_in(results))
    records.insert(records.end(), machine.records.begin(), machine.records.end());
  const Figures published = published_figures("RTX 4090");
  std::vector<Figures> ours = figures_of(records);
  // Machines with other experiments than those of the claims.
  std::erase_if(ours, [](const Figures& figures) {
    return std::ranges::none_of(
        claims(), [&](const Claim& claim) { return verdict(claim, figures).has_records; });
  });
  if (ours.empty()) return "No claim of the paper is about these experiments.\n";
  std::vector<std::string> head = {"section", "claim", "number", "holds if", "published, RTX 4090"};
  for (const Figures& figures : ours) {
    head.push_back(figures.name());
    head.emplace_back("verdict");
  }
  std::string text = head_of(head);
  std::set<std::string> missing;
  for (const Claim& claim : claims()) {
    std::vector<std::string> row = {claim.section, claim.sentence, claim.number, claim.condition,
                                    number_text(claim, claim.published(published), published)};
    bool is_measured = false;
    std::set<std::string> needed;
    for (const Figures& figures : ours) {
      const Verdict found = verdict(claim, figures);
      row.push_back(number_text(claim, claim.quantity(figures), figures));
      row.push_back(found.text);
      is_measured = is_measured || found.has_records;
      if (!found.missing.empty()) needed.insert(found.missing);
    }
    if (is_measured)
      text += row_of(row);
    else
      missing.merge(needed);
  }
  return text + missing_text(missing);
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
