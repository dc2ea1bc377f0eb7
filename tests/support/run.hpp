#pragma once

#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "support/checker.hpp"
#include "support/oracle.hpp"

namespace rtindex::test {

// One call of an index, checked: "" where the answers are right, else the first difference and the
// lookup it is about. `ask.values` is taken from `values`.
[[nodiscard]] std::string check_call(const Index& index, const Batch& batch, const Matches& matches,
                                     Ask ask, const TestColumn& values);
// The same call into buffers of the caller.
[[nodiscard]] std::string check_call_into(const Index& index, const Batch& batch,
                                          const Matches& matches, Ask ask,
                                          const TestColumn& values);

// Whether the index can answer all of this.
[[nodiscard]] bool supports(const Index& index, AnswerSet answers, LookupKind kind);

// Single answers and combinations, with and without the matched bitmap, row limits and miss values.
[[nodiscard]] const std::vector<Ask>& every_ask();
// Everything at once: one call that shows any wrong hit.
[[nodiscard]] Ask full_ask();

[[nodiscard]] std::string text_of(const Ask& ask);

}  // namespace rtindex::test
