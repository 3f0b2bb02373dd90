#include "decode/ensemble.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "decode/predict.h"
#include "decode/schedule.h"
#include "search/checkpoints.h"

namespace umf {
namespace {

// One model's view of the state.
struct Look {
  int member = 0;  // in the order of the action
  int model = 0;
  WindowState window;
  std::vector<Answer> answers = {};
};

// The surest answer so far; of equals that of the earlier member, then of the lower cell.
struct Surest {
  const Look* look = nullptr;
  const Answer* answer = nullptr;

  void offer(const Look& other, const Answer& challenge) {
    const float probability = challenge.prediction.probability;
    const bool wins =
        look == nullptr || probability > answer->prediction.probability ||
        (probability == answer->prediction.probability && other.member < look->member);
    if (wins) look = &other, answer = &challenge;
  }
};

class Turns {
 public:
  Turns(const WalkSetup& setup, WindowState& state, const Action& action, int index, int limit,
        const LookObserver& observer, WalkPasses& passes)
      : setup_(setup),
        state_(state),
        members_(members_of(action)),
        rule_(action.commit),
        index_(index),
        limit_(limit),
        observer_(observer),
        passes_(passes) {
    looks_.reserve(members_.size());  // others point into it
  }

  Turn relay();
  Turn poll();

 private:
  std::vector<int> order() const;
  bool add_look(int member);
  bool cells_correspond() const;
  // Makes the forward pass of a look.
  void pass(Look& look);
  bool out_of_passes() const { return passes_.spent() == limit_; }
  // False: the observer has seen enough.
  bool show(const Look& look, const WindowState& window);
  void write(const Look& look, const std::vector<const Answer*>& answers);
  void write_together(const std::vector<std::pair<const Look*, const Answer*>>& answers);
  Offer offer(const Look& look, const Answer& answer) const {
    return offer_of(answer.prediction, setup_.lexicon_of_model(look.model).tokens);
  }
  std::vector<Offer> offers(const Look& look) const;

