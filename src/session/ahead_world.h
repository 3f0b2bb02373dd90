// The world of real models, working ahead: what a search will probably ask for next is begun while
// it waits.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "decode/states.h"
#include "search/forecast.h"
#include "session/judging.h"
#include "session/walker_pool.h"
#include "solve/world.h"

namespace umf {

// Work that was begun before it was asked for.
struct Speculation {
  long passes = 0;  // forward passes of such walks
  long used = 0;    // of these, in walks that were asked for later
  long forced = 0;  // such walks that had to be asked for, whatever the pending rewards
  long wasted() const { return passes - used; }
};

// Answers exactly as DecodingWorld does, in the order in which it is asked: a walk depends on its
// trial alone, so it may be made before its turn, on any walker. States get their numbers when
// their walk is handed over, which makes the numbers those of a world that walks only when asked. A
// walk that is never asked for leaves no trace but its cost. One thread asks; it does the forecasts
// while it waits.
class AheadWorld final : public World {
 public:
  // What the search that asks will probably ask for next; `possible` is the forecast's own to know.
  // Called while the search waits for an answer.
  using Forecast = std::function<std::vector<Foreseen>(ForecastOptions options)>;

  // Each of the walkers walks on a thread of its own. Their setups must be that of `states` but for
  // the memory of their models. With one walker only what is certain to be asked for is begun
  // early: a wrong guess would hold up what is asked for. `observer` sees the passes of the walk
  // that the search waits for, on another thread, and may end it.
  AheadWorld(States& states, std::vector<Walker> walkers, Reward& reward, WalkObserver observer);
  ~AheadWorld() override;

  // Without a forecast nothing is begun early.
  void set_forecast(Forecast forecast) { forecast_ = std::move(forecast); }

  Place root() const override { return setup().root(); }
  int actions() const override { return static_cast<int>(setup().actions().size()); }
  int model_of(int action) const override { return setup().model_of(action); }
  bool commits_one(int action) const override { return setup().costs_masks(action); }
  Outcome walk(const Trial& trial, int limit) override;
  Verdict judge(StateId end) override;
  std::vector<Opening> openings(StateId end, const Verdict& verdict) override {
    return cheap_ ? states_.openings(end, verdict) : std::vector<Opening>{};
  }

  // Ends what nobody will ask for any more; nothing can be walked or judged afterwards.
  Speculation finish();

 private:
  const WalkSetup& setup() const { return states_.setup(); }
  using TaskPointer = std::shared_ptr<WalkTask>;
  TaskPointer find(const Trial& trial) const;
  TaskPointer wanted(const Trial& trial, int limit);
  TaskPointer begin(const Trial& trial, int limit, bool ahead);
  void drop(const TaskPointer& task);
  void make_room();
  Outcome hand_over(WalkTask& task);
  // Works ahead until `done` says so.
  template <class Done>
  void attend(const Done& done);
  void look_ahead();
  long expected_passes(const Trial& trial) const;

  States& states_;
  const bool cheap_;  // to judge
  Forecast forecast_;
  Trial asked_;     // for last
  long limit_ = 0;  // of that trial
  double rewards_ = 0;
  long judged_ = 0;
  struct Pace {
    long masks = 0, passes = 0;
  };
  std::vector<Pace> paces_;  // by action: of the walks that came to their end
  Speculation speculation_;
  std::vector<TaskPointer> tasks_;  // begun and not handed over
  ProgressSignal progress_;
  WalkerPool pool_;
  Judging judging_;
};

// Forecasts of `search` over the states of `states`; all arguments must outlive it.
AheadWorld::Forecast forecast_of(const Search& search, const RolloutCache& known,
                                 const States& states, const Reward& reward, bool use_cache);

}  // namespace umf
