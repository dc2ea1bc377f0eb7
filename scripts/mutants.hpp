#pragma once

// Operators and constants that can be changed while a program runs: scripts/mutants.py writes them
// into a copy of the sources and includes this file everywhere. Mutant 17 is switched on by
// RTINDEX_MUTANT=17. RTINDEX_MUTANTS_REACHED names a file with a byte for each mutant, where the
// program notes which of them it executes.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace rtindex_mutants {

inline constexpr int most = 4096;
inline constexpr unsigned char can_change = 1;
inline constexpr unsigned char has_no_other = 2;  // the other operator does not take these types

inline int switched_on = -1;
inline unsigned char in_no_file[most];
inline unsigned char* reached = in_no_file;

// Before all other constructors, and without memory from the heap, which tests may withhold.
[[gnu::constructor(101), maybe_unused]] static void start() {
  if (switched_on >= 0 || reached != in_no_file) return;
  if (const char* const id = std::getenv("RTINDEX_MUTANT")) switched_on = std::atoi(id);
  const char* const name = std::getenv("RTINDEX_MUTANTS_REACHED");
  if (name == nullptr) return;
  const int file = open(name, O_RDWR | O_CLOEXEC);
  void* const bytes = mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (bytes == MAP_FAILED) std::abort();
  reached = static_cast<unsigned char*>(bytes);
}

template <int id>
[[gnu::always_inline]] inline void note(unsigned char what) {
  static_assert(id < most);
  if ((reached[id] & what) == 0) reached[id] |= what;
}

// What the compiler evaluates stays as it is.
template <int id>
[[gnu::always_inline]] constexpr bool is_on() {
  if (std::is_constant_evaluated()) return false;
  note<id>(can_change);
  return switched_on == id;
}

template <int id>
[[gnu::always_inline]] constexpr void cannot_change() {
  if (!std::is_constant_evaluated()) note<id>(has_no_other);
}

// `a + b` is written `a + add<17>{} + b`, which keeps the precedence.
#define RTINDEX_MUTANT_BINARY(name, op, other)                                                  \
  template <int id>                                                                             \
  struct name {};                                                                               \
  template <int id, class A>                                                                    \
  struct name##_left {                                                                          \
    A&& a;                                                                                      \
  };                                                                                            \
  template <int id, class A>                                                                    \
  [[gnu::always_inline]] constexpr name##_left<id, A> operator op(A&& a, name<id>) {            \
    return {std::forward<A>(a)};                                                                \
  }                                                                                             \
  template <int id, class A, class B>                                                           \
  [[gnu::always_inline]] constexpr decltype(auto) operator op(name##_left<id, A> left, B&& b) { \
    using Result = decltype(std::forward<A>(left.a) op std::forward<B>(b));                     \
    if constexpr (requires {                                                                    \
                    static_cast<Result>(std::forward<A>(left.a) other std::forward<B>(b));      \
                  }) {                                                                          \
      if (is_on<id>())                                                                          \
        return static_cast<Result>(std::forward<A>(left.a) other std::forward<B>(b));           \
    } else {                                                                                    \
      cannot_change<id>();                                                                      \
    }                                                                                           \
    return static_cast<Result>(std::forward<A>(left.a) op std::forward<B>(b));                  \
  }

// `a += b` is written `a += add_to<17>{} += b`.
#define RTINDEX_MUTANT_ASSIGNMENT(name, op, other)                                                \
  template <int id>                                                                               \
  struct name {};                                                                                 \
  template <int id, class B>                                                                      \
  struct name##_right {                                                                           \
    B&& b;                                                                                        \
  };                                                                                              \
  template <int id, class B>                                                                      \
  [[gnu::always_inline]] constexpr name##_right<id, B> operator op(name<id>, B&& b) {             \
    return {std::forward<B>(b)};                                                                  \
  }                                                                                               \
  template <int id, class A, class B>                                                             \
  [[gnu::always_inline]] constexpr decltype(auto) operator op(A&& a, name##_right<id, B> right) { \
    if constexpr (requires { a other std::forward<B>(right.b); }) {                               \
      if (is_on<id>()) return a other std::forward<B>(right.b);                                   \
    } else {                                                                                      \
      cannot_change<id>();                                                                        \
    }                                                                                             \
    return a op std::forward<B>(right.b);                                                         \
  }

