#pragma once

/// \file
/// RTINDEX_API: the shared library exports the symbol; all others are hidden.
/// RTINDEX_LIFETIMEBOUND: the result points into the argument, so that compilers that can (Clang's
/// -Wdangling) warn about a temporary that does not live long enough.

#if defined(RTINDEX_STATIC)
#define RTINDEX_API
#else
#define RTINDEX_API __attribute__((visibility("default")))
#endif

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define RTINDEX_LIFETIMEBOUND [[clang::lifetimebound]]
#endif
#endif
#if !defined(RTINDEX_LIFETIMEBOUND)
#define RTINDEX_LIFETIMEBOUND
#endif
