#include "support/order_oracle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/types.hpp"
#include "support/lookups.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {

namespace {

// A key, and its place in the order of all keys of the table and of the lookups, by the first part,
// by the first two and so on: every query compares each entry with each lookup again.
struct PlacedKey {
  Key key;
  std::vector<std::uint32_t> places = {};  // 0 where one of these parts is null

  [[nodiscard]] std::uint32_t place() const { return places.back(); }
  [[nodiscard]] bool is_null() const { return place() == 0; }
  // By all parts but the last; 0 where there are no others.
  [[nodiscard]] std::uint32_t place_of_others() const {
    return places.size() < 2 ? 0 : places[places.size() - 2];
  }
};

void find_places(const std::vector<PlacedKey*>& keys, std::size_t parts) {
  for (std::size_t count = 1; count <= parts; ++count) {
    std::vector<Key> beginnings;
    for (const PlacedKey* const one : keys)
      beginnings.emplace_back(one->key.begin(),
                              one->key.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<const Key*> pointers;
    for (const Key& beginning : beginnings) pointers.push_back(&beginning);
    const std::vector<std::uint32_t> places = places_of(pointers);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i]->places.push_back(places[i]);
  }
}

struct Entry : PlacedKey {
  std::uint32_t row;
  // Of all rows with this key.
  std::uint32_t first = 0, count = 0;
};

void sort_by_place(std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.place() < b.place(); });
  for (auto begin = entries.begin(); begin != entries.end();) {
    const auto end = std::find_if(
        begin, entries.end(), [&](const Entry& entry) { return entry.place() != begin->place(); });
    for (auto entry = begin; entry != end; ++entry) {
      entry->first = begin->row;
      entry->count = static_cast<std::uint32_t>(end - begin);
    }
    begin = end;
  }
}

// An element of a column in memory.
Key key_at(const ColumnView& column, std::size_t i) {
  if (column.type() == Type::string) return {std::string(column.string(i))};
  if (column.type() == Type::composite) {
    Key key;
    for (const ColumnView& part : column.parts()) key.push_back(key_at(part, i).front());
    return key;
  }
  if (is_128_bit(column.type())) {
    const auto* const bytes = static_cast<const char*>(column.data()) + 16 * i;
    if (column.type() == Type::binary16) return {std::string(bytes, 16)};
    Whole value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    return {value};
  }
  return visit_native(column.type(), [&]<class T>() -> Key {
    const auto value = value_of(static_cast<const T*>(column.data())[i]);
    if constexpr (std::is_floating_point_v<value_t<T>>)
      return {static_cast<double>(value)};
    else
      return {static_cast<Whole>(value)};
  });
}

bool is_beyond(const Part& a, const Part& b, const Tolerance& tolerance) {
  if (std::holds_alternative<std::monostate>(tolerance)) return false;
  if (const auto* const whole = std::get_if<Whole>(&a)) {
    const Whole between = *whole - std::get<Whole>(b);
    return (between < 0 ? -between : between) > Whole{std::get<std::int64_t>(tolerance)};
  }
  const double x = std::get<double>(a);
  const double y = std::get<double>(b);
  if (x == y || (std::isnan(x) && std::isnan(y))) return false;
  return !(std::fabs(x - y) <= std::get<double>(tolerance));
}

// Whether x is nearer to a than to b.
bool is_nearer(const Part& x, const Part& a, const Part& b) {
  if (const auto* const whole = std::get_if<Whole>(&x)) {
    const auto distance = [&](const Part& part) {
      const Whole between = *whole - std::get<Whole>(part);
      return between < 0 ? -between : between;
    };
    return distance(a) < distance(b);
  }
  const double from = std::get<double>(x);
  const auto distance = [&](const Part& part) {
    const double to = std::get<double>(part);
    if (from == to || (std::isnan(from) && std::isnan(to))) return 0.0;
    const double between = std::fabs(from - to);
    return std::isnan(between) ? HUGE_VAL : between;
  };
  return distance(a) < distance(b);
}

