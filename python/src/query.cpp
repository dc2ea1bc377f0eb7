#include "query.hpp"

#include <algorithm>
#include <iterator>
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
  return (lower_ && lower_->on_device()) || (upper_ && upper_->on_device());
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
