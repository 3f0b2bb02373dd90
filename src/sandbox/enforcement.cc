#include "sandbox/enforcement.h"

#include <fmt/core.h>

#include "sandbox/cgroup_places.h"
#include "sandbox/landlock.h"
#include "sandbox/user_map.h"

namespace umf {
namespace {

std::string users(Walls walls) {
  if (walls == Walls::kNone) return "absent: programs are run as who we are";
  if (multiple_users())
    return walls == Walls::kNamespaces
               ? "two of its own for each job: one for its tests, one for its programs"
               : "one of its own for each job";
  return "absent: all jobs are the user that runs umf; root gives each job users of its own";
}

std::string control_groups(int version) {
  const CgroupPlaces places = cgroup_places(version);
  if (!places.any())
    return "absent: no group can be made below our own that limits memory or processes";
  const std::string kept = places.memory.empty() ? "processes"
                           : places.pids.empty() ? "memory"
                                                 : "memory and processes";
  const bool used = find_cgroup_places().unified == places.unified;
  return kept + (used ? "" : " (not used: the other version limits as much)");
}

std::string landlock() {
  const long version = landlock_version();
  if (version < 1) return "absent in this kernel";
  return fmt::format("version {}{}", version, version >= 6 ? ", which also keeps signals in" : "");
}

}  // namespace

std::vector<Enforcement> protections(Walls walls) {
  return {
      {"users", users(walls)},
      {"sessions", "one of its own for each job, and for each of its programs"},
      {"cgroup v1", control_groups(1)},
      {"cgroup v2", control_groups(2)},
      {"landlock", landlock()},
  };
}

std::vector<Enforcement> enforced_limits(Walls walls) {
  const bool namespaces = walls == Walls::kNamespaces;
  const CgroupPlaces places = find_cgroup_places();
  const std::string version = places.unified ? "version 2" : "version 1";
  const auto by_group = [&version](const std::string& place) {
    return place.empty() ? "" : ", and a control group (" + version + ")";
  };
  return {
      {"time", "watched from outside; the whole job is killed"},
      {"cpu", "watched from outside over all processes; RLIMIT_CPU for each"},
      {"memory", "watched from outside over all processes; RLIMIT_AS and RLIMIT_DATA for each" +
                     by_group(places.memory)},
      {"processes", (namespaces ? "RLIMIT_NPROC in the job's own user namespace"
                                : "programs can start threads only; watched from outside") +
                        by_group(places.pids)},
      {"scratch", namespaces ? "a tmpfs of that size" : "nothing can be written"},
      {"output", "read from outside up to the limit; the whole job is killed"},
  };
}

}  // namespace umf
