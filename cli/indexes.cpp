#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "cli/table.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

namespace {

std::string index_table(const std::vector<IndexInfo>& list) {
  Table table({"index", "available", "runs on, or the reason why not"});
  for (const IndexInfo& entry : list)
    table.add({entry.spec, entry.available ? "yes" : "no", entry.reason});
  return table.text();
}

std::string auto_text(const std::vector<IndexInfo>& list) {
  const bool any =
      std::any_of(list.begin(), list.end(), [](const IndexInfo& e) { return e.available; });
  if (!any) return "`auto`: no index is available; the reasons above say what to install\n";
  try {
    const Spec chosen = default_spec();
    return fmt::format("`auto` is {}\n  because {}\n", chosen.text(),
                       chosen.device() == "cpu" ? "no GPU is available: the table above says why"
                                                : "a GPU is available");
  } catch (const Error& error) {
    return fmt::format("`auto` is not available: {}\n", error.what());
  }
}

std::string option_table() {
  Table table({"option", "choices", "meaning (default)"});
  for (const OptionHelp& option : spec_options())
    table.add({option.name, option.choices, option.meaning});
  return table.text();
}

void print_indexes() {
  const std::vector<IndexInfo> list = indexes();
  fmt::print("{}\n{}\n", index_table(list), auto_text(list));
  fmt::print(
      "A spec names an index and its options; the rest has defaults:\n"
      "  kind[:tracer][@device[N]][,option=value]...\n"
      "  auto   rx   rx:embree   rx:embree@cpu,mode=3d,bits=23+23+18,primitive=aabb,threads=2\n\n"
      "{}",
      option_table());
}

constexpr const char* indexes_examples = R"(Examples:
  rtindex indexes
      Every index, available or the reason why not, and all options of a spec.
  rtindex lookup --column keys.npy --key 42 --index rx:embree,mode=3d,primitive=sphere
      An index chosen by its spec.
  rtindex lookup --column keys.npy --describe
      What `auto` chooses for your column: the full spec, its memory, and the reasons.)";

}  // namespace

void add_indexes(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("indexes", "List every index and whether it is available here.");
  verb->get_help_ptr()->description("Print this help");
  verb->footer(indexes_examples);
  verb->callback(print_indexes);
}

}  // namespace rtindex::cli
