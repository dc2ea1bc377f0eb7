#include <rtindex/index.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <shared_mutex>

#include "answers/answers.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "indexes/catalog.hpp"
#include "keys/codec.hpp"
#include "storage/structure.hpp"

namespace rtindex {

namespace {

constexpr std::size_t max_rows = std::numeric_limits<std::uint32_t>::max();

// Containers report a failed allocation without its size; our own arrays name it.
template <class Work>
decltype(auto) explain_out_of_memory(const char* doing, Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    fail("out of memory while {}: free memory, or split the work into smaller batches", doing);
  } catch (const std::length_error&) {
    fail("out of memory while {}: more was asked for than can be addressed", doing);
  }
}

void require_values(const Ask& ask, AnswerSet answers, std::size_t rows) {
  constexpr AnswerSet aggregates = Answer::sum | Answer::min | Answer::max;
  if (!answers.has_any_of(aggregates)) return;
  const ColumnView& values = ask.values;
  if (values.data() == nullptr && values.type() == Type::u64 && values.empty() && rows != 0)
    fail("sum, min and max need a value column: pass one value per row of the column");
  if (!is_native(values.type()))
    fail(
        "the value column is {}: sum, min and max take bool, integers, dates, timestamps and "
        "floats",
        name_of(values.type()));
  if (values.nullable())
    fail(
        "the value column carries a validity bitmap: fill its nulls (with 0 for a sum, say) first");
  if (values.size() != rows)
    fail(
        "the value column has {} values but the indexed column has {} rows: pass one value per "
        "row",
        values.size(), rows);
}

AnswerSet answers_of(const Outputs& outputs) { return request_into({}, outputs).answers; }

void require_distinct(std::span<const std::uint32_t> rows, std::size_t row_count) {
  std::vector<bool> named(row_count, false);
  for (const std::uint32_t row : rows) {
    if (row >= row_count)
      fail("the update names row {} but the column has {} rows", row, row_count);
    if (named[row]) fail("the update names row {} twice: give each row one new key", row);
    named[row] = true;
  }
}

// The column with the changed rows: row rows[i] holds keys[i], or is null where new_keys[i] is.
EncodedColumn patched(const EncodedColumn& column, std::span<const std::uint32_t> rows,
                      std::span<const std::uint64_t> keys, const ColumnView& new_keys,
                      std::uint64_t span) {
  std::vector<std::uint64_t> all(column.row_count, 0);
  std::vector<bool> valid(column.row_count, false);
  for (std::size_t i = 0; i < column.size(); ++i) {
    all[column.row(i)] = column.keys[i];
    valid[column.row(i)] = true;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all[rows[i]] = keys[i];
    valid[rows[i]] = new_keys.valid(i);
  }
  const auto valid_rows = static_cast<std::size_t>(std::count(valid.begin(), valid.end(), true));
  EncodedColumn result;
  result.row_count = column.row_count;
  result.span = span;
  result.keys = PackedKeys(valid_rows, span);
  if (valid_rows != column.row_count) result.rows = Array<std::uint32_t>(valid_rows);
  std::size_t next = 0;
  for (std::size_t row = 0; row < column.row_count; ++row) {
    if (!valid[row]) continue;
    if (!result.rows.empty()) result.rows[next] = static_cast<std::uint32_t>(row);
    result.keys.set(next++, all[row]);
  }
  return result;
}

}  // namespace

struct Index::State {
  Spec spec;
  std::unique_ptr<KeyCodec> codec;
  std::unique_ptr<Structure> structure;
  std::size_t rows = 0;
  std::unique_ptr<ThreadLimit> threads;
  mutable std::shared_mutex mutex;

  void require_supported(AnswerSet answers, LookupKind kind) const {
    for (const Answer answer : all_answers())
      if (answers.has(answer) && !structure->supports(answer, kind))
        fail("{} cannot answer {} lookups with '{}': `rtindex indexes` shows which index can",
             spec.text(), name_of(kind), name_of(answer));
  }

  void require_lookups(const ColumnView& lower, const ColumnView& upper) const {
    codec->require_comparable(lower);
    if (&lower == &upper) return;
    codec->require_comparable(upper);
    if (lower.size() != upper.size())
      fail("{} lower ends but {} upper ends were given: a range lookup needs one of each",
           lower.size(), upper.size());
  }

  [[nodiscard]] Answers answer(const ColumnView& lower, const ColumnView& upper, LookupKind kind,
                               const Ask& ask) const {
    return explain_out_of_memory("answering a batch", [&] {
      if (ask.answers.empty() && !ask.matched)
        fail("no answer was asked for: choose any, first, count, sum, min, max or rows");
      require_lookups(lower, upper);
      require_values(ask, ask.answers, rows);
      const std::shared_lock lock(mutex);
      require_supported(ask.answers, kind);
      const LookupBatch batch(*codec, lower, upper, kind);
      Answers answers;
      threads->run([&] {
        structure->require_answerable(batch);
        AnswersAccess access(ask, batch.size());
        structure->run(batch, access.request());
        answers = access.finish();
      });
      return answers;
    });
  }

