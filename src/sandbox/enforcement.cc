#include "sandbox/enforcement.h"

#include "sandbox/cgroup.h"

namespace umf {

std::vector<Enforcement> enforcement(Walls walls) {
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
