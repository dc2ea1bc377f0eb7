#include "index/version.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace rtindex {

namespace {

// The main segment is merged with all others when they have this share of its keys, or when this
// share of its own rows is deleted.
constexpr std::size_t main_factor = 8;

}  // namespace

void VersionMaker::insert(Version& version, const NewRows& rows) const {
  const std::size_t row_count = version.rows() + rows.count;
  const std::size_t first = first_to_merge(version, rows.count);
  NewRows added_rows = rows;
  added_rows.only_merged = first < version.segments.size();
  NewSegment added = backend_.build_rows(spec_, added_rows, version.segments, row_count);
  version.states.rows = row_count;
  version.states.nulls = backend_.union_of(spec_, version.states.nulls, added.nulls);
  add(version, std::move(added.segment), first);
}

void VersionMaker::change(Version& version, const NewRows& rows) const {
  const CheckedRows checked = backend_.check_rows(spec_, rows.rows, version.states, rows.stream);
  const std::vector<Segment> current = version.segments;
  kill(version, checked.named);
  const std::size_t first = first_to_merge(version, rows.count);
  NewRows added_rows = rows;
  added_rows.only_merged = first < version.segments.size();
  NewSegment added = backend_.build_rows(spec_, added_rows, current, version.rows());
  RowBitmapPtr& nulls = version.states.nulls;
  if (checked.nulls != 0) nulls = backend_.difference(spec_, nulls, checked.named);
  nulls = backend_.union_of(spec_, nulls, added.nulls);
  add(version, std::move(added.segment), first);
}

void VersionMaker::erase(Version& version, const ColumnView& rows, Stream stream) const {
  const CheckedRows checked = backend_.check_rows(spec_, rows, version.states, stream);
  kill(version, checked.named);
  RowStates& states = version.states;
  if (checked.nulls != 0) states.nulls = backend_.difference(spec_, states.nulls, checked.named);
  states.erased = backend_.union_of(spec_, states.erased, checked.named);
  merge_from(version, first_to_merge(version, 0));
}

std::size_t VersionMaker::erase_keys(Version& version, const ColumnView& keys,
                                     Stream stream) const {
  const RowBitmapPtr rows =
      backend_.matching_rows(spec_, version.segments, keys, version.rows(), stream);
  if (rows == nullptr) return 0;
  kill(version, rows);
  version.states.erased = backend_.union_of(spec_, version.states.erased, rows);
  merge_from(version, first_to_merge(version, 0));
  return rows->count();
}

void VersionMaker::add(Version& version, Segment segment, std::size_t first) const {
  version.segments.push_back(std::move(segment));
  merge_from(version, fit_together(version) ? first : 0);
}

// Keys of every segment fit the spec's key mode, or it would not be there; those of all segments
// might not. Merging all then finds out, before later changes would: it refuses the change, or
// drops the rows that were in the way.
bool VersionMaker::fit_together(const Version& version) const {
  constexpr std::uint64_t largest_span = std::numeric_limits<std::uint64_t>::max();
  if (version.segments.size() == 1 || backend_.holds(spec_, largest_span)) return true;
  std::uint64_t smallest = largest_span;
  std::uint64_t largest = 0;
  for (const Segment& segment : version.segments) {
    if (segment.codec->empty()) continue;
    const std::optional<std::uint64_t> base = segment.codec->native_base();
    if (!base) return false;  // strings and composites: each segment has an encoding of its own
    smallest = std::min(smallest, *base);
    largest = std::max(largest, *base + segment.codec->span());
  }
  return smallest > largest || backend_.holds(spec_, largest - smallest);
}

void VersionMaker::kill(Version& version, const RowBitmapPtr& rows) const {
  RowBitmapPtr old_deleted;
  RowBitmapPtr new_deleted = rows;
  // Segments often share their deleted rows.
  for (Segment& segment : version.segments) {
    if (segment.deleted != old_deleted) {
      old_deleted = segment.deleted;
      new_deleted = backend_.union_of(spec_, old_deleted, rows);
    }
    segment.deleted = new_deleted;
  }
}

std::size_t VersionMaker::first_to_merge(const Version& version, std::size_t added) const {
  const Segment& main = version.main();
  const std::size_t delta = version.delta_keys() + added;
  if (delta > backend_.delta_bound(spec_) || main_factor * delta > main.keys() ||
      main_factor * count_of(main.deleted) > main.keys())
    return 0;
  std::size_t first = version.segments.size();
  std::size_t newer = added;
  while (first > 1 && version.segments[first - 1].keys() / backend_.merge_factor() <= newer)
    newer += version.segments[--first].keys();
  return first;
}

void VersionMaker::merge_from(Version& version, std::size_t first) const {
  version.is_changed = true;
  if (first == version.segments.size()) return;
  const std::span<const Segment> segments = std::span(version.segments).subspan(first);
  if (segments.size() == 1 && segments.front().deleted == nullptr) return;
  Segment merged = backend_.merge(spec_, segments, version.rows(), first == 0);
  version.segments.resize(first);
  version.segments.push_back(std::move(merged));
}

}  // namespace rtindex
