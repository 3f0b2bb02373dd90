#include "model/placement.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace umf {
namespace {

// Groups of one size, as models are put on their devices.
class Groups {
 public:
  Groups(std::span<const DeviceRoom> devices, int span, std::uint64_t limit)
      : span_(span), limit_(limit), listed_(span), numbers_(span) {
    const int used = static_cast<int>(devices.size()) / span * span;
    for (const DeviceRoom& device : devices) {
      const auto [at, fresh] = memories_.emplace(device.number, device.room);
      if (!fresh) at->second = std::min(at->second, device.room);
    }
    for (const DeviceRoom& device : devices)
      take(memories_[device.number], device.taken - device.shared);
    for (int i = 0; i < used; ++i) {
      listed_[i % span] = std::max(listed_[i % span], devices[i].taken);
      numbers_[i % span].insert(devices[i].number);
    }
  }

  // Of weights, on every group's device of that place.
  std::uint64_t room(int place) const {
    std::uint64_t room = UINT64_MAX;
    for (const int number : numbers_[place]) room = std::min(room, memories_.at(number));
    if (limit_ > 0) room = std::min(room, limit_ - std::min(limit_, listed_[place]));
    return room;
  }
  void put(int place, std::uint64_t bytes) {
    listed_[place] += bytes;
    for (const int number : numbers_[place]) take(memories_.at(number), bytes);
  }
  // The first with room for so much, or the roomiest.
  int best_for(std::uint64_t bytes) const {
    int best = 0;
    for (int place = 0; place < span_; ++place) {
      if (room(place) >= bytes) return place;
      if (room(place) > room(best)) best = place;
    }
    return best;
  }

 private:
  static void take(std::uint64_t& room, std::uint64_t bytes) {
    if (room != UINT64_MAX) room -= std::min(room, bytes);
  }

  int span_;
  std::uint64_t limit_;
  std::vector<std::uint64_t> listed_;      // bytes, by place: the fullest of all groups
  std::vector<std::set<int>> numbers_;     // by place, of all groups
  std::map<int, std::uint64_t> memories_;  // what is left, by number
};

Placement with_span(std::span<const ModelToPlace> models, std::span<const DeviceRoom> devices,
                    std::uint64_t limit, int span) {
  Groups groups(devices, span, limit);
  Placement placement{.span = span, .places = std::vector<int>(models.size(), 0)};
  const auto put = [&](std::size_t model, int place) {
    if (groups.room(place) < models[model].bytes) placement.fits = false;
    placement.places[model] = place;
    groups.put(place, models[model].bytes);
  };
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (models[i].wanted >= 0) put(i, models[i].wanted);
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (models[i].wanted >= 0) continue;
    put(i, groups.best_for(models[i].bytes));
  }
  return placement;
}

}  // namespace

std::vector<DeviceRoom> with_models(std::vector<DeviceRoom> devices,
                                    std::span<const PlacedModel> models) {
  std::set<std::pair<int, int>> copies;  // the device's number, the model's
  for (const PlacedModel& model : models) {
    DeviceRoom& device = devices[model.at];
    device.taken += model.bytes;
    if (!copies.emplace(device.number, model.model).second) device.shared += model.bytes;
  }
  return devices;
}

std::uint64_t left_on_host(std::uint64_t bytes, std::uint64_t experts, std::uint64_t room) {
  const std::uint64_t over = bytes - std::min(bytes, room);
  return over <= experts ? over : 0;
}

Placement place_models(std::span<const ModelToPlace> models, std::span<const DeviceRoom> devices,
                       std::uint64_t limit) {
  int least = 1;
  for (const ModelToPlace& model : models) least = std::max(least, model.wanted + 1);
  const int most = static_cast<int>(devices.size());
  for (int span = least; span < most; ++span) {
    if (Placement placement = with_span(models, devices, limit, span); placement.fits)
      return placement;
  }
  return with_span(models, devices, limit, std::max(least, most));
}

std::uint64_t room_left(std::span<const DeviceRoom> devices, int at, std::uint64_t limit) {
  return Groups(devices, static_cast<int>(devices.size()), limit).room(at);
}

int first_fit(std::uint64_t bytes, std::span<const DeviceRoom> devices, std::uint64_t limit) {
  return Groups(devices, static_cast<int>(devices.size()), limit).best_for(bytes);
}

}  // namespace umf
