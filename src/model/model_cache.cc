#include "model/model_cache.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "model/expert_memory.h"

namespace umf {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

// A model that loads itself: known by its description at once, by its weights on first use.
struct ModelCache::Slot final : Model {
  ModelCache& model_cache;
  std::shared_ptr<const Checkpoint> checkpoint;
  ModelInfo description;
  int at;                 // in the list of devices
  std::uint64_t on_host;  // bytes of experts that the device has no room for
  std::unique_ptr<LanguageModel> loaded;
  std::uint64_t last_use = 0;

  Slot(ModelCache& owner, std::string name, std::shared_ptr<const Checkpoint> opened)
      : model_cache(owner),
        checkpoint(std::move(opened)),
        description(describe_model(std::move(name), *checkpoint, owner.backend().name())),
        at(owner.backends_.begin()->first),
        on_host(owner.experts_on_host(*checkpoint, at)) {}

  const ModelInfo& info() const override { return description; }
  std::vector<std::vector<Prediction>> predict(std::span<const Query> batch) override {
    LanguageModel& model = model_cache.take(*this);
    const Clock::time_point start = Clock::now();
    auto answers = model.predict(batch);
    model_cache.pass_seconds_ += seconds_since(start);
    return answers;
  }
  std::unique_ptr<Anchor> make_anchor() override { return model_cache.take(*this).make_anchor(); }
  double share_of_pass(const Query& query) const override {
    return umf::share_of_pass(*checkpoint, query);
  }
  // On the device.
  std::uint64_t bytes() const { return checkpoint->weights.bytes() - on_host; }

  bool here() const { return loaded && (!loaded->residence() || loaded->residence()->here()); }
  void put_aside() {
    if (Residence* residence = loaded->residence()) return residence->leave();
    loaded.reset();
    checkpoint->weights.release_pages();
  }
};

ModelCache::ModelCache(Backend& backend, std::uint64_t memory_limit)
    : backends_{{0, &backend}}, memory_limit_(memory_limit) {}

ModelCache::~ModelCache() = default;

int ModelCache::add(const std::string& name, Checkpoint checkpoint) {
  return add(name, std::make_shared<const Checkpoint>(std::move(checkpoint)));
}

int ModelCache::add(const std::string& name, const std::shared_ptr<const Checkpoint>& checkpoint) {
  const bool places = is_spread() && worker_ == 0;
  Placement placement = places ? placement_with(name, *checkpoint) : Placement{};
  auto slot = std::make_unique<Slot>(*this, name, checkpoint);
  for (const auto& replica : replicas_) replica->add(name, checkpoint);
  slots_.push_back(std::move(slot));
  placement_ = std::move(placement);
  for (int worker = 0; places && worker < replicas(); ++worker) {
    const int group = worker % groups() * placement_.span;
    for (int i = 0; i < size(); ++i)
      replica(worker).move(*replica(worker).slots_[i], group + placement_.places[i]);
  }
  return size() - 1;
}

void ModelCache::add_replica(std::unique_ptr<Backend> backend) {
  auto replica = std::make_unique<ModelCache>(*backend, memory_limit_);
  replica->shares_ = shares_ = true;
  for (const auto& slot : slots_) replica->add(slot->description.name, slot->checkpoint);
  own_backends_.push_back(std::move(backend));
  replicas_.push_back(std::move(replica));
}

void ModelCache::spread(DeviceList devices, int replicas) {
  const int count = static_cast<int>(devices.numbers.size());
  devices_ = std::move(devices);
  for (int worker = 1; worker < replicas; ++worker) {
    const int at = worker % count;
    add_replica(devices_.make(worker, at));
    ModelCache& replica = *replicas_.back();
    replica.backends_ = {{at, &replica.backend_at(0)}};
    replica.devices_ = devices_;
    replica.worker_ = worker;
  }
  // One more look at each device: a replica's backend is asked where there is one.
  for (int at = 0; at < count; ++at) {
    Backend& there = at < replicas ? replica(at).backend_at(at) : backend_at(at);
    rooms_.push_back({.number = devices_.numbers[at], .room = there.room_for_weights()});
  }
}

Backend& ModelCache::backend_at(int at) {
  const auto known = backends_.find(at);
  if (known != backends_.end()) return *known->second;
  own_backends_.push_back(devices_.make(worker_, at));
  return *(backends_[at] = own_backends_.back().get());
}

int ModelCache::groups() const {
  return std::max(1, static_cast<int>(devices_.numbers.size()) / placement_.span);
}

// Also of models that stand somewhere already.
Placement ModelCache::placement_with(const std::string& name, const Checkpoint& added) const {
  std::vector<ModelToPlace> models;
  const auto add = [&](const std::string& model, std::uint64_t bytes) {
    const auto chosen = devices_.places.find(model);
    models.push_back({bytes, chosen == devices_.places.end() ? -1 : chosen->second});
  };
  for (const auto& slot : slots_) add(slot->description.name, slot->bytes());
  std::uint64_t on_host = UINT64_MAX;
  for (int at = 0; at < std::ssize(rooms_); ++at)
    on_host = std::min(on_host, experts_on_host(added, at));
  add(name, added.weights.bytes() - on_host);
  Placement placement = place_models(models, rooms_, memory_limit_);
  if (!placement.fits && replicas() > 1 && rooms_.size() > 1)
    throw Error(
        "the models do not fit the devices together, and several workers keep all of them busy; "
        "give more devices, or --workers 1 (in umf serve one --device), so that they take turns");
  return placement;
}

// To those who hold the model that is a matter of loading it once more.
void ModelCache::move(Slot& slot, int at) {
  backend_at(at);
  if (slot.at != at) slot.loaded.reset();
  slot.at = at;
  slot.on_host = experts_on_host(*slot.checkpoint, at);
}

// Of a model that is alone on its device. Before anything is loaded, so that it does not depend on
// who loads first.
std::uint64_t ModelCache::experts_on_host(const Checkpoint& checkpoint, int at) const {
  if (!checkpoint.architecture.mixture) return 0;
  std::uint64_t room = !rooms_.empty() ? rooms_[at].room : backends_.at(at)->room_for_weights();
  if (room == UINT64_MAX) return 0;  // weights are used where they lie
  if (memory_limit_ > 0) room = std::min(room, memory_limit_);
  return left_on_host(checkpoint.weights.bytes(), expert_memory(checkpoint).bytes, room);
}

std::vector<StandingModel> ModelCache::standing() const {
  std::vector<StandingModel> models;
  for (const auto& slot : slots_)
    models.push_back(
        {slot->description.name, is_spread() ? devices_.numbers[slot->at] : 0, slot->on_host});
  return models;
}

std::vector<std::string> ModelCache::unused_places() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : devices_.places) {
    const auto is_called = [&](const auto& slot) { return slot->description.name == name; };
    if (std::ranges::none_of(slots_, is_called)) names.push_back(name);
  }
  return names;
}

