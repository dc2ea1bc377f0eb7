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

struct Entry {
  Key key;
  std::uint32_t row;
  // Of all rows with this key.
  std::uint32_t first = 0, count = 0;
};

// The rows of a table that have keys, in the order of keys and rows.
std::vector<Entry> in_order(const std::vector<Key>& table) {
  std::vector<Entry> entries;
  for (std::uint32_t row = 0; row < table.size(); ++row)
    if (!is_null(table[row])) entries.push_back({table[row], row});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return compare(a.key, b.key) < 0; });
  for (auto begin = entries.begin(); begin != entries.end();) {
    const auto end = std::find_if(begin, entries.end(), [&](const Entry& entry) {
      return compare(entry.key, begin->key) != 0;
    });
    for (auto entry = begin; entry != end; ++entry) {
      entry->first = begin->row;
      entry->count = static_cast<std::uint32_t>(end - begin);
    }
    begin = end;
  }
  return entries;
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

// How the first parts of a key compare with a lookup of so many parts.
int compare_first(const Key& key, const Key& lookup) {
  return compare(Key(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(lookup.size())),
                 lookup);
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
      : index_(index), entries_(in_order(table)), shape_(shape), random_(random) {
    const TestColumn column(shape, table);
    points_ = interesting_points(column, affordable(12, 3), random);
  }

  std::string difference() {
    for (const Shape& shape : comparable_shapes(shape_)) {
      std::vector<Key> keys;
      for (const Key& key : points_)
        if (fits(key, shape)) keys.push_back(key);
      const TestColumn lookups(shape, keys);
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
  // The entries around a lookup, in order; null where there are none. Those of a composite agree
  // with it in all parts but the last.
  struct Around {
    const Entry* less = nullptr;  // the last one
    const Entry* first_equal = nullptr;
    const Entry* last_equal = nullptr;
    const Entry* greater = nullptr;  // the first one
  };
  [[nodiscard]] Around around(const Key& lookup) const {
    Around found;
    if (is_null(lookup)) return found;
    const Key others(lookup.begin(), lookup.end() - 1);
    for (const Entry& entry : entries_) {
      if (!others.empty() && compare_first(entry.key, others) != 0) continue;
      const int order = compare(entry.key, lookup);
      if (order < 0) found.less = &entry;
      if (order == 0) found.last_equal = &entry;
      if (order == 0 && found.first_equal == nullptr) found.first_equal = &entry;
      if (order > 0 && found.greater == nullptr) found.greater = &entry;
    }
    return found;
  }

  [[nodiscard]] static const Entry* neighbour(const Key& lookup, const Around& entries,
                                              const NearestOptions& how) {
    const bool equal = how.exact && entries.first_equal != nullptr;
    const Entry* const before = equal ? entries.last_equal : entries.less;
    const Entry* const behind = equal ? entries.first_equal : entries.greater;
    const Entry* found = how.direction == Direction::forward ? behind : before;
    if (how.direction == Direction::nearest && behind != nullptr &&
        (before == nullptr || is_nearer(lookup.back(), behind->key.back(), before->key.back())))
      found = behind;
    if (found == nullptr || is_beyond(lookup.back(), found->key.back(), how.tolerance))
      return nullptr;
    return found;
  }

  [[nodiscard]] static std::vector<NearestOptions> ways(const TestColumn& lookups) {
    std::vector<NearestOptions> all;
    const Shape last = parts_of(lookups.shape()).back();
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

  [[nodiscard]] std::string neighbours(const TestColumn& lookups) const {
    std::vector<Around> entries;
    for (const Key& lookup : lookups.keys()) entries.push_back(around(lookup));
    for (const NearestOptions& how : ways(lookups)) {
      const Answers answers = index_.nearest(
          lookups.view(), how,
          {.answers = Answer::any | Answer::key | Answer::count | Answer::first, .matched = true});
      const ColumnView keys = answers.keys();
      for (std::size_t i = 0; i < lookups.size(); ++i) {
        const Entry* const wanted = neighbour(lookups.keys()[i], entries[i], how);
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
            name_of(how.direction), text_of(lookups.keys()[i]),
            how.exact ? "or equal" : "not equal", answers.any()[i], answers.count()[i],
            keys.text(i), row, count);
      }
    }
    return "";
  }

  [[nodiscard]] std::string ranks(const TestColumn& lookups) const {
    const std::vector<std::uint32_t> ranks = index_.rank(lookups.view());
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      std::uint32_t wanted = 0;
      const Key& lookup = lookups.keys()[i];
      if (!is_null(lookup))
        for (const Entry& entry : entries_) wanted += compare(entry.key, lookup) < 0 ? 1 : 0;
      if (ranks[i] != wanted)
        return fmt::format("rank of {}: {}, wanted {}", text_of(lookup), ranks[i], wanted);
    }
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
        if (is_inside(entry.key, i)) wanted.push_back(entry.row);
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

  [[nodiscard]] static bool is_above(int order, bool open) { return open ? order > 0 : order >= 0; }

  // Which ends of ranges are set.
  struct SetEnds {
    bool lower, upper;
  };

  [[nodiscard]] std::string ranges() const {
    std::vector<Key> lower_keys;
    std::vector<Key> upper_keys;
    for (const Key& key : points_)
      if (fits(key, shape_)) {
        lower_keys.push_back(key);
        upper_keys.push_back(random_.bits() % 4 == 0 ? key : random_.pick(points_));
        if (!fits(upper_keys.back(), shape_)) upper_keys.back() = key;
      }
    const TestColumn lower(shape_, lower_keys);
    const TestColumn upper(shape_, upper_keys);
    for (const Ends ends : {Ends::closed, Ends::right_open, Ends::left_open, Ends::open})
      for (const SetEnds set : {SetEnds{true, true}, SetEnds{true, false}, SetEnds{false, true}})
        for (const RowOrder order : {RowOrder::ascending, RowOrder::descending}) {
          AnswerOptions options{.answers = Answer::rows | Answer::count};
          options.order = order;
          if (random_.bits() % 2 == 0) options.limit = 3;
          const Answers answers =
              index_.answer(Query::range(set.lower ? lower.view() : ColumnView(),
                                         set.upper ? upper.view() : ColumnView(), ends),
                            options);
          const bool left_open = ends == Ends::left_open || ends == Ends::open;
          const bool right_open = ends == Ends::right_open || ends == Ends::open;
          const auto inside = [&](const Key& key, std::size_t i) {
            const Key& from = lower_keys[i];
            const Key& to = upper_keys[i];
            if ((set.lower && is_null(from)) || (set.upper && is_null(to))) return false;
            return (!set.lower || is_above(compare(key, from), left_open)) &&
                   (!set.upper || is_above(compare(to, key), right_open));
          };
          std::string found = compare_rows(std::string(name_of(ends)), answers, options, inside);
          if (!found.empty()) return found;
        }
    AnswerOptions all{.answers = Answer::rows | Answer::count};
    all.order = RowOrder::descending;
    return compare_rows("everything", index_.range({}, {}, all), all,
                        [](const Key&, std::size_t) { return true; });
  }

  [[nodiscard]] std::string prefixes() const {
    std::vector<std::string> texts = {"", "\xff", std::string(9, '\xff')};
    for (const Key& key : points_)
      if (const auto* const text = std::get_if<std::string>(&key.front()))
        texts.push_back(text->substr(0, random_.bits() % (text->size() + 1)));
    AnswerOptions options{.answers = Answer::rows | Answer::count};
    options.order = RowOrder::ascending;
    return compare_rows("prefix", index_.answer(Query::prefix(texts), options), options,
                        [&](const Key& key, std::size_t i) {
                          return std::get<std::string>(key.front()).starts_with(texts[i]);
                        });
  }

  [[nodiscard]] std::string first_parts() const {
    for (std::size_t parts = 1; parts < shape_.parts.size(); ++parts) {
      Shape shape = shape_;
      shape.parts.resize(parts);
      std::vector<Key> keys;
      for (const Key& key : points_) {
        keys.emplace_back(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(parts));
        if (!fits(keys.back(), shape)) keys.pop_back();
      }
      const TestColumn lookups(shape, keys);
      AnswerOptions options{.answers = Answer::rows | Answer::count};
      options.order = RowOrder::ascending;
      std::string found = compare_rows(
          fmt::format("the first {} parts", parts), index_.lookup(lookups.view(), options), options,
          [&](const Key& key, std::size_t i) {
            return !is_null(keys[i]) && compare_first(key, keys[i]) == 0;
          });
      if (!found.empty()) return found;
    }
    return "";
  }

  const Index& index_;
  std::vector<Entry> entries_;
  Shape shape_;
  Random& random_;
  std::vector<Key> points_;
};

}  // namespace

std::string order_difference(const Index& index, const std::vector<Key>& table, const Shape& shape,
                             Random& random) {
  return OrderChecker(index, table, shape, random).difference();
}

bool keeps_order(const Index& index) { return index.supports(Answer::any, QueryKind::nearest); }

}  // namespace rtindex::test
