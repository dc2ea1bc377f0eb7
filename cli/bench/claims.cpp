#include "cli/bench/bench.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <rtindex/rtindex.hpp>

#include "claims/pages.hpp"

namespace rtindex::cli {

namespace {

struct ClaimsOptions {
  std::string results = "results";
  std::string page;
};

std::string page_text(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw Error("cannot read " + path + ": expected a Markdown page", ErrorKind::io);
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(const ClaimsOptions& options) {
  const std::string figures = bench::figure_table(options.results);
  const std::string claims = bench::claim_table(options.results);
  if (options.page.empty()) return fmt::print("{}\n{}", figures, claims);
  const std::string page = bench::with_block(
      bench::with_block(page_text(options.page), "figures", figures), "claims", claims);
  std::ofstream file(options.page);
  file << page;
  if (!file.flush()) throw Error("cannot write " + options.page, ErrorKind::io);
}

constexpr const char* claims_examples = R"(Examples:
  rtindex bench claims results/
      Figures with commands, minutes and files; claims with published value, ours and verdict.
  rtindex bench claims results/ --update docs/reproduce.md
      Replaces both tables in a page, between their markers.)";

}  // namespace

void add_claims(CLI::App& bench) {
  const auto options = std::make_shared<ClaimsOptions>();
  CLI::App* verb =
      bench.add_subcommand("claims", "Show which claims of the paper the records support.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("results", options->results,
                   "A folder of records, or one with such a folder per machine")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_option("--update", options->page, "A Markdown page to write the tables into")
      ->type_name("FILE");
  verb->footer(claims_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
