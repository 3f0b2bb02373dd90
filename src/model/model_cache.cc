#include "model/model_cache.h"

#include <algorithm>
#include <chrono>
#include <utility>

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
  std::unique_ptr<LanguageModel> loaded;
  std::uint64_t last_use = 0;

  Slot(ModelCache& owner, std::string name, std::shared_ptr<const Checkpoint> opened)
      : model_cache(owner),
        checkpoint(std::move(opened)),
        description(describe_model(std::move(name), *checkpoint, owner.backend_.name())) {}

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
  std::uint64_t bytes() const { return checkpoint->weights.bytes(); }

  bool here() const { return loaded && (!loaded->residence() || loaded->residence()->here()); }
  void put_aside() {
    if (Residence* residence = loaded->residence()) return residence->leave();
    loaded.reset();
    checkpoint->weights.release_pages();
  }
};

ModelCache::ModelCache(Backend& backend, std::uint64_t memory_limit)
    : backend_(backend), memory_limit_(memory_limit) {}

ModelCache::~ModelCache() = default;

int ModelCache::add(const std::string& name, Checkpoint checkpoint) {
  return add(name, std::make_shared<const Checkpoint>(std::move(checkpoint)));
}

int ModelCache::add(const std::string& name, std::shared_ptr<const Checkpoint> checkpoint) {
  for (const auto& replica : replicas_) replica->add(name, checkpoint);
  slots_.push_back(std::make_unique<Slot>(*this, name, std::move(checkpoint)));
  return size() - 1;
}

void ModelCache::add_replica(std::unique_ptr<Backend> backend) {
  auto replica = std::make_unique<ModelCache>(*backend, memory_limit_);
  replica->shares_ = shares_ = true;
  for (const auto& slot : slots_) replica->add(slot->description.name, slot->checkpoint);
  backends_.push_back(std::move(backend));
  replicas_.push_back(std::move(replica));
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
  std::uint64_t sum = 0;
  for (const auto& slot : slots_) sum += slot->here() ? slot->bytes() : 0;
  return sum;
}

LanguageModel& ModelCache::take(Slot& slot) {
  slot.last_use = ++clock_;
  if (slot.here()) return *slot.loaded;
  const Clock::time_point start = Clock::now();
  if (!shares_) make_room(slot.bytes());
  if (slot.loaded) {
    slot.loaded->residence()->return_to_device();
    ++returns_;
  } else {
    slot.loaded = std::make_unique<LanguageModel>(slot.description.name, slot.checkpoint, backend_);
  }
  load_seconds_ += seconds_since(start);
  ++loads_;
  return *slot.loaded;
}

void ModelCache::make_room(std::uint64_t bytes) {
  const auto idle = [](const auto& a, const auto& b) {
    return std::pair(!a->here(), a->last_use) < std::pair(!b->here(), b->last_use);
  };
  const auto short_of_room = [&] {
    return (memory_limit_ > 0 && resident_bytes() + bytes > memory_limit_) ||
           backend_.room_for_weights() < bytes;
  };
  while (resident_bytes() > 0 && short_of_room())
    (*std::min_element(slots_.begin(), slots_.end(), idle))->put_aside();
}

}  // namespace umf
