/* bench-train.c — how fast training is: steps over batches of sentences of usual lengths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-train [--threads N] [--products bf16] [--rounds N] [--every N]
 *     bench-train [--threads N] [--products bf16] --serve FILE
 *
 * The network is the one of the bundled model: d 256, 6 + 6 layers, 8 heads, d_ffn 1024, 8,001
 * words, dropout and label smoothing 0.1. The lengths of the sentences are drawn from a log-normal
 * distribution; batches are made of sentences of nearly the same lengths, out of so many that
 * little is padding for who pads, about 4,096 tokens of source and target together.
 *
 * --every N takes every nth batch only.
 *
 * With --serve the batches go to FILE, 32-bit integers: the number of batches; of each the number
 * of sentences; of each source length, target length and their ids. Then each line of standard
 * input is the number of a batch, and the answer the seconds of one step with it, its tokens and
 * its loss per token. A line "peak" is answered with the GFLOP/s of a large product, "memory" with
 * the megabytes of the process at its largest, "bf16" with the instruction set of such products.
 */
#include "base/mt-alloc.h"
#include "train/mt-adam.h"
#include "train/mt-bf16.h"
#include "train/mt-product.h"
#include "train/mt-train-pass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum {
  N_SENTENCES = 100000,
  N_BATCHES = 12,
  BATCH_TOKENS = 4096,
  VOCABULARY = 8001,
  MAX_ROUNDS = 100
};

typedef struct {
  uint32_t n_source, n_target;
} lengths;

typedef struct {
  mt_train_batch batch;
  size_t n_tokens;
} bench_batch;

static uint64_t random_state = 1;

static double
uniform(void)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return ((double) (random_state >> 11) + 0.5) * 0x1p-53;
}

