#include "gpu/driver_version.hpp"

#include <array>
#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "sys/fd.hpp"

namespace cudaenv::gpu {
namespace {

// In the child: what libcuda says, or 0.
int ask_libcuda() {
  void* library = nullptr;
  // WSL2 keeps the driver's libraries in a folder of its own that not every loader knows.
  for (const char* name : {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}) {
    library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) break;
  }
  if (!library) return 0;
  using GetVersion = int (*)(int*);
  const auto get_version = reinterpret_cast<GetVersion>(::dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (!get_version || get_version(&version) != 0) return 0;
  return version;
}

// libcuda counts 1000 * major + 10 * minor.
std::optional<Version> from_number(int number) {
  if (number < 1000 || number > 1'000'000) return std::nullopt;
  return Version::parse(fmt::format("{}.{}", number / 1000, number % 1000 / 10));
}

}  // namespace

std::optional<Version> driver_cuda_version(const Interrupt& interrupt,
                                           std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const sys::Fd read_end(ends[0]);
  sys::Fd write_end(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    // What a driver prints is not our output.
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
      ::dup2(null, STDOUT_FILENO);
      ::dup2(null, STDERR_FILENO);
    }
    const int number = ask_libcuda();
    const ssize_t written = ::write(write_end.get(), &number, sizeof number);
    ::_exit(written == sizeof number ? 0 : 1);
  }
  write_end.close();

  int number = 0;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline && !interrupt.requested()) {
    pollfd wait{read_end.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, 50);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (::read(read_end.get(), &number, sizeof number) != sizeof number) number = 0;
    break;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  interrupt.check();
  return from_number(number);
}

}  // namespace cudaenv::gpu
