#include "engine/neighbours.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "engine/batch_runner.hpp"
#include "keys/bits_128.hpp"
#include "keys/compare.hpp"
#include "keys/composite_map.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex {

namespace {

constexpr std::size_t grain = std::size_t{1} << 13;

// The part of keys that has a distance: the last one.
[[nodiscard]] const ColumnView& last_part(const ColumnView& keys) {
  return keys.type() == Type::composite ? keys.parts().back() : keys;
}

[[nodiscard]] Type last_type(const KeyCodec& codec) {
  return codec.type() == Type::composite ? codec.part_types().back() : codec.type();
}

// How a segment's keys are packed, where all of a key is in its encoding; native keys are tuples of
// one part.
[[nodiscard]] std::optional<PackedMap> map_of(const KeyCodec& codec) {
  if (const auto map = codec.native_map()) return packed_map(*map);
  return codec.packed_map();
}

// The neighbours on one side of keys.
struct Side {
  Array<std::uint32_t> rows;
  Array<std::uint64_t> encoded;         // keys, by the codec of their segment
  std::vector<std::uint16_t> segments;  // of each; empty: all are of the first
  // The keys themselves, where they are compared, measured or returned and are not packed.
  OwnedColumn keys;

  [[nodiscard]] std::size_t segment(std::size_t i) const {
    return segments.empty() ? 0 : segments[i];
  }
};

class NeighbourFinder {
 public:
  NeighbourFinder(std::span<const Segment> segments, const ColumnView& lookups,
                  const NearestOptions& nearest, bool wants_keys, Counters* counters)
      : segments_(segments),
        lookups_(lookups),
        nearest_(nearest),
        farthest_(require_nearest(codec(), nearest)),
        counters_(counters),
        is_measured_(nearest.direction == Direction::nearest ||
                     !std::holds_alternative<std::monostate>(nearest.tolerance)) {
    for (const Segment& segment : segments)
      if (const auto map = map_of(*segment.codec)) maps_.push_back(*map);
    if (maps_.size() != segments.size()) maps_.clear();
    decodes_ = maps_.empty() && (wants_keys || is_measured_ || segments.size() > 1);
  }

  [[nodiscard]] Neighbours find(bool wants_keys) const {
    Side found = nearest_.direction == Direction::forward ? side(Edge::first) : side(Edge::last);
    if (nearest_.direction == Direction::nearest) take_closer(found, side(Edge::first));
    if (is_measured_) drop_distant(found);
    Neighbours neighbours;
    if (wants_keys) neighbours.keys = maps_.empty() ? std::move(found.keys) : unpacked(found);
    neighbours.rows = std::move(found.rows);
    return neighbours;
  }

 private:
  [[nodiscard]] const KeyCodec& codec() const { return *segments_.front().codec; }

  // The ordered_bits() of a part of a neighbour.
  [[nodiscard]] std::uint64_t bits_of_part(const Side& side, std::size_t i,
                                           std::size_t part) const {
    return field_bits(maps_[side.segment(i)], part, side.encoded[i]);
  }

  // How the keys of two neighbours compare: <0, 0, >0.
  [[nodiscard]] int compare_keys(const Side& a, const Side& b, std::size_t i) const {
    for (std::size_t part = 0; part < maps_.front().count; ++part)
      if (const int order = compare(bits_of_part(a, i, part), bits_of_part(b, i, part)); order != 0)
        return order;
    return 0;
  }

  // The neighbours on one side, in all segments.
  [[nodiscard]] Side side(Edge edge) const {
    Side best = side(0, edge);
    if (segments_.size() > 1) best.segments.assign(lookups_.size(), 0);
    for (std::size_t segment = 1; segment < segments_.size(); ++segment) {
      const Side other = side(segment, edge);
      const ColumnView best_keys = best.keys.view();
      const ColumnView other_keys = other.keys.view();
      keep_better(best, other, [&](std::size_t i) {
        if (other.rows[i] == miss_row) return false;
        if (best.rows[i] == miss_row) return true;
        const int by_key = maps_.empty() ? compare_elements(other_keys, i, best_keys, i)
                                         : compare_keys(other, best, i);
        const int order = by_key != 0 ? by_key : compare(other.rows[i], best.rows[i]);
        return edge == Edge::first ? order < 0 : order > 0;
      });
    }
    return best;
  }

  // The neighbours in one segment.
  [[nodiscard]] Side side(std::size_t number, Edge edge) const {
    const Segment& segment = segments_[number];
    const NeighbourRange range = neighbour_range(lookups_, edge, nearest_.exact);
    Side found;
    found.rows = Array<std::uint32_t>(lookups_.size());
    found.encoded = Array<std::uint64_t>(lookups_.size());
    if (number != 0) found.segments.assign(lookups_.size(), static_cast<std::uint16_t>(number));
    segment.searcher->find_edges(
        LookupBatch(*segment.codec, range.lower, range.upper, QueryKind::range, range.ends), edge,
        bits_of(segment.deleted), found.rows.data(), found.encoded.data(), counters_);
    if (decodes_) found.keys = decoded(*segment.codec, found);
    return found;
  }

