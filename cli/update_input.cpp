#include "cli/update_input.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "cli/loaded_query.hpp"
#include "cli/value_columns.hpp"

namespace rtindex::cli {

namespace {

LoadedColumn load_rows(const UpdateOptions& options, const std::string& file) {
  const LoadedColumn like = LoadedColumn::indexed(options.saved, Type::u32, 0);
  return as_rows(
      options.read(options.lookup_file(file, options.rows_csv_column, "--rows-csv-column", like)));
}

LoadedColumn load_keys(const UpdateOptions& options, const std::string& file,
                       const LoadedColumn& column) {
  return options.read(options.lookup_file(file, "", "--csv-column", column));
}

LoadedColumn require_fit(LoadedColumn keys, const LoadedColumn& column) {
  LoadedQuery lookups;
  lookups.lower = std::move(keys);
  lookups.require_fit(column);
  return std::move(lookups.lower);
}

// Intervals from the columns --by, --start and --end of a CSV file, or from files of these names.
LoadedColumn load_intervals(const UpdateOptions& options, const std::string& file,
                            const LoadedColumn& column) {
  const IntervalOptions& names = options.intervals;
  if (names.start.empty() || names.end.empty())
    fail("{} holds intervals: pass --start and --end, the columns of {}, or files", options.saved,
         file.empty() ? "a CSV file" : file);
  if (names.by.size() + 2 != column.parts().size())
    fail("{} has {} leading columns, got {}: pass --by for each", options.saved,
         column.parts().size() - 2, names.by.size());
  std::vector<std::string> all = names.by;
  all.insert(all.end(), {names.start, names.end});
  std::vector<LoadedColumn> parts;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const LoadedColumn& like = column.parts()[p];
    const char* const option = p + 2 < all.size()   ? "--by"
                               : p + 1 < all.size() ? "--start"
                                                    : "--end";
    parts.push_back(
        require_fit(options.read(options.lookup_file(file.empty() ? all[p] : file,
                                                     file.empty() ? "" : all[p], option, like)),
                    like));
  }
  return LoadedColumn::intervals(std::move(parts), *column.interval_ends());
}

// Points from the columns of a CSV file that have the names of those of the index.
LoadedColumn load_points(const UpdateOptions& options, const std::string& file,
                         const LoadedColumn& column) {
  if (options.format_of_file(file) != FileFormat::csv)
    fail("{} holds points of {}: expected a CSV file with these columns, got {}", options.saved,
         fmt::join(column.part_names(), ", "), file);
  const std::vector<std::string> found = csv_names(FileBytes(file), options.csv.format());
  for (const std::string& name : column.part_names())
    if (std::find(found.begin(), found.end(), name) == found.end())
      fail("{} has no column '{}': {} holds points of {}", file, name, options.saved,
           fmt::join(column.part_names(), ", "));
  std::vector<LoadedColumn> parts;
  for (std::size_t p = 0; p < column.parts().size(); ++p)
    parts.push_back(require_fit(options.read(options.lookup_file(file, column.part_names()[p],
                                                                 "--insert", column.parts()[p])),
                                column.parts()[p]));
  return LoadedColumn::points_of(std::move(parts), column.part_names());
}

// The included column of these values: the only one, or the one of their name, which is that of the
// file where `is_named` is false.
IncludedType included_named(const UpdateOptions& options, const std::string& name,
                            const std::string& file, const Index& index, bool is_named) {
  const std::vector<IncludedType> included = index.included();
  if (included.empty())
    fail("{} includes no values: remove {}, or build the index with --include", options.saved,
         file);
  if (included.size() == 1 && !is_named) return included.front();
  const auto found = std::find_if(included.begin(), included.end(),
                                  [&](const IncludedType& one) { return one.name == name; });
  if (found == included.end() && is_named)
    fail("{} includes {}, not '{}': pass one of these names", options.saved, quoted_names(included),
         name);
  if (found == included.end())
    fail("{} includes {}, but the values of {} are named '{}': rename the file, or pass {}",
         options.saved, quoted_names(included), file, name,
         options.sets_included() && !options.inserts() ? "--set-included ROWS NAME=FILE"
                                                       : "--include-csv-column NAME of a CSV file");
  return *found;
}

// New included values, in the type of the others. `csv_file`: may hold a column `text`; empty:
// none. `named`: their included column; empty: by the name of the part.
NamedColumn load_values(const UpdateOptions& options, const PartFile& part, const Index& index,
                        const std::string& csv_file = {}, const std::string& named = {}) {
  std::optional<ColumnFile> file;
  if (!csv_file.empty() && part.csv_name.empty())
    file = column_of_csv(options, csv_file, part.path, "--include");
  const std::string name = !named.empty() ? named : file ? part.path : name_of_column(part);
  const IncludedType included = included_named(options, name, part.path, index, !named.empty());
  LoadedColumn like = LoadedColumn::indexed(options.saved, included.type, index.size());
  like.set_unit(std::string(name_of(included.time_unit)));
  if (file)
    file->like = &like;
  else
    file = options.lookup_file(part.path, part.csv_name, "--include-csv-column", like);
  return {included.name, as_numbers(options.read(*file), included.type)};
}

std::vector<NamedColumn> load_inserted_values(const UpdateOptions& options, const Index& index) {
  const bool is_csv =
      !options.insert.empty() && options.format_of_file(options.insert) == FileFormat::csv;
  std::vector<NamedColumn> columns;
  if (options.include.empty()) return columns;
  for (const PartFile& part :
       part_files(options.include, options.include_csv_columns, "--include-csv-column"))
    columns.push_back(load_values(options, part, index, is_csv ? options.insert : ""));
  return columns;
}

LoadedColumn inline_rows(const std::vector<std::uint32_t>& rows) {
  RawMemory memory(rows.size() * sizeof(std::uint32_t));
  std::copy(rows.begin(), rows.end(), static_cast<std::uint32_t*>(memory.data()));
  return LoadedColumn::numbers("--erase-row", Type::u32, std::move(memory), rows.size());
}

}  // namespace

