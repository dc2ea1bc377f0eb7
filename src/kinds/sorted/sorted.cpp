#include <algorithm>

#include "base/prefetch.hpp"
#include "engine/ordered_kind.hpp"
#include "kinds/registry.hpp"

namespace rtindex {

namespace {

// Binary search without branches, many lookups in step, so that their cache misses overlap.
template <class Key>
class BinarySearch final : public Locator<Key> {
 public:
  static constexpr LocatorTraits traits{.order_pays = true};

  explicit BinarySearch(const KeyOrder<Key>&) {}
  BinarySearch(const FileReader&, const KeyOrder<Key>&) {}
  void save(FileWriter) const override {}

  void lower_bounds(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                    std::uint32_t* at, Counters* work) const override {
    lower_bounds_in({0, order.span(), 0, static_cast<std::uint32_t>(order.size())}, order, keys,
                    count, at, work);
  }
  // Searches for keys in `part`.
  void lower_bounds_in(const KeyPart& part, const KeyOrder<Key>& order, const Key* keys,
                       std::size_t count, std::uint32_t* at, Counters*) const override {
    for (std::size_t first = 0; first < count; first += in_step)
      order.with_elements([&](const auto* elements) {
        search(part, elements, keys + first, std::min(in_step, count - first), at + first);
      });
  }

  [[nodiscard]] LocatorBytes bytes() const override { return {{{"search structure", 0}}}; }
  [[nodiscard]] std::string describe() const override {
    return "structure: sorted array, binary search of 16 lookups in step\n";
  }

 private:
  static constexpr std::size_t in_step = 16;

  template <class Element>
  static void search(const KeyPart& part, const Element* elements, const Key* keys,
                     std::size_t count, std::uint32_t* at) {
    const Element* base[in_step];
    std::fill_n(base, count, elements + part.begin);
    std::size_t length = part.end - part.begin;
    while (length > 1) {
      const std::size_t half = length / 2;
      length -= half;
      for (std::size_t i = 0; i < count; ++i) {
        base[i] += key_of(base[i][half - 1]) < keys[i] ? half : 0;
        prefetch(base[i] + length / 2 - (length > 1 ? 1 : 0));
      }
    }
    for (std::size_t i = 0; i < count; ++i)
      at[i] = static_cast<std::uint32_t>(base[i] - elements) +
              (length == 1 && key_of(*base[i]) < keys[i] ? 1U : 0U);
  }
};

}  // namespace

Kind sorted_kind() {
  return ordered_kind<BinarySearch>("sorted", "", "sorted array, binary search");
}

}  // namespace rtindex
