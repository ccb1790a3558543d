/* bench-grid.c — sentences of everyday length by model, precision, threads and beam, with captures
 * and without, beside what the machine can read in the same time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-grid SENTENCES ROUNDS MODEL-DIR...
 *
 * A step of a search reads every weight of the decoder and of the output layer once, whatever else
 * it does. `read` is what that comes to for the whole sentence; `stream` is how fast as many bytes
 * as one step reads can be read again and again by as many threads, doing nothing else, from
 * memory of the same kind (large pages), measured between the rounds; `share` is the one by the
 * other, the time of the encoder and of everything else included. Every row takes its turn in every
 * round; the first does not count. SENTENCES is a file of one sentence a line. Last comes what
 * hooks cost that ask for nothing.
 */
#include "base/mt-alloc.h"
#include "session/mt-session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH     30
#define MAX_ROUNDS 50
#define MAX_MODELS 4
#define MAX_TEXTS  64

static const unsigned all_threads[] = {1, 2};
static const size_t all_beams[] = {1, 4};
static const mt_precision all_precisions[] = {MT_PRECISION_STORED, MT_PRECISION_BF16,
                                              MT_PRECISION_INT8};
#define N(list) (sizeof(list) / sizeof(list)[0])

static char *texts[MAX_TEXTS];
static size_t n_texts;

typedef struct {
  mt_session *session; /* keeps attention while it searches */
  unsigned n_threads;
  size_t beam;
  double *off, *on, *stream; /* [runs]: milliseconds without and with a capture; GB/s */
  size_t n;
} Row;

