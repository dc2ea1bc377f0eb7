#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>

#include "c/columns.hpp"
#include "c/exports.hpp"
#include "c/guard.hpp"
#include "c/handle.hpp"

// Changes, and rank, select and null rows.

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

namespace {

c::Columns columns_for(const Index& index, void* stream) {
  return {[&index] { return index.spec(); }, {stream}};
}

}  // namespace

rtindex_status rtindex_insert(rtindex_index* index, const rtindex_column* keys,
                              const rtindex_column* values, void* stream, uint32_t* first_row) {
  return c::guarded([&] {
    Index& changed = c::checked(index).index;
    c::Columns columns = columns_for(changed, stream);
    const ColumnView new_keys = columns.view(keys, "keys");
    const std::uint32_t first =
        changed.insert(new_keys, columns.included_if_set(values, "values"), {stream});
    if (first_row != nullptr) *first_row = first;
  });
}

rtindex_status rtindex_erase(rtindex_index* index, const rtindex_column* rows, void* stream) {
  return c::guarded([&] {
    Index& changed = c::checked(index).index;
    c::Columns columns = columns_for(changed, stream);
    changed.erase(columns.view(rows, "rows"), {stream});
  });
}

rtindex_status rtindex_erase_keys(rtindex_index* index, const rtindex_column* keys, void* stream,
                                  uint64_t* erased) {
  return c::guarded([&] {
    Index& changed = c::checked(index).index;
    c::Columns columns = columns_for(changed, stream);
    const std::size_t count = changed.erase_keys(columns.view(keys, "keys"), {stream});
    if (erased != nullptr) *erased = count;
  });
}

rtindex_status rtindex_update(rtindex_index* index, const rtindex_column* rows,
                              const rtindex_column* keys, void* stream) {
  return c::guarded([&] {
    Index& changed = c::checked(index).index;
    c::Columns columns = columns_for(changed, stream);
    const ColumnView named = columns.view(rows, "rows");
    changed.update(named, columns.view(keys, "keys"), {stream});
  });
}

rtindex_status rtindex_set_included(rtindex_index* index, const rtindex_column* rows,
                                    const rtindex_column* values, const char* name, void* stream) {
  return c::guarded([&] {
    Index& changed = c::checked(index).index;
    c::Columns columns = columns_for(changed, stream);
    const ColumnView named = columns.view(rows, "rows");
    changed.set_included(named, columns.view(values, "values"), name == nullptr ? "" : name,
                         {stream});
  });
}

rtindex_status rtindex_merge(rtindex_index* index) {
  return c::guarded([&] { c::checked(index).index.merge(); });
}

rtindex_status rtindex_rank(const rtindex_index* index, const rtindex_column* keys,
                            ArrowSchema* schema, ArrowArray* array) {
  return c::guarded([&] {
    const Index& checked = c::checked(index).index;
    ArrowArray& to = c::required(array, "array");
    c::Columns columns = columns_for(checked, nullptr);
    c::export_elements(checked.rank(columns.view(keys, "keys")), "I", schema, &to);
  });
}

rtindex_status rtindex_select(const rtindex_index* index, const rtindex_column* ranks,
                              ArrowSchema* schema, ArrowArray* array) {
  return c::guarded([&] {
    const Index& checked = c::checked(index).index;
    ArrowArray& to = c::required(array, "array");
    c::Columns columns = columns_for(checked, nullptr);
    c::export_elements(checked.select(columns.view(ranks, "ranks")), "I", schema, &to);
  });
}

rtindex_status rtindex_null_rows(const rtindex_index* index, ArrowSchema* schema,
                                 ArrowArray* array) {
  return c::guarded([&] {
    const Index& checked = c::checked(index).index;
    ArrowArray& to = c::required(array, "array");
    c::export_elements(checked.null_rows(), "I", schema, &to);
  });
}
