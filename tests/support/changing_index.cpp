#include "support/changing_index.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {

namespace {

constexpr std::size_t max_old_keys = 300;

Key null_key(const Shape& shape) { return Key(parts_of(shape).size(), std::monostate{}); }

std::vector<Key> near_and_far_keys(const TestColumn& now, std::size_t size, Random& random) {
  std::vector<Key> pool;
  for (const Key& key : interesting_points(now, 8, random))
    if (fits(key, now.shape())) pool.push_back(key);
  std::vector<Key> keys;
  for (std::size_t i = 0; i < size; ++i) keys.push_back(random.pick(pool));
  return keys;
}

// The miss value may equal a row's value, so that only the matched bitmap distinguishes them.
MissValues misses_like(const TestColumn& values, Random& random) {
  MissValues miss;
  if (values.size() == 0) return miss;
  const Part& part = random.pick(values.keys())[0];
  if (part.index() == 0) return miss;
  if (const auto* real = std::get_if<double>(&part))
    miss.f64 = *real;
  else
    miss.u64 = static_cast<std::uint64_t>(std::get<Whole>(part));
  miss.i64 = static_cast<std::int64_t>(miss.u64);
  return miss;
}

}  // namespace

ChangingIndex::ChangingIndex(const TestColumn& column, const std::string& spec,
                             const Options& options)
    : options_(options),
      random_(options.seed),
      shape_(column.shape()),
      keys_(column.keys()),
      erased_(column.size(), false),
      value_type_(random_.pick(value_types())),
      index_([&] {
        is_nullable_ = random_.one_in(2);
        const TestColumn values = new_values(column.size());
        values_ = values.keys();
        if (!options.include) return build(column.view(), spec);
        return build(column.view(), spec, {.include = values.view()});
      }()) {
  if (!options_.new_keys) options_.new_keys = near_and_far_keys;
}

ChangingIndex::ChangingIndex(const ChangingIndex& other, Index index)
    : options_(other.options_),
      random_(other.random_),
      shape_(other.shape_),
      keys_(other.keys_),
      values_(other.values_),
      erased_(other.erased_),
      old_keys_(other.old_keys_),
      value_type_(other.value_type_),
      is_nullable_(other.is_nullable_),
      index_(std::move(index)) {}

ColumnView ChangingIndex::placed(const ColumnView& column) const {
  return options_.to_memory ? options_.to_memory(column) : column;
}

std::vector<std::uint32_t> ChangingIndex::rows_not_erased() const {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < erased_.size(); ++row)
    if (!erased_[row]) rows.push_back(static_cast<std::uint32_t>(row));
  return rows;
}

std::vector<Batch> ChangingIndex::batches(const TestColumn& now) {
  std::vector<Batch> list = own_batches(now, 10, random_);
  // What rows held before must not be found there any more.
  if (!old_keys_.empty()) {
    std::vector<Key> keys;
    for (int i = 0; i < 20; ++i) keys.push_back(random_.pick(old_keys_));
    list.push_back(points(TestColumn(shape_, keys)));
  }
  if (random_.one_in(4)) list.push_back(random_.pick(interesting_batches(now, 4, random_)));
  return list;
}

std::string ChangingIndex::difference() {
  const auto valid = static_cast<std::size_t>(
      std::count_if(keys_.begin(), keys_.end(), [](const Key& key) { return !is_null(key); }));
  if (index_.size() != keys_.size() || index_.valid() != valid)
    return fmt::format("{} rows, {} valid, in place of {} and {}", index_.size(), index_.valid(),
                       keys_.size(), valid);
  std::vector<std::uint32_t> nulls = rows_not_erased();
  std::erase_if(nulls, [&](std::uint32_t row) { return !is_null(keys_[row]); });
  if (index_.null_rows() != nulls) return "rows without a key differ";
  const TestColumn now(shape_, keys_);
  const TestColumn values(Shape{value_type_}, values_);
  const TestColumn others = values_of(random_.pick(value_types()), keys_.size(), random_);
  const Oracle oracle(keys_);
  for (const Batch& batch : batches(now)) {
    std::string text = difference(oracle, batch, values, others);
    if (!text.empty()) return text;
  }
  return "";
}

std::string ChangingIndex::difference(const Oracle& oracle, const Batch& all_rows,
                                      const TestColumn& values, const TestColumn& others) {
  Batch batch = all_rows;
  std::vector<std::uint8_t> bits(bitmap_bytes(keys_.size()) + 1);
  if (random_.below(2) == 0) {
    for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random_.below(256));
    batch.filter = BitmapView{bits.data(), keys_.size(), random_.below(8)};
  }
  const Matches matches = oracle.scan(batch);
  const ValuesOf own = options_.include ? ValuesOf::index : ValuesOf::call;
  AnswerOptions full = full_options();
  full.miss = misses_like(values, random_);
  const AnswerOptions any = random_.pick(every_options());
  std::string text;
  if (supports(index_, full.answers, batch.kind))
    text = check_call(index_, batch, matches, full, values, own);
  if (!text.empty() || !supports(index_, any.answers, batch.kind)) return text;
  text = check_call_into(index_, batch, matches, any, values, own);
  return text.empty() ? check_call(index_, batch, matches, any, others) : text;
}

void ChangingIndex::insert(const std::vector<Key>& keys, const Shape& shape) {
  const TestColumn column(shape, keys);
  const TestColumn values = new_values(keys.size());
  const std::uint32_t first = options_.include
                                  ? index_.insert(placed(column.view()), placed(values.view()))
                                  : index_.insert(placed(column.view()));
  if (first != keys_.size())
    throw std::logic_error(fmt::format("the first new row is {}, not {}", first, keys_.size()));
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  values_.insert(values_.end(), values.keys().begin(), values.keys().end());
  erased_.resize(keys_.size(), false);
}

