// An NVML whose GPU does not run as fast as it could, and that tells of faults: FAKE_ECC is how
// many memory errors could not be corrected, FAKE_XID the number of a fault that it reports once,
// when it is first asked after it began to listen.

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Event {  // nvmlEventData_t
  void* device;
  unsigned long long kind;
  unsigned long long number;
  unsigned gpu_instance;
  unsigned compute_instance;
};

bool told = false;
int waits = 0;

}  // namespace

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

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
  *device = nullptr;
  return 0;
}

int nvmlDeviceGetUUID(void*, char* text, unsigned size) {
  std::snprintf(text, size, "GPU-11111111-1111-1111-1111-111111111111");
  return 0;
}

int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  *mhz = type == 1 ? 345 : 2619;
  return 0;
}

int nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* mhz) {
  *mhz = type == 1 ? 1980 : 3201;
  return 0;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 4;
  return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 5;
  return 0;
}

int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* lanes) {
  *lanes = 8;
  return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* lanes) {
  *lanes = 16;
  return 0;
}

int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* active) {
  *active = link < 4 ? 1 : 0;
  return link < 6 ? 0 : 2;  // NVML_ERROR_INVALID_ARGUMENT
}

int nvmlDeviceGetNvLinkVersion(void*, unsigned, unsigned* version) {
  *version = 7;
  return 0;
}

int nvmlEventSetCreate(void** set) {
  *set = &told;
  return 0;
}

int nvmlDeviceRegisterEvents(void*, unsigned long long kinds, void*) { return kinds == 8 ? 0 : 2; }

int nvmlEventSetWait_v2(void*, Event* event, unsigned) {
  const char* xid = std::getenv("FAKE_XID");
  if (xid && std::strcmp(xid, "crash") == 0) std::abort();
  if (!xid || told || waits++ == 0) return 10;  // NVML_ERROR_TIMEOUT
  told = true;
  *event = {nullptr, 8, std::strtoull(xid, nullptr, 10), ~0u, ~0u};
  return 0;
}

}  // extern "C"
