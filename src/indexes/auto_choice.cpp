#include "indexes/auto_choice.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include <rtindex/version.hpp>

#include "base/atomic_file.hpp"
#include "base/error.hpp"

namespace rtindex {

namespace {

// The measurement of a GPU; without RT cores nothing is measured.
struct Measured {
  unsigned rtcore_version = 0;
  Calibration times;
};

std::filesystem::path file_for(const CalibratedGpu& gpu, const std::filesystem::path& folder) {
  std::string name = fmt::format("auto-{}-{}-{}", gpu.name, gpu.driver, RTINDEX_VERSION_STRING);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  return folder / (name + ".json");
}

// Nothing where there is no such file, or an invalid one.
std::optional<Measured> read(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  try {
    Measured measured;
    measured.rtcore_version = json.at("rtcore_version").get<unsigned>();
    if (measured.rtcore_version == 0) return measured;
    measured.times = {json.at("native_ms").get<double>(), json.at("optix_ms").get<double>()};
    const bool valid = std::isfinite(measured.times.native_ms) && measured.times.native_ms > 0 &&
                       std::isfinite(measured.times.optix_ms) && measured.times.optix_ms > 0;
    return valid ? std::optional(measured) : std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

// Without a writable folder the next process measures again.
bool write(const std::filesystem::path& path, const CalibratedGpu& gpu, const Measured& measured) {
  nlohmann::json json = {
      {"gpu", gpu.name}, {"driver", gpu.driver}, {"rtcore_version", measured.rtcore_version}};
  if (measured.rtcore_version != 0) {
    json["native_ms"] = measured.times.native_ms;
    json["optix_ms"] = measured.times.optix_ms;
  }
  try {
    std::filesystem::create_directories(path.parent_path());
    AtomicFile file(path.string());
    const std::string text = json.dump(2) + "\n";
    file.append(std::as_bytes(std::span(text)));
    file.commit();
    return true;
  } catch (const std::filesystem::filesystem_error&) {
    return false;
  } catch (const Error&) {
    return false;
  }
}

TracerChoice compare(const CalibratedGpu& gpu, const Measured& measured,
                     const std::string& source) {
  if (measured.rtcore_version == 0)
    return {"native", fmt::format("{} has no RT cores, so nothing is measured", gpu.name)};
  const bool optix = measured.times.optix_ms < measured.times.native_ms;
  return {optix ? "optix" : "native",
          fmt::format("on {} the same lookups took {:.3f} ms with rx:native and {:.3f} ms with "
                      "rx:optix, {}",
                      gpu.name, measured.times.native_ms, measured.times.optix_ms, source)};
}

}  // namespace

TracerChoice choose_tracer(const CalibratedGpu& gpu, const std::string& wanted,
                           const std::filesystem::path& folder) {
  if (wanted == "optix" && !gpu.rtcore_version())
    fail(ErrorKind::unavailable,
         "RTINDEX_AUTO=optix needs OptiX, which is not available: `rtindex indexes` says why");
  if (wanted == "native" || wanted == "optix")
    return {wanted, fmt::format("RTINDEX_AUTO={} is set", wanted)};
  if (!wanted.empty() && wanted != "measure")
    fail("invalid RTINDEX_AUTO={}: expected native, optix or measure", wanted);
  const std::filesystem::path path = folder.empty() ? folder : file_for(gpu, folder);
  if (!path.empty() && wanted != "measure")
    if (const auto measured = read(path))
      return compare(gpu, *measured, fmt::format("according to {}", path.string()));

  Measured measured{};
  try {
    const std::optional<unsigned> rtcore_version = gpu.rtcore_version();
    if (!rtcore_version) return {"native", "OptiX is not available"};
    measured.rtcore_version = *rtcore_version;
    if (measured.rtcore_version != 0) measured.times = gpu.measure();
  } catch (const Error& error) {
    return {"native", fmt::format("measuring it against rx:optix failed: {}", error.what())};
  }
  const bool kept = !path.empty() && write(path, gpu, measured);
  return compare(gpu, measured,
                 kept ? fmt::format("measured now and kept in {}", path.string()) : "measured now");
}

std::string requested_tracer() {
  const char* const wanted = std::getenv("RTINDEX_AUTO");
  return wanted == nullptr ? "" : wanted;
}

std::filesystem::path cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  // The XDG standard ignores relative paths.
  if (cache != nullptr && std::filesystem::path(cache).is_absolute())
    return std::filesystem::path(cache) / "rtindex";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".cache" / "rtindex";
}

}  // namespace rtindex
