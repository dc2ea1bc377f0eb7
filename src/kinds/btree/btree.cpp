#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/prefetch.hpp"
#include "engine/ordered_kind.hpp"
#include "kinds/registry.hpp"

namespace rtindex {

namespace {

// A B+-tree over the sorted pairs or keys, loaded full from the bottom up. Leaves are 16 each, one
// after the other, so that a leaf's link to the next is its own end. An inner node is one cache
// line of separators: the greatest key below each child. Nodes of a level lie side by side, so that
// child c of node i is node i * fanout + c of the level below.
template <class Key>
class BPlusTree final : public Locator<Key> {
 public:
  static constexpr LocatorTraits traits{};

  explicit BPlusTree(const KeyOrder<Key>& order) {
    std::size_t nodes = (order.size() + leaf_keys - 1) / leaf_keys;
    const auto greatest_of_leaf = [&](std::size_t leaf) {
      return order.key(std::min(order.size(), (leaf + 1) * leaf_keys) - 1);
    };
    leaves_ = nodes;
    while (nodes > 1) {
      const std::size_t parents = (nodes + fanout - 1) / fanout;
      Array<Key> level(parents * fanout);
      for (std::size_t i = 0; i < level.size(); ++i) {
        if (i >= nodes)
          level[i] = std::numeric_limits<Key>::max();
        else if (levels_.empty())
          level[i] = greatest_of_leaf(i);
        else
          level[i] = greatest_below(levels_.back(), i);
      }
      levels_.push_back(std::move(level));
      nodes = parents;
    }
  }

  BPlusTree(const FileReader& file, const KeyOrder<Key>& order)
      : leaves_((order.size() + leaf_keys - 1) / leaf_keys) {
    for (std::size_t nodes = leaves_; nodes > 1;) {
      nodes = (nodes + fanout - 1) / fanout;
      levels_.push_back(file.array<Key>(fmt::format("level{}", levels_.size()), nodes * fanout));
    }
  }

  void save(FileWriter file) const override {
    for (std::size_t level = 0; level < levels_.size(); ++level)
      file.array(fmt::format("level{}", level), levels_[level].span());
  }

  void lower_bounds(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                    std::uint32_t* at, Counters*) const override {
    for (std::size_t first = 0; first < count; first += in_step)
      order.with_elements([&](const auto* elements) {
        search(elements, order.size(), keys + first, std::min(in_step, count - first), at + first);
      });
  }

  [[nodiscard]] LocatorBytes bytes() const override {
    std::size_t bytes = 0;
    for (const Array<Key>& level : levels_) bytes += level.bytes();
    return {{{"inner nodes", bytes}}};
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "structure: B+-tree, {} leaves of {} keys, {} levels of inner nodes with {} children\n",
        leaves_, leaf_keys, levels_.size(), fanout);
  }

 private:
  static constexpr std::size_t leaf_keys = KeyOrder<Key>::padding;
  static constexpr std::size_t fanout = 64 / sizeof(Key);
  static constexpr std::size_t in_step = 32;

  static Key greatest_below(const Array<Key>& level, std::size_t node) {
    return level[std::min(level.size(), (node + 1) * fanout) - 1];
  }

  template <class Element>
  void search(const Element* elements, std::size_t size, const Key* keys, std::size_t count,
              std::uint32_t* at) const {
    std::size_t nodes[in_step] = {};
    for (std::size_t level = levels_.size(); level-- > 0;) {
      const Key* separators = levels_[level].data();
      const std::size_t last = (level == 0 ? leaves_ : levels_[level - 1].size() / fanout) - 1;
      for (std::size_t i = 0; i < count; ++i) {
        const Key* node = separators + nodes[i] * fanout;
        std::size_t less = 0;
        for (std::size_t child = 0; child < fanout; ++child)
          less += node[child] < keys[i] ? 1U : 0U;
        nodes[i] = std::min(nodes[i] * fanout + less, last);
        if (level != 0) {
          prefetch(levels_[level - 1].data() + nodes[i] * fanout);
        } else {
          const auto* leaf = reinterpret_cast<const char*>(elements + nodes[i] * leaf_keys);
          for (std::size_t byte = 0; byte < sizeof(Element) * leaf_keys; byte += 64)
            prefetch(leaf + byte);
        }
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t start = nodes[i] * leaf_keys;
      const Element* leaf = elements + start;
      std::size_t less = 0;
      for (std::size_t child = 0; child < leaf_keys; ++child)
        less += key_of(leaf[child]) < keys[i] ? 1U : 0U;
      at[i] = static_cast<std::uint32_t>(std::min(start + less, size));
    }
  }

  std::vector<Array<Key>> levels_;  // from the leaves up
  std::size_t leaves_ = 0;
};

}  // namespace

Kind btree_kind() { return ordered_kind<BPlusTree>("btree", "", "B+-tree, bulk-loaded"); }

}  // namespace rtindex
