#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "file/loaded.hpp"
#include "keys/codec_parts.hpp"
#include "keys/codecs.hpp"
#include "keys/string_dictionary.hpp"
#include "keys/string_sample.hpp"
#include "keys/string_tails.hpp"

namespace rtindex {

namespace {

constexpr std::size_t string_grain = std::size_t{1} << 14;

// Keys are the codes of a StringDictionary, minus the smallest of the column. Strings whose codes
// are not exact are kept and compared in the hit.
class StringCodec final : public KeyCodec {
 public:
  StringCodec(const ColumnView& column, StringDictionary dictionary)
      : dictionary_(std::move(dictionary)) {
    constexpr int max_attempts = 3;
    Array<bool> is_kept(column.size());
    Codes codes = encode_all(column, is_kept);
    // The sample may lack a few strings that the dictionary has room for.
    for (int i = 1; i < max_attempts && dictionary_.is_exact() && codes.kept != 0; ++i) {
      std::vector<std::string_view> sample = sample_of(column);
      for (const std::size_t row : codes.some_kept) sample.push_back(column.string(row));
      dictionary_ = StringDictionary(std::move(sample), column.size());
      codes = encode_all(column, is_kept);
    }
    empty_ = codes.smallest > codes.largest;
    if (empty_) return;
    base_ = codes.smallest;
    span_ = codes.largest - codes.smallest;
    has_residual_ = codes.kept != 0;
    if (!has_residual_) return;
    prefix_ = dictionary_.common_label().substr(0, codes.common);
    tails_ = StringTails(column, prefix_.size(), [&](std::size_t i) { return is_kept[i]; });
  }

  // Of strings that were encoded elsewhere; without `tails`, codes tell all of them apart.
  StringCodec(StringDictionary dictionary, const KeyExtent& codes,
              std::optional<StringTailsSource> tails)
      : dictionary_(std::move(dictionary)) {
    empty_ = codes.empty();
    if (empty_) return;
    base_ = codes.smallest;
    span_ = codes.largest - codes.smallest;
    has_residual_ = tails.has_value();
    if (!has_residual_) return;
    prefix_ = dictionary_.common_label().substr(0, tails->prefix);
    tails_ = Loaded<StringTails>(std::move(tails->load));
  }

  StringCodec(const FileReader& file, std::size_t rows)
      : KeyCodec(file), dictionary_(file.part("dictionary")), base_(file.number("base")) {
    if (span_ > std::numeric_limits<std::uint64_t>::max() - base_)
      file.refuse("its keys reach beyond 64 bits");
    has_residual_ = file.flag("tails_kept");
    if (!has_residual_) return;
    const std::vector<char> prefix = file.small_array<char>("prefix");
    prefix_.assign(prefix.begin(), prefix.end());
    tails_ = StringTails(file.part("tails"), rows);
  }

  [[nodiscard]] Type type() const override { return Type::string; }

  [[nodiscard]] std::optional<CodecParts> parts() const override {
    CodecPart part{{{ElementType::Kind::string, 8}, base_, span_, empty_}};
    part.dictionary = &dictionary_;
    if (has_residual_) {
      part.tails = &tails_;
      part.prefix = prefix_;
    }
    return CodecParts{{part}, has_residual_ ? std::size_t{0} : 1};
  }

  [[nodiscard]] std::size_t bytes() const override {
    return dictionary_.bytes() + prefix_.size() +
           (tails_.if_there() == nullptr ? 0 : tails_.get().bytes());
  }

  [[nodiscard]] std::string describe() const override {
    if (empty_) return "string, no valid keys";
    return fmt::format("string, encoded by a dictionary of {} beginnings{}", dictionary_.leaves(),
                       has_residual_ ? ", long ones are compared in the hit" : "");
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = column.valid(first + i) ? dictionary_.encode(column.string(first + i)) - base_ : 0;
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    OwnedColumn column(Type::string, encoded.size());
    parallel_for(encoded.size(), string_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        const std::uint64_t code = encoded.keys[i] + base_;
        std::string& text = column.string(i);
        if (has_residual_ && !StringMap::is_exact(code))
          text.append(prefix_).append(tails_.get()[rows_.element(encoded.row(i))]);
        else
          dictionary_.decode(code, text);
      }
    });
    for (std::size_t i = 0; i < encoded.size(); ++i) column.set_valid(i, true);
    return column;
  }

  void require_comparable(const ColumnView& lookups) const override { require_strings(lookups); }

