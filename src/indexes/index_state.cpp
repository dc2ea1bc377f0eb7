#include "indexes/index_state.hpp"

#include <cstring>
#include <utility>

#include "answers/answers.hpp"
#include "answers/value_column.hpp"
#include "base/error.hpp"
#include "base/stored.hpp"
#include "base/types.hpp"
#include "indexes/catalog.hpp"
#include "storage/index_file.hpp"

namespace rtindex {

namespace {

AnswerSet answers_of(const Outputs& outputs) { return request_into({}, outputs).answers; }

// The spec of a saved index, which another build of the library might not know.
Spec spec_in(const FileReader& file) {
  const std::string& text = file.text("spec");
  try {
    return resolve(Spec(text));
  } catch (const Error& error) {
    fail("{} holds the index '{}', which cannot be used here: {}", file.file(), text, error.what());
  }
}

}  // namespace

void Index::State::require_supported(AnswerSet answers, LookupKind kind) const {
  if (answers.empty()) answers = Answer::any;  // only the matched bitmap is wanted
  for (const Answer answer : all_answers())
    if (answers.has(answer) && !structure->supports(answer, kind))
      fail("{} cannot answer {} lookups with '{}': `rtindex indexes` shows which index can",
           spec.text(), name_of(kind), name_of(answer));
}

void Index::State::start_counting(const LookupOptions& options) const {
  if (options.counters != nullptr && !structure->counts_work())
    fail("{} does not count its work: leave counters out, or use rx", spec.text());
  if (options.launch_ms != nullptr && !structure->times_rays())
    fail("{} does not time its rays: leave launch_ms out, or use rx:optix", spec.text());
  if (options.counters != nullptr) *options.counters = {};
  if (options.launch_ms != nullptr) *options.launch_ms = 0;
}

Index::State::Valued Index::State::with_values(const LookupOptions& options,
                                               AnswerSet answers) const {
  Valued valued{options};
  if (!answers.has_any_of(Answer::sum | Answer::min | Answer::max)) return valued;
  const ColumnView& own = options.values;
  const std::optional<Type> included = structure->included();
  if (own.given() || (!included && rows == 0)) {
    require_values(own, rows);
    require_reachable(own, "values");
  } else if (included) {
    valued.options.values = ColumnView::of(*included, nullptr, rows);
    valued.included = true;
  } else {
    fail(
        "sum, min and max need a value column: pass one value per row of the column, or build "
        "the index with included values");
  }
  return valued;
}

void Index::State::require_reachable(const ColumnView& column, const char* what) const {
  if (column.memory_space() == MemorySpace::device && !on_device(spec))
    fail(
        "the {} are in device memory, which {} cannot read: copy them to the host, or use an "
        "index on the GPU (@cuda)",
        what, spec.text());
}

void Index::State::require_lookups(const ColumnView& lower, const ColumnView& upper) const {
  require_reachable(lower, "lookups");
  require_reachable(upper, "lookups");
  if (lower.memory_space() != upper.memory_space())
    fail("one end of the ranges is in host memory and the other in device memory: move one");
  codec->require_comparable(lower);
  if (&lower == &upper) return;
  codec->require_comparable(upper);
  if (lower.size() != upper.size())
    fail("{} lower ends but {} upper ends were given: a range lookup needs one of each",
         lower.size(), upper.size());
}

Answers Index::State::answer(const ColumnView& lower, const ColumnView& upper, LookupKind kind,
                             const LookupOptions& options) const {
  return explain_out_of_memory("answering a batch", [&] {
    if (options.answers.empty() && !options.matched)
      fail("no answer was asked for: choose any, first, count, sum, min, max or rows");
    const auto lock = lock_for_reading();
    require_lookups(lower, upper);
    const Valued valued = with_values(options, options.answers);
    require_supported(options.answers, kind);
    start_counting(options);
    const LookupBatch batch(*codec, lower, upper, kind);
    Answers answers;
    threads->run([&] {
      structure->require_answerable(batch);
      AnswersAccess access(valued.options, batch.size());
      access.request().included = valued.included;
      structure->run(batch, access.request());
      answers = access.finish();
    });
    return answers;
  });
}

void Index::State::answer_into(const ColumnView& lower, const ColumnView& upper, LookupKind kind,
                               const LookupOptions& options, const Outputs& outputs) const {
  explain_out_of_memory("answering a batch", [&] {
    const AnswerSet answers = answers_of(outputs);
    if (answers.empty() && outputs.matched == nullptr && !lower.empty())
      fail("no answer was asked for: set at least one output buffer");
    if (outputs.rows != nullptr && outputs.offsets == nullptr)
      fail("rows were asked for without offsets: pass a buffer of one offset more than lookups");
    if (outputs.memory_space == MemorySpace::device && !on_device(spec))
      fail(
          "the answers are to go to device memory, which {} cannot write: use an index on the "
          "GPU (@cuda)",
          spec.text());
    const auto lock = lock_for_reading();
    require_lookups(lower, upper);
    const Valued valued = with_values(options, answers);
    require_supported(answers, kind);
    start_counting(options);
    const LookupBatch batch(*codec, lower, upper, kind);
    threads->run([&] {
      structure->require_answerable(batch);
      Request request = request_into(valued.options, outputs);
      request.included = valued.included;
      if (outputs.memory_space == MemorySpace::device) {
        structure->run(batch, request);
        return;
      }
      if (outputs.matched != nullptr) std::memset(outputs.matched, 0, (batch.size() + 7) / 8);
      RowsInto rows_into(request, batch.size());
      structure->run(batch, request);
      rows_into.finish();
    });
  });
}

void Index::State::build(const ColumnView& column, const ColumnView* include, Stream stream) {
  require_reachable(column, "keys");
  if (include != nullptr) {
    require_values(*include, rows);
    require_reachable(*include, "values");
  }
  threads->run([&] {
    if (on_device(spec) && is_native(column.type())) {
      auto [made_codec, made] = build_on_device(spec, column, include, stream);
      codec = std::move(made_codec);
      structure = std::move(made);
      return;
    }
    if (include != nullptr && include->memory_space() == MemorySpace::device)
      wait_for(spec, stream);
    codec = KeyCodec::for_column(column);
    structure = make_structure(
        spec, codec->encode(column), *codec, [&](std::uint32_t row) { return column.text(row); },
        include);
  });
}

void Index::State::save(const std::string& path) const {
  Stored stored;
  FileWriter writer(stored);
  writer.text("spec", spec.text());
  writer.text("type", std::string(name_of(codec->type())));
  writer.text("tick_unit", tick_units.keys);
  if (!tick_units.included.empty()) writer.text("included_unit", tick_units.included);
  writer.number("rows", rows);
  codec->save(writer.part("codec"));
  structure->save(writer.part("structure"));
  write_index_file(path, stored);
}

void Index::State::load(const std::string& path, Verify verify) {
  const Stored stored = read_index_file(path, verify);
  const FileReader reader(stored);
  spec = spec_in(reader);
  threads = std::make_unique<ThreadLimit>(threads_of(spec));
  rows = reader.number("rows", max_rows);
  tick_units.keys = reader.text("tick_unit");
  if (reader.has("included_unit")) tick_units.included = reader.text("included_unit");
  file = path;
  threads->run([&] {
    codec = KeyCodec::from_file(reader.part("codec"), rows);
    auto [made, rebuilt] = load_structure(spec, reader.part("structure"), *codec, rows);
    structure = std::move(made);
    loaded = fmt::format("{} {}", rebuilt ? "rebuilt from the column in" : "mapped from", path);
  });
}

}  // namespace rtindex
