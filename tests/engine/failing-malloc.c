/* failing-malloc.c — makes malloc itself fail, and counts what is not freed: for a whole program,
 * the libraries in it included.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program's own symbols come first in the search, so every library that calls malloc comes by
 * here; dlsym finds the next one, which is libc's or a sanitiser's. operator new calls malloc,
 * except in AddressSanitizer's runtime, which has its own: there it is replaced by its mangled
 * name, as are strdup and strndup, which do not call malloc there either.
 */
#include "failing-malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Thread_local bool is_counting, is_quiet;
static _Thread_local size_t count, failing;
static _Thread_local bool full_after, is_full;
/* Bytes in use, and how many there may be from when memory is full: more or less than no bytes. */
static _Thread_local long in_use, most;

/* ---- What is followed -------------------------------------------------------------------------
 */

/* Open addressing; pointers are kept inverted, so that a leak checker does not take the table for
 * somebody who still needs them. One thread allocates; another may free. */
enum { N_SLOTS = 1 << 14 };
typedef struct {
  uintptr_t inverted;   /* 0: free; 1: was in use */
  size_t bytes, number; /* of the allocation */
  const void *caller;
} slot;
static slot slots[N_SLOTS];
static bool is_following; /* atomic */
static char lock;         /* atomic */

static void
acquire(void)
{
  while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
    ;
}

static void
release(void)
{
  __atomic_clear(&lock, __ATOMIC_RELEASE);
}

