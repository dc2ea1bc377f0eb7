#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>

#include "arrow/import.hpp"

namespace rtindex::c {

// The columns of one call, and what had to be allocated for them.
class Columns {
 public:
  // `spec` is that of the index, which Arrow arrays on a GPU are checked against. Their events are
  // waited for on `stream`.
  Columns(std::function<Spec()> spec, Stream stream) : spec_(std::move(spec)), stream_(stream) {}

  // A column that must be there; `name` is that of the argument.
  [[nodiscard]] ColumnView view(const rtindex_column* column, const char* name);
  // One that may be null: unset then.
  [[nodiscard]] ColumnView view_if_given(const rtindex_column* column, const char* name);

 private:
  [[nodiscard]] ColumnView arrow_view(const rtindex_column& column, const char* name);
  [[nodiscard]] ColumnView memory_view(const rtindex_column& column, const char* name);
  [[nodiscard]] ColumnView composite_view(const rtindex_column& column, const char* name);
  [[nodiscard]] MemorySpace ready_space_of(const ArrowDeviceArray& array);

  std::function<Spec()> spec_;
  Stream stream_;
  std::vector<std::shared_ptr<const void>> owners_;
};

}  // namespace rtindex::c