std::vector<DeviceRoom> ModelCache::rooms() const {
  std::vector<PlacedModel> models;
  for (int worker = 0; worker < std::min(replicas(), groups()); ++worker) {
    const auto& slots = worker == 0 ? slots_ : replicas_[worker - 1]->slots_;
    for (int i = 0; i < size(); ++i) models.push_back({i, slots[i]->at, slots[i]->bytes()});
  }
  return with_models(rooms_, models);
}

std::shared_ptr<const int> ModelCache::device_for_guest(const std::string& name,
                                                        std::uint64_t bytes) {
  const auto chosen = devices_.places.find(name);
  const int at =
      chosen != devices_.places.end() ? chosen->second : first_fit(bytes, rooms(), memory_limit_);
  rooms_[at].taken += bytes;
  return {&devices_.numbers[at], [this, at, bytes](const int*) { rooms_[at].taken -= bytes; }};
}

Model& ModelCache::model(int number) { return *slots_[number]; }

const Checkpoint& ModelCache::checkpoint(int number) const { return *slots_[number]->checkpoint; }

std::vector<float> ModelCache::logits(int number, std::span<const Token> tokens,
                                      std::span<const int> positions) {
  return take(*slots_[number]).logits(tokens, positions);
}

double ModelCache::load_seconds() const {
  double sum = load_seconds_;
  for (const auto& replica : replicas_) sum += replica->load_seconds();
  return sum;
}

double ModelCache::pass_seconds() const {
  double sum = pass_seconds_;
  for (const auto& replica : replicas_) sum += replica->pass_seconds();
  return sum;
}

double ModelCache::seconds_returning() const {
  double sum = 0;
  for (const auto& slot : slots_) {
    if (slot->loaded && slot->loaded->residence())
      sum += slot->loaded->residence()->seconds_returning();
  }
  return sum;
}

std::uint64_t ModelCache::resident_bytes() const {
  return resident_bytes([](const Slot&) { return true; });
}

LanguageModel& ModelCache::take(Slot& slot) {
  slot.last_use = ++clock_;
  if (slot.here()) return *slot.loaded;
  const Clock::time_point start = Clock::now();
  if (!shares_) make_room(slot);
  if (slot.loaded) {
    slot.loaded->residence()->return_to_device();
    ++returns_;
  } else {
    slot.loaded = std::make_unique<LanguageModel>(slot.description.name, slot.checkpoint,
                                                  backend_at(slot.at), slot.on_host);
  }
  load_seconds_ += seconds_since(start);
  ++loads_;
  return *slot.loaded;
}

template <class Among>
std::uint64_t ModelCache::resident_bytes(const Among& among) const {
  std::uint64_t sum = 0;
  for (const auto& slot : slots_) sum += slot->here() && among(*slot) ? slot->bytes() : 0;
  return sum;
}

template <class Among>
void ModelCache::put_aside_idlest(const Among& among) {
  const auto idle = [&](const auto& a, const auto& b) {
    return std::tuple(!among(*a), !a->here(), a->last_use) <
           std::tuple(!among(*b), !b->here(), b->last_use);
  };
  (*std::min_element(slots_.begin(), slots_.end(), idle))->put_aside();
}

// The limit is that of an entry of the list of devices, the memory that of a device.
void ModelCache::make_room(const Slot& wanted) {
  const std::uint64_t bytes = wanted.bytes();
  Backend& backend = backend_at(wanted.at);
  const auto beside = [&](const Slot& slot) { return slot.at == wanted.at; };
  const auto on_device = [&](const Slot& slot) {
    return beside(slot) || devices_.numbers[slot.at] == devices_.numbers[wanted.at];
  };
  while (memory_limit_ > 0 && resident_bytes(beside) > 0 &&
         resident_bytes(beside) + bytes > memory_limit_)
    put_aside_idlest(beside);
  while (resident_bytes(on_device) > 0 && backend.room_for_weights() < bytes)
    put_aside_idlest(on_device);
}

}  // namespace umf
