// Lookups in several segments on a GPU, with deleted and superseded rows, against the full scan.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "answers/request.hpp"
#include "base/cuda/runtime.hpp"
#include "support/checker.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/engine_of.hpp"
#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

// Rows of an index as their keys, and the segments that should hold them.
class SegmentedTable {
 public:
  // `include`: one value for each row of the first segment; null: none are included.
  SegmentedTable(const std::string& spec, const TestColumn& column, const TestColumn* include)
      : engine_(engine_of(spec)), keys_(column.keys()) {
    BuildOptions options;
    if (include != nullptr) options.include = include->view();
    add(engine_.segments->build(column.view(), options).segment);
  }

  [[nodiscard]] std::size_t rows() const { return keys_.size(); }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] bool supports(QueryKind kind) const {
    return kind == QueryKind::equal || segments_.front().searcher->capabilities().ranges;
  }

  void insert(const TestColumn& column, const TestColumn* include) {
    NewRows rows;
    rows.first = static_cast<std::uint32_t>(keys_.size());
    rows.count = column.size();
    rows.keys = column.view();
    if (include != nullptr) rows.include = {include->view()};
    keys_.insert(keys_.end(), column.keys().begin(), column.keys().end());
    add(engine_.segments->build_rows(rows, segments_, keys_.size()).segment);
  }

  // Values stay with their rows.
  void update(const std::vector<std::uint32_t>& which, const TestColumn& column) {
    NewRows rows;
    rows.rows = ColumnView(which);
    rows.count = which.size();
    rows.keys = column.view();
    Segment made = engine_.segments->build_rows(rows, segments_, keys_.size()).segment;
    erase(which);
    for (std::size_t i = 0; i < which.size(); ++i) keys_[which[i]] = column.keys()[i];
    add(std::move(made));
  }

  // A row is set in the bitmaps of all segments, whether or not they hold the row.
  void erase(const std::vector<std::uint32_t>& which) {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      deleted_[i].insert(which.begin(), which.end());
      Array<std::uint32_t> words(RowBits::words_of(keys_.size()));
      std::fill(words.begin(), words.end(), 0);
      for (const std::uint32_t row : deleted_[i])
        words[row / RowBits::word_bits] |= 1U << (row % RowBits::word_bits);
      segments_[i].deleted = engine_.segments->load_bitmap(std::move(words), keys_.size());
    }
    for (const std::uint32_t row : which) keys_[row][0] = std::monostate{};
  }

  void answer(const Batch& batch, const ColumnView& lower, const ColumnView& upper,
              const Request& request) const {
    const NearestOptions unused;
    engine_.batches->run(
        segments_, {lower, batch.kind == QueryKind::equal ? lower : upper, batch.kind, {}, unused},
        request);
  }

 private:
  void add(Segment segment) {
    segments_.push_back(std::move(segment));
    deleted_.emplace_back();
  }

  Engine engine_;
  std::vector<Key> keys_;
  std::vector<Segment> segments_;
  std::vector<std::set<std::uint32_t>> deleted_;
};

constexpr AnswerSet of_values = Answer::sum | Answer::min | Answer::max | AnswerSet(Answer::mean);

// Into host memory, of lookups there or on the GPU.
std::string check_to_host(const SegmentedTable& table, const Batch& batch, const Matches& matches,
                          AnswerOptions options, const TestColumn& values, bool included,
                          bool from_gpu) {
  if (options.answers.has_any_of(of_values)) options.values = values.view();
  if (included && options.answers.has_any_of(of_values))
    options.values = ColumnView::of(values.shape().type, nullptr, values.size());
  AnswersAccess access(options, batch.size());
  access.request().included = included;
  if (from_gpu) {
    const ColumnOnGpu lower(batch.lower.view());
    const ColumnOnGpu upper(batch.upper.view());
    table.answer(batch, lower.view(), upper.view(), access.request());
  } else {
    table.answer(batch, batch.lower.view(), batch.upper.view(), access.request());
  }
  const Answers answers = access.finish();
  const std::string difference =
      first_difference(plain_answers(answers, options), options, batch, matches, values);
  return difference.empty() ? "" : text_of(options) + ": " + difference;
}

Aggregates aggregates_of(const OnGpu& buffer, const TestColumn& values) {
  if (is_float_shape(values.shape())) return buffer.read<double>();
  if (smallest_of(values.shape().type) < 0) return buffer.read<std::int64_t>();
  return buffer.read<std::uint64_t>();
}

