#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "answers/answers.hpp"
#include "answers/request.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "indexes/index_state.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex {

namespace {

constexpr std::array<std::string_view, 4> join_names = {"inner", "left", "semi", "anti"};
constexpr std::size_t join_grain = std::size_t{1} << 12;
constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();

// One join over an index that does not change meanwhile.
class Joiner {
 public:
  struct What {
    const ColumnView& lower;
    const ColumnView& upper;
    LookupKind kind;
    Ends ends = Ends::closed;
    NearestOptions nearest = {};
  };

  Joiner(const Index& index, const What& what, JoinKind how)
      : index_(index), what_(what), how_(how), size_(lookups_in(what.lower, what.upper)) {
    for (const ColumnView* const end : {&what.lower, &what.upper})
      if (end->memory_space() == MemorySpace::device)
        fail("a join takes lookups in host memory: copy them, or call join_into()");
  }

  // Calls take(part) for parts of at most `most` pairs, for one part if it is `whole`.
  template <class Take>
  void run(std::size_t most, Take&& take) const {
    if (most == 0) fail("invalid size 0 of a part: expected at least 1 pair");
    if constexpr (requires { take == nullptr; })
      if (take == nullptr) fail("expected a function that takes the parts, got none");
    std::size_t first = 0;
    do {
      const std::size_t count = std::min(size_ - first, most);
      if (how_ == JoinKind::semi || how_ == JoinKind::anti)
        take(explained([&] { return filtered(first, count); }));
      else if (what_.kind == LookupKind::nearest)
        take(explained([&] { return neighbours(first, count); }));
      else if (most == whole)
        take(explained([&] { return pairs(first, count); }));
      else {
        first = run_pairs(first, count, most, take);
        continue;
      }
      first += count;
    } while (first < size_);
  }

 private:
  // What take() throws is the caller's and passes as it is.
  template <class Make>
  [[nodiscard]] static auto explained(Make&& make) {
    return explain_out_of_memory("joining rows", make);
  }

  [[nodiscard]] Answers ask(std::size_t first, std::size_t count, AnswerSet answers,
                            bool matched) const {
    const auto some = [&](const ColumnView& end) {
      return end.given() ? end.slice(first, count) : end;
    };
    LookupOptions options{.answers = answers, .matched = matched};
    options.ends = what_.ends;
    if (what_.kind == LookupKind::point) return index_.lookup(some(what_.lower), options);
    if (what_.kind == LookupKind::nearest)
      return index_.nearest(some(what_.lower), what_.nearest, options);
    return index_.range(some(what_.lower), some(what_.upper), options);
  }

  [[nodiscard]] JoinedRows filtered(std::size_t first, std::size_t count) const {
    const Answers answers = ask(first, count, {}, true);
    JoinedRows joined;
    for (std::size_t i = 0; i < count; ++i)
      if (answers.matched(i) == (how_ == JoinKind::semi)) joined.lookups.push_back(first + i);
    return joined;
  }

  [[nodiscard]] JoinedRows neighbours(std::size_t first, std::size_t count) const {
    const Answers answers = ask(first, count, Answer::any, false);
    JoinedRows joined;
    joined.lookups.reserve(count);
    joined.rows.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t row = answers.any()[i];
      if (row == miss_row && how_ == JoinKind::inner) continue;
      joined.lookups.push_back(first + i);
      joined.rows.push_back(row);
    }
    return joined;
  }

  // How many pairs a lookup with so many rows makes.
  [[nodiscard]] std::uint64_t pairs_of(std::uint64_t rows) const {
    return how_ == JoinKind::left ? std::max<std::uint64_t>(rows, 1) : rows;
  }

  [[nodiscard]] JoinedRows pairs(std::size_t first, std::size_t count) const {
    Answers answers = ask(first, count, Answer::rows, false);
    const std::span<const std::uint64_t> offsets = answers.offsets();
    std::vector<std::uint64_t> starts(count + 1, 0);
    for (std::size_t i = 0; i < count; ++i)
      starts[i + 1] = starts[i] + pairs_of(offsets[i + 1] - offsets[i]);
    JoinedRows joined;
    joined.lookups.resize(starts[count]);
    parallel_for(count, join_grain, [&](std::size_t begin, std::size_t size) {
      for (std::size_t i = begin; i < begin + size; ++i)
        std::fill(joined.lookups.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                  joined.lookups.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]), first + i);
    });
    if (starts[count] == offsets[count]) {
      // No lookup without a row: the rows of all lookups are those of all pairs.
      joined.rows = AnswersAccess::rows_of(std::move(answers));
      return joined;
    }
    joined.rows.resize(starts[count], miss_row);
    parallel_for(count, join_grain, [&](std::size_t begin, std::size_t size) {
      for (std::size_t i = begin; i < begin + size; ++i) {
        const std::span<const std::uint32_t> rows = answers.rows(i);
        std::copy(rows.begin(), rows.end(),
                  joined.rows.begin() + static_cast<std::ptrdiff_t>(starts[i]));
      }
    });
    return joined;
  }

  // Pairs of some of the next lookups, at least of one; returns the lookup after them.
  template <class Take>
  [[nodiscard]] std::size_t run_pairs(std::size_t first, std::size_t count, std::size_t most,
                                      Take& take) const {
    const Answers counts = explained([&] { return ask(first, count, Answer::count, false); });
    std::uint64_t total = 0;
    std::size_t fitting = 0;
    while (fitting < count && total + pairs_of(counts.count()[fitting]) <= most)
      total += pairs_of(counts.count()[fitting++]);
    if (fitting != 0 || count == 0) {
      take(explained([&] { return pairs(first, fitting); }));
      return first + fitting;
    }
    const JoinedRows all = explained([&] { return pairs(first, 1); });
    for (std::size_t begin = 0; begin < all.rows.size(); begin += most) {
      const auto from = static_cast<std::ptrdiff_t>(begin);
      const auto to = static_cast<std::ptrdiff_t>(std::min(all.rows.size(), begin + most));
      take(explained([&] {
        return JoinedRows{{all.lookups.begin() + from, all.lookups.begin() + to},
                          {all.rows.begin() + from, all.rows.begin() + to}};
      }));
    }
    return first + 1;
  }

  const Index& index_;
  What what_;
  JoinKind how_;
  std::size_t size_;
};

