#pragma once

#include <optional>
#include <string>

#include "tracers/optix/function_table.hpp"

namespace rtindex::optix {

// What looking for the driver's OptiX found: a table of functions, or a sentence that says why
// there is none.
struct Library {
  FunctionTable functions{};
  std::optional<std::string> fault;
};

// Loads a library under this name; the driver's is libnvoptix.so.1.
[[nodiscard]] Library load_library(const char* name);

// The driver's, loaded once per process.
[[nodiscard]] const Library& library();

// Why OptiX cannot be used here, in a sentence; none where it can.
[[nodiscard]] const std::optional<std::string>& unusable();

// The functions of the driver, where it is usable.
[[nodiscard]] const FunctionTable& functions();

// Throws an Error that says what failed, while doing what, and what OptiX had to say.
void check(Result result, const char* doing, const char* log = "");

// The context of a GPU, made once per process, and what it says about the GPU.
struct DeviceContext {
  Context context = nullptr;
  unsigned rtcore_version = 0;  // 10 times the generation; 0: no RT cores
  unsigned max_primitives = 0;  // of one acceleration structure
};
[[nodiscard]] const DeviceContext& context_of(int device);

// "RT cores version 2.0" or "no RT cores: traversal runs in software".
[[nodiscard]] std::string rtcore_text(int device);

}  // namespace rtindex::optix
