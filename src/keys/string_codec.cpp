#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "keys/codecs.hpp"
#include "keys/string_hash.hpp"
#include "keys/string_sample.hpp"

namespace rtindex {

namespace {

constexpr std::size_t string_grain = std::size_t{1} << 14;

class TailComparer final : public FullKeyComparer {
 public:
  TailComparer(const RowNumbers& rows, std::string_view prefix, const Lazy<StringTails>& tails)
      : rows_(rows), prefix_(prefix), tails_(tails) {}

  [[nodiscard]] int compare_residual(std::uint32_t row, const ColumnView& lookups,
                                     std::size_t i) const override {
    const std::string_view text = lookups.string(i);
    if (const int order = text.compare(0, prefix_.size(), prefix_); order != 0)
      return order < 0 ? 1 : -1;
    return tail(row).compare(text.substr(prefix_.size()));
  }
  [[nodiscard]] int compare_rows(std::uint32_t a, std::uint32_t b) const override {
    return tail(a).compare(tail(b));
  }
  void prefetch_residual(std::uint32_t row, int step) const override {
    tails_.get().prefetch_element(rows_.element(row), step);
  }

 private:
  [[nodiscard]] std::string_view tail(std::uint32_t row) const {
    return tails_.get()[rows_.element(row)];
  }

  const RowNumbers& rows_;
  std::string_view prefix_;
  const Lazy<StringTails>& tails_;
};

// Codes in the order of the strings.
struct DictionaryCodes {
  StringDictionary dictionary;

  [[nodiscard]] std::uint64_t operator()(std::string_view text) const {
    return dictionary.encode(text);
  }
  [[nodiscard]] static bool is_exact(std::uint64_t code) { return StringMap::is_exact(code); }
  void decode(std::uint64_t code, std::string& text) const { dictionary.decode(code, text); }
  void describe(CodecField& field) const { field.dictionary = &dictionary; }
  void save(FileWriter& file) const { dictionary.save(file.part("dictionary")); }
};

// Hashes of whole strings. Two strings hardly ever share one, but every string is kept and compared
// in the hit.
struct HashCodes {
  static constexpr KeyExtent extent{0, std::numeric_limits<std::uint64_t>::max()};

  StringHash hash;

  [[nodiscard]] std::uint64_t operator()(std::string_view text) const {
    return hash(text.data(), text.size());
  }
  [[nodiscard]] static bool is_exact(std::uint64_t) { return false; }
  static void decode(std::uint64_t, std::string&) {}
  void describe(CodecField& field) const { field.hash_seed = hash.seed(); }
  void save(FileWriter& file) const { file.number("hash_seed", hash.seed()); }
};

// Keys are codes, minus the smallest of the column. Strings whose codes are not exact are kept
// without `prefix`, which all of them begin with, and compared in the hit.
template <class Codes>
class StringCodec final : public KeyCodec {
 public:
  StringCodec(Codes codes, const KeyExtent& extent, bool is_empty, std::string_view prefix,
              std::optional<Lazy<StringTails>> tails)
      : KeyCodec(Type::string), codes_(std::move(codes)) {
    set_extent(extent);
    map_.empty = is_empty;
    if (tails) keep(std::string(prefix), std::move(*tails));
    set_fields();
  }

  StringCodec(Codes codes, const FileReader& file, std::size_t rows)
      : KeyCodec(Type::string, file), codes_(std::move(codes)) {
    if (file.flag("tails_kept")) {
      const std::vector<char> prefix = file.small_array<char>("prefix");
      keep({prefix.begin(), prefix.end()}, StringTails(file.part("tails"), rows));
    }
    set_fields();
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = column.valid(first + i) ? codes_(column.string(first + i)) - map_.base : 0;
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    OwnedColumn column(Type::string, encoded.size());
    column.set_all_valid();
    parallel_for(encoded.size(), string_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        const std::uint64_t code = encoded.keys[i] + map_.base;
        std::string& text = column.string(i);
        if (has_residual() && !Codes::is_exact(code))
          text.append(prefix_).append(tails_.get()[rows_.element(encoded.row(i))]);
        else
          codes_.decode(code, text);
      }
    });
    return column;
  }

