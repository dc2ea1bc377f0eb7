#include "storage/cuda/device_update.hpp"

#include <algorithm>

#include "base/cuda/runtime.hpp"
#include "base/error.hpp"
#include "storage/cuda/device_columns.hpp"
#include "storage/cuda/device_pointers.hpp"
#include "storage/structure.hpp"

namespace rtindex::cuda {

namespace {

void require_distinct(const std::uint32_t* rows, std::size_t count, std::size_t row_count,
                      const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream) {
  const auto wrong = find_wrong_row(rows, count, row_count, memory, stream);
  if (!wrong) return;
  if (wrong->is_duplicate)
    fail("the update names row {} twice: give each row one new key", wrong->row);
  fail("the update names row {} but the column has {} rows", wrong->row, row_count);
}

}  // namespace

bool patch_column(DeviceColumn& column, const Changes& changes,
                  const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream) {
  if (changes.memory_space == MemorySpace::device)
    return patch_column(column, changes.rows, changes.keys, changes.size, memory, stream);
  const auto rows = uploaded(changes.rows, changes.size, memory, stream);
  const auto keys = uploaded(changes.keys, changes.size, memory, stream);
  return patch_column(column, rows.data(), keys.data(), changes.size, memory, stream);
}

bool update_on_device(Structure& structure, KeyCodec& codec, const ColumnView& rows,
                      const ColumnView& new_keys, std::size_t row_count, Stream user_stream) {
  if (rows.size() == 0) return true;
  require_on_device(rows, "rows of the update");
  require_on_device(new_keys, "new keys");
  const std::shared_ptr<DeviceMemory> memory = structure.device_memory();
  const OwnStream own;
  const cudaStream_t stream = own.get();
  wait_for(stream, static_cast<cudaStream_t>(user_stream.handle));

  const auto* row_ids = static_cast<const std::uint32_t*>(rows.data());
  require_distinct(row_ids, rows.size(), row_count, memory, stream);
  const std::uint64_t base = codec.native_base().value_or(0);
  const NativeMap map{element_type(codec.type()), base, codec.span(), codec.empty()};
  const NewKeys encoded = encode_new_keys(elements_of(new_keys), map, memory, stream);
  if (encoded.unfit)
    fail(
        "key {} does not fit the column's type {}: give another, or build a new index of a wider "
        "type",
        element_text(new_keys, static_cast<std::uint32_t>(*encoded.unfit), stream),
        name_of(codec.type()));

  const bool has_nulls = encoded.extent.valid != new_keys.size();
  if (codec.empty() || has_nulls || encoded.extent.smallest < base) return false;
  const std::uint64_t span = std::max(codec.span(), encoded.extent.largest - base);
  if (!structure.update({row_ids, encoded.keys.data(), rows.size(), MemorySpace::device}, span))
    return false;
  codec.set_span(span);
  return true;
}

}  // namespace rtindex::cuda
