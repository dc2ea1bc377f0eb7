#include "keys/codecs.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.hpp"
#include "base/error.hpp"
#include "base/prefetch.hpp"

namespace rtindex {

namespace {

// Strings in files of before there were dictionaries: the column's longest common prefix is
// dropped, up to 8 bytes after it (the head) are the encoded key, and what follows (the tail) is
// compared inside the hit. The first merge encodes them anew.
class HeadCodec final : public KeyCodec {
 public:
  HeadCodec(const FileReader& file, std::size_t rows)
      : KeyCodec(file), head_bytes_(file.number("head_bytes", 8)), base_(file.number("base")) {
    const std::vector<char> prefix = file.small_array<char>("prefix");
    prefix_.assign(prefix.begin(), prefix.end());
    if (span_ > std::numeric_limits<std::uint64_t>::max() - base_)
      file.refuse("its keys reach beyond 64 bits");
    has_residual_ = file.flag("tails_kept");
    if (!has_residual_) return;
    head_lengths_ = file.array<std::uint8_t>("head_lengths", rows);
    tail_starts_ = file.array<std::uint64_t>("tail_starts", rows + 1);
    tails_ = file.array<char>("tails");
  }

  [[nodiscard]] Type type() const override { return Type::string; }

  [[nodiscard]] std::size_t bytes() const override {
    return prefix_.size() + head_lengths_.bytes() + tail_starts_.bytes() + tails_.bytes();
  }

  [[nodiscard]] std::string describe() const override {
    if (empty_) return "string, no valid keys";
    return fmt::format("string, common prefix of {} bytes dropped, next {} bytes are the key{}",
                       prefix_.size(), head_bytes_,
                       has_residual_ ? ", the rest is compared in the hit" : "");
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = column.valid(first + i) ? head(suffix(column.string(first + i))) - base_ : 0;
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    OwnedColumn column(Type::string, encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      std::string text = prefix_;
      const std::uint64_t bits = encoded.keys[i] + base_;
      for (std::size_t byte = 0; byte < head_bytes_; ++byte)
        text += static_cast<char>(bits >> (8 * (head_bytes_ - 1 - byte)));
      if (has_residual_) {
        const std::size_t element = rows_.element(encoded.row(i));
        text.resize(prefix_.size() + head_lengths_[element]);
        text += tail_of(element);
      } else {
        while (text.size() > prefix_.size() && text.back() == '\0') text.pop_back();
      }
      column.string(i) = std::move(text);
      column.set_valid(i, true);
    }
    return column;
  }

  void require_comparable(const ColumnView& lookups) const override { require_strings(lookups); }

  [[nodiscard]] Bound lower_bound(const ColumnView& lookups, std::size_t i) const override {
    const std::string_view text = lookups.string(i);
    if (!text.starts_with(prefix_)) return {.none = text > prefix_};
    const std::string_view rest = suffix(text);
    const std::uint64_t bits = head(rest);
    if (bits < base_) return {};
    std::uint64_t key = bits - base_;
    // Without tails a row with this head is just its head, and is less than a longer lookup.
    if (!has_residual_ && !is_just_head(rest)) {
      if (key == std::numeric_limits<std::uint64_t>::max()) return {.none = true};
      ++key;
    }
    return {.key = key, .none = key > span_, .check = has_residual_};
  }

  [[nodiscard]] Bound upper_bound(const ColumnView& lookups, std::size_t i) const override {
    const std::string_view text = lookups.string(i);
    if (!text.starts_with(prefix_)) return {.key = span_, .none = text < prefix_};
    const std::uint64_t bits = head(suffix(text));
    if (bits < base_) return {.none = true};
    if (bits - base_ > span_) return {.key = span_};
    return {.key = bits - base_, .check = has_residual_};
  }

  [[nodiscard]] int compare_residual(std::uint32_t row, const ColumnView& lookups,
                                     std::size_t i) const override {
    const std::string_view rest = suffix(lookups.string(i));
    const std::size_t length = std::min(rest.size(), head_bytes_);
    const std::size_t element = rows_.element(row);
    const std::string_view tail = tail_of(element);
    // What has a tail has a whole head.
    const std::size_t row_length = tail.empty() ? head_lengths_[element] : head_bytes_;
    if (row_length != length) return row_length < length ? -1 : 1;
    return tail.compare(rest.substr(length));
  }

  void prefetch_residual(std::uint32_t row, int step) const override {
    const std::size_t element = rows_.element(row);
    if (step == 0)
      prefetch(tail_starts_.data() + element);
    else
      prefetch(tail_of(element).data());
  }

  [[nodiscard]] int compare_rows(std::uint32_t a, std::uint32_t b) const override {
    if (!has_residual_) return 0;
    const std::size_t x = rows_.element(a);
    const std::size_t y = rows_.element(b);
    if (head_lengths_[x] != head_lengths_[y]) return head_lengths_[x] < head_lengths_[y] ? -1 : 1;
    return tail_of(x).compare(tail_of(y));
  }

 private:
  void save_own(FileWriter& file) const override {
    file.number("head_bytes", head_bytes_);
    file.number("base", base_);
    file.small_array("prefix", std::vector<char>(prefix_.begin(), prefix_.end()));
    file.number("tails_kept", has_residual_ ? 1 : 0);
    if (!has_residual_) return;
    file.array("head_lengths", head_lengths_.span());
    file.array("tail_starts", tail_starts_.span());
    file.array("tails", tails_.span());
  }

  // What follows the prefix. A string of a tuple that is null because of another part may lack the
  // prefix; nobody looks at what comes of it.
  [[nodiscard]] std::string_view suffix(std::string_view text) const {
    return text.substr(std::min(prefix_.size(), text.size()));
  }

  // The first bytes, most significant first, padded with zeros.
  [[nodiscard]] std::uint64_t head(std::string_view rest) const {
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < head_bytes_; ++byte)
      bits = bits << 8 | (byte < rest.size() ? static_cast<unsigned char>(rest[byte]) : 0U);
    return bits;
  }

  // Whether the head is the whole string: no tail, and no NUL that could be padding.
  [[nodiscard]] bool is_just_head(std::string_view rest) const {
    return rest.size() <= head_bytes_ && rest.find('\0') == std::string_view::npos;
  }

  // Starts from a file can be any.
  [[nodiscard]] std::string_view tail_of(std::size_t element) const {
    const std::uint64_t end = std::min<std::uint64_t>(tail_starts_[element + 1], tails_.size());
    const std::uint64_t begin = std::min(tail_starts_[element], end);
    return {tails_.data() + begin, end - begin};
  }

  std::string prefix_;
  std::size_t head_bytes_ = 0;
  std::uint64_t base_ = 0;
  Array<std::uint8_t> head_lengths_;  // by element, as are the tails
  Array<std::uint64_t> tail_starts_;
  Array<char> tails_;
};

}  // namespace

std::unique_ptr<KeyCodec> make_head_codec(const FileReader& file, std::size_t rows) {
  return std::make_unique<HeadCodec>(file, rows);
}

}  // namespace rtindex
