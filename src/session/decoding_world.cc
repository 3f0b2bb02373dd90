#include "session/decoding_world.h"

namespace umf {

Verdict DecodingWorld::judge(StateId end) {
  const std::string text = walker_.text(end);
  const auto known = judged_.find(text);
  if (known != judged_.end()) return known->second;
  return judged_.emplace(text, reward_.judge(text)).first->second;
}

Journal::States journal_states(Walker& walker) {
  return {[&walker](StateId id) -> Json {
            const WindowState state = walker.state(id);
            return {{"lexicon", state.lexicon},
                    {"cells", state.cells},
                    {"steps_left", state.steps_left}};
          },
          [&walker](const Json& json) {
            return walker.restore({json.at("lexicon"), json.at("cells").get<std::vector<Token>>(),
                                   json.at("steps_left")});
          }};
}

}  // namespace umf
