#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "cli/bench/claims.hpp"
#include "cli/bench/result_tables.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/verbs.hpp"
#include "experiments/experiments.hpp"
#include "experiments/listing.hpp"
#include "harness/published.hpp"
#include "harness/session.hpp"

namespace rtindex::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> names;
  std::string scale = "laptop";
  std::vector<std::string> indexes;
  double limit_s = 300;
  int runs = 5;
  std::string output;
  std::string column_file;
  std::string note;
  bool go_on = false;
  bool list = false;
  bool json = false;
};

void print_list(bool json) {
  if (json) return fmt::print("{}\n", bench::experiments_as_json().dump(1));
  Table table({"experiment", "section", "figure", "question"});
  for (const bench::Experiment& experiment : bench::experiments())
    table.add({experiment.name, experiment.section.empty() ? "ours" : experiment.section,
               experiment.figure, experiment.question + (experiment.needs.empty() ? "" : " *")});
  fmt::print("{}\n", table.text());
  for (const bench::Experiment& experiment : bench::experiments())
    if (!experiment.needs.empty())
      fmt::print("* {}: needs {}\n", experiment.name, experiment.needs);
}

std::vector<const bench::Experiment*> chosen(const std::vector<std::string>& names) {
  std::vector<const bench::Experiment*> experiments;
  for (const std::string& name : names) {
    if (name != "all") {
      experiments.push_back(&bench::experiment_named(name));
      continue;
    }
    for (const bench::Experiment& experiment : bench::experiments())
      experiments.push_back(&experiment);
  }
  return experiments;
}

// The file that an experiment's records go to: the one named, or one of its own in a folder.
std::string file_for(const std::string& output, const std::string& experiment) {
  const bool is_folder = output.ends_with('/') || fs::is_directory(output);
  return is_folder ? (fs::path(output) / (experiment + ".jsonl")).string() : output;
}

std::string command_of(const std::string& experiment, const Options& options) {
  std::string command = fmt::format("rtindex bench {} --scale {}", experiment, options.scale);
  for (const std::string& index : options.indexes) command += " --index " + index;
  if (!options.column_file.empty()) command += " --column " + options.column_file;
  return command;
}

// Records that an earlier run left in the file, for a run that goes on with it.
std::vector<bench::Record> known_records(const std::string& file, bool go_on) {
  if (file.empty() || !fs::exists(file)) return {};
  if (!go_on)
    throw Error(file + " is there already: --continue measures what is missing in it, or name " +
                "another file");
  return bench::read_records(file);
}

// One experiment under way, with the file that its records go to.
struct Job {
  const bench::Experiment* experiment;
  std::unique_ptr<bench::Records> records;
  std::unique_ptr<bench::Session> session;
};

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {
    const bench::Settings settings = settings_of(options);
    std::vector<std::pair<std::string, std::vector<bench::Record>>> known;
    for (const bench::Experiment* experiment : chosen(options.names)) {
      const std::string file = file_for(options.output, experiment->name);
      const bool is_new = std::none_of(known.begin(), known.end(),
                                       [&](const auto& entry) { return entry.first == file; });
      if (is_new) known.emplace_back(file, known_records(file, options.go_on));
      const auto& records = std::find_if(known.begin(), known.end(), [&](const auto& entry) {
                              return entry.first == file;
                            })->second;
      add(experiment, settings, file, records);
    }
  }

  void all() {
    const InterruptGuard guard;
    Progress progress("experiments", points_);
    progress_ = &progress;
    std::string tables;
    for (Job& job : jobs_) {
      progress.rename(job.experiment->name);
      job.session->run(*job.experiment);
      tables += result_tables(*job.experiment, job.session->results(job.experiment->name),
                              bench::published_records());
    }
    progress.finish();
    fmt::print("{}", tables);
  }

 private:
  static bench::Settings settings_of(const Options& options) {
    bench::Settings settings;
    settings.scale = bench::scale_named(options.scale);
    settings.contestants = options.indexes.empty() ? bench::default_contestants()
                                                   : bench::contestants_of(options.indexes);
    if (options.indexes.empty()) settings.substitutes = bench::default_ray_tracers();
    settings.effort = {.runs = options.runs, .limit_s = options.limit_s};
    settings.column_file = options.column_file;
    settings.note = options.note;
    return settings;
  }

  void add(const bench::Experiment* experiment, const bench::Settings& settings,
           const std::string& file, const std::vector<bench::Record>& known) {
    Job job{.experiment = experiment};
    job.records = std::make_unique<bench::Records>(file, command_of(experiment->name, options_));
    job.session = std::make_unique<bench::Session>(
        settings, *job.records, known, [this](const bench::Experiment&, const bench::Where&) {
          check_interrupt();
          progress_->set(done_++);
        });
    points_ += job.session->points_to_measure(*experiment);
    jobs_.push_back(std::move(job));
  }

  void check_interrupt() const {
    try {
      InterruptGuard::check();
    } catch (const Interrupted&) {
      throw Interrupted(
          options_.output.empty()
              ? "interrupted; -o FILE would have kept what was measured"
              : fmt::format("interrupted; {} has what was measured, --continue goes on",
                            options_.output));
    }
  }

  const Options& options_;
  std::vector<Job> jobs_;
  std::size_t points_ = 0;
  std::size_t done_ = 0;
  Progress* progress_ = nullptr;
};

void run(const Options& options) {
  if (options.list) return print_list(options.json);
  if (options.names.empty())
    throw Error("name an experiment, or all; `rtindex bench --list` shows them");
  if (options.go_on && options.output.empty())
    throw Error("--continue needs -o FILE: the file of the run to go on with");
  Run(options).all();
}

constexpr const char* examples = R"(Examples:
  rtindex bench --list
      Every experiment, with the figure of the paper that it repeats.
  rtindex bench hit-rate
      The paper's experiment in minutes, with the published figures beside ours.
  rtindex bench hit-rate --scale paper --index rx:optix --index hash@cuda -o hit-rate.jsonl
      The paper's sizes, two indexes, records kept.
  rtindex bench all --scale laptop -o results/my-machine/ --continue
      Everything, one file per experiment; what is measured already is not measured again.
  rtindex bench claims results/
      Which claims of the paper the records bear out.)";

}  // namespace

void add_bench(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("bench", "Run the experiments of the paper.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("experiment", options->names, "Names of experiments, or all")->type_name("NAME");
  verb->add_option("--scale", options->scale,
                   "smoke (seconds), laptop (minutes) or paper (the paper's sizes)")
      ->type_name("SCALE")
      ->capture_default_str();
  verb->add_option("--index", options->indexes,
                   "An index to take part; again for more. Default: all that are usable here")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  verb->add_option("--limit", options->limit_s, "Seconds after which a point is given up")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--runs", options->runs, "Runs of each point after a warm-up")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--column", options->column_file, "A column file for `real-data`")
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output,
                   "Where records go: a file, or a folder with one file per experiment")
      ->type_name("PATH");
  verb->add_flag("--continue", options->go_on, "Measure what is missing in the output only");
  verb->add_option("--note", options->note, "Words about the circumstances, kept in the records")
      ->type_name("TEXT");
  verb->add_flag("--list", options->list, "List the experiments");
  verb->add_flag("--json", options->json, "List them as JSON")->needs("--list");
  verb->footer(examples);
  add_claims(*verb);
  verb->callback([options, verb] {
    if (verb->get_subcommands().empty()) run(*options);
  });
}

}  // namespace rtindex::cli
