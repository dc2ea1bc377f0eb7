#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include <rtindex/error.hpp>

#include "column_files/column_file.hpp"
#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

constexpr const char* no_column = "pass --column FILE, such as a file of SOSD";

// SOSD's files have no extension; their names end in the key type.
std::optional<FileFormat> format_of(const std::string& path) {
  if (path.ends_with("_uint32")) return FileFormat::sosd32;
  if (path.ends_with("_uint64")) return FileFormat::sosd64;
  return std::nullopt;
}

// Unsigned keys of a file, such as SOSD's.
LoadedColumn keys_of(const std::string& path) {
  LoadedColumn file = load(ColumnFile{.path = path, .format = format_of(path)});
  if (file.type() != Type::u32 && file.type() != Type::u64)
    throw Error("unsupported keys in " + path + ": expected uint32 or uint64, got " +
                file.type_text());
  return file;
}

Column column_from(ExecutionSpace& space, const std::string& path) {
  const LoadedColumn file = keys_of(path);
  const ColumnView view = file.view();
  KeyArray keys(space, view.type() == Type::u32 ? 32 : 64, view.size());
  space.copy_from_host(keys.data().data, view.data(), keys.bytes());
  return column_of(std::move(keys), column_seed);
}

void run_real_data(Session& session) {
  const std::string& path = session.settings().column_file;
  if (path.empty()) return session.unsupported(no_column);
  const std::string name = std::filesystem::path(path).filename();
  Lazy<Column> column([&](ExecutionSpace& space) { return column_from(space, path); });
  Lazy<Ranked> ranked([&](ExecutionSpace& space) { return Ranked(column.in(space)); });
  const std::size_t points = default_lookups(session);
  for (const Contestant& contestant : session.contestants()) {
    Fixture fixture(session, contestant.spec, column);
    for (const bool sorted : {false, true})
      session.point(
          {.series = series_of(contestant, order_name(sorted)), .category = name + ", points"},
          [&] {
            return with_throughput(
                fixture.run(hits_in(fixture.column(), points, lookup_seed), {.sorted = sorted}),
                points);
          });
    for (const std::size_t hits : {16U, 256U})
      session.point(
          {.series = contestant.label, .category = fmt::format("{}, ranges of {}", name, hits)},
          [&] {
            const Lookups lookups =
                ranges_over_rows(ranked.in(fixture.space()), points / 32, hits, lookup_seed);
            return with_throughput(fixture.run(lookups), lookups.size());
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
          .question = "How fast are the indexes on your own column?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {throughput(), lookup_ms(), sort_ms(), total_ms()},
          .run = run_real_data,
          .needs = "--column FILE"};
}

}  // namespace rtindex::bench
