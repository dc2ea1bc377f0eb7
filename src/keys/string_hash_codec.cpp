#include <limits>
#include <random>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "file/loaded.hpp"
#include "keys/codec_parts.hpp"
#include "keys/codecs.hpp"
#include "keys/string_hash.hpp"
#include "keys/string_tails.hpp"

namespace rtindex {

namespace {

// Keys are hashes of whole strings, for structures that answer points only: any two strings have
// different ones, as good as always. Every string is kept and compared in the hit.
class StringHashCodec final : public KeyCodec {
 public:
  explicit StringHashCodec(const ColumnView& column) : hash_(random_hash_seed()) {
    span_ = std::numeric_limits<std::uint64_t>::max();
    has_residual_ = true;
    for (std::size_t i = 0; i < column.size() && empty_; ++i) empty_ = !column.valid(i);
    strings_ = StringTails(column, 0, [&](std::size_t i) { return column.valid(i); });
  }

  // Of strings that were encoded elsewhere.
  StringHashCodec(std::uint64_t seed, bool is_empty, std::function<StringTails()> strings)
      : hash_(seed), strings_(std::move(strings)) {
    span_ = std::numeric_limits<std::uint64_t>::max();
    has_residual_ = true;
    empty_ = is_empty;
  }

  StringHashCodec(const FileReader& file, std::size_t rows)
      : KeyCodec(file),
        hash_(file.number("hash_seed")),
        strings_(StringTails(file.part("strings"), rows)) {
    has_residual_ = true;
  }

  [[nodiscard]] Type type() const override { return Type::string; }
  [[nodiscard]] std::size_t bytes() const override {
    return strings_.if_there() == nullptr ? 0 : strings_.get().bytes();
  }
  [[nodiscard]] std::optional<CodecParts> parts() const override {
    CodecPart part{{{ElementType::Kind::string, 8}, 0, span_, empty_}};
    part.hash_seed = hash_.seed();
    part.tails = &strings_;
    return CodecParts{{part}, 0};
  }
  [[nodiscard]] std::string describe() const override {
    return "string, hashed; the string is compared in the hit";
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = column.valid(first + i) ? hashed(column.string(first + i)) : 0;
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    OwnedColumn column(Type::string, encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      column.string(i) = strings_.get()[rows_.element(encoded.row(i))];
      column.set_valid(i, true);
    }
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
    return strings_.get()[rows_.element(row)].compare(lookups.string(i));
  }
  void prefetch_residual(std::uint32_t row, int step) const override {
    strings_.get().prefetch_element(rows_.element(row), step);
  }
  [[nodiscard]] int compare_rows(std::uint32_t a, std::uint32_t b) const override {
    return strings_.get()[rows_.element(a)].compare(strings_.get()[rows_.element(b)]);
  }

 private:
  [[nodiscard]] EncodedEnds ends_of(std::string_view text) const {
    return encode_code(hashed(text), false, true, 0, span_);
  }

  void save_own(FileWriter& file) const override {
    file.number("hash_seed", hash_.seed());
    strings_.get().save(file.part("strings"));
  }

  [[nodiscard]] std::uint64_t hashed(std::string_view text) const {
    return hash_(text.data(), text.size());
  }

  StringHash hash_;
  Loaded<StringTails> strings_;
};

}  // namespace

std::unique_ptr<KeyCodec> make_string_hash_codec(const ColumnView& column) {
  return std::make_unique<StringHashCodec>(column);
}

std::uint64_t random_hash_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

std::unique_ptr<KeyCodec> make_string_hash_codec(std::uint64_t seed, bool is_empty,
                                                 std::function<StringTails()> strings) {
  return std::make_unique<StringHashCodec>(seed, is_empty, std::move(strings));
}

std::unique_ptr<KeyCodec> make_string_hash_codec(const FileReader& file, std::size_t rows) {
  return std::make_unique<StringHashCodec>(file, rows);
}

}  // namespace rtindex