class OrderChecker {
 public:
  OrderChecker(const Index& index, const std::vector<Key>& table, const Shape& shape,
               Random& random)
      : index_(index), shape_(shape), random_(random) {
    for (std::uint32_t row = 0; row < table.size(); ++row)
      if (!is_null(table[row])) entries_.push_back({{table[row]}, row});
    for (Key& key : interesting_points(TestColumn(shape, table), affordable(12, 3), random))
      points_.push_back({{std::move(key)}});
    std::vector<PlacedKey*> keys;
    for (Entry& entry : entries_) keys.push_back(&entry);
    for (Point& point : points_) keys.push_back(&point);
    find_places(keys, parts_of(shape).size());
    sort_by_place(entries_);
    for (Point& point : points_) look_around(point);
  }

  std::string difference() {
    for (const Shape& shape : comparable_shapes(shape_)) {
      const Lookups lookups = lookups_of(shape);
      std::string found = neighbours(lookups);
      if (found.empty()) found = ranks(lookups);
      if (!found.empty()) return found + " of " + text_of(shape);
    }
    std::string found = ranges();
    if (found.empty()) found = places();
    if (found.empty() && shape_.type == Type::string) found = prefixes();
    if (found.empty() && shape_.type == Type::composite) found = first_parts();
    return found;
  }

 private:
  // A key that is looked up, and the entries around it, in order; null where there are none. Those
  // of a composite agree with it in all parts but the last.
  struct Point : PlacedKey {
    const Entry* less = nullptr;  // the last one
    const Entry* first_equal = nullptr;
    const Entry* last_equal = nullptr;
    const Entry* greater = nullptr;  // the first one
    std::uint32_t rank = 0;          // the number of all entries that are less
  };

  // The points that a shape can hold, and the column of their keys.
  struct Lookups {
    std::vector<const Point*> points;
    TestColumn column;
  };

  void look_around(Point& point) const {
    if (point.is_null()) return;
    for (const Entry& entry : entries_) {
      if (entry.place() < point.place()) ++point.rank;
      if (entry.place_of_others() != point.place_of_others()) continue;
      if (entry.place() < point.place()) point.less = &entry;
      if (entry.place() == point.place()) point.last_equal = &entry;
      if (entry.place() == point.place() && point.first_equal == nullptr)
        point.first_equal = &entry;
      if (entry.place() > point.place() && point.greater == nullptr) point.greater = &entry;
    }
  }

  [[nodiscard]] Lookups lookups_of(const Shape& shape) const {
    std::vector<const Point*> points;
    std::vector<Key> keys;
    for (const Point& point : points_)
      if (fits(point.key, shape)) {
        points.push_back(&point);
        keys.push_back(point.key);
      }
    return {std::move(points), TestColumn(shape, std::move(keys))};
  }

  [[nodiscard]] static const Entry* neighbour(const Point& point, const NearestOptions& how) {
    const Part& last = point.key.back();
    const bool equal = how.exact && point.first_equal != nullptr;
    const Entry* const before = equal ? point.last_equal : point.less;
    const Entry* const behind = equal ? point.first_equal : point.greater;
    const Entry* found = how.direction == Direction::forward ? behind : before;
    if (how.direction == Direction::nearest && behind != nullptr &&
        (before == nullptr || is_nearer(last, behind->key.back(), before->key.back())))
      found = behind;
    if (found == nullptr || is_beyond(last, found->key.back(), how.tolerance)) return nullptr;
    return found;
  }

  [[nodiscard]] static std::vector<NearestOptions> ways(const Shape& shape) {
    std::vector<NearestOptions> all;
    const Shape last = parts_of(shape).back();
    for (const Direction direction : {Direction::backward, Direction::forward, Direction::nearest})
      for (const bool exact : {true, false}) {
        const bool has_distance = is_integer_shape(last) || is_float_shape(last);
        if (!has_distance && direction == Direction::nearest) continue;
        all.push_back({direction, exact, {}});
        if (!has_distance) continue;
        for (const int tolerance : {0, 1, 1000}) {
          all.push_back({direction, exact, std::int64_t{tolerance}});
          if (is_float_shape(last)) all.back().tolerance = tolerance * 0.75;
        }
      }
    return all;
  }