  const WalkSetup& setup_;
  WindowState& state_;
  const std::vector<Action> members_;
  const CommitRule& rule_;
  const int index_, limit_;
  const LookObserver& observer_;
  WalkPasses& passes_;
  std::vector<Look> looks_;
  Turn turn_;
};

// Whoever wrote last goes on.
std::vector<int> Turns::order() const {
  std::vector<int> members(members_.size());
  std::iota(members.begin(), members.end(), 0);
  const auto wrote = std::ranges::find(members_, state_.writer, &Action::model);
  if (wrote != members_.end())
    std::ranges::rotate(members, members.begin() + (wrote - members_.begin()));
  return members;
}

// False where the state does not fit the model. A window that has more masks in its ids would undo
// what was written: the model is passed over then, so that masks fall with every turn.
bool Turns::add_look(int member) {
  const int model = members_[member].model;
  std::optional<WindowState> window = setup_.in_ids_of(model, state_);
  if (!window) return false;
  const int masks = setup_.masks_in(*window);
  if (masks == 0 || masks > setup_.masks_in(state_)) return false;
  looks_.push_back({.member = member, .model = model, .window = *std::move(window)});
  return true;
}

void Turns::pass(Look& look) {
  const Participant& participant = setup_.participants()[look.model];
  const std::vector<Token>& cells = look.window.cells;
  const Action& action = members_[look.member];
  const auto range = setup_.active_range(cells, action);
  const int masks = setup_.masks_in(look.window);
  const StepRule rule{.begin = range.begin,
                      .end = range.end,
                      .time = state_time(masks, setup_.options().window),
                      .to_checkpoint = masks - next_target(setup_.targets(), masks)};
  AnchoredModel* const anchored = passes_.anchored(look.model, *participant.model, action);
  look.answers = ask(*participant.model, participant.prompt, cells, action,
                     index_ + (look.member << 16), rule, anchored);
  passes_.count(anchored);
}

bool Turns::show(const Look& look, const WindowState& window) {
  turn_.stopped = observer_ && !observer_(look.model, window, turn_.commits);
  return !turn_.stopped;
}

std::vector<Offer> Turns::offers(const Look& look) const {
  std::vector<Offer> offers;
  for (const Answer& answer : look.answers) offers.push_back(offer(look, answer));
  return offers;
}

void Turns::write(const Look& look, const std::vector<const Answer*>& answers) {
  state_ = look.window;
  state_.steps_left = 0;
  for (const Answer* answer : answers) {
    state_.cells[answer->cell] = answer->prediction.token;
    turn_.commits.push_back({{answer->cell, answer->prediction.token}, look.model});
  }
  setup_.sign(state_, look.model);
}

// The first who is sure writes all that it is sure of. Where nobody is, the surest of all writes
// one cell; that is shown with the last look.
Turn Turns::relay() {
  looks_.clear();
  for (const int member : order()) {
    if (!add_look(member)) continue;
    if (looks_.size() > 1) {
      const Look& before = looks_[looks_.size() - 2];
      if (!show(before, before.window) || out_of_passes()) return turn_;
    }
    pass(looks_.back());
    const Look& look = looks_.back();
    std::vector<const Answer*> sure;
    for (const int i : sure_offers(rule_, offers(look))) sure.push_back(&look.answers[i]);
    if (sure.empty()) continue;
    write(look, sure);
    show(look, state_);
    return turn_;
  }
  Surest surest;
  for (const Look& look : looks_) {
    for (const int i : text_first(offers(look))) surest.offer(look, look.answers[i]);
  }
  write(*surest.look, {surest.answer});
  show(*surest.look, state_);
  return turn_;
}

// Whether every cell of the state is one cell for everybody.
bool Turns::cells_correspond() const {
  const Token mask = setup_.lexicon_of(state_).tokens.mask;
  return std::ranges::all_of(looks_, [&](const Look& look) {
    const Token own = setup_.lexicon_of_model(look.model).tokens.mask;
    return std::ranges::equal(look.window.cells, state_.cells,
                              [&](Token a, Token b) { return (a == own) == (b == mask); });
  });
}

void Turns::write_together(const std::vector<std::pair<const Look*, const Answer*>>& answers) {
  const Lexicon& lexicon = setup_.lexicon_of(state_);
  for (const auto& [look, answer] : answers) {
    const Token token = answer->prediction.token;
    const std::vector<Token> here =
        convert_cells({&token, 1}, setup_.lexicon_of_model(look->model), lexicon);
    // A token that has no counterpart waits until it is the surest of all.
    if (here.size() != 1 || here.front() == lexicon.tokens.mask) continue;
    state_.cells[answer->cell] = here.front();
    turn_.commits.push_back({{answer->cell, here.front()}, look->model});
  }
  if (!turn_.commits.empty()) state_.steps_left = 0;
}

// All look; each cell is offered by whoever is surest of it.
Turn Turns::poll() {
  for (const int member : order()) add_look(member);
  if (!cells_correspond()) return relay();
  for (Look& look : looks_) {
    if (out_of_passes()) return turn_;
    pass(look);
    if (&look != &looks_.back() && !show(look, look.window)) return turn_;
  }
  std::vector<Surest> by_cell(state_.cells.size());
  for (const Look& look : looks_) {
    for (const Answer& answer : look.answers) by_cell[answer.cell].offer(look, answer);
  }
  std::erase_if(by_cell, [](const Surest& cell) { return cell.look == nullptr; });
  std::vector<Offer> offers;
  for (const Surest& cell : by_cell) offers.push_back(offer(*cell.look, *cell.answer));
  std::vector<std::pair<const Look*, const Answer*>> chosen;
  for (const int i : sure_offers(rule_, offers))
    chosen.emplace_back(by_cell[i].look, by_cell[i].answer);
  write_together(chosen);
  if (turn_.commits.empty()) {
    Surest surest;
    for (const int i : text_first(offers)) surest.offer(*by_cell[i].look, *by_cell[i].answer);
    write_together({{surest.look, surest.answer}});
    if (turn_.commits.empty()) write(*surest.look, {surest.answer});
  }
  // With the last look, by a model that reads these ids.
  const auto same_ids = [&](const Look& look) { return look.window.lexicon == state_.lexicon; };
  show(*std::ranges::find_if(looks_, same_ids), state_);
  return turn_;
}

}  // namespace

Turn take_turn(const WalkSetup& setup, WindowState& state, const Action& action, int index,
               int limit, const LookObserver& observer, WalkPasses& passes) {
  Turns turns(setup, state, action, index, limit, observer, passes);
  return action.ensemble == Ensemble::kPoll ? turns.poll() : turns.relay();
}

}  // namespace umf
