#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>

#include "arrow/import.hpp"

namespace rtindex::c {

// The columns of one call, and the memory that was allocated for them.
class Columns {
 public:
  // Arrow arrays on a GPU must be on the device of `spec`, that of the index; `stream` waits for
  // their events.
  Columns(std::function<Spec()> spec, Stream stream) : spec_(std::move(spec)), stream_(stream) {}

  // A required column; `name` is the argument's, for errors.
  [[nodiscard]] ColumnView view(const rtindex_column* column, const char* name);
  // An optional column: unset if null.
  [[nodiscard]] ColumnView view_if_set(const rtindex_column* column, const char* name);
  // Included columns: one, or the parts of a composite with their names; none if null.
  [[nodiscard]] IncludedColumns included_if_set(const rtindex_column* column, const char* name);

 private:
  [[nodiscard]] ColumnView arrow_view(const rtindex_column& column, const char* name);
  [[nodiscard]] static ColumnView points_view(const rtindex_column& input, const ColumnView& all,
                                              const char* name);
  [[nodiscard]] ColumnView keys_view(const rtindex_column& input, const char* name);
  [[nodiscard]] ColumnView memory_view(const rtindex_column& column, const char* name);
  [[nodiscard]] ColumnView composite_view(const rtindex_column& column, const char* name);
  [[nodiscard]] MemorySpace ready_space_of(const ArrowDeviceArray& array);

  std::function<Spec()> spec_;
  Stream stream_;
  std::vector<std::shared_ptr<const void>> owners_;
};

}  // namespace rtindex::c
