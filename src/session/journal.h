// A world that writes down what it does, so that an interrupted search goes on where it was.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/json.h"
#include "solve/world.h"

namespace umf {

// The checkpoint of a search that is under way in this or another process.
class CheckpointInUse final : public Error {
 public:
  using Error::Error;
};

// The configuration of a journal at `path` on a kind of device (Backend::arithmetic): what another
// kind has begun is another search, unless kinds are mixed. Journals of earlier versions do not say
// which kind it was, and are gone on with.
Json on_device(Json configuration, const std::string& device, const std::filesystem::path& path,
               bool mix);

// Every finished walk and the verdict of every end is appended to a file and synced. A search over
// the same configuration asks the same questions in the same order, so that a new run first gets
// the recorded answers, at no cost, and then continues with new ones: same answer, same counts,
// same trace as without the interruption. A torn last line is ignored. From the first question that
// the file does not answer (a rollout that an earlier, smaller budget cut; other options of the
// search) the rest is forgotten and walked anew.
class Journal final : public World {
 public:
  // What a run has spent so far beside walking and judging: loading models, and the forward passes
  // that were really made.
  struct Spent {
    double load_seconds = 0;
    long passes = 0;
  };
  // How states are written and read back; reading gives the id in this run.
  struct States {
    std::function<Json(StateId)> save;
    std::function<StateId(const Json&)> load;
    // Takes a verdict that was read back: the inner world gives it when the state is asked for
    // again.
    std::function<void(StateId, const Verdict&)> remember;
    std::function<Spent()> spent = [] { return Spent(); };
  };

  // `configuration` is everything that the answers depend on; a file made with another one is an
  // Error. Throws CheckpointInUse while another journal has the file.
  Journal(World& inner, std::filesystem::path path, const Json& configuration, States states);

  Place root() const override { return inner_.root(); }
  int actions() const override { return inner_.actions(); }
  int model_of(int action) const override { return inner_.model_of(action); }
  bool commits_one(int action) const override { return inner_.commits_one(action); }
  Outcome walk(const Trial& trial, int limit) override;
  Verdict judge(StateId end) override;
  std::vector<Opening> openings(StateId end, const Verdict& verdict) override {
    return inner_.openings(end, verdict);
  }

  double earlier_seconds() const override { return earlier_seconds_; }

  int replayed() const { return replayed_; }               // answers taken from the file so far
  long earlier_passes() const { return earlier_passes_; }  // really made for these
  double replayed_seconds() const { return replayed_seconds_; }  // that these took

 private:
  void lock();
  void load(const std::string& header);
  [[noreturn]] void refuse(const std::string& first_line) const;
  void forget_last_failures();
  // The next recorded entry, which is this answer; null where it is another one or none.
  template <class Asked>
  Json replay(const char* kind, const Asked& is_asked);
  void append(Json entry, double seconds);
  void write(const std::string& line);
  // Recorded entries from here on do not belong to this run: forget them, in the file as well.
  void forget_the_rest();

  struct Entry {
    Json json;
    std::uintmax_t end = 0;  // its end in the file
  };

  World& inner_;
  std::filesystem::path path_;
  States states_;
  std::deque<Entry> recorded_;          // not asked for yet
  std::unordered_set<StateId> judged_;  // whose verdicts are in the file, up to here
  std::uintmax_t valid_bytes_ = 0;
  Descriptor file_;
  int replayed_ = 0;
  double earlier_seconds_ = 0, replayed_seconds_ = 0;
  long earlier_passes_ = 0, passes_recorded_ = 0;
};

}  // namespace umf
