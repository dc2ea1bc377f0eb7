#include "order/included.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "answers/counted_aggregate.hpp"
#include "base/array.hpp"
#include "base/checked_cast.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "order/levels.hpp"

namespace rtindex {

namespace {

constexpr std::size_t grain = std::size_t{1} << 14;

// RowNumbers::element for many rows; reads a table if the rows are listed and dense.
class ElementsOfRows {
 public:
  explicit ElementsOfRows(const RowNumbers& numbers) : numbers_(&numbers) {
    if (!numbers.listed() || numbers.size() == 0) return;
    first_ = numbers.list().front();
    const std::size_t range = std::size_t{numbers.list().back()} - first_ + 1;
    if (range / numbers.size() >= max_per_row) return;
    table_ = Array<std::uint32_t>(range);
    parallel_for(numbers.size(), grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        table_[numbers.row(i) - first_] = static_cast<std::uint32_t>(i);
    });
  }

  [[nodiscard]] std::size_t operator[](std::uint32_t row) const {
    return table_.empty() ? numbers_->element(row) : std::as_const(table_)[row - first_];
  }

 private:
  static constexpr std::size_t max_per_row = 8;  // entries of the table

  const RowNumbers* numbers_;
  std::uint32_t first_ = 0;
  Array<std::uint32_t> table_;
};

template <class T>
class Included final : public IncludedValues {
  using Class = value_class_t<T>;
  using Aggregate = ValueAggregate<Class>;
  static constexpr bool has_prefix_sums = Levels<T>::has_prefix;

