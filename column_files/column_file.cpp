#include "column_files/column_file.hpp"

#include <array>
#include <cassert>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "column_files/npy_reader.hpp"

namespace rtindex {

namespace {

struct Named {
  std::string_view name;
  FileFormat format;
};

constexpr std::array<Named, 4> formats = {{{"npy", FileFormat::npy},
                                           {"sosd32", FileFormat::sosd32},
                                           {"sosd64", FileFormat::sosd64},
                                           {"csv", FileFormat::csv}}};

// NumPy stores days in 64 bits; date32 columns are compared with 32-bit days.
LoadedColumn as_dates(const LoadedColumn& days) {
  const ColumnView from = days.view();
  const std::span all(static_cast<const std::int64_t*>(from.data()), from.size());
  RawMemory memory(all.size() * sizeof(std::int32_t));
  auto* const dates = static_cast<std::int32_t*>(memory.data());
  std::vector<std::uint8_t> valid((all.size() + 7) / 8);
  for (std::size_t i = 0; i < all.size(); ++i) {
    dates[i] = 0;
    if (!from.valid(i)) continue;
    if (!std::in_range<std::int32_t>(all[i]))
      fail("element {} of {} is day {}: expected a day that fits date32; remove it", i, days.name(),
           all[i]);
    dates[i] = static_cast<std::int32_t>(all[i]);
    valid[i / 8] = static_cast<std::uint8_t>(valid[i / 8] | 1U << (i % 8));
  }
  LoadedColumn loaded =
      LoadedColumn::numbers(days.name(), Type::date32, std::move(memory), all.size());
  if (from.nullable()) loaded.set_validity(std::move(valid));
  return loaded;
}

LoadedColumn read_npy_like(const ColumnFile& file) {
  LoadedColumn loaded = read_npy(file.path, file.access);
  const bool days = loaded.type() == Type::timestamp64 && loaded.unit() == "D";
  if (days && file.like != nullptr && file.like->type() == Type::date32) return as_dates(loaded);
  return loaded;
}

}  // namespace

FileFormat file_format_named(std::string_view name) {
  for (const Named& known : formats)
    if (known.name == name) return known.format;
  fail("unknown file format '{}': expected npy, sosd32, sosd64 or csv", name);
}

std::optional<FileFormat> file_format_of(std::string_view path) {
  if (path == "-")
    return FileBytes("-").text().starts_with("\x93NUMPY") ? FileFormat::npy : FileFormat::csv;
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (extension == ".npy") return FileFormat::npy;
  for (const std::string_view text : {".csv", ".tsv", ".bed"})
    if (extension == text) return FileFormat::csv;
  return std::nullopt;
}

LoadedColumn read_sosd(FileBytes file, Type type) {
  assert(type == Type::u32 || type == Type::u64);
  std::uint64_t count = 0;
  if (file.size() < sizeof(count))
    fail(ErrorKind::corrupt_file,
         "{} is {}: expected a SOSD file, which starts with a count of 8 bytes, got {} bytes",
         file.path(), file.size() == 0 ? "empty" : "truncated", file.size());
  std::memcpy(&count, file.data(), sizeof(count));
  return LoadedColumn::in_file(std::move(file), sizeof(count), type, width_of(type), count);
}

LoadedColumn load(const ColumnFile& file) {
  const std::optional<FileFormat> format = file.format ? file.format : file_format_of(file.path);
  if (!format) {
    require_uncompressed(FileBytes(file.path));  // reports a missing file first
    if (file.path.ends_with(".rtindex"))
      fail("{} is a saved index, not a column: pass it with --load", file.path);
    for (const std::string_view other : {".parquet", ".xlsx", ".xls", ".json", ".arrow"})
      if (file.path.ends_with(other))
        fail("{}: {} files are not read: convert it to CSV", file.path, other);
    fail(
        "{}: unknown extension; pass --format npy, sosd32, sosd64 or csv (also "
        "for text with --delimiter tab or --no-header)",
        file.path);
  }
  switch (*format) {
    case FileFormat::npy: return read_npy_like(file);
    case FileFormat::sosd32: return read_sosd(file.path, Type::u32, file.access);
    case FileFormat::sosd64: return read_sosd(file.path, Type::u64, file.access);
    case FileFormat::csv: break;
  }
  return read_csv(file.path, file.csv_column, file.like, file.csv_format);
}

}  // namespace rtindex
