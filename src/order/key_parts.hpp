#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "order/key_model.hpp"

namespace rtindex {

// A part of a column in key order: key values [first, last], rows at positions [begin, end).
struct KeyPart {
  std::uint64_t first, last;
  std::uint32_t begin, end;
};

// A column in key order, cut into parts of about equally many rows for any distribution of its
// keys. Equal keys are in one part, so there may be fewer parts than requested. Every key value up
// to the column's span belongs to a part.
class KeyParts {
 public:
  static constexpr std::size_t max_parts = std::size_t{1} << 16;

  using KeyAt = std::function<std::uint64_t(std::uint32_t position)>;

  // At most `count` parts, up to max_parts. No lookup is above `span`.
  KeyParts(const KeyAt& key_at, std::size_t size, std::uint64_t span, std::size_t count);

  [[nodiscard]] std::size_t size() const { return firsts_.size(); }
  [[nodiscard]] KeyPart operator[](std::size_t part) const {
    return {firsts_[part], part + 1 == size() ? span_ : firsts_[part + 1] - 1, begins_[part],
            begins_[part + 1]};
  }
  // parts[i] = the part of keys[i].
  void find(const std::uint64_t* keys, std::size_t count, std::uint32_t* parts) const;

 private:
  std::vector<std::uint64_t> firsts_;  // the smallest key value that belongs to each
  std::vector<std::uint32_t> begins_;  // of each, and the end of the last
  MadeRoot root_;
  std::uint64_t span_;
};

}  // namespace rtindex
