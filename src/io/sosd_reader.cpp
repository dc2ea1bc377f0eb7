#include "io/sosd_reader.hpp"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"
#include "io/element_count.hpp"

namespace rtindex {

LoadedColumn read_sosd(const std::string& path, Type type, Access access) {
  assert(type == Type::u32 || type == Type::u64);
  FileBytes file(path, access);
  std::uint64_t count = 0;
  if (file.size() == 0) fail("{} is empty: a SOSD file starts with a uint64 count", path);
  if (file.size() < sizeof(count))
    fail("{} is truncated: a SOSD file starts with a uint64 count, and only {} bytes are there",
         path, file.size());
  std::memcpy(&count, file.data(), sizeof(count));
  const std::size_t width = width_of(type);
  require_element_count(count, width, file.size() - sizeof(count), path);
  return LoadedColumn::in_file(std::move(file), sizeof(count), type, width, count);
}

}  // namespace rtindex
