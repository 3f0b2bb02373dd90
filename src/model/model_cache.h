// The models of a run: loaded when they are first used, put aside when memory is short.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/language_model.h"
#include "model/placement.h"

namespace umf {

// What the models of a process may stand on: devices by number, in a list. A device that is listed
// twice is two devices.
struct DeviceList {
  std::vector<int> numbers;
  // A backend on numbers[at], for the models of the replica `worker`.
  std::function<std::unique_ptr<Backend>(int worker, int at)> make;
  std::map<std::string, int> places;  // that were chosen for models, by name (Placement)
};

// A model's name, the number of its device, and how much of its weights does not fit there: experts
// that stay in the host's memory.
struct StandingModel {
  std::string name;
  int device = 0;
  std::uint64_t experts_on_host = 0;  // bytes
};

// Models share a backend and take turns, or stand on several devices. One thread at a time.
class ModelCache {
 public:
  // With a `memory_limit` above 0 the weights in memory stay below it as far as one model alone
  // does, and on a device in what room it has: the model unused for longest is put aside. A
  // device's weights move to the host; elsewhere the model loses its activations and its resident
  // pages, but its files stay mapped, so that coming back costs reading, not loading. Of a mixture
  // that no device holds alone, experts stay in the host's memory.
  ModelCache(Backend& backend, std::uint64_t memory_limit);
  ~ModelCache();
  ModelCache(const ModelCache&) = delete;
  ModelCache& operator=(const ModelCache&) = delete;

  // Takes a checkpoint and gives the model's number. Nothing is loaded yet.
  int add(const std::string& name, Checkpoint checkpoint);

  // A cache with the same models for one more thread. The mapped files are shared: where a backend
  // reads weights in place, a replica costs activations alone.
  void add_replica(std::unique_ptr<Backend> backend);
  // Before anything is added: models stand on these devices, as place_models() says, and there are
  // so many replicas, on one group of devices after the other. The cache's own backend is on the
  // first. `memory_limit` is then that of each device.
  void spread(DeviceList devices, int replicas);
  bool is_spread() const { return !devices_.numbers.empty(); }
  // Of the first replica, in the order of the models; and how many groups of devices there are.
  std::vector<StandingModel> standing() const;
  int groups() const;
  const Placement& placement() const { return placement_; }
  // The list of devices, with what stands on each: of the groups that replicas are on.
  std::vector<DeviceRoom> rooms() const;
  // The places that were chosen for names that no model has.
  std::vector<std::string> unused_places() const;
  // The number of the device for a model that somebody else loads: the place that was chosen for
  // `name`, or the first with room. Models that are added later leave room for it for as long as
  // the number is held, which must not be longer than the cache lives.
  std::shared_ptr<const int> device_for_guest(const std::string& name, std::uint64_t bytes);
  int replicas() const { return 1 + static_cast<int>(replicas_.size()); }  // this one included
  ModelCache& replica(int number) { return number == 0 ? *this : *replicas_[number - 1]; }

  const Backend& backend() const { return *backends_.begin()->second; }  // all are of one kind
  int size() const { return static_cast<int>(slots_.size()); }
  Model& model(int number);
  const Checkpoint& checkpoint(int number) const;
  // As LanguageModel::logits() of a model, which is loaded where need be.
  std::vector<float> logits(int number, std::span<const Token> tokens,
                            std::span<const int> positions);

  int loads() const { return loads_; }      // how often a model was loaded, first uses included
  double load_seconds() const;              // of all replicas; what was waited for
  int returns() const { return returns_; }  // of these, how often one came back to its device
  double seconds_returning() const;         // which goes on beside the first layers
  double pass_seconds() const;              // in forward passes, of all replicas
  std::uint64_t resident_bytes() const;

 private:
  struct Slot;
  int add(const std::string& name, const std::shared_ptr<const Checkpoint>& checkpoint);
  LanguageModel& take(Slot& slot);
  void make_room(const Slot& slot);
  std::uint64_t experts_on_host(const Checkpoint& checkpoint, int at) const;
  template <class Among>
  void put_aside_idlest(const Among& among);
  template <class Among>
  std::uint64_t resident_bytes(const Among& among) const;
  Backend& backend_at(int at);
  Placement placement_with(const std::string& name, const Checkpoint& added) const;
  void move(Slot& slot, int at);

  std::map<int, Backend*> backends_;  // by their place in the list of devices
  DeviceList devices_;                // none: there is one backend
  int worker_ = 0;                    // which replica this is
  std::vector<DeviceRoom> rooms_;     // of the devices, before any model
  Placement placement_;
  std::uint64_t memory_limit_, clock_ = 0;
  int loads_ = 0, returns_ = 0;
  bool shares_ = false;  // with replicas, which may be using what is idle here
  double load_seconds_ = 0, pass_seconds_ = 0;
  std::vector<std::unique_ptr<Backend>> own_backends_;  // whose users below must go first
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::unique_ptr<ModelCache>> replicas_;
};

}  // namespace umf