// The outputs of a call in device memory, those of the options alone.
class OutputsOnGpu {
 public:
  OutputsOnGpu(const AnswerOptions& options, std::size_t size)
      : options_(options),
        size_(size),
        any_(4 * size),
        first_(4 * size),
        last_(4 * size),
        count_(4 * size),
        sum_(8 * size),
        min_(8 * size),
        max_(8 * size),
        mean_(8 * size),
        matched_((size + 7) / 8),
        offsets_(8 * (size + 1)) {
    const auto add_output = [&](Answer answer, const OnGpu& buffer, auto& output) {
      if (options.answers.has(answer))
        output = static_cast<std::remove_reference_t<decltype(output)>>(buffer.data());
    };
    add_output(Answer::any, any_, outputs_.any);
    add_output(Answer::first, first_, outputs_.first);
    add_output(Answer::last, last_, outputs_.last);
    add_output(Answer::mean, mean_, outputs_.mean);
    add_output(Answer::count, count_, outputs_.count);
    add_output(Answer::sum, sum_, outputs_.sum);
    add_output(Answer::min, min_, outputs_.min);
    add_output(Answer::max, max_, outputs_.max);
    add_output(Answer::rows, offsets_, outputs_.offsets);
    if (options.matched) outputs_.matched = matched_.as<std::uint8_t>();
    outputs_.memory_space = MemorySpace::device;
  }

  [[nodiscard]] const Outputs& outputs() const { return outputs_; }
  // Room for as many rows as the offsets of the first call say.
  void make_room() {
    rows_ = OnGpu(4 * offsets_.read<std::uint64_t>().back());
    outputs_.rows = rows_.as<std::uint32_t>();
    outputs_.rows_capacity = offsets_.read<std::uint64_t>().back();
  }

  [[nodiscard]] PlainAnswers read(const TestColumn& values) const {
    PlainAnswers found;
    found.size = size_;
    const auto wants = [&](Answer answer) { return options_.answers.has(answer); };
    if (wants(Answer::any)) found.any = any_.read<std::uint32_t>();
    if (wants(Answer::first)) found.first = first_.read<std::uint32_t>();
    if (wants(Answer::last)) found.last = last_.read<std::uint32_t>();
    if (wants(Answer::mean)) found.mean = mean_.read<double>();
    if (wants(Answer::count)) found.count = count_.read<std::uint32_t>();
    if (wants(Answer::sum)) found.sum = aggregates_of(sum_, values);
    if (wants(Answer::min)) found.min = aggregates_of(min_, values);
    if (wants(Answer::max)) found.max = aggregates_of(max_, values);
    if (options_.matched) found.matched = matched_.read<std::uint8_t>();
    if (wants(Answer::rows)) {
      found.offsets = offsets_.read<std::uint64_t>();
      found.rows = rows_.read<std::uint32_t>();
    }
    return found;
  }

 private:
  AnswerOptions options_;
  std::size_t size_;
  OnGpu any_, first_, last_, count_, sum_, min_, max_, mean_, matched_, offsets_;
  OnGpu rows_{0};
  Outputs outputs_;
};

// With everything on the GPU.
std::string check_all_on_gpu(const SegmentedTable& table, const Batch& batch,
                             const Matches& matches, AnswerOptions options,
                             const TestColumn& values, bool included) {
  const ColumnOnGpu lower(batch.lower.view());
  const ColumnOnGpu upper(batch.upper.view());
  const ColumnOnGpu device_values(values.view());
  options.values =
      included ? ColumnView::of(values.shape().type, nullptr, values.size()) : device_values.view();
  OutputsOnGpu outputs(options, batch.size());
  const auto call = [&] {
    Request request = request_into(options, options.values, outputs.outputs());
    request.included = included;
    table.answer(batch, lower.view(), upper.view(), request);
    require(cudaStreamSynchronize(nullptr));
  };
  call();
  if (options.answers.has(Answer::rows)) {
    outputs.make_room();
    call();
  }
  const std::string difference =
      first_difference(outputs.read(values), options, batch, matches, values);
  return difference.empty() ? "" : "on the GPU, " + text_of(options) + ": " + difference;
}

bool lies_on_gpu(const Batch& batch) {
  const Type type = batch.lower.shape().type;
  return type != Type::string && type != Type::composite;
}

