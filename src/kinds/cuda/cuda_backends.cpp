#include "kinds/cuda/cuda_backends.hpp"

#include "engine/cuda/device_backend.hpp"
#include "kinds/cuda/classic_locators.hpp"
#include "kinds/cuda_options.hpp"
#include "kinds/grid/grid_cuda.hpp"

namespace rtindex::cuda {

namespace {

class NativeBackend final : public DeviceBackend {
 public:
  NativeBackend()
      : DeviceBackend("rx", "native", "grid over sorted keys", GridOptions::declared()) {}

 protected:
  [[nodiscard]] DeviceOptions device_options(const Spec& spec) const override {
    DeviceOptions options = sorted_options(spec);
    options.layout = Layout::pairs;
    options.locator = [grid = GridOptions::from(spec)](DeviceOrder& order, const Queue& queue) {
      return make_grid(order, grid.keys_per_cell, queue);
    };
    return options;
  }
};

class SortedBackend final : public DeviceBackend {
 public:
  SortedBackend() : DeviceBackend("sorted", "", "sorted array, binary search", {gather_option}) {}

 protected:
  [[nodiscard]] DeviceOptions device_options(const Spec& spec) const override {
    DeviceOptions options = sorted_options(spec);
    options.locator = [](DeviceOrder& order, const Queue&) { return make_binary_search(order); };
    return options;
  }
};

class TreeBackend final : public DeviceBackend {
 public:
  TreeBackend() : DeviceBackend("btree", "", "B+-tree, bulk-loaded", TreeOptions::declared()) {}

 protected:
  [[nodiscard]] DeviceOptions device_options(const Spec& spec) const override {
    DeviceOptions options = sorted_options(spec);
    options.locator = [tree = TreeOptions::from(spec)](DeviceOrder& order, const Queue& queue) {
      return make_tree(order, tree.group, queue);
    };
    return options;
  }
};

class HashBackend final : public DeviceBackend {
 public:
  HashBackend() : DeviceBackend("hash", "", "hash table, points only", HashOptions::declared()) {}

  [[nodiscard]] bool keeps_key_order(const Spec&) const override { return false; }
  [[nodiscard]] KeyUse key_use() const override { return KeyUse::points; }

 protected:
  [[nodiscard]] DeviceOptions device_options(const Spec& spec) const override {
    DeviceOptions options = sorted_options(spec);
    options.keeps_order = false;
    options.layout = Layout::taken;
    options.locator = [table = HashOptions::from(spec)](DeviceOrder& order, const Queue& queue) {
      return make_table(order, table.group, table.load, queue);
    };
    return options;
  }
};

}  // namespace

std::vector<const Backend*> device_backends() {
  static const NativeBackend native;
  static const SortedBackend sorted;
  static const TreeBackend tree;
  static const HashBackend hash;
  return {&native, &sorted, &tree, &hash};
}

}  // namespace rtindex::cuda
