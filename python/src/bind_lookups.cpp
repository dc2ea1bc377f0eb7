#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include <rtindex/index.hpp>

#include "answering.hpp"
#include "base/error.hpp"
#include "bind.hpp"
#include "lookups.hpp"
#include "outputs.hpp"
#include "without_gil.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// A float, or an integer that fits 64 bits.
Tolerance tolerance_of(nb::handle number) {
  if (number.is_none()) return {};
  if (PyFloat_Check(number.ptr())) return nb::cast<double>(number);
  std::int64_t whole = 0;
  if (nb::try_cast(number, whole)) return whole;
  return nb::cast<std::uint64_t>(number);
}

Lookups neighbours(const Column& keys, std::string_view direction, bool exact,
                   nb::handle tolerance) {
  NearestOptions nearest;
  nearest.direction = direction_named(direction);
  nearest.exact = exact;
  nearest.tolerance = tolerance_of(tolerance);
  return Lookups::neighbours(keys, nearest);
}

RowOrder order_named(std::string_view name) {
  if (name.empty()) return RowOrder::any;
  if (name == "key") return RowOrder::ascending;
  if (name == "-key") return RowOrder::descending;
  fail("invalid order='{}': expected 'key' or '-key'", name);
}

nb::tuple answer_call(const Index& index, const Lookups& lookups, const Column* values,
                      nb::object miss, const HostArrays& outputs,
                      std::optional<std::uint32_t> row_limit, std::string_view order,
                      bool list_keys) {
  const Call call{values, std::move(miss), row_limit, order_named(order), list_keys};
  return answer(index, lookups, call, outputs);
}

void device_call(const Index& index, const Lookups& lookups, const Column* values, nb::object miss,
                 std::map<std::string, std::uintptr_t> outputs, std::size_t rows_capacity,
                 std::uint32_t row_limit, std::string_view order, std::uintptr_t stream) {
  const Call call{values, std::move(miss), row_limit, order_named(order)};
  answer_on_device(index, lookups, call, {std::move(outputs), rows_capacity}, stream);
}

JoinedRows joined(const Index& index, const Lookups& lookups, JoinKind kind) {
  const Part all = as_one_part(lookups);
  switch (lookups.kind()) {
    case Lookups::Kind::points: return index.join(Query::equal(all.lower.view), kind);
    case Lookups::Kind::ranges:
      return index.join(Query::range(all.lower.view, all.upper.view, lookups.ends()), kind);
    case Lookups::Kind::neighbours: return index.join(Query::nearest(all.lower.view, lookups.nearest()), kind);
    case Lookups::Kind::prefixes: break;
  }
  fail("prefixes cannot be joined");
}

// Positions of lookups as int64, which every library takes rows by, and rows.
nb::tuple join_call(const Index& index, const Lookups& lookups, std::string_view how) {
  const JoinKind kind = join_named(how);
  JoinedRows pairs;
  {
    const WithoutGil unlocked;
    pairs = joined(index, lookups, kind);
  }
  nb::object rows = nb::none();
  if (kind == JoinKind::inner || kind == JoinKind::left) rows = as_array(std::move(pairs.rows));
  return nb::make_tuple(as_array<std::uint64_t, std::int64_t>(std::move(pairs.lookups)), rows);
}

// Queues a join on a CUDA stream; `outputs` are device addresses of "lookups", "rows" and "count".
void device_join(const Index& index, const Lookups& lookups, std::string_view how,
                 const std::map<std::string, std::uintptr_t>& outputs, std::size_t capacity,
                 std::uintptr_t stream_address) {
  const auto at = [&](const char* name) {
    const auto found = outputs.find(name);
    return found == outputs.end() ? nullptr : reinterpret_cast<void*>(found->second);
  };
  const JoinOutputs to{static_cast<std::uint64_t*>(at("lookups")),
                       static_cast<std::uint32_t*>(at("rows")), capacity,
                       static_cast<std::uint64_t*>(at("count"))};
  const JoinKind kind = join_named(how);
  const Stream stream{reinterpret_cast<void*>(stream_address)};
  const WithoutGil unlocked;
  const Part all = as_one_part(lookups);
  switch (lookups.kind()) {
    case Lookups::Kind::points: return index.join_into(Query::equal(all.lower.view), kind, to, stream);
    case Lookups::Kind::ranges:
      return index.join_into(Query::range(all.lower.view, all.upper.view, lookups.ends()), kind, to, stream);
    case Lookups::Kind::neighbours:
      return index.join_into(Query::nearest(all.lower.view, lookups.nearest()), kind, to, stream);
    case Lookups::Kind::prefixes: break;
  }
  fail("prefixes cannot be joined");
}

nb::object rank_call(const Index& index, const Column& keys) {
  std::vector<std::uint32_t> ranks;
  {
    const WithoutGil unlocked;
    ranks = index.rank(as_one_view(keys).view);
  }
  return as_array(std::move(ranks));
}

nb::object select_call(const Index& index, const Column& ranks) {
  std::vector<std::uint32_t> rows;
  {
    const WithoutGil unlocked;
    rows = index.select(as_one_view(ranks).view);
  }
  return as_array(std::move(rows));
}

nb::object nulls_call(const Index& index) {
  std::vector<std::uint32_t> rows;
  {
    const WithoutGil unlocked;
    rows = index.null_rows();
  }
  return as_array(std::move(rows));
}

}  // namespace

void bind_lookups(nb::module_& module) {
  nb::class_<Lookups>(module, "Lookups", "A batch of lookups.")
      .def_static("points", &Lookups::points, nb::arg("keys"))
      .def_static("prefixes", &Lookups::prefixes, nb::arg("strings"))
      .def_static(
          "ranges",
          [](const Column* lower, const Column* upper, std::string_view ends) {
            return Lookups::ranges(lower, upper, ends_named(ends));
          },
          nb::arg("lower").none(), nb::arg("upper").none(), nb::arg("ends"))
      .def_static("neighbours", neighbours, nb::arg("keys"), nb::arg("direction"), nb::arg("exact"),
                  nb::arg("tolerance").none())
      .def("slice", &Lookups::slice, nb::arg("first"), nb::arg("count"))
      .def("__len__", &Lookups::size)
      .def_prop_ro("on_device", &Lookups::on_device);
}

void bind_answers(nb::class_<Index>& index) {
  index
      .def("answer", answer_call, nb::arg("lookups"), nb::arg("values").none(),
           nb::arg("miss").none(), nb::arg("outputs"), nb::arg("row_limit").none(),
           nb::arg("order") = "", nb::arg("list_keys") = false)
      .def("answer_on_device", device_call, nb::arg("lookups"), nb::arg("values").none(),
           nb::arg("miss").none(), nb::arg("outputs"), nb::arg("rows_capacity"),
           nb::arg("row_limit"), nb::arg("order"), nb::arg("stream"))
      .def("join", join_call, nb::arg("lookups"), nb::arg("how"))
      .def("join_on_device", device_join, nb::arg("lookups"), nb::arg("how"), nb::arg("outputs"),
           nb::arg("capacity"), nb::arg("stream"))
      .def("rank", rank_call, nb::arg("keys"))
      .def("select", select_call, nb::arg("ranks"))
      .def("nulls", nulls_call);
}

}  // namespace rtindex::python
