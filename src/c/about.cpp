#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>
#include <rtindex/version.hpp>

#include "arrow/answers.hpp"
#include "c/guard.hpp"
#include "c/handle.hpp"

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

namespace {

// A table of texts and numbers, exported as an array of structs.
class Table {
 public:
  explicit Table(std::size_t rows) : node_{"+s", "", rows, {nullptr}} {}

  template <class Strings>
  void add_texts(const char* name, const Strings& texts) {
    std::vector<std::string_view> views(texts.begin(), texts.end());
    node_.children.push_back(arrow::node_of(ColumnView(views), name, *owners_));
    node_.children.back().format = "U";  // our own texts are UTF-8
  }
  template <class T>
  void add(const char* name, Type type, std::vector<T> values) {
    auto held = std::make_shared<std::vector<T>>(std::move(values));
    owners_->push_back(held);
    node_.children.push_back(
        arrow::node_of(ColumnView::of(type, held->data(), held->size()), name, *owners_));
  }
  void export_to(ArrowSchema* schema, ArrowArray* array) const {
    arrow::export_node(node_, owners_, schema, &c::required(array, "array"));
  }

 private:
  arrow::Node node_;
  std::shared_ptr<std::vector<std::shared_ptr<const void>>> owners_ =
      std::make_shared<std::vector<std::shared_ptr<const void>>>();
};

// A member of each entry of a list or map.
template <class Entries, class Member>
auto each(const Entries& entries, Member member) {
  std::vector<std::decay_t<decltype((*entries.begin()).*member)>> values;
  values.reserve(entries.size());
  for (const auto& entry : entries) values.push_back(entry.*member);
  return values;
}

std::int32_t type_for_c(Type type) { return static_cast<std::int32_t>(type) + 1; }

}  // namespace

rtindex_status rtindex_check_spec(const char* spec, char** normal) {
  return c::guarded([&] {
    const Spec parsed(&c::required(spec, "spec"));
    if (normal != nullptr) *normal = c::text_for_caller(parsed.text());
  });
}

rtindex_status rtindex_default_spec(char** spec) {
  return c::guarded([&] { c::required(spec, "spec") = c::text_for_caller(default_spec().text()); });
}

rtindex_status rtindex_indexes(ArrowSchema* schema, ArrowArray* array) {
  return c::guarded([&] {
    const std::vector<IndexInfo> known = indexes();
    std::vector<std::uint8_t> available;
    available.reserve(known.size());
    for (const IndexInfo& index : known) available.push_back(index.available ? 1 : 0);
    Table table(known.size());
    table.add_texts("spec", each(known, &IndexInfo::spec));
    table.add("available", Type::boolean, std::move(available));
    table.add_texts("reason", each(known, &IndexInfo::reason));
    table.export_to(schema, array);
  });
}

rtindex_status rtindex_spec_options(ArrowSchema* schema, ArrowArray* array) {
  return c::guarded([&] {
    const std::vector<OptionHelp>& options = spec_options();
    Table table(options.size());
    table.add_texts("name", each(options, &OptionHelp::name));
    table.add_texts("choices", each(options, &OptionHelp::choices));
    table.add_texts("meaning", each(options, &OptionHelp::meaning));
    table.export_to(schema, array);
  });
}

rtindex_status rtindex_get_info(const rtindex_index* index, rtindex_info* info) {
  return c::guarded([&] {
    const Index& checked = c::checked(index).index;
    rtindex_info facts = c::options_of(&c::required(info, "info"), "rtindex_info");
    const MemoryUsage memory = checked.memory_usage();
    const std::vector<IncludedType> included = checked.included();
    facts.rows = checked.size();
    facts.valid = checked.valid();
    facts.type = type_for_c(checked.type());
    facts.time_unit = static_cast<std::int32_t>(checked.time_unit());
    facts.included_count = included.size();
    facts.included = included.empty() ? 0 : type_for_c(included.front().type);
    facts.included_unit =
        included.empty() ? 0 : static_cast<std::int32_t>(included.front().time_unit);
    facts.scale = checked.scale();
    facts.included_scale = included.empty() ? 0 : included.front().scale;
    facts.part_count = checked.part_types().size();
    facts.resident_bytes = memory.resident;
    facts.build_peak_bytes = memory.build_peak;
    *info = facts;
  });
}

