#include "column_files/npy_writer.hpp"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <utility>

namespace rtindex {

static_assert(std::endian::native == std::endian::little, "arrays are written in host byte order");

namespace {

// Fits the longest shape, so that the header can be rewritten when the length is known.
constexpr std::size_t header_bytes = 128;

std::string header_text(std::string_view descr, std::uint64_t size) {
  constexpr std::size_t prefix_bytes = 10;
  constexpr std::size_t dictionary_bytes = header_bytes - prefix_bytes;
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary_bytes);
  text += '\0';
  text += fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", descr, size);
  assert(text.size() < header_bytes);
  text.resize(header_bytes - 1, ' ');
  return text + '\n';
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

NpyWriter::NpyWriter(std::string path, std::string_view descr) : descr_(descr) {
  if (is_output_stream(path)) {
    stream_.emplace(std::move(path));
    return;
  }
  file_.emplace(std::move(path));
  file_->append(bytes_of(header_text(descr_, 0)));
}

void NpyWriter::append(std::span<const std::byte> bytes, std::size_t elements) {
  // "<u4", "<M8[us]": the third character is the width of an element.
  assert(bytes.size() == elements * static_cast<std::size_t>(descr_[2] - '0'));
  if (file_)
    file_->append(bytes);
  else
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  size_ += elements;
}

void NpyWriter::commit() {
  const std::string header = header_text(descr_, size_);
  if (stream_) {
    stream_->append(bytes_of(header));
    stream_->append(waiting_);
    stream_->commit();
    return;
  }
  file_->write_at(0, bytes_of(header));
  file_->commit();
}

}  // namespace rtindex
