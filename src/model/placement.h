// Which model stands on which device, where there are several.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace umf {

// A device of a list. One that is listed twice is two devices, with one memory.
struct DeviceRoom {
  int number = 0;
  std::uint64_t room = UINT64_MAX;  // bytes of weights that its memory takes
  std::uint64_t taken = 0;          // of them, by what stands on this entry of the list already
  std::uint64_t shared = 0;         // of what is taken: copies that another entry counts
};

// A model by number that stands on the entry `at` of a list.
struct PlacedModel {
  int model = 0, at = 0;
  std::uint64_t bytes = 0;
};

// With these on them: a device's memory holds one copy of a model for all entries of the list.
std::vector<DeviceRoom> with_models(std::vector<DeviceRoom> devices,
                                    std::span<const PlacedModel> models);

// Of `bytes` what does not fit into `room` and can stay in the host's memory, if that is enough:
// experts. 0 where everything fits, and where it does not even so.
std::uint64_t left_on_host(std::uint64_t bytes, std::uint64_t experts, std::uint64_t room);

struct ModelToPlace {
  std::uint64_t bytes = 0;  // without experts that stay in the host's memory
  int wanted = -1;          // the place that was chosen for it; -1: any
};

// The devices of a list are cut into groups of `span` neighbours; each group has all models, the
// i-th of them on its device places[i]. Devices that are left over stay idle.
struct Placement {
  int span = 1;
  std::vector<int> places;
  bool fits = true;  // all models at once
};

// The smallest groups in which the models fit, each on the first device with room for it, in the
// order of the models; those with a place of their own go before the others. A device takes at most
// `limit` bytes (0: no limit), and its memory one copy of a model, however many entries of the list
// use it. Where nothing fits there is one group, and who finds no room goes where most is left.
Placement place_models(std::span<const ModelToPlace> models, std::span<const DeviceRoom> devices,
                       std::uint64_t limit);

// What room an entry has left.
std::uint64_t room_left(std::span<const DeviceRoom> devices, int at, std::uint64_t limit);

// The first device with room for one model that stands there alone, or the one with most room.
int first_fit(std::uint64_t bytes, std::span<const DeviceRoom> devices, std::uint64_t limit);

}  // namespace umf
