#pragma once

#include <filesystem>
#include <string>

namespace rtindex::bench {

// Tables in Markdown from the records under a results folder, a folder per machine.

// Figure -> command -> minutes -> file.
[[nodiscard]] std::string figure_table(const std::filesystem::path& results);

// Section, claim, published value, ours, verdict.
[[nodiscard]] std::string claim_table(const std::filesystem::path& results);

// Replaces the text between `<!-- NAME -->` and `<!-- end of NAME -->` by `block`. Throws Error
// if the markers are missing.
[[nodiscard]] std::string with_block(const std::string& text, const std::string& name,
                                     const std::string& block);

}  // namespace rtindex::bench
