// .npy files.

#include "column_files/npy_reader.hpp"

#include <rtindex/error.hpp>

#include "fuzz/support/columns.hpp"
#include "fuzz/support/input.hpp"

namespace rtindex {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  try {
    fuzz::read_all(read_npy(FileBytes("a.npy", input.rest())));
  } catch (const Error& error) {
    fuzz::require(*error.what() != '\0', "an error without a text");
  }
  return 0;
}

}  // namespace rtindex
