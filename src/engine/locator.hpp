#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "engine/batch_order.hpp"
#include "file/stored.hpp"
#include "order/key_order.hpp"
#include "order/key_parts.hpp"

namespace rtindex {

// The memory of a locator, beyond the keys and rowIDs in key order.
struct LocatorBytes {
  std::vector<std::pair<std::string, std::size_t>> parts;  // by name
  std::size_t build_peak = 0;                              // the most bytes while it was built
};

// What all locators of a kind have in common.
struct LocatorTraits {
  // Whether a search reads so much memory that a large batch is answered faster in key order. A
  // grid reads a cell and the keys in it, a tree has its upper nodes in a cache: they are faster
  // without.
  bool order_pays = false;
  bool searches_sequences = false;  // false: subtraction finds the keys of a dense sequence
  bool counts_work = false;
};

// Finds keys in a column in key order, a block of them at a time. It is what differs between kinds:
// ranges, duplicates and answers follow from the positions (ordered_searcher.cpp). It is made from
// a KeyOrder, or from a file and a KeyOrder, and has `static constexpr LocatorTraits traits`.
template <class Key>
class Locator {
 public:
  virtual ~Locator() = default;
  Locator() = default;
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;

  // at[i] = the position of the first key that is not less than keys[i]. Its work is added to
  // `work` if it counts any; null: nothing is counted.
  virtual void lower_bounds(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                            std::uint32_t* at, Counters* work) const = 0;
  // lower_bounds() for keys in a part of the column, which some search faster.
  virtual void lower_bounds_in(const KeyPart& /*part*/, const KeyOrder<Key>& order, const Key* keys,
                               std::size_t count, std::uint32_t* at, Counters* work) const {
    lower_bounds(order, keys, count, at, work);
  }

  virtual void save(FileWriter file) const = 0;
  [[nodiscard]] virtual LocatorBytes bytes() const = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace rtindex
