/* mt-effects-pass.c — many copies of one sentence through the model together, each with a change of
 * its own.
 *
 * Before its layer a copy is the clean sentence. So that one goes through alone once, and the
 * stream before each layer is kept; a copy joins those under way at its layer, from there. Maps and
 * norms then treat the rows of all copies alike, and read the weights once. A change in the decoder
 * leaves the encoder's output, and so the keys of cross-attention, as they are: these copies share
 * the clean sentence's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-effects.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <assert.h>
#include <string.h>

/* About so many rows at once: enough that weights are read for many, and little enough memory. */
#define ROWS_AT_ONCE 512
/* Rows of logits at once, and how many of them a part of the work takes. */
#define LOGIT_ROWS    64
#define ROWS_PER_PART 8

typedef struct {
  const mt_variants_work *work;
  mt_run run;
  mt_pass pass;
  size_t most; /* copies at once, beside the clean sentence */
  float
      *states[MT_N_STACKS]; /* [n_layers + 1][n][d] the clean stream before each layer, and last */
  mt_variant **in_pass;     /* [groups.n] */
} variants_pass;

static size_t
n_tokens(const variants_pass *p, mt_stack stack)
{
  return stack == MT_STACK_ENCODER ? p->work->n_source : p->work->n_target;
}

static size_t
n_layers(const variants_pass *p, mt_stack stack)
{
  return p->run.model->config.n_layers[stack];
}

/* ---- Rows --------------------------------------------------------------------------------------
 */

/* The rows of one more copy; returns where they are in buffers->x. */
static float *
add_rows(variants_pass *p, mt_variant *variant, mt_stack stack, const mt_kv_sentence *kv)
{
  mt_groups *groups = &p->run.groups;
  size_t n = n_tokens(p, stack), first = groups->n_rows;
  p->in_pass[groups->n] = variant;
  groups->groups[groups->n++] =
      (mt_group){.first = first, .n = n, .kv = kv, .changes = variant->changes};
  groups->n_rows += n;
  return p->run.buffers.x + first * p->run.model->config.d_model;
}

/* Ids for all rows: the same for each copy. */
static void
set_ids(variants_pass *p, const int32_t *ids, size_t n)
{
  for (size_t g = 0; g < p->run.groups.n; g++)
    memcpy(p->run.ids + p->run.groups.groups[g].first, ids, n * sizeof *ids);
}

/* A copy begins as the clean sentence stands before a layer, but for its patch. */
static void
join(variants_pass *p, mt_variant *variant, mt_stack stack, const mt_kv_sentence *kv, size_t layer)
{
  size_t d = p->run.model->config.d_model, size = n_tokens(p, stack) * d;
  float *rows = add_rows(p, variant, stack, kv);
  memcpy(rows, p->states[stack] + layer * size, size * sizeof *rows);
  if (variant->patch)
    memcpy(rows + variant->token * d, variant->patch, d * sizeof *rows);
}

/* Copies [n] of one stack through it, each from its layer on. */
static bool
run_joining(variants_pass *p, mt_stack stack, mt_variant *variants, size_t n)
{
  size_t next = 0;
  mt_run_begin_rows(&p->run);
  for (size_t layer = variants[0].layer; layer <= n_layers(p, stack); layer++) {
    for (; next < n && variants[next].layer == layer; next++) {
      const mt_sentence *own = &p->run.sentences[stack == MT_STACK_ENCODER ? next + 1 : 0];
      join(p, &variants[next], stack, &own->kv, layer);
    }
    if (layer < n_layers(p, stack) && !mt_stack_layers(&p->pass, stack, layer, layer + 1))
      return false;
  }
  return true;
}

/* ---- What comes out ----------------------------------------------------------------------------
 */

typedef struct {
  const variants_pass *p;
  size_t first, n; /* rows of the pass whose logits are there */
} score_work;

static void
score_part(void *user, size_t i, size_t n_parts)
{
  const score_work *w = user;
  const variants_pass *p = w->p;
  size_t vocab_size = p->run.model->output.n_out, n_target = p->work->n_target;
  size_t end = mt_ops_part_begin(i + 1, n_parts, w->n, 1);
  for (size_t r = mt_ops_part_begin(i, n_parts, w->n, 1); r < end; r++) {
    mt_variant *variant = p->in_pass[(w->first + r) / n_target];
    size_t t = (w->first + r) % n_target;
    const float *logits = p->run.buffers.logits + r * vocab_size;
    float own = logits[p->work->output[t]];
    variant->logprobs[t] = own - p->pass.ops->kernels->log_sum_exp(logits, vocab_size);
    if (p->work->has_contrast && t == p->work->token)
      variant->margin = own - logits[p->work->against];
  }
}

static bool
score(variants_pass *p)
{
  mt_stack_finish(&p->pass, MT_STACK_DECODER);
  size_t n_rows = p->run.groups.n_rows;
  for (size_t first = 0; first < n_rows; first += LOGIT_ROWS) {
    if (mt_pass_is_stopped(&p->pass))
      return false;
    score_work w = {p, first, n_rows - first < LOGIT_ROWS ? n_rows - first : LOGIT_ROWS};
    mt_decoder_logits(&p->pass, first, w.n, p->run.buffers.logits);
    mt_pool_run(p->run.ops.pool, (w.n + ROWS_PER_PART - 1) / ROWS_PER_PART, score_part, &w);
  }
  return true;
}

