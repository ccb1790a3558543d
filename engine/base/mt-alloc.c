/* mt-alloc.c — the one seam through which the engine's memory passes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 64

static _Atomic(mt_alloc_hook) test_hook;

void
mt_alloc_set_hook(mt_alloc_hook hook)
{
  atomic_store(&test_hook, hook);
}

/* Bytes of n elements, at least 1, or 0 if it overflows, is absurd, or a test wants it to fail. */
static size_t
admit(size_t n, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX - ALIGNMENT)
    return 0;
  if (bytes == 0)
    bytes = 1;
  mt_alloc_hook hook = atomic_load_explicit(&test_hook, memory_order_relaxed);
  if (hook && !hook(bytes))
    return 0;
  return bytes;
}

void *
mt_alloc(size_t n, size_t size)
{
  size_t bytes = admit(n, size);
  return bytes ? calloc(1, bytes) : NULL;
}

void *
mt_alloc_aligned(size_t n, size_t size)
{
  size_t bytes = admit(n, size);
  if (!bytes)
    return NULL;
  /* aligned_alloc wants a multiple of the alignment. */
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory = aligned_alloc(ALIGNMENT, bytes);
  if (memory)
    memset(memory, 0, bytes);
  return memory;
}

void *
mt_alloc_large(size_t n, size_t size)
{
  char *memory = mt_alloc(n, size);
  if (!memory)
    return NULL;
  /* Nothing of it was touched yet. Where this fails, or only parts are large, all is well too. */
  uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
  uintptr_t begin = ((uintptr_t) memory + page - 1) / page * page;
  uintptr_t end = ((uintptr_t) memory + n * size) / page * page;
  if (begin < end)
    madvise((void *) begin, end - begin, MADV_HUGEPAGE);
  return memory;
}

void *
mt_reserve(size_t bytes)
{
  if (bytes == 0 || !admit(bytes, 1))
    return NULL;
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

void
mt_unreserve(void *memory, size_t bytes)
{
  if (memory)
    munmap(memory, bytes);
}

void *
mt_realloc(void *memory, size_t n, size_t size)
{
  size_t bytes = admit(n, size);
  return bytes ? realloc(memory, bytes) : NULL;
}

bool
mt_grow(void *list, size_t n, size_t more, size_t *capacity, size_t size)
{
  void *elements;
  if (n + more <= *capacity)
    return true;
  const size_t wanted = 2 * (n + more) + 16; /* of what is in memory: no overflow */
  memcpy(&elements, list, sizeof elements);
  elements = mt_realloc(elements, wanted, size);
  if (!elements)
    return false;
  memcpy(list, &elements, sizeof elements);
  *capacity = wanted;
  return true;
}

char *
mt_strndup(const char *text, size_t n)
{
  char *copy = n < SIZE_MAX ? mt_alloc(n + 1, 1) : NULL;
  if (copy)
    memcpy(copy, text, n);
  return copy;
}

char *
mt_strdup(const char *text)
{
  return mt_strndup(text, strlen(text));
}

char *
mt_path_join(const char *folder, const char *name)
{
  const size_t size = strlen(folder) + strlen(name) + 2;
  char *path = mt_alloc(size, 1);
  if (path)
    snprintf(path, size, "%s/%s", folder, name);
  return path;
}

void
mt_drop_pages(const void *bytes, size_t size)
{
  /* Whole pages only: the others hold something else too. */
  const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
  const uintptr_t begin = ((uintptr_t) bytes + page - 1) / page * page;
  const uintptr_t end = ((uintptr_t) bytes + size) / page * page;
  if (begin < end)
    madvise((void *) begin, end - begin, MADV_DONTNEED);
}

void
mt_free(void *memory)
{
  free(memory);
}
