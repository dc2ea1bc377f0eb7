#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend.hpp"
#include "engine/ordered_structure.hpp"

namespace rtindex {

// The structure with 4-byte keys where they fit, else with 8-byte keys. `settings` are the
// locator's.
template <template <class> class Locator, class... Settings>
[[nodiscard]] std::unique_ptr<Structure> make_ordered(const EncodedColumn& column,
                                                      const KeyCodec& codec,
                                                      const OrderedOptions& options,
                                                      const Settings&... settings) {
  return with_key_type(is_wide(column.span), [&](auto key) -> std::unique_ptr<Structure> {
    using Key = decltype(key);
    return std::make_unique<OrderedStructure<Key, Locator<Key>>>(column, codec, options,
                                                                 settings...);
  });
}

// The same structure as it was saved.
template <template <class> class Locator, class... Settings>
[[nodiscard]] std::unique_ptr<Structure> load_ordered(const FileReader& file, const KeyCodec& codec,
                                                      std::size_t rows,
                                                      const OrderedOptions& options,
                                                      const Settings&... settings) {
  return with_key_type(is_wide(codec.span()), [&](auto key) -> std::unique_ptr<Structure> {
    using Key = decltype(key);
    return std::make_unique<OrderedStructure<Key, Locator<Key>>>(file, codec, rows, options,
                                                                 settings...);
  });
}

// The order and the included values that a complete spec and its build ask for.
[[nodiscard]] inline OrderedOptions ordered_options(const Spec& spec,
                                                    const BuildOptions& options = {}) {
  return {order_of(spec), options.include.has_value() ? &options.include : nullptr};
}

// One structure in place of several neighbouring ones, without their deleted rows; none where they
// must be taken apart: only native keys are ordered alike in every segment.
struct OrderedMerge {
  std::vector<OrderInput> inputs;
  std::vector<IncludedValues::Part> included;  // empty where there are none
  std::shared_ptr<KeyCodec> codec;
};
[[nodiscard]] std::optional<OrderedMerge> plan_merge(std::span<const Segment> segments);

template <template <class> class Locator, class... Settings>
[[nodiscard]] std::optional<Segment> merge_ordered(std::span<const Segment> segments,
                                                   std::size_t row_count,
                                                   const OrderedOptions& options,
                                                   const Settings&... settings) {
  std::optional<OrderedMerge> plan = plan_merge(segments);
  if (!plan) return std::nullopt;
  const std::uint64_t span = plan->codec->span();
  Segment merged;
  merged.structure = with_key_type(is_wide(span), [&](auto key) -> std::shared_ptr<Structure> {
    using Key = decltype(key);
    const bool has_values = !plan->included.empty();
    MergedOrders<Key> orders = merge_orders<Key>(plan->inputs, KeyOrder<Key>::padding, has_values);
    std::unique_ptr<IncludedValues> included;
    if (has_values)
      included = IncludedValues::merged(plan->included,
                                        std::as_const(orders.sources).span().first(orders.size));
    return std::make_shared<OrderedStructure<Key, Locator<Key>>>(
        KeyOrder<Key>(std::move(orders), row_count, span), std::move(included), options,
        settings...);
  });
  merged.codec = std::move(plan->codec);
  return merged;
}

// The backend of structures over sorted pairs on the CPU.
template <template <class> class Locator>
class OrderedBackend final : public Backend {
 public:
  OrderedBackend(std::string kind, std::string tracer, std::string description)
      : Backend(std::move(kind), std::move(tracer), "cpu", {order_option}),
        description_(std::move(description)) {}

  [[nodiscard]] std::string describe() const override { return description_; }

  [[nodiscard]] std::unique_ptr<Structure> build(const Spec& spec, EncodedColumn column,
                                                 const KeyCodec& codec, const KeyText&,
                                                 const BuildOptions& options) const override {
    return make_ordered<Locator>(column, codec, ordered_options(spec, options));
  }

  [[nodiscard]] Segment merge(const Spec& spec, std::span<const Segment> segments,
                              std::size_t row_count, bool is_all) const override {
    if (auto merged = merge_ordered<Locator>(segments, row_count, ordered_options(spec)))
      return *std::move(merged);
    return Backend::merge(spec, segments, row_count, is_all);
  }

  [[nodiscard]] std::size_t default_delta() const override { return std::size_t{1} << 20; }

  [[nodiscard]] LoadedStructure load(const Spec& spec, const FileReader& file,
                                     const KeyCodec& codec, std::size_t rows,
                                     const std::shared_ptr<DeviceMemory>&) const override {
    return {load_ordered<Locator>(file, codec, rows, ordered_options(spec)), false};
  }

 private:
  std::string description_;
};

}  // namespace rtindex
