// Read by the sanitizers' run-times at program start, so that a program behaves alike under ctest
// and by hand; ASAN_OPTIONS and its like in the environment win.

#define SANITIZER_HOOK extern "C" __attribute__((visibility("default"), used))

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the sanitizers'

SANITIZER_HOOK const char* __asan_default_options();
SANITIZER_HOOK const char* __ubsan_default_options();
SANITIZER_HOOK const char* __tsan_default_options();
SANITIZER_HOOK const char* __lsan_default_suppressions();

// Use after return is not looked for: code of g++ 12 on arm64 never frees small frames of the fake
// stack, so that after some thousand calls every further one searches all of it.
const char* __asan_default_options() {
#ifdef RTINDEX_DETECT_LEAKS
  return "detect_leaks=1:detect_stack_use_after_return=0:strict_string_checks=1";
#else
  return "detect_leaks=0:detect_stack_use_after_return=0:strict_string_checks=1";
#endif
}

const char* __ubsan_default_options() { return "print_stacktrace=1"; }

// Forked children may start threads: tests/base/parallel.cpp does.
const char* __tsan_default_options() {
  return "halt_on_error=1:second_deadlock_stack=1:die_after_fork=0";
}

// The worker threads of these libraries live until the process ends.
const char* __lsan_default_suppressions() { return "leak:libtbb\nleak:libembree\n"; }

// NOLINTEND(bugprone-reserved-identifier)
