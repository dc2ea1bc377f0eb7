#include "keys/owned_column.hpp"

#include "base/error.hpp"
#include "base/types.hpp"
#include "keys/bits_128.hpp"
#include "keys/native_map.hpp"

namespace rtindex {

OwnedColumn::OwnedColumn(Type type, std::size_t size)
    : type_(type), size_(size), validity_((size + 7) / 8, 0) {
  if (type == Type::string)
    strings_.resize(size);
  else
    bytes_.resize(size * width_of(type));
}

OwnedColumn OwnedColumn::composite(std::vector<OwnedColumn> parts) {
  OwnedColumn column;
  column.type_ = Type::composite;
  column.size_ = parts.empty() ? 0 : parts.front().size_;
  column.validity_.assign((column.size_ + 7) / 8, 0);
  column.parts_ = std::move(parts);
  return column;
}

OwnedColumn OwnedColumn::points(std::vector<OwnedColumn> columns) {
  OwnedColumn all = composite(std::move(columns));
  all.are_points_ = true;
  return all;
}

ColumnView OwnedColumn::view() const {
  if (type_ == Type::composite) {
    std::vector<ColumnView> views;
    for (const OwnedColumn& field : parts_) views.push_back(field.view());
    const ColumnView all = are_points_ ? ColumnView::points(std::move(views))
                                       : ColumnView::composite(std::move(views));
    return all.with_validity(validity_.data());
  }
  const ColumnView view =
      type_ == Type::string ? ColumnView(strings_) : ColumnView::of(type_, bytes_.data(), size_);
  return view.with_validity(validity_.data());
}

void OwnedColumn::set_valid(std::size_t row, bool valid) {
  const auto bit = static_cast<std::uint8_t>(1U << (row % 8));
  if (valid)
    validity_[row / 8] = static_cast<std::uint8_t>(validity_[row / 8] | bit);
  else
    validity_[row / 8] = static_cast<std::uint8_t>(validity_[row / 8] & ~bit);
}

void OwnedColumn::set(std::size_t row, const ColumnView& source, std::size_t from) {
  set_valid(row, source.valid(from));
  if (!source.valid(from)) return;
  if (type_ == Type::composite) {
    for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].set(row, source.parts()[p], from);
  } else if (type_ == Type::string) {
    strings_[row] = source.string(from);
  } else if (is_128_bit(type_)) {
    const ClampedBits128 key = ordered_bits_128(source, from, type_);
    if (key.range != ClampedBits::Range::inside) fail_to_fit(source, from, type_);
    data<Bits128>()[row] = from_ordered_bits_128(key.bits, type_);
  } else if (type_ == source.type()) {
    visit_native(type_, [&]<class T>() {
      data<T>()[row] = T{value_of(static_cast<const T*>(source.data())[from])};
    });
  } else {
    const NativeMap map{.column = element_type(type_)};
    const NewKey key = convert_key(map, source.data(), element_type(source.type()), from);
    if (!key.fits) fail_to_fit(source, from, type_);
    visit_native(type_,
                 [&]<class T>() { data<T>()[row] = T{from_ordered_bits<value_t<T>>(key.bits)}; });
  }
}

void fail_to_fit(const ColumnView& keys, std::size_t i, Type type) {
  fail(
      "key {} does not fit the column's type {}: pass another, or build a new index of a wider "
      "type",
      keys.text(i), name_of(type));
}

}  // namespace rtindex
