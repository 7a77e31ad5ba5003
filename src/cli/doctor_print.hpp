#pragma once

#include <string>

#include "cli/style.hpp"
#include "commands/doctor.hpp"

namespace cudaenv::cli {

// What was seen of the machine, then each finding with its reasons and what to type.
std::string doctor_text(const commands::DoctorResult& result, const Style& style);
// Where there is no error, in one line: what works here, and what does not for want of a driver.
std::string doctor_verdict(const commands::DoctorResult& result);
// docs/json.md has the fields.
std::string doctor_json(const commands::DoctorResult& result);
// For the text file collector of a Prometheus node exporter.
std::string doctor_prometheus(const commands::DoctorResult& result);

std::string_view name_of(DriverState state);

}  // namespace cudaenv::cli
