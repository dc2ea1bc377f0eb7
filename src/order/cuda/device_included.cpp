#include "order/cuda/device_included.hpp"

#include <optional>
#include <utility>

#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

namespace {

constexpr OrderedWants all_aggregates{.sum = true, .min = true, .max = true};
// Prefix sums, which also count the values of a run that are not null.
constexpr OrderedWants sums_alone{.sum = true};

[[nodiscard]] DeviceArray<std::uint8_t> ones(std::size_t size, const Queue& queue) {
  DeviceArray<std::uint8_t> bytes(queue, size);
  if (size != 0) check(cudaMemsetAsync(bytes.data(), 1, size, queue), "filling memory");
  return bytes;
}

// Which values of a part are not null, also where none is.
class ValidPart {
 public:
  ValidPart(const IncludedPart& part, const Queue& queue) {
    if (part.column == nullptr) return;
    if (part.column->valid != nullptr) {
      values_ = part.column->valid.get();
      keyless_ = &part.column->keyless_valid;
      return;
    }
    const std::size_t size = part.column->values->size();
    const DeviceArray<std::uint8_t> bytes = ones(size, queue);
    // Every position is the element itself.
    const RowsView elements{.first = static_cast<std::uint32_t>(size)};
    values_ = &own_values_.emplace(bytes.data(), valid_type, elements, size, DeletedPositions{},
                                   sums_alone, true, nullptr, queue);
    const KeylessValues& keyless = part.column->keyless;
    if (keyless.size == 0) return;
    own_keyless_.size = keyless.size;
    own_keyless_.rows = DeviceArray<std::uint32_t>(queue, keyless.size);
    check(cudaMemcpyAsync(own_keyless_.rows.data(), keyless.rows.data(), own_keyless_.rows.bytes(),
                          cudaMemcpyDeviceToDevice, queue),
          "copying on the GPU");
    own_keyless_.values = ones(keyless.size, queue);
  }
  ValidPart(const ValidPart&) = delete;
  ValidPart& operator=(const ValidPart&) = delete;

  // Null where there is no segment.
  [[nodiscard]] const OrderedValues* values() const { return values_; }
  [[nodiscard]] const KeylessValues& keyless() const { return *keyless_; }

 private:
  const OrderedValues* values_ = nullptr;
  std::optional<OrderedValues> own_values_;
  KeylessValues own_keyless_;
  const KeylessValues* keyless_ = &own_keyless_;
};

}  // namespace

std::size_t DeviceIncluded::bytes() const {
  return values->bytes() + keyless.bytes() +
         (valid == nullptr ? 0 : valid->bytes() + keyless_valid.bytes());
}

DeviceIncluded included_in_order(const ElementValues& from, RowsView rows, std::size_t size,
                                 KeylessValues keyless, KeylessValues keyless_valid,
                                 const Queue& queue) {
  DeviceIncluded made;
  made.values = std::make_unique<OrderedValues>(
      from.values, from.type, rows, size, DeletedPositions{}, all_aggregates, true, nullptr, queue);
  made.keyless = std::move(keyless);
  if (from.valid == nullptr) return made;
  made.valid = std::make_unique<OrderedValues>(
      from.valid, valid_type, rows, size, DeletedPositions{}, sums_alone, true, nullptr, queue);
  made.keyless_valid = std::move(keyless_valid);
  return made;
}

DeviceIncluded merge_included(const IncludedPart& first, const IncludedPart& second,
                              const MergeSources& sources, const Queue& queue) {
  static const KeylessValues none;
  const DeviceIncluded* const added = second.column;
  DeviceIncluded merged;
  merged.values = std::make_unique<OrderedValues>(
      merge_values(*first.column->values, added == nullptr ? nullptr : added->values.get(), sources,
                   all_aggregates, queue));
  merged.keyless =
      merge_keyless(first.column->keyless, first.deleted, added == nullptr ? none : added->keyless,
                    second.deleted, first.column->type(), queue);
  if (first.column->valid == nullptr && (added == nullptr || added->valid == nullptr))
    return merged;
  const ValidPart first_valid(first, queue);
  const ValidPart second_valid(second, queue);
  merged.valid = std::make_unique<OrderedValues>(
      merge_values(*first_valid.values(), second_valid.values(), sources, sums_alone, queue));
  merged.keyless_valid = merge_keyless(first_valid.keyless(), first.deleted, second_valid.keyless(),
                                       second.deleted, valid_type, queue);
  return merged;
}

}  // namespace rtindex::cuda