  void answer_into(const ColumnView& lower, const ColumnView& upper, LookupKind kind,
                   const Ask& ask, const Outputs& outputs) const {
    explain_out_of_memory("answering a batch", [&] {
      const AnswerSet answers = answers_of(outputs);
      if (answers.empty() && outputs.matched == nullptr)
        fail("no answer was asked for: set at least one output buffer");
      require_lookups(lower, upper);
      require_values(ask, answers, rows);
      const std::shared_lock lock(mutex);
      require_supported(answers, kind);
      const LookupBatch batch(*codec, lower, upper, kind);
      threads->run([&] {
        structure->require_answerable(batch);
        if (outputs.matched != nullptr) std::memset(outputs.matched, 0, (batch.size() + 7) / 8);
        structure->run(batch, request_into(ask, outputs));
      });
    });
  }

  void build(const ColumnView& column) {
    threads->run([&] {
      codec = KeyCodec::for_column(column);
      structure = make_structure(spec, codec->encode(column), *codec,
                                 [&](std::uint32_t row) { return column.text(row); });
    });
  }

  void update(std::span<const std::uint32_t> changed, const ColumnView& new_keys) {
    const KeyText key_text = [&](std::uint32_t row) {
      const auto found = std::find(changed.begin(), changed.end(), row);
      return found == changed.end()
                 ? std::string("(not changed)")
                 : new_keys.text(static_cast<std::size_t>(found - changed.begin()));
    };
    std::vector<std::uint64_t> keys(changed.size(), 0);
    if (const auto span = codec->encode_update(new_keys, keys.data())) {
      bool all_valid = true;
      for (std::size_t i = 0; i < new_keys.size(); ++i) all_valid &= new_keys.valid(i);
      if (!all_valid || !structure->update(changed, keys, *span))
        structure = make_structure(
            spec, patched(structure->column(), changed, keys, new_keys, *span), *codec, key_text);
      codec->set_span(*span);
      return;
    }
    OwnedColumn column = codec->decode(structure->column());
    for (std::size_t i = 0; i < changed.size(); ++i) column.set(changed[i], new_keys, i);
    const ColumnView view = column.view();
    auto new_codec = KeyCodec::for_column(view);
    structure = make_structure(spec, new_codec->encode(view), *new_codec, key_text);
    codec = std::move(new_codec);
  }
};

Index::Index(std::unique_ptr<State> state) : state_(std::move(state)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

Answers Index::lookup(const ColumnView& keys, const Ask& ask) const {
  return state_->answer(keys, keys, LookupKind::point, ask);
}

Answers Index::range(const ColumnView& lower, const ColumnView& upper, const Ask& ask) const {
  return state_->answer(lower, upper, LookupKind::range, ask);
}

void Index::lookup_into(const ColumnView& keys, const Ask& ask, const Outputs& outputs) const {
  state_->answer_into(keys, keys, LookupKind::point, ask, outputs);
}

void Index::range_into(const ColumnView& lower, const ColumnView& upper, const Ask& ask,
                       const Outputs& outputs) const {
  state_->answer_into(lower, upper, LookupKind::range, ask, outputs);
}

void Index::update(std::span<const std::uint32_t> rows, const ColumnView& new_keys) {
  explain_out_of_memory("updating an index", [&] {
    if (rows.size() != new_keys.size())
      fail("the update names {} rows but brings {} keys: pass one key per row", rows.size(),
           new_keys.size());
    state_->codec->require_comparable(new_keys);
    require_distinct(rows, state_->rows);
    if (rows.empty()) return;
    const std::unique_lock lock(state_->mutex);
    state_->threads->run([&] { state_->update(rows, new_keys); });
  });
}

std::size_t Index::size() const { return state_->rows; }

Type Index::type() const { return state_->codec->type(); }

Spec Index::spec() const { return state_->spec; }

Bytes Index::bytes() const {
  const std::shared_lock lock(state_->mutex);
  Bytes bytes = state_->structure->bytes();
  if (const std::size_t residual = state_->codec->bytes(); residual != 0) {
    bytes.parts.emplace_back("full keys", residual);
    bytes.resident += residual;
    bytes.build_peak += residual;
  }
  return bytes;
}

std::string Index::describe() const {
  const Bytes memory = bytes();
  const std::shared_lock lock(state_->mutex);
  std::string text = fmt::format("index: {}\ncolumn: {} rows, {}\n", state_->spec.text(),
                                 state_->rows, state_->codec->describe());
  text += state_->structure->describe();
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
  return state_->structure->supports(answer, kind);
}

class IndexAccess {
 public:
  static Index build(const ColumnView& column, const Spec& spec) {
    if (column.size() > max_rows)
      fail("the column has {} rows, and an index holds at most 2^32 - 1: split the column",
           column.size());
    auto state = std::make_unique<Index::State>();
    state->spec = resolve(spec);
    state->rows = column.size();
    state->threads = std::make_unique<ThreadLimit>(threads_of(state->spec));
    state->build(column);
    return Index(std::move(state));
  }
};

Index build(const ColumnView& column, const Spec& spec) {
  return explain_out_of_memory("building an index",
                               [&] { return IndexAccess::build(column, spec); });
}

}  // namespace rtindex
