#include <rtindex/index.hpp>

#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "indexes/catalog.hpp"
#include "indexes/index_state.hpp"
#include "storage/index_file.hpp"

namespace rtindex {

Index::Index(std::unique_ptr<State> state) : state_(std::move(state)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

Answers Index::lookup(const ColumnView& keys, const LookupOptions& options) const {
  return state_->answer(keys, keys, LookupKind::point, options);
}

Answers Index::range(const ColumnView& lower, const ColumnView& upper,
                     const LookupOptions& options) const {
  return state_->answer(lower, upper, LookupKind::range, options);
}

void Index::lookup_into(const ColumnView& keys, const LookupOptions& options,
                        const Outputs& outputs) const {
  state_->answer_into(keys, keys, LookupKind::point, options, outputs);
}

void Index::range_into(const ColumnView& lower, const ColumnView& upper,
                       const LookupOptions& options, const Outputs& outputs) const {
  state_->answer_into(lower, upper, LookupKind::range, options, outputs);
}

void Index::update(const ColumnView& rows, const ColumnView& new_keys, Stream stream) {
  explain_out_of_memory("updating an index", [&] {
    state_->require_update(rows, new_keys);
    const auto lock = state_->lock_for_writing();
    state_->require_comparable(new_keys);
    if (rows.empty()) return;
    state_->threads->run([&] { state_->update(rows, new_keys, stream); });
    if (!state_->file.empty())
      state_->loaded = fmt::format("from {}, updated in memory since", state_->file);
  });
}

void Index::save(const std::filesystem::path& path) const {
  explain_out_of_memory("saving an index", [&] {
    const auto lock = state_->lock_for_reading();
    state_->threads->run([&] { write_index_file(path.string(), state_->stored()); });
  });
}

std::vector<std::byte> Index::serialize() const {
  return explain_out_of_memory("serializing an index", [&] {
    const auto lock = state_->lock_for_reading();
    const Array<std::byte> bytes = state_->container();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

void Index::set_metadata(const std::string& name, std::string text) {
  if (!is_storable_text(name) || !is_storable_text(text))
    fail("metadata must be UTF-8: encode other bytes, in base64 for instance");
  if (text.empty())
    state_->metadata.erase(name);
  else
    state_->metadata[name] = std::move(text);
}

const std::map<std::string, std::string>& Index::metadata() const { return state_->metadata; }

std::size_t Index::size() const { return state_->rows; }

Type Index::type() const {
  const auto lock = state_->lock_for_reading();
  return state_->codec->type();
}

std::vector<Type> Index::part_types() const {
  const auto lock = state_->lock_for_reading();
  return state_->codec->part_types();
}

TimeUnit Index::time_unit() const { return state_->time_unit; }

std::vector<TimeUnit> Index::part_time_units() const { return state_->part_time_units; }

TimeUnit Index::included_time_unit() const { return state_->included_time_unit; }

std::optional<Type> Index::included() const {
  const auto lock = state_->lock_for_reading();
  return state_->structure->included();
}

Spec Index::spec() const { return state_->spec; }

MemoryUsage Index::memory_usage() const {
  const auto lock = state_->lock_for_reading();
  MemoryUsage usage = state_->structure->memory_usage();
  if (const std::size_t residual = state_->codec->bytes(); residual != 0) {
    usage.parts.emplace_back("full keys", residual);
    usage.resident += residual;
    usage.build_peak += residual;
  }
  return usage;
}

std::vector<std::pair<std::string, double>> Index::build_profile() const {
  const auto lock = state_->lock_for_reading();
  return state_->structure->build_profile();
}

std::string Index::describe() const {
  const MemoryUsage memory = memory_usage();
  const auto lock = state_->lock_for_reading();
  std::string text = fmt::format("index: {}\ncolumn: {} rows, {}\n", state_->spec.text(),
                                 state_->rows, state_->codec->describe());
  text += state_->structure->describe();
  if (!state_->loaded.empty()) text += fmt::format("loaded: {}\n", state_->loaded);
  text += fmt::format("memory: {}", human_bytes(memory.resident));
  if (state_->rows != 0)
    text += fmt::format(" ({:.1f} bytes a key)",
                        static_cast<double>(memory.resident) / static_cast<double>(state_->rows));
  std::string parts;
  for (const auto& [name, size] : memory.parts)
    if (size != 0)
      parts += fmt::format("{}{} {}", parts.empty() ? ": " : ", ", name, human_bytes(size));
  text += parts + fmt::format("; at most {} while building\n", human_bytes(memory.build_peak));
  return text;
}

bool Index::supports(Answer answer, LookupKind kind) const {
  const auto lock = state_->lock_for_reading();
  return state_->structure->supports(answer, kind);
}

class IndexAccess {
 public:
  static Index build(const ColumnView& column, const Spec& spec, const BuildOptions& options) {
    if (column.size() > max_rows)
      fail("the column has {} rows, and an index holds at most 2^32 - 1: split the column",
           column.size());
    auto state = std::make_unique<Index::State>();
    const bool in_order = options.include.given() || !is_native(column.type());
    state->spec = resolve(spec, in_order ? KeysIn::key_order : KeysIn::any_order);
    state->rows = column.size();
    state->threads = std::make_unique<ThreadLimit>(threads_of(state->spec));
    state->build(column, options);
    return Index(std::move(state));
  }

  static Index load(const Stored& stored, const std::shared_ptr<DeviceMemory>& memory) {
    auto state = std::make_unique<Index::State>();
    state->load(stored, memory);
    return Index(std::move(state));
  }
};

Index build(const ColumnView& column, const Spec& spec, const BuildOptions& options) {
  return explain_out_of_memory("building an index",
                               [&] { return IndexAccess::build(column, spec, options); });
}

Index load(const std::filesystem::path& path, const LoadOptions& options) {
  return explain_out_of_memory("loading an index", [&] {
    return IndexAccess::load(read_index_file(path.string(), options.verify), options.device_memory);
  });
}

Index deserialize(std::span<const std::byte> bytes, const LoadOptions& options) {
  return explain_out_of_memory("loading an index", [&] {
    Array<std::byte> copy(bytes.size());
    if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
    return IndexAccess::load(read_index_bytes(std::move(copy), options.verify),
                             options.device_memory);
  });
}

Index Index::copy() const {
  return explain_out_of_memory("copying an index", [&] {
    const auto lock = state_->lock_for_reading();
    Index copy = IndexAccess::load(read_index_bytes(state_->container(), Verify::quick),
                                   state_->structure->device_memory());
    copy.state_->file.clear();
    copy.state_->loaded = "copied in memory";
    return copy;
  });
}

}  // namespace rtindex
