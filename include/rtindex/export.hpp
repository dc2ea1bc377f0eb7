#pragma once

/// \file
/// RTINDEX_API marks what the shared library exports; everything else in it is hidden.

#if defined(RTINDEX_STATIC)
#define RTINDEX_API
#else
#define RTINDEX_API __attribute__((visibility("default")))
#endif
