// umf models --devices: where models would stand, and whether they fit, before any is loaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "setup/worker_devices.h"

namespace umf {

// What asks for that: the models of one search, as --model names them. Process reward models are
// among them, too.
struct PlacesWanted {
  std::vector<std::string> models;
  DeviceOptions devices;
  double memory_limit_gb = 0;
};

// Prints it, and gives the exit status: 0 where all of them fit at once.
int show_places(const CommonOptions& common, const PlacesWanted& wanted);

}  // namespace umf
