#include "cli/model_places.h"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.h"
#include "cli/common.h"

namespace umf {
namespace {

struct PlacedWeights {
  std::string name;
  int device = 0;
  std::uint64_t bytes = 0;
  std::uint64_t on_host = 0;  // of them, experts that the device has no room for
};

struct PlacedDevice {
  int device = 0;
  std::string facts;
  std::uint64_t left = 0;  // of the room for weights; UINT64_MAX: as much as the machine has
};

struct Places {
  std::vector<PlacedWeights> models;
  std::vector<PlacedDevice> devices;  // of the first group, in the order of the list
  int groups = 1;
  bool fits = true;
};

// The names that --place knows them by.
std::vector<ModelChoice> named(const std::vector<std::string>& models) {
  std::vector<ModelChoice> choices;
  std::set<std::string> names;
  for (const std::string& model : models) {
    choices.push_back(parse_model_choice(model));
    if (!names.insert(choices.back().name).second)
      throw Error(fmt::format("two models are called '{}'; name them: a=WHERE b=WHERE",
                              choices.back().name));
  }
  return choices;
}

// Whether some entry of the list for that device has the room.
bool has_room(const std::vector<DeviceRoom>& rooms, int device, std::uint64_t bytes,
              std::uint64_t limit) {
  for (int at = 0; at < std::ssize(rooms); ++at) {
    if (rooms[at].number == device && room_left(rooms, at, limit) >= bytes) return true;
  }
  return false;
}

// One worker's, whose models take turns where they do not fit; several would be refused. Judges
// come behind the models, as they do where they are loaded.
Places find_places(const CommonOptions& common, const PlacesWanted& wanted) {
  const auto limit = static_cast<std::uint64_t>(wanted.memory_limit_gb * 1e9);
  const WorkerDevices devices(common, wanted.devices, 1);
  const auto backend = devices.make_backend();
  const auto model_cache = devices.make_model_cache(*backend, limit);
  std::vector<PlacedWeights> judges;
  for (const auto& [name, where] : named(wanted.models)) {
    Checkpoint checkpoint = common.open(find_checkpoint(where));
    if (checkpoint.family->diffusion)
      model_cache->add(name, std::move(checkpoint));
    else
      judges.push_back({.name = name, .bytes = checkpoint.weights.bytes()});
  }
  require_places_used(*model_cache);
  Places places{.groups = model_cache->groups(), .fits = model_cache->placement().fits};
  const std::vector<StandingModel> standing = model_cache->standing();
  for (int i = 0; i < std::ssize(standing); ++i)
    places.models.push_back({standing[i].name, standing[i].device,
                             model_cache->checkpoint(i).weights.bytes(),
                             standing[i].experts_on_host});
  std::vector<std::shared_ptr<const int>> held;
  for (PlacedWeights& judge : judges) {
    const std::vector<DeviceRoom> before = model_cache->rooms();
    held.push_back(model_cache->device_for_guest(kJudgePlace, judge.bytes));
    judge.device = *held.back();
    places.fits = places.fits && has_room(before, judge.device, judge.bytes, limit);
    places.models.push_back(judge);
  }
  const std::vector<DeviceRoom> rooms = model_cache->rooms();
  const BackendOptions machine = common.reporting();
  const std::vector<DeviceFacts> facts =
      find_backend(std::string(backend->name()), machine).devices(machine);
  for (int at = 0; at < model_cache->placement().span; ++at) {
    const int device = rooms[at].number;
    places.devices.push_back({device, text_of(facts[device]), room_left(rooms, at, limit)});
  }
  return places;
}

std::string size_text(std::uint64_t bytes) {
  return bytes >= 1'000'000'000 ? fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9)
                                : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

void print_as_json(const Places& places) {
  Json models = Json::array(), devices = Json::array();
  for (const PlacedWeights& model : places.models)
    models.push_back({{"name", model.name},
                      {"device", model.device},
                      {"weight_bytes", model.bytes},
                      {"bytes_on_host", model.on_host}});
  for (const PlacedDevice& one : places.devices)
    devices.push_back({{"device", one.device},
                       {"name", one.facts},
                       {"left_bytes", one.left == UINT64_MAX ? Json() : Json(one.left)}});
  print_json(
      {{"models", models}, {"devices", devices}, {"groups", places.groups}, {"fits", places.fits}});
}

void print_for_people(const Places& places) {
  for (const PlacedWeights& model : places.models)
    fmt::print(
        "{:<16} on device {}, {} of weights{}\n", model.name, model.device, size_text(model.bytes),
        model.on_host == 0
            ? ""
            : fmt::format("; {} of experts stay in the host's memory", size_text(model.on_host)));
  for (const PlacedDevice& one : places.devices)
    fmt::print("{:<16} {}; {}\n", fmt::format("device {}", one.device), one.facts,
               one.left == UINT64_MAX
                   ? "room as the machine has it"
                   : fmt::format("room for {} of weights is left", size_text(one.left)));
  if (places.groups > 1)
    fmt::print("The other devices have the same models: {} groups.\n", places.groups);
  fmt::print("{}\n", places.fits ? "They fit."
                                 : "They do NOT fit together: in one worker those that share a "
                                   "device take turns, and several workers are refused.");
}

}  // namespace

int show_places(const CommonOptions& common, const PlacesWanted& wanted) {
  if (!(wanted.memory_limit_gb >= 0 && wanted.memory_limit_gb < 1e6))
    throw Error("--memory-limit is in GB and must not be negative");
  const Places places = find_places(common, wanted);
  if (common.json)
    print_as_json(places);
  else
    print_for_people(places);
  return places.fits ? 0 : kExitNo;
}

}  // namespace umf