JoinedRows joined_at_once(const Joiner& joiner) {
  JoinedRows all;
  joiner.run(whole, [&](JoinedRows part) { all = std::move(part); });
  return all;
}

}  // namespace

std::string_view name_of(JoinKind kind) { return join_names[static_cast<std::size_t>(kind)]; }

JoinKind join_named(std::string_view name) {
  const auto* const found = std::find(join_names.begin(), join_names.end(), name);
  if (found == join_names.end())
    fail("unknown join '{}': expected inner, left, semi or anti", name);
  return static_cast<JoinKind>(found - join_names.begin());
}

JoinedRows Index::join(const ColumnView& keys, JoinKind how) const {
  return joined_at_once(Joiner(*this, {keys, keys, LookupKind::point}, how));
}

JoinedRows Index::join_range(const ColumnView& lower, const ColumnView& upper, JoinKind how,
                             Ends ends) const {
  return joined_at_once(Joiner(*this, {lower, upper, LookupKind::range, ends}, how));
}

JoinedRows Index::join_asof(const ColumnView& keys, const NearestOptions& nearest,
                            JoinKind how) const {
  return joined_at_once(
      Joiner(*this, {keys, keys, LookupKind::nearest, Ends::closed, nearest}, how));
}

void Index::join_in_parts(const ColumnView& keys, JoinKind how, std::size_t most,
                          const TakeJoined& take) const {
  Joiner(snapshot(), {keys, keys, LookupKind::point}, how).run(most, take);
}

void Index::join_range_in_parts(const ColumnView& lower, const ColumnView& upper, JoinKind how,
                                Ends ends, std::size_t most, const TakeJoined& take) const {
  Joiner(snapshot(), {lower, upper, LookupKind::range, ends}, how).run(most, take);
}

void Index::join_asof_in_parts(const ColumnView& keys, const NearestOptions& nearest, JoinKind how,
                               std::size_t most, const TakeJoined& take) const {
  Joiner(snapshot(), {keys, keys, LookupKind::nearest, Ends::closed, nearest}, how).run(most, take);
}

void Index::join_into(const ColumnView& keys, JoinKind how, const JoinOutputs& outputs,
                      Stream stream) const {
  state_->join_into({keys, keys, LookupKind::point}, how, Ends::closed, outputs, stream);
}

void Index::join_range_into(const ColumnView& lower, const ColumnView& upper, JoinKind how,
                            Ends ends, const JoinOutputs& outputs, Stream stream) const {
  state_->join_into({lower, upper, LookupKind::range}, how, ends, outputs, stream);
}

void Index::join_asof_into(const ColumnView& keys, const NearestOptions& nearest, JoinKind how,
                           const JoinOutputs& outputs, Stream stream) const {
  state_->join_into({keys, keys, LookupKind::nearest, nearest}, how, Ends::closed, outputs, stream);
}

void Index::State::join_into(const Question& question, JoinKind how, Ends ends,
                             const JoinOutputs& outputs, Stream stream) const {
  explain_out_of_memory("joining rows", [&] {
    if (!backend->on_gpu())
      fail(ErrorKind::unsupported,
           "{} cannot write a join to device memory: call join(), or use an index on the GPU "
           "(@cuda)",
           spec.text());
    const JoinRequest join{how, outputs};
    if (outputs.count == nullptr) fail("expected a buffer for the number of pairs, got none");
    if (outputs.capacity != 0 &&
        (outputs.lookups == nullptr || (join.wants_rows() && outputs.rows == nullptr)))
      fail("expected buffers for {} pairs, got none", outputs.capacity);
    const Reading now = read();
    require_lookups(*now, question);
    require_supported(*now, {}, Answer::any, question.kind);
    LookupOptions options;
    options.ends = ends;
    options.stream = stream;
    Request request = request_into(options, {.memory_space = MemorySpace::device});
    request.join = &join;
    threads->run([&] { run(*now, question, request); });
  });
}

}  // namespace rtindex