void expect_every_answer(const SegmentedTable& table, const TestColumn& like,
                         const TestColumn& values, bool included, Random& random) {
  const auto expect = [&](const Batch& batch, const std::vector<AnswerOptions>& every, bool mixed) {
    if (!table.supports(batch.kind)) return;
    const Matches matches = scan(table.keys(), batch);
    for (const AnswerOptions& options : every) {
      if (included && !options.answers.has_any_of(of_values)) continue;
      ASSERT_EQ("", check_to_host(table, batch, matches, options, values, included, false));
      if (!lies_on_gpu(batch)) continue;
      ASSERT_EQ("", check_all_on_gpu(table, batch, matches, options, values, included));
      if (!mixed) continue;
      ASSERT_EQ("", check_to_host(table, batch, matches, options, values, included, true));
    }
  };
  for (const Batch& batch : own_batches(like, 40, random)) expect(batch, every_options(), false);
  for (const Batch& batch : interesting_batches(like, 8, random))
    expect(batch, {full_options()}, true);
}

// The keys of some rows of a column.
TestColumn part_of(const TestColumn& column, std::size_t begin, std::size_t size) {
  const auto from = column.keys().begin() + static_cast<std::ptrdiff_t>(begin);
  return {column.shape(), std::vector<Key>(from, from + static_cast<std::ptrdiff_t>(size))};
}

std::vector<std::uint32_t> random_rows(std::size_t rows, std::size_t one_in, Random& random) {
  std::vector<std::uint32_t> some;
  for (std::uint32_t row = 0; row < rows; ++row)
    if (random.one_in(one_in)) some.push_back(row);
  return some;
}

std::vector<std::string> specs_on_gpu() {
  if (cuda::unusable()) return {"rx:native@cuda"};
  std::vector<std::string> specs;
  for (const std::string& spec : usable_and_bucketed())
    if (spec.find("@cuda") != std::string::npos) specs.push_back(spec);
  return specs;
}

class DeviceSegments : public GpuTestWithParam<std::tuple<std::string, std::string>> {
 protected:
  [[nodiscard]] static const std::string& spec() { return std::get<0>(GetParam()); }
  [[nodiscard]] static TestColumn column() {
    return workload_named(std::get<1>(GetParam())).column();
  }

  // Two segments at first, three after an update; the first is a part of the keys, so that some of
  // the others are outside its range.
  static void check(bool included, Type value_type) {
    const TestColumn all = column();
    Random random(all.size() + 11);
    const TestColumn values = values_of(value_type, all.size(), random);
    const std::size_t main = all.size() - all.size() / 4;
    const TestColumn main_values = part_of(values, 0, main);
    const TestColumn new_values = part_of(values, main, all.size() - main);
    SegmentedTable table(spec(), part_of(all, 0, main), included ? &main_values : nullptr);
    table.insert(part_of(all, main, all.size() - main), included ? &new_values : nullptr);
    table.erase(random_rows(table.rows(), 5, random));
    expect_every_answer(table, all, values, included, random);
    const std::vector<std::uint32_t> moved = some_valid_rows(table, 4, random);
    if (moved.empty()) return;
    std::vector<Key> keys;
    for (std::size_t i = 0; i < moved.size(); ++i) keys.push_back(random.pick(all.keys()));
    table.update(moved, {all.shape(), keys});
    expect_every_answer(table, all, values, included, random);
  }

  static std::vector<std::uint32_t> some_valid_rows(const SegmentedTable& table, std::size_t one_in,
                                                    Random& random) {
    std::vector<std::uint32_t> rows = random_rows(table.rows(), one_in, random);
    std::erase_if(rows, [&](std::uint32_t row) { return is_null(table.keys()[row]); });
    return rows;
  }
};

TEST_P(DeviceSegments, AnswerLikeTheScan) { check(false, Type::i64); }

TEST_P(DeviceSegments, AnswerLikeTheScanOfFloats) { check(false, Type::f64); }

TEST_P(DeviceSegments, AnswerWithIncludedValues) {
  if (!engine_of(spec()).keeps_key_order) GTEST_SKIP() << "no included values";
  check(true, Type::u32);
  check(true, Type::f32);
}

TEST_P(DeviceSegments, MayHaveOnlyDeletedRows) {
  const TestColumn all = column();
  Random random(5);
  const TestColumn values = values_of(Type::u8, 2 * all.size(), random);
  SegmentedTable table(spec(), all, nullptr);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < all.size(); ++row)
    if (!is_null(all.keys()[row])) rows.push_back(row);
  table.erase(rows);
  const TestColumn first_values = part_of(values, 0, all.size());
  expect_every_answer(table, all, first_values, false, random);
  table.insert(all, nullptr);
  expect_every_answer(table, all, values, false, random);
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceSegments,
                         testing::Combine(testing::ValuesIn(specs_on_gpu()),
                                          testing::Values("dense_u32", "sparse_u64",
                                                          "duplicates_x256", "nulls_dense_u32",
                                                          "extremes_i64", "any_bits_f32",
                                                          "same_head_strings")),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

}  // namespace
}  // namespace rtindex::test
