#include "session/decoding_world.h"

namespace umf {

Journal::States journal_states(States& states, RememberingReward& verdicts) {
  return {[&states](StateId id) -> Json {
            const WindowState state = states.at(id);
            return {{"lexicon", state.lexicon},
                    {"cells", state.cells},
                    {"steps_left", state.steps_left},
                    {"writer", state.writer}};
          },
          [&states](const Json& json) {
            return states.intern({json.at("lexicon"), json.at("cells").get<std::vector<Token>>(),
                                  json.at("steps_left"), json.at("writer")});
          },
          [&states, &verdicts](StateId id, const Verdict& verdict) {
            verdicts.remember(states.text(id), verdict);
          }};
}

}  // namespace umf
