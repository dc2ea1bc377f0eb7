#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include <rtindex/rtindex.hpp>

#include "cli/bench/claims.hpp"
#include "cli/bench/profiles.hpp"
#include "cli/bench/runner.hpp"
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
    throw Error("name an experiment, or all; `rtindex bench --list` shows them");
  if (options.go_on && options.output.empty())
    throw Error("--continue needs -o FILE: the file of the run to go on with");
  if (options.left) return print_points_left(options);
  run_experiments(options);
}

// CLI11's own check prints the largest double.
const CLI::Validator above_zero(
    [](const std::string& text) -> std::string {
      double number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool is_number = error == std::errc() && end == text.data() + text.size();
      if (is_number && std::isfinite(number) && number > 0) return {};
      return "takes a number above 0, not '" + text + "'";
    },
    "");

constexpr const char* examples = R"(Examples:
  rtindex bench --list
      Every experiment, with the figure of the paper that it repeats.
  rtindex bench hit-rate
      The paper's experiment in minutes, with the published figures beside ours.
  rtindex bench hit-rate --scale paper --index rx:optix --index hash@cuda -o hit-rate.jsonl
      The paper's sizes, two indexes, records kept.
  rtindex bench all --scale laptop -o results/my-machine/ --continue
      Everything, one file per experiment; what is measured already is not measured again.
  rtindex bench hit-rate ranges --scale paper --minutes 10 -o results/my-gpu/ --continue
      As many points as ten minutes allow; the same command goes on later.
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
      ->check(above_zero)
      ->capture_default_str();
  verb->add_option("--runs", options->runs, "Runs of each point after a warm-up")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--runs-limit", options->runs_limit_s,
                   "Seconds that all runs of a point may take together; longer ones are made once")
      ->type_name("SECONDS")
      ->check(above_zero)
      ->capture_default_str();
  verb->add_option("--column", options->column_file, "A column file for `real-data`")
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output,
                   "Where records go: a file, or a folder with one file per experiment;\n"
                   "of FOLDER/NAME/ the last folder is made where it is missing")
      ->type_name("PATH");
  verb->add_flag("--continue", options->go_on, "Measure what is missing in the output only");
  verb->add_option("--minutes", options->minutes, "Start no point after so many minutes")
      ->type_name("N")
      ->check(above_zero);
  verb->add_flag("--left", options->left, "Tell how many points are missing, and measure none");
  verb->add_option("--note", options->note, "Words about the circumstances, kept in the records")
      ->type_name("TEXT");
  verb->add_flag("--profiled", options->profiled,
                 "Fire profiles for Nsight Compute, as scripts/profile.sh does");
  verb->add_flag("--list", options->list, "List the experiments");
  verb->add_flag("--json", options->json, "List them as JSON")->needs("--list");
  verb->footer(examples);
  add_claims(*verb);
  add_profiles(*verb);
  verb->callback([options, verb] {
    if (verb->get_subcommands().empty()) run(*options);
  });
}

}  // namespace rtindex::cli