// `++a` is written `increment<17>{} ->* a`: of all binary operators this one binds closest.
#define RTINDEX_MUTANT_PREFIX(name, op, other)                                   \
  template <int id>                                                              \
  struct name {};                                                                \
  template <int id, class A>                                                     \
  [[gnu::always_inline]] constexpr decltype(auto) operator->*(name<id>, A&& a) { \
    using Result = decltype(op std::forward<A>(a));                              \
    if constexpr (requires { static_cast<Result>(other std::forward<A>(a)); }) { \
      if (is_on<id>()) return static_cast<Result>(other std::forward<A>(a));     \
    } else {                                                                     \
      cannot_change<id>();                                                       \
    }                                                                            \
    return static_cast<Result>(op std::forward<A>(a));                           \
  }

// scripts/mutant_sites.py reads this list: a name, an operator, and what a mutant puts in its
// place.
// clang-format off
RTINDEX_MUTANT_BINARY(less, <, <=)
RTINDEX_MUTANT_BINARY(less_equal, <=, <)
RTINDEX_MUTANT_BINARY(greater, >, >=)
RTINDEX_MUTANT_BINARY(greater_equal, >=, >)
RTINDEX_MUTANT_BINARY(equal, ==, !=)
RTINDEX_MUTANT_BINARY(not_equal, !=, ==)
RTINDEX_MUTANT_BINARY(add, +, -)
RTINDEX_MUTANT_BINARY(subtract, -, +)
RTINDEX_MUTANT_BINARY(multiply, *, +)
RTINDEX_MUTANT_BINARY(divide, /, *)
RTINDEX_MUTANT_BINARY(modulo, %, /)
RTINDEX_MUTANT_BINARY(bit_and, &, |)
RTINDEX_MUTANT_BINARY(bit_or, |, &)
RTINDEX_MUTANT_BINARY(bit_xor, ^, &)
RTINDEX_MUTANT_BINARY(shift_left, <<, >>)
RTINDEX_MUTANT_BINARY(shift_right, >>, <<)
RTINDEX_MUTANT_ASSIGNMENT(add_to, +=, -=)
RTINDEX_MUTANT_ASSIGNMENT(subtract_from, -=, +=)
RTINDEX_MUTANT_ASSIGNMENT(multiply_by, *=, +=)
RTINDEX_MUTANT_ASSIGNMENT(divide_by, /=, *=)
RTINDEX_MUTANT_ASSIGNMENT(and_with, &=, |=)
RTINDEX_MUTANT_ASSIGNMENT(or_with, |=, &=)
RTINDEX_MUTANT_ASSIGNMENT(xor_with, ^=, &=)
RTINDEX_MUTANT_ASSIGNMENT(shift_left_by, <<=, >>=)
RTINDEX_MUTANT_ASSIGNMENT(shift_right_by, >>=, <<=)
RTINDEX_MUTANT_PREFIX(increment, ++, --)
RTINDEX_MUTANT_PREFIX(decrement, --, ++)
RTINDEX_MUTANT_PREFIX(negation, !, !!)
// clang-format on

// Whether the operand before the logical operator that is being evaluated was true.
inline constinit thread_local bool was_true = false;

// Not for the compiler: where it would have to evaluate this, the mutant does not compile.
inline void not_constant() {}

// `a && b` and `a || b` are written `a && LEFT || RIGHT && b`. LEFT is reached where a is true,
// RIGHT where LEFT was not reached or was false, b where RIGHT is true. For `or` both are true; for
// `and` LEFT remembers that it was reached, and RIGHT looks whether it was.
template <int id, bool is_and>
[[gnu::always_inline]] constexpr bool logical_left() {
  if (is_and && std::is_constant_evaluated()) not_constant();
  if (is_and == is_on<id>()) return true;
  was_true = true;
  return false;
}
template <int id, bool is_and>
[[gnu::always_inline]] constexpr bool logical_right() {
  if (is_and && std::is_constant_evaluated()) not_constant();
  return is_and == is_on<id>() || std::exchange(was_true, false);
}

template <int id, class T>
[[gnu::always_inline]] constexpr T number(T value) {
  return is_on<id>() ? static_cast<T>(value + 1) : value;
}

template <int id>
[[gnu::always_inline]] constexpr bool flag(bool value) {
  return is_on<id>() != value;
}

// std::min and std::max, `of` with or without a type.
template <int id, bool is_min>
struct extreme {
  template <class T>
  static constexpr const T& of(const T& a, const T& b) {
    return is_on<id>() != is_min ? std::min(a, b) : std::max(a, b);
  }
  template <class T>
  static constexpr T of(std::initializer_list<T> all) {
    return is_on<id>() != is_min ? std::min(all) : std::max(all);
  }
};

}  // namespace rtindex_mutants
