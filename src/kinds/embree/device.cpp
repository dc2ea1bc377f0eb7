#include "kinds/embree/device.hpp"

#include <cmath>
#include <string>

#include "base/bytes.hpp"
#include "base/call_control.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"

namespace rtindex {

namespace {

std::string_view explain(RTCError code) {
  switch (code) {
    case RTC_ERROR_OUT_OF_MEMORY: return "out of memory";
    case RTC_ERROR_UNSUPPORTED_CPU: return "this CPU lacks the instructions that Embree needs";
    case RTC_ERROR_CANCELLED: return "cancelled";
    case RTC_ERROR_INVALID_ARGUMENT: return "invalid argument";
    case RTC_ERROR_INVALID_OPERATION: return "invalid operation";
    default: return "unknown error";
  }
}

[[nodiscard]] bool is_valid(const Ray& ray) {
  return std::isfinite(ray.origin.x) && std::isfinite(ray.origin.y) &&
         std::isfinite(ray.origin.z) && ray.t_min >= 0 && ray.t_min <= ray.t_max &&
         std::isfinite(ray.t_max);
}

}  // namespace

EmbreeDevice::EmbreeDevice(int threads) {
  if (!can_start_threads()) threads = 1;
  static_cast<void>(rtcGetDeviceError(nullptr));  // of an earlier call in this thread
  device_ = rtcNewDevice(threads == 0 ? "" : fmt::format("threads={}", threads).c_str());
  if (device_ == nullptr) {
    const RTCError code = rtcGetDeviceError(nullptr);
    fail(code == RTC_ERROR_OUT_OF_MEMORY ? ErrorKind::out_of_memory : ErrorKind::unavailable,
         "embree: no device could be created: {}", explain(code));
  }
  rtcSetDeviceMemoryMonitorFunction(device_, count_memory, this);
}

EmbreeDevice::~EmbreeDevice() { rtcReleaseDevice(device_); }

bool EmbreeDevice::count_memory(void* self, std::ptrdiff_t bytes, bool) {
  auto* device = static_cast<EmbreeDevice*>(self);
  const std::ptrdiff_t now = device->bytes_ += bytes;
  std::ptrdiff_t peak = device->peak_;
  while (peak < now && !device->peak_.compare_exchange_weak(peak, now)) {
  }
  return true;
}

void EmbreeDevice::check(const char* doing) const {
  const RTCError code = rtcGetDeviceError(device_);
  if (code == RTC_ERROR_NONE) return;
  if (code == RTC_ERROR_OUT_OF_MEMORY)
    fail(ErrorKind::out_of_memory,
         "embree: out of memory while {}: Embree held {} and needed more; free memory, index fewer "
         "rows or use rx:native",
         doing, human_bytes(bytes()));
  fail(ErrorKind::unavailable, "embree: {} while {}", explain(code), doing);
}

namespace {

// Called by all threads that build, those of Embree too.
bool may_continue(void* control, double /*fraction*/) {
  try {
    static_cast<CallControl*>(control)->check();
    return true;
  } catch (...) {
    return false;  // check() throws again
  }
}

}  // namespace

void EmbreeDevice::commit(RTCScene scene) const {
  CallControl* const control = CallControl::current();
  if (control != nullptr) rtcSetSceneProgressMonitorFunction(scene, may_continue, control);
  rtcCommitScene(scene);
  if (control != nullptr) {
    rtcSetSceneProgressMonitorFunction(scene, nullptr, nullptr);
    control->check();
  }
  check("building the acceleration structure");
}

const char* embree_version() {
  static const std::string text =
      fmt::format("Embree {}.{}.{}", RTC_VERSION_MAJOR, RTC_VERSION_MINOR, RTC_VERSION_PATCH);
  return text.c_str();
}

RTCRay embree_ray(const Ray& ray) {
  if (!is_valid(ray))
    fail("bug in rtindex: invalid ray with t from {} to {}; please report it", ray.t_min,
         ray.t_max);
  RTCRay result{};
  result.org_x = ray.origin.x;
  result.org_y = ray.origin.y;
  result.org_z = ray.origin.z;
  result.dir_x = ray.direction.x;
  result.dir_y = ray.direction.y;
  result.dir_z = ray.direction.z;
  result.tnear = ray.t_min;
  result.tfar = ray.t_max;
  result.mask = 0xffffffffU;
  return result;
}

}  // namespace rtindex
