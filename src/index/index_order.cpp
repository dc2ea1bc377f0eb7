#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"
#include "index/index_state.hpp"

namespace rtindex {

namespace {

// The first string above all that begin with a prefix; false where there is none.
[[nodiscard]] bool make_successor(std::string& prefix) {
  constexpr char greatest = '\xff';
  while (!prefix.empty() && prefix.back() == greatest) prefix.pop_back();
  if (prefix.empty()) return false;
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return true;
}

// Ranks as numbers; null ones are beyond the last.
[[nodiscard]] std::vector<std::uint64_t> places_of(const ColumnView& ranks) {
  if (!is_integer(ranks.type()) || ranks.type() == Type::boolean)
    fail("expected ranks as integers, got {}", name_of(ranks.type()));
  std::vector<std::uint64_t> places(ranks.size(), std::numeric_limits<std::uint64_t>::max());
  visit_native(ranks.type(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        const T rank = static_cast<const T*>(ranks.data())[i];
        if (ranks.valid(i) && std::cmp_greater_equal(rank, 0))
          places[i] = static_cast<std::uint64_t>(rank);  // NOLINT(bugprone-signed-char-misuse)
      }
  });
  return places;
}

}  // namespace

void Index::State::run_prefixes(const Version& now, const ColumnView& prefixes,
                                Request& request) const {
  if (prefixes.memory_space() == MemorySpace::device) {
    backend->wait_for(spec, request.stream);
    return run_prefixes(now, backend->fetch(spec, prefixes).view(), request);
  }
  OwnedColumn behind(Type::string, prefixes.size());
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    if (!prefixes.valid(i)) continue;
    behind.string(i) = prefixes.string(i);
    behind.set_valid(i, make_successor(behind.string(i)));
  }
  const ColumnView upper = behind.view();
  search(now,
         {.lower = prefixes,
          .upper = upper,
          .kind = QueryKind::range,
          .ends = {.upper_open = true, .null_upper_is_none = true},
          .neighbour = {}},
         request);
}

std::vector<std::uint32_t> Index::rank(const ColumnView& keys) const {
  return explain_out_of_memory("ranking keys", [&] {
    const Answers below =
        answer(Query::range({}, keys, Ends::right_open), {.answers = Answer::count});
    return std::vector<std::uint32_t>(below.count().begin(), below.count().end());
  });
}

std::vector<std::uint32_t> Index::select(const ColumnView& ranks) const {
  return explain_out_of_memory("selecting rows", [&] { return state_->select(ranks); });
}

std::vector<std::uint32_t> Index::null_rows() const {
  return explain_out_of_memory("listing rows", [&] { return state_->null_rows(); });
}

// Several segments, and rows that are deleted, have no places: they are merged for the call.
std::vector<std::uint32_t> Index::State::select(const ColumnView& ranks) const {
  if (ranks.memory_space() == MemorySpace::device)
    fail("the ranks are in device memory: copy them to host memory");
  const std::vector<std::uint64_t> places = places_of(ranks);
  const Reading now = read();
  if (!now->main().structure->keeps_order())
    fail(ErrorKind::unsupported,
         "{} does not keep its keys in order and cannot select rows by rank: use rx, sorted or "
         "btree",
         spec.text());
  std::vector<std::uint32_t> rows(places.size());
  threads->run([&] {
    const bool is_one = now->segments.size() == 1 && now->main().deleted == nullptr;
    const Segment all =
        is_one ? now->main() : backend->merge(spec, now->segments, now->rows(), true);
    all.structure->select(*all.codec, places, rows.data());
  });
  return rows;
}

std::vector<std::uint32_t> Index::State::null_rows() const {
  const Reading now = read();
  std::vector<std::uint32_t> rows;
  if (now->states.nulls == nullptr) return rows;
  rows.reserve(now->states.nulls->count());
  const Array<std::uint32_t> words = now->states.nulls->words();
  // Rows that were inserted later may lie beyond the set.
  const RowBits nulls{words.data(), now->states.nulls->bits().rows};
  for (std::uint32_t row = 0; row < nulls.rows; ++row)
    if (nulls.has(row)) rows.push_back(row);
  return rows;
}

}  // namespace rtindex
