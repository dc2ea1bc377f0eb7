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

// A GPU as far as the choice depends on it.
struct CalibratedGpu {
  std::string name;
  std::string driver;
  // Asked only where no file knows the answer: starting OptiX takes a moment. None: OptiX cannot be
  // used. 0: no RT cores.
  std::function<std::optional<unsigned>()> rtcore_version;
  // Throws Error where it fails.
  std::function<Calibration()> measure;
};

struct TracerChoice {
  std::string tracer;  // "native" or "optix"
  std::string reason;  // a sentence without its end
};

// `wish` is what the user wants in place of a choice: "native", "optix", "measure" (whatever a file
// says), or nothing. `folder` is where files are kept; empty: nowhere.
[[nodiscard]] TracerChoice choose_tracer(const CalibratedGpu& gpu, const std::string& wish,
                                         const std::filesystem::path& folder);

// RTINDEX_AUTO, the user's wish.
[[nodiscard]] std::string auto_wish();
// The folder `rtindex` in XDG_CACHE_HOME, or in ~/.cache; empty where there is neither.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace rtindex
