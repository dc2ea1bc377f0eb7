#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>

#include <rtindex/query.hpp>

#include "column.hpp"
#include "stub_types.hpp"

namespace rtindex::python {

// Adjacent queries of a batch, and the owners of memory that was allocated for them.
struct QuerySlice {
  Query query;
  std::size_t first = 0;  // the position of its first query in the batch
  std::vector<Owner> owners = {};
};

// A query from Python: it owns the columns that an rtindex::Query views.
class OwnedQuery {
 public:
  // A null column is an end without a bound. An end whose fractions were rounded is part of its
  // range, whatever `ends` says.
  OwnedQuery(QueryKind kind, const Column* lower, const Column* upper, Ends ends,
             const NearestOptions& neighbour);

  // A box query. Each condition is a tuple of its kind, lower and upper end and ends: an end is
  // None, a number or a Column.
  [[nodiscard]] static OwnedQuery box(const AnyList& conditions);

  // Only rows of this mask of booleans match; nulls are false.
  void restrict(const Column& mask);

  [[nodiscard]] const Column* lower() const { return lower_ ? &*lower_ : nullptr; }
  [[nodiscard]] const Column* upper() const { return upper_ ? &*upper_ : nullptr; }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool on_device() const;

  // The batch as one query; several chunks are concatenated.
  [[nodiscard]] QuerySlice whole() const;
  // The batch in slices that need no copy where its chunks are large.
  [[nodiscard]] std::vector<QuerySlice> slices() const;

 private:
  // The settings of the query with these columns.
  [[nodiscard]] QuerySlice slice_of(OwnedView lower, OwnedView upper, std::size_t first) const;
  // The end of a condition, which this query owns; sets `rounded` to whether it was rounded.
  [[nodiscard]] ColumnView owned_end(nanobind::handle end, bool& rounded);

  Query settings_;
  std::optional<Column> lower_, upper_;
  std::shared_ptr<const std::vector<std::uint8_t>> filter_;  // that settings_ views
  std::vector<Owner> condition_owners_;                      // of its conditions
  bool has_device_conditions_ = false;
};

}  // namespace rtindex::python
