#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "column_files/output_stream.hpp"
#include "file/atomic_file.hpp"

namespace rtindex {

// NumPy's dtype text for an element type that we write.
template <class T>
[[nodiscard]] constexpr std::string_view npy_descr() {
  if constexpr (std::same_as<T, bool>) return "|b1";
  if constexpr (std::same_as<T, std::uint8_t>) return "|u1";
  if constexpr (std::same_as<T, std::uint16_t>) return "<u2";
  if constexpr (std::same_as<T, std::uint32_t>) return "<u4";
  if constexpr (std::same_as<T, std::uint64_t>) return "<u8";
  if constexpr (std::same_as<T, std::int8_t>) return "|i1";
  if constexpr (std::same_as<T, std::int16_t>) return "<i2";
  if constexpr (std::same_as<T, std::int32_t>) return "<i4";
  if constexpr (std::same_as<T, std::int64_t>) return "<i8";
  if constexpr (std::same_as<T, float>) return "<f4";
  if constexpr (std::same_as<T, double>) return "<f8";
}

// NumPy's dtype text for times, which are written as int64; `tick`: NumPy's unit ("us").
[[nodiscard]] inline std::string npy_time_descr(std::string_view tick) {
  return "<M8[" + std::string(tick) + "]";
}

// Appends to a 1-D array in .npy 1.0. The file appears on `commit`, which writes the length. A
// stream, such as "-", receives the whole array on `commit`.
class NpyWriter {
 public:
  NpyWriter(std::string path, std::string_view descr);
  NpyWriter(NpyWriter&&) noexcept = default;

  template <class T>
  void append(std::span<const T> elements) {
    append(std::as_bytes(elements), elements.size());
  }
  void commit();

 private:
  void append(std::span<const std::byte> bytes, std::size_t elements);

  std::optional<AtomicFile> file_;
  std::optional<OutputStream> stream_;
  std::vector<std::byte> waiting_;  // for the stream
  std::string descr_;
  std::uint64_t size_ = 0;
};

// Writes a whole array.
template <class T>
void write_npy(const std::string& path, std::span<const T> elements) {
  NpyWriter writer(path, npy_descr<T>());
  writer.append(elements);
  writer.commit();
}

}  // namespace rtindex