Changes load_changes(const UpdateOptions& options, const Index& index) {
  const bool are_intervals = index.interval_ends().has_value();
  const bool are_points = index.holds_points();
  if (index.type() == Type::composite && !are_intervals && !are_points)
    fail("{} has composite keys: change it with the library", options.saved);
  if (!are_intervals && options.intervals.has_value())
    fail("{} holds keys, not intervals: remove --start, --end and --by", options.saved);
  const bool are_tuples = are_intervals || are_points;
  const char* const what = are_points ? "points" : "intervals";
  if (are_tuples && options.erases_keys())
    fail("{} holds {}, which are erased by their rows: pass --erase or --erase-row", options.saved,
         what);
  if (are_tuples && !options.insert_key.empty())
    fail("{} holds {}: pass --insert FILE.csv{}", options.saved, what,
         are_points ? "" : " with --start and --end");
  const LoadedColumn column = column_of(index, options.saved);
  const auto keys_of = [&](const std::string& file, const std::vector<std::string>& texts,
                           const char* option) {
    if (are_intervals) return load_intervals(options, file, column);
    if (are_points) return load_points(options, file, column);
    return require_fit(
        file.empty() ? inline_keys(texts, option, column) : load_keys(options, file, column),
        column);
  };
  Changes changes;
  if (options.erases_rows())
    changes.erased_rows =
        options.erase.empty() ? inline_rows(options.erase_row) : load_rows(options, options.erase);
  if (options.erases_keys())
    changes.erased_keys = keys_of(options.erase_keys, options.erase_key, "--erase-key");
  if (options.sets_keys())
    changes.keys = {load_rows(options, options.set_keys.first),
                    keys_of(options.set_keys.second, {}, "--set-keys")};
  if (options.sets_included()) {
    const UpdateOptions::IncludedFile values = options.set_included_file();
    const std::vector<PartFile> parts =
        part_files({values.path}, options.include_csv_columns, "--include-csv-column");
    changes.included = {load_rows(options, options.set_included.first),
                        load_values(options, parts.front(), index, {}, values.name)};
  }
  if (options.inserts())
    changes.inserted = keys_of(options.insert, options.insert_key, "--insert-key");
  changes.inserted_values = load_inserted_values(options, index);
  if (options.include.empty() && changes.inserted && !index.included().empty())
    fail("{} includes {}: pass --include for each, with one value for each inserted row",
         options.saved, quoted_names(index.included()));
  changes.merge = options.merge;
  return changes;
}

}  // namespace rtindex::cli
