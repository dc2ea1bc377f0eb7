#include "arrow.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <utility>

#include "arrow_abi.hpp"
#include "bind.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

std::shared_ptr<const Buffer> buffer_of(nb::handle object) {
  return object.is_none() ? nullptr : std::make_shared<Buffer>(object.ptr(), Buffer::Access::read);
}

// A consumer that moves the content out sets its `release` to null.
template <class Struct>
nb::object in_capsule(Struct* content, const char* name) {
  PyObject* capsule = PyCapsule_New(content, name, [](PyObject* self) {
    auto* held = static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) throw nb::python_error();
  return nb::steal(capsule);
}

struct ExportedSchema {
  std::string format;
  std::unique_ptr<ArrowSchema> item;
  ArrowSchema* children = nullptr;
};

constexpr std::int64_t nullable_flag = 2;

// Arrow calls the elements of lists "item"; a column on its own has no name.
ArrowSchema schema_for(const std::string& format, const char* name,
                       std::unique_ptr<ArrowSchema> item) {
  auto content = std::make_unique<ExportedSchema>(ExportedSchema{format, std::move(item)});
  content->children = content->item.get();
  ArrowSchema schema{};
  schema.format = content->format.c_str();
  schema.name = name;
  schema.flags = nullable_flag;
  schema.n_children = content->children == nullptr ? 0 : 1;
  schema.children = content->children == nullptr ? nullptr : &content->children;
  schema.release = [](ArrowSchema* self) {
    const std::unique_ptr<ExportedSchema> held(static_cast<ExportedSchema*>(self->private_data));
    if (held->item && held->item->release != nullptr) held->item->release(held->item.get());
    self->release = nullptr;
  };
  schema.private_data = content.release();
  return schema;
}

}  // namespace

// The private data of an exported array. The buffers belong to Python objects and any thread may
// release the array, so that the GIL is taken to free them; nothing is freed once the interpreter
// has exited.
struct Exported {
  std::array<std::shared_ptr<const Buffer>, 2> held;
  std::array<const void*, 2> buffers{};
  std::unique_ptr<ArrowArray> item;
  ArrowArray* children = nullptr;

  static void release(ArrowArray* self) {
    auto* content = static_cast<Exported*>(self->private_data);
    if (content->item && content->item->release != nullptr)
      content->item->release(content->item.get());
    if (Py_IsInitialized() != 0) {
      const PyGILState_STATE state = PyGILState_Ensure();
      delete content;
      PyGILState_Release(state);
    }
    self->release = nullptr;
  }

  static ArrowArray array_of(const ArrowAnswer& answer) {
    auto content = std::make_unique<Exported>();
    content->held = {answer.validity_, answer.elements_};
    for (std::size_t i = 0; i < content->held.size(); ++i)
      if (content->held[i]) content->buffers[i] = content->held[i]->data();
    if (answer.items_) content->item = std::make_unique<ArrowArray>(array_of(*answer.items_));
    content->children = content->item.get();
    ArrowArray array{};
    array.length = static_cast<std::int64_t>(answer.length_);
    array.null_count = answer.validity_ ? -1 : 0;
    array.n_buffers = 2;
    array.n_children = content->item ? 1 : 0;
    array.buffers = content->buffers.data();
    array.children = content->item ? &content->children : nullptr;
    array.release = release;
    array.private_data = content.release();
    return array;
  }

  static ArrowSchema schema_of(const ArrowAnswer& answer, const char* name = "") {
    std::unique_ptr<ArrowSchema> item;
    if (answer.items_) item = std::make_unique<ArrowSchema>(schema_of(*answer.items_, "item"));
    return schema_for(answer.format_, name, std::move(item));
  }
};

ArrowAnswer::ArrowAnswer(std::string format, std::size_t length, nb::handle elements,
                         nb::handle validity)
    : format_(std::move(format)),
      length_(length),
      elements_(buffer_of(elements)),
      validity_(buffer_of(validity)) {}

ArrowAnswer::ArrowAnswer(std::size_t length, nb::handle offsets, nb::handle rows)
    : ArrowAnswer("+L", length, offsets, nb::none()) {
  items_ = std::make_shared<ArrowAnswer>("I", nb::len(rows), rows, nb::none());
}

nb::tuple ArrowAnswer::capsules() const {
  nb::object schema = in_capsule(new ArrowSchema(Exported::schema_of(*this)), "arrow_schema");
  nb::object array = in_capsule(new ArrowArray(Exported::array_of(*this)), "arrow_array");
  return nb::make_tuple(std::move(schema), std::move(array));
}

void bind_arrow_answers(nb::module_& module) {
  nb::class_<ArrowAnswer>(module, "ArrowAnswer", "An answer as an Arrow array.")
      .def(nb::init<std::string, std::size_t, nb::handle, nb::handle>(), nb::arg("format"),
           nb::arg("length"), nb::arg("elements"), nb::arg("validity").none())
      .def(nb::init<std::size_t, nb::handle, nb::handle>(), nb::arg("length"), nb::arg("offsets"),
           nb::arg("rows"))
      .def(
          "__arrow_c_array__",
          [](const ArrowAnswer& answer, nb::handle) { return answer.capsules(); },
          nb::arg("requested_schema") = nb::none());
}

}  // namespace rtindex::python
