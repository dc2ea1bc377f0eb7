#include "answers/request.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "answers/aggregate.hpp"
#include "base/error.hpp"
#include "base/huge_pages.hpp"
#include "base/parallel.hpp"
#include "keys/owned_column.hpp"

namespace rtindex {

namespace {

constexpr std::array answer_list = {Answer::any,  Answer::first, Answer::count,  Answer::sum,
                                    Answer::min,  Answer::max,   Answer::rows,   Answer::key,
                                    Answer::mean, Answer::last,  Answer::bitmap, Answer::bitmaps};

// The buffer of an aggregate in the class of the value type.
void* make_buffer(Aggregates& aggregates, ValueClass value_class, std::size_t lookups) {
  return visit_class(value_class, [&]<class Class>() -> void* {
    auto& buffer = aggregates.emplace<std::vector<Class>>();
    resize_in_huge_pages(buffer, lookups);
    return buffer.data();
  });
}

// Turns counts of rowIDs after a leading 0 into offsets: the prefix sum, in place.
void offsets_from_counts(std::span<std::uint64_t> offsets) {
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
}

// Copies the first `capacity` rowIDs of all chunks.
void join_chunks(const std::vector<std::vector<std::uint32_t>>& chunks,
                 const std::uint64_t* offsets, std::uint32_t* rows, std::size_t capacity) {
  constexpr std::size_t piece = std::size_t{1} << 18;
  parallel_for(chunks.size(), 16, [&](std::size_t first, std::size_t count) {
    for (std::size_t chunk = first; chunk < first + count; ++chunk) {
      const std::uint32_t* const from = chunks[chunk].data();
      const std::uint64_t start = offsets[chunk * chunk_lookups];
      if (start >= capacity) continue;
      std::uint32_t* const to = rows + start;
      parallel_for(std::min<std::size_t>(chunks[chunk].size(), capacity - start), piece,
                   [&](std::size_t begin, std::size_t size) {
                     std::copy_n(from + begin, size, to + begin);
                   });
    }
  });
}

}  // namespace

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::any: return "any";
    case Answer::first: return "first";
    case Answer::count: return "count";
    case Answer::sum: return "sum";
    case Answer::min: return "min";
    case Answer::max: return "max";
    case Answer::rows: return "rows";
    case Answer::key: return "key";
    case Answer::mean: return "mean";
    case Answer::last: return "last";
    case Answer::bitmap: return "bitmap";
    case Answer::bitmaps: return "bitmaps";
  }
  return "unknown";
}

Answer answer_named(std::string_view name) {
  for (const Answer answer : answer_list)
    if (name_of(answer) == name) return answer;
  fail(
      "unknown answer '{}': expected any, first, last, count, sum, mean, min, max, rows, key, "
      "bitmap "
      "or bitmaps",
      name);
}

std::span<const Answer> all_answers() { return answer_list; }