static double
normal(void)
{
  return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

static double
now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static void
check(const void *result, const mt_error *error)
{
  if (result)
    return;
  fprintf(stderr, "bench-train: %s\n", error->message);
  exit(1);
}

static void *
allocate(size_t n, size_t size)
{
  void *memory = mt_alloc(n, size);
  check(memory, &(mt_error){.message = "there is not enough memory"});
  return memory;
}

/* ---- Batches ----------------------------------------------------------------------------------
 */

static int
by_length(const void *a, const void *b)
{
  const lengths *x = a, *y = b;
  if (x->n_target != y->n_target)
    return x->n_target < y->n_target ? -1 : 1;
  return x->n_source < y->n_source ? -1 : x->n_source > y->n_source;
}

static uint32_t
clamp(double length)
{
  return length < 2 ? 2 : length > 200 ? 200 : (uint32_t) length;
}

static int32_t *
random_ids(size_t n)
{
  int32_t *ids = allocate(n, sizeof *ids);
  for (size_t i = 0; i < n; i++)
    ids[i] = (int32_t) (uniform() * uniform() * (VOCABULARY - 1));
  return ids;
}

static bench_batch
make_batch(const lengths *sentences, size_t n)
{
  uint32_t *source = allocate(n + 1, sizeof *source), *target = allocate(n + 1, sizeof *target);
  for (size_t i = 0; i < n; i++) {
    source[i + 1] = source[i] + sentences[i].n_source;
    target[i + 1] = target[i] + sentences[i].n_target;
  }
  int32_t *out = random_ids(target[n]), *in = allocate(target[n], sizeof *in);
  for (size_t i = 0; i < n; i++)
    for (uint32_t r = target[i]; r < target[i + 1]; r++)
      in[r] = r == target[i] ? VOCABULARY - 1 : out[r - 1];
  return (bench_batch){{n, source, target, random_ids(source[n]), in, out}, source[n] + target[n]};
}

/* Batches from all over the sorted sentences. */
static void
make_batches(bench_batch batches[N_BATCHES])
{
  lengths *sentences = allocate(N_SENTENCES, sizeof *sentences);
  for (size_t i = 0; i < N_SENTENCES; i++) {
    double source = exp(log(20) + 0.6 * normal());
    sentences[i] = (lengths){clamp(source), clamp(source * exp(0.2 * normal()))};
  }
  qsort(sentences, N_SENTENCES, sizeof *sentences, by_length);
  for (size_t b = 0; b < N_BATCHES; b++) {
    size_t first = (size_t) ((double) N_SENTENCES * ((double) b + 0.3) / N_BATCHES), n = 0;
    for (size_t tokens = 0; first + n < N_SENTENCES; n++) {
      tokens += sentences[first + n].n_source + sentences[first + n].n_target;
      if (tokens > BATCH_TOKENS)
        break;
    }
    batches[b] = make_batch(sentences + first, n);
  }
  mt_free(sentences);
}

static void
write_number(FILE *file, size_t number)
{
  int32_t n = (int32_t) number;
  fwrite(&n, sizeof n, 1, file);
}

static void
write_batches(const char *path, const bench_batch batches[N_BATCHES])
{
  FILE *file = fopen(path, "wb");
  check(file, &(mt_error){.message = "the file of batches cannot be written"});
  write_number(file, N_BATCHES);
  for (size_t b = 0; b < N_BATCHES; b++) {
    const mt_train_batch *batch = &batches[b].batch;
    write_number(file, batch->n_sentences);
    for (size_t i = 0; i < batch->n_sentences; i++) {
      uint32_t s = batch->source_begin[i], t = batch->target_begin[i];
      uint32_t n_source = batch->source_begin[i + 1] - s, n_target = batch->target_begin[i + 1] - t;
      write_number(file, n_source);
      write_number(file, n_target);
      fwrite(batch->source + s, sizeof *batch->source, n_source, file);
      fwrite(batch->target_out + t, sizeof *batch->target_out, n_target, file);
    }
  }
  fclose(file);
}

/* ---- Steps ------------------------------------------------------------------------------------
 */

typedef struct {
  mt_network *network;
  mt_workspace *workspace;
  mt_adam adam;
  uint64_t step;
} bench;

static double
run_step(bench *b, const mt_train_batch *batch, double *loss_per_token)
{
  mt_error error = {0};
  mt_loss loss;
  double begin = now();
  mt_pass_options options = {.seed = 1, .step = ++b->step};
  bool ok = mt_network_gradient(b->network, b->workspace, batch, &options, &loss, &error);
  check(ok ? b : NULL, &error);
  double norm;
  ok = mt_adam_step(&b->adam, mt_workspace_pool(b->workspace), b->network->parameters,
                    b->network->gradients, 1 / (double) loss.n_tokens, 1e-4, b->step, &norm);
  check(ok ? b : NULL, &(mt_error){.message = "the gradient is not finite"});
  *loss_per_token = loss.smoothed_loss / (double) loss.n_tokens;
  return now() - begin;
}

enum { ROWS = 2048, COLS = 2048, DEPTH = 1024 };

typedef struct {
  mt_real *x, *w, *y;
} sgemm;

static void
sgemm_part(void *user, size_t i, size_t n)
{
  const sgemm *s = user;
  size_t begin = ROWS * i / n, end = ROWS * (i + 1) / n;
  /* Portable operators have no products of their own. */
  mt_products by_openblas = {.operators = mt_operators_get(0)};
  mt_product_rows(&by_openblas, s->y, COLS, (mt_factor){s->x, DEPTH, false},
                  (mt_factor){s->w, DEPTH, true}, NULL, COLS, DEPTH, false, begin, end);
}

/* GFLOP/s of sgemm with a large product, the best of several. */
static double
peak(const bench *b)
{
  mt_real *x = allocate(ROWS * DEPTH, sizeof *x), *w = allocate(COLS * DEPTH, sizeof *w);
  mt_real *y = allocate(ROWS * COLS, sizeof *y);
  sgemm s = {x, w, y};
  mt_pool *pool = mt_workspace_pool(b->workspace);
  for (size_t i = 0; i < ROWS * DEPTH; i++)
    x[i] = w[i] = (mt_real) (i % 7) - 3;
  double best = 1e9;
  for (int i = 0; i < 20; i++) {
    double begin = now();
    mt_pool_run(pool, mt_pool_n_threads(pool), sgemm_part, &s);
    double seconds = now() - begin;
    best = seconds < best ? seconds : best;
  }
  mt_free(x);
  mt_free(w);
  mt_free(y);
  return 2e-9 * ROWS * COLS * DEPTH / best;
}

/* Multiplications and additions of a step's products of rows and weights, forward and twice
 * backward; attention's own, some 2 %, are not counted. */
static double
operations(const mt_network_config *c, const mt_train_batch *batch)
{
  double d = (double) c->d_model, ffn = 2 * d * (double) c->d_ffn;
  double source = batch->source_begin[batch->n_sentences];
  double target = batch->target_begin[batch->n_sentences];
  double encoder = source * (double) c->n_layers[0] * (4 * d * d + ffn);
  double decoder = (double) c->n_layers[1] * (target * (6 * d * d + ffn) + source * 2 * d * d);
  return 6 * (encoder + decoder + target * d * (double) c->vocab_size);
}

static double
peak_memory(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double) usage.ru_maxrss / 1024;
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static void
run_alone(bench *b, const bench_batch batches[N_BATCHES], size_t n_rounds, size_t every)
{
  double rates[MAX_ROUNDS * N_BATCHES], shares[MAX_ROUNDS * N_BATCHES], loss;
  double best = peak(b);
  size_t n = 0;
  for (size_t i = every / 2; i < N_BATCHES; i += every)
    run_step(b, &batches[i].batch, &loss);
  for (size_t round = 0; round < n_rounds; round++)
    for (size_t i = every / 2; i < N_BATCHES; i += every, n++) {
      double seconds = run_step(b, &batches[i].batch, &loss);
      rates[n] = (double) batches[i].n_tokens / seconds;
      shares[n] = operations(&b->network->config, &batches[i].batch) / seconds / 1e9 / best;
    }
  qsort(rates, n, sizeof *rates, compare);
  qsort(shares, n, sizeof *shares, compare);
  printf("peak of sgemm     %8.1f GFLOP/s\n", best);
  printf("tokens a second   %8.0f (median of %zu steps; %.0f to %.0f)\n", rates[n / 2], n, rates[0],
         rates[n - 1]);
  printf("share of the peak %8.1f %%\n", 100 * shares[n / 2]);
  printf("memory            %8.0f MB, activations %.0f MB\n", peak_memory(),
         (double) mt_workspace_bytes(b->workspace) / 1e6);
}

static void
serve(bench *b, const bench_batch batches[N_BATCHES])
{
  char line[32];
  while (fgets(line, sizeof line, stdin)) {
    double loss;
    if (strcmp(line, "peak\n") == 0) {
      printf("%.2f\n", peak(b));
    } else if (strcmp(line, "memory\n") == 0) {
      printf("%.1f\n", peak_memory());
    } else if (strcmp(line, "bf16\n") == 0) {
      printf("%s\n", mt_bf16_best()->name);
    } else {
      unsigned long i = strtoul(line, NULL, 10);
      if (i >= N_BATCHES)
        exit(2);
      double seconds = run_step(b, &batches[i].batch, &loss);
      printf("%.6f %zu %.6f\n", seconds, batches[i].n_tokens, loss);
    }
    fflush(stdout);
  }
}

int
main(int argc, char **argv)
{
  unsigned n_threads = 0;
  size_t n_rounds = 3, every = 1;
  const char *path = NULL;
  mt_network_config config = mt_network_config_default();
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--threads") == 0)
      n_threads = (unsigned) strtoul(argv[i + 1], NULL, 10);
    else if (strcmp(argv[i], "--rounds") == 0)
      n_rounds = strtoul(argv[i + 1], NULL, 10);
    else if (strcmp(argv[i], "--every") == 0)
      every = strtoul(argv[i + 1], NULL, 10);
    else if (strcmp(argv[i], "--products") == 0 && strcmp(argv[i + 1], "bf16") == 0)
      config.products = MT_PRODUCTS_BF16;
    else if (strcmp(argv[i], "--serve") == 0)
      path = argv[i + 1];
  }
  if (n_rounds < 1 || n_rounds > MAX_ROUNDS)
    n_rounds = MAX_ROUNDS;
  if (every < 1 || every > N_BATCHES)
    every = N_BATCHES;
  static bench_batch batches[N_BATCHES];
  make_batches(batches);
  mt_error error = {0};
  config.vocab_size = VOCABULARY;
  bench b = {.network = mt_network_new(&config, &error)};
  check(b.network, &error);
  mt_network_init(b.network, 1);
  b.workspace = mt_workspace_new(b.network, n_threads, &error);
  check(b.workspace, &error);
  mt_adam_options adam = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9};
  bool ok = mt_adam_init(&b.adam, &adam, b.network->n_flat, &error);
  check(ok ? &b : NULL, &error);
  if (path) {
    write_batches(path, batches);
    serve(&b, batches);
  } else {
    run_alone(&b, batches, n_rounds, every);
  }
  mt_adam_clear(&b.adam);
  mt_workspace_free(b.workspace);
  mt_network_free(b.network);
  for (size_t i = 0; i < N_BATCHES; i++) {
    const mt_train_batch *batch = &batches[i].batch;
    mt_free((void *) batch->source_begin);
    mt_free((void *) batch->target_begin);
    mt_free((void *) batch->source);
    mt_free((void *) batch->target_in);
    mt_free((void *) batch->target_out);
  }
  return 0;
}