rtindex_status rtindex_column_schema(const rtindex_index* index, ArrowSchema* schema) {
  return c::guarded([&] {
    const Index& checked = c::checked(index).index;
    ArrowSchema& to = c::required(schema, "schema");
    const auto empty = [](Type type) {
      return type == Type::string ? ColumnView(std::span<const std::string_view>())
                                  : ColumnView::of(type, nullptr, 0);
    };
    ColumnView column;
    if (checked.type() == Type::composite) {
      std::vector<ColumnView> parts;
      for (const Type type : checked.part_types()) parts.push_back(empty(type));
      column = ColumnView::composite(std::move(parts));
    } else {
      column = empty(checked.type());
    }
    std::vector<std::shared_ptr<const void>> owners;
    to = arrow::schema_of(arrow::node_of(arrow::with_units_of(checked, column), "", owners));
  });
}

rtindex_status rtindex_spec(const rtindex_index* index, char** spec) {
  return c::guarded([&] {
    char*& to = c::required(spec, "spec");
    to = c::text_for_caller(c::checked(index).index.spec().text());
  });
}

rtindex_status rtindex_describe(const rtindex_index* index, char** text) {
  return c::guarded([&] {
    char*& to = c::required(text, "text");
    to = c::text_for_caller(c::checked(index).index.describe());
  });
}

rtindex_status rtindex_supports(const rtindex_index* index, uint32_t answer, int32_t kind,
                                int32_t* supported) {
  return c::guarded([&] {
    const Index& checked = c::checked(index).index;
    int32_t& to = c::required(supported, "supported");
    const QueryKind query = c::choice(kind, QueryKind::box, "kind of query");
    for (const Answer known : all_answers())
      if (static_cast<std::uint32_t>(known) == answer) {
        to = checked.supports(known, query) ? 1 : 0;
        return;
      }
    fail("invalid answer: {}, expected one constant such as RTINDEX_ANSWER_ANY", answer);
  });
}

rtindex_status rtindex_included_columns(const rtindex_index* index, ArrowSchema* schema,
                                        ArrowArray* array) {
  return c::guarded([&] {
    const std::vector<IncludedType> included = c::checked(index).index.included();
    std::vector<std::int32_t> types, units;
    for (const IncludedType& column : included) {
      types.push_back(type_for_c(column.type));
      units.push_back(static_cast<std::int32_t>(column.time_unit));
    }
    Table table(included.size());
    table.add_texts("name", each(included, &IncludedType::name));
    table.add("type", Type::i32, std::move(types));
    table.add("time_unit", Type::i32, std::move(units));
    table.export_to(schema, array);
  });
}

rtindex_status rtindex_memory_parts(const rtindex_index* index, ArrowSchema* schema,
                                    ArrowArray* array) {
  return c::guarded([&] {
    using Entry = std::pair<std::string, std::size_t>;
    const std::vector<Entry> parts = c::checked(index).index.memory_usage().parts;
    Table table(parts.size());
    table.add_texts("name", each(parts, &Entry::first));
    table.add("bytes", Type::u64, each(parts, &Entry::second));
    table.export_to(schema, array);
  });
}

rtindex_status rtindex_build_profile(const rtindex_index* index, ArrowSchema* schema,
                                     ArrowArray* array) {
  return c::guarded([&] {
    using Entry = std::pair<std::string, double>;
    const std::vector<Entry> profile = c::checked(index).index.build_profile();
    Table table(profile.size());
    table.add_texts("name", each(profile, &Entry::first));
    table.add("value", Type::f64, each(profile, &Entry::second));
    table.export_to(schema, array);
  });
}

rtindex_status rtindex_set_metadata(rtindex_index* index, const char* name, const char* text) {
  return c::guarded([&] {
    c::checked(index).index.set_metadata(&c::required(name, "name"), &c::required(text, "text"));
  });
}

rtindex_status rtindex_metadata(const rtindex_index* index, ArrowSchema* schema,
                                ArrowArray* array) {
  return c::guarded([&] {
    using Entry = std::pair<const std::string, std::string>;
    const std::map<std::string, std::string>& metadata = c::checked(index).index.metadata();
    Table table(metadata.size());
    table.add_texts("name", each(metadata, &Entry::first));
    table.add_texts("text", each(metadata, &Entry::second));
    table.export_to(schema, array);
  });
}
