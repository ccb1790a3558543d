/* bench-load.c — how long opening a model takes, and how much memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-load TINY-DIR [ROUNDS [PATH...]]
 *
 * Without a PATH it writes a checkpoint of the shape of the OPUS-MT models in F32 (288 MB; TINY-DIR
 * lends it a tokenizer), opens it, and removes it. Every opening is a process of its own, so that
 * memory is that of one opening and nothing is remembered but the system's cache of files; one
 * round before those that count fills that. Several models take turns.
 *
 * Prints milliseconds, then memory: the most that was resident, pages of the mapped file counted,
 * and how much of what stayed belongs to the process alone.
 */
#include "hash-weights.h"

#include <mt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_ROUNDS 200

typedef struct {
  double ms, peak_mb, own_mb;
  size_t file_bytes;
  char format[32];
} Opening;

static double
now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

/* A line of /proc/self/status in MB. */
static double
status_mb(const char *key)
{
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  double kb = 0;
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0)
      kb = strtod(line + strlen(key), NULL);
  if (file)
    fclose(file);
  return kb / 1024;
}

/* In a child process: open, write what it took. */
static void
open_once(const char *path, int out)
{
  mt_error error = {0};
  double before_peak = status_mb("VmHWM:"), before_own = status_mb("RssAnon:"), start = now_ms();
  mt_model *model = mt_model_open(path, NULL, &error);
  Opening opening = {.ms = now_ms() - start};
  if (!model) {
    fprintf(stderr, "bench-load: %s\n", error.message);
    _exit(1);
  }
  opening.peak_mb = status_mb("VmHWM:") - before_peak;
  opening.own_mb = status_mb("RssAnon:") - before_own;
  opening.file_bytes = mt_model_file_bytes(model);
  snprintf(opening.format, sizeof opening.format, "%s", mt_model_format(model));
  if (write(out, &opening, sizeof opening) != sizeof opening)
    _exit(1);
  mt_model_unref(model);
  _exit(0);
}

static Opening
open_in_child(const char *path)
{
  int ends[2], status;
  Opening opening;
  if (pipe(ends) != 0)
    exit(1);
  pid_t child = fork();
  if (child < 0)
    exit(1);
  if (child == 0)
    open_once(path, ends[1]);
  close(ends[1]);
  ssize_t n = read(ends[0], &opening, sizeof opening);
  close(ends[0]);
  waitpid(child, &status, 0);
  if (n != sizeof opening || status != 0)
    exit(1); /* the child has said why */
  return opening;
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

typedef struct {
  const char *path;
  Opening last;
  double ms[MAX_ROUNDS], peak[MAX_ROUNDS];
} Series;

static void
report(Series *series, size_t n)
{
  const Opening *last = &series->last;
  double *ms = series->ms, *peak = series->peak;
  qsort(ms, n, sizeof *ms, compare);
  qsort(peak, n, sizeof *peak, compare);
  double size_mb = (double) last->file_bytes / (1024 * 1024);
  printf("%-12s %8.1f %8.1f %8.1f %8.1f %5zu %9.0f %9.0f %6.2f %9.0f  %s\n", last->format,
         ms[n / 2], ms[(95 * n + 99) / 100 - 1], ms[0], ms[n - 1], n, size_mb, peak[n - 1],
         peak[n - 1] / size_mb, last->own_mb, series->path);
}

static void
measure(char *const *paths, size_t n_paths, size_t rounds)
{
  Series *all = calloc(n_paths, sizeof *all);
  if (!all)
    exit(1);
  for (size_t i = 0; i < n_paths; i++) {
    all[i].path = paths[i];
    open_in_child(paths[i]);
  }
  for (size_t r = 0; r < rounds; r++)
    for (size_t i = 0; i < n_paths; i++) {
      all[i].last = open_in_child(paths[i]);
      all[i].ms[r] = all[i].last.ms;
      all[i].peak[r] = all[i].last.peak_mb;
    }
  for (size_t i = 0; i < n_paths; i++)
    report(&all[i], rounds);
  free(all);
}

/* In a child process, too: what the writer takes is not to be counted. */
static void
write_checkpoint(const char *dir, const char *tiny)
{
  int status;
  pid_t child = fork();
  if (child == 0) {
    hash_weights_write_opus_shape(dir, tiny, TRUE);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    exit(1);
}

int
main(int argc, char **argv)
{
  long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 20;
  if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf(stderr, "usage: bench-load TINY-DIR [ROUNDS, 1 to %d [PATH...]]\n", MAX_ROUNDS);
    return 2;
  }
  printf("%-12s %8s %8s %8s %8s %5s %9s %9s %6s %9s\n", "milliseconds", "median", "p95", "least",
         "most", "n", "file MB", "peak MB", "ratio", "own MB");
  fflush(stdout);
  if (argc > 3) {
    measure(argv + 3, (size_t) argc - 3, (size_t) rounds);
    return 0;
  }
  const char *folder = getenv("TMPDIR");
  char dir[4096];
  snprintf(dir, sizeof dir, "%s/regard-load-XXXXXX", folder && *folder ? folder : "/tmp");
  if (!mkdtemp(dir)) {
    fprintf(stderr, "bench-load: no folder can be made in %s\n", dir);
    return 1;
  }
  write_checkpoint(dir, argv[1]);
  measure((char *const[]){dir}, 1, (size_t) rounds);
  hash_weights_remove(dir);
  return 0;
}
