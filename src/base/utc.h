// Moments as people read them.
#pragma once

#include <string>

namespace umf {

// Seconds since 1970, now.
double unix_time();

// Of seconds since 1970, as strftime() spells them in UTC: "2026-11-16T22:35:01Z" without a
// `format`. Empty for what is no moment of the years 1970 to 9999.
std::string in_utc(double unix_seconds, const char* format = "%Y-%m-%dT%H:%M:%SZ");

// "2026-11-16 22:35 to 23:10 UTC", or one moment where both are in the same minute. Empty where
// either is no moment.
std::string span_in_utc(double from, double to);

}  // namespace umf
