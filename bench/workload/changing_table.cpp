#include "workload/changing_table.hpp"

#include <fmt/format.h>

#include <rtindex/error.hpp>

namespace rtindex::bench {

namespace {

constexpr int narrow_bits = 8;

void require(std::size_t wanted, std::size_t available, const char* what) {
  if (wanted > available)
    throw Error(
        fmt::format("a change of {} rows does not fit the table: {} {}", wanted, available, what));
}

}  // namespace

std::string name_of(Change change) {
  switch (change) {
    case Change::insert: return "insert";
    case Change::update: return "update";
    case Change::erase: return "erase";
  }
  return {};
}

void apply(const RowBatch& batch, Index& index) {
  switch (batch.change) {
    case Change::insert:
      index.insert(batch.keys.view(),
                   index.included().empty() ? ColumnView() : view_of(batch.values));
      return;
    case Change::update: return index.update(view_of(batch.rows), batch.keys.view());
    case Change::erase: return index.erase(view_of(batch.rows));
  }
}

ChangingTable::ChangingTable(ExecutionSpace& space, const Shape& shape, std::uint64_t seed)
    : order_{Permutation(shape.rows, seed), shape.rows},
      new_keys_{shape.bits, seed, shape.rows, shape.new_keys == NewKeys::narrow ? narrow_bits : 0,
                0},
      size_(shape.rows),
      updated_(shape.rows / 2) {
  const std::size_t most = shape.rows + shape.room;
  column_.keys = KeyArray(space, shape.bits, most);
  column_.values = WorkloadArray<std::uint32_t>(space, most);
  fill_new_keys(column_.keys.part(0, size_));
  new_keys_.first = size_;
  space.run(FillValues{seed, column_.values.data()}, most);
  column_.about = {
      {"keys", "uniform"},
      {"key_count", shape.rows},
      {"key_bits", shape.bits},
      {"seed", seed},
      {"new_keys", shape.new_keys == NewKeys::narrow ? "in 1/256 of the key space" : "uniform"}};
}

Column ChangingTable::column() const {
  return {column_.keys.part(0, size_), column_.values.part(0, size_), {}, column_.about};
}

Column ChangingTable::valid_column() const { return rows_of(column(), rows_at(erased_, valid())); }

Lookups ChangingTable::hits_between(std::size_t first, std::size_t end, std::size_t size,
                                    std::uint64_t seed) const {
  const Column all = column();
  return table_hits_in(all, {all.data(), order_, first, end - first, erased_, seed}, size);
}

RowBatch ChangingTable::next(Change change, std::size_t size) const {
  RowBatch batch{.change = change, .size = size, .rows = {}, .keys = {}, .values = {}};
  if (change == Change::erase) {
    require(size, valid(), "are not erased");
    batch.rows = rows_at(erased_, size);
    return batch;
  }
  require(size, new_keys_.old + new_keys_.new_keys() - new_keys_.first, "new keys are left");
  if (change == Change::update) {
    require(size, valid(), "are not erased");
    batch.rows = rows_at(first_to_update(size), size);
    batch.keys = KeyArray(space(), column_.keys.bits(), size);
  } else {
    require(size, room(), "may be inserted");
    batch.keys = column_.keys.part(size_, size);
    batch.values = column_.values.part(size_, size);
  }
  fill_new_keys(batch.keys);
  return batch;
}

void ChangingTable::apply(const RowBatch& batch) {
  switch (batch.change) {
    case Change::insert:
      size_ += batch.size;  // with keys already
      new_keys_.first += batch.size;
      return;
    case Change::update:
      space().run(ScatterKeys{batch.keys.data(), batch.rows.data(), column_.keys.data()},
                  batch.size);
      updated_ = first_to_update(batch.size) + batch.size;
      new_keys_.first += batch.size;
      return;
    case Change::erase: erased_ += batch.size; return;
  }
}

std::size_t ChangingTable::first_to_update(std::size_t size) const {
  return updated_ >= erased_ && updated_ + size <= size_ ? updated_ : erased_;
}

WorkloadArray<std::uint32_t> ChangingTable::rows_at(std::size_t position, std::size_t size) const {
  WorkloadArray<std::uint32_t> rows(space(), size);
  space().run(FillRows{order_, position, rows.data()}, size);
  return rows;
}

void ChangingTable::fill_new_keys(const KeyArray& keys) const {
  keys.space().run(FillKeys<TableKeys>{new_keys_, keys.data()}, keys.size());
}

}  // namespace rtindex::bench
