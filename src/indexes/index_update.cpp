#include <algorithm>
#include <span>
#include <utility>

#include "base/array.hpp"
#include "base/error.hpp"
#include "indexes/catalog.hpp"
#include "indexes/index_state.hpp"
#include "storage/changed_column.hpp"

namespace rtindex {

namespace {

std::span<const std::uint32_t> row_ids(const ColumnView& rows) {
  return {static_cast<const std::uint32_t*>(rows.data()), rows.size()};
}

const char* memory_of(MemorySpace space) { return space == MemorySpace::host ? "host" : "device"; }

// The values that a structure includes, for the one that takes its place.
class Kept {
 public:
  explicit Kept(const Structure& structure) : included_(structure.included().has_value()) {
    if (!included_) return;
    values_ = structure.included_column();
    view_ = values_.view().with_validity(nullptr);
  }
  [[nodiscard]] const ColumnView* values() const { return included_ ? &view_ : nullptr; }

 private:
  bool included_;
  OwnedColumn values_;
  ColumnView view_;
};

}  // namespace

void Index::State::require_update(const ColumnView& changed, const ColumnView& new_keys) const {
  if (!changed.empty() && changed.type() != Type::u32)
    fail("the rows of an update are {}: pass their rowIDs as uint32", name_of(changed.type()));
  if (changed.nullable())
    fail("the rows of an update carry a validity bitmap: leave out null rows");
  if (changed.size() != new_keys.size())
    fail("the update names {} rows but brings {} keys: pass one key per row", changed.size(),
         new_keys.size());
  require_reachable(changed, "rows");
  require_reachable(new_keys, "new keys");
  if (changed.memory_space() != new_keys.memory_space())
    fail("the rows of the update are in {} memory and the new keys in {} memory: move one",
         memory_of(changed.memory_space()), memory_of(new_keys.memory_space()));
}

void Index::State::update(const ColumnView& changed, const ColumnView& new_keys, Stream stream) {
  if (changed.memory_space() == MemorySpace::host) {
    require_distinct(row_ids(changed), rows);
    update_from_host(row_ids(changed), new_keys);
    return;
  }
  if (update_on_device(spec, *structure, *codec, {changed, new_keys, rows, stream})) return;
  const OwnedColumn changed_here = fetched(spec, changed);
  const OwnedColumn keys_here = fetched(spec, new_keys);
  update_from_host(row_ids(changed_here.view()), keys_here.view());
}

void Index::State::update_from_host(std::span<const std::uint32_t> changed,
                                    const ColumnView& new_keys) {
  const KeyText key_text = [&](std::uint32_t row) {
    const auto found = std::find(changed.begin(), changed.end(), row);
    return found == changed.end()
               ? std::string("(not changed)")
               : new_keys.text(static_cast<std::size_t>(found - changed.begin()));
  };
  Array<std::uint64_t> keys(changed.size());
  if (const auto span = codec->encode_update(new_keys, keys.data())) {
    const Changes changes{changed.data(), keys.data(), changed.size(), MemorySpace::host};
    if (!all_valid(new_keys) || !structure->update(changes, *span)) {
      const Kept kept(*structure);
      structure = make_structure(spec, patched(structure->column(), changes, new_keys, *span),
                                 *codec, key_text, kept.values());
    }
    codec->set_span(*span);
    return;
  }
  const Kept kept(*structure);
  OwnedColumn column = codec->decode(structure->column());
  for (std::size_t i = 0; i < changed.size(); ++i) column.set(changed[i], new_keys, i);
  const ColumnView view = column.view();
  auto new_codec = KeyCodec::for_column(view);
  structure = make_structure(spec, new_codec->encode(view), *new_codec, key_text, kept.values());
  codec = std::move(new_codec);
}

}  // namespace rtindex
