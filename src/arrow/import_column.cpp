#include <cstring>
#include <utility>

#include <rtindex/arrow.hpp>

#include "arrow/import.hpp"
#include "arrow/owned.hpp"
#include "base/error.hpp"

namespace rtindex {

namespace {

// What the views of a column point into.
struct ArrowMemory {
  std::vector<std::unique_ptr<arrow::Owned<ArrowArray>>> arrays;
  std::vector<std::shared_ptr<const void>> copies;
};

void append_chunk(ArrowColumn& column, ArrowMemory& memory, const arrow::ArrowType& type,
                  std::unique_ptr<arrow::Owned<ArrowArray>> array, MemorySpace space) {
  arrow::Imported imported = arrow::import_array(**array, type, space);
  column.chunks.push_back(arrow::with_units(imported.view, type));
  for (auto& copy : imported.owners) memory.copies.push_back(std::move(copy));
  memory.arrays.push_back(std::move(array));
}

void require_success(int code, arrow::Owned<ArrowArrayStream>& stream) {
  if (code == 0) return;
  const char* const why = stream->get_last_error(stream.address());
  fail("the Arrow stream failed: {}", why == nullptr ? std::strerror(code) : why);
}

}  // namespace

ArrowColumn import_arrow(ArrowSchema* schema, ArrowArray* array, MemorySpace space) {
  if (schema == nullptr || array == nullptr)
    fail("expected an Arrow schema and array to import, got a null pointer");
  const arrow::Owned<ArrowSchema> owned_schema(schema);
  auto owned_array = std::make_unique<arrow::Owned<ArrowArray>>(array);
  const auto memory = std::make_shared<ArrowMemory>();
  ArrowColumn column{.chunks = {}, .owner = memory};
  append_chunk(column, *memory, arrow::ArrowType::from(*owned_schema), std::move(owned_array),
               space);
  return column;
}

ArrowColumn import_arrow(ArrowArrayStream* stream) {
  if (stream == nullptr) fail("expected an Arrow stream to import, got a null pointer");
  if (stream->release == nullptr)
    fail("the Arrow stream has been released or moved already: export it again");
  arrow::Owned<ArrowArrayStream> owned(stream);
  arrow::Owned<ArrowSchema> schema;
  require_success(owned->get_schema(owned.address(), schema.address()), owned);
  const arrow::ArrowType type = arrow::ArrowType::from(*schema);
  const auto memory = std::make_shared<ArrowMemory>();
  ArrowColumn column{.chunks = {}, .owner = memory};
  while (true) {
    auto next = std::make_unique<arrow::Owned<ArrowArray>>();
    require_success(owned->get_next(owned.address(), next->address()), owned);
    if ((*next)->release == nullptr) break;
    append_chunk(column, *memory, type, std::move(next), MemorySpace::host);
  }
  if (column.chunks.empty())
    column.chunks.push_back(arrow::with_units(arrow::empty_column(type), type));
  return column;
}

}  // namespace rtindex
