#include "answers/included.hpp"

#include <algorithm>
#include <vector>

#include "base/array.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"

namespace rtindex {

namespace {

constexpr std::size_t grain = std::size_t{1} << 14;

template <class T>
class Included final : public IncludedValues {
  using Class = value_class_t<T>;
  using Aggregate = ValueAggregate<Class>;
  static constexpr bool has_prefix_sums = !std::is_same_v<Class, double>;

 public:
  Included(const ColumnView& values, std::size_t size, const RowAt& row_at)
      : type_(values.type()), values_(size) {
    const T* by_row = static_cast<const T*>(values.data());
    parallel_for(size, grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t at = first; at < first + count; ++at) values_[at] = by_row[row_at(at)];
    });
    if (size != values.size()) {
      const std::vector<std::uint32_t> rows = rows_outside(values.size(), row_at);
      outside_ = Array<T>(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) outside_[i] = by_row[rows[i]];
    }
    make_levels();
  }

  Included(const FileReader& file, Type type, std::size_t size, std::size_t rows)
      : type_(type),
        values_(file.array<T>("values", size)),
        outside_(file.array<T>("outside", rows - size)) {
    if constexpr (has_prefix_sums) prefix_ = file.array<Class>("prefix", size / block + 1);
    for (std::size_t left = size; left > block; left = (left + block - 1) / block)
      levels_.push_back(file.array<Aggregate>(fmt::format("level{}", levels_.size()),
                                              (left + block - 1) / block));
  }

  void save(FileWriter file) const override {
    file.text("type", std::string(name_of(type_)));
    file.array("values", values_.span());
    file.array("outside", outside_.span());
    if constexpr (has_prefix_sums) file.array("prefix", prefix_.span());
    for (std::size_t level = 0; level < levels_.size(); ++level)
      file.array(fmt::format("level{}", level), levels_[level].span());
  }

