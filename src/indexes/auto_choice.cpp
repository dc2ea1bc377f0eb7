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

// What is known of a GPU; without RT cores nothing is measured.
struct Known {
  unsigned rtcore_version = 0;
  Calibration times;
};

std::filesystem::path file_for(const CalibratedGpu& gpu, const std::filesystem::path& folder) {
  std::string name = fmt::format("auto-{}-{}-{}", gpu.name, gpu.driver, RTINDEX_VERSION_STRING);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  return folder / (name + ".json");
}

// Nothing where there is no such file, or one that does not say what it should.
std::optional<Known> read(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  try {
    Known known;
    known.rtcore_version = json.at("rtcore_version").get<unsigned>();
    if (known.rtcore_version == 0) return known;
    known.times = {json.at("native_ms").get<double>(), json.at("optix_ms").get<double>()};
    const bool sound = std::isfinite(known.times.native_ms) && known.times.native_ms > 0 &&
                       std::isfinite(known.times.optix_ms) && known.times.optix_ms > 0;
    return sound ? std::optional(known) : std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

// A folder that cannot be written is no reason to fail: the next process measures again.
bool write(const std::filesystem::path& path, const CalibratedGpu& gpu, const Known& known) {
  nlohmann::json json = {
      {"gpu", gpu.name}, {"driver", gpu.driver}, {"rtcore_version", known.rtcore_version}};
  if (known.rtcore_version != 0) {
    json["native_ms"] = known.times.native_ms;
    json["optix_ms"] = known.times.optix_ms;
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

TracerChoice judge(const CalibratedGpu& gpu, const Known& known, const std::string& source) {
  if (known.rtcore_version == 0)
    return {"native", fmt::format("{} has no RT cores, so nothing is measured", gpu.name)};
  const bool optix = known.times.optix_ms < known.times.native_ms;
  return {optix ? "optix" : "native",
          fmt::format("on {} the same lookups took {:.3f} ms with rx:native and {:.3f} ms with "
                      "rx:optix, {}",
                      gpu.name, known.times.native_ms, known.times.optix_ms, source)};
}

}  // namespace

TracerChoice choose_tracer(const CalibratedGpu& gpu, const std::string& wish,
                           const std::filesystem::path& folder) {
  if (wish == "optix" && !gpu.rtcore_version())
    fail(
        "RTINDEX_AUTO=optix asks for OptiX, which cannot be used here: `rtindex indexes` says why");
  if (wish == "native" || wish == "optix")
    return {wish, fmt::format("RTINDEX_AUTO={} says so", wish)};
  if (!wish.empty() && wish != "measure")
    fail("RTINDEX_AUTO={} is not possible: write native, optix or measure, or leave it out", wish);
  const std::filesystem::path path = folder.empty() ? folder : file_for(gpu, folder);
  if (!path.empty() && wish != "measure")
    if (const auto known = read(path))
      return judge(gpu, *known, fmt::format("as {} tells", path.string()));

  Known known{};
  try {
    const std::optional<unsigned> rtcore_version = gpu.rtcore_version();
    if (!rtcore_version) return {"native", "OptiX cannot be used here"};
    known.rtcore_version = *rtcore_version;
    if (known.rtcore_version != 0) known.times = gpu.measure();
  } catch (const Error& error) {
    return {"native", fmt::format("measuring it against rx:optix failed: {}", error.what())};
  }
  const bool kept = !path.empty() && write(path, gpu, known);
  return judge(gpu, known,
               kept ? fmt::format("measured now and kept in {}", path.string()) : "measured now");
}

std::string auto_wish() {
  const char* const wish = std::getenv("RTINDEX_AUTO");
  return wish == nullptr ? "" : wish;
}

std::filesystem::path cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  // The standard says that a relative path is to be passed over.
  if (cache != nullptr && std::filesystem::path(cache).is_absolute())
    return std::filesystem::path(cache) / "rtindex";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".cache" / "rtindex";
}

}  // namespace rtindex