  [[nodiscard]] std::string neighbours(const Lookups& lookups) const {
    for (const NearestOptions& how : ways(lookups.column.shape())) {
      const Answers answers = index_.nearest(
          lookups.column.view(), how,
          {.answers = Answer::any | Answer::key | Answer::count | Answer::first, .matched = true});
      const ColumnView keys = answers.keys();
      for (std::size_t i = 0; i < lookups.points.size(); ++i) {
        const Entry* const wanted = neighbour(*lookups.points[i], how);
        const std::uint32_t count = wanted == nullptr ? 0 : wanted->count;
        const std::uint32_t first = wanted == nullptr ? miss_row : wanted->first;
        const std::uint32_t row = wanted == nullptr ? miss_row : wanted->row;
        const bool has_key = keys.valid(i) == (wanted != nullptr) &&
                             (wanted == nullptr || compare(key_at(keys, i), wanted->key) == 0);
        if (answers.any()[i] == row && answers.count()[i] == count && answers.first()[i] == first &&
            answers.matched(i) == (wanted != nullptr) && has_key)
          continue;
        return fmt::format(
            "neighbour {} of {} ({}): row {} with {} rows and key {}, wanted {} with {}",
            name_of(how.direction), text_of(lookups.points[i]->key),
            how.exact ? "or equal" : "not equal", answers.any()[i], answers.count()[i],
            keys.text(i), row, count);
      }
    }
    return "";
  }

  [[nodiscard]] std::string ranks(const Lookups& lookups) const {
    const std::vector<std::uint32_t> ranks = index_.rank(lookups.column.view());
    for (std::size_t i = 0; i < lookups.points.size(); ++i)
      if (ranks[i] != lookups.points[i]->rank)
        return fmt::format("rank of {}: {}, wanted {}", text_of(lookups.points[i]->key), ranks[i],
                           lookups.points[i]->rank);
    return "";
  }

  [[nodiscard]] std::string places() const {
    std::vector<std::uint64_t> places;
    for (std::size_t i = 0; i < 20; ++i) places.push_back(random_.bits() % (entries_.size() + 1));
    places.insert(places.end(), {0, entries_.size(), ~std::uint64_t{0}});
    const std::vector<std::uint32_t> rows = index_.select(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::uint32_t wanted = places[i] < entries_.size() ? entries_[places[i]].row : miss_row;
      if (rows[i] != wanted)
        return fmt::format("place {}: row {}, wanted {}", places[i], rows[i], wanted);
    }
    return "";
  }

