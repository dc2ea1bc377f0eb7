#include <rtindex/index.hpp>

#include <cstring>
#include <utility>

#include "base/call_control.hpp"
#include "base/error.hpp"
#include "file/index_file.hpp"
#include "index/index_state.hpp"
#include "index/narrow_values.hpp"
#include "keys/interval_codec.hpp"

namespace rtindex {

namespace {

constexpr const char* describing = "describing an index";

}  // namespace

Index::Index(std::unique_ptr<State> state) : state_(std::move(state)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

std::uint32_t Index::insert(const ColumnView& keys, const IncludedColumns& values, Stream stream) {
  return run_call("inserting rows",
                  [&] { return state_->insert(keys, NarrowColumns(values).columns(), stream); });
}

void Index::erase(const ColumnView& rows, Stream stream) {
  run_call("erasing rows", [&] { state_->erase(rows, stream); });
}

std::size_t Index::erase_keys(const ColumnView& keys, Stream stream) {
  return run_call("erasing rows", [&] { return state_->erase_keys(keys, stream); });
}

void Index::update(const ColumnView& rows, const ColumnView& new_keys, Stream stream) {
  run_call("updating an index", [&] { state_->update(rows, new_keys, stream); });
}

void Index::set_included(const ColumnView& rows, const ColumnView& values, const std::string& name,
                         Stream stream) {
  run_call("updating an index",
           [&] { state_->set_included(rows, NarrowValues(values).view(), name, stream); });
}

void Index::merge() {
  run_call("merging an index", [&] { state_->merge(); });
}

void Index::save(const std::filesystem::path& path) const {
  run_call("saving an index", [&] {
    const State::Reading now = state_->read();
    state_->threads->run([&] { write_index_file(path.string(), state_->stored(*now)); });
  });
}

std::vector<std::byte> Index::serialize() const {
  return run_call("serializing an index", [&] {
    const Array<std::byte> bytes = state_->container();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

void Index::set_metadata(const std::string& name, std::string text) {
  explain_out_of_memory("storing metadata", [&] { state_->set_metadata(name, std::move(text)); });
}

std::map<std::string, std::string> Index::metadata() const {
  return explain_out_of_memory(describing, [&] { return state_->metadata(); });
}

std::size_t Index::size() const { return state_->read()->rows(); }

std::size_t Index::valid() const { return state_->read()->valid(); }

Type Index::type() const { return state_->read()->main().codec->type(); }

std::vector<Type> Index::part_types() const {
  return explain_out_of_memory(describing,
                               [&] { return state_->read()->main().codec->part_types(); });
}

bool Index::holds_points() const { return state_->read()->main().codec->are_points(); }

std::optional<Ends> Index::interval_ends() const {
  const State::Reading now = state_->read();
  const IntervalCodec* const intervals = interval_codec(*now->main().codec);
  return intervals == nullptr ? std::nullopt : std::optional(intervals->ends());
}

TimeUnit Index::time_unit() const { return state_->time_unit; }

std::vector<TimeUnit> Index::part_time_units() const {
  return explain_out_of_memory(describing,
                               [&] { return std::vector<TimeUnit>(state_->part_time_units); });
}

int Index::scale() const { return state_->scale; }

std::vector<int> Index::part_scales() const {
  return explain_out_of_memory(describing, [&] { return std::vector<int>(state_->part_scales); });
}

std::vector<IncludedType> Index::included() const {
  return explain_out_of_memory(describing,
                               [&] { return std::vector<IncludedType>(state_->included); });
}

Spec Index::spec() const {
  return explain_out_of_memory(describing, [&] { return Spec(state_->spec); });
}

MemoryUsage Index::memory_usage() const {
  return explain_out_of_memory(describing, [&] { return state_->memory_usage(); });
}

std::vector<std::pair<std::string, double>> Index::build_profile() const {
  return explain_out_of_memory(
      describing, [&] { return std::vector(state_->read()->main().searcher->build_profile()); });
}

std::string Index::describe() const {
  return explain_out_of_memory(describing, [&] { return state_->describe(); });
}

bool Index::supports(Answer answer, QueryKind kind) const {
  return state_->supports(*state_->read(), answer, kind);
}

class IndexAccess {
 public:
  static Index build(const ColumnView& column, const Spec& spec, const BuildOptions& options) {
    if (column.size() > max_rows)
      fail("the column has {} rows, and an index holds at most 2^32 - 1: split the column",
           column.size());
    auto state = std::make_unique<Index::State>();
    state->set_spec(resolve(spec), options.device_memory);
    const NarrowColumns include(options.include);
    BuildOptions narrow = options;
    narrow.include = include.columns();
    state->build(column, narrow);
    return Index(std::move(state));
  }

  static Index load(const Stored& stored, const std::shared_ptr<DeviceMemory>& memory) {
    auto state = std::make_unique<Index::State>();
    state->load(stored, memory);
    return Index(std::move(state));
  }
};

Index build(const ColumnView& column, const Spec& spec, const BuildOptions& options) {
  return run_call("building an index", &options.control,
                  [&] { return IndexAccess::build(column, spec, options); });
}

Index load(const std::filesystem::path& path, const LoadOptions& options) {
  return run_call("loading an index", &options.control, [&] {
    return IndexAccess::load(read_index_file(path.string(), options.verify), options.device_memory);
  });
}

Index deserialize(std::span<const std::byte> bytes, const LoadOptions& options) {
  return run_call("loading an index", &options.control, [&] {
    Array<std::byte> copy(bytes.size());
    if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
    return IndexAccess::load(read_index_bytes(std::move(copy), options.verify),
                             options.device_memory);
  });
}

Index Index::copy() const {
  return run_call("copying an index", [&] {
    Index copy = IndexAccess::load(read_index_bytes(state_->container(), Verify::quick),
                                   state_->engine.device_memory);
    copy.state_->file.clear();
    copy.state_->loaded = "copied in memory";
    return copy;
  });
}

}  // namespace rtindex
