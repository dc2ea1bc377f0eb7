#include "io/column_file.hpp"

#include <array>
#include <filesystem>

#include "base/error.hpp"
#include "io/npy_reader.hpp"
#include "io/sosd_reader.hpp"

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

}  // namespace

FileFormat file_format_named(std::string_view name) {
  for (const Named& known : formats)
    if (known.name == name) return known.format;
  fail("unknown file format '{}': choose npy, sosd32, sosd64 or csv", name);
}

std::optional<FileFormat> file_format_of(std::string_view path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (extension == ".npy") return FileFormat::npy;
  if (extension == ".csv") return FileFormat::csv;
  return std::nullopt;
}

LoadedColumn load(const ColumnFile& file) {
  const std::optional<FileFormat> format = file.format ? file.format : file_format_of(file.path);
  if (!format) {
    const FileBytes readable(file.path);  // a missing file is the first thing to hear about
    fail("the name of {} does not tell its format: pass --format npy, sosd32, sosd64 or csv",
         file.path);
  }
  switch (*format) {
    case FileFormat::npy: return read_npy(file.path, file.access);
    case FileFormat::sosd32: return read_sosd(file.path, Type::u32, file.access);
    case FileFormat::sosd64: return read_sosd(file.path, Type::u64, file.access);
    case FileFormat::csv: break;
  }
  return read_csv(file.path, file.csv_column, file.like);
}

}  // namespace rtindex
