#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/answer.hpp>
#include <rtindex/index.hpp>

#include "answers/request.hpp"
#include "file/stored.hpp"
#include "keys/encoded_column.hpp"
#include "keys/lookup_batch.hpp"
#include "keys/owned_column.hpp"
#include "order/columns.hpp"

namespace rtindex {

// Included values and the rows that they belong to, ascending.
struct IncludedRows {
  Array<std::uint32_t> rows;
  OwnedColumn values;
};

// What holds the encoded keys of some rows and finds those of an interval: a tracer's scene, a
// tree, a table. The segments of an index own them and hand them validated input.
class Structure {
 public:
  virtual ~Structure() = default;

  // Answers every lookup of the batch. Called by many threads at once.
  virtual void run(const LookupBatch& batch, const Request& request) const = 0;

  // Throws where the batch cannot be answered; called before anything is written.
  virtual void require_answerable(const LookupBatch&) const {}

  // Changes keys in place, for update=refit; `span` is the largest from now on. False: the
  // structure cannot, and is unchanged. Only structures on a GPU are given device memory.
  [[nodiscard]] virtual bool refit(const Changes& changes, std::uint64_t span) {
    static_cast<void>(changes), static_cast<void>(span);
    return false;
  }

  // The number of keys that it holds.
  [[nodiscard]] virtual std::size_t size() const = 0;

  // Where a structure on a GPU takes its memory from; null on the CPU.
  [[nodiscard]] virtual std::shared_ptr<DeviceMemory> device_memory() const { return nullptr; }

  // The encoded keys, in row order, with the rowIDs of the index.
  [[nodiscard]] virtual EncodedColumn column() const = 0;

  // Writes what the structure is made of, to be opened again as it is. A structure that cannot be
  // (it belongs to a foreign library) writes its column, to be built again. What is written must
  // stay where it is until the file is complete.
  virtual void save(FileWriter file) const;

  // The type of the values that the structure keeps in key order; none where it keeps none.
  [[nodiscard]] virtual std::optional<Type> included() const { return std::nullopt; }
  // These values by row, of rows without a key too; only where there are any.
  [[nodiscard]] virtual IncludedRows included_rows() const { return {}; }

  [[nodiscard]] virtual bool supports(Answer, QueryKind) const { return true; }

  // Whether it can find edges and select rows.
  [[nodiscard]] virtual bool keeps_order() const { return false; }
  // The first or last valid row of every range of the batch, miss_row where it has none, and the
  // row's encoded key. Called by many threads at once; counters may be null.
  virtual void find_edges(const LookupBatch& batch, Edge edge, const RowBits& deleted,
                          std::uint32_t* rows, std::uint64_t* keys, Counters* counters) const;
  // The rows at these places in the order of keys, miss_row beyond the last. By default the keys
  // are sorted for it.
  virtual void select(const KeyCodec& codec, std::span<const std::uint64_t> places,
                      std::uint32_t* rows) const;
  // Whether run() fills Request::counters.
  [[nodiscard]] virtual bool counts_work() const { return false; }
  // Whether run() fills Request::ray_ms.
  [[nodiscard]] virtual bool times_rays() const { return false; }
  // What the last build or update consisted of: Index::build_profile.
  [[nodiscard]] virtual std::vector<std::pair<std::string, double>> build_profile() const {
    return {};
  }
  [[nodiscard]] virtual MemoryUsage memory_usage() const = 0;
  // Lines "name: value" for describe().
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace rtindex
