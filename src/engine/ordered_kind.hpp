#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/host_engine.hpp"
#include "engine/ordered_searcher.hpp"
#include "order/merge_orders.hpp"

namespace rtindex {

// Searchers over keys in order, with 4-byte keys where they fit, else with 8-byte keys. `settings`
// are the locator's.
template <template <class> class OwnLocator, class... Settings>
[[nodiscard]] HostSearchers ordered_searchers(Order order, const Settings&... settings) {
  const OrderedOptions options{order, OwnLocator<std::uint32_t>::traits};
  HostSearchers searchers;
  searchers.build = [options, settings...](const EncodedColumn& column, const KeyCodec& codec,
                                           const KeyText&, std::span<const ColumnView> include) {
    return with_key_type(is_wide(column.span), [&]<class Key>(Key) {
      return build_ordered_searcher<Key>(
          column, codec, include, options,
          [&](const KeyOrder<Key>& keys) -> std::unique_ptr<Locator<Key>> {
            return std::make_unique<OwnLocator<Key>>(keys, settings...);
          });
    });
  };
  searchers.load = [options, settings...](const FileReader& file, const KeyCodec& codec,
                                          std::size_t rows) -> LoadedSearcher {
    return with_key_type(is_wide(codec.span()), [&]<class Key>(Key) -> LoadedSearcher {
      return {load_ordered_searcher<Key>(
                  file, codec, rows, options,
                  [&](const KeyOrder<Key>& keys) -> std::unique_ptr<Locator<Key>> {
                    return std::make_unique<OwnLocator<Key>>(file.part("locator"), keys,
                                                             settings...);
                  }),
              false};
    });
  };
  searchers.merge = [options, settings...](const OrderedMerge& merge, std::size_t row_count) {
    const std::uint64_t span = merge.codec->span();
    return with_key_type(is_wide(span), [&]<class Key>(Key) {
      const bool has_values = !merge.included.empty();
      MergedOrders<Key> orders =
          merge_orders<Key>(merge.inputs, KeyOrder<Key>::padding, has_values);
      std::vector<std::unique_ptr<IncludedValues>> included;
      for (const std::vector<IncludedValues::Part>& parts : merge.included)
        included.push_back(IncludedValues::merged(
            parts, std::as_const(orders.sources).span().first(orders.arrays.size)));
      return merged_ordered_searcher<Key>(
          KeyOrder<Key>(std::move(orders), row_count, span), std::move(included), options,
          [&](const KeyOrder<Key>& keys) -> std::unique_ptr<Locator<Key>> {
            return std::make_unique<OwnLocator<Key>>(keys, settings...);
          });
    });
  };
  return searchers;
}

// A kind that searches keys in order on the CPU.
template <template <class> class OwnLocator>
[[nodiscard]] Kind ordered_kind(std::string_view kind, std::string_view tracer,
                                std::string description) {
  return {.kind = std::string(kind),
          .tracer = std::string(tracer),
          .device = "cpu",
          .options = {order_option},
          .describe = [description = std::move(description)] { return description; },
          .bind =
              [](const Spec& spec, const std::shared_ptr<DeviceMemory>&) {
                Engine engine = host_engine(ordered_searchers<OwnLocator>(order_of(spec)));
                engine.default_delta = std::size_t{1} << 20;
                return engine;
              }};
}

}  // namespace rtindex
