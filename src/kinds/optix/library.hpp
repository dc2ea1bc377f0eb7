#pragma once

#include <optional>
#include <string>

#include "kinds/optix/function_table.hpp"

namespace rtindex::optix {

// The driver's OptiX: a table of functions, or why there is none.
struct Library {
  FunctionTable functions{};
  std::optional<std::string> fault;
};

// Loads the library of this name; the driver's is libnvoptix.so.1.
[[nodiscard]] Library load_library(const char* name);

// The driver's, loaded once per process.
[[nodiscard]] const Library& library();

// Why OptiX cannot be used, in a sentence; none if it can.
[[nodiscard]] const std::optional<std::string>& unusable();

// The functions of the driver; an Error if OptiX cannot be used.
[[nodiscard]] const FunctionTable& functions();

// Throws an Error that names the failure, the operation and the log of OptiX.
void check(Result result, const char* doing, const char* log = "");

// The context of a GPU, created once per process, and its properties.
struct DeviceContext {
  Context context = nullptr;
  unsigned rtcore_version = 0;  // 10 times the generation; 0: no RT cores
  unsigned max_primitives = 0;  // of one acceleration structure
};
[[nodiscard]] const DeviceContext& context_of(int device);

// "RT cores version 2.0" or "no RT cores: traversal runs in software".
[[nodiscard]] std::string rtcore_text(int device);

}  // namespace rtindex::optix