  // Replaces neighbour i by that of the other side or segment where is_better(i).
  template <class IsBetter>
  void keep_better(Side& best, const Side& other, IsBetter&& is_better) const {
    const ColumnView other_keys = other.keys.view();
    const auto keep_some = [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        if (!is_better(i)) continue;
        best.rows[i] = other.rows[i];
        best.encoded[i] = other.encoded[i];
        if (!best.segments.empty()) best.segments[i] = static_cast<std::uint16_t>(other.segment(i));
        if (decodes_) best.keys.set(i, other_keys, i);
      }
    };
    // Elements of decoded columns share bytes of their validity.
    if (decodes_)
      keep_some(0, lookups_.size());
    else
      parallel_for(lookups_.size(), grain, keep_some);
  }

  void take_closer(Side& before, const Side& behind) const {
    const Distances to_before(*this, before);
    const Distances to_behind(*this, behind);
    keep_better(before, behind, [&](std::size_t i) {
      if (behind.rows[i] == miss_row) return false;
      return before.rows[i] == miss_row || to_before[i].exceeds(to_behind[i]);
    });
  }

  void drop_distant(Side& found) const {
    const Distances distances(*this, found);
    parallel_for(lookups_.size(), grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        if (found.rows[i] != miss_row && distances[i].exceeds(farthest_)) found.rows[i] = miss_row;
    });
    if (!decodes_) return;
    for (std::size_t i = 0; i < lookups_.size(); ++i)
      if (found.rows[i] == miss_row) set_null(found.keys, i);
  }

  // The distances of lookups from their neighbours.
  class Distances {
   public:
    Distances(const NeighbourFinder& finder, const Side& side)
        : finder_(finder),
          side_(side),
          lookups_(last_part(finder.lookups_)),
          lookup_type_(element_type(lookups_.type())),
          key_type_(element_type(last_type(finder.codec()))) {
      if (finder.maps_.empty()) keys_ = side.keys.view();
    }
    Distances(const Distances&) = delete;
    Distances& operator=(const Distances&) = delete;

    [[nodiscard]] KeyDistance operator[](std::size_t i) const {
      if (finder_.maps_.empty()) return distance_at(lookups_, keys_, i);
      const std::uint64_t bits = finder_.bits_of_part(side_, i, finder_.maps_.front().count - 1);
      return distance_to(lookups_.data(), lookup_type_, i, bits, key_type_);
    }

   private:
    const NeighbourFinder& finder_;
    const Side& side_;
    const ColumnView& lookups_;
    ElementType lookup_type_, key_type_;
    ColumnView keys_;  // where they are not packed
  };

  // Keys that are packed, as elements of the column's type.
  [[nodiscard]] OwnedColumn unpacked(const Side& found) const {
    OwnedColumn keys = codec().null_column(lookups_.size());
    const bool is_composite = codec().type() == Type::composite;
    const std::vector<Type> types =
        is_composite ? codec().part_types() : std::vector<Type>{codec().type()};
    for (std::size_t part = 0; part < types.size(); ++part)
      unpack(found, part, types[part], is_composite ? keys.parts()[part] : keys);
    if (is_composite)
      for (std::size_t i = 0; i < lookups_.size(); ++i)
        keys.set_valid(i, found.rows[i] != miss_row);
    return keys;
  }

  void unpack(const Side& found, std::size_t part, Type type, OwnedColumn& into) const {
    visit_native(type, [&]<class T>() {
      T* const elements = into.data<T>();
      parallel_for(lookups_.size(), grain, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) {
          if (found.rows[i] == miss_row) continue;
          const auto value = from_ordered_bits<value_t<T>>(bits_of_part(found, i, part));
          elements[i] = T{value};
          into.set_valid(i, true);
        }
      });
    });
  }

  // Keys that are not packed, decoded by the codec of their segment.
  [[nodiscard]] OwnedColumn decoded(const KeyCodec& own, const Side& found) const {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < lookups_.size(); ++i)
      if (found.rows[i] != miss_row) which.push_back(i);
    EncodedColumn some;
    some.span = own.span();
    some.keys = PackedKeys(which.size(), own.span());
    some.rows = Array<std::uint32_t>(which.size());
    for (std::size_t i = 0; i < which.size(); ++i) {
      some.keys.set(i, found.encoded[which[i]]);
      some.rows[i] = found.rows[which[i]];
    }
    const OwnedColumn dense = own.decode(some);
    const ColumnView elements = dense.view();
    OwnedColumn keys = own.null_column(lookups_.size());
    for (std::size_t i = 0; i < which.size(); ++i) keys.set(which[i], elements, i);
    return keys;
  }

  std::span<const Segment> segments_;
  const ColumnView& lookups_;
  const NearestOptions& nearest_;
  KeyDistance farthest_;
  Counters* counters_;
  bool is_measured_;
  std::vector<PackedMap> maps_;  // of all segments; empty where keys have to be decoded
  bool decodes_ = false;
};

