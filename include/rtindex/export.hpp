#pragma once

/// \file
/// RTINDEX_API marks what the shared library exports; everything else in it is hidden.
/// RTINDEX_LIFETIMEBOUND marks arguments that the result points into, so that compilers that can
/// (Clang's -Wdangling) warn where a temporary does not live long enough.

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
