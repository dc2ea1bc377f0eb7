// CSV files; the first byte chooses the column to read them like, the second the column's name.

#include "column_files/csv_reader.hpp"

#include <rtindex/error.hpp>

#include "fuzz/support/columns.hpp"
#include "fuzz/support/input.hpp"

namespace rtindex {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const LoadedColumn* like = fuzz::column_like(input.below(10));
  CsvColumn column;
  const auto choice = input.below(3);
  if (choice != 0) column.name = choice == 1 ? "k" : "a,\"b";
  column.or_the_only_one = choice == 1;
  try {
    fuzz::read_all(read_csv(FileBytes("a.csv", input.rest()), column, like));
  } catch (const Error& error) {
    fuzz::require(*error.what() != '\0', "an error without a text");
  }
  return 0;
}

}  // namespace rtindex
