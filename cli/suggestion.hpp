#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rtindex::cli {

// The word that was probably meant: the closest by edits, or one that begins like it. Empty: none
// is close.
[[nodiscard]] std::string closest_word(std::string_view text,
                                       const std::vector<std::string>& words);

}  // namespace rtindex::cli
