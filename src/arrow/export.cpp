#include "arrow/export.hpp"

#include <utility>

#include <rtindex/arrow.hpp>

#include "arrow/owned.hpp"
#include "arrow/type.hpp"
#include "base/error.hpp"

namespace rtindex::arrow {

namespace {

// The children of an exported struct, released with it unless they were moved out.
template <class Struct>
class Children {
 public:
  explicit Children(std::size_t count) : structs_(count), pointers_(count) {
    for (std::size_t i = 0; i < count; ++i) pointers_[i] = &structs_[i];
  }
  Children(Children&&) noexcept = default;
  Children& operator=(Children&&) = delete;
  ~Children() {
    for (Struct& child : structs_)
      if (child.release != nullptr) child.release(&child);
  }

  [[nodiscard]] Struct& operator[](std::size_t i) { return structs_[i]; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(structs_.size()); }
  [[nodiscard]] Struct** pointers() { return pointers_.empty() ? nullptr : pointers_.data(); }

 private:
  std::vector<Struct> structs_;
  std::vector<Struct*> pointers_;
};

struct SchemaContent {
  std::string format, name;
  Children<ArrowSchema> children;
};

struct ArrayContent {
  std::shared_ptr<const void> owner;
  std::vector<const void*> buffers;
  Children<ArrowArray> children;
};

template <class Content, class Struct>
void release(Struct* self) {
  delete static_cast<Content*>(self->private_data);  // NOLINT(cppcoreguidelines-owning-memory)
  self->release = nullptr;
}

Node bits_of(const ColumnView& column, std::string name,
             std::vector<std::shared_ptr<const void>>& owners) {
  auto bits = std::make_shared<std::vector<std::uint8_t>>((column.size() + 7) / 8);
  const auto* bytes = static_cast<const std::uint8_t*>(column.data());
  for (std::size_t i = 0; i < column.size(); ++i)
    if (bytes[i] != 0) (*bits)[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
  owners.push_back(bits);
  return {"b", std::move(name), column.size(), {nullptr, bits->data()}};
}

struct CopiedStrings {
  std::vector<std::int64_t> offsets = {0};
  std::string bytes;
};

// Strings as large_binary: keys are bytes, which need not be UTF-8.
Node strings_of(const ColumnView& column, std::string name,
                std::vector<std::shared_ptr<const void>>& owners) {
  auto copied = std::make_shared<CopiedStrings>();
  copied->offsets.reserve(column.size() + 1);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (column.valid(i)) copied->bytes += column.string(i);
    copied->offsets.push_back(static_cast<std::int64_t>(copied->bytes.size()));
  }
  owners.push_back(copied);
  return {
      "Z", std::move(name), column.size(), {nullptr, copied->offsets.data(), copied->bytes.data()}};
}

Node without_validity(const ColumnView& column, std::string name,
                      std::vector<std::shared_ptr<const void>>& owners) {
  if (column.type() == Type::boolean) return bits_of(column, std::move(name), owners);
  if (column.type() == Type::string) return strings_of(column, std::move(name), owners);
  if (column.type() != Type::composite)
    return {format_of(column.type(), column.time_unit(), column.scale()),
            std::move(name),
            column.size(),
            {nullptr, column.data()}};
  Node node{"+s", std::move(name), column.size(), {nullptr}};
  for (std::size_t i = 0; i < column.parts().size(); ++i)
    node.children.push_back(node_of(column.parts()[i], "part" + std::to_string(i), owners));
  return node;
}

// The validity bitmap of a column, from bit 0 on.
const void* validity_of(const ColumnView& column,
                        std::vector<std::shared_ptr<const void>>& owners) {
  const std::size_t first = column.validity_offset();
  if (column.validity() == nullptr || first % 8 == 0)
    return column.validity() == nullptr ? nullptr : column.validity() + first / 8;
  auto bits = std::make_shared<std::vector<std::uint8_t>>((column.size() + 7) / 8);
  for (std::size_t i = 0; i < column.size(); ++i)
    if (((column.validity()[(first + i) / 8] >> ((first + i) % 8)) & 1) != 0)
      (*bits)[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
  owners.push_back(bits);
  return bits->data();
}

}  // namespace

ArrowSchema schema_of(const Node& node) {
  auto content = std::make_unique<SchemaContent>(
      SchemaContent{node.format, node.name, Children<ArrowSchema>(node.children.size())});
  for (std::size_t i = 0; i < node.children.size(); ++i)
    content->children[i] = schema_of(node.children[i]);
  ArrowSchema schema{};
  schema.format = content->format.c_str();
  schema.name = content->name.c_str();
  schema.flags = ARROW_FLAG_NULLABLE;
  schema.n_children = content->children.size();
  schema.children = content->children.pointers();
  schema.release = release<SchemaContent, ArrowSchema>;
  schema.private_data = content.release();
  return schema;
}

ArrowArray array_of(const Node& node, const std::shared_ptr<const void>& owner) {
  auto content = std::make_unique<ArrayContent>(
      ArrayContent{owner, node.buffers, Children<ArrowArray>(node.children.size())});
  for (std::size_t i = 0; i < node.children.size(); ++i)
    content->children[i] = array_of(node.children[i], owner);
  ArrowArray array{};
  array.length = static_cast<std::int64_t>(node.length);
  array.null_count = node.buffers.front() == nullptr ? 0 : -1;
  array.n_buffers = static_cast<std::int64_t>(content->buffers.size());
  array.n_children = content->children.size();
  array.buffers = content->buffers.data();
  array.children = content->children.pointers();
  array.release = release<ArrayContent, ArrowArray>;
  array.private_data = content.release();
  return array;
}

void export_node(const Node& node, const std::shared_ptr<const void>& owner, ArrowSchema* schema,
                 ArrowArray* array) {
  if (array == nullptr) fail("expected an Arrow array to export to, got a null pointer");
  Owned<ArrowSchema> type;
  if (schema != nullptr) *type.address() = schema_of(node);
  *array = array_of(node, owner);
  if (schema != nullptr) *schema = std::exchange(*type.address(), ArrowSchema{});
}

Node lists_of_rows(std::string name, std::size_t length, const void* offsets, const void* rows,
                   std::size_t row_count) {
  return {"+L",
          std::move(name),
          length,
          {nullptr, offsets},
          {{"I", "item", row_count, {nullptr, rows}}}};
}

Node node_of(const ColumnView& column, std::string name,
             std::vector<std::shared_ptr<const void>>& owners) {
  Node node = without_validity(column, std::move(name), owners);
  node.buffers.front() = validity_of(column, owners);
  return node;
}

}  // namespace rtindex::arrow

namespace rtindex {

void export_arrow(const ColumnView& column, const std::shared_ptr<const void>& owner,
                  ArrowSchema* schema, ArrowArray* array, std::string_view time_zone) {
  const auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  owners->push_back(owner);
  arrow::Node node = arrow::node_of(column, "", *owners);
  // Timestamps without a unit are integers, which have no zone.
  if (node.format.starts_with("ts")) node.format += time_zone;
  arrow::export_node(node, owners, schema, array);
}

void export_arrow(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> rows,
                  const std::shared_ptr<const void>& owner, ArrowSchema* schema,
                  ArrowArray* array) {
  const std::size_t lists = offsets.empty() ? 0 : offsets.size() - 1;
  arrow::export_node(arrow::lists_of_rows("", lists, offsets.data(), rows.data(), rows.size()),
                     owner, schema, array);
}

}  // namespace rtindex
