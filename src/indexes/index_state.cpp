#include "indexes/index_state.hpp"

#include <cstring>
#include <utility>

#include "answers/answers.hpp"
#include "answers/request.hpp"
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
    fail(error.kind(), "{} holds the index '{}', which is not available here: {}", file.file(),
         text, error.what());
  }
}

}  // namespace

void Index::State::require_supported(AnswerSet answers, LookupKind kind) const {
  if (answers.empty()) answers = Answer::any;  // only the matched bitmap is wanted
  for (const Answer answer : all_answers())
    if (answers.has(answer) && !structure->supports(answer, kind))
      fail(ErrorKind::unsupported,
           "{} cannot answer {} lookups with '{}': `rtindex indexes` shows which index can",
           spec.text(), name_of(kind), name_of(answer));
}

void Index::State::start_counting(const LookupOptions& options) const {
  if (options.counters != nullptr && !structure->counts_work())
    fail(ErrorKind::unsupported, "{} does not count its work: leave counters out, or use rx",
         spec.text());
  if (options.launch_ms != nullptr && !structure->times_rays())
    fail(ErrorKind::unsupported, "{} does not time its rays: leave launch_ms out, or use rx:optix",
         spec.text());
  if (options.counters != nullptr) *options.counters = {};
  if (options.launch_ms != nullptr) *options.launch_ms = 0;
}

Index::State::ResolvedOptions Index::State::with_values(const LookupOptions& options,
                                                        AnswerSet answers) const {
  ResolvedOptions resolved{options};
  if (!answers.has_any_of(Answer::sum | Answer::min | Answer::max)) return resolved;
  const ColumnView& own = options.values;
  const std::optional<Type> included = structure->included();
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
  if (column.memory_space() == MemorySpace::device && !on_device(spec))
    fail(
        "the {} are in device memory, which {} cannot read: copy them to host memory, or use an "
        "index on the GPU (@cuda)",
        what, spec.text());
}

void Index::State::require_lookups(const ColumnView& lower, const ColumnView& upper) const {
  require_reachable(lower, "lookups");
  require_reachable(upper, "lookups");
  if (lower.memory_space() != upper.memory_space())
    fail("the lower ends are in {} memory and the upper ends in {} memory: copy one of them",
         name_of(lower.memory_space()), name_of(upper.memory_space()));
  require_comparable(lower);
  if (&lower == &upper) return;
  require_comparable(upper);
  if (lower.size() != upper.size())
    fail("expected as many upper ends as lower ends, got {} lower and {} upper", lower.size(),
         upper.size());
}

Answers Index::State::answer(const ColumnView& lower, const ColumnView& upper, LookupKind kind,
                             const LookupOptions& options) const {
  return explain_out_of_memory("answering a batch", [&] {
    if (options.answers.empty() && !options.matched)
      fail("no answer requested: choose any, first, count, sum, min, max or rows");
    const auto lock = lock_for_reading();
    require_lookups(lower, upper);
    const ResolvedOptions resolved = with_values(options, options.answers);
    require_supported(options.answers, kind);
    start_counting(options);
    const LookupBatch batch(*codec, lower, upper, kind);
    Answers answers;
    threads->run([&] {
      structure->require_answerable(batch);
      AnswersAccess access(resolved.options, batch.size());
      access.request().included = resolved.included;
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
      fail("no answer requested: set at least one output buffer");
    if (outputs.rows != nullptr && outputs.offsets == nullptr)
      fail("rows requested without offsets: pass a buffer of (number of lookups + 1) offsets");
    if (outputs.memory_space == MemorySpace::device && !on_device(spec))
      fail(
          "the output buffers are in device memory, which {} cannot write: use an index on the GPU "
          "(@cuda)",
          spec.text());
    const auto lock = lock_for_reading();
    require_lookups(lower, upper);
    const ResolvedOptions resolved = with_values(options, answers);
    require_supported(answers, kind);
    start_counting(options);
    const LookupBatch batch(*codec, lower, upper, kind);
    threads->run([&] {
      structure->require_answerable(batch);
      Request request = request_into(resolved.options, outputs);
      request.included = resolved.included;
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

void Index::State::require_comparable(const ColumnView& lookups) const {
  codec->require_comparable(lookups);
  const auto require_unit = [](TimeUnit given, TimeUnit expected) {
    if (given != expected && given != TimeUnit::unspecified && expected != TimeUnit::unspecified)
      fail("the column counts time in {} and the lookups in {}: convert the lookups",
           name_of(expected), name_of(given));
  };
  require_unit(lookups.time_unit(), time_unit);
  for (std::size_t i = 0; i < part_time_units.size() && i < lookups.parts().size(); ++i)
    require_unit(lookups.parts()[i].time_unit(), part_time_units[i]);
}

void Index::State::build(const ColumnView& column, const BuildOptions& options) {
  require_reachable(column, "keys");
  if (options.include.given()) {
    require_values(options.include, rows);
    require_reachable(options.include, "values");
  }
  time_unit = column.time_unit();
  for (const ColumnView& part : column.parts()) part_time_units.push_back(part.time_unit());
  included_time_unit = options.include.time_unit();
  threads->run([&] {
    if (on_device(spec) && is_native(column.type())) {
      auto [made_codec, made] = build_on_device(spec, column, options);
      codec = std::move(made_codec);
      structure = std::move(made);
      return;
    }
    if (options.include.memory_space() == MemorySpace::device) wait_for(spec, options.stream);
    codec = KeyCodec::for_column(column);
    structure = make_structure(
        spec, codec->encode(column), *codec, [&](std::uint32_t row) { return column.text(row); },
        options);
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
  spec = spec_in(reader);
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
    auto [made, rebuilt] = load_structure(spec, reader.part("structure"), *codec, rows, memory);
    structure = std::move(made);
    file = stored.file;
    loaded = fmt::format("{} {}", rebuilt ? "rebuilt from the column in" : "mapped from", file);
  });
}

}  // namespace rtindex
