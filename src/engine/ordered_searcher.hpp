#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <rtindex/column.hpp>

#include "base/function_ref.hpp"
#include "engine/batch_order.hpp"
#include "engine/locator.hpp"
#include "engine/searcher.hpp"
#include "file/stored.hpp"
#include "keys/codec.hpp"
#include "order/included.hpp"
#include "order/key_order.hpp"

// A searcher over a column in key order. A locator finds, for a block of keys at a time, the
// position of the first key that is not less; all else (ranges, duplicates, answers) follows from
// that and is written once. Key is std::uint32_t or std::uint64_t.
namespace rtindex {

// Keys and rows in key order, which can be merged with others.
class SortedPairs {
 public:
  [[nodiscard]] virtual OrderInput order_input() const = 0;
  // Of included column `column`.
  [[nodiscard]] virtual const IncludedValues& included_values(std::size_t column) const = 0;

 protected:
  ~SortedPairs() = default;
};

// The choices of every searcher over keys in order.
struct OrderedOptions {
  Order order = Order::automatic;
  LocatorTraits locator;
};

// Makes the locator of an order, which does not move.
template <class Key>
using MakeLocator = FunctionRef<std::unique_ptr<Locator<Key>>(const KeyOrder<Key>&)>;

// `include`: values to keep in key order, one per element.
template <class Key>
[[nodiscard]] std::unique_ptr<Searcher> build_ordered_searcher(const EncodedColumn& column,
                                                               const KeyCodec& codec,
                                                               std::span<const ColumnView> include,
                                                               const OrderedOptions& options,
                                                               MakeLocator<Key> make_locator);
template <class Key>
[[nodiscard]] std::unique_ptr<Searcher> load_ordered_searcher(const FileReader& file,
                                                              const KeyCodec& codec,
                                                              std::size_t rows,
                                                              const OrderedOptions& options,
                                                              MakeLocator<Key> make_locator);
// Over a column that was merged from others.
template <class Key>
[[nodiscard]] std::unique_ptr<Searcher> merged_ordered_searcher(
    KeyOrder<Key> order, std::vector<std::unique_ptr<IncludedValues>> included,
    const OrderedOptions& options, MakeLocator<Key> make_locator);

}  // namespace rtindex
