#include "cli/summary.hpp"

#include <fmt/ranges.h>

#include "base/bytes.hpp"

namespace rtindex::cli {

std::string milliseconds_text(double seconds) {
  const double milliseconds = seconds * 1e3;
  return fmt::format("{:.{}f} ms", milliseconds,
                     milliseconds < 10    ? 2
                     : milliseconds < 100 ? 1
                                          : 0);
}

void Summary::add_note(const LoadedColumn& of_file, const std::string& column) {
  if (!of_file.remark().empty())
    notes.push_back(fmt::format("{}{}{}: {}", of_file.name(), column.empty() ? "" : ", ", column,
                                of_file.remark()));
}

std::string Summary::text(const LoadedColumn& column, const Index& index) const {
  const std::size_t bytes = index.memory_usage().resident;
  std::string text =
      fmt::format("column   {}: {} rows of {}\n", column.name(), column.size(), column.type_text());
  if (!column.remark().empty()) text += fmt::format("note     {}\n", column.remark());
  for (const std::string& note : notes) text += fmt::format("note     {}\n", note);
  text += fmt::format("index    {}\n", index.spec().text());
  text += fmt::format("{}in {}, {} resident", loaded ? "loaded   " : "built    ",
                      milliseconds_text(build_seconds), human_bytes(bytes));
  if (column.size() != 0)
    text += fmt::format(" ({:.1f} bytes/key)",
                        static_cast<double>(bytes) / static_cast<double>(column.size()));
  text += '\n';
  if (join_seconds > 0)
    text += fmt::format("joined   {} lookups in {}: {} pairs\n", lookups,
                        milliseconds_text(join_seconds), pairs);
  else if (lookups != 0) {
    const auto count = static_cast<double>(lookups);
    text += fmt::format("lookups  {} in {} ({:.3g} million/s), {:.1f}% matched\n", lookups,
                        milliseconds_text(lookup_seconds), count / lookup_seconds / 1e6,
                        100 * static_cast<double>(matched) / count);
  }
  if (!files.empty()) text += fmt::format("wrote    {}\n", fmt::join(files, ", "));
  return text;
}

}  // namespace rtindex::cli
