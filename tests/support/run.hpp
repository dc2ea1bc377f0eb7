#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/error.hpp>
#include <rtindex/index.hpp>

#include "support/checker.hpp"
#include "support/oracle.hpp"

namespace rtindex::test {

// The values of a call: passed with it, or included in the index.
enum class ValuesOf { call, index };

// One call of an index, checked: "" where the answers are right, else the first difference and the
// lookup it is about.
[[nodiscard]] std::string check_call(const Index& index, const Batch& batch, const Matches& matches,
                                     AnswerOptions options, const TestColumn& values,
                                     ValuesOf values_of = ValuesOf::call);
// The call into buffers of the caller.
[[nodiscard]] std::string check_call_into(const Index& index, const Batch& batch,
                                          const Matches& matches, AnswerOptions options,
                                          const TestColumn& values,
                                          ValuesOf values_of = ValuesOf::call);

// The kind of the Error that a call throws; nothing where it returns.
[[nodiscard]] std::optional<ErrorKind> error_of(const std::function<void()>& call);

// Whether the index supports all of these answers.
[[nodiscard]] bool supports(const Index& index, AnswerSet answers, QueryKind kind);

// Single answers and combinations, with and without the matched bitmap, row limits and miss values.
[[nodiscard]] const std::vector<AnswerOptions>& every_options();
// All answers in one call, which shows any wrong hit.
[[nodiscard]] AnswerOptions full_options();

[[nodiscard]] std::string text_of(const AnswerOptions& options);

}  // namespace rtindex::test
