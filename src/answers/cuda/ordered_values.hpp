#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "answers/cuda/deleted_positions.hpp"
#include "answers/cuda/run.hpp"
#include "answers/values.hpp"
#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// Levels of block results over values: each combines `tree_fan` of the level below.
inline constexpr std::uint32_t tree_fan = 32;
inline constexpr int max_tree_levels = 6;

// Results of an operation (Sum, Min, Max) over blocks of values, blocks of blocks and so on.
template <class Class>
struct TreeView {
  const Class* levels[max_tree_levels] = {};
  int count = 0;
};

// Values in key order as kernels see them. Integers are kept as prefix sums, from which each value
// is a difference; floats as they are, since sums of floats must not be subtracted.
template <class Class>
struct OrderedView {
  const Class* values = nullptr;  // floats, and integers if only min and max are requested
  const unsigned long long* prefix_sums = nullptr;  // [i]: of the first i values
  // [i]: of the first i values of deleted rows, which the prefix sums contain; null: they do not
  const unsigned long long* deleted_sums = nullptr;
  TreeView<Class> sum_tree, min_tree, max_tree;
};

// The requested aggregates of the values.
struct OrderedWants {
  bool sum = false, min = false, max = false;
};

// A value column in key order in device memory, with prefix sums of integers and trees of block
// results for the rest: a range costs about the same for one match and for a million.
class OrderedValues {
 public:
  OrderedValues() = default;
  // Gathers the values of `size` rows, without those of deleted rows. Unless `only_if` is null,
  // kernels do nothing if it points to zero when they run. Null() where there is not enough memory
  // and `required` is not set. `reserved` is called once that is known, before any kernel.
  OrderedValues(const void* values, Type type, RowsView rows, std::size_t size,
                const DeletedPositions& deleted, OrderedWants wants, bool required,
                const std::uint32_t* only_if, const Queue& queue,
                const std::function<void(bool enough)>& reserved = {});
  // The values of `all`, which outlives it, without those of deleted rows.
  OrderedValues(const OrderedValues& all, const DeletedPositionList& deleted, const Queue& queue);

  [[nodiscard]] bool null() const { return null_; }
  [[nodiscard]] Type type() const { return type_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <class Class>
  [[nodiscard]] OrderedView<Class> view() const;
  // The sum of the values before each position, for integers; else null.
  [[nodiscard]] const unsigned long long* sums_before() const {
    return reinterpret_cast<const unsigned long long*>(all().prefix_sums_.data());
  }
  // OrderedView::deleted_sums.
  [[nodiscard]] const unsigned long long* deleted_sums() const {
    return reinterpret_cast<const unsigned long long*>(deleted_sums_.data());
  }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Tree {
    DeviceArray<std::uint64_t> levels[max_tree_levels];
    int count = 0;
  };

  [[nodiscard]] const OrderedValues& all() const { return all_ == nullptr ? *this : *all_; }
  template <class Class>
  void make(const void* values, RowsView rows, const DeletedPositions& deleted, OrderedWants wants,
            const std::uint32_t* only_if, cudaStream_t stream);
  template <class Class>
  void add_up_deleted(const DeletedPositionList& deleted, const Queue& queue);
  template <class Class>
  void make_trees(const DeletedPositions& deleted, OrderedWants wants, const std::uint32_t* only_if,
                  cudaStream_t stream);
  template <class Class, class Operation, class Deleted>
  void make_tree(Tree& tree, const Deleted& deleted, const std::uint32_t* only_if,
                 cudaStream_t stream);
  bool reserve(OrderedWants wants, bool required, const Queue& queue);

  bool null_ = true;
  Type type_ = Type::u64;
  std::size_t size_ = 0;
  DeviceArray<std::uint64_t> values_;  // of the class, 8 bytes each
  DeviceArray<std::uint64_t> prefix_sums_;
  DeviceArray<std::uint64_t> tile_sums_;
  const OrderedValues* all_ = nullptr;  // owns the values; null: this object does
  DeviceArray<std::uint64_t> deleted_sums_;
  Tree sum_tree_, min_tree_, max_tree_;
};

// The smallest or greatest valid rowID of any run, by a tree over the rowIDs in key order.
// Operation is Min or Last.
template <class Operation>
class RowTree {
 public:
  RowTree(RowsView rows, std::size_t size, const DeletedPositions& deleted,
          const std::uint32_t* only_if, const Queue& queue);
  [[nodiscard]] bool null() const { return null_; }
  [[nodiscard]] TreeView<std::uint32_t> view() const;

 private:
  bool null_ = true;
  DeviceArray<std::uint32_t> levels_[max_tree_levels];
  int count_ = 0;
};

}  // namespace rtindex::cuda
