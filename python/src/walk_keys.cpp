#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "bind.hpp"
#include "column.hpp"
#include "outputs.hpp"
#include "stub_types.hpp"
#include "without_gil.hpp"

// The keys of an index in their order: each is the neighbour of the one before.

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// Copies of keys of one type.
class KeyList {
 public:
  KeyList(Type type, int scale) : type_(type), scale_(scale) {}

  void append(const ColumnView& key) {
    if (type_ == Type::string) {
      strings_.emplace_back(key.string(0));
    } else {
      const auto* const bytes = static_cast<const std::uint8_t*>(key.data());
      bytes_.insert(bytes_.end(), bytes, bytes + width_of(type_));
    }
    ++size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  // The last key, valid until the next one is appended.
  [[nodiscard]] ColumnView last() {
    if (type_ != Type::string)
      return scaled(ColumnView::of(type_, bytes_.data() + bytes_.size() - width_of(type_), 1));
    last_ = strings_.back();
    return ColumnView(std::span<const std::string_view>(&last_, 1));
  }

  [[nodiscard]] nb::object parts() const {
    if (type_ != Type::string) return as_key_parts(ColumnView::of(type_, bytes_.data(), size_));
    const std::vector<std::string_view> views(strings_.begin(), strings_.end());
    return as_key_parts(ColumnView(views));
  }

 private:
  [[nodiscard]] ColumnView scaled(ColumnView keys) const {
    return is_decimal(type_) ? keys.with_scale(scale_) : keys;
  }

  Type type_;
  int scale_;
  std::size_t size_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::string> strings_;
  std::string_view last_;
};

// At most `limit` distinct keys from the first one that is not before `start` (or, with `is_after`,
// equal to it), each with the number of its rows; from the other end with `backward`.
AnyPair walk_keys(const Index& index, const Column& start, bool is_after, bool backward,
                  std::size_t limit) {
  const OwnedView first = as_one_view(start);
  KeyList keys(index.type(), first.view.scale());
  std::vector<std::int64_t> counts;
  {
    const WithoutGil unlocked;
    ColumnView from = first.view;
    NearestOptions options{.direction = backward ? Direction::backward : Direction::forward,
                           .exact = !is_after};
    AnswerOptions wanted;
    wanted.answers = Answer::key | Answer::count;
    while (keys.size() < limit) {
      const Answers found = index.answer(Query::nearest(from, options), wanted);
      if (found.count()[0] == 0) break;
      keys.append(found.keys());
      counts.push_back(found.count()[0]);
      from = keys.last();
      options.exact = false;
    }
  }
  return nb::make_tuple(keys.parts(), as_array(std::move(counts)));
}

}  // namespace

void bind_walk(nb::class_<Index>& index) {
  index.def("walk_keys", walk_keys, nb::arg("start"), nb::arg("is_after"), nb::arg("backward"),
            nb::arg("limit"));
}

}  // namespace rtindex::python
