#include "gpu/xid.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/text.hpp"
#include "gpu/loaded_library.hpp"
#include "gpu/nvml_device.hpp"
#include "sys/kernel_log.hpp"

namespace cudaenv::gpu {
namespace {

constexpr unsigned long long xid_event = 8;  // nvmlEventTypeXidCriticalError
// What one question takes at most, should a GPU report without end.
constexpr int most_events = 256;

struct EventData {  // nvmlEventData_t; the last two since R450
  nvml::Device device = nullptr;
  unsigned long long kind = 0;
  unsigned long long number = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

// In the child: NVML, and the set of events that it fills.
class Listener {
 public:
  explicit Listener(const sys::ChildReport& report) : library_(nvml_names, report) {
    if (!library_.loaded() || library_.call("nvmlInit_v2") != 0) return;
    unsigned count = 0;
    if (library_.call("nvmlDeviceGetCount_v2", &count) != 0 ||
        library_.call("nvmlEventSetCreate", &events_) != 0) {
      return;
    }
    for (unsigned i = 0; i < std::min(count, nvml::most_devices); ++i) {
      nvml::Device device = nullptr;
      if (library_.call("nvmlDeviceGetHandleByIndex_v2", i, &device) == 0) {
        library_.call("nvmlDeviceRegisterEvents", device, xid_event, events_);
      }
    }
  }

  void tell(unsigned wait_ms) const {
    if (!events_) return;
    const char* wait =
        library_.has("nvmlEventSetWait_v2") ? "nvmlEventSetWait_v2" : "nvmlEventSetWait";
    for (int i = 0; i < most_events; ++i) {
      EventData event;
      if (library_.call(wait, events_, &event, i == 0 ? wait_ms : 0u) != 0) return;
      if (event.kind != xid_event) continue;
      std::array<char, 96> uuid{};  // NVML_DEVICE_UUID_V2_BUFFER_SIZE
      if (library_.call("nvmlDeviceGetUUID", event.device, uuid.data(),
                        static_cast<unsigned>(uuid.size())) != 0) {
        uuid = {};
      }
      uuid.back() = '\0';
      library_.tell("xid", std::to_string(event.number) + " " + uuid.data());
    }
  }

 private:
  LoadedLibrary library_;
  void* events_ = nullptr;
};

std::chrono::seconds since_boot() {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec);
}

}  // namespace

std::optional<Xid> read_xid(std::string_view kernel_message) {
  constexpr std::string_view label = "NVRM: Xid (";
  const auto at = kernel_message.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  auto rest = kernel_message.substr(at + label.size());
  const auto close = rest.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  auto place = rest.substr(0, close);
  rest = text::trimmed(rest.substr(close + 3));
  const auto digits = rest.substr(0, rest.find_first_not_of("0123456789"));
  const auto number = text::parse_unsigned(digits);
  if (!number || *number > 100'000) return std::nullopt;
  // "PCI:0000:41:00 GPU-I:05" is an instance; before R270 or so "PCI:" was not said.
  if (place.starts_with("PCI:")) place.remove_prefix(4);
  place = place.substr(0, place.find(' '));
  rest.remove_prefix(digits.size());
  while (!rest.empty() && (rest.front() == ',' || rest.front() == ' ')) rest.remove_prefix(1);
  Xid xid;
  xid.number = static_cast<unsigned>(*number);
  xid.bus_id = text::visible(place, 32);
  xid.words = text::visible(rest, 200);
  return xid;
}

std::vector<Xid> logged_xids() {
  std::vector<Xid> xids;
  const auto now = since_boot();
  const auto messages = sys::kernel_messages("NVRM: Xid");
  if (!messages) return xids;
  for (const auto& message : *messages) {
    auto xid = read_xid(message.text);
    if (!xid) continue;
    const auto at = std::chrono::duration_cast<std::chrono::seconds>(message.at);
    xid->ago = std::max(now - at, std::chrono::seconds(0));
    xids.push_back(std::move(*xid));
  }
  return xids;
}

XidWatch::XidWatch(std::chrono::milliseconds limit)
    : limit_(limit),
      child_([listener = std::shared_ptr<Listener>()](std::string_view question,
                                                      const sys::ChildReport& report) mutable {
        if (!listener) listener = std::make_shared<Listener>(report);
        listener->tell(static_cast<unsigned>(text::parse_unsigned(question).value_or(0)));
      }) {}

std::vector<Xid> XidWatch::heard(std::chrono::milliseconds wait, const Interrupt& interrupt) {
  if (broken_) return {};
  const auto outcome =
      child_.ask(std::to_string(wait.count()), {limit_ + wait, 1 << 20}, interrupt);
  broken_ = !outcome.done();
  std::vector<Xid> xids;
  for (const auto& line : outcome.lines) {
    const auto fields = text::split(line, '\t');
    if (fields.size() != 2 || fields[0] != "xid") continue;
    const auto words = text::split(fields[1], ' ');
    const auto number = text::parse_unsigned(words[0]);
    if (!number || *number > 100'000) continue;
    Xid xid;
    xid.number = static_cast<unsigned>(*number);
    if (words.size() > 1) xid.uuid = std::string(words[1]);
    xids.push_back(std::move(xid));
  }
  return xids;
}

}  // namespace cudaenv::gpu
