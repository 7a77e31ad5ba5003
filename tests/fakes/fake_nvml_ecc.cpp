// An NVML that tells of memory errors: FAKE_ECC is how many could not be corrected.

#include <cstdlib>

extern "C" {

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetHandleByUUID(const char*, void** device) {
  *device = nullptr;
  return 0;
}

int nvmlDeviceGetTotalEccErrors(void*, int kind, int, unsigned long long* count) {
  const char* errors = std::getenv("FAKE_ECC");
  if (!errors) return 3;
  *count = kind == 1 ? std::strtoull(errors, nullptr, 10) : 2;
  return 0;
}

int nvmlDeviceGetRemappedRows(void*, unsigned*, unsigned*, unsigned*, unsigned* failed) {
  *failed = std::getenv("FAKE_BAD_ROW") ? 1 : 0;
  return 0;
}

}  // extern "C"