static void
check(const void *result, const mt_error *error)
{
  if (result)
    return;
  fprintf(stderr, "bench-grid: %s\n", error->message[0] ? error->message : "out of memory");
  exit(1);
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static double
median(double *values, size_t n)
{
  qsort(values, n, sizeof *values, compare);
  return values[n / 2];
}

/* ---- What a step reads --------------------------------------------------------------------- */

static size_t
map_bytes(const mt_linear *map)
{
  size_t n = map->n_out * map->n_in;
  if (map->rounded.format == MT_PRECISION_INT8)
    return n;
  bool has_half = map->rounded.panels ||
                  (map->as_stored.panels && map->as_stored.format != MT_PRECISION_STORED);
  return has_half ? 2 * n : 4 * n;
}

static size_t
step_bytes(const mt_model *model)
{
  size_t bytes = map_bytes(&model->output);
  for (size_t l = 0; l < model->config.n_layers[MT_STACK_DECODER]; l++) {
    const mt_layer_weights *w = &model->stacks[MT_STACK_DECODER].layers[l];
    const mt_linear *maps[] = {&w->self.q,  &w->self.k,    &w->self.v,  &w->self.out,
                               &w->cross.q, &w->cross.out, &w->ffn.fc1, &w->ffn.fc2};
    for (size_t i = 0; i < N(maps); i++)
      bytes += map_bytes(maps[i]);
  }
  return bytes;
}

typedef struct {
  const uint64_t *words;
  size_t n;
  uint64_t sums[64];
} Reading;

static void
read_part(void *user, size_t i, size_t n_parts)
{
  Reading *r = user;
  const uint64_t *p = r->words + r->n / n_parts * i, *end = p + r->n / n_parts / 8 * 8;
  uint64_t a = 0, b = 0, c = 0, d = 0;
  for (; p < end; p += 8) {
    __builtin_prefetch(p + 256);
    a += p[0] + p[4];
    b += p[1] + p[5];
    c += p[2] + p[6];
    d += p[3] + p[7];
  }
  r->sums[i] += a + b + c + d;
}

/* GB/s of reading `bytes` some times. */
static double
stream(mt_pool *pool, size_t bytes)
{
  static uint64_t *block;
  static size_t size;
  static volatile uint64_t callback;
  if (bytes > size) {
    mt_free(block);
    block = mt_alloc_large(bytes, 1);
    check(block, &(mt_error){0});
    memset(block, 1, bytes);
    size = bytes;
  }
  Reading reading = {.words = block, .n = bytes / sizeof *block};
  mt_pool_run(pool, mt_pool_n_threads(pool), read_part, &reading);
  double begin = mt_session_clock();
  for (int i = 0; i < 5; i++)
    mt_pool_run(pool, mt_pool_n_threads(pool), read_part, &reading);
  double ms = mt_session_clock() - begin;
  callback = reading.sums[0];
  (void) callback;
  return 5.0 * (double) bytes / ms * 1e-6;
}

static void
read_texts(const char *path)
{
  char line[4096];
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  while (n_texts < MAX_TEXTS && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    texts[n_texts] = strdup(line);
    check(texts[n_texts++], &(mt_error){0});
  }
  fclose(file);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static double
run(Row *row, const char *text, bool captures, const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(mt_session_model(row->session));
  params.beam_size = row->beam;
  params.min_length = params.max_length = LENGTH + 1; /* with the start token */
  mt_draft_clear(&row->session->draft);
  row->session->keeps_attention = captures;
  double begin = mt_session_clock();
  mt_translation *t = mt_session_translate(row->session, text, &params, hooks, &error);
  check(t, &error);
  if (captures) {
    mt_capture *capture = mt_session_capture(row->session, t, 0, 0, NULL, &error);
    check(capture, &error);
    mt_capture_unref(capture);
  }
  mt_translation_unref(t);
  return mt_session_clock() - begin;
}

static void
measure(Row *row, size_t round)
{
  size_t bytes = step_bytes(mt_session_model(row->session));
  for (size_t s = 0; s < n_texts; s++) {
    bool on_first = (s + round) % 2;
    double first = run(row, texts[s], on_first, NULL);
    double second = run(row, texts[s], !on_first, NULL);
    if (round == 0)
      continue;
    row->on[row->n] = on_first ? first : second;
    row->off[row->n] = on_first ? second : first;
    row->stream[row->n] = stream(row->session->ops.pool, bytes);
    row->n++;
  }
}

static void
print(Row *row)
{
  mt_model *model = mt_session_model(row->session);
  double *costs = malloc(row->n * sizeof *costs);
  check(costs, &(mt_error){0});
  for (size_t i = 0; i < row->n; i++)
    costs[i] = 100 * (row->on[i] / row->off[i] - 1);
  double cost = median(costs, row->n), off = median(row->off, row->n), on = median(row->on, row->n);
  double read = (double) step_bytes(model) * LENGTH / off * 1e-6;
  double limit = median(row->stream, row->n);
  printf("%-10s %-6s %7u %4zu %8.1f %8.1f %6.1f %8.0f %6.1f %6.1f %5.0f\n", mt_model_name(model),
         mt_precision_name(mt_model_precision(model)), row->n_threads, row->beam, off, on, cost,
         LENGTH * 1e3 / off, read, limit, 100 * read / limit);
  free(costs);
}

static bool
never(void *user)
{
  return false;
}

/* Hooks are there, want no hook point, and never stop anything. */
static void
measure_hooks(Row *row, size_t rounds)
{
  const mt_hooks idle = {.should_stop = never};
  size_t n = 4 * rounds * n_texts, i = 0;
  double *costs = malloc(n * sizeof *costs);
  check(costs, &(mt_error){0});
  for (size_t r = 0; r < 4 * rounds; r++)
    for (size_t s = 0; s < n_texts; s++, i++) {
      double first = run(row, texts[s], false, i % 2 ? &idle : NULL);
      double second = run(row, texts[s], false, i % 2 ? NULL : &idle);
      costs[i] = 100 * ((i % 2 ? first / second : second / first) - 1);
    }
  double middle = median(costs, n);
  printf("\nhooks that ask for nothing: %+.2f %% (quartiles %+.2f and %+.2f, %zu pairs; %s, %u "
         "thread, greedy)\n",
         middle, costs[n / 4], costs[3 * n / 4], n, mt_model_name(mt_session_model(row->session)),
         row->n_threads);
  free(costs);
}

int
main(int argc, char **argv)
{
  long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
  if (argc < 4 || argc > 3 + MAX_MODELS || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf(stderr,
            "usage: bench-grid SENTENCES ROUNDS MODEL-DIR...\n"
            "rounds 1 to %d, models at most %d\n",
            MAX_ROUNDS, MAX_MODELS);
    return 2;
  }
  read_texts(argv[1]);
  static Row rows[MAX_MODELS * N(all_precisions) * N(all_threads) * N(all_beams)];
  size_t n_rows = 0, n_runs = (size_t) rounds * n_texts;
  mt_error error = {0};
  for (int m = 3; m < argc; m++)
    for (size_t p = 0; p < N(all_precisions); p++) {
      mt_load_options load = {.precision = all_precisions[p]};
      mt_model *model = mt_model_open(argv[m], &load, &error);
      check(model, &error);
      for (size_t t = 0; t < N(all_threads); t++) {
        mt_session_options options = {.n_threads = all_threads[t], .keeps_attention = true};
        mt_session *session = mt_session_new(model, &options, &error);
        check(session, &error);
        for (size_t b = 0; b < N(all_beams); b++) {
          double *times = calloc(3 * n_runs, sizeof *times);
          check(times, &error);
          rows[n_rows++] = (Row){.session = session,
                                 .n_threads = all_threads[t],
                                 .beam = all_beams[b],
                                 .off = times,
                                 .on = times + n_runs,
                                 .stream = times + 2 * n_runs};
        }
      }
      mt_model_unref(model);
    }
  printf("%zu sentences, %ld rounds, %d output tokens; medians\n\n", n_texts, rounds, LENGTH);
  printf("%-10s %-6s %7s %4s %8s %8s %6s %8s %6s %6s %5s\n", "model", "", "threads", "beam", "ms",
         "captures", "+ %", "tokens/s", "read", "stream", "share");
  for (size_t r = 0; r <= (size_t) rounds; r++)
    for (size_t i = 0; i < n_rows; i++)
      measure(&rows[i], r);
  for (size_t i = 0; i < n_rows; i++)
    print(&rows[i]);
  measure_hooks(&rows[0], (size_t) rounds);
  return 0;
}