[[nodiscard]] std::uint64_t whole_tolerance(const Tolerance& tolerance) {
  if (const auto* const number = std::get_if<std::uint64_t>(&tolerance)) return *number;
  if (const auto* const number = std::get_if<std::int64_t>(&tolerance)) {
    if (*number < 0) fail("invalid tolerance {}: expected 0 or more", *number);
    return static_cast<std::uint64_t>(*number);
  }
  fail("invalid tolerance {}: expected an integer, as the keys are", std::get<double>(tolerance));
}

[[nodiscard]] double real_tolerance(const Tolerance& tolerance) {
  const auto* const real = std::get_if<double>(&tolerance);
  const double number = real != nullptr ? *real : static_cast<double>(whole_tolerance(tolerance));
  if (!(number >= 0)) fail("invalid tolerance {}: expected 0 or more", number);
  return number;
}

}  // namespace

NeighbourRange neighbour_range(const ColumnView& keys, Edge edge, bool exact) {
  NeighbourRange range;
  range.edge = edge;
  ColumnView others;
  if (keys.type() == Type::composite && keys.parts().size() > 1) {
    const std::span<const ColumnView> parts = keys.parts();
    others = ColumnView::composite({parts.begin(), parts.end() - 1});
  }
  range.lower = edge == Edge::last ? others : keys;
  range.upper = edge == Edge::last ? keys : others;
  range.ends.lower_open = edge == Edge::first && !exact;
  range.ends.upper_open = edge == Edge::last && !exact;
  return range;
}

KeyDistance require_nearest(const KeyCodec& codec, const NearestOptions& nearest) {
  const bool has_tolerance = !std::holds_alternative<std::monostate>(nearest.tolerance);
  const Type type = last_type(codec);
  const bool is_binary = type == Type::string || type == Type::binary16;
  if (is_binary && nearest.direction == Direction::nearest)
    fail("{} keys have no distance: look for a neighbour backward or forward", name_of(type));
  if (is_binary && has_tolerance)
    fail("{} keys have no distance: leave the tolerance out", name_of(type));
  if (!has_tolerance) return any_distance;
  if (is_float(type)) return {0, real_tolerance(nearest.tolerance)};
  return {whole_tolerance(nearest.tolerance), 0};
}

KeyDistance distance_at(const ColumnView& lookups, const ColumnView& keys, std::size_t i) {
  const ColumnView& from = last_part(lookups);
  const ColumnView& to = last_part(keys);
  if (is_128_bit(to.type()))
    return distance_between(integer_128_at(from, i), integer_128_at(to, i));
  const std::uint64_t bits = visit_native(to.type(), [&]<class T>() {
    return ordered_bits(value_of(static_cast<const T*>(to.data())[i]));
  });
  return distance_to(from.data(), element_type(from.type()), i, bits, element_type(to.type()));
}

void set_null(OwnedColumn& keys, std::size_t i) {
  keys.set_valid(i, false);
  for (OwnedColumn& part : keys.parts()) part.set_valid(i, false);
}

Request points_of(const Request& request) {
  Request points = request;
  points.answers = request.answers.difference(Answer::any | Answer::key);
  points.outputs.any = nullptr;
  points.outputs.key = nullptr;
  points.outputs.matched = nullptr;
  points.found_keys = nullptr;
  points.plan = nullptr;
  return points;
}

void answer_nearest(std::span<const Segment> segments, const BatchQuery& query,
                    const Request& request, const BatchRunner& points) {
  const Request of_points = points_of(request);
  const Outputs& out = request.outputs;
  const std::size_t size = query.lower.size();
  const bool wants_keys = !of_points.answers.empty() || request.answers.has(Answer::key);
  Neighbours found =
      find_neighbours(segments, query.lower, query.nearest, wants_keys, request.counters);
  if (out.any != nullptr) std::copy(found.rows.begin(), found.rows.end(), out.any);
  if (out.matched != nullptr)
    for (std::size_t i = 0; i < size; ++i)
      if (found.rows[i] != miss_row) set_matched(out.matched, i);
  const ColumnView found_keys = found.keys.view();
  if (out.key != nullptr && size != 0)
    std::memcpy(out.key, found_keys.data(), size * width_of(found_keys.type()));
  if (!of_points.answers.empty()) points.run(segments, BatchQuery::equal(found_keys), of_points);
  if (request.found_keys != nullptr)
    *request.found_keys = std::make_shared<const OwnedColumn>(std::move(found.keys));
}

Neighbours find_neighbours(std::span<const Segment> segments, const ColumnView& keys,
                           const NearestOptions& nearest, bool wants_keys, Counters* counters) {
  return NeighbourFinder(segments, keys, nearest, wants_keys, counters).find(wants_keys);
}

}  // namespace rtindex
