#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rtindex {

// The sum of all pages before each page, relative to the sum before a group of pages: a change of
// one page changes sums of its group and those before groups, not all.
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
    const std::size_t begin = page / group * group;
    const std::size_t end = std::min(in_group_.size(), begin + group);
    std::size_t changed = page / group;  // the first group of which the sum before it changes
    if (page - begin < end - page) {
      for (std::size_t i = begin; i < page; ++i) in_group_[i] -= value;
    } else {
      for (std::size_t i = page; i < end; ++i) in_group_[i] += value;
      ++changed;
    }
    for (std::size_t i = changed; i < before_group_.size(); ++i) before_group_[i] += value;
  }
  [[nodiscard]] std::size_t bytes() const {
    return (in_group_.size() + before_group_.size()) * sizeof(Total);
  }

 private:
  static constexpr std::size_t group = 128;

  std::vector<Total> in_group_;
  std::vector<Total> before_group_;
};

// Adds to the sums `at` and all later ones, which are in pages and relative to that before their
// page. In the page of `at` either those from there on change or all others, whichever are fewer.
template <class Editor, class Total>
void add_from(std::size_t at, Total value, Editor& sums, PageSums<Total>& before_page) {
  const std::size_t page = at / Editor::page_size;
  const std::size_t in_page = at % Editor::page_size;
  const std::size_t size = sums.elements_in(page);
  const bool are_earlier = 2 * in_page < size;
  const std::size_t first = are_earlier ? 0 : in_page;
  const std::size_t end = are_earlier ? in_page : size;
  if (first != end) {
    const Total added = are_earlier ? Total{0} - value : value;
    Total* const changed = sums.edit(page);
    for (std::size_t i = first; i < end; ++i) changed[i] += added;
  }
  before_page.add_from(page + (are_earlier ? 0 : 1), value);
}

}  // namespace rtindex
