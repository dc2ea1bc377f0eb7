#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/rtindex.h>

#include "arrow/export.hpp"
#include "arrow/owned.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

// A message if a call fails: EXPECT_EQ("", error_in(rtindex_...)).
inline std::string error_in(rtindex_status status) {
  if (status == RTINDEX_STATUS_OK) return "";
  return std::string(rtindex_status_name(status)) + ": " + rtindex_last_error();
}

// An index of the C interface, freed at the end.
class CIndex {
 public:
  CIndex() = default;
  CIndex(const CIndex&) = delete;
  CIndex& operator=(const CIndex&) = delete;
  ~CIndex() { EXPECT_EQ("", error_in(rtindex_free(index_))); }
  [[nodiscard]] rtindex_index** out() { return &index_; }
  [[nodiscard]] rtindex_index* get() const { return index_; }

 private:
  rtindex_index* index_ = nullptr;
};

// A text that a call returned.
class CText {
 public:
  CText() = default;
  CText(const CText&) = delete;
  CText& operator=(const CText&) = delete;
  ~CText() { rtindex_free_text(text_); }
  [[nodiscard]] char** out() { return &text_; }
  [[nodiscard]] std::string text() const { return text_ == nullptr ? "" : text_; }

 private:
  char* text_ = nullptr;
};

// What a call exported.
struct Exported {
  arrow::Owned<ArrowSchema> schema;
  arrow::Owned<ArrowArray> array;

  [[nodiscard]] ArrowSchema* schema_out() { return schema.address(); }
  [[nodiscard]] ArrowArray* array_out() { return array.address(); }
  // The child of that name; null without one.
  [[nodiscard]] const ArrowArray* child(std::string_view name) const {
    for (std::int64_t i = 0; i < schema->n_children; ++i)
      if (schema->children[i]->name == name) return array->children[i];
    return nullptr;
  }
  [[nodiscard]] std::string format_of(std::string_view name) const {
    for (std::int64_t i = 0; i < schema->n_children; ++i)
      if (schema->children[i]->name == name) return schema->children[i]->format;
    return "";
  }
};

// The elements of an exported array.
template <class T>
[[nodiscard]] std::vector<T> elements_of(const ArrowArray& array) {
  const auto* data = static_cast<const T*>(array.buffers[1]);
  return {data, data + array.length};
}
// The strings of an exported array with 64-bit offsets.
[[nodiscard]] inline std::vector<std::string> strings_in(const ArrowArray& array) {
  const auto* offsets = static_cast<const std::int64_t*>(array.buffers[1]);
  const auto* bytes = static_cast<const char*>(array.buffers[2]);
  std::vector<std::string> strings;
  for (std::int64_t i = 0; i < array.length; ++i)
    strings.emplace_back(bytes + offsets[i], bytes + offsets[i + 1]);
  return strings;
}

// A column of a test as an Arrow array, which starts `skipped` rows into its buffers.
class ArrowColumn {
 public:
  explicit ArrowColumn(const TestColumn& column, std::size_t skipped = 0)
      : column_(column.shape(), padded(column, skipped)) {
    const auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
    const arrow::Node node = arrow::node_of(column_.view(), "", *owners);
    *schema_.address() = arrow::schema_of(node);
    *array_.address() = arrow::array_of(node, owners);
    if (column.size() != 0) {
      array_.address()->offset = static_cast<std::int64_t>(skipped);
      array_.address()->length -= static_cast<std::int64_t>(skipped);
    }
    c_.struct_size = sizeof(c_);
    c_.schema = &*schema_;
    c_.array = &*array_;
  }
  ArrowColumn(const ArrowColumn&) = delete;
  ArrowColumn& operator=(const ArrowColumn&) = delete;

  [[nodiscard]] const rtindex_column* get() const { return &c_; }
  [[nodiscard]] ArrowSchema& schema() { return *schema_.address(); }
  [[nodiscard]] ArrowArray& array() { return *array_.address(); }

 private:
  static std::vector<Key> padded(const TestColumn& column, std::size_t skipped) {
    std::vector<Key> keys = column.keys();
    if (!keys.empty()) keys.insert(keys.begin(), skipped, keys.back());
    return keys;
  }

  TestColumn column_;
  arrow::Owned<ArrowSchema> schema_;
  arrow::Owned<ArrowArray> array_;
  rtindex_column c_{};
};

// Native memory without Arrow.
template <class T>
[[nodiscard]] rtindex_column memory_of(std::int32_t type, const std::vector<T>& elements) {
  rtindex_column column{};
  column.struct_size = sizeof(column);
  column.type = type;
  column.count = elements.size();
  column.data = elements.data();
  return column;
}

template <class Struct>
[[nodiscard]] Struct sized() {
  Struct options{};
  options.struct_size = sizeof(options);
  return options;
}

inline const std::vector<std::int64_t> six_keys{26, 25, 29, 23, 29, 27};

// A test with an index over `six_keys`.
class CIndexTest : public testing::Test {
 protected:
  CIndexTest() {
    const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, six_keys);
    EXPECT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index_.out())));
  }
  [[nodiscard]] rtindex_index* index() const { return index_.get(); }

 private:
  CIndex index_;
};

}  // namespace rtindex::test
