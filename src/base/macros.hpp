#pragma once

// Functions marked RTINDEX_HD run on the host and in device code alike.
#if defined(__CUDACC__)
#define RTINDEX_HD __host__ __device__
#else
#define RTINDEX_HD
#endif