  [[nodiscard]] Type type() const override { return type_; }

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t bytes = values_.bytes() + outside_.bytes() + prefix_.bytes();
    for (const auto& level : levels_) bytes += level.bytes();
    return bytes;
  }

  void answer(const Request& request, std::size_t first, const Match* found,
              std::size_t count) const override {
    for (std::size_t i = 0; i < count; ++i) {
      prefetch(values_.data() + found[i].begin);
      prefetch(values_.data() + found[i].end);
      if constexpr (has_prefix_sums) {
        prefetch(prefix_.data() + found[i].begin / block);
        prefetch(prefix_.data() + found[i].end / block);
      }
    }
    const auto miss = miss_as<Class>(request.miss);
    if (has_prefix_sums && !request.answers.has_any_of(Answer::min | Answer::max)) {
      auto* out = static_cast<Class*>(request.outputs.sum) + first;
      for (std::size_t i = 0; i < count; ++i)
        out[i] = found[i].size() == 0
                     ? miss
                     : subtract(prefix_sum(found[i].end), prefix_sum(found[i].begin));
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      write_values(request.outputs, first + i,
                   found[i].size() == 0 ? Aggregate::of(miss) : aggregate_of(found[i]));
  }

  [[nodiscard]] OwnedColumn column(std::size_t rows, const RowAt& row_at) const override {
    OwnedColumn column(type_, rows);
    T* by_row = column.data<T>();
    for (std::size_t at = 0; at < values_.size(); ++at) by_row[row_at(at)] = values_[at];
    if (!outside_.empty()) {
      const std::vector<std::uint32_t> others = rows_outside(rows, row_at);
      for (std::size_t i = 0; i < std::min(others.size(), outside_.size()); ++i)
        by_row[others[i]] = outside_[i];
    }
    return column;
  }

 private:
  [[nodiscard]] Class value(std::size_t at) const { return to_class(values_.data()[at]); }

  // The rows whose key is null: they are not in the key order, but their values are kept.
  [[nodiscard]] std::vector<std::uint32_t> rows_outside(std::size_t rows,
                                                        const RowAt& row_at) const {
    std::vector<bool> inside(rows, false);
    for (std::size_t at = 0; at < values_.size(); ++at) inside[row_at(at)] = true;
    std::vector<std::uint32_t> outside;
    for (std::size_t row = 0; row < rows; ++row)
      if (!inside[row]) outside.push_back(static_cast<std::uint32_t>(row));
    return outside;
  }

  void make_levels() {
    if constexpr (has_prefix_sums) {
      prefix_ = Array<Class>(values_.size() / block + 1);
      Class sum{};
      for (std::size_t at = 0; at < values_.size(); ++at) {
        if (at % block == 0) prefix_[at / block] = sum;
        sum = Sum{}(sum, value(at));
      }
      if (values_.size() % block == 0) prefix_[values_.size() / block] = sum;
    }
    for (std::size_t left = values_.size(); left > block; left = levels_.back().size()) {
      Array<Aggregate> level((left + block - 1) / block);
      parallel_for(level.size(), grain / block, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) {
          level[i] = entry(levels_.size(), i * block);
          for (std::size_t at = i * block + 1; at < std::min(left, (i + 1) * block); ++at)
            level[i].merge(entry(levels_.size(), at));
        }
      });
      levels_.push_back(std::move(level));
    }
  }

  // Level 0 are the values, level n + 1 the aggregates in levels_[n].
  [[nodiscard]] Aggregate entry(std::size_t level, std::size_t at) const {
    return level == 0 ? Aggregate::of(value(at)) : levels_[level - 1].data()[at];
  }

  // Wraps around, as sums do. Integers only.
  [[nodiscard]] static Class subtract(Class a, Class b) {
    if constexpr (has_prefix_sums)
      return static_cast<Class>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    return a;
  }

  // The sum of all values before a position.
  [[nodiscard]] Class prefix_sum(std::size_t position) const {
    Class sum = prefix_.data()[position / block];
    for (std::size_t at = position / block * block; at < position; ++at)
      sum = Sum{}(sum, value(at));
    return sum;
  }

  [[nodiscard]] Aggregate aggregate_of(Match match) const {
    Aggregate aggregate = entry(0, match.begin);
    std::size_t begin = match.begin + 1;
    std::size_t end = match.end;
    for (std::size_t level = 0; begin < end; ++level) {
      const bool top = level == levels_.size();
      for (; begin < end && (top || begin % block != 0); ++begin)
        aggregate.merge(entry(level, begin));
      for (; begin < end && end % block != 0; --end) aggregate.merge(entry(level, end - 1));
      begin /= block;
      end /= block;
    }
    return aggregate;
  }

  Type type_;
  Array<T> values_;      // in key order
  Array<T> outside_;     // of rows whose key is null, in row order
  Array<Class> prefix_;  // the sum before every block, for integers
  std::vector<Array<Aggregate>> levels_;
};

}  // namespace

std::unique_ptr<IncludedValues> IncludedValues::make(const ColumnView& values, std::size_t size,
                                                     const RowAt& row_at) {
  return visit_native(values.type(), [&]<class T>() -> std::unique_ptr<IncludedValues> {
    return std::make_unique<Included<T>>(values, size, row_at);
  });
}

std::unique_ptr<IncludedValues> IncludedValues::from_file(const FileReader& file, std::size_t size,
                                                          std::size_t rows) {
  const std::string& name = file.text("type");
  for (int i = 0; i <= static_cast<int>(Type::composite); ++i) {
    const auto type = static_cast<Type>(i);
    if (!is_native(type) || name_of(type) != name) continue;
    return visit_native(type, [&]<class T>() -> std::unique_ptr<IncludedValues> {
      return std::make_unique<Included<T>>(file, type, size, rows);
    });
  }
  file.refuse("its included values have the unknown type {}", name);
}

}  // namespace rtindex
