#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "base/parallel.hpp"
#include "base/stored.hpp"
#include "execution/backend.hpp"
#include "keys/codec.hpp"
#include "storage/structure.hpp"

namespace rtindex {

inline constexpr std::size_t max_rows = std::numeric_limits<std::uint32_t>::max();

// What an Index holds, and its work: every call is checked here before a structure sees it.
struct Index::State {
  Spec spec;  // complete
  const Backend* backend = nullptr;
  std::unique_ptr<KeyCodec> codec;
  std::unique_ptr<Structure> structure;
  std::size_t rows = 0;
  std::unique_ptr<ThreadLimit> threads;
  TimeUnit time_unit = TimeUnit::unspecified;
  std::vector<TimeUnit> part_time_units;  // of a composite column
  TimeUnit included_time_unit = TimeUnit::unspecified;
  std::map<std::string, std::string> metadata;
  std::string file;    // the source of a loaded index; empty where it was built
  std::string loaded;  // how it was loaded, for describe()
  mutable std::shared_mutex mutex;
  // Lookups pass it on their way to the mutex and an update holds it while it waits, because
  // std::shared_mutex may let lookups overtake an update for ever.
  mutable std::mutex turnstile;

  [[nodiscard]] std::shared_lock<std::shared_mutex> lock_for_reading() const {
    const std::lock_guard passing(turnstile);
    return std::shared_lock(mutex);
  }

  [[nodiscard]] std::unique_lock<std::shared_mutex> lock_for_writing() const {
    const std::lock_guard waiting(turnstile);
    return std::unique_lock(mutex);
  }

  void require_supported(AnswerSet answers, LookupKind kind) const;
  void start_counting(const LookupOptions& options) const;

  // Options whose values are checked: the caller's, or the included ones, of which only the type is
  // set.
  struct ResolvedOptions {
    LookupOptions options;
    bool included = false;
  };
  [[nodiscard]] ResolvedOptions with_values(const LookupOptions& options, AnswerSet answers) const;
  // A GPU reads both kinds of memory, a CPU only its own.
  void require_reachable(const ColumnView& column, const char* what) const;
  // Of included values.
  void require_key_order() const;
  void require_comparable(const ColumnView& lookups) const;
  void require_lookups(const ColumnView& lower, const ColumnView& upper) const;

  [[nodiscard]] Answers answer(const ColumnView& lower, const ColumnView& upper, LookupKind kind,
                               const LookupOptions& options) const;
  void answer_into(const ColumnView& lower, const ColumnView& upper, LookupKind kind,
                   const LookupOptions& options, const Outputs& outputs) const;

  void build(const ColumnView& column, const BuildOptions& options);
  // The parts of the index, which must stay unchanged until they are written.
  [[nodiscard]] Stored stored() const;
  // The same as one array, in the format of index files.
  [[nodiscard]] Array<std::byte> container() const;
  void load(const Stored& stored, const std::shared_ptr<DeviceMemory>& memory);

  // Checks everything but the rows and keys themselves.
  void require_update(const ColumnView& changed, const ColumnView& new_keys) const;
  void update(const ColumnView& changed, const ColumnView& new_keys, Stream stream);
  // `changed` holds rows of the column, each of them once.
  void update_from_host(std::span<const std::uint32_t> changed, const ColumnView& new_keys);
};

}  // namespace rtindex
