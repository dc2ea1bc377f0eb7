#include "cli/opened_index.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/error.hpp"
#include "cli/interrupt.hpp"
#include "cli/loaded_query.hpp"
#include "cli/progress.hpp"

namespace rtindex::cli {

OpenedIndex::OpenedIndex(const BatchOptions& options) {
  options.validate();
  if (options.saved.empty()) {
    column = options.load_column();
    if (column.interval_ends()) points_ = column.points();
    return;
  }
  const auto start = Clock::now();
  const InterruptGuard guard;
  Progress loading("loading " + options.saved, Progress::of_call, options.progress_style());
  index.emplace(
      load(options.saved, {.verify = options.verify == "full" ? Verify::full : Verify::quick,
                           .control = loading.control()}));
  summary.build_seconds = seconds_since(start);
  summary.loaded = true;
  column = column_of(*index, options.saved);
  if (column.interval_ends()) points_ = column.points();
}

void OpenedIndex::require_no_points() const {
  if (index && index->holds_points())
    fail("{} holds points: search it with `rtindex filter --where ...`", column.name());
}

void OpenedIndex::build(const BatchOptions& options) {
  options.require_csv_effect();
  if (index) return;
  const Spec spec(options.index);
  const auto start = Clock::now();
  const InterruptGuard guard;
  Progress building("building " + spec.text(), Progress::of_call, options.progress_style());
  index.emplace(rtindex::build(column.view(), spec, {.control = building.control()}));
  summary.build_seconds = seconds_since(start);
}

void OpenedIndex::print_summary(const BatchOptions& options) const {
  std::fflush(stdout);
  if (!options.quiet) fmt::print(stderr, "{}", summary.text(column, *index));
}

}  // namespace rtindex::cli
