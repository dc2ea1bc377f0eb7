#include "io/element_count.hpp"

#include <limits>

#include "base/error.hpp"

namespace rtindex {

void require_element_count(std::uint64_t count, std::size_t width, std::size_t bytes,
                           const std::string& path) {
  if (count > std::numeric_limits<std::size_t>::max() / width)
    fail(
        "{} has an impossible count of {} elements in its header, which no file can hold: the "
        "file is damaged or of another format",
        path, count);
  const std::size_t expected = static_cast<std::size_t>(count) * width;
  if (expected > bytes)
    fail(
        "{} is truncated, or its header is wrong: {} elements of {} bytes should follow the "
        "header, and only {} bytes do; copy or save it again",
        path, count, width, bytes);
  if (expected < bytes)
    fail(
        "{} has {} bytes behind its {} elements of {} bytes: save one array in a file, or pass "
        "the right --format",
        path, bytes - expected, count, width);
}

}  // namespace rtindex