  // Compares rows of ranges with those for which is_inside(entry, lookup) holds.
  template <class IsInside>
  [[nodiscard]] std::string compare_rows(const std::string& what, const Answers& answers,
                                         const AnswerOptions& options, IsInside&& is_inside) const {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      std::vector<std::uint32_t> wanted;
      for (const Entry& entry : entries_)
        if (is_inside(entry, i)) wanted.push_back(entry.row);
      if (answers.count()[i] != wanted.size())
        return fmt::format("{} {}: count {}, wanted {}", what, i, answers.count()[i],
                           wanted.size());
      if (options.order == RowOrder::descending) std::reverse(wanted.begin(), wanted.end());
      if (wanted.size() > options.limit) wanted.resize(options.limit);
      const std::span<const std::uint32_t> rows = answers.rows(i);
      if (!std::equal(rows.begin(), rows.end(), wanted.begin(), wanted.end()))
        return fmt::format("{} {}: rows {}, wanted {}", what, i, rows, wanted);
    }
    return "";
  }

  [[nodiscard]] static bool is_above(const PlacedKey& key, const PlacedKey& end, bool open) {
    return open ? key.place() > end.place() : key.place() >= end.place();
  }

  // Which ends of ranges are set.
  struct SetEnds {
    bool lower, upper;
  };

  [[nodiscard]] std::string ranges() const {
    const Lookups lower = lookups_of(shape_);
    std::vector<const Point*> upper_points;
    std::vector<Key> upper_keys;
    for (const Point* const from : lower.points) {
      const Point* const to = random_.bits() % 4 == 0 ? from : &random_.pick(points_);
      upper_points.push_back(fits(to->key, shape_) ? to : from);
      upper_keys.push_back(upper_points.back()->key);
    }
    const TestColumn upper(shape_, upper_keys);
    for (const Ends ends : {Ends::closed, Ends::right_open, Ends::left_open, Ends::open})
      for (const SetEnds set : {SetEnds{true, true}, SetEnds{true, false}, SetEnds{false, true}})
        for (const RowOrder order : {RowOrder::ascending, RowOrder::descending}) {
          AnswerOptions options{.answers = Answer::rows | Answer::count};
          options.order = order;
          if (random_.bits() % 2 == 0) options.limit = 3;
          const Answers answers =
              index_.answer(Query::range(set.lower ? lower.column.view() : ColumnView(),
                                         set.upper ? upper.view() : ColumnView(), ends),
                            options);
          const bool left_open = ends == Ends::left_open || ends == Ends::open;
          const bool right_open = ends == Ends::right_open || ends == Ends::open;
          const auto inside = [&](const Entry& entry, std::size_t i) {
            const Point& from = *lower.points[i];
            const Point& to = *upper_points[i];
            if ((set.lower && from.is_null()) || (set.upper && to.is_null())) return false;
            return (!set.lower || is_above(entry, from, left_open)) &&
                   (!set.upper || is_above(to, entry, right_open));
          };
          std::string found = compare_rows(std::string(name_of(ends)), answers, options, inside);
          if (!found.empty()) return found;
        }
    AnswerOptions all{.answers = Answer::rows | Answer::count};
    all.order = RowOrder::descending;
    return compare_rows("everything", index_.range({}, {}, all), all,
                        [](const Entry&, std::size_t) { return true; });
  }

  [[nodiscard]] std::string prefixes() const {
    std::vector<std::string> texts = {"", "\xff", std::string(9, '\xff')};
    for (const Point& point : points_)
      if (const auto* const text = std::get_if<std::string>(&point.key.front()))
        texts.push_back(text->substr(0, random_.bits() % (text->size() + 1)));
    AnswerOptions options{.answers = Answer::rows | Answer::count};
    options.order = RowOrder::ascending;
    return compare_rows("prefix", index_.answer(Query::prefix(texts), options), options,
                        [&](const Entry& entry, std::size_t i) {
                          return std::get<std::string>(entry.key.front()).starts_with(texts[i]);
                        });
  }

  [[nodiscard]] std::string first_parts() const {
    for (std::size_t parts = 1; parts < shape_.parts.size(); ++parts) {
      Shape shape = shape_;
      shape.parts.resize(parts);
      std::vector<Key> keys;
      std::vector<std::uint32_t> places;
      for (const Point& point : points_) {
        Key key(point.key.begin(), point.key.begin() + static_cast<std::ptrdiff_t>(parts));
        if (!fits(key, shape)) continue;
        keys.push_back(std::move(key));
        places.push_back(point.places[parts - 1]);
      }
      const TestColumn lookups(shape, keys);
      AnswerOptions options{.answers = Answer::rows | Answer::count};
      options.order = RowOrder::ascending;
      std::string found = compare_rows(
          fmt::format("the first {} parts", parts), index_.lookup(lookups.view(), options), options,
          [&](const Entry& entry, std::size_t i) { return entry.places[parts - 1] == places[i]; });
      if (!found.empty()) return found;
    }
    return "";
  }

  const Index& index_;
  Shape shape_;
  Random& random_;
  std::vector<Entry> entries_;  // the rows that have keys, in the order of keys and rows
  std::vector<Point> points_;
};

}  // namespace

std::string order_difference(const Index& index, const std::vector<Key>& table, const Shape& shape,
                             Random& random) {
  return OrderChecker(index, table, shape, random).difference();
}

bool keeps_order(const Index& index) { return index.supports(Answer::any, QueryKind::nearest); }

}  // namespace rtindex::test
