#include "cli/bench/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include <rtindex/error.hpp>

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "experiments/experiments.hpp"
#include "harness/records.hpp"
#include "harness/session.hpp"

namespace rtindex::cli {

namespace {

namespace fs = std::filesystem;

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

// The file of an experiment's records: the output itself, or a file in that folder.
std::string file_for(const std::string& output, const std::string& experiment) {
  const bool is_folder = output.ends_with('/') || fs::is_directory(output);
  return is_folder ? (fs::path(output) / (experiment + ".jsonl")).string() : output;
}

std::string command_of(const std::string& experiment, const BenchOptions& options) {
  std::string command = fmt::format("{} {} --scale {}", bench::experiment_named(experiment).command,
                                    experiment, options.scale);
  for (const std::string& index : options.indexes) command += " --index " + index;
  const BenchOptions usual;
  if (options.limit_s != usual.limit_s) command += fmt::format(" --limit {}", options.limit_s);
  if (options.runs_limit_s != usual.runs_limit_s)
    command += fmt::format(" --runs-limit {}", options.runs_limit_s);
  if (options.runs != usual.runs) command += fmt::format(" --runs {}", options.runs);
  if (!options.column_file.empty()) command += " --column " + options.column_file;
  return command;
}

// The records of an earlier run, for --continue.
std::vector<bench::Record> known_records(const std::string& file, bool go_on) {
  if (file.empty() || !fs::exists(file)) return {};
  if (!go_on)
    throw Error(file + " already exists: pass --continue to add missing points, or another file");
  return bench::read_records(file);
}

// One experiment with the file of its records.
struct Job {
  const bench::Experiment* experiment;
  std::unique_ptr<bench::Records> records;
  std::unique_ptr<bench::Session> session;
};

// The limit of --minutes has passed.
struct TimeIsUp {};

class Run {
 public:
  explicit Run(const BenchOptions& options) : options_(options) {
    const bench::Settings settings = settings_of(options);
    if (!options.dry_run) require_available(options, settings);
    const std::vector<const bench::Experiment*> experiments = chosen(options.names);
    if (!options.dry_run && options.output.ends_with('/')) bench::make_last_folder(options.output);
    std::vector<std::pair<std::string, std::vector<bench::Record>>> known;
    for (const bench::Experiment* experiment : experiments) {
      const std::string file = file_for(options.output, experiment->name);
      const bool is_new = std::none_of(known.begin(), known.end(),
                                       [&](const auto& entry) { return entry.first == file; });
      if (is_new) known.emplace_back(file, known_records(file, options.go_on || options.dry_run));
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
      const bool in_time = run(job);
      tables += result_tables(*job.experiment, job.session->results(job.experiment->name),
                              bench::published_records());
      if (!in_time) break;
    }
    progress.finish();
    fmt::print("{}", tables);
    if (done_ < points_)
      fmt::print("{} of {} points remain; {}.\n", points_ - done_, points_,
                 options_.output.empty() ? "pass -o PATH to be able to continue later"
                                         : "run the same command with --continue");
  }

  void print_remaining() {
    for (Job& job : jobs_)
      fmt::print("{} {}\n", job.experiment->name, job.session->points_to_measure(*job.experiment));
  }

 private:
  using Clock = std::chrono::steady_clock;

  static bool run(Job& job) {
    try {
      job.session->run(*job.experiment);
      return true;
    } catch (const TimeIsUp&) {
      return false;
    }
  }

  // A named index or experiment that is not available is an error, not a record, because points
  // with records are skipped later. (Before a profiled run, its script has checked that.)
  static void require_available(const BenchOptions& options, const bench::Settings& settings) {
    if (!options.indexes.empty() && !options.profiled)
      bench::require_available(settings.contestants);
    const bool by_name =
        std::find(options.names.begin(), options.names.end(), "real-data") != options.names.end();
    if (by_name || !options.column_file.empty()) bench::require_real_data(options.column_file);
  }

  static bench::Settings settings_of(const BenchOptions& options) {
    bench::Settings settings;
    settings.scale = bench::scale_named(options.scale);
    settings.contestants = options.indexes.empty() ? bench::default_contestants()
                                                   : bench::contestants_of(options.indexes);
    if (options.indexes.empty()) settings.substitutes = bench::default_ray_tracers();
    settings.effort = {
        .runs = options.runs, .limit_s = options.limit_s, .runs_limit_s = options.runs_limit_s};
    settings.column_file = options.column_file;
    settings.note = options.note;
    settings.profiled = options.profiled;
    return settings;
  }

  void add(const bench::Experiment* experiment, const bench::Settings& settings,
           const std::string& file, const std::vector<bench::Record>& known) {
    Job job{.experiment = experiment};
    job.records = std::make_unique<bench::Records>(options_.dry_run ? std::string() : file,
                                                   command_of(experiment->name, options_));
    job.session = std::make_unique<bench::Session>(
        settings, *job.records, known, [this](const bench::Experiment&, const bench::PointId&) {
          check_interrupt();
          check_time();
          progress_->set(done_++);
        });
    points_ += job.session->points_to_measure(*experiment);
    jobs_.push_back(std::move(job));
  }

  void check_time() const {
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    if (options_.minutes && elapsed.count() > *options_.minutes * 60) throw TimeIsUp();
  }

  void check_interrupt() const {
    try {
      InterruptGuard::check();
    } catch (const Interrupted&) {
      throw Interrupted(
          options_.output.empty()
              ? "interrupted; results are lost without -o FILE"
              : fmt::format("interrupted; {} has the results so far, --continue resumes",
                            options_.output));
    }
  }

  const BenchOptions& options_;
  Clock::time_point start_ = Clock::now();
  std::vector<Job> jobs_;
  std::size_t points_ = 0;
  std::size_t done_ = 0;
  Progress* progress_ = nullptr;
};

}  // namespace

void run_experiments(const BenchOptions& options) { Run(options).all(); }

void print_remaining_points(const BenchOptions& options) { Run(options).print_remaining(); }

}  // namespace rtindex::cli
