#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>

#include <rtindex/index.hpp>

#include "base/parallel.hpp"
#include "indexes/tick_units.hpp"
#include "keys/codec.hpp"
#include "storage/structure.hpp"

namespace rtindex {

inline constexpr std::size_t max_rows = std::numeric_limits<std::uint32_t>::max();

// What an Index holds, and its work: every call is checked here before a structure sees it.
struct Index::State {
  Spec spec;
  std::unique_ptr<KeyCodec> codec;
  std::unique_ptr<Structure> structure;
  std::size_t rows = 0;
  std::unique_ptr<ThreadLimit> threads;
  TickUnits tick_units;
  std::string file;    // that it was loaded from; empty where it was built
  std::string loaded;  // how, for describe()
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

  // The values that an ask needs: its own, checked, or the included ones, whose type is all that is
  // known here.
  struct Valued {
    LookupOptions options;
    bool included = false;
  };
  [[nodiscard]] Valued with_values(const LookupOptions& options, AnswerSet answers) const;
  // A GPU reads both kinds of memory, a CPU only its own.
  void require_reachable(const ColumnView& column, const char* what) const;
  void require_lookups(const ColumnView& lower, const ColumnView& upper) const;

  [[nodiscard]] Answers answer(const ColumnView& lower, const ColumnView& upper, LookupKind kind,
                               const LookupOptions& options) const;
  void answer_into(const ColumnView& lower, const ColumnView& upper, LookupKind kind,
                   const LookupOptions& options, const Outputs& outputs) const;

  void build(const ColumnView& column, const ColumnView* include, Stream stream);
  void save(const std::string& path) const;
  void load(const std::string& path, Verify verify);

  // What can be told without a look at the rows and keys themselves.
  void require_update(const ColumnView& changed, const ColumnView& new_keys) const;
  void update(const ColumnView& changed, const ColumnView& new_keys, Stream stream);
  // Rows that are there, each named once.
  void update_from_host(std::span<const std::uint32_t> changed, const ColumnView& new_keys);
};

}  // namespace rtindex
