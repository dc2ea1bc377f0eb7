// Arrays in pages that copies share, against vectors.

#include "rows/shared_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Pages = SharedPages<std::uint32_t, 4>;
constexpr std::size_t size = 1000;  // several groups of pages, the last page not full

std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> elements(size);
  std::iota(elements.begin(), elements.end(), 0U);
  return elements;
}

void expect_elements(const Pages& pages, const std::vector<std::uint32_t>& expected) {
  ASSERT_EQ(pages.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(pages[i], expected[i]) << i;
}

Pages with_element(Pages pages, std::size_t i, std::uint32_t value) {
  const std::size_t old_size = pages.size();
  Pages::Editor editor(std::move(pages), old_size);
  editor.edit_element(i) = value;
  return std::move(editor).finish();
}

TEST(SharedPages, AreChangedInPlaceByTheirOnlyOwner) {
  Pages pages{std::span<const std::uint32_t>(numbers())};
  const std::vector<const std::uint32_t*> before(pages.directory(),
                                                 pages.directory() + pages.page_count());
  pages = with_element(std::move(pages), 500, 7);
  const std::vector<const std::uint32_t*> after(pages.directory(),
                                                pages.directory() + pages.page_count());
  EXPECT_EQ(before, after);
  std::vector<std::uint32_t> expected = numbers();
  expected[500] = 7;
  expect_elements(pages, expected);
}

TEST(SharedPages, KeepWhatACopyHas) {
  const Pages pages{std::span<const std::uint32_t>(numbers())};
  const Pages changed = with_element(pages, 500, 7);
  expect_elements(pages, numbers());
  std::size_t shared = 0;
  for (std::size_t page = 0; page < pages.page_count(); ++page)
    shared += pages.directory()[page] == changed.directory()[page] ? 1 : 0;
  EXPECT_EQ(shared, pages.page_count() - 1);
}

// Copies that come and go while one of them changes and grows.
TEST(SharedPages, AreChangedLikeVectors) {
  Random random(3);
  std::vector<std::pair<Pages, std::vector<std::uint32_t>>> copies(5);
  for (int step = 0; step < 2000; ++step) {
    auto& [pages, expected] = copies[random.below(copies.size())];
    if (step % 5 == 0) {
      std::pair copy = copies[random.below(copies.size())];
      pages = std::move(copy.first);
      expected = std::move(copy.second);
    }
    expected.resize(expected.size() + (step % 3 == 0 ? 1 + random.below(40) : 0), 0);
    if (expected.empty()) continue;
    Pages::Editor editor(std::move(pages), expected.size());
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random.below(expected.size());
      editor.edit_element(at) = expected[at] = static_cast<std::uint32_t>(step);
    }
    pages = std::move(editor).finish();
    if (step % 100 == 0)
      for (const auto& [one, its] : copies) expect_elements(one, its);
  }
}

}  // namespace
}  // namespace rtindex::test
