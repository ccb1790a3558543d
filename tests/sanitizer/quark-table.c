/* quark-table.c — keeps GLib's first table of names, so that it is no leak.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program that meets more than 2,048 names of types, signals and properties outgrows the first
 * table of them, 16 KiB that GLib never frees and then forgets: threads may still read it. The
 * sanitiser reports it, and the stack that it knows of it ends in g_malloc, so that a suppression
 * would hide everything. GLib makes the table when it is loaded, before main and before every
 * constructor of a program; what stands in .preinit_array runs earlier still.
 */
#include <stddef.h>

/* Of the sanitiser's runtime, whose header GCC does not bring along. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

/* QUARK_BLOCK_SIZE in GLib. */
#define N_NAMES 2048

static const volatile void *table;

/* The first block of that size; should it be another one, GLib's is reported as ever. */
static void
on_malloc(const volatile void *memory, size_t size)
{
  if (size == N_NAMES * sizeof(char *) && !table)
    table = memory;
}

static void
on_free(const volatile void *memory)
{
  if (memory == table)
    table = NULL;
}

static void
watch(int argc, char **argv, char **environment)
{
  __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}

typedef void (*Start)(int argc, char **argv, char **environment);
__attribute__((section(".preinit_array"), used)) static const Start at_start = watch;
