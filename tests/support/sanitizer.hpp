#pragma once

namespace cudaenv::test {

// Whether this build has a sanitizer that takes time and memory of its own: figures mean little.
// GCC says it by macros, clang by features.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CUDAENV_UNDER_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    defined(CUDAENV_UNDER_SANITIZER)
inline constexpr bool under_sanitizer = true;
#else
inline constexpr bool under_sanitizer = false;
#endif

}  // namespace cudaenv::test
