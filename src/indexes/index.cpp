#include <rtindex/index.hpp>

#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "indexes/catalog.hpp"
#include "indexes/index_state.hpp"

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
    state_->codec->require_comparable(new_keys);
    if (rows.empty()) return;
    state_->threads->run([&] { state_->update(rows, new_keys, stream); });
    if (!state_->file.empty())
      state_->loaded = fmt::format("from {}, updated in memory since", state_->file);
  });
}

void Index::save(const std::filesystem::path& path) const {
  explain_out_of_memory("saving an index", [&] {
    const auto lock = state_->lock_for_reading();
    state_->threads->run([&] { state_->save(path.string()); });
  });
}

std::size_t Index::size() const { return state_->rows; }

Type Index::type() const {
  const auto lock = state_->lock_for_reading();
  return state_->codec->type();
}

std::vector<Type> Index::part_types() const {
  const auto lock = state_->lock_for_reading();
  return state_->codec->part_types();
}

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
  static Index build(const ColumnView& column, const Spec& spec, const ColumnView* include,
                     Stream stream) {
    if (column.size() > max_rows)
      fail("the column has {} rows, and an index holds at most 2^32 - 1: split the column",
           column.size());
    auto state = std::make_unique<Index::State>();
    const bool in_order = include != nullptr || !is_native(column.type());
    state->spec = resolve(spec, in_order ? KeysIn::key_order : KeysIn::any_order);
    state->rows = column.size();
    state->threads = std::make_unique<ThreadLimit>(threads_of(state->spec));
    state->build(column, include, stream);
    return Index(std::move(state));
  }

  static Index load(const std::filesystem::path& path, Verify verify) {
    auto state = std::make_unique<Index::State>();
    state->load(path.string(), verify);
    return Index(std::move(state));
  }

  static TickUnits& tick_units(const Index& index) { return index.state_->tick_units; }
};

Index build(const ColumnView& column, const Spec& spec, Stream stream) {
  return explain_out_of_memory("building an index",
                               [&] { return IndexAccess::build(column, spec, nullptr, stream); });
}

Index build(const ColumnView& column, const Spec& spec, const Include& included, Stream stream) {
  return explain_out_of_memory("building an index", [&] {
    return IndexAccess::build(column, spec, &included.values, stream);
  });
}

Index load(const std::filesystem::path& path, Verify verify) {
  return explain_out_of_memory("loading an index", [&] { return IndexAccess::load(path, verify); });
}

TickUnits tick_units(const Index& index) { return IndexAccess::tick_units(index); }

void set_tick_units(Index& index, TickUnits units) {
  IndexAccess::tick_units(index) = std::move(units);
}

}  // namespace rtindex