static size_t
first_slot(uintptr_t inverted)
{
  return (size_t) ((inverted >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % N_SLOTS;
}

static void
follow_bytes(void *memory, size_t bytes, const void *caller)
{
  if (!memory || !is_counting)
    return;
  in_use += (long) bytes;
  uintptr_t inverted = ~(uintptr_t) memory;
  acquire();
  size_t i = first_slot(inverted);
  for (size_t n = 0; slots[i].inverted > 1; i = (i + 1) % N_SLOTS)
    if (++n == N_SLOTS)
      abort();
  slots[i] = (slot){inverted, bytes, count, caller};
  release();
}

static void
forget_bytes(void *memory, size_t bytes)
{
  if (!memory || !__atomic_load_n(&is_following, __ATOMIC_ACQUIRE))
    return;
  if (is_counting)
    in_use -= (long) bytes;
  uintptr_t inverted = ~(uintptr_t) memory;
  acquire();
  size_t i = first_slot(inverted);
  for (size_t n = 0; slots[i].inverted != 0 && n < N_SLOTS; i = (i + 1) % N_SLOTS, n++)
    if (slots[i].inverted == inverted) {
      slots[i].inverted = 1;
      break;
    }
  release();
}

/* A sanitiser must not be asked for a size before it is ready: only while something is followed. */
static void
follow(void *memory, const void *caller)
{
  if (is_counting)
    follow_bytes(memory, malloc_usable_size(memory), caller);
}

static void
forget(void *memory)
{
  if (__atomic_load_n(&is_following, __ATOMIC_ACQUIRE))
    forget_bytes(memory, malloc_usable_size(memory));
}

/* Whether this allocation is to fail. */
static bool
fails(size_t bytes)
{
  if (!is_counting || is_quiet)
    return false;
  count++;
  if (count == failing) {
    is_full = full_after;
    most = in_use;
    return true;
  }
  return is_full && (bytes > LONG_MAX / 2 || in_use + (long) bytes > most);
}

void
failing_malloc_begin(size_t fail_at, bool and_full)
{
  memset(slots, 0, sizeof slots);
  count = 0;
  in_use = most = 0;
  failing = fail_at;
  full_after = and_full;
  is_full = is_quiet = false;
  __atomic_store_n(&is_following, true, __ATOMIC_RELEASE);
  is_counting = true;
}

size_t
failing_malloc_end(void)
{
  is_quiet = true;
  return count;
}

/* Where libzip (1.7 and 1.11) cannot make a source it forgets the one below, or its context: one
 * block, or two, of up to 184 bytes. They are freed here, for the leak checker. A file that we
 * forgot to close would be more than that. */
enum { MOST_KNOWN = 2 };

static bool
is_known(const slot *s)
{
  Dl_info info;
  if (failing == 0 || s->bytes > 184 || !dladdr(s->caller, &info) ||
      !strstr(info.dli_fname, "/libzip.so"))
    return false;
  free((void *) ~s->inverted);
  return true;
}

size_t
failing_malloc_leaks(void)
{
  is_counting = false;
  __atomic_store_n(&is_following, false, __ATOMIC_RELEASE);
  size_t n = 0, n_known = 0;
  for (size_t i = 0; i < N_SLOTS; i++) {
    if (slots[i].inverted <= 1 || (n_known < MOST_KNOWN && is_known(&slots[i]) && ++n_known))
      continue;
    if (n++ < 5)
      g_test_message("not freed: %zu bytes, allocation %zu", slots[i].bytes, slots[i].number);
  }
  return n;
}

/* ---- The functions ----------------------------------------------------------------------------
 */

/* dlsym itself may call free, to forget an earlier error: that one is looked up before any other,
 * at the first allocation. */
static void *next_free;

static void
look_up_free(void)
{
  if (!__atomic_load_n(&next_free, __ATOMIC_RELAXED))
    __atomic_store_n(&next_free, dlsym(RTLD_NEXT, "free"), __ATOMIC_RELAXED);
}

#define NEXT(name, ...)                                                            \
  ({                                                                               \
    static void *known;                                                            \
    void *found = __atomic_load_n(&known, __ATOMIC_RELAXED);                       \
    if (!found) {                                                                  \
      look_up_free();                                                              \
      __atomic_store_n(&known, found = dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED); \
    }                                                                              \
    ((__typeof__(&name)) found)(__VA_ARGS__);                                      \
  })

static void *
refuse(void)
{
  errno = ENOMEM;
  return NULL;
}

/* OpenBLAS 0.3.21 packs some small products into memory of which it does not look whether it got it
 * (kernel/x86_64/sgemm_small_kernel_nn_skylakex.c): a few kilobytes, which no program runs out of.
 */
__attribute__((noinline)) static bool /* the frame of malloc is there before the sanitiser */
may_not_fail(const void *caller)
{
  Dl_info info;
  return dladdr(caller, &info) && strstr(info.dli_fname, "/libopenblas");
}

void *
malloc(size_t size)
{
  if (fails(size) && !may_not_fail(__builtin_return_address(0)))
    return refuse();
  void *memory = NEXT(malloc, size);
  follow(memory, __builtin_return_address(0));
  return memory;
}

void *
calloc(size_t n, size_t size)
{
  size_t bytes;
  if (fails(__builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes))
    return refuse();
  void *memory = NEXT(calloc, n, size);
  follow(memory, __builtin_return_address(0));
  return memory;
}

void *
realloc(void *memory, size_t size)
{
  size_t before = is_counting || __atomic_load_n(&is_following, __ATOMIC_ACQUIRE)
                      ? malloc_usable_size(memory)
                      : 0;
  if (fails(size > before ? size - before : 0))
    return refuse();
  void *resized = NEXT(realloc, memory, size);
  if (resized || size == 0) {
    forget_bytes(memory, before);
    follow(resized, __builtin_return_address(0));
  }
  return resized;
}

void *
aligned_alloc(size_t alignment, size_t size)
{
  if (fails(size))
    return refuse();
  void *memory = NEXT(aligned_alloc, alignment, size);
  follow(memory, __builtin_return_address(0));
  return memory;
}

int
posix_memalign(void **memory, size_t alignment, size_t size)
{
  if (fails(size))
    return ENOMEM;
  int result = NEXT(posix_memalign, memory, alignment, size);
  if (result == 0)
    follow(*memory, __builtin_return_address(0));
  return result;
}

void
free(void *memory)
{
  forget(memory);
  look_up_free();
  ((__typeof__(&free)) __atomic_load_n(&next_free, __ATOMIC_RELAXED))(memory);
}

void *
mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
  if (fails(size)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void *pages = NEXT(mmap, address, size, protection, flags, fd, offset);
  if (pages != MAP_FAILED)
    follow_bytes(pages, size, __builtin_return_address(0));
  return pages;
}

int
munmap(void *pages, size_t size)
{
  forget_bytes(pages, size);
  return NEXT(munmap, pages, size);
}

#ifdef __SANITIZE_ADDRESS__

char *
strdup(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

char *
strndup(const char *text, size_t n)
{
  size_t length = strnlen(text, n);
  char *copy = malloc(length + 1);
  if (copy) {
    memcpy(copy, text, length);
    copy[length] = '\0';
  }
  return copy;
}

/* C++, by the names that the compiler gives: operators new and delete, std::get_new_handler and
 * std::__throw_bad_alloc. */
void (*_ZSt15get_new_handlerv(void))(void);
_Noreturn void _ZSt17__throw_bad_allocv(void);

#define OPERATOR_NEW(name)                              \
  void *name(size_t size);                              \
  void *name(size_t size)                               \
  {                                                     \
    while (fails(size)) {                               \
      void (*handler)(void) = _ZSt15get_new_handlerv(); \
      if (!handler)                                     \
        _ZSt17__throw_bad_allocv();                     \
      handler();                                        \
    }                                                   \
    void *memory = NEXT(name, size);                    \
    follow(memory, __builtin_return_address(0));        \
    return memory;                                      \
  }
OPERATOR_NEW(_Znwm)
OPERATOR_NEW(_Znam)

#define OPERATOR_NEW_NOTHROW(name)               \
  void *name(size_t size, const void *nothrow);  \
  void *name(size_t size, const void *nothrow)   \
  {                                              \
    if (fails(size))                             \
      return NULL;                               \
    void *memory = NEXT(name, size, nothrow);    \
    follow(memory, __builtin_return_address(0)); \
    return memory;                               \
  }
OPERATOR_NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
OPERATOR_NEW_NOTHROW(_ZnamRKSt9nothrow_t)

#define OPERATOR_DELETE(name) \
  void name(void *memory);    \
  void name(void *memory)     \
  {                           \
    forget(memory);           \
    NEXT(name, memory);       \
  }
OPERATOR_DELETE(_ZdlPv)
OPERATOR_DELETE(_ZdaPv)

#define OPERATOR_DELETE_SIZED(name)     \
  void name(void *memory, size_t size); \
  void name(void *memory, size_t size)  \
  {                                     \
    forget(memory);                     \
    NEXT(name, memory, size);           \
  }
OPERATOR_DELETE_SIZED(_ZdlPvm)
OPERATOR_DELETE_SIZED(_ZdaPvm)

#endif
