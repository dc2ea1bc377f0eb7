#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rtindex {

// The sum of all pages before each page, relative to the sum before a group of pages: a change of
// one page changes the sums of its group and those before groups, not all.
template <class Total>
class PageSums {
 public:
  explicit PageSums(std::size_t pages = 0)
      : in_group_(pages, Total{}), before_group_(pages / group + 1, Total{}) {}
  // `before`: the sum of all pages before each page.
  explicit PageSums(const std::vector<Total>& before) : PageSums(before.size()) {
    for (std::size_t page = 0; page < before.size(); ++page) {
      if (page % group == 0) before_group_[page / group] = before[page];
      in_group_[page] = before[page] - before_group_[page / group];
    }
  }

  [[nodiscard]] Total operator[](std::size_t page) const {
    return before_group_[page / group] + in_group_[page];
  }
  // Adds to the sums before `page` and all later ones.
  void add_from(std::size_t page, Total value) {
    const std::size_t next = page / group + 1;
    const std::size_t end = std::min(in_group_.size(), next * group);
    for (std::size_t i = page; i < end; ++i) in_group_[i] += value;
    for (std::size_t i = next; i < before_group_.size(); ++i) before_group_[i] += value;
  }
  [[nodiscard]] std::size_t bytes() const {
    return (in_group_.size() + before_group_.size()) * sizeof(Total);
  }

 private:
  static constexpr std::size_t group = 128;

  std::vector<Total> in_group_;
  std::vector<Total> before_group_;
};

}  // namespace rtindex
