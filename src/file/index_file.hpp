#pragma once

#include <cstddef>
#include <string>

#include <rtindex/index.hpp>

#include "base/array.hpp"
#include "file/stored.hpp"

namespace rtindex {

// The container of a saved index. All numbers are little-endian, and nothing in it is an address.
//
//   prelude    64 bytes: magic, byte order, version, size of the file, size and XXH64 of the
//              header, XXH64 of the prelude itself
//   header     named numbers and texts, and the section table with each section's name, offset,
//              bytes, checksum and whether it is small
//   sections   arrays as they lie in memory, each at a multiple of 4096 bytes from the file's start
//
// Opening checks the prelude, the header and the small sections; other sections are mapped and not
// touched. Their checksums (file/checksum.hpp) are compared only for Verify::full.
void write_index_file(const std::string& path, const Stored& stored);
[[nodiscard]] Stored read_index_file(const std::string& path, Verify verify);

// Whether a text is UTF-8, as those of the header must be: they become Python's strings.
[[nodiscard]] bool is_storable_text(const std::string& text);

// The container in memory.
[[nodiscard]] Array<std::byte> write_index_bytes(const Stored& stored);
[[nodiscard]] Stored read_index_bytes(Array<std::byte> bytes, Verify verify);

}  // namespace rtindex