/* ---- The clean sentence ------------------------------------------------------------------------
 */

/* One stack, layer by layer; what each layer reads is kept. */
static bool
run_kept(variants_pass *p, mt_variant *clean, mt_stack stack, const int32_t *ids)
{
  size_t n = n_tokens(p, stack), size = n * p->run.model->config.d_model;
  mt_run_begin_rows(&p->run);
  add_rows(p, clean, stack, &p->run.sentences[0].kv);
  set_ids(p, ids, n);
  mt_embed(&p->pass, stack, p->run.ids);
  for (size_t layer = 0; layer < n_layers(p, stack); layer++) {
    memcpy(p->states[stack] + layer * size, p->run.buffers.x, size * sizeof(float));
    if (!mt_stack_layers(&p->pass, stack, layer, layer + 1))
      return false;
  }
  memcpy(p->states[stack] + n_layers(p, stack) * size, p->run.buffers.x, size * sizeof(float));
  return true;
}

/* The encoder's output becomes keys of cross-attention. */
static bool
make_keys(variants_pass *p)
{
  mt_stack_finish(&p->pass, MT_STACK_ENCODER);
  return mt_decoder_begin(&p->pass);
}

static void
take_keys(variants_pass *p, size_t sentence)
{
  bool ok = mt_kv_sentence_begin(&p->run.sentences[sentence].kv, &p->run.pool, p->work->n_source);
  assert(ok); /* the run is laid out for them */
  (void) ok;
}

static bool
run_clean(variants_pass *p, mt_variant *clean)
{
  take_keys(p, 0);
  return run_kept(p, clean, MT_STACK_ENCODER, p->work->source) && make_keys(p) &&
         run_kept(p, clean, MT_STACK_DECODER, p->work->input) && score(p);
}

/* ---- Copies ------------------------------------------------------------------------------------
 */

static bool
run_decoder_copies(variants_pass *p, mt_variant *variants, size_t n)
{
  return run_joining(p, MT_STACK_DECODER, variants, n) && score(p);
}

static bool
run_encoder_copies(variants_pass *p, mt_variant *variants, size_t n)
{
  for (size_t i = 0; i < n; i++)
    take_keys(p, i + 1);
  bool ok = run_joining(p, MT_STACK_ENCODER, variants, n) && make_keys(p);
  if (ok) {
    mt_run_begin_rows(&p->run);
    for (size_t i = 0; i < n; i++)
      add_rows(p, &variants[i], MT_STACK_DECODER, &p->run.sentences[i + 1].kv);
    set_ids(p, p->work->input, p->work->n_target);
    ok = mt_decoder_run(&p->pass, p->run.ids) && score(p);
  }
  /* The last is the first to give back: the next takes the pages in their order again. */
  for (size_t i = n; i > 0; i--)
    mt_run_end(&p->run, &p->run.sentences[i]);
  return ok;
}

static bool
run_copies(variants_pass *p, mt_variant *variants, size_t n)
{
  size_t at = 0;
  while (at < n) {
    bool is_encoder = variants[at].kind == MT_ENCODER_SELF;
    size_t end = at;
    while (end < n && end - at < p->most && (variants[end].kind == MT_ENCODER_SELF) == is_encoder)
      end++;
    if (!(is_encoder ? run_encoder_copies : run_decoder_copies)(p, variants + at, end - at))
      return false;
    at = end;
    if (p->work->on_progress)
      p->work->on_progress(p->work->user, (double) at / (double) n);
  }
  return true;
}

/* ---- All of it ---------------------------------------------------------------------------------
 */

static bool
reserve(variants_pass *p, mt_session *session, size_t n, mt_error *error)
{
  const mt_config *config = &session->model->config;
  size_t n_source = p->work->n_source, n_target = p->work->n_target;
  size_t longest = n_source > n_target ? n_source : n_target;
  p->most = ROWS_AT_ONCE / longest;
  p->most = p->most < 1 ? 1 : p->most > n ? n : p->most;
  mt_run_shape shape = {.n_sentences = p->most + 1,
                        .n_source = n_source,
                        .n_target = n_target,
                        .n_rows = p->most * longest,
                        .n_kv = (p->most + 1) * mt_kv_pool_pages(n_source) * MT_KV_PAGE,
                        .n_logits = LOGIT_ROWS};
  p->in_pass = mt_alloc(p->most + 1, sizeof(void *));
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    p->states[stack] =
        mt_alloc(config->n_layers[stack] + 1, n_tokens(p, stack) * config->d_model * sizeof(float));
  if (!p->in_pass || !p->states[0] || !p->states[1])
    return mt_fail_no_memory(error);
  return mt_run_reserve(&p->run, session->model, &session->ops, &shape, error);
}

bool
mt_variants_run(mt_session *session, const mt_variants_work *work, mt_variant *clean,
                mt_variant *variants, size_t n, mt_error *error)
{
  variants_pass p = {.work = work};
  bool ok = reserve(&p, session, n, error);
  if (ok) {
    p.pass = mt_run_begin_pass(&p.run, session->changes, work->hooks, error);
    for (size_t i = 0; i < n; i++)
      p.pass.sites.wanted |= mt_changes_sites(variants[i].changes);
    ok = run_clean(&p, clean) && run_copies(&p, variants, n);
  }
  mt_run_clear(&p.run);
  mt_free(p.in_pass);
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    mt_free(p.states[stack]);
  return ok;
}
