#include "index/index_state.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "answers/request.hpp"
#include "base/array.hpp"
#include "base/error.hpp"
#include "engine/index_options.hpp"
#include "file/index_file.hpp"
#include "file/stored.hpp"

namespace rtindex {

namespace {

// The spec of a saved index, whose kind this build may not contain.
ResolvedSpec spec_in(const FileReader& file) {
  const std::string& text = file.text("spec");
  try {
    return resolve(Spec(text));
  } catch (const Error& error) {
    fail(error.kind(), "{} holds the index '{}', which is not available here: {}", file.file(),
         text, error.what());
  }
}

}  // namespace

void Index::State::require_key_order() const {
  if (engine.keeps_key_order) return;
  fail(ErrorKind::unsupported,
       "{} cannot include values, because it does not keep its keys in order: {}use rx:native, "
       "sorted or btree",
       kind->name(),
       find_option("bucket", kind->options) == nullptr ? "" : "add bucket=16 to sort them, or ");
}

std::shared_ptr<const Version> Index::State::current() const {
  const std::lock_guard lock(version_mutex_);
  return version_;
}

Index::State::Reading Index::State::read() const {
  Reading reading;
  if (engine.refits) {
    const std::lock_guard passing(turnstile_);
    reading.lock = std::shared_lock(refit_mutex_);
  }
  reading.version = current();
  return reading;
}

void Index::State::publish(std::shared_ptr<const Version> next) {
  // The old version may be freed here, which takes a while: not under the lock.
  const std::lock_guard lock(version_mutex_);
  version_.swap(next);
}

void Index::State::set_spec(ResolvedSpec resolved, const std::shared_ptr<DeviceMemory>& memory) {
  spec = std::move(resolved.spec);
  kind = resolved.kind;
  engine = kind->bind(spec, memory);
  const IndexOptions options = IndexOptions::from(spec);
  threads = std::make_shared<ThreadLimit>(options.threads);
  max_delta = options.delta.value_or(engine.default_delta);
}

void Index::State::require_include(const IncludedColumns& include, std::size_t rows) const {
  const std::span<const IncludedColumn> columns = include.columns();
  if (columns.empty()) return;
  require_key_order();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].name;
    if (name.empty() && columns.size() > 1)
      fail("included column {} of {} has no name: name each of them", i + 1, columns.size());
    if (!is_storable_text(name))
      fail("names of included columns must be UTF-8: rename column {}", i + 1);
    for (std::size_t j = 0; j < i; ++j)
      if (columns[j].name == name)
        fail("two included columns are named '{}': pass a different name for each", name);
    require_values(columns[i].values, rows);
    require_reachable(columns[i].values, "values");
  }
}

void Index::State::build(const ColumnView& column, const BuildOptions& options) {
  require_reachable(column, "keys");
  if (column.are_points() && !engine.indexes_points)
    fail(ErrorKind::unsupported, "{} cannot index points: build the index as rx:native",
         spec.text());
  require_include(options.include, column.size());
  time_unit = column.time_unit();
  scale = column.scale();
  for (const ColumnView& part : column.parts()) {
    part_time_units.push_back(part.time_unit());
    part_scales.push_back(part.scale());
  }
  for (const auto& [name, values] : options.include.columns())
    included.push_back({name, values.type(), values.time_unit(), values.scale()});
  auto first = std::make_shared<Version>();
  threads->run([&] {
    NewSegment built = engine.segments->build(column, options);
    first->segments.push_back(std::move(built.segment));
    first->states = {column.size(), nullptr, std::move(built.nulls)};
  });
  publish(std::move(first));
}

namespace {

void save_bitmap(FileWriter& file, std::string_view name, const RowBitmapPtr& bitmap) {
  if (bitmap == nullptr) return;
  file.number(fmt::format("{}_rows", name), bitmap->bits().rows);
  file.array(name, bitmap->words());
}

}  // namespace

Stored Index::State::stored(const Version& now) const {
  Stored stored;
  FileWriter writer(stored);
  writer.text("spec", spec.text());
  writer.text("type", std::string(name_of(now.main().codec->type())));
  writer.text("time_unit", std::string(name_of(time_unit)));
  for (std::size_t i = 0; i < part_time_units.size(); ++i)
    writer.text(fmt::format("part_time_unit{}", i), std::string(name_of(part_time_units[i])));
  writer.text("scale", fmt::format("{}", scale));
  for (std::size_t i = 0; i < part_scales.size(); ++i)
    writer.text(fmt::format("part_scale{}", i), fmt::format("{}", part_scales[i]));
  for (std::size_t i = 0; i < included.size(); ++i) {
    writer.text(fmt::format("included_name{}", i), included[i].name);
    writer.text(fmt::format("included_time_unit{}", i),
                std::string(name_of(included[i].time_unit)));
    writer.text(fmt::format("included_scale{}", i), fmt::format("{}", included[i].scale));
  }
  for (const auto& [name, text] : metadata()) writer.part("metadata").text(name, text);
  writer.number("rows", now.rows());
  save_bitmap(writer, "erased", now.states.erased);
  save_bitmap(writer, "nulls", now.states.nulls);
  writer.number("segments", now.segments.size());
  for (std::size_t i = 0; i < now.segments.size(); ++i) {
    FileWriter part = writer.part(fmt::format("segment{}", i));
    now.segments[i].codec->save(part.part("codec"));
    now.segments[i].searcher->save(part.part("structure"));
    save_bitmap(part, "deleted", now.segments[i].deleted);
  }
  return stored;
}

