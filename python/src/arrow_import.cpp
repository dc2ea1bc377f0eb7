#include "arrow/import.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "arrow.hpp"
#include "arrow/owned.hpp"
#include "arrow/type.hpp"
#include "base/error.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

using arrow::ArrowType;
using arrow::Owned;

// The unit of a timestamp, or the units of the fields, separated by commas; empty without one.
std::string units_in(const ArrowType& type) {
  if (type.layout != arrow::Layout::fields) return std::string(name_of(type.unit));
  std::string all;
  for (const ArrowType& field : type.fields)
    all += (&field == &type.fields.front() ? "" : ",") + std::string(name_of(field.unit));
  return all.find_first_not_of(',') == std::string::npos ? "" : all;
}

void append(Column& column, const ArrowType& type, ArrowArray* array) {
  auto owned = std::make_shared<Owned<ArrowArray>>(array);
  arrow::Imported imported = arrow::import_array(**owned, type);
  column.append(std::move(imported.view));
  for (Owner& owner : imported.owners) column.keep(std::move(owner));
  column.keep(std::move(owned));
}

// The struct in a capsule of that name.
template <class Struct>
Struct* in_capsule(nb::handle capsule, const char* name) {
  auto* found = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (found == nullptr) throw nb::python_error();
  if (found->release == nullptr) fail("the Arrow data has been consumed already: export it again");
  return found;
}

void require_success(int code, ArrowArrayStream* stream) {
  if (code == 0) return;
  const char* why = stream->get_last_error(stream);
  fail("the Arrow stream failed: {}", why == nullptr ? std::strerror(code) : why);
}

Column from_stream(nb::handle capsule) {
  Owned<ArrowArrayStream> stream(in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream"));
  Owned<ArrowSchema> schema;
  require_success(stream->get_schema(stream.address(), schema.address()), stream.address());
  const ArrowType type = ArrowType::from(*schema);
  Column column(type.type, units_in(type));
  while (true) {
    ArrowArray next{};
    require_success(stream->get_next(stream.address(), &next), stream.address());
    if (next.release == nullptr) break;
    append(column, type, &next);
  }
  if (column.pieces().empty()) column.append(arrow::empty_column(type));
  return column;
}

Column from_array(nb::handle schema_capsule, nb::handle array_capsule) {
  const Owned<ArrowSchema> schema(in_capsule<ArrowSchema>(schema_capsule, "arrow_schema"));
  const ArrowType type = ArrowType::from(*schema);
  Column column(type.type, units_in(type));
  append(column, type, in_capsule<ArrowArray>(array_capsule, "arrow_array"));
  return column;
}

// Releases an array on a device when the column goes.
struct OwnedDeviceArray {
  explicit OwnedDeviceArray(ArrowDeviceArray* from) : value(*from) {
    from->array.release = nullptr;
  }
  OwnedDeviceArray(const OwnedDeviceArray&) = delete;
  OwnedDeviceArray& operator=(const OwnedDeviceArray&) = delete;
  ~OwnedDeviceArray() {
    if (value.array.release != nullptr) value.array.release(&value.array);
  }

  ArrowDeviceArray value;
};

ArrowDeviceArray* device_array_in(nb::handle capsule) {
  auto* const found =
      static_cast<ArrowDeviceArray*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_device_array"));
  if (found == nullptr) throw nb::python_error();
  return found;
}

}  // namespace

std::int32_t arrow_device_type(nb::handle array) { return device_array_in(array)->device_type; }

DeviceColumn from_arrow_device(nb::handle schema_capsule, nb::handle array_capsule) {
  const Owned<ArrowSchema> schema(in_capsule<ArrowSchema>(schema_capsule, "arrow_schema"));
  const ArrowType type = ArrowType::from(*schema);
  ArrowDeviceArray* const given = device_array_in(array_capsule);
  if (given->array.release == nullptr)
    fail("the Arrow data has been consumed already: export it again");
  auto owned = std::make_shared<OwnedDeviceArray>(given);
  const ArrowDeviceArray& array = owned->value;
  arrow::Imported imported = arrow::import_array(array.array, type, MemorySpace::device);
  Column column(type.type, units_in(type));
  column.append(std::move(imported.view));
  const auto event =
      array.sync_event == nullptr ? 0 : *static_cast<const std::uintptr_t*>(array.sync_event);
  DeviceColumn result{std::move(column), array.device_type, array.device_id, event};
  result.column.keep(std::move(owned));
  return result;
}

Column from_arrow(nb::handle object) {
  if (nb::hasattr(object, "__arrow_c_array__")) {
    const nb::object capsules = object.attr("__arrow_c_array__")();
    return from_array(capsules[0], capsules[1]);
  }
  return from_stream(nb::object(object.attr("__arrow_c_stream__")()));
}

}  // namespace rtindex::python
