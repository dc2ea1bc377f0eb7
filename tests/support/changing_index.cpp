#include "support/changing_index.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {

ChangingIndex::ChangingIndex(const TestColumn& column, const std::string& spec, std::uint64_t seed,
                             Send send)
    : shape_(column.shape()),
      keys_(column.keys()),
      index_(build(column.view(), spec)),
      send_(std::move(send)),
      random_(seed),
      values_(values_of(Type::i64, column.size(), random_)) {}

std::string ChangingIndex::difference() {
  const TestColumn now(shape_, keys_);
  for (const Batch& batch : own_batches(now, 12, random_)) {
    if (!supports(index_, full_options().answers, batch.kind)) continue;
    const std::string text = check_call(index_, batch, scan(keys_, batch), full_options(), values_);
    if (!text.empty()) return text;
  }
  return "";
}

void ChangingIndex::update(const std::vector<std::uint32_t>& rows, const std::vector<Key>& new_keys,
                           const Shape& shape) {
  send_(index_, rows, TestColumn(shape, new_keys).view());
  for (std::size_t i = 0; i < rows.size(); ++i) keys_[rows[i]] = new_keys[i];
}

void ChangingIndex::random_update() {
  const TestColumn now(shape_, keys_);
  const std::vector<Shape> shapes = comparable_shapes(shape_);
  const Shape lookup_shape = random_.one_in(3) ? random_.pick(shapes) : shape_;
  std::vector<Key> pool;
  for (const Key& key : interesting_points(now, 8, random_))
    if (fits(key, shape_) && fits(key, lookup_shape)) pool.push_back(key);
  std::vector<std::uint32_t> rows(keys_.size());
  std::iota(rows.begin(), rows.end(), 0U);
  random_.shuffle(rows);
  rows.resize(random_.one_in(6) ? rows.size() : random_.below(rows.size() + 1) % 9);
  std::vector<Key> new_keys;
  for (std::size_t i = 0; i < rows.size(); ++i) new_keys.push_back(random_.pick(pool));
  update(rows, new_keys, lookup_shape);
}

void ChangingIndex::from_host(Index& index, const std::vector<std::uint32_t>& rows,
                              const ColumnView& keys) {
  index.update(rows, keys);
}

TestColumn some_rows(const std::string& workload) {
  const TestColumn column = workload_named(workload).column();
  std::vector<Key> keys = column.keys();
  keys.resize(std::min<std::size_t>(keys.size(), 120));
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

}  // namespace rtindex::test
