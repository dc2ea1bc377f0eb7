#pragma once

#include <cstdint>
#include <vector>

#include <rtindex/index.hpp>

#include "support/test_column.hpp"

namespace rtindex::test {

// One change of an index that may be damaged, with a key of a column. The source of choices is a
// Random or the input of a fuzzer. Throws what the change throws.
template <class Source>
void make_some_change(Index& index, const TestColumn& column, Source& source) {
  if (index.size() == 0 || column.size() == 0) return;
  const std::vector<std::uint32_t> rows = {static_cast<std::uint32_t>(source.below(index.size()))};
  const TestColumn key(column.shape(), {source.pick(column.keys())});
  const std::vector<std::uint64_t> values = {7};
  const ColumnView value = ColumnView::of(
      index.included().empty() ? Type::u64 : index.included().front().type, values.data(), 1);
  switch (source.below(6)) {
    case 0: index.update(rows, key.view()); break;
    case 1: index.erase(rows); break;
    case 2: static_cast<void>(index.erase_keys(key.view())); break;
    case 3: index.merge(); break;
    case 4: index.insert(key.view(), index.included().empty() ? ColumnView() : value); break;
    default: index.set_included(rows, value); break;
  }
}

}  // namespace rtindex::test
