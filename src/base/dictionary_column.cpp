#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include <rtindex/column.hpp>

#include "base/array.hpp"
#include "base/column_memory.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"

// Dictionary columns: indices into an array of values.
namespace rtindex {

namespace {

constexpr std::size_t gather_grain = std::size_t{1} << 16;  // whole bytes of a bitmap
constexpr std::size_t gather_block = 512;
constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();

// The positions of rows [first, first + count) in the values; those of nulls are the number of
// values. Returns the first row whose index is none, or no_row.
std::size_t read_positions(const ColumnView& indices, const ColumnView& values, std::size_t first,
                           std::size_t count, std::uint32_t* positions) {
  const auto null = static_cast<std::uint32_t>(values.size());
  const bool has_null_indices = indices.nullable();
  const bool has_null_values = values.nullable();
  std::size_t outside = no_row;
  visit_native(indices.type(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const T* const own = static_cast<const T*>(indices.data()) + first;
      for (std::size_t i = 0; i < count; ++i) {
        // A negative one is too large. NOLINTNEXTLINE(bugprone-signed-char-misuse)
        const auto index = static_cast<std::uint64_t>(own[i]);
        const bool is_null = has_null_indices && !indices.valid(first + i);
        const bool is_outside = !is_null && index >= null;
        if (is_outside) outside = std::min(outside, first + i);
        positions[i] = is_null || is_outside || (has_null_values && !values.valid(index))
                           ? null
                           : static_cast<std::uint32_t>(index);
      }
    }
  });
  return outside;
}

// Calls body(first, count, positions) for blocks of rows, in parallel.
template <class Body>
void for_positions(const ColumnView& indices, const ColumnView& values, const Body& body) {
  const std::size_t outside = parallel_reduce(
      indices.size(), gather_grain, no_row,
      [&](std::size_t first, std::size_t count) {
        std::uint32_t positions[gather_block];
        std::size_t lost = no_row;
        for (std::size_t begin = first; begin < first + count; begin += gather_block) {
          const std::size_t size = std::min(gather_block, first + count - begin);
          lost = std::min(lost, read_positions(indices, values, begin, size, positions));
          body(begin, size, positions);
        }
        return lost;
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
  if (outside != no_row)
    fail("index {} of row {} is outside of the dictionary of {} values",
         indices.slice(outside, 1).with_validity(nullptr).text(0), outside, values.size());
}

// Copies elements of `width` bytes, which may have any alignment. Nulls become 0.
template <std::size_t width>
void gather(const void* from, void* to, std::size_t first, std::size_t count,
            const std::uint32_t* positions, std::uint32_t null) {
  static constexpr std::byte zeros[width] = {};
  const auto* const values = static_cast<const std::byte*>(from);
  auto* const elements = static_cast<std::byte*>(to) + first * width;
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(elements + i * width, positions[i] == null ? zeros : values + positions[i] * width,
                width);
}

using Gather = decltype(&gather<1>);

Gather gather_of(std::size_t width) {
  switch (width) {
    case 1: return gather<1>;
    case 2: return gather<2>;
    case 4: return gather<4>;
    case 8: return gather<8>;
    default: return gather<16>;
  }
}

void set_bits(std::uint8_t* bitmap, std::size_t first, std::size_t count,
              const std::uint32_t* positions, std::uint32_t null) {
  for (std::size_t i = 0; i < count; i += 8) {
    unsigned byte = 0;
    for (std::size_t bit = 0; bit < 8 && i + bit < count; ++bit)
      byte |= (positions[i + bit] != null ? 1U : 0U) << bit;
    bitmap[(first + i) / 8] = static_cast<std::uint8_t>(byte);
  }
}

}  // namespace

ColumnView ColumnView::dictionary(const ColumnView& indices, const ColumnView& values) {
  if (!is_integer(indices.type()) || indices.type() == Type::boolean)
    fail("expected the indices of a dictionary as integers, got {}", name_of(indices.type()));
  if (values.type() == Type::composite)
    fail("a dictionary cannot hold composites: make a composite of dictionary columns");
  if (indices.memory_space() == MemorySpace::device || values.memory_space() == MemorySpace::device)
    fail("a dictionary column cannot lie in device memory: copy it to host memory, or decode it");
  if (values.size() >= std::numeric_limits<std::uint32_t>::max())
    fail("a dictionary of {} values: expected fewer than 2^32 - 1", values.size());
  const std::size_t size = indices.size();
  const auto null = static_cast<std::uint32_t>(values.size());
  const bool is_string = values.type() == Type::string;
  const std::size_t width = width_of(values.type());
  auto own = std::make_shared<Dictionary>();
  own->values = values;
  if (indices.nullable() || values.nullable()) own->validity = Array<std::uint8_t>((size + 7) / 8);
  if (is_string) {
    own->strings = Array<std::string_view>(values.size() + 1);
    for (std::size_t i = 0; i < values.size(); ++i)
      own->strings[i] = values.valid(i) ? values.string(i) : std::string_view();
    own->strings[values.size()] = {};
    own->positions = Array<std::uint32_t>(size);
  } else {
    own->elements = Array<std::uint64_t>((size * width + 7) / 8);
  }
  const Gather gather_elements = gather_of(width);
  for_positions(
      indices, values, [&](std::size_t first, std::size_t count, const std::uint32_t* positions) {
        if (is_string)
          std::copy_n(positions, count, own->positions.data() + first);
        else
          gather_elements(values.data(), own->elements.data(), first, count, positions, null);
        if (!own->validity.empty()) set_bits(own->validity.data(), first, count, positions, null);
      });
  ColumnView view = is_string ? ColumnView() : of(values.type(), own->elements.data(), size);
  view.type_ = values.type();
  view.size_ = size;
  view.time_unit_ = values.time_unit();
  view.scale_ = values.scale_;
  if (is_string) {
    view.layout_ = StringLayout::indexed;
    view.data_ = own->positions.data();
  }
  if (!own->validity.empty()) view.validity_ = own->validity.data();
  view.dictionary_ = std::move(own);
  return view;
}

const ColumnView* ColumnView::dictionary_values() const {
  return layout_ == StringLayout::indexed ? &dictionary_->values : nullptr;
}

const std::uint32_t* ColumnView::dictionary_positions() const {
  return layout_ == StringLayout::indexed ? static_cast<const std::uint32_t*>(data_) : nullptr;
}

}  // namespace rtindex
