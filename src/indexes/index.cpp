#include <rtindex/index.hpp>

#include <cstring>
#include <utility>

#include "answers/answers.hpp"
#include "answers/request.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "execution/neighbours.hpp"
#include "indexes/catalog.hpp"
#include "indexes/index_state.hpp"
#include "storage/index_file.hpp"

namespace rtindex {

namespace {

constexpr const char* describing = "describing an index";

AnswerSet answers_of(const Outputs& outputs) { return request_into({}, outputs).answers; }

}  // namespace

Index::Index(std::unique_ptr<State> state) : state_(std::move(state)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

Answers Index::lookup(const ColumnView& keys, const LookupOptions& options) const {
  return state_->answer({keys, keys, LookupKind::point}, options);
}

Answers Index::range(const ColumnView& lower, const ColumnView& upper,
                     const LookupOptions& options) const {
  return state_->answer({lower, upper, LookupKind::range}, options);
}

Answers Index::nearest(const ColumnView& keys, const NearestOptions& nearest,
                       const LookupOptions& options) const {
  return state_->answer({keys, keys, LookupKind::nearest, nearest}, options);
}

void Index::lookup_into(const ColumnView& keys, const LookupOptions& options,
                        const Outputs& outputs) const {
  state_->answer_into({keys, keys, LookupKind::point}, options, outputs);
}

void Index::range_into(const ColumnView& lower, const ColumnView& upper,
                       const LookupOptions& options, const Outputs& outputs) const {
  state_->answer_into({lower, upper, LookupKind::range}, options, outputs);
}

void Index::nearest_into(const ColumnView& keys, const NearestOptions& nearest,
                         const LookupOptions& options, const Outputs& outputs) const {
  state_->answer_into({keys, keys, LookupKind::nearest, nearest}, options, outputs);
}

bool Index::State::supports(const Version& now, Answer answer, LookupKind kind) {
  const Structure& structure = *now.main().structure;
  if (kind == LookupKind::nearest)
    return structure.keeps_order() &&
           structure.supports(answer == Answer::key ? Answer::any : answer, LookupKind::point);
  return answer != Answer::key && structure.supports(answer, kind);
}

void Index::State::require_supported(const Version& now, const LookupOptions& options,
                                     AnswerSet answers, LookupKind kind) const {
  if (options.order != RowOrder::any && !now.main().structure->keeps_order())
    fail(ErrorKind::unsupported,
         "{} does not keep its keys in order and cannot return rows in it: use rx, sorted or "
         "btree",
         spec.text());
  if (answers.empty()) answers = Answer::any;  // only the matched bitmap is wanted
  for (const Answer answer : all_answers())
    if (answers.has(answer) && !supports(now, answer, kind))
      fail(ErrorKind::unsupported,
           "{} cannot answer {} lookups with '{}': `rtindex indexes` shows which index can",
           spec.text(), name_of(kind), name_of(answer));
}

void Index::State::start_counting(const Version& now, const LookupOptions& options) const {
  const Structure& structure = *now.main().structure;
  if (options.counters != nullptr && !structure.counts_work())
    fail(ErrorKind::unsupported, "{} does not count its work: leave counters out, or use rx",
         spec.text());
  if (options.launch_ms != nullptr && !structure.times_rays())
    fail(ErrorKind::unsupported, "{} does not time its rays: leave launch_ms out, or use rx:optix",
         spec.text());
  if (options.counters != nullptr) *options.counters = {};
  if (options.launch_ms != nullptr) *options.launch_ms = 0;
}

Index::State::ResolvedOptions Index::State::with_values(const Version& now,
                                                        const LookupOptions& options,
                                                        AnswerSet answers) const {
  const std::size_t rows = now.rows();
  ResolvedOptions resolved{options};
  if (!answers.has_any_of(Answer::sum | Answer::min | Answer::max)) return resolved;
  const ColumnView& own = options.values;
  const std::optional<Type> included = now.main().structure->included();
  if (own.given() || (!included && rows == 0)) {
    require_values(own, rows);
    require_reachable(own, "values");
  } else if (included) {
    resolved.options.values = ColumnView::of(*included, nullptr, rows);
    resolved.included = true;
  } else {
    fail(
        "sum, min and max need a value column: pass one value per row of the column, or build "
        "the index with included values");
  }
  return resolved;
}

void Index::State::require_reachable(const ColumnView& column, const char* what) const {
  if (column.memory_space() == MemorySpace::device && !backend->on_gpu())
    fail(
        "the {} are in device memory, which {} cannot read: copy them to host memory, or use an "
        "index on the GPU (@cuda)",
        what, spec.text());
}

void Index::State::require_lookups(const Version& now, const Question& question) const {
  const auto& [lower, upper, kind, nearest, ignored] = question;
  require_reachable(lower, "lookups");
  require_reachable(upper, "lookups");
  if (lower.given()) require_comparable(now, lower);
  if (kind == LookupKind::nearest) {
    require_whole_keys(now, lower);
    static_cast<void>(require_nearest(*now.main().codec, nearest));
  }
  if (&lower == &upper || !upper.given()) return;
  require_comparable(now, upper);
  if (!lower.given()) return;
  if (lower.memory_space() != upper.memory_space())
    fail("the lower ends are in {} memory and the upper ends in {} memory: copy one of them",
         name_of(lower.memory_space()), name_of(upper.memory_space()));
  if (lower.size() != upper.size())
    fail("expected as many upper ends as lower ends, got {} lower and {} upper", lower.size(),
         upper.size());
}

void Index::State::require_whole_keys(const Version& now, const ColumnView& keys) const {
  require_comparable(now, keys);
  const std::size_t parts = now.main().codec->part_types().size();
  if (keys.type() == Type::composite && keys.parts().size() != parts)
    fail("the keys have {} parts but the composite column has {}: pass a value for each part",
         keys.parts().size(), parts);
}

void Index::State::run(const Version& now, const Question& question, Request request) const {
  if (question.kind == LookupKind::nearest)
    return backend->answer_nearest(now.segments, question.lower, question.nearest, request);
  request.ends.null_upper_is_none = question.null_upper_is_none;
  if (question.kind == LookupKind::point) request.ends = {};
  // A composite key of fewer parts than the column matches every key that begins with it: a range.
  const bool is_prefix = question.lower.type() == Type::composite &&
                         question.lower.parts().size() < now.main().codec->part_types().size();
  const LookupKind kind = is_prefix ? LookupKind::range : question.kind;
  if (is_prefix) require_supported(now, {}, request.answers, kind);
  for (const Segment& segment : now.segments)
    segment.structure->require_answerable(
        LookupBatch(*segment.codec, question.lower, question.upper, kind, request.ends));
  backend->answer(now.segments, question.lower, question.upper, kind, request);
}

Answers Index::State::answer(Question question, const LookupOptions& options) const {
  return explain_out_of_memory("answering a batch", [&] {
    if (options.answers.empty() && !options.matched)
      fail("no answer requested: choose any, first, count, sum, min, max or rows");
    const Reading now = read();
    require_lookups(*now, question);
    const ResolvedOptions resolved = with_values(*now, options, options.answers);
    require_supported(*now, options, options.answers, question.kind);
    start_counting(*now, options);
    Answers answers;
    threads->run([&] {
      AnswersAccess access(resolved.options, question.size());
      access.request().included = resolved.included;
      run(*now, question, access.request());
      answers = access.finish();
    });
    return answers;
  });
}

void Index::State::answer_into(Question question, const LookupOptions& options,
                               const Outputs& outputs) const {
  explain_out_of_memory("answering a batch", [&] {
    const AnswerSet answers = answers_of(outputs);
    const std::size_t lookups = question.size();
    if (answers.empty() && outputs.matched == nullptr && lookups != 0)
      fail("no answer requested: set at least one output buffer");
    if (outputs.rows != nullptr && outputs.offsets == nullptr)
      fail("rows requested without offsets: pass a buffer of (number of lookups + 1) offsets");
    if (outputs.memory_space == MemorySpace::device && !backend->on_gpu())
      fail(
          "the output buffers are in device memory, which {} cannot write: use an index on the GPU "
          "(@cuda)",
          spec.text());
    const Reading now = read();
    require_lookups(*now, question);
    if (outputs.key != nullptr && !is_native(now->main().codec->type()))
      fail("keys of type {} do not fit a buffer: take them from the Answers of nearest()",
           name_of(now->main().codec->type()));
    const ResolvedOptions resolved = with_values(*now, options, answers);
    require_supported(*now, options, answers, question.kind);
    start_counting(*now, options);
    threads->run([&] {
      Request request = request_into(resolved.options, outputs);
      request.included = resolved.included;
      if (outputs.memory_space == MemorySpace::device) return run(*now, question, request);
      if (outputs.matched != nullptr) std::memset(outputs.matched, 0, (lookups + 7) / 8);
      RowsInto rows_into(request, lookups);
      run(*now, question, request);
      rows_into.finish();
    });
  });
}

void Index::State::require_comparable(const Version& now, const ColumnView& lookups) const {
  now.main().codec->require_comparable(lookups);
  const auto require_unit = [](TimeUnit given, TimeUnit expected) {
    if (given != expected && given != TimeUnit::unspecified && expected != TimeUnit::unspecified)
      fail("the column counts time in {} and the lookups in {}: convert the lookups",
           name_of(expected), name_of(given));
  };
  require_unit(lookups.time_unit(), time_unit);
  for (std::size_t i = 0; i < part_time_units.size() && i < lookups.parts().size(); ++i)
    require_unit(lookups.parts()[i].time_unit(), part_time_units[i]);
}

std::uint32_t Index::insert(const ColumnView& keys, const ColumnView& values, Stream stream) {
  return explain_out_of_memory("inserting rows",
                               [&] { return state_->insert(keys, values, stream); });
}

void Index::erase(const ColumnView& rows, Stream stream) {
  explain_out_of_memory("erasing rows", [&] { state_->erase(rows, stream); });
}

std::size_t Index::erase_keys(const ColumnView& keys, Stream stream) {
  return explain_out_of_memory("erasing rows", [&] { return state_->erase_keys(keys, stream); });
}

void Index::update(const ColumnView& rows, const ColumnView& new_keys, Stream stream) {
  explain_out_of_memory("updating an index", [&] { state_->update(rows, new_keys, stream); });
}

void Index::set_included(const ColumnView& rows, const ColumnView& values, Stream stream) {
  explain_out_of_memory("updating an index", [&] { state_->set_included(rows, values, stream); });
}

void Index::merge() {
  explain_out_of_memory("merging an index", [&] { state_->merge(); });
}

void Index::save(const std::filesystem::path& path) const {
  explain_out_of_memory("saving an index", [&] {
    const State::Reading now = state_->read();
    state_->threads->run([&] { write_index_file(path.string(), state_->stored(*now)); });
  });
}

std::vector<std::byte> Index::serialize() const {
  return explain_out_of_memory("serializing an index", [&] {
    const Array<std::byte> bytes = state_->container();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

void Index::set_metadata(const std::string& name, std::string text) {
  explain_out_of_memory("storing metadata", [&] {
    if (!is_storable_text(name) || !is_storable_text(text))
      fail("metadata must be UTF-8: encode other bytes, in base64 for instance");
    if (text.empty())
      state_->metadata.erase(name);
    else
      state_->metadata.insert_or_assign(name, std::move(text));
  });
}

const std::map<std::string, std::string>& Index::metadata() const { return state_->metadata; }

std::size_t Index::size() const { return state_->read()->rows(); }

std::size_t Index::live() const { return state_->read()->live(); }

Type Index::type() const { return state_->read()->main().codec->type(); }

std::vector<Type> Index::part_types() const {
  return explain_out_of_memory(describing,
                               [&] { return state_->read()->main().codec->part_types(); });
}

TimeUnit Index::time_unit() const { return state_->time_unit; }

std::vector<TimeUnit> Index::part_time_units() const {
  return explain_out_of_memory(describing,
                               [&] { return std::vector<TimeUnit>(state_->part_time_units); });
}

TimeUnit Index::included_time_unit() const { return state_->included_time_unit; }

std::optional<Type> Index::included() const { return state_->read()->main().structure->included(); }

Spec Index::spec() const {
  return explain_out_of_memory(describing, [&] { return Spec(state_->spec); });
}

MemoryUsage Index::memory_usage() const {
  return explain_out_of_memory(describing, [&] { return state_->memory_usage(); });
}

std::vector<std::pair<std::string, double>> Index::build_profile() const {
  return explain_out_of_memory(describing,
                               [&] { return state_->read()->main().structure->build_profile(); });
}

std::string Index::describe() const {
  return explain_out_of_memory(describing, [&] { return state_->describe(); });
}

bool Index::supports(Answer answer, LookupKind kind) const {
  return State::supports(*state_->read(), answer, kind);
}

class IndexAccess {
 public:
  static Index build(const ColumnView& column, const Spec& spec, const BuildOptions& options) {
    if (column.size() > max_rows)
      fail("the column has {} rows, and an index holds at most 2^32 - 1: split the column",
           column.size());
    auto state = std::make_unique<Index::State>();
    ResolvedSpec resolved = resolve(spec);
    state->spec = std::move(resolved.spec);
    state->backend = resolved.backend;
    state->threads = std::make_shared<ThreadLimit>(threads_of(state->spec));
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
    const std::shared_ptr<DeviceMemory> memory = state_->read()->main().structure->device_memory();
    Index copy = IndexAccess::load(read_index_bytes(state_->container(), Verify::quick), memory);
    copy.state_->file.clear();
    copy.state_->loaded = "copied in memory";
    return copy;
  });
}

}  // namespace rtindex
