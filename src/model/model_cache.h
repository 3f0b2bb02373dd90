// The models of a run: loaded when they are first used, put aside when memory is short.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/language_model.h"

namespace umf {

// Models share one backend and take turns. One thread at a time.
class ModelCache {
 public:
  // With a `memory_limit` above 0 the weights in memory stay below it as far as one model alone
  // does, and on a device in what room it has: the model unused for longest is put aside. A
  // device's weights move to the host; elsewhere the model loses its activations and its resident
  // pages, but its files stay mapped, so that coming back costs reading, not loading.
  ModelCache(Backend& backend, std::uint64_t memory_limit);
  ~ModelCache();
  ModelCache(const ModelCache&) = delete;
  ModelCache& operator=(const ModelCache&) = delete;

  // Takes a checkpoint and gives the model's number. Nothing is loaded yet.
  int add(const std::string& name, Checkpoint checkpoint);

  // A cache with the same models for one more thread. The mapped files are shared: where a backend
  // reads weights in place, a replica costs activations alone.
  void add_replica(std::unique_ptr<Backend> backend);
  int replicas() const { return 1 + static_cast<int>(replicas_.size()); }  // this one included
  ModelCache& replica(int number) { return number == 0 ? *this : *replicas_[number - 1]; }

  const Backend& backend() const { return backend_; }
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
  int add(const std::string& name, std::shared_ptr<const Checkpoint> checkpoint);
  LanguageModel& take(Slot& slot);
  void make_room(std::uint64_t bytes);

  Backend& backend_;
  std::uint64_t memory_limit_, clock_ = 0;
  int loads_ = 0, returns_ = 0;
  bool shares_ = false;  // with replicas, which may be using what is idle here
  double load_seconds_ = 0, pass_seconds_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::unique_ptr<Backend>> backends_;  // of the replicas, which must go first
  std::vector<std::unique_ptr<ModelCache>> replicas_;
};

}  // namespace umf
