// Which users exist inside the sandbox, and who they are outside.
#pragma once

#include <cstdint>

namespace umf {

// Whether we may give the sandbox several users: root may, others have only themselves to give.
bool multiple_users();

// The keeper of the sandbox, as it is called outside; only with multiple users.
struct Owner {
  std::uint32_t user = 0, group = 0;
};
Owner keeper_outside();

// Two users for each job that runs at a time, numbered after the keeper: the kernel counts some
// things by user (signals, locks, pipes), and jobs must not meet there. `place` is the job's among
// those that run.
struct JobUsers {
  int tester = 0, candidate = 0;  // numbers after the keeper's; 0 with one user only
};
JobUsers users_of_job(int place);

// For a process that was just cloned into a new user namespace. Throws Error when it is refused.
void write_user_maps(int pid);

}  // namespace umf