 public:
  Included(const ColumnView& values, std::size_t size, const RowAt& row_at,
           const RowNumbers& numbers)
      : type_(values.type()), values_(size) {
    const T* const by_element = static_cast<const T*>(values.data());
    const ElementsOfRows elements(numbers);
    parallel_for(size, grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t at = first; at < first + count; ++at)
        values_[at] = by_element[elements[row_at(at)]];
    });
    if (size != values.size()) {
      const std::vector<std::uint32_t> outside =
          missing_of(values.size(), [&](std::size_t at) { return elements[row_at(at)]; });
      outside_ = Array<T>(outside.size());
      outside_rows_ = Array<std::uint32_t>(outside.size());
      for (std::size_t i = 0; i < outside.size(); ++i) {
        outside_[i] = by_element[outside[i]];
        outside_rows_[i] = numbers.row(outside[i]);
      }
    }
    if (values.nullable())
      set_nulls([&](std::size_t entry) {
        return !values.valid(entry < size ? elements[row_at(entry)]
                                          : numbers.element(outside_rows_.data()[entry - size]));
      });
    make_levels();
  }

  Included(std::span<const Part> parts, std::span<const std::uint32_t> sources)
      : type_(parts.front().values->type()), values_(sources.size()) {
    std::vector<std::size_t> ends;
    for (const Part& part : parts)
      ends.push_back((ends.empty() ? 0 : ends.back()) + own(part).values_.size());
    // Calls read(part, its entry) for the source of a position.
    const auto at_source = [&](std::size_t at, auto&& read) {
      std::size_t part = 0;
      while (sources[at] >= ends[part]) ++part;
      return read(own(parts[part]), sources[at] - (part == 0 ? 0 : ends[part - 1]));
    };
    parallel_for(sources.size(), grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t at = first; at < first + count; ++at)
        values_[at] = at_source(
            at, [](const Included& part, std::size_t entry) { return part.values_.data()[entry]; });
    });
    struct Outside {
      std::uint32_t row;
      T value;
      bool is_null;
    };
    std::vector<Outside> outside;
    for (const Part& part : parts) {
      const Included& from = own(part);
      const std::span<const std::uint32_t> rows = from.outside_rows();
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (!part.deleted.has(rows[i]))
          outside.push_back({rows[i], from.outside_[i], from.is_null(from.values_.size() + i)});
    }
    std::sort(outside.begin(), outside.end(),
              [](const Outside& a, const Outside& b) { return a.row < b.row; });
    outside_ = Array<T>(outside.size());
    outside_rows_ = Array<std::uint32_t>(outside.size());
    for (std::size_t i = 0; i < outside.size(); ++i) {
      outside_rows_[i] = outside[i].row;
      outside_[i] = outside[i].value;
    }
    if (std::any_of(parts.begin(), parts.end(),
                    [](const Part& part) { return part.values->has_nulls(); }))
      set_nulls([&](std::size_t entry) {
        if (entry >= sources.size()) return outside[entry - sources.size()].is_null;
        return at_source(entry,
                         [](const Included& part, std::size_t at) { return part.is_null(at); });
      });
    make_levels();
  }

  Included(const FileReader& file, Type type, std::size_t size, std::size_t rows)
      : type_(type),
        values_(file.array<T>("values", size)),
        outside_rows_(file.array<std::uint32_t>("outside_rows")) {
    if (outside_rows_.size() > rows - size) file.reject("it has too many values of null keys");
    outside_ = file.array<T>("outside", outside_rows_.size());
    if (file.has("nulls.words")) nulls_.emplace(file.part("nulls"), size + outside_.size());
    if constexpr (has_prefix_sums)
      all_.prefix = file.array<prefix_sum_t<T>>("prefix", size / block + 1);
    for (std::size_t left = size; left > block; left = (left + block - 1) / block)
      all_.blocks.push_back(file.array<Aggregate>(fmt::format("level{}", all_.blocks.size()),
                                                  (left + block - 1) / block));
  }

  void save(FileWriter file) const override {
    file.text("type", std::string(name_of(type_)));
    file.array("values", values_.span());
    file.array("outside", outside_.span());
    file.array("outside_rows", outside_rows_.span());
    if (nulls_) nulls_->save(file.part("nulls"));
    if constexpr (has_prefix_sums) file.array("prefix", all_.prefix.span());
    for (std::size_t level = 0; level < all_.blocks.size(); ++level)
      file.array(fmt::format("level{}", level), all_.blocks[level].span());
  }

  [[nodiscard]] Type type() const override { return type_; }
  [[nodiscard]] bool has_nulls() const override { return nulls_.has_value(); }

  [[nodiscard]] std::size_t bytes() const override {
    return values_.bytes() + outside_.bytes() + outside_rows_.bytes() + all_.bytes() +
           (nulls_ ? nulls_->bytes() : 0);
  }

  void answer(const Request& request, std::size_t first, const Match* found, std::size_t count,
              const ValidMatches* valid, const ValidAggregates* aggregates) const override {
    if (valid != nullptr && aggregates != nullptr) {
      const auto& levels = checked_cast<const ValidLevels<T>&>(*aggregates);
      const CountedBits skipped(levels.skipped ? *levels.skipped : *valid->positions());
      const LevelReader<T, CountedBits, ValidLevels<T>> valid_values{values_.data(), &levels,
                                                                     skipped};
      prefetch_ends(levels, found, count);
      answer_from(request, first, found, count, [&](std::size_t) { return valid_values; });
    } else if (nulls_) {
      answer_skipping(CountedBits(*nulls_), request, first, found, count, valid);
    } else {
      answer_skipping(AllValid::Deleted{}, request, first, found, count, valid);
    }
  }

  [[nodiscard]] CountedRef<ValidAggregates> valid_aggregates(
      const DeletedBits& deleted, CountedRef<ValidAggregates> before,
      std::span<const std::uint32_t> added) const override {
    if (before == nullptr) return all_valid_aggregates(deleted);
    if (!before.is_only())
      before = CountedRef<ValidAggregates>(
          new ValidLevels<T>(static_cast<const ValidLevels<T>&>(*before)));
    auto& levels = static_cast<ValidLevels<T>&>(*before);
    if (!nulls_) {
      levels.remove(values_.data(), values_.size(), deleted, added);
      return before;
    }
    levels.skipped = DeletedPositions(std::move(*levels.skipped), added);
    std::vector<std::uint32_t> values;
    for (const std::uint32_t position : added)
      if (!is_null(position)) values.push_back(position);
    levels.remove(values_.data(), values_.size(), levels.skipped->bits(), values);
    return before;
  }

  [[nodiscard]] std::span<const std::uint32_t> outside_rows() const override {
    return outside_rows_.span();
  }

  [[nodiscard]] OwnedColumn values_of(std::span<const std::uint32_t> entries) const override {
    OwnedColumn column(type_, entries.size());
    column.set_all_valid();
    T* const out = column.data<T>();
    const T* const values = values_.data();
    parallel_for(entries.size(), grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        const std::size_t entry = entries[i];
        out[i] = entry < values_.size() ? values[entry] : outside_[entry - values_.size()];
      }
    });
    for (std::size_t i = 0; nulls_ && i < entries.size(); ++i)
      if (is_null(entries[i])) column.set_valid(i, false);
    return column;
  }

 private:
  [[nodiscard]] static const Included& own(const Part& part) {
    return checked_cast<const Included&>(*part.values);
  }

  [[nodiscard]] CountedRef<ValidAggregates> all_valid_aggregates(const DeletedBits& deleted) const {
    using Ref = CountedRef<ValidAggregates>;
    if (!nulls_) return Ref(new ValidLevels<T>(levels_over(values_.span(), deleted)));
    DeletedPositions skipped(values_.size(),
                             [&](std::size_t at) { return deleted.has(at) || is_null(at); });
    auto levels = std::make_unique<ValidLevels<T>>(levels_over(values_.span(), skipped.bits()));
    levels->skipped = std::move(skipped);
    return Ref(levels.release());
  }

  // An entry as in values_of().
  [[nodiscard]] bool is_null(std::size_t entry) const {
    return nulls_ && nulls_->bits().has(entry);
  }
  template <class IsNull>
  void set_nulls(const IsNull& is_null) {
    const std::size_t entries = values_.size() + outside_.size();
    DeletedPositions nulls(entries, is_null);
    if (nulls.count({0, entries}) != 0) nulls_ = std::move(nulls);
  }
  void make_levels() {
    const std::span<const T> values = std::as_const(values_).span();
    all_ = nulls_ ? levels_over(values, nulls_->bits()) : levels_over(values, AllValid::Deleted{});
  }

  template <class Nulls>
  void answer_skipping(const Nulls& nulls, const Request& request, std::size_t first,
                       const Match* found, std::size_t count, const ValidMatches* valid) const {
    const LevelReader<T, Nulls> all{values_.data(), &all_, nulls};
    prefetch_ends(all_, found, count);
    if (valid == nullptr)
      answer_from(request, first, found, count, [&](std::size_t) { return all; });
    else
      answer_from(request, first, found, count, [&](std::size_t i) {
        return ValidWalker<T, Nulls>{all, &valid->deleted(i)};
      });
  }

  // The numbers 0..count-1 that no position of the key order has as number_at(position).
  template <class NumberAt>
  [[nodiscard]] std::vector<std::uint32_t> missing_of(std::size_t count,
                                                      const NumberAt& number_at) const {
    std::vector<bool> is_there(count, false);
    for (std::size_t at = 0; at < values_.size(); ++at) {
      const std::size_t number = number_at(at);
      if (number < count) is_there[number] = true;
    }
    std::vector<std::uint32_t> missing;
    for (std::size_t number = 0; number < count; ++number)
      if (!is_there[number]) missing.push_back(static_cast<std::uint32_t>(number));
    return missing;
  }

  template <class LevelsOfValues>
  void prefetch_ends(const LevelsOfValues& levels, const Match* found, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      prefetch(values_.data() + found[i].begin);
      prefetch(values_.data() + found[i].end);
      if constexpr (has_prefix_sums) {
        prefetch(levels.prefix_address(found[i].begin / block));
        prefetch(levels.prefix_address(found[i].end / block));
      }
    }
  }

  template <class ReaderOf>
  void answer_from(const Request& request, std::size_t first, const Match* found, std::size_t count,
                   const ReaderOf& reader_of) const {
    if (request.value_counts != nullptr) {
      for (std::size_t i = 0; i < count; ++i)
        write_counted(request, first + i,
                      found[i].size() == 0 ? CountedAggregate<Class>{}
                                           : counted_of(reader_of(i), found[i], request));
      return;
    }
    const auto miss = miss_as<Class>(request.miss);
    if constexpr (has_prefix_sums) {
      if (!request.answers.has_any_of(Answer::min | Answer::max)) {
        auto* out = static_cast<Class*>(request.outputs.sum) + first;
        for (std::size_t i = 0; i < count; ++i)
          out[i] = found[i].size() == 0
                       ? miss
                       : static_cast<Class>(reader_of(i).template sum<std::uint64_t>(found[i]));
        return;
      }
    }
    for (std::size_t i = 0; i < count; ++i)
      write_values(
          request.outputs, first + i,
          found[i].size() == 0 ? Aggregate::of(miss) : aggregate_of(reader_of(i), found[i]));
  }

  // Out of line, as the functions of ValidWalker.
  template <class Reader>
  [[nodiscard, gnu::noinline]] static CountedAggregate<Class> counted_of(const Reader& reader,
                                                                         const Match& match,
                                                                         const Request& request) {
    CountedAggregate<Class> counted;
    counted.count = static_cast<std::uint32_t>(reader.count(match));
    if (counted.count == 0) return counted;
    if constexpr (has_prefix_sums) {
      if (request.answers.has_any_of(Answer::min | Answer::max))
        counted.values = aggregate_of(reader, match);
      const auto sum = reader.template sum<prefix_sum_t<T>>(match);
      counted.values.sum = static_cast<Class>(sum);
      counted.sum = sizeof(T) == 8 ? static_cast<int128>(sum) : int128{counted.values.sum};
    } else {
      counted.values = aggregate_of(reader, match);
      counted.sum = counted.values.sum;
    }
    return counted;
  }

  Type type_;
  Array<T> values_;   // in key order
  Array<T> outside_;  // of rows whose key is null, in row order
  Array<std::uint32_t> outside_rows_;
  std::optional<DeletedPositions> nulls_;  // by entry; unset where no value is null
  Levels<T> all_;
};

}  // namespace

std::unique_ptr<IncludedValues> IncludedValues::make(const ColumnView& values, std::size_t size,
                                                     const RowAt& row_at,
                                                     const RowNumbers& numbers) {
  return visit_native(values.type(), [&]<class T>() -> std::unique_ptr<IncludedValues> {
    return std::make_unique<Included<T>>(values, size, row_at, numbers);
  });
}

std::unique_ptr<IncludedValues> IncludedValues::merged(std::span<const Part> parts,
                                                       std::span<const std::uint32_t> sources) {
  return visit_native(parts.front().values->type(),
                      [&]<class T>() -> std::unique_ptr<IncludedValues> {
                        return std::make_unique<Included<T>>(parts, sources);
                      });
}

std::unique_ptr<IncludedValues> IncludedValues::from_file(const FileReader& file, std::size_t size,
                                                          std::size_t rows) {
  const std::string& name = file.text("type");
  const std::optional<Type> type = find_type(name);
  if (!type || !is_native(*type)) file.reject("its included values have the unknown type {}", name);
  return visit_native(*type, [&]<class T>() -> std::unique_ptr<IncludedValues> {
    return std::make_unique<Included<T>>(file, *type, size, rows);
  });
}

}  // namespace rtindex
