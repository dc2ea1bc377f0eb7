#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rtindex/arrow.h>
#include <rtindex/column.hpp>

namespace rtindex::arrow {

// An array to export: its type, views of its buffers, and its children.
struct Node {
  std::string format;
  std::string name = {};
  std::size_t length = 0;
  std::vector<const void*> buffers = {};  // the validity bitmap, or null, comes first
  std::vector<Node> children = {};
};

// The type of a node and of its children, on its own: the receiver releases it.
[[nodiscard]] ArrowSchema schema_of(const Node& node);
// The array. It and each child that is moved out of it share `owner`, which owns the buffers, until
// they are released.
[[nodiscard]] ArrowArray array_of(const Node& node, const std::shared_ptr<const void>& owner);

// Writes an array, and its schema if one is wanted, once both are complete.
void export_node(const Node& node, const std::shared_ptr<const void>& owner, ArrowSchema* schema,
                 ArrowArray* array);

// Lists of uint32 between 64-bit offsets.
[[nodiscard]] Node lists_of_rows(std::string name, std::size_t length, const void* offsets,
                                 const void* rows, std::size_t row_count);

// A column as a node. Elements stay where they are; strings, bools and bitmaps that do not start
// with a byte are copied to Arrow's layout, into `owners`.
[[nodiscard]] Node node_of(const ColumnView& column, std::string name,
                           std::vector<std::shared_ptr<const void>>& owners);

}  // namespace rtindex::arrow
