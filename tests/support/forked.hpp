#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace rtindex::test {

// The allocator of clang's address sanitizer keeps locks that threads of the parent hold in a fork:
// a child that allocates memory beside such threads may hang.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool memory_survives_forks = false;
#else
inline constexpr bool memory_survives_forks = true;
#endif

// What body() returns in a child of this process; 255 if it crashes or hangs.
template <class Body>
int exit_code_of_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

}  // namespace rtindex::test
