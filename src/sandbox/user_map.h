// Which users exist inside the sandbox, and who they are outside.
#pragma once

namespace umf {

// Whether we may give the sandbox several users: root may, others have only themselves to give.
bool multiple_users();

// For a process that was just cloned into a new user namespace. Throws Error when it is refused.
void write_user_maps(int pid);

}  // namespace umf
