#include "c_api/engine.h"

#include <utility>

namespace umf {

Engine::Engine(const Json& options) {
  options_.read_machine(options, "umf_engine_open");
  // A library says nothing by itself: the warnings on a model are part of what umf_model() tells.
  options_.common.quiet = true;
  options_.common.warn = [](const std::string&) {};
  Hold(*this);  // the backend exists, and so on
}

Engine::Hold::Hold(Engine& engine) : engine_(engine) {
  {
    const std::lock_guard lock(engine.mutex_);
    if (!engine.idle_.empty()) {
      models_ = std::move(engine.idle_.back());
      engine.idle_.pop_back();
      return;
    }
  }
  WorkerDevices devices = engine.options_.worker_devices();
  devices.begin_with(engine.made_++);
  models_.backend = devices.make_backend();
  models_.model_cache = make_model_cache(engine.options_, devices, *models_.backend);
}

Engine::Hold::~Hold() {
  const std::lock_guard lock(engine_.mutex_);
  engine_.idle_.push_back(std::move(models_));
}

}  // namespace umf