  void encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                      std::size_t first, std::size_t count, Interval* intervals,
                      std::uint8_t* checks) const override {
    if (&lower != &upper || ends.any_open() || empty())
      return KeyCodec::encode_lookups(lower, upper, ends, first, count, intervals, checks);
    const ColumnView* const values = lower.dictionary_values();
    if (values != nullptr && values->size() <= count)
      return encode_positions(*values, lower.dictionary_positions() + first, count, intervals,
                              checks);
    constexpr std::size_t ahead = 8;  // lookups whose bytes are prefetched
    const bool nullable = lower.nullable();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + ahead < count) prefetch(lower.string(first + i + ahead).data());
      std::uint8_t check = check_none;
      const bool is_null = nullable && !lower.valid(first + i);
      intervals[i] = is_null ? empty_interval : encode_point(lower.string(first + i), check);
      if (checks != nullptr) checks[i] = check;
    }
  }

  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override {
    return ends_of(lookups.string(i));
  }

 private:
  // Points in a dictionary: each of its values is encoded once.
  void encode_positions(const ColumnView& values, const std::uint32_t* positions, std::size_t count,
                        Interval* intervals, std::uint8_t* checks) const {
    std::vector<Interval> own(values.size() + 1, empty_interval);
    std::vector<std::uint8_t> own_checks(values.size() + 1, check_none);
    encode_lookups(values, values, {}, 0, values.size(), own.data(), own_checks.data());
    for (std::size_t i = 0; i < count; ++i) {
      intervals[i] = own[positions[i]];
      if (checks != nullptr) checks[i] = own_checks[positions[i]];
    }
  }

  // What interval_between() makes of both ends_of() the text, in fewer steps.
  [[nodiscard]] Interval encode_point(std::string_view text, std::uint8_t& check) const {
    const std::uint64_t code = codes_(text);
    const bool is_exact = Codes::is_exact(code);
    if (code < map_.base || code - map_.base > map_.span || (!is_exact && !has_residual()))
      return empty_interval;
    if (!is_exact) check = check_lower | check_upper;
    return {code - map_.base, code - map_.base};
  }

  [[nodiscard]] EncodedEnds ends_of(std::string_view text) const {
    const std::uint64_t code = codes_(text);
    return encode_code(code, Codes::is_exact(code), has_residual(), map_.base, map_.span);
  }

  void save_own(FileWriter& file) const override {
    codes_.save(file);
    file.number("tails_kept", has_residual() ? 1 : 0);
    if (!has_residual()) return;
    file.small_array("prefix", std::vector<char>(prefix_.begin(), prefix_.end()));
    tails_.get().save(file.part("tails"));
  }

  void keep(std::string prefix, Lazy<StringTails> tails) {
    prefix_ = std::move(prefix);
    tails_ = std::move(tails);
    comparer_ = std::make_unique<TailComparer>(rows_, prefix_, tails_);
  }

  void set_fields() {
    CodecField field{map_};
    codes_.describe(field);
    if (has_residual()) {
      field.tails = &tails_;
      field.prefix = prefix_;
    }
    fields_ = {{field}, has_residual() ? std::size_t{0} : 1};
  }

  Codes codes_;
  std::string prefix_;
  Lazy<StringTails> tails_;
};

// The codes of a column.
struct CodeFacts {
  static constexpr std::size_t max_listed = 1024;

  KeyExtent extent;
  std::size_t kept = 0;                         // strings whose codes are not exact
  std::vector<std::size_t> some_kept;           // some of their rows
  std::size_t common = std::string_view::npos;  // bytes of the dictionary's label that they have

  [[nodiscard]] static CodeFacts union_of(CodeFacts a, const CodeFacts& b) {
    a.extent = KeyExtent::union_of(a.extent, b.extent);
    a.kept += b.kept;
    a.common = std::min(a.common, b.common);
    for (const std::size_t row : b.some_kept)
      if (a.some_kept.size() < max_listed) a.some_kept.push_back(row);
    return a;
  }
};

// The strings to encode: the values of a dictionary, once each. A change of a few rows can have a
// large dictionary.
[[nodiscard]] const ColumnView& distinct_of(const ColumnView& column) {
  const ColumnView* const values = column.dictionary_values();
  return values != nullptr && values->size() <= column.size() ? *values : column;
}

