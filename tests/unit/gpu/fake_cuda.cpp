#include <cstdio>
#include <cstdlib>
#include <unistd.h>

// A libcuda that behaves as its build says.
#ifndef FAKE_LACKS
extern "C" int cuDriverGetVersion(int* version) {
  std::puts("a driver that talks");
#if defined(FAKE_WORKS)
  *version = 13000;
#elif defined(FAKE_OLD)
  *version = 11080;
#elif defined(FAKE_FAILS)
  *version = 12040;
  return 999;
#elif defined(FAKE_HANGS)
  *version = 0;
  ::sleep(600);
#elif defined(FAKE_CRASHES)
  *version = 0;
  std::abort();
#endif
  return 0;
}
#else
extern "C" int cuSomethingElse() { return 0; }
#endif
