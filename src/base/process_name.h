// What this process is called in the names of files, on machines that share a folder.
#pragma once

#include <string>

namespace umf {

std::string host_name();  // for people

// "node7-4711": the host in letters, digits and dashes, and the pid. Two processes that run at one
// time on machines with different names have different ones.
std::string process_name();

}  // namespace umf
