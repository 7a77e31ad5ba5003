#pragma once

namespace cudaenv::test {

// Whether this build has a sanitizer that takes time and memory of its own: figures mean little.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool under_sanitizer = true;
#else
inline constexpr bool under_sanitizer = false;
#endif

}  // namespace cudaenv::test