[[nodiscard]] CodeFacts encode_all(const ColumnView& column, const StringDictionary& dictionary,
                                   Array<bool>& is_kept) {
  if (const ColumnView& values = distinct_of(column); &values != &column) {
    Array<bool> is_kept_value(values.size() + 1);
    CodeFacts codes = encode_all(values, dictionary, is_kept_value);
    is_kept_value[values.size()] = false;
    bool is_any_valid = false;
    for (std::size_t row = 0; row < column.size(); ++row) {
      is_kept[row] = is_kept_value[column.dictionary_positions()[row]];
      is_any_valid = is_any_valid || column.valid(row);
    }
    return is_any_valid ? codes : CodeFacts{};
  }
  const StringMap map = dictionary.map();
  const std::string_view label = dictionary.common_label();
  return parallel_reduce(
      column.size(), string_grain, CodeFacts{},
      [&](std::size_t first, std::size_t count) {
        CodeFacts here;
        here.common = label.size();
        for (std::size_t row = first; row < first + count; ++row) {
          is_kept[row] = false;
          if (!column.valid(row)) continue;
          const std::string_view text = column.string(row);
          const std::uint64_t code = map.encode(text.data(), text.size());
          here.extent.add(code);
          if (StringMap::is_exact(code)) continue;
          is_kept[row] = true;
          ++here.kept;
          if (here.some_kept.size() < CodeFacts::max_listed / 16) here.some_kept.push_back(row);
          here.common = equal_bytes(text, label.substr(0, here.common));
        }
        return here;
      },
      CodeFacts::union_of);
}

}  // namespace

std::unique_ptr<KeyCodec> make_string_codec(const ColumnView& column, KeyUse use) {
  StringDictionary dictionary(sample_of(column), column.size());
  if (use == KeyUse::points && !dictionary.is_exact()) return make_string_hash_codec(column);
  const ColumnView& distinct = distinct_of(column);
  Array<bool> is_kept(column.size());
  CodeFacts codes = encode_all(column, dictionary, is_kept);
  // The sample may lack a few strings that the dictionary has room for.
  constexpr int max_attempts = 3;
  for (int i = 1; i < max_attempts && dictionary.is_exact() && codes.kept != 0; ++i) {
    std::vector<std::string_view> sample = sample_of(column);
    for (const std::size_t row : codes.some_kept) sample.push_back(distinct.string(row));
    dictionary = StringDictionary(std::move(sample), column.size());
    codes = encode_all(column, dictionary, is_kept);
  }
  const std::string prefix(dictionary.common_label().substr(0, codes.common));
  std::optional<Lazy<StringTails>> tails;
  if (codes.kept != 0)
    tails = StringTails(column, prefix.size(), [&](std::size_t i) { return is_kept[i]; });
  return std::make_unique<StringCodec<DictionaryCodes>>(DictionaryCodes{std::move(dictionary)},
                                                        codes.extent, codes.extent.empty(), prefix,
                                                        std::move(tails));
}

std::unique_ptr<KeyCodec> make_string_codec(StringDictionary dictionary, const KeyExtent& codes,
                                            std::optional<StringTailsSource> source) {
  std::string prefix;
  std::optional<Lazy<StringTails>> tails;
  if (source) {
    prefix = dictionary.common_label().substr(0, source->prefix);
    tails.emplace(std::move(source->load));
  }
  return std::make_unique<StringCodec<DictionaryCodes>>(
      DictionaryCodes{std::move(dictionary)}, codes, codes.empty(), prefix, std::move(tails));
}

std::unique_ptr<KeyCodec> make_string_codec(const FileReader& file, std::size_t rows) {
  if (file.has("hash_seed"))
    return std::make_unique<StringCodec<HashCodes>>(HashCodes{StringHash(file.number("hash_seed"))},
                                                    file, rows);
  return std::make_unique<StringCodec<DictionaryCodes>>(
      DictionaryCodes{StringDictionary(file.part("dictionary"))}, file, rows);
}

std::uint64_t random_hash_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

std::unique_ptr<KeyCodec> make_string_hash_codec(const ColumnView& column) {
  bool is_empty = true;
  for (std::size_t i = 0; i < column.size() && is_empty; ++i) is_empty = !column.valid(i);
  return std::make_unique<StringCodec<HashCodes>>(
      HashCodes{StringHash(random_hash_seed())}, HashCodes::extent, is_empty, "",
      StringTails(column, 0, [&](std::size_t i) { return column.valid(i); }));
}

std::unique_ptr<KeyCodec> make_string_hash_codec(std::uint64_t seed, bool is_empty,
                                                 std::function<StringTails()> strings) {
  return std::make_unique<StringCodec<HashCodes>>(HashCodes{StringHash(seed)}, HashCodes::extent,
                                                  is_empty, "",
                                                  Lazy<StringTails>(std::move(strings)));
}

}  // namespace rtindex
