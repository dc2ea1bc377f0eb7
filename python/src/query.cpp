#include "query.hpp"

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace rtindex::python {

namespace {

bool opens_lower(Ends ends) { return ends == Ends::left_open || ends == Ends::open; }
bool opens_upper(Ends ends) { return ends == Ends::right_open || ends == Ends::open; }

Ends ends_of(bool lower_open, bool upper_open) {
  if (lower_open) return upper_open ? Ends::open : Ends::left_open;
  return upper_open ? Ends::right_open : Ends::closed;
}

bool is_rounded(const Column* end) { return end != nullptr && end->rounded(); }

bool same_chunks(const Column& a, const Column& b) {
  return std::equal(a.pieces().begin(), a.pieces().end(), b.pieces().begin(), b.pieces().end(),
                    [](const ColumnView& x, const ColumnView& y) { return x.size() == y.size(); });
}

OwnedView view_of(const Column* column) {
  return column == nullptr ? OwnedView() : as_one_view(*column);
}

}  // namespace

OwnedQuery::OwnedQuery(QueryKind kind, const Column* lower, const Column* upper, Ends ends,
                       const NearestOptions& neighbour)
    : settings_{.kind = kind,
                .ends = ends_of(opens_lower(ends) && !is_rounded(lower),
                                opens_upper(ends) && !is_rounded(upper)),
                .neighbour = neighbour} {
  if (lower != nullptr) lower_ = *lower;
  if (upper != nullptr) upper_ = *upper;
}

ColumnView OwnedQuery::owned_end(nanobind::handle end, bool& rounded) {
  rounded = false;
  if (end.is_none()) return {};
  const auto own = [&]<class T>(T number) {
    const auto kept = std::make_shared<const T>(number);
    condition_owners_.push_back(kept);
    return ColumnView(std::span(kept.get(), 1));
  };
  if (PyFloat_Check(end.ptr())) return own(nanobind::cast<double>(end));
  if (PyLong_Check(end.ptr())) return own(nanobind::cast<std::int64_t>(end));
  const Column& column = nanobind::cast<const Column&>(end);
  rounded = column.rounded();
  has_device_conditions_ = has_device_conditions_ || column.on_device();
  OwnedView view = as_one_view(column);
  for (const Owner& owner : column.owners()) condition_owners_.push_back(owner);
  for (Owner& owner : view.owners) condition_owners_.push_back(std::move(owner));
  return view.view;
}

OwnedQuery OwnedQuery::box(const AnyList& conditions) {
  OwnedQuery query(QueryKind::box, nullptr, nullptr, Ends::closed, {});
  for (const nanobind::handle one : conditions) {
    const auto given = nanobind::cast<nanobind::tuple>(one);
    const auto kind = nanobind::cast<std::string_view>(given[0]);
    const Ends ends = ends_named(nanobind::cast<std::string_view>(given[3]));
    Condition condition;
    bool rounded_lower = false;
    bool rounded_upper = false;
    condition.lower = query.owned_end(given[1], rounded_lower);
    condition.upper = query.owned_end(given[2], rounded_upper);
    condition.kind = kind == "none"      ? ConditionKind::none
                     : kind == "is_null" ? ConditionKind::is_null
                     : kind == "isin"    ? ConditionKind::isin
                                         : ConditionKind::range;
    condition.ends =
        ends_of(opens_lower(ends) && !rounded_lower, opens_upper(ends) && !rounded_upper);
    query.settings_.conditions.push_back(std::move(condition));
  }
  return query;
}

void OwnedQuery::restrict(const Column& mask) {
  std::vector<std::uint8_t> bits(bitmap_bytes(mask.size()) + 1);
  std::size_t row = 0;
  for (const ColumnView& piece : mask.pieces()) {
    const auto* const elements = static_cast<const std::uint8_t*>(piece.data());
    for (std::size_t i = 0; i < piece.size(); ++i, ++row) {
      const bool is_set = elements[i] != 0 && piece.valid(i);
      bits[row / 8] |= static_cast<std::uint8_t>((is_set ? 1U : 0U) << (row % 8));
    }
  }
  filter_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(bits));
  settings_.filter = BitmapView{filter_->data(), mask.size()};
}

std::size_t OwnedQuery::size() const {
  if (lower_) return lower_->size();
  return upper_ ? upper_->size() : settings_.size();
}

bool OwnedQuery::on_device() const {
  return (lower_ && lower_->on_device()) || (upper_ && upper_->on_device()) ||
         has_device_conditions_;
}

QuerySlice OwnedQuery::slice_of(OwnedView lower, OwnedView upper, std::size_t first) const {
  QuerySlice slice{settings_, first, std::move(lower.owners)};
  slice.query.lower = std::move(lower.view);
  slice.query.upper = std::move(upper.view);
  std::move(upper.owners.begin(), upper.owners.end(), std::back_inserter(slice.owners));
  return slice;
}

QuerySlice OwnedQuery::whole() const { return slice_of(view_of(lower()), view_of(upper()), 0); }

std::vector<QuerySlice> OwnedQuery::slices() const {
  std::vector<QuerySlice> slices;
  if ((!lower_ && !upper_) || (lower_ && upper_ && !same_chunks(*lower_, *upper_))) {
    slices.push_back(whole());
    return slices;
  }
  std::vector<OwnedView> lowers, uppers;
  if (lower_) lowers = batches(*lower_);
  if (upper_) uppers = batches(*upper_);
  const std::size_t count = std::max(lowers.size(), uppers.size());
  lowers.resize(count);
  uppers.resize(count);
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    slices.push_back(slice_of(std::move(lowers[i]), std::move(uppers[i]), first));
    first += slices.back().query.size();
  }
  return slices;
}

}  // namespace rtindex::python
