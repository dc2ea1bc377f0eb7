#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include <rtindex/rtindex.hpp>

#include "cli/bench/bench.hpp"
#include "cli/table.hpp"
#include "cli/verbs.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::cli {

namespace {

using Options = BenchOptions;

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

void run(const Options& options) {
  if (options.list) return print_list(options.json);
  if (options.names.empty())
    throw Error("missing experiment: pass a name or all; `rtindex bench --list` shows them");
  if (options.go_on && options.output.empty())
    throw Error("--continue needs -o FILE, the output of the run to continue");
  if (options.dry_run) return print_remaining_points(options);
  run_experiments(options);
}

// CLI11's own check prints the largest double.
const CLI::Validator above_zero(
    [](const std::string& text) -> std::string {
      double number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool is_number = error == std::errc() && end == text.data() + text.size();
      if (is_number && std::isfinite(number) && number > 0) return {};
      return "expected a number above 0, got '" + text + "'";
    },
    "");

constexpr const char* bench_examples = R"(Examples:
  rtindex bench --list
      Every experiment, with the figure of the paper that it reproduces.
  rtindex bench hit-rate
      One experiment in minutes, with the published figures below ours.
  rtindex bench hit-rate --scale paper --index rx:optix --index hash@cuda -o hit-rate.jsonl
      The paper's sizes, two indexes, records in a file.
  rtindex bench all --scale laptop -o results/my-machine/ --continue
      Everything, one file per experiment; skips points that the files already contain.
  rtindex bench hit-rate ranges --scale paper --minutes 10 -o results/my-gpu/ --continue
      As many points as ten minutes allow; run the same command again to continue.
  rtindex bench claims results/
      Which claims of the paper the records support.)";

}  // namespace

void add_bench(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("bench", "Run the experiments of the paper.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("experiment", options->names, "Experiments to run, or all")->type_name("NAME");
  verb->add_option("--scale", options->scale,
                   "smoke (seconds), laptop (minutes) or paper (the paper's sizes)")
      ->type_name("SCALE")
      ->capture_default_str();
  verb->add_option("--index", options->indexes,
                   "An index to measure; repeatable. Default: every available index")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  verb->add_option("--limit", options->limit_s,
                   "Time limit of a batch, in seconds; longer ones are recorded as timed out")
      ->type_name("SECONDS")
      ->check(above_zero)
      ->capture_default_str();
  verb->add_option("--runs", options->runs, "Runs per point, after a warm-up")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--runs-limit", options->runs_limit_s,
                   "Time limit of all runs of a point, in seconds; beyond it there is one run")
      ->type_name("SECONDS")
      ->check(above_zero)
      ->capture_default_str();
  verb->add_option("--column", options->column_file, "The column of the experiment real-data")
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output,
                   "Output of records: a file, or a folder with one file per experiment;\n"
                   "of FOLDER/NAME/ the last folder is created if it is missing")
      ->type_name("PATH");
  verb->add_flag("--continue", options->go_on,
                 "Measure only the points that the output does not contain yet");
  verb->add_option("--minutes", options->minutes, "Start no new point after N minutes")
      ->type_name("N")
      ->check(above_zero);
  verb->add_flag("--dry-run", options->dry_run, "Count the remaining points, measure nothing");
  verb->add_option("--note", options->note, "A note to store in the records")->type_name("TEXT");
  verb->add_flag("--profiled", options->profiled,
                 "Run profiles under Nsight Compute; used by scripts/profile.sh");
  verb->add_flag("--list", options->list, "List the experiments");
  verb->add_flag("--json", options->json, "With --list: print JSON")->needs("--list");
  verb->footer(bench_examples);
  add_claims(*verb);
  add_profiles(*verb);
  verb->callback([options, verb] {
    if (verb->get_subcommands().empty()) run(*options);
  });
}

}  // namespace rtindex::cli
