#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/host_engine.hpp"
#include "engine/ordered_searcher.hpp"

namespace rtindex {

// Searchers over keys in order, with 4-byte keys where they fit, else with 8-byte keys. `settings`
// are the locator's and outlive the result.
template <template <class> class Locator, class... Settings>
[[nodiscard]] HostSearchers ordered_searchers(Order order, const Settings&... settings) {
  HostSearchers searchers;
  searchers.build = [order, settings...](const EncodedColumn& column, const KeyCodec& codec,
                                         const KeyText&, std::span<const ColumnView> include) {
    return with_key_type(is_wide(column.span), [&](auto key) -> std::unique_ptr<Searcher> {
      using Key = decltype(key);
      return std::make_unique<OrderedSearcher<Key, Locator<Key>>>(
          column, codec, OrderedOptions{order, include}, settings...);
    });
  };
  searchers.load = [order, settings...](const FileReader& file, const KeyCodec& codec,
                                        std::size_t rows) -> LoadedSearcher {
    return with_key_type(is_wide(codec.span()), [&](auto key) -> LoadedSearcher {
      using Key = decltype(key);
      return {std::make_unique<OrderedSearcher<Key, Locator<Key>>>(
                  file, codec, rows, OrderedOptions{order}, settings...),
              false};
    });
  };
  searchers.merge = [order, settings...](const OrderedMerge& merge, std::size_t row_count) {
    const std::uint64_t span = merge.codec->span();
    return with_key_type(is_wide(span), [&](auto key) -> std::unique_ptr<Searcher> {
      using Key = decltype(key);
      const bool has_values = !merge.included.empty();
      MergedOrders<Key> orders =
          merge_orders<Key>(merge.inputs, KeyOrder<Key>::padding, has_values);
      std::vector<std::unique_ptr<IncludedValues>> included;
      for (const std::vector<IncludedValues::Part>& parts : merge.included)
        included.push_back(IncludedValues::merged(
            parts, std::as_const(orders.sources).span().first(orders.arrays.size)));
      return std::make_unique<OrderedSearcher<Key, Locator<Key>>>(
          KeyOrder<Key>(std::move(orders), row_count, span), std::move(included),
          OrderedOptions{order}, settings...);
    });
  };
  return searchers;
}

// A kind that searches keys in order on the CPU.
template <template <class> class Locator>
[[nodiscard]] Kind ordered_kind(std::string_view kind, std::string_view tracer,
                                std::string description) {
  return {.kind = std::string(kind),
          .tracer = std::string(tracer),
          .device = "cpu",
          .options = {order_option},
          .describe = [description = std::move(description)] { return description; },
          .bind =
              [](const Spec& spec, const std::shared_ptr<DeviceMemory>&) {
                Engine engine = host_engine(ordered_searchers<Locator>(order_of(spec)));
                engine.default_delta = std::size_t{1} << 20;
                return engine;
              }};
}

}  // namespace rtindex
