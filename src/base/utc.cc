#include "base/utc.h"

#include <chrono>
#include <ctime>

namespace umf {
namespace {

constexpr double kYear10000 = 253402300800.0;

}  // namespace

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string in_utc(double unix_seconds, const char* format) {
  if (!(unix_seconds >= 0 && unix_seconds < kYear10000)) return "";
  const auto seconds = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof(text), format, &parts)};
}

std::string span_in_utc(double from, double to) {
  const std::string day = in_utc(from, "%Y-%m-%d"), minute = in_utc(from, "%H:%M");
  const std::string last_day = in_utc(to, "%Y-%m-%d"), last_minute = in_utc(to, "%H:%M");
  if (day.empty() || last_day.empty()) return "";
  std::string text = day + " " + minute;
  if (last_day != day)
    text += " to " + last_day + " " + last_minute;
  else if (last_minute != minute)
    text += " to " + last_minute;
  return text + " UTC";
}

}  // namespace umf
