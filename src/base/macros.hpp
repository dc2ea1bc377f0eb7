#pragma once

// RTINDEX_HD: a function of host and device code.
#if defined(__CUDACC__)
#define RTINDEX_HD __host__ __device__
#else
#define RTINDEX_HD
#endif
