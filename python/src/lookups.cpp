#include "lookups.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace rtindex::python {

namespace {

bool opens_lower(Ends ends) { return ends == Ends::left_open || ends == Ends::open; }
bool opens_upper(Ends ends) { return ends == Ends::right_open || ends == Ends::open; }

Ends ends_of(bool lower_open, bool upper_open) {
  if (lower_open) return upper_open ? Ends::open : Ends::left_open;
  return upper_open ? Ends::right_open : Ends::closed;
}

bool same_chunks(const Column& a, const Column& b) {
  return std::equal(a.pieces().begin(), a.pieces().end(), b.pieces().begin(), b.pieces().end(),
                    [](const ColumnView& x, const ColumnView& y) { return x.size() == y.size(); });
}

OwnedView view_of(const Column* column) {
  return column == nullptr ? OwnedView() : as_one_view(*column);
}

}  // namespace

Lookups Lookups::ranges(const Column* lower, const Column* upper, Ends ends) {
  Lookups result(Kind::ranges, std::nullopt);
  if (lower != nullptr) result.lower_ = *lower;
  if (upper != nullptr) result.upper_ = *upper;
  result.ends_ = ends_of(opens_lower(ends) && !(lower != nullptr && lower->rounded()),
                         opens_upper(ends) && !(upper != nullptr && upper->rounded()));
  return result;
}

Lookups Lookups::neighbours(const Column& keys, const NearestOptions& nearest) {
  Lookups result(Kind::neighbours, keys);
  result.nearest_ = nearest;
  return result;
}

std::size_t Lookups::size() const {
  if (lower_) return lower_->size();
  return upper_ ? upper_->size() : 1;
}

bool Lookups::on_device() const {
  return (lower_ && lower_->on_device()) || (upper_ && upper_->on_device());
}

Lookups Lookups::slice(std::size_t first, std::size_t count) const {
  Lookups result = *this;
  if (lower_) result.lower_ = python::slice(*lower_, first, count);
  if (upper_) result.upper_ = python::slice(*upper_, first, count);
  return result;
}

Part as_one_part(const Lookups& lookups) {
  return {view_of(lookups.lower()), view_of(lookups.upper()), 0, lookups.size()};
}

std::vector<Part> parts_of(const Lookups& lookups) {
  const Column* lower = lookups.lower();
  const Column* upper = lookups.upper();
  std::vector<Part> parts;
  if ((lower == nullptr && upper == nullptr) ||
      (lower != nullptr && upper != nullptr && !same_chunks(*lower, *upper))) {
    parts.push_back(as_one_part(lookups));
    return parts;
  }
  std::vector<OwnedView> lowers, uppers;
  if (lower != nullptr) lowers = batches(*lower);
  if (upper != nullptr) uppers = batches(*upper);
  const std::size_t count = std::max(lowers.size(), uppers.size());
  lowers.resize(count);
  uppers.resize(count);
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = (lower != nullptr ? lowers : uppers)[i].view.size();
    parts.push_back({std::move(lowers[i]), std::move(uppers[i]), first, size});
    first += size;
  }
  return parts;
}

Answers ask(const Index& index, const Lookups& lookups, const Part& part,
            const AnswerOptions& options) {
  switch (lookups.kind()) {
    case Lookups::Kind::ranges: return index.range(part.lower.view, part.upper.view, options);
    case Lookups::Kind::neighbours:
      return index.nearest(part.lower.view, lookups.nearest(), options);
    case Lookups::Kind::prefixes: return index.answer(Query::prefix(part.lower.view), options);
    case Lookups::Kind::points: break;
  }
  return index.lookup(part.lower.view, options);
}

void ask_into(const Index& index, const Lookups& lookups, const Part& part,
              const AnswerOptions& options, const Outputs& outputs) {
  switch (lookups.kind()) {
    case Lookups::Kind::points: return index.answer_into(Query::equal(part.lower.view), options, outputs);
    case Lookups::Kind::ranges:
      return index.answer_into(Query::range(part.lower.view, part.upper.view), options, outputs);
    case Lookups::Kind::neighbours:
      return index.answer_into(Query::nearest(part.lower.view, lookups.nearest()), options, outputs);
    case Lookups::Kind::prefixes: break;
  }
  fail("prefixes take lookups in host memory: copy them there");
}

}  // namespace rtindex::python
