// SPDX-License-Identifier: GPL-3.0-or-later
// A libcuda.so.1 whose version and initialisation result are set by two environment variables: the first queries of
// the CUDA runtime.
#include <cstdlib>
#include <cstring>

#define DRIVER_CALL extern "C" __attribute__((visibility("default"))) int

namespace {

int given(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value ? std::atoi(value) : otherwise;
}

int unknown() { return 999; }

}  // namespace

DRIVER_CALL cuInit(unsigned) { return given("FAKE_DRIVER_START", 0); }
DRIVER_CALL cuDriverGetVersion(int* version) {
  *version = given("FAKE_DRIVER_VERSION", 13000);
  return 0;
}
DRIVER_CALL cuGetProcAddress(const char* name, void** found, int, unsigned long long);
DRIVER_CALL cuGetProcAddress_v2(const char* name, void** found, int version, unsigned long long flags, int* status) {
  if (status) *status = 0;
  return cuGetProcAddress(name, found, version, flags);
}
DRIVER_CALL cuGetProcAddress(const char* name, void** found, int version, unsigned long long) {
  if (std::strcmp(name, "cuInit") == 0)
    *found = reinterpret_cast<void*>(&cuInit);
  else if (std::strcmp(name, "cuDriverGetVersion") == 0)
    *found = reinterpret_cast<void*>(&cuDriverGetVersion);
  else if (std::strcmp(name, "cuGetProcAddress") == 0)
    *found =
        version >= 12000 ? reinterpret_cast<void*>(&cuGetProcAddress_v2) : reinterpret_cast<void*>(&cuGetProcAddress);
  else
    *found = reinterpret_cast<void*>(&unknown);
  return 0;
}
