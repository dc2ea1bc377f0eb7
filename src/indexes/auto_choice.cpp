#include "indexes/auto_choice.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
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

// Where a measurement is kept, for this version of the library.
std::filesystem::path file_for(const std::string& subject, const std::filesystem::path& folder) {
  if (folder.empty()) return {};
  std::string name = fmt::format("auto-{}-{}", subject, RTINDEX_VERSION_STRING);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  return folder / (name + ".json");
}

// A small file that only the user can write; empty where it is anything else. A link is not
// followed, and a pipe not waited for.
std::string own_text(const std::filesystem::path& path) {
  constexpr off_t most = 4096;
  // NOLINTNEXTLINE(*-vararg)
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return "";
  std::string text;
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
      (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 && status.st_size <= most) {
    text.resize(static_cast<std::size_t>(status.st_size));
    const ssize_t read_bytes = read(file, text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(read_bytes, 0)));
  }
  close(file);
  return text;
}

// Makes a folder for the user alone; one that is there already must be the user's.
[[nodiscard]] bool make_own_folder(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder.parent_path());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat status {};
  return stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & S_IWOTH) == 0;
}

// The measurement stored in a file; none where the file is missing or invalid, or where `wanted` is
// "measure".
template <class Read>
auto kept_in(const std::filesystem::path& path, const std::string& wanted, Read&& read)
    -> decltype(read(nlohmann::json())) {
  if (path.empty() || wanted == "measure") return std::nullopt;
  const std::string text = own_text(path);
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  try {
    return read(json);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

// Where the measurement comes from, for a reason. Without a writable folder the next process
// measures again.
std::string keep(const std::filesystem::path& path, const nlohmann::json& json) {
  constexpr const char* now = "measured now";
  if (path.empty()) return now;
  try {
    if (!make_own_folder(path.parent_path())) return now;
    AtomicFile file(path.string(), AtomicFile::Readers::owner);
    const std::string text = json.dump(2) + "\n";
    file.append(std::as_bytes(std::span(text)));
    file.commit();
    return fmt::format("{} and kept in {}", now, path.string());
  } catch (const std::filesystem::filesystem_error&) {
    return now;
  } catch (const Error&) {
    return now;
  }
}

[[nodiscard]] bool is_time(double milliseconds) {
  return std::isfinite(milliseconds) && milliseconds > 0;
}

void require_wish(const std::string& wanted) {
  for (const char* const known : {"", "native", "optix", "hash", "measure"})
    if (wanted == known) return;
  fail("invalid RTINDEX_AUTO={}: expected native, optix, hash or measure", wanted);
}

std::optional<Measured> tracers_in(const nlohmann::json& json) {
  Measured measured;
  measured.rtcore_version = json.at("rtcore_version").get<unsigned>();
  if (measured.rtcore_version == 0) return measured;
  measured.times = {json.at("native_ms").get<double>(), json.at("optix_ms").get<double>()};
  const bool valid = is_time(measured.times.native_ms) && is_time(measured.times.optix_ms);
  return valid ? std::optional(measured) : std::nullopt;
}

nlohmann::json json_of(const CalibratedGpu& gpu, const Measured& measured) {
  nlohmann::json json = {
      {"gpu", gpu.name}, {"driver", gpu.driver}, {"rtcore_version", measured.rtcore_version}};
  if (measured.rtcore_version != 0) {
    json["native_ms"] = measured.times.native_ms;
    json["optix_ms"] = measured.times.optix_ms;
  }
  return json;
}

std::optional<PointsCalibration> points_in(const nlohmann::json& json) {
  const PointsCalibration times{json.at("rx_ms").get<double>(), json.at("hash_ms").get<double>()};
  const bool valid = is_time(times.rx_ms) && is_time(times.hash_ms);
  return valid ? std::optional(times) : std::nullopt;
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

PointsChoice compare(const CalibratedPoints& of, const PointsCalibration& times,
                     const std::string& source) {
  return {
      times.hash_ms < times.rx_ms,
      fmt::format("on {} the same lookups in {} took {:.3f} ms with {} and {:.3f} ms with hash, "
                  "{}",
                  of.machine, of.keys, times.rx_ms, of.rx, times.hash_ms, source)};
}

}  // namespace

TracerChoice choose_tracer(const CalibratedGpu& gpu, const std::string& wanted,
                           const std::filesystem::path& folder) {
  if (wanted == "optix" && !gpu.rtcore_version())
    fail(ErrorKind::unavailable,
         "RTINDEX_AUTO=optix needs OptiX, which is not available: `rtindex indexes` says why");
  require_wish(wanted);
  if (wanted == "native" || wanted == "optix")
    return {wanted, fmt::format("RTINDEX_AUTO={} is set", wanted)};
  const std::filesystem::path path = file_for(fmt::format("{}-{}", gpu.name, gpu.driver), folder);
  if (const auto measured = kept_in(path, wanted, tracers_in))
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
  return compare(gpu, measured, keep(path, json_of(gpu, measured)));
}

PointsChoice choose_for_points(const CalibratedPoints& of, const std::string& wanted,
                               const std::filesystem::path& folder) {
  require_wish(wanted);
  if (!wanted.empty() && wanted != "measure")
    return {wanted == "hash", fmt::format("RTINDEX_AUTO={} is set", wanted)};
  const std::filesystem::path path =
      file_for(fmt::format("points-{}-{}-{}", of.machine, of.rx, of.keys), folder);
  if (const auto times = kept_in(path, wanted, points_in))
    return compare(of, *times, fmt::format("according to {}", path.string()));
  try {
    const PointsCalibration times = of.measure();
    return compare(of, times,
                   keep(path, {{"machine", of.machine},
                               {"rx", of.rx},
                               {"keys", of.keys},
                               {"rx_ms", times.rx_ms},
                               {"hash_ms", times.hash_ms}}));
  } catch (const Error& error) {
    return {false, fmt::format("measuring hash against {} failed: {}", of.rx, error.what())};
  }
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
