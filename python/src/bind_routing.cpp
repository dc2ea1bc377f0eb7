#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "bind.hpp"
#include "buffer.hpp"
#include "column.hpp"
#include "routing.hpp"
#include "without_gil.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// The elements of a buffer of which `size` have `width` bytes each, or any width that fits.
struct Items {
  Items(nb::handle object, Buffer::Access access, std::size_t size, std::size_t width = 0)
      : buffer(object.ptr(), access), count(size) {
    elements = {buffer.data(), width != 0 ? width : size == 0 ? 8 : buffer.bytes() / size};
    const bool known =
        elements.width == 1 || elements.width == 2 || elements.width == 4 || elements.width == 8;
    if (!known || buffer.bytes() != size * elements.width)
      fail("expected {} elements, got an array of {} bytes", size, buffer.bytes());
  }

  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {static_cast<T*>(elements.data), count};
  }

  Buffer buffer;
  std::size_t count;
  Elements elements{};
};

Items read_items(nb::handle object, std::size_t size, std::size_t width = 0) {
  return {object, Buffer::Access::read, size, width};
}

Items write_items(nb::handle object, std::size_t size, std::size_t width = 0) {
  return {object, Buffer::Access::write, size, width};
}

// Runs the work on some threads (0: all of them) without the GIL.
template <class Work>
void run_unlocked(int threads, Work&& work) {
  const WithoutGil unlocked;
  ThreadLimit(threads).run(work);
}

ColumnView native_view(const Column& column) {
  if (column.pieces().size() != 1 || !is_native(column.type()))
    fail("expected a contiguous array of a native type");
  return column.pieces().front();
}

void find_parts(const Column& keys, const Column& bounds, nb::handle rows, std::uint64_t first_row,
                nb::handle parts, int threads) {
  const ColumnView wanted = native_view(keys);
  const ColumnView limits = native_view(bounds);
  if (limits.size() == 0 || limits.size() > PartBounds::most || limits.type() != wanted.type())
    fail("expected 1 to {} bounds of the type of the keys", PartBounds::most);
  const Items out = write_items(parts, wanted.size(), sizeof(std::uint16_t));
  std::vector<std::uint64_t> held;
  if (!rows.is_none()) {
    const Items numbers = read_items(rows, limits.size(), sizeof(std::uint64_t));
    const std::span<std::uint64_t> all = numbers.as<std::uint64_t>();
    held.assign(all.begin(), all.end());
  }
  run_unlocked(threads, [&] {
    PartBounds(limits, held).find(wanted, first_row, out.as<std::uint16_t>().data());
  });
}

void group(nb::handle parts, nb::handle from, std::size_t size, nb::handle to, nb::handle positions,
           nb::handle starts, std::size_t count, int threads) {
  const Items found = read_items(parts, size, sizeof(std::uint16_t));
  const Items begins = write_items(starts, count + 1, sizeof(std::uint64_t));
  std::optional<Items> source, out, places;
  if (!from.is_none()) {
    source.emplace(from, Buffer::Access::read, size);
    out.emplace(to, Buffer::Access::write, size, source->elements.width);
  }
  if (!positions.is_none())
    places.emplace(positions, Buffer::Access::write, size, sizeof(std::uint32_t));
  constexpr Elements none{nullptr, 1};
  run_unlocked(threads, [&] {
    group_by_part(found.as<std::uint16_t>(), source ? source->elements : none,
                  out ? out->elements : none, places ? places->as<std::uint32_t>().data() : nullptr,
                  begins.as<std::uint64_t>());
  });
}

// `pieces` holds (elements, their number, the number of their parts).
void ungroup_pieces(nb::handle parts, std::size_t size, const nb::list& pieces, nb::handle to,
                    bool rows, int threads) {
  const Items found = read_items(parts, size, sizeof(std::uint16_t));
  const Items out = write_items(to, size);
  std::vector<std::unique_ptr<Items>> held;
  std::vector<Piece> all;
  for (const nb::handle piece : pieces) {
    const auto [array, count, of_parts] =
        nb::cast<std::tuple<nb::object, std::size_t, std::size_t>>(piece);
    held.push_back(std::make_unique<Items>(array, Buffer::Access::read, count));
    all.push_back({held.back()->elements, count, of_parts});
    if (count == 0) all.back().elements.width = 0;
  }
  // Pieces without elements have no width of their own.
  std::size_t width = 0;
  for (const Piece& piece : all) width = std::max(width, piece.elements.width);
  for (Piece& piece : all) {
    if (piece.elements.width == 0) piece.elements.width = width;
    if (piece.elements.width != width ||
        (size > 0 && width != out.elements.width && !(width == 4 && out.elements.width == 8)))
      fail("expected pieces of {} bytes an element, or of 4 for 8", out.elements.width);
  }
  run_unlocked(threads, [&] { ungroup(found.as<const std::uint16_t>(), all, out.elements, rows); });
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
  module.def("ungroup", ungroup_pieces, nb::arg("parts"), nb::arg("size"), nb::arg("pieces"),
             nb::arg("out"), nb::arg("rows"), nb::arg("threads"),
             "Writes elements that are in the order of their parts.");
  module.def(
      "widen_rows",
      [](nb::handle from, std::size_t size, nb::handle to, int threads) {
        const Items found = read_items(from, size, sizeof(std::uint32_t));
        const Items out = write_items(to, size, sizeof(std::uint64_t));
        run_unlocked(threads, [&] {
          widen_rows(found.as<const std::uint32_t>(), out.as<std::uint64_t>().data());
        });
      },
      nb::arg("source"), nb::arg("size"), nb::arg("out"), nb::arg("threads"),
      "Writes rows as uint64; misses stay misses.");
  module.def(
      "global_rows",
      [](nb::handle local, std::size_t size, nb::handle rows, std::size_t rows_size, nb::handle to,
         int threads) {
        const Items found = read_items(local, size, sizeof(std::uint32_t));
        const Items numbers = read_items(rows, rows_size);
        const Items out = write_items(to, size, numbers.elements.width);
        run_unlocked(threads, [&] {
          global_rows(found.as<const std::uint32_t>(), numbers.elements, out.elements);
        });
      },
      nb::arg("local"), nb::arg("size"), nb::arg("rows"), nb::arg("rows_size"), nb::arg("out"),
      nb::arg("threads"), "Writes the global row of each local one; misses stay misses.");
}

}  // namespace rtindex::python
