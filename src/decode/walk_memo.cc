#include "decode/walk_memo.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "base/sha256.h"

namespace umf {
namespace {

std::string key_of(const Participant& participant) {
  const ModelInfo& model = participant.model->info();
  assert(!model.fingerprint.empty());
  const SpecialTokens& tokens = model.tokens;
  std::string key = fmt::format(
      "{}|{} {} {}|{} {} {} {} {}|{}|", model.fingerprint, model.block, model.causal_context,
      model.tempered_scores, tokens.mask, tokens.end_of_text, tokens.end_of_turn.value_or(-1),
      tokens.padding.value_or(-1), fmt::join(tokens.ends, ","), fmt::join(participant.prompt, ","));
  for (const auto& [id, name] : participant.tokenizer->specials()) key += fmt::format("{},", id);
  return key;
}

// Of an ensemble also how its models and their lexicons are counted: its walks name them.
std::string key_of_models(const WalkSetup& setup, int number) {
  const Action& action = setup.actions()[number];
  if (action.others.empty()) return key_of(setup.participant_of(number));
  std::string key;
  for (const Action& member : members_of(action)) {
    key += fmt::format("{} {}:{}", member.model,
                       &setup.lexicon_of_model(member.model) - setup.lexicons().data(),
                       key_of(setup.participants()[member.model]));
  }
  return key;
}

// Without chance neither the action's number nor its seed matters.
std::string key_of(Action action, int number) {
  if (!is_random(action)) action.seed = number = 0;
  action.model = 0;  // the participants say which
  for (Action& other : action.others) other.model = 0;
  return fmt::format("|{} {}", number, text_of(action));
}

}  // namespace

std::vector<std::string> walk_keys(const WalkSetup& setup) {
  const WalkOptions& options = setup.options();
  const std::string common = fmt::format(
      "|{} {} {} {} {} {}|{}", options.window, options.block_length,
      static_cast<int>(options.policy), static_cast<int>(options.unit), options.closed_text,
      options.closed_text ? (setup.lexicons().size() > 1) + 2 * setup.keeps_text() : 0,
      fmt::join(setup.targets(), ","));
  std::vector<std::string> keys;
  for (int action = 0; std::cmp_less(action, setup.actions().size()); ++action) {
    keys.push_back(sha256_bytes(key_of_models(setup, action) +
                                key_of(setup.actions()[action], action) + common));
  }
  return keys;
}

std::shared_ptr<const Walk> WalkMemo::find(const std::string& key, int limit) const {
  const std::lock_guard lock(mutex_);
  const auto found = walks_.find(key);
  return found != walks_.end() && found->second->passes <= limit ? found->second : nullptr;
}

void WalkMemo::insert(const std::string& key, Walk walk) {
  const std::lock_guard lock(mutex_);
  walks_.try_emplace(key, std::make_shared<const Walk>(std::move(walk)));
}

}  // namespace umf
