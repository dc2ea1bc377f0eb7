#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/error.hpp>
#include <rtindex/index.hpp>

#include "answering.hpp"
#include "bind.hpp"
#include "long_call.hpp"
#include "outputs.hpp"
#include "query.hpp"
#include "stub_types.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

Stream stream_of(std::uintptr_t address) { return {reinterpret_cast<void*>(address)}; }

// A float, or an integer that fits 64 bits.
Tolerance tolerance_of(nb::handle number) {
  if (number.is_none()) return {};
  if (PyFloat_Check(number.ptr())) return nb::cast<double>(number);
  std::int64_t whole = 0;
  if (nb::try_cast(number, whole)) return whole;
  return nb::cast<std::uint64_t>(number);
}

void make_query(OwnedQuery* self, std::string_view kind, const Column* lower, const Column* upper,
                std::string_view ends, std::string_view direction, bool exact,
                nb::handle tolerance) {
  const NearestOptions neighbour{direction_named(direction), exact, tolerance_of(tolerance)};
  new (self) OwnedQuery(query_kind_named(kind), lower, upper, ends_named(ends), neighbour);
}

RowOrder order_named(std::string_view name) {
  if (name.empty()) return RowOrder::any;
  if (name == "key") return RowOrder::ascending;
  if (name == "-key") return RowOrder::descending;
  throw Error(fmt::format("invalid order='{}': expected 'key' or '-key'", name));
}

AnyPair answer_call(const Index& index, const OwnedQuery& query, const Column* values,
                    std::string included, nb::object miss, const HostArrays& outputs,
                    std::optional<std::uint32_t> limit, std::string_view order, bool list_keys) {
  const Call call{values, std::move(included), std::move(miss),
                  limit,  order_named(order),  list_keys};
  return answer(index, query, call, outputs);
}

// The bitmap of all queries, or those of each, one after the other, as bytes.
AnyObject bitmaps_call(const Index& index, const OwnedQuery& query, bool of_each) {
  std::vector<std::uint8_t> bits;
  {
    const LongCall running;
    const QuerySlice whole = query.whole();
    Outputs outputs{.bitmap_rows = index.size()};
    bits.resize((of_each ? whole.query.size() : 1) * bitmap_bytes(outputs.bitmap_rows) + 1);
    (of_each ? outputs.bitmaps : outputs.bitmap) = bits.data();
    index.answer_into(whole.query, {}, outputs);
    bits.pop_back();
  }
  return as_array(std::move(bits));
}

void device_call(const Index& index, const OwnedQuery& query, const Column* values,
                 std::string included, nb::object miss,
                 std::map<std::string, std::uintptr_t> outputs, std::size_t rows_capacity,
                 std::uint32_t limit, std::string_view order, std::uintptr_t stream) {
  const Call call{values, std::move(included), std::move(miss), limit, order_named(order)};
  answer_on_device(index, query, call, {std::move(outputs), rows_capacity}, stream);
}

// Positions of queries as int64, by which every library takes rows, and rows.
AnyPair as_pairs(JoinedRows pairs, JoinKind how) {
  nb::object rows = nb::none();
  if (how == JoinKind::inner || how == JoinKind::left) rows = as_array(std::move(pairs.rows));
  return nb::make_tuple(as_array<std::uint64_t, std::int64_t>(std::move(pairs.lookups)), rows);
}

AnyPair join_call(const Index& index, const OwnedQuery& query, std::string_view how,
                  std::string_view order) {
  const JoinKind kind = join_named(how);
  const JoinOptions options{.order = join_order_named(order)};
  JoinedRows pairs;
  {
    const LongCall running;
    pairs = index.join(query.whole().query, kind, options);
  }
  return as_pairs(std::move(pairs), kind);
}

// Queues a join on a CUDA stream; `outputs` are device addresses of "lookups", "rows" and "count".
void device_join(const Index& index, const OwnedQuery& query, std::string_view how,
                 std::string_view order, const std::map<std::string, std::uintptr_t>& outputs,
                 std::size_t capacity, std::uintptr_t stream) {
  const auto at = [&](const char* name) {
    const auto found = outputs.find(name);
    return found == outputs.end() ? nullptr : reinterpret_cast<void*>(found->second);
  };
  const JoinOutputs to{.lookups = static_cast<std::uint64_t*>(at("lookups")),
                       .rows = static_cast<std::uint32_t*>(at("rows")),
                       .capacity = capacity,
                       .count = static_cast<std::uint64_t*>(at("count")),
                       .memory_space = MemorySpace::device};
  const JoinKind kind = join_named(how);
  const JoinOptions options{.order = join_order_named(order), .stream = stream_of(stream)};
  const LongCall running;
  index.join_into(query.whole().query, kind, to, options);
}

