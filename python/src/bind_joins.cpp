#include <algorithm>
#include <cstdint>

#include <rtindex/answer.hpp>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "bind.hpp"
#include "buffer.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// Writes row lists as pairs: lookup i and each of its rows. `pair_starts` holds where the pairs of
// each lookup begin; a lookup without rows that has room for one pair gets (i, miss_row).
void fill_pairs(nb::handle offsets_object, nb::handle rows_object, nb::handle starts_object,
                nb::handle probe_object, nb::handle column_object) {
  using enum Buffer::Access;
  const Buffer offsets_buffer(offsets_object.ptr(), read);
  const Buffer rows_buffer(rows_object.ptr(), read);
  const Buffer starts_buffer(starts_object.ptr(), read);
  const Buffer probe_buffer(probe_object.ptr(), write);
  const Buffer column_buffer(column_object.ptr(), write);
  const auto* offsets = static_cast<const std::uint64_t*>(offsets_buffer.data());
  const auto* rows = static_cast<const std::uint32_t*>(rows_buffer.data());
  const auto* starts = static_cast<const std::uint64_t*>(starts_buffer.data());
  auto* probe = static_cast<std::int64_t*>(probe_buffer.data());
  auto* column = static_cast<std::uint32_t*>(column_buffer.data());
  const std::size_t lookups = offsets_buffer.bytes() / sizeof(std::uint64_t) - 1;
  const std::size_t pairs = starts[lookups];
  if (starts_buffer.bytes() != offsets_buffer.bytes() ||
      probe_buffer.bytes() != pairs * sizeof(std::int64_t) ||
      column_buffer.bytes() != pairs * sizeof(std::uint32_t))
    fail("the arrays of a join differ in length");
  const nb::gil_scoped_release unlocked;
  parallel_for(lookups, 4096, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      std::fill(probe + starts[i], probe + starts[i + 1], static_cast<std::int64_t>(i));
      std::fill(column + starts[i], column + starts[i + 1], miss_row);
      std::copy(rows + offsets[i], rows + offsets[i + 1], column + starts[i]);
    }
  });
}

}  // namespace

void bind_joins(nb::module_& module) {
  module.def("fill_pairs", fill_pairs, nb::arg("offsets"), nb::arg("rows"), nb::arg("pair_starts"),
             nb::arg("probe"), nb::arg("column"), "Writes the pairs of a join.");
}

}  // namespace rtindex::python
