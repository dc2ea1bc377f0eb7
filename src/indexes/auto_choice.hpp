#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace rtindex {

// Which tracer `auto` takes on a GPU: native, or optix where RT cores make it the faster one. That
// is measured once for a GPU and a driver, and kept in a file.

// Milliseconds that both took for the same lookups.
struct Calibration {
  double native_ms = 0;
  double optix_ms = 0;
};

// The properties of a GPU that the choice depends on.
struct CalibratedGpu {
  std::string name;
  std::string driver;
  // Called only where no file has the answer, because starting OptiX takes a moment. None: OptiX is
  // not available. 0: no RT cores.
  std::function<std::optional<unsigned>()> rtcore_version;
  // Throws Error where it fails.
  std::function<Calibration()> measure;
};

struct TracerChoice {
  std::string tracer;  // "native" or "optix"
  std::string reason;  // a sentence without its end
};

// `wanted` overrides the choice: "native", "optix", "measure" (in spite of a file), or empty;
// "hash" is a wish of choose_for_points() only. `folder` is where files are kept; empty: nowhere.
[[nodiscard]] TracerChoice choose_tracer(const CalibratedGpu& gpu, const std::string& wanted,
                                         const std::filesystem::path& folder);

// Which index `auto` takes where only points will be asked: rx, or a hash table where that is
// faster. Measured once for a machine and a kind of column, and kept in a file like the choice of
// tracers.

// Milliseconds that both took for the same lookups.
struct PointsCalibration {
  double rx_ms = 0;
  double hash_ms = 0;
};

// What the choice depends on.
struct CalibratedPoints {
  std::string machine;  // the CPU, or the GPU and its driver
  std::string rx;       // the name of the index that the hash table is compared with
  std::string keys;     // those that are measured
  // Throws Error where it fails.
  std::function<PointsCalibration()> measure;
};

struct PointsChoice {
  bool hash = false;
  std::string reason;  // a sentence without its end
};

// `wanted` overrides it: "hash", a tracer, "measure", or empty. `folder` as above.
[[nodiscard]] PointsChoice choose_for_points(const CalibratedPoints& of, const std::string& wanted,
                                             const std::filesystem::path& folder);

// The environment variable RTINDEX_AUTO.
[[nodiscard]] std::string requested_tracer();
// The folder `rtindex` in XDG_CACHE_HOME, or in ~/.cache; empty where there is neither.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace rtindex