void ChangingIndex::erase(const std::vector<std::uint32_t>& rows) {
  index_.erase(placed(rows));
  for (const std::uint32_t row : rows) {
    replace_key(row, null_key(shape_));
    erased_[row] = true;
  }
}

void ChangingIndex::erase_keys(const std::vector<Key>& keys, const Shape& shape) {
  const TestColumn column(shape, keys);
  std::vector<std::uint32_t> rows;
  for (const std::vector<std::uint32_t>& matches : scan(keys_, points(column)))
    rows.insert(rows.end(), matches.begin(), matches.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const std::size_t erased = index_.erase_keys(placed(column.view()));
  if (erased != rows.size())
    throw std::logic_error(fmt::format("{} rows erased by key, not {}", erased, rows.size()));
  for (const std::uint32_t row : rows) {
    replace_key(row, null_key(shape_));
    erased_[row] = true;
  }
}

void ChangingIndex::update(const std::vector<std::uint32_t>& rows, const std::vector<Key>& new_keys,
                           const Shape& shape) {
  const TestColumn column(shape, new_keys);
  index_.update(placed(rows), placed(column.view()));
  for (std::size_t i = 0; i < rows.size(); ++i) replace_key(rows[i], new_keys[i]);
}

void ChangingIndex::set_included(const std::vector<std::uint32_t>& rows,
                                 const std::vector<Key>& values) {
  const TestColumn column(Shape{value_type_}, values);
  index_.set_included(placed(rows), placed(column.view()));
  for (std::size_t i = 0; i < rows.size(); ++i) values_[rows[i]] = values[i];
}

void ChangingIndex::replace_key(std::uint32_t row, const Key& key) {
  const Key old = std::exchange(keys_[row], key);
  if (is_null(old)) return;
  if (old_keys_.size() < max_old_keys)
    old_keys_.push_back(old);
  else
    old_keys_[random_.below(max_old_keys)] = old;
}

std::size_t ChangingIndex::random_size(std::size_t max_size) {
  switch (random_.below(8)) {
    case 0: return 0;
    case 1:
    case 2: return std::min<std::size_t>(1, max_size);
    case 3: return max_size;
    default: return random_.below(max_size + 1) % 9;
  }
}

TestColumn ChangingIndex::new_values(std::size_t size) {
  TestColumn values = values_of(value_type_, size, random_);
  return is_nullable_ && random_.one_in(2) ? with_null_values(values, random_) : values;
}

std::vector<std::uint32_t> ChangingIndex::random_rows() {
  std::vector<std::uint32_t> rows = rows_not_erased();
  random_.shuffle(rows);
  rows.resize(random_size(rows.size()));
  return rows;
}

Shape ChangingIndex::random_shape() {
  return random_.one_in(3) ? random_.pick(comparable_shapes(shape_)) : shape_;
}

std::vector<Key> ChangingIndex::random_keys(std::size_t size, const Shape& shape) {
  std::vector<Key> keys = options_.new_keys(TestColumn(shape_, keys_), size, random_);
  for (Key& key : keys)
    if (!fits(key, shape)) key = null_key(shape_);
  return keys;
}

void ChangingIndex::random_update() {
  const std::vector<std::uint32_t> rows = random_rows();
  const Shape shape = random_shape();
  update(rows, random_keys(rows.size(), shape), shape);
}

void ChangingIndex::random_change() {
  const Shape shape = random_shape();
  switch (random_.below(options_.include ? 10 : 9)) {
    case 0: return erase(random_rows());
    case 1: return erase_keys(random_keys(random_size(12), shape), shape);
    case 2: return merge();
    case 3:
    case 4:
    case 5: return random_update();
    case 9: {
      const std::vector<std::uint32_t> rows = random_rows();
      return set_included(rows, new_values(rows.size()).keys());
    }
    default: {
      const std::size_t max_size = keys_.size() < options_.max_rows ? 150 : 3;
      return insert(random_keys(random_size(max_size), shape), shape);
    }
  }
}

TestColumn some_rows(const std::string& workload, std::size_t rows) {
  const TestColumn column = workload_named(workload).column();
  std::vector<Key> keys = column.keys();
  keys.resize(std::min(keys.size(), rows));
  return {column.shape(), keys};
}

std::vector<std::string> update_specs(const std::string& index) {
  if (index != "rx:embree@cpu" && index != "rx:optix@cuda") return specs_of(index);
  std::vector<std::string> specs;
  for (const std::string primitive : {"triangle", "sphere", "aabb"})
    for (const std::string update : {"rebuild", "refit"})
      specs.push_back(index + ",primitive=" + primitive + ",update=" + update);
  specs.push_back(index + ",update=refit,compact=on,point=offset,bits=18+23+23");
  specs.push_back(index + ",bucket=3");
  return specs;
}

std::vector<std::string> delta_specs(const std::string& index) {
  static const std::vector<std::string> deltas = {"", ",delta=64", ",delta=0"};
  std::vector<std::string> specs;
  const std::vector<std::string> all = specs_of(index);
  for (std::size_t i = 0; i < std::max(all.size(), deltas.size()); ++i)
    specs.push_back(all[i % all.size()] + deltas[i % deltas.size()]);
  return specs;
}

}  // namespace rtindex::test