  void encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                      std::size_t first, std::size_t count, Interval* intervals,
                      std::uint8_t* checks) const override {
    if (&lower != &upper || ends.any_open() || empty_)
      return KeyCodec::encode_lookups(lower, upper, ends, first, count, intervals, checks);
    encode_points(lower, first, count, intervals, checks,
                  [this](std::string_view text) { return ends_of(text); });
  }

  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override {
    return ends_of(lookups.string(i));
  }

  [[nodiscard]] int compare_residual(std::uint32_t row, const ColumnView& lookups,
                                     std::size_t i) const override {
    const std::string_view text = lookups.string(i);
    if (const int order = text.compare(0, prefix_.size(), prefix_); order != 0)
      return order < 0 ? 1 : -1;
    return tails_.get()[rows_.element(row)].compare(text.substr(prefix_.size()));
  }

  void prefetch_residual(std::uint32_t row, int step) const override {
    tails_.get().prefetch_element(rows_.element(row), step);
  }

  [[nodiscard]] int compare_rows(std::uint32_t a, std::uint32_t b) const override {
    if (!has_residual_) return 0;
    return tails_.get()[rows_.element(a)].compare(tails_.get()[rows_.element(b)]);
  }

 private:
  [[nodiscard]] EncodedEnds ends_of(std::string_view text) const {
    const std::uint64_t code = dictionary_.encode(text);
    return encode_code(code, StringMap::is_exact(code), has_residual_, base_, span_);
  }

  void save_own(FileWriter& file) const override {
    dictionary_.save(file.part("dictionary"));
    file.number("base", base_);
    file.number("tails_kept", has_residual_ ? 1 : 0);
    if (!has_residual_) return;
    file.small_array("prefix", std::vector<char>(prefix_.begin(), prefix_.end()));
    tails_.get().save(file.part("tails"));
  }

  // The codes of a column.
  struct Codes {
    static constexpr std::size_t max_listed = 1024;

    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t largest = 0;
    std::size_t kept = 0;                         // strings whose codes are not exact
    std::vector<std::size_t> some_kept;           // some of their rows
    std::size_t common = std::string_view::npos;  // bytes of the dictionary's label that they have

    void add(std::uint64_t code) {
      smallest = std::min(smallest, code);
      largest = std::max(largest, code);
    }
    [[nodiscard]] static Codes both(Codes a, const Codes& b) {
      a.smallest = std::min(a.smallest, b.smallest);
      a.largest = std::max(a.largest, b.largest);
      a.kept += b.kept;
      a.common = std::min(a.common, b.common);
      for (const std::size_t row : b.some_kept)
        if (a.some_kept.size() < max_listed) a.some_kept.push_back(row);
      return a;
    }
  };

  [[nodiscard]] Codes encode_all(const ColumnView& column, Array<bool>& is_kept) const {
    const StringMap map = dictionary_.map();
    const std::string_view label = dictionary_.common_label();
    return parallel_reduce(
        column.size(), string_grain, Codes{},
        [&](std::size_t first, std::size_t count) {
          Codes here;
          here.common = label.size();
          for (std::size_t row = first; row < first + count; ++row) {
            is_kept[row] = false;
            if (!column.valid(row)) continue;
            const std::string_view text = column.string(row);
            const std::uint64_t code = map.encode(text.data(), text.size());
            here.add(code);
            if (StringMap::is_exact(code)) continue;
            is_kept[row] = true;
            ++here.kept;
            if (here.some_kept.size() < Codes::max_listed / 16) here.some_kept.push_back(row);
            here.common = equal_bytes(text, label.substr(0, here.common));
          }
          return here;
        },
        Codes::both);
  }

  StringDictionary dictionary_;
  std::uint64_t base_ = 0;
  std::string prefix_;  // of the strings that are kept
  Loaded<StringTails> tails_;
};

}  // namespace

void require_strings(const ColumnView& lookups) {
  if (lookups.type() != Type::string)
    fail("{} keys cannot be compared with a string column: pass strings", name_of(lookups.type()));
}

std::unique_ptr<KeyCodec> make_string_codec(const ColumnView& column, KeyUse use) {
  StringDictionary dictionary(sample_of(column), column.size());
  if (use == KeyUse::points && !dictionary.is_exact()) return make_string_hash_codec(column);
  return std::make_unique<StringCodec>(column, std::move(dictionary));
}

std::unique_ptr<KeyCodec> make_string_codec(StringDictionary dictionary, const KeyExtent& codes,
                                            std::optional<StringTailsSource> tails) {
  return std::make_unique<StringCodec>(std::move(dictionary), codes, std::move(tails));
}

std::unique_ptr<KeyCodec> make_string_codec(const FileReader& file, std::size_t rows) {
  if (file.has("hash_seed")) return make_string_hash_codec(file, rows);
  return std::make_unique<StringCodec>(file, rows);
}

}  // namespace rtindex
