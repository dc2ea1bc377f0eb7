#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace rtindex {

// An immutable array in pages of 2^log2_page elements. A changed copy shares all pages but those
// that differ, and pages in which all elements are T{} take no memory.
//
// A directory of plain pointers makes an element one more load than in a flat array. What owns the
// pages is a tree, so that a copy counts references to some pages, not to all of them.
template <class T, unsigned log2_page>
requires std::is_trivially_copyable_v<T>
class SharedPages {
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

  // Makes a changed copy.
  class Editor {
   public:
    // Elements beyond those of `from` are T{}; `size` is at least as large.
    Editor(SharedPages from, std::size_t size) : pages_(std::move(from)) {
      const std::size_t old_pages = pages_.page_count();
      const bool grows_last = old_pages != 0 && pages_.has_page(old_pages - 1) &&
                              size > pages_.size() && pages_.size() % page_size != 0;
      const std::size_t old_size = grows_last ? pages_.elements_in(old_pages - 1) : 0;
      pages_.resize(size);
      is_own_.resize(pages_.page_count(), false);
      is_own_group_.resize(pages_.groups_.size(), false);
      if (grows_last) copy_page(old_pages - 1, old_size);
    }

    [[nodiscard]] std::size_t page_count() const { return pages_.page_count(); }
    [[nodiscard]] std::size_t elements_in(std::size_t page) const {
      return pages_.elements_in(page);
    }
    [[nodiscard]] const SharedPages& pages() const { return pages_; }
    // The page, to be written.
    [[nodiscard]] T* edit(std::size_t page) {
      if (!is_own_[page]) copy_page(page, pages_.has_page(page) ? elements_in(page) : 0);
      return const_cast<T*>(pages_.directory_[page]);
    }
    [[nodiscard]] T& edit_element(std::size_t i) { return edit(i >> log2_page)[i % page_size]; }
    [[nodiscard]] SharedPages finish() && { return std::move(pages_); }

   private:
    // Keeps the first `kept` elements; those after them are T{}.
    void copy_page(std::size_t page, std::size_t kept) {
      const std::size_t size = elements_in(page);
      std::shared_ptr<T[]> copy(new T[size]);
      std::copy_n(pages_.directory_[page], kept, copy.get());
      std::fill(copy.get() + kept, copy.get() + size, T{});
      const std::size_t group = page / group_size;
      std::shared_ptr<Group>& owner = pages_.groups_[group];
      if (!is_own_group_[group]) {
        owner = owner == nullptr ? std::make_shared<Group>() : std::make_shared<Group>(*owner);
        is_own_group_[group] = true;
      }
      pages_.directory_[page] = copy.get();
      (*owner)[page % group_size] = std::move(copy);
      is_own_[page] = true;
    }

    SharedPages pages_;
    std::vector<bool> is_own_, is_own_group_;  // were made by this editor
  };

 private:
  static constexpr std::size_t group_size = 32;
  using Group = std::array<std::shared_ptr<const T[]>, group_size>;

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
  std::vector<std::shared_ptr<Group>> groups_;  // null: no page of the group has memory
};

}  // namespace rtindex
