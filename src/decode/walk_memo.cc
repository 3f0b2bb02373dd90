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
  std::string key = fmt::format("{}|{} {}|{} {} {} {} {}|{}|", model.fingerprint, model.block,
                                model.tempered_scores, tokens.mask, tokens.end_of_text,
                                tokens.end_of_turn.value_or(-1), tokens.padding.value_or(-1),
                                fmt::join(tokens.ends, ","), fmt::join(participant.prompt, ","));
  for (const auto& [id, name] : participant.tokenizer->specials()) key += fmt::format("{},", id);
  return key;
}

// Without chance neither the action's number nor its seed matters.
std::string key_of(Action action, int number) {
  if (!is_random(action)) action.seed = number = 0;
  std::string key = fmt::format("|{} ", number);
  action.visit([&](auto& field, const char*, const char*) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(field)>>)
      key += fmt::format("{} ", static_cast<int>(field));
    else
      key += fmt::format("{} ", field);
  });
  return key;
}

}  // namespace

std::vector<std::string> walk_keys(const WalkSetup& setup) {
  const WalkOptions& options = setup.options();
  const std::string common = fmt::format("|{} {} {} {} {}|{}", options.window, options.block_length,
                                         static_cast<int>(options.policy), options.closed_text,
                                         options.closed_text && setup.lexicons().size() > 1,
                                         fmt::join(setup.targets(), ","));
  std::vector<std::string> keys;
  for (int action = 0; std::cmp_less(action, setup.actions().size()); ++action) {
    keys.push_back(sha256_bytes(key_of(setup.participant_of(action)) +
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
