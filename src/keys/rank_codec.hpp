#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "keys/codec.hpp"

namespace rtindex {

// Encodes the keys of a column, of any type, as their ranks among its distinct keys: for keys that
// share encoded keys (long strings, wide composites), where these must not be compared in full.
class RankCodec final : public KeyCodec {
 public:
  // Null keys have no rank.
  explicit RankCodec(const ColumnView& column);
  RankCodec(const FileReader& file, std::size_t rows);

  // Of keys of the column.
  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override;
  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override;
  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override;

 private:
  void save_own(FileWriter& file) const override;
  void adopt(std::unique_ptr<KeyCodec> distinct);

  std::unique_ptr<KeyCodec> distinct_;  // of the distinct keys; their row is their rank
  PackedKeys keys_;                     // as it encodes them, ascending
};

}  // namespace rtindex
