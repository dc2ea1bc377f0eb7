#include "kinds/optix/library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "base/cuda/runtime.hpp"
#include "base/error.hpp"

namespace rtindex::optix {

namespace {

using Query = Result (*)(int abi, unsigned options, const int* keys, const void** values,
                         void* table, std::size_t table_bytes);

// Containers have only the parts of a driver that they request; OptiX is in its graphics part.
[[nodiscard]] bool container_hides_graphics() {
  const char* const requested = std::getenv("NVIDIA_DRIVER_CAPABILITIES");
  if (requested == nullptr) return false;
  const std::string_view list = requested;
  return list.find("graphics") == std::string_view::npos &&
         list.find("all") == std::string_view::npos;
}

[[nodiscard]] std::string explain_absence(const char* name) {
  const char* const loader = dlerror();
  const std::string said = loader == nullptr ? "no reason given" : loader;
  if (container_hides_graphics())
    return fmt::format(
        "{} was not found, because this container does not request graphics: start it with "
        "NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics (or all)",
        name);
  return fmt::format(
      "{} was not found ({}): install the whole NVIDIA driver, {} or newer; a data-centre driver "
      "or a container may leave this library out",
      name, said, oldest_driver);
}

[[nodiscard]] std::string reason_of_rejection(Result result) {
  if (result == Result::unsupported_abi)
    return fmt::format(
        "the NVIDIA driver is too old for OptiX 8.0 (ABI {}): install driver {} or newer",
        abi_version, oldest_driver);
  if (result == Result::table_size_mismatch)
    return fmt::format(
        "the NVIDIA driver has another table of functions for OptiX ABI {}: please report the "
        "driver's version",
        abi_version);
  return fmt::format("the NVIDIA driver's OptiX does not start: error {}",
                     static_cast<int>(result));
}

}  // namespace

Library load_library(const char* name) {
  Library found;
  // Loaded until the process ends: OptiX cannot be unloaded.
  void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    found.fault = explain_absence(name);
    return found;
  }
  const auto query = reinterpret_cast<Query>(dlsym(handle, "optixQueryFunctionTable"));
  if (query == nullptr) {
    found.fault = fmt::format(
        "{} is a placeholder without OptiX, as in the Windows Subsystem for Linux: use "
        "rx:native@cuda there, or Linux itself",
        name);
    return found;
  }
  const Result result =
      query(abi_version, 0, nullptr, nullptr, &found.functions, sizeof(FunctionTable));
  if (result != Result::success) found.fault = reason_of_rejection(result);
  return found;
}

const Library& library() {
  static const Library loaded = load_library("libnvoptix.so.1");
  return loaded;
}

const std::optional<std::string>& unusable() {
  static const std::optional<std::string> fault = []() -> std::optional<std::string> {
    if (cuda::unusable()) return cuda::unusable();
    if (library().fault) return library().fault;
    try {
      static_cast<void>(context_of(0));
    } catch (const Error& error) {
      return error.what();
    }
    return std::nullopt;
  }();
  return fault;
}

const FunctionTable& functions() {
  if (library().fault) fail(ErrorKind::unavailable, "optix: {}", *library().fault);
  return library().functions;
}

void check(Result result, const char* doing, const char* log) {
  if (result == Result::success) return;
  // Clears a failure inside CUDA, which the next CUDA call would report again.
  static_cast<void>(cudaGetLastError());
  if (result == Result::device_out_of_memory)
    fail(ErrorKind::out_of_memory,
         "optix: out of GPU memory while {}: free memory there, or index fewer rows", doing);
  if (result == Result::host_out_of_memory)
    fail(ErrorKind::out_of_memory, "optix: out of memory while {}", doing);
  fail(ErrorKind::unavailable, "optix: {} ({}) while {}{}{}", functions().error_text(result),
       functions().error_name(result), doing, *log == '\0' ? "" : ": ", log);
}

const DeviceContext& context_of(int device) {
  static std::mutex mutex;
  // Never destroyed: the driver may be unloaded before static objects are destroyed.
  static auto& contexts = *new std::map<int, DeviceContext>();
  const std::lock_guard lock(mutex);
  const auto known = contexts.find(device);
  if (known != contexts.end()) return known->second;
  const cuda::OnDevice current(device);
  cuda::check(cudaFree(nullptr), "starting CUDA");
  DeviceContext made;
  const ContextOptions options;
  check(functions().create_context(nullptr, &options, &made.context), "starting OptiX");
  const auto get = [&](int property, unsigned& value) {
    check(functions().get_property(made.context, property, &value, sizeof(value)),
          "querying the GPU");
  };
  get(property_rtcore_version, made.rtcore_version);
  get(property_max_primitives, made.max_primitives);
  return contexts.emplace(device, made).first->second;
}

std::string rtcore_text(int device) {
  const unsigned version = context_of(device).rtcore_version;
  if (version == 0) return "RT cores version 0 (none: traversal runs in software)";
  return fmt::format("RT cores version {}.{}", version / 10, version % 10);
}

}  // namespace rtindex::optix
