#pragma once

#include "base/spec_options.hpp"

namespace rtindex::cuda {

// Of kinds over sorted keys; gather_of() reads it. Builds without CUDA declare it, too.
inline constexpr SpecOption gather_option = {
    .name = "gather",
    .topic = SpecOption::Topic::batches,
    .words = {"auto", "on", "off"},
    .fallback = "auto",
    .help =
        "on a GPU, put values into key order once per batch of ranges: where faster, always, "
        "never"};

}  // namespace rtindex::cuda
