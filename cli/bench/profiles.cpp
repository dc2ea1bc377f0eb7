#include "cli/bench/bench.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include <rtindex/error.hpp>

#include "harness/profile.hpp"
#include "harness/records.hpp"

namespace rtindex::cli {

namespace {

namespace fs = std::filesystem;

struct ProfilesOptions {
  std::string points;
  std::string table;
  std::string output;
  bool metrics = false;
};

std::string ncu_output(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path))
    throw Error("cannot read " + path + ": expected the output of ncu", ErrorKind::io);
  return {std::istreambuf_iterator<char>(file), {}};
}

// One file per experiment, overwritten: a profile comes from one run.
void write(const std::vector<bench::Record>& records, const fs::path& folder) {
  std::map<std::string, std::string> texts;
  for (const bench::Record& record : records)
    texts[record.experiment] += bench::to_json(record).dump() + "\n";
  bench::make_last_folder(folder);
  for (const auto& [experiment, text] : texts) {
    const fs::path path = folder / (experiment + ".jsonl");
    std::ofstream file(path);
    file << text;
    if (!file.flush()) throw Error("cannot write " + path.string(), ErrorKind::io);
    fmt::print("{}\n", path.string());
  }
}

void run(const ProfilesOptions& options) {
  if (options.metrics) return fmt::print("{}\n", bench::profiler_metrics());
  if (options.points.empty() || options.table.empty() || options.output.empty())
    throw Error("missing arguments: expected POINTS TABLE -o FOLDER");
  write(bench::profile_records(bench::read_records(options.points),
                               bench::kernels_in(ncu_output(options.table))),
        options.output);
}

constexpr const char* profiles_examples = R"(Examples:
  rtindex bench profiles --metrics
      The metrics to pass to Nsight Compute.
  rtindex bench profiles points.jsonl ncu.csv -o results/my-gpu/
      One file of records per profile; scripts/profile.sh does this.)";

}  // namespace

void add_profiles(CLI::App& bench) {
  const auto options = std::make_shared<ProfilesOptions>();
  CLI::App* verb =
      bench.add_subcommand("profiles", "Convert the output of Nsight Compute to records.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("points", options->points, "Records of a run with --profiled")
      ->type_name("FILE");
  verb->add_option("table", options->table,
                   "The output of ncu --csv --print-units base for that run")
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output, "The folder for the records")
      ->type_name("FOLDER");
  verb->add_flag("--metrics", options->metrics, "Print the metrics to pass to ncu");
  verb->footer(profiles_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
