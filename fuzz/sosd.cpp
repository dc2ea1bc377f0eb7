// Files of the SOSD benchmark; the first byte chooses the width of their keys.

#include <rtindex/error.hpp>

#include "column_files/column_file.hpp"
#include "fuzz/support/columns.hpp"
#include "fuzz/support/input.hpp"

namespace rtindex {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const Type type = input.flag() ? Type::u32 : Type::u64;
  try {
    fuzz::read_all(read_sosd(FileBytes("a.sosd", input.rest()), type));
  } catch (const Error& error) {
    fuzz::require(*error.what() != '\0', "an error without a text");
  }
  return 0;
}

}  // namespace rtindex