namespace {

constexpr std::array<std::string_view, 9> kind_names = {
    "equal", "range", "prefix", "nearest", "contains", "overlaps", "within", "covers", "box"};
constexpr std::array<std::string_view, 4> ends_names = {"[]", "[)", "(]", "()"};
constexpr std::array<std::string_view, 3> direction_names = {"backward", "forward", "nearest"};

// The enumerator of this name, if there is one.
template <class Enum, std::size_t count>
std::optional<Enum> value_named(const std::array<std::string_view, count>& names,
                                std::string_view name) {
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view name_of(QueryKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

QueryKind query_kind_named(std::string_view name) {
  if (const auto kind = value_named<QueryKind>(kind_names, name)) return *kind;
  fail(
      "unknown kind of query '{}': expected equal, range, prefix or nearest, or of intervals "
      "contains, overlaps, within or covers, or of points box",
      name);
}

std::string_view name_of(Ends ends) { return ends_names[static_cast<std::size_t>(ends)]; }

Ends ends_named(std::string_view name) {
  if (const auto ends = value_named<Ends>(ends_names, name)) return *ends;
  fail("unknown ends '{}': expected [], [), (] or ()", name);
}

std::string_view name_of(Direction direction) {
  return direction_names[static_cast<std::size_t>(direction)];
}

Direction direction_named(std::string_view name) {
  if (const auto direction = value_named<Direction>(direction_names, name)) return *direction;
  fail("unknown direction '{}': expected backward, forward or nearest", name);
}

void Answers::require(Answer answer) const {
  if (!answers_.has(answer))
    fail("the answer '{}' was not requested: add it to AnswerOptions::answers", name_of(answer));
}

void Answers::require_lookup(std::size_t lookup) const {
  if (lookup >= size_) fail("invalid lookup {}: the batch has {} lookups", lookup, size_);
}

std::span<const std::uint32_t> Answers::any() const& {
  require(Answer::any);
  return any_;
}

std::span<const std::uint32_t> Answers::first() const& {
  require(Answer::first);
  return first_;
}

std::span<const std::uint32_t> Answers::last() const& {
  require(Answer::last);
  return last_;
}

std::span<const std::uint32_t> Answers::count() const& {
  require(Answer::count);
  return count_;
}

const Aggregates& Answers::sum() const& {
  require(Answer::sum);
  return sum_;
}

std::span<const double> Answers::mean() const& {
  require(Answer::mean);
  return mean_;
}

const Aggregates& Answers::min() const& {
  require(Answer::min);
  return min_;
}

const Aggregates& Answers::max() const& {
  require(Answer::max);
  return max_;
}

std::span<const std::uint64_t> Answers::offsets() const& {
  require(Answer::rows);
  return offsets_;
}

std::span<const std::uint32_t> Answers::rows() const& {
  require(Answer::rows);
  return rows_;
}

std::span<const std::uint32_t> Answers::rows(std::size_t lookup) const& {
  require(Answer::rows);
  require_lookup(lookup);
  return rows().subspan(offsets_[lookup], offsets_[lookup + 1] - offsets_[lookup]);
}

ColumnView Answers::keys() const& {
  require(Answer::key);
  return keys_->view();
}

BitmapView Answers::bitmap() const& {
  require(Answer::bitmap);
  return {.bits = bitmap_.data(), .rows = bitmap_rows_};
}

BitmapView Answers::bitmap(std::size_t lookup) const& {
  require(Answer::bitmaps);
  require_lookup(lookup);
  return {.bits = bitmaps_.data() + lookup * bitmap_bytes(bitmap_rows_), .rows = bitmap_rows_};
}

bool Answers::matched(std::size_t lookup) const {
  const std::span<const std::uint8_t> bitmap = matched_bitmap();
  require_lookup(lookup);
  return is_matched(bitmap.data(), lookup);
}

std::span<const std::uint8_t> Answers::matched_bitmap() const& {
  if (!has_matched_) fail("the matched bitmap was not requested: set AnswerOptions::matched");
  return matched_;
}

std::span<const std::uint8_t> Answers::validity_bitmap() const& {
  return validity_.empty() ? matched_bitmap() : validity_;
}

std::vector<std::uint32_t> Answers::any() && {
  require(Answer::any);
  return std::move(any_);
}

std::vector<std::uint32_t> Answers::first() && {
  require(Answer::first);
  return std::move(first_);
}

std::vector<std::uint32_t> Answers::last() && {
  require(Answer::last);
  return std::move(last_);
}

std::vector<std::uint32_t> Answers::count() && {
  require(Answer::count);
  return std::move(count_);
}

std::vector<double> Answers::mean() && {
  require(Answer::mean);
  return std::move(mean_);
}

Aggregates Answers::sum() && {
  require(Answer::sum);
  return std::move(sum_);
}

Aggregates Answers::min() && {
  require(Answer::min);
  return std::move(min_);
}

Aggregates Answers::max() && {
  require(Answer::max);
  return std::move(max_);
}

std::vector<std::uint64_t> Answers::offsets() && {
  require(Answer::rows);
  return std::move(offsets_);
}

std::vector<std::uint32_t> Answers::rows() && {
  require(Answer::rows);
  return std::move(rows_);
}

std::vector<std::uint32_t> Answers::rows(std::size_t lookup) && {
  const std::span<const std::uint32_t> found = static_cast<const Answers&>(*this).rows(lookup);
  return {found.begin(), found.end()};
}

std::vector<std::uint8_t> Answers::matched_bitmap() && {
  const std::span<const std::uint8_t> bits = static_cast<const Answers&>(*this).matched_bitmap();
  return {bits.begin(), bits.end()};
}

std::vector<std::uint8_t> Answers::validity_bitmap() && {
  const std::span<const std::uint8_t> bits = static_cast<const Answers&>(*this).validity_bitmap();
  return {bits.begin(), bits.end()};
}

void Answers::throw_wrong_class(const Aggregates& values) {
  static constexpr std::array classes = {"std::uint64_t", "std::int64_t", "double"};
  fail("the values of this answer are {}: read them as that type", classes[values.index()]);
}

AnswersAccess::AnswersAccess(const AnswerOptions& options, const ColumnView& values,
                             std::size_t lookups, bool has_nulls, std::size_t rows) {
  answers_.size_ = lookups;
  answers_.answers_ = options.answers;
  answers_.has_matched_ = options.matched;
  answers_.value_type_ = {values.type(), values.time_unit(), values.scale()};
  Outputs outputs;
  auto make_rows = [&](Answer answer, std::vector<std::uint32_t>& buffer) -> std::uint32_t* {
    if (!options.answers.has(answer)) return nullptr;
    resize_in_huge_pages(buffer, lookups);
    return buffer.data();
  };
  outputs.any = make_rows(Answer::any, answers_.any_);
  outputs.first = make_rows(Answer::first, answers_.first_);
  outputs.last = make_rows(Answer::last, answers_.last_);
  outputs.count = make_rows(Answer::count, answers_.count_);
  auto make_aggregate = [&](Answer answer, Aggregates& aggregates) -> void* {
    if (!options.answers.has(answer)) return nullptr;
    return make_buffer(aggregates, class_of(values.type()), lookups);
  };
  outputs.sum = make_aggregate(Answer::sum, answers_.sum_);
  outputs.min = make_aggregate(Answer::min, answers_.min_);
  outputs.max = make_aggregate(Answer::max, answers_.max_);
  if (options.answers.has(Answer::mean)) {
    resize_in_huge_pages(answers_.mean_, lookups);
    outputs.mean = answers_.mean_.data();
  }
  if (options.matched) {
    answers_.matched_.assign((lookups + 7) / 8, 0);
    outputs.matched = answers_.matched_.data();
  }
  if (options.matched && has_nulls) {
    answers_.validity_.assign((lookups + 7) / 8, 0);
    outputs.validity = answers_.validity_.data();
  }
  outputs.bitmap_rows = rows;
  answers_.bitmap_rows_ = rows;
  auto make_bitmaps = [&](Answer answer, std::size_t count, std::vector<std::uint8_t>& buffer) {
    if (!options.answers.has(answer)) return static_cast<std::uint8_t*>(nullptr);
    buffer.assign(std::max<std::size_t>(count * bitmap_bytes(rows), 1), 0);
    return buffer.data();
  };
  outputs.bitmap = make_bitmaps(Answer::bitmap, 1, answers_.bitmap_);
  outputs.bitmaps = make_bitmaps(Answer::bitmaps, lookups, answers_.bitmaps_);
  request_ = request_into(options, values, outputs);
  if (options.answers.has(Answer::key)) {
    request_.answers = request_.answers | Answer::key;
    request_.found_keys = &found_keys_;
  }
  if (options.answers.has(Answer::rows)) {
    request_.answers = request_.answers | Answer::rows;
    resize_in_huge_pages(answers_.offsets_, lookups + 1);
    request_.row_counts = answers_.offsets_.data() + 1;
    chunk_rows_.resize(chunks_of(lookups));
    request_.chunk_rows = &chunk_rows_;
  }
}

Answers AnswersAccess::finish() {
  answers_.keys_ = std::move(found_keys_);
  if (answers_.answers_.has(Answer::rows)) {
    offsets_from_counts(answers_.offsets_);
    if (chunk_rows_.size() == 1) {
      answers_.rows_ = std::move(chunk_rows_.front());
      if (answers_.rows_.capacity() > 2 * answers_.rows_.size()) answers_.rows_.shrink_to_fit();
      return std::move(answers_);
    }
    resize_in_huge_pages(answers_.rows_, answers_.offsets_.back());
    join_chunks(chunk_rows_, answers_.offsets_.data(), answers_.rows_.data(),
                answers_.rows_.size());
  }
  return std::move(answers_);
}

RowsInto::RowsInto(Request& request, std::size_t lookups)
    : outputs_(request.outputs), lookups_(lookups) {
  if (outputs_.offsets == nullptr) return;
  outputs_.offsets[0] = 0;
  request.row_counts = outputs_.offsets + 1;
  if (outputs_.rows == nullptr) return;
  chunks_.resize(chunks_of(lookups));
  request.chunk_rows = &chunks_;
}

void RowsInto::finish() {
  if (outputs_.offsets == nullptr) return;
  const std::span<std::uint64_t> offsets(outputs_.offsets, lookups_ + 1);
  offsets_from_counts(offsets);
  if (outputs_.rows == nullptr) return;
  join_chunks(chunks_, offsets.data(), outputs_.rows, outputs_.rows_capacity);
}

}  // namespace rtindex
