#include <fmt/format.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <rtindex/error.hpp>
#include <rtindex/partition.hpp>

#include "bind.hpp"
#include "buffer.hpp"
#include "column.hpp"
#include "stub_types.hpp"
#include "without_gil.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// A buffer of `size` elements of `width` bytes each, or of any width that fits.
struct Items {
  Items(nb::handle object, Buffer::Access access, std::size_t elements, std::size_t width_wanted)
      : buffer(object.ptr(), access), size(elements) {
    width = width_wanted != 0 ? width_wanted : size == 0 ? 8 : buffer.bytes() / size;
    const bool is_known = width == 1 || width == 2 || width == 4 || width == 8;
    if (!is_known || buffer.bytes() != size * width)
      throw Error(
          fmt::format("expected {} elements, got an array of {} bytes", size, buffer.bytes()));
  }

  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {static_cast<T*>(buffer.data()), size};
  }
  // As unsigned integers.
  [[nodiscard]] ColumnView view() const {
    const Type type = width == 1   ? Type::u8
                      : width == 2 ? Type::u16
                      : width == 4 ? Type::u32
                                   : Type::u64;
    return ColumnView::of(type, buffer.data(), size);
  }

  Buffer buffer;
  std::size_t size, width;
};

Items read_items(nb::handle object, std::size_t size, std::size_t width = 0) {
  return {object, Buffer::Access::read, size, width};
}

Items write_items(nb::handle object, std::size_t size, std::size_t width = 0) {
  return {object, Buffer::Access::write, size, width};
}

ColumnView one_chunk(const Column& column) {
  if (column.pieces().size() != 1) throw Error("expected a contiguous array");
  return column.pieces().front();
}

void find_parts(const Column& keys, const Column& bounds, nb::handle rows, std::uint64_t first_row,
                nb::handle parts, int threads) {
  const ColumnView wanted = one_chunk(keys);
  const Items out = write_items(parts, wanted.size(), sizeof(std::uint16_t));
  PartitionBounds limits{one_chunk(bounds)};
  std::optional<Items> numbers;
  if (!rows.is_none()) {
    numbers.emplace(rows, Buffer::Access::read, limits.keys.size(), sizeof(std::uint64_t));
    limits.rows = numbers->as<const std::uint64_t>();
  }
  const WithoutGil unlocked;
  find_partitions(wanted, limits, first_row, out.as<std::uint16_t>(), threads);
}

void group(nb::handle parts, nb::handle from, std::size_t size, nb::handle to, nb::handle positions,
           nb::handle starts, std::size_t count, int threads) {
  const Items found = read_items(parts, size, sizeof(std::uint16_t));
  const Items begins = write_items(starts, count + 1, sizeof(std::uint64_t));
  std::optional<Items> source, out, places;
  if (!from.is_none()) {
    source.emplace(from, Buffer::Access::read, size, 0);
    out.emplace(to, Buffer::Access::write, size, source->width);
  }
  if (!positions.is_none())
    places.emplace(positions, Buffer::Access::write, size, sizeof(std::uint32_t));
  const WithoutGil unlocked;
  group_by_partition(found.as<const std::uint16_t>(), source ? source->view() : ColumnView(),
                     out ? out->buffer.data() : nullptr,
                     places ? places->as<std::uint32_t>().data() : nullptr,
                     begins.as<std::uint64_t>(), threads);
}

// `pieces` holds (elements, their number, the number of their parts).
void ungroup(nb::handle parts, std::size_t size, const AnyList& pieces, nb::handle to, bool rows,
             int threads) {
  const Items found = read_items(parts, size, sizeof(std::uint16_t));
  const Items out = write_items(to, size);
  std::vector<std::unique_ptr<Items>> held;
  std::vector<PartitionSlice> slices;
  for (const nb::handle piece : pieces) {
    const auto [array, count, of_parts] =
        nb::cast<std::tuple<nb::object, std::size_t, std::size_t>>(piece);
    held.push_back(std::make_unique<Items>(array, Buffer::Access::read, count, 0));
    slices.push_back({held.back()->view(), of_parts});
  }
  const WithoutGil unlocked;
  ungroup_partitions(found.as<const std::uint16_t>(), slices, out.buffer.data(), out.width,
                     rows ? Widen::rows : Widen::numbers, threads);
}

}  // namespace

void bind_routing(nb::module_& module) {
  module.def("find_parts", find_parts, nb::arg("keys"), nb::arg("bounds"), nb::arg("rows").none(),
             nb::arg("first_row"), nb::arg("parts"), nb::arg("threads"),
             "Writes how many bounds are not after each key, as uint16.");
  module.def("group", group, nb::arg("parts"), nb::arg("source").none(), nb::arg("size"),
             nb::arg("out").none(), nb::arg("positions").none(), nb::arg("starts"),
             nb::arg("count"), nb::arg("threads"),
             "Writes elements, or their positions (uint32), in the order of their parts.");
  module.def("ungroup", ungroup, nb::arg("parts"), nb::arg("size"), nb::arg("pieces"),
             nb::arg("out"), nb::arg("rows"), nb::arg("threads"),
             "Writes elements that are in the order of their parts.");
  module.def(
      "widen_rows",
      [](nb::handle from, std::size_t size, nb::handle to, int threads) {
        const Items found = read_items(from, size, sizeof(std::uint32_t));
        const Items out = write_items(to, size, sizeof(std::uint64_t));
        const WithoutGil unlocked;
        widen_rows(found.as<const std::uint32_t>(), out.as<std::uint64_t>(), threads);
      },
      nb::arg("source"), nb::arg("size"), nb::arg("out"), nb::arg("threads"),
      "Writes rows as uint64; misses stay misses.");
  module.def(
      "global_rows",
      [](nb::handle local, std::size_t size, nb::handle rows, std::size_t rows_size, nb::handle to,
         int threads) {
        const Items found = read_items(local, size, sizeof(std::uint32_t));
        const Items numbers = read_items(rows, rows_size);
        const Items out = write_items(to, size, numbers.width);
        const WithoutGil unlocked;
        global_rows(found.as<const std::uint32_t>(), numbers.view(), out.buffer.data(), threads);
      },
      nb::arg("local"), nb::arg("size"), nb::arg("rows"), nb::arg("rows_size"), nb::arg("out"),
      nb::arg("threads"), "Writes the global row of each local one; misses stay misses.");
}

}  // namespace rtindex::python