// An iterator over the batches of a join that have pairs. It owns its query.
class JoinIterator {
 public:
  JoinIterator(const Index& index, OwnedQuery query, JoinKind how, std::size_t max_pairs,
               const JoinOptions& options)
      : query_(std::move(query)),
        whole_(query_.whole()),
        how_(how),
        batches_(index, whole_.query, how, max_pairs, options) {}

  [[nodiscard]] AnyPair next() {
    std::optional<JoinedRows> batch;
    {
      const LongCall running;
      do {
        batch = batches_.next();
      } while (batch && batch->lookups.empty());
    }
    if (!batch) throw nb::stop_iteration();
    return as_pairs(std::move(*batch), how_);
  }

  // The number of pairs of the next batch, which goes to device memory; none after the last one.
  [[nodiscard]] std::optional<std::size_t> next_on_device(std::uintptr_t lookups,
                                                          std::uintptr_t rows) {
    const LongCall running;
    std::optional<std::size_t> pairs;
    do {
      pairs = batches_.next_into(reinterpret_cast<std::uint64_t*>(lookups),
                                 reinterpret_cast<std::uint32_t*>(rows), MemorySpace::device);
    } while (pairs && *pairs == 0);
    return pairs;
  }

 private:
  OwnedQuery query_;
  QuerySlice whole_;
  JoinKind how_;
  JoinBatches batches_;
};

JoinIterator join_batches(const Index& index, const OwnedQuery& query, std::string_view how,
                          std::string_view order, std::size_t max_pairs, std::uintptr_t stream) {
  const JoinKind kind = join_named(how);
  const JoinOptions options{.order = join_order_named(order), .stream = stream_of(stream)};
  const LongCall running;
  return {index, query, kind, max_pairs, options};
}

AnyObject rank_call(const Index& index, const Column& keys) {
  std::vector<std::uint32_t> ranks;
  {
    const LongCall running;
    ranks = index.rank(as_one_view(keys).view);
  }
  return as_array(std::move(ranks));
}

AnyObject select_call(const Index& index, const Column& ranks) {
  std::vector<std::uint32_t> rows;
  {
    const LongCall running;
    rows = index.select(as_one_view(ranks).view);
  }
  return as_array(std::move(rows));
}

AnyObject nulls_call(const Index& index) {
  std::vector<std::uint32_t> rows;
  {
    const LongCall running;
    rows = index.null_rows();
  }
  return as_array(std::move(rows));
}

}  // namespace

void bind_queries(nb::module_& module) {
  nb::class_<OwnedQuery>(module, "Query", "A batch of queries of one kind.")
      .def("__init__", make_query, nb::arg("kind"), nb::arg("lower").none(),
           nb::arg("upper").none() = nb::none(), nb::arg("ends") = "[]",
           nb::arg("direction") = "backward", nb::arg("exact") = true,
           nb::arg("tolerance").none() = nb::none())
      .def_static("box", &OwnedQuery::box, nb::arg("conditions"))
      .def("restrict", &OwnedQuery::restrict, nb::arg("mask"))
      .def("__len__", &OwnedQuery::size)
      .def_prop_ro("on_device", &OwnedQuery::on_device)
      .def_prop_ro("lower", &OwnedQuery::lower, nb::rv_policy::reference_internal)
      .def_prop_ro("upper", &OwnedQuery::upper, nb::rv_policy::reference_internal);
  nb::class_<JoinIterator>(module, "JoinIterator", "The batches of a join.")
      .def("__iter__", [](nb::typed<nb::handle, JoinIterator> self) { return self; })
      .def("__next__", &JoinIterator::next)
      .def("next_on_device", &JoinIterator::next_on_device, nb::arg("lookups"), nb::arg("rows"));
}

void bind_answers(nb::class_<Index>& index) {
  index
      .def("answer", answer_call, nb::arg("query"), nb::arg("values").none(), nb::arg("included"),
           nb::arg("miss").none(), nb::arg("outputs"), nb::arg("limit").none(),
           nb::arg("order") = "", nb::arg("list_keys") = false)
      .def("bitmaps", bitmaps_call, nb::arg("query"), nb::arg("of_each"))
      .def("answer_on_device", device_call, nb::arg("query"), nb::arg("values").none(),
           nb::arg("included"), nb::arg("miss").none(), nb::arg("outputs"),
           nb::arg("rows_capacity"), nb::arg("limit"), nb::arg("order"), nb::arg("stream"))
      .def("join", join_call, nb::arg("query"), nb::arg("how"), nb::arg("order"))
      .def("join_on_device", device_join, nb::arg("query"), nb::arg("how"), nb::arg("order"),
           nb::arg("outputs"), nb::arg("capacity"), nb::arg("stream"))
      .def("join_batches", join_batches, nb::arg("query"), nb::arg("how"), nb::arg("order"),
           nb::arg("max_pairs"), nb::arg("stream"))
      .def("rank", rank_call, nb::arg("keys"))
      .def("select", select_call, nb::arg("ranks"))
      .def("nulls", nulls_call);
}

}  // namespace rtindex::python
