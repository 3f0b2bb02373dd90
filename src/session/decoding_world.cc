#include "session/decoding_world.h"

namespace umf {

Verdict DecodingWorld::judge(StateId end) {
  const std::string text = states_.text(end);
  const auto known = judged_.find(text);
  if (known != judged_.end()) return known->second;
  return judged_.emplace(text, reward_.judge(text)).first->second;
}

Journal::States journal_states(States& states) {
  return {[&states](StateId id) -> Json {
            const WindowState state = states.at(id);
            return {{"lexicon", state.lexicon},
                    {"cells", state.cells},
                    {"steps_left", state.steps_left}};
          },
          [&states](const Json& json) {
            return states.intern({json.at("lexicon"), json.at("cells").get<std::vector<Token>>(),
                                  json.at("steps_left")});
          }};
}

}  // namespace umf
