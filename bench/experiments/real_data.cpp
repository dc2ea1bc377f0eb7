#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include <rtindex/error.hpp>

#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"
#include "io/column_file.hpp"

namespace rtindex::bench {

namespace {

constexpr const char* no_column = "name a column with --column FILE, such as a file of SOSD";

// SOSD's files have no extension; their names end with the type of their keys.
std::optional<FileFormat> format_of(const std::string& path) {
  if (path.ends_with("_uint32")) return FileFormat::sosd32;
  if (path.ends_with("_uint64")) return FileFormat::sosd64;
  return std::nullopt;
}

// Unsigned keys of a file, such as SOSD's.
LoadedColumn keys_of(const std::string& path) {
  LoadedColumn file = load(ColumnFile{.path = path, .format = format_of(path)});
  if (file.type() != Type::u32 && file.type() != Type::u64)
    throw Error(path + " holds " + file.type_text() + ": real-data takes uint32 and uint64");
  return file;
}

Column column_from(Place& place, const std::string& path) {
  const LoadedColumn file = keys_of(path);
  const ColumnView view = file.view();
  KeyArray keys(place, view.type() == Type::u32 ? 32 : 64, view.size());
  place.store(keys.data().data, view.data(), keys.bytes());
  return column_of(std::move(keys), column_seed);
}

void run(Session& session) {
  const std::string& path = session.settings().column_file;
  if (path.empty()) return session.unsupported(no_column);
  const std::string name = std::filesystem::path(path).filename();
  Lazy<Column> column([&](Place& place) { return column_from(place, path); });
  Lazy<Ranked> ranked([&](Place& place) { return Ranked(column.in(place)); });
  const std::size_t points = usual_lookups(session);
  for (const Contestant& contestant : session.contestants()) {
    Bed bed(session, contestant.spec, column);
    for (const bool sorted : {false, true})
      session.point(
          {.series = series_of(contestant, order_name(sorted)), .category = name + ", points"},
          [&] {
            return with_throughput(
                bed.fire(hits_in(bed.column(), points, lookup_seed), {.sorted = sorted}), points);
          });
    for (const std::size_t hits : {16U, 256U})
      session.point(
          {.series = contestant.label, .category = fmt::format("{}, ranges of {}", name, hits)},
          [&] {
            const Lookups lookups =
                ranges_over_rows(ranked.in(bed.place()), points / 32, hits, lookup_seed);
            return with_throughput(bed.fire(lookups), lookups.size());
          });
  }
}

}  // namespace

void require_real_data(const std::string& path) {
  if (path.empty()) throw Error(std::string("real-data needs a column: ") + no_column);
  static_cast<void>(keys_of(path));
}

Experiment real_data_experiment() {
  return {.name = "real-data",
          .title = "Real data",
          .question = "How do the indexes do on a column of yours?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {throughput(), lookup_ms(), sort_ms(), total_ms()},
          .run = run,
          .needs = "--column FILE"};
}

}  // namespace rtindex::bench
