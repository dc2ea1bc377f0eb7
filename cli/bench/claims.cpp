#include "cli/bench/claims.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <rtindex/rtindex.hpp>

#include "claims/pages.hpp"

namespace rtindex::cli {

namespace {

struct Options {
  std::string results = "results";
  std::string page;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw Error(path + " cannot be read: name the page to update");
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(const Options& options) {
  const std::string figures = bench::figure_table(options.results);
  const std::string claims = bench::claim_table(options.results);
  if (options.page.empty()) return fmt::print("{}\n{}", figures, claims);
  const std::string page = bench::with_block(
      bench::with_block(text_of(options.page), "figures", figures), "claims", claims);
  std::ofstream file(options.page);
  file << page;
  if (!file.flush()) throw Error(options.page + " cannot be written");
}

constexpr const char* examples = R"(Examples:
  rtindex bench claims results/
      Figures with commands, minutes and files; claims with the published value, ours and a verdict.
  rtindex bench claims results/ --update docs/reproduce.md
      Writes both tables into a page, between its marks.)";

}  // namespace

void add_claims(CLI::App& bench) {
  const auto options = std::make_shared<Options>();
  CLI::App* verb =
      bench.add_subcommand("claims", "Tell from records which claims of the paper hold.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("results", options->results,
                   "A folder with a folder of records per machine, or with those of one")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_option("--update", options->page, "A Markdown page to write the tables into")
      ->type_name("FILE");
  verb->footer(examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
