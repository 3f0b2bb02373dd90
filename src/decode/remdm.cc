#include "decode/remdm.h"

#include <algorithm>
#include <cmath>

#include "base/elementary.h"

namespace umf {
namespace {

constexpr double kLastTime = 1e-5;
// The loop: alpha is held at kAlphaOn while kOff < t <= kOn.
constexpr double kOn = 0.55, kOff = 0.05, kAlphaOn = 0.9;

double loop_alpha(double t) {
  if (t > kOn) return (1 - t) * kAlphaOn / (1 - kOn);
  if (t > kOff) return kAlphaOn;
  return 1 - t * (1 - kAlphaOn) / kOff;
}

// With more than this the step would leave more masks than the schedule has at s.
double largest_sigma(Remask form, RemdmTimes times) {
  const double alpha_t = remdm_alpha(form, times.t);
  if (alpha_t <= 0) return 1;
  return std::min(1.0, (1 - remdm_alpha(form, times.s)) / alpha_t);
}

}  // namespace

RemdmTimes remdm_times(int step, int steps) {
  const double dt = (1 - kLastTime) / steps;
  return {1 - step * dt, 1 - (step + 1) * dt};
}

double recommended_eta(Remask form) {
  switch (form) {
    case Remask::kCap:
      return 0.008;
    case Remask::kRescale:
      return 0.015;
    case Remask::kLoop:
      return 0.02;
    default:
      return 0;
  }
}

double remdm_alpha(Remask form, double t) { return form == Remask::kLoop ? loop_alpha(t) : 1 - t; }

double remdm_sigma(Remask form, double eta, RemdmTimes times) {
  const double largest = largest_sigma(form, times);
  switch (form) {
    case Remask::kCap:
      return std::min(eta, largest);
    case Remask::kRescale:
      return eta * largest;
    case Remask::kConf:
      return largest;
    case Remask::kLoop:
      return times.t > kOff && times.t <= kOn ? std::min(eta, largest) : 0;
    default:
      return 0;
  }
}

double stay_masked(Remask form, double sigma, RemdmTimes times) {
  const double alpha_t = remdm_alpha(form, times.t);
  const double masked = 1 - remdm_alpha(form, times.s) - sigma * alpha_t;
  return std::clamp(masked / (1 - alpha_t), 0.0, 1.0);  // rounding may leave it a hair outside
}

std::vector<double> conf_shares(std::span<const double> confidences) {
  std::vector<double> shares;
  double sum = 0;
  for (const double confidence : confidences)
    sum += shares.emplace_back(elementary::exp(-confidence));
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace umf
