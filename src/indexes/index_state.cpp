#include "indexes/index_state.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "answers/request.hpp"
#include "base/array.hpp"
#include "base/error.hpp"
#include "base/spec_options.hpp"
#include "base/stored.hpp"
#include "base/types.hpp"
#include "indexes/catalog.hpp"
#include "storage/columns.hpp"
#include "storage/index_file.hpp"

namespace rtindex {

namespace {

// The spec of a saved index, which this build of the library might not contain.
ResolvedSpec spec_in(const FileReader& file) {
  const std::string& text = file.text("spec");
  try {
    return resolve(Spec(text));
  } catch (const Error& error) {
    fail(error.kind(), "{} holds the index '{}', which is not available here: {}", file.file(),
         text, error.what());
  }
}

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

void Index::State::require_key_order() const {
  if (backend->keeps_key_order(spec)) return;
  fail(ErrorKind::unsupported,
       "{} cannot include values, because it does not keep its keys in order: {}use rx:native, "
       "sorted or btree",
       backend->name(),
       find_option("bucket", backend->name()) == nullptr ? "" : "add bucket=16 to sort them, or ");
}

void Index::State::build(const ColumnView& column, const BuildOptions& options) {
  require_reachable(column, "keys");
  if (options.include.given()) {
    require_key_order();
    require_values(options.include, rows);
    require_reachable(options.include, "values");
  }
  time_unit = column.time_unit();
  for (const ColumnView& part : column.parts()) part_time_units.push_back(part.time_unit());
  included_time_unit = options.include.time_unit();
  threads->run([&] {
    if (backend->on_gpu() && is_native(column.type())) {
      BuiltStructure built = backend->build_on_gpu(spec, column, options);
      codec = std::move(built.codec);
      structure = std::move(built.structure);
      return;
    }
    if (options.include.memory_space() == MemorySpace::device)
      backend->wait_for(spec, options.stream);
    codec = KeyCodec::for_column(column);
    const auto key_text = [&](std::uint32_t row) { return column.text(row); };
    structure = backend->build(spec, codec->encode(column), *codec, key_text, options);
  });
}

Stored Index::State::stored() const {
  Stored stored;
  FileWriter writer(stored);
  writer.text("spec", spec.text());
  writer.text("type", std::string(name_of(codec->type())));
  writer.text("time_unit", std::string(name_of(time_unit)));
  for (std::size_t i = 0; i < part_time_units.size(); ++i)
    writer.text(fmt::format("part_time_unit{}", i), std::string(name_of(part_time_units[i])));
  writer.text("included_time_unit", std::string(name_of(included_time_unit)));
  for (const auto& [name, text] : metadata) writer.part("metadata").text(name, text);
  writer.number("rows", rows);
  codec->save(writer.part("codec"));
  structure->save(writer.part("structure"));
  return stored;
}

Array<std::byte> Index::State::container() const {
  Array<std::byte> bytes;
  threads->run([&] { bytes = write_index_bytes(stored()); });
  return bytes;
}

void Index::State::load(const Stored& stored, const std::shared_ptr<DeviceMemory>& memory) {
  const FileReader reader(stored);
  ResolvedSpec resolved = spec_in(reader);
  spec = std::move(resolved.spec);
  backend = resolved.backend;
  threads = std::make_unique<ThreadLimit>(threads_of(spec));
  rows = reader.number("rows", max_rows);
  const auto unit_in = [&](const std::string& name) {
    try {
      return time_unit_named(reader.text(name));
    } catch (const Error& error) {
      reader.refuse("{}", error.what());
    }
  };
  time_unit = unit_in("time_unit");
  included_time_unit = unit_in("included_time_unit");
  metadata = reader.part("metadata").texts();
  threads->run([&] {
    codec = KeyCodec::from_file(reader.part("codec"), rows);
    for (std::size_t i = 0; i < codec->part_types().size(); ++i)
      part_time_units.push_back(unit_in(fmt::format("part_time_unit{}", i)));
    LoadedStructure opened = backend->load(spec, reader.part("structure"), *codec, rows, memory);
    structure = std::move(opened.structure);
    file = stored.file;
    loaded =
        fmt::format("{} {}", opened.rebuilt ? "rebuilt from the column in" : "mapped from", file);
  });
}

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
  const DeviceUpdate update{changed, new_keys, rows, stream};
  if (backend->update_on_gpu(spec, *structure, *codec, update)) return;
  const OwnedColumn changed_here = backend->fetch(spec, changed);
  const OwnedColumn keys_here = backend->fetch(spec, new_keys);
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
      structure = backend->build(spec, patched(structure->column(), changes, new_keys, *span),
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
  structure = backend->build(spec, new_codec->encode(view), *new_codec, key_text, kept.options());
  codec = std::move(new_codec);
}

}  // namespace rtindex
