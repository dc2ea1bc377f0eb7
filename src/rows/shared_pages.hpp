#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/counted_ref.hpp"

namespace rtindex {

// An array in pages of 2^log2_page elements, which only an Editor changes. Copies share pages: one
// that is changed shares all but those that differ, and pages in which all elements are T{} take no
// memory.
//
// A directory of plain pointers makes an element one more load than in a flat array. What owns the
// pages is a tree, so that a copy counts references to some pages, not to all of them.
template <class T, unsigned log2_page>
requires std::is_trivially_copyable_v<T>
class SharedPages {
  static constexpr std::size_t group_size = 32;

  // The elements lie behind it.
  struct alignas(std::max(alignof(T), alignof(std::atomic<std::uint32_t>))) Page {
    std::atomic<std::uint32_t> owners = 1;

    [[nodiscard]] static Page* make(std::size_t size) {
      return new (::operator new(sizeof(Page) + size * sizeof(T))) Page;
    }
    static void destroy(Page* page) {
      page->~Page();
      ::operator delete(page);
    }
    [[nodiscard]] T* elements() { return reinterpret_cast<T*>(this + 1); }
  };
  static_assert(alignof(Page) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  struct Group {
    std::atomic<std::uint32_t> owners = 1;
    std::array<CountedRef<Page>, group_size> pages;  // null: all elements are T{}

    Group() = default;
    Group(const Group& other) : pages(other.pages) {}
    Group& operator=(const Group&) = delete;
    ~Group() = default;
    static void destroy(Group* group) { delete group; }
  };

 public:
  static constexpr std::size_t page_size = std::size_t{1} << log2_page;

  SharedPages() = default;
  // All elements are T{}.
  explicit SharedPages(std::size_t size) { resize(size); }
  explicit SharedPages(std::span<const T> elements) : SharedPages(elements.size()) {
    Editor editor(std::move(*this), elements.size());
    for (std::size_t page = 0; page < editor.page_count(); ++page) {
      const std::span<const T> from = elements.subspan(page * page_size, editor.elements_in(page));
      if (!is_empty(from)) std::copy(from.begin(), from.end(), editor.edit(page));
    }
    *this = std::move(editor).finish();
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t page_count() const { return directory_.size(); }
  [[nodiscard]] std::size_t elements_in(std::size_t page) const {
    return std::min(page_size, size_ - page * page_size);
  }
  // The pages; the last one ends with the array.
  [[nodiscard]] const T* const* directory() const { return directory_.data(); }
  [[nodiscard]] std::span<const T> page(std::size_t page) const {
    return {directory_[page], elements_in(page)};
  }
  // False: all its elements are T{}.
  [[nodiscard]] bool has_page(std::size_t page) const { return directory_[page] != empty_page(); }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return directory_[i >> log2_page][i % page_size];
  }
  // Of all pages, shared ones included.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = directory_.size() * sizeof(const T*);
    for (std::size_t i = 0; i < page_count(); ++i)
      if (has_page(i)) bytes += elements_in(i) * sizeof(T);
    return bytes;
  }

  // Changes an array: in place where no copy shares a page, else in a page of its own.
  class Editor {
   public:
    static constexpr std::size_t page_size = SharedPages::page_size;

    // Elements beyond those of `from` are T{}; `size` is at least as large.
    Editor(SharedPages from, std::size_t size) : pages_(std::move(from)) {
      if (size == pages_.size()) return;
      const std::size_t old_pages = pages_.page_count();
      const bool grows_last = old_pages != 0 && pages_.has_page(old_pages - 1) &&
                              size > pages_.size() && pages_.size() % page_size != 0;
      const std::size_t old_size = grows_last ? pages_.elements_in(old_pages - 1) : 0;
      pages_.resize(size);
      if (grows_last) replace_page(own_group(old_pages - 1), old_pages - 1, old_size);
    }

    [[nodiscard]] std::size_t page_count() const { return pages_.page_count(); }
    [[nodiscard]] std::size_t elements_in(std::size_t page) const {
      return pages_.elements_in(page);
    }
    // The page, to be written.
    [[nodiscard]] T* edit(std::size_t page) {
      Group& group = own_group(page);
      const CountedRef<Page>& there = group.pages[page % group_size];
      if (there == nullptr || !there.is_only())
        replace_page(group, page, there == nullptr ? 0 : elements_in(page));
      return const_cast<T*>(pages_.directory_[page]);
    }
    [[nodiscard]] T& edit_element(std::size_t i) { return edit(i >> log2_page)[i % page_size]; }
    [[nodiscard]] SharedPages finish() && { return std::move(pages_); }

   private:
    [[nodiscard]] Group& own_group(std::size_t page) {
      CountedRef<Group>& group = pages_.groups_[page / group_size];
      if (group == nullptr)
        group = CountedRef(new Group);
      else if (!group.is_only())
        group = CountedRef(new Group(*group));
      return *group;
    }
    // Keeps the first `kept` elements; those after them are T{}.
    void replace_page(Group& group, std::size_t page, std::size_t kept) {
      const std::size_t size = elements_in(page);
      CountedRef<Page> copy(Page::make(size));
      T* const elements = copy->elements();
      std::copy_n(pages_.directory_[page], kept, elements);
      std::fill(elements + kept, elements + size, T{});
      pages_.directory_[page] = elements;
      group.pages[page % group_size] = std::move(copy);
    }

    SharedPages pages_;
  };

 private:
  [[nodiscard]] static const T* empty_page() {
    static const T page[page_size] = {};
    return page;
  }
  [[nodiscard]] static bool is_empty(std::span<const T> elements) {
    return std::memcmp(elements.data(), empty_page(), elements.size_bytes()) == 0;
  }
  void resize(std::size_t size) {
    size_ = size;
    directory_.resize((size + page_size - 1) / page_size, empty_page());
    groups_.resize((directory_.size() + group_size - 1) / group_size);
  }

  std::size_t size_ = 0;
  std::vector<const T*> directory_;
  std::vector<CountedRef<Group>> groups_;  // null: no page of the group has memory
};

}  // namespace rtindex
