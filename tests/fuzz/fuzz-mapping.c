/* fuzz-mapping.c — mapped files become memory of exactly their size.
 *
 * A mapping ends with its page, so that AddressSanitizer would not notice a reader that goes past
 * the end of a file. The linker (--wrap) sends the engine's mmap and munmap here instead.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than are ever open at once: files of one model, shards included. */
#define MAX_COPIES 4096

static void *copies[MAX_COPIES];

void *__real_mmap64(void *address, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *address, size_t n, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *address, size_t n);
int __wrap_munmap(void *address, size_t n);

void *
__wrap_mmap64(void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
  size_t i = 0;
  while (i < MAX_COPIES && copies[i])
    i++;
  if (fd < 0 || address || protection != PROT_READ || i == MAX_COPIES)
    return __real_mmap64(address, n, protection, flags, fd, offset);
  char *copy = malloc(n);
  if (!copy || pread(fd, copy, n, offset) != (ssize_t) n) {
    free(copy);
    return MAP_FAILED;
  }
  copies[i] = copy;
  return copy;
}

int
__wrap_munmap(void *address, size_t n)
{
  for (size_t i = 0; i < MAX_COPIES; i++)
    if (copies[i] == address) {
      copies[i] = NULL;
      free(address);
      return 0;
    }
  return __real_munmap(address, n);
}
