#include "indexes/cuda/cuda_entries.hpp"

#include <charconv>

#include "base/error.hpp"
#include "indexes/cuda/btree_cuda.hpp"
#include "indexes/cuda/hash_cuda.hpp"
#include "indexes/cuda/sorted_cuda.hpp"
#include "tracers/native/native_cuda.hpp"

namespace rtindex::cuda {

namespace {

// Measured to be the quickest on an H200; the paper's baselines use groups of 16 and 8.
constexpr const char* default_tree_group = "1";
constexpr const char* default_table_group = "2";
constexpr const char* default_load = "0.8";
constexpr const char* default_cell = "12";

int group_of(const Spec& spec, int most) {
  const std::string text = spec.option("group", "1");
  for (int group = 1; group <= most; group *= 2)
    if (text == std::to_string(group)) return group;
  fail("group={} is not possible: write a power of two from 1 to {}", text, most);
}

int cell_of(const Spec& spec) {
  const std::string text = spec.option("cell", default_cell);
  int keys = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), keys);
  if (error != std::errc() || end != text.data() + text.size() || keys < 1 || keys > 16)
    fail("cell={} is not possible: write a number from 1 to 16", text);
  return keys;
}

double load_of(const Spec& spec) {
  const std::string text = spec.option("load", default_load);
  double load = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), load);
  if (error != std::errc() || end != text.data() + text.size() || !(load >= 0.05 && load <= 0.95))
    fail("load={} is not possible: write a number from 0.05 to 0.95", text);
  return load;
}

}  // namespace

const std::vector<DeviceKind>& device_kinds() {
  static const std::vector<DeviceKind> kinds = {
      {"rx",
       "native",
       {"order", "gather", "cell"},
       "the ray tracer that knows that RX's scene is a line",
       true},
      {"sorted", "", {"order", "gather"}, "sorted array, binary search", true},
      {"btree", "", {"order", "gather", "group"}, "B+-tree, bulk-loaded", true},
      {"hash", "", {"group", "load"}, "hash table, points only", false},
  };
  return kinds;
}

Spec complete(const Spec& spec) {
  const int device = spec.device_number();
  if (const auto count = static_cast<int>(gpus().size()); device >= count)
    fail("there is no GPU {} for '{}': this machine has {}, numbered from 0", device, spec.text(),
         count);
  if (spec.kind() == "hash") {
    Spec full = spec.with("group", spec.option("group", default_table_group))
                    .with("load", spec.option("load", default_load));
    static_cast<void>(group_of(full, 32)), static_cast<void>(load_of(full));
    return full;
  }
  Spec full = spec.with("order", spec.option("order", "auto"))
                  .with("gather", spec.option("gather", "auto"));
  if (spec.kind() == "rx") {
    full = full.with("cell", spec.option("cell", default_cell));
    static_cast<void>(cell_of(full));
  }
  if (spec.kind() == "btree") {
    full = full.with("group", spec.option("group", default_tree_group));
    static_cast<void>(group_of(full, 16));
  }
  return full;
}

DeviceOptions options_of(const Spec& resolved) {
  DeviceOptions options = ordered_options(resolved);
  if (resolved.kind() == "rx") {
    options.layout = Layout::pairs;
    options.locator = [cell = cell_of(resolved)](
                          DeviceOrder& sorted, const std::shared_ptr<DeviceMemory>& memory,
                          cudaStream_t stream) { return make_grid(sorted, cell, memory, stream); };
  } else if (resolved.kind() == "sorted") {
    options.locator = [](DeviceOrder& sorted, const std::shared_ptr<DeviceMemory>&, cudaStream_t) {
      return make_binary_search(sorted);
    };
  } else if (resolved.kind() == "btree") {
    options.locator = [group = group_of(resolved, 16)](
                          DeviceOrder& sorted, const std::shared_ptr<DeviceMemory>& memory,
                          cudaStream_t stream) { return make_tree(sorted, group, memory, stream); };
  } else {
    options.locator = [group = group_of(resolved, 32), load = load_of(resolved)](
                          DeviceOrder& sorted, const std::shared_ptr<DeviceMemory>& memory,
                          cudaStream_t stream) {
      return make_table(sorted, group, load, memory, stream);
    };
  }
  return options;
}

}  // namespace rtindex::cuda
