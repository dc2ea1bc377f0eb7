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

// What the structure that replaces another is built with: the included values and the allocator of
// the old one.
class IncludedSnapshot {
 public:
  explicit IncludedSnapshot(const Structure& structure) {
    options_.device_memory = structure.device_memory();
    if (!structure.included()) return;
    values_ = structure.included_column();
    options_.include = values_.view().with_validity(nullptr);
  }
  [[nodiscard]] const BuildOptions& options() const { return options_; }

 private:
  OwnedColumn values_;
  BuildOptions options_;
};

}  // namespace

void Index::State::require_update(const ColumnView& changed, const ColumnView& new_keys) const {
  if (!changed.empty() && changed.type() != Type::u32)
    fail("expected the rows of an update as uint32, got {}", name_of(changed.type()));
  if (changed.nullable())
    fail("the rows of an update carry a validity bitmap: leave out null rows");
  if (changed.size() != new_keys.size())
    fail("expected one new key per row, got {} rows and {} keys", changed.size(), new_keys.size());
  require_reachable(changed, "rows");
  require_reachable(new_keys, "new keys");
  if (changed.memory_space() != new_keys.memory_space())
    fail("the rows of the update are in {} memory and the new keys in {} memory: copy one of them",
         name_of(changed.memory_space()), name_of(new_keys.memory_space()));
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
      const IncludedSnapshot kept(*structure);
      structure = make_structure(spec, patched(structure->column(), changes, new_keys, *span),
                                 *codec, key_text, kept.options());
    }
    codec->set_span(*span);
    return;
  }
  const IncludedSnapshot kept(*structure);
  OwnedColumn column = codec->decode(structure->column());
  for (std::size_t i = 0; i < changed.size(); ++i) column.set(changed[i], new_keys, i);
  const ColumnView view = column.view();
  auto new_codec = KeyCodec::for_column(view);
  structure = make_structure(spec, new_codec->encode(view), *new_codec, key_text, kept.options());
  codec = std::move(new_codec);
}

}  // namespace rtindex
