// The world of real models, working ahead: what a search will probably ask for next is begun while
// it waits.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "search/forecast.h"
#include "session/crew.h"
#include "session/judging.h"
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
class AheadWorld final : public ModelWorld {
 public:
  // What the search that asks will probably ask for next; `possible` is the forecast's own to know.
  // Called while the search waits for an answer.
  using Forecast = std::function<std::vector<Foreseen>(ForecastOptions options)>;

  // `states` numbers the states and walks nothing itself; each of the crew walks on a thread of its
  // own. All must be alike but for the memory of their models. With one walker only what is certain
  // to be asked for is begun early: a wrong guess would hold up what is asked for. `observer` sees
  // the passes of the walk that the search waits for, on another thread, and may end it.
  AheadWorld(Walker& states, std::vector<Walker*> crew, Reward& reward, WalkObserver observer);
  ~AheadWorld() override;

  // Without a forecast nothing is begun early.
  void set_forecast(Forecast forecast) { forecast_ = std::move(forecast); }

  Place root() const override { return states_.root(); }
  int actions() const override { return states_.actions(); }
  int model_of(int action) const override { return states_.model_of(action); }
  Outcome walk(const Trial& trial, int limit) override;
  Verdict judge(StateId end) override;

  // Ends what nobody will ask for any more; nothing can be walked or judged afterwards.
  Speculation finish();

 private:
  using WalkPointer = std::shared_ptr<Walk>;
  WalkPointer find(const Trial& trial) const;
  WalkPointer wanted(const Trial& trial, int limit);
  WalkPointer begin(const Trial& trial, int limit, bool ahead);
  void drop(const WalkPointer& walk);
  void make_room();
  Outcome hand_over(Walk& walk);
  // Works ahead until `done` says so.
  template <class Done>
  void attend(const Done& done);
  void look_ahead();

  Walker& states_;
  Forecast forecast_;
  long limit_ = 0;  // of the trial asked for
  double rewards_ = 0;
  long judged_ = 0;
  Speculation speculation_;
  std::vector<WalkPointer> walks_;  // begun and not handed over
  Bell bell_;
  Crew crew_;
  Judging judging_;
};

// Forecasts of `search` over the states of `states`; all arguments must outlive it.
AheadWorld::Forecast forecast_of(const Search& search, const RolloutCache& known,
                                 const Walker& states, const Reward& reward, bool use_cache);

}  // namespace umf