std::map<std::string, std::string> Index::State::metadata() const {
  const std::lock_guard lock(metadata_mutex_);
  return metadata_;
}

void Index::State::set_metadata(const std::string& name, std::string text) {
  if (!is_storable_text(name) || !is_storable_text(text))
    fail("metadata must be UTF-8: encode other bytes, in base64 for instance");
  const std::lock_guard lock(metadata_mutex_);
  if (text.empty())
    metadata_.erase(name);
  else
    metadata_.insert_or_assign(name, std::move(text));
}

Array<std::byte> Index::State::container() const {
  Array<std::byte> bytes;
  const Reading now = read();
  threads->run([&] { bytes = write_index_bytes(stored(*now)); });
  return bytes;
}

void Index::State::load(const Stored& stored, const std::shared_ptr<DeviceMemory>& memory) {
  const FileReader reader(stored);
  set_spec(spec_in(reader), memory);
  const auto unit_in = [&](const std::string& name) {
    try {
      return time_unit_named(reader.text(name));
    } catch (const Error& error) {
      reader.reject("{}", error.what());
    }
  };
  time_unit = unit_in("time_unit");
  const auto scale_in = [&](const std::string& name) -> int {
    const std::string& text = reader.text(name);
    std::int8_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end) reader.reject("{} is '{}'", name, text);
    return number;
  };
  scale = scale_in("scale");
  metadata_ = reader.part("metadata").texts();
  auto opened = std::make_shared<Version>();
  opened->states.rows = reader.number("rows", max_rows);
  file = stored.file;
  threads->run([&] { load_segments(reader, *opened); });
  for (std::size_t i = 0; i < opened->main().codec->part_types().size(); ++i) {
    part_time_units.push_back(unit_in(fmt::format("part_time_unit{}", i)));
    part_scales.push_back(scale_in(fmt::format("part_scale{}", i)));
  }
  for (const IncludedValuesInfo& column : opened->main().searcher->included()) {
    const std::size_t number = included.size();
    included.push_back({reader.text(fmt::format("included_name{}", number)), column.type,
                        unit_in(fmt::format("included_time_unit{}", number)),
                        scale_in(fmt::format("included_scale{}", number))});
  }
  publish(std::move(opened));
}

namespace {

// Whether two segments can belong to one index.
bool is_alike(const Segment& a, const Segment& b) {
  return a.codec->type() == b.codec->type() && a.codec->part_types() == b.codec->part_types() &&
         std::ranges::equal(a.searcher->included(), b.searcher->included(), {},
                            &IncludedValuesInfo::type, &IncludedValuesInfo::type);
}

}  // namespace

void Index::State::load_segments(const FileReader& reader, Version& opened) {
  RowStates& states = opened.states;
  const auto bitmap_in = [&](const FileReader& part, const std::string& name) -> RowBitmapPtr {
    if (!part.has(name + "_rows")) return nullptr;
    const std::size_t rows = part.number(name + "_rows", states.rows);
    return engine.segments->load_bitmap(part.array<std::uint32_t>(name, RowBits::words_of(rows)),
                                        rows);
  };
  const auto load_segment = [&](const FileReader& part) {
    Segment segment;
    segment.codec = KeyCodec::from_file(part.part("codec"), states.rows);
    LoadedSearcher opened_searcher =
        engine.segments->load(part.part("structure"), *segment.codec, states.rows);
    segment.searcher = std::move(opened_searcher.searcher);
    loaded = fmt::format(
        "{} {}", opened_searcher.rebuilt ? "rebuilt from the column in" : "mapped from", file);
    segment.deleted = bitmap_in(part, "deleted");
    if (!opened.segments.empty() && !is_alike(segment, opened.main()))
      reader.reject("its segments have keys or values of different types");
    opened.segments.push_back(std::move(segment));
  };
  const std::uint64_t segments = reader.number("segments", states.rows + 1);
  if (segments == 0) reader.reject("it has no segments");
  for (std::uint64_t i = 0; i < segments; ++i)
    load_segment(reader.part(fmt::format("segment{}", i)));
  states.erased = bitmap_in(reader, "erased");
  states.nulls = bitmap_in(reader, "nulls");
  if (count_of(states.erased) + count_of(states.nulls) > states.rows)
    reader.reject("it has more erased and null rows than rows");
}

}  // namespace rtindex
