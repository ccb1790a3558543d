/* mt-ablation.c — the effect of each head on a translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-ablation.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "text/mt-tokens.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- Variants of a sentence ------------------------------------------------------------------ */

/* Many copies of one sentence through the model together, each with a change of
 * its own.
 *
 * Before its layer a copy is the clean sentence. So that one goes through alone once, and the
 * stream before each layer is kept; a copy joins those under way at its layer, from there. Maps and
 * norms then treat the rows of all copies alike, and read the weights once. A change in the decoder
 * leaves the encoder's output, and so the keys of cross-attention, as they are: these copies share
 * the clean sentence's. */

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
  return stack == MT_STACK_ENCODER ? p->work->forced.n_source : p->work->forced.n_target;
}

static size_t
n_layers(const variants_pass *p, mt_stack stack)
{
  return p->run.model->config.n_layers[stack];
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The rows of one more copy; returns where they are in buffers->x. */
static float *
add_rows(variants_pass *p, mt_variant *variant, mt_stack stack, const mt_kv_sentence *kv)
{
  mt_groups *groups = &p->run.groups;
  size_t n = n_tokens(p, stack), first = groups->n_rows;
  p->in_pass[groups->n] = variant;
  groups->groups[groups->n++] =
      (mt_group){.first = first, .n = n, .kv = kv, .interventions = variant->interventions};
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

/* ---- What comes out -------------------------------------------------------------------------- */

typedef struct {
  const variants_pass *p;
  size_t first, n; /* rows of the pass whose logits are there */
} score_work;

static void
score_part(void *user, size_t i, size_t n_parts)
{
  const score_work *w = user;
  const variants_pass *p = w->p;
  size_t vocab_size = p->run.model->output.n_out, n_target = p->work->forced.n_target;
  size_t end = mt_ops_part_begin(i + 1, n_parts, w->n, 1);
  for (size_t r = mt_ops_part_begin(i, n_parts, w->n, 1); r < end; r++) {
    mt_variant *variant = p->in_pass[(w->first + r) / n_target];
    size_t t = (w->first + r) % n_target;
    const float *logits = p->run.buffers.logits + r * vocab_size;
    float own = logits[p->work->forced.output[t]];
    variant->logprobs[t] = own - p->pass.ops->kernels->log_sum_exp(logits, vocab_size);
    if (p->work->has_contrast && t == p->work->token)
      variant->margin = own - logits[p->work->foil];
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

/* ---- The clean sentence ---------------------------------------------------------------------- */

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
  bool ok =
      mt_kv_sentence_begin(&p->run.sentences[sentence].kv, &p->run.pool, p->work->forced.n_source);
  assert(ok); /* the run is laid out for them */
  (void) ok;
}

static bool
run_clean(variants_pass *p, mt_variant *clean)
{
  take_keys(p, 0);
  return run_kept(p, clean, MT_STACK_ENCODER, p->work->forced.source) && make_keys(p) &&
         run_kept(p, clean, MT_STACK_DECODER, p->work->forced.input) && score(p);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

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
    set_ids(p, p->work->forced.input, p->work->forced.n_target);
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

/* ---- All of it ------------------------------------------------------------------------------- */

static bool
reserve(variants_pass *p, mt_session *session, size_t n, mt_error *error)
{
  const mt_config *config = &session->model->config;
  size_t n_source = p->work->forced.n_source, n_target = p->work->forced.n_target;
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
    p.pass = mt_run_begin_pass(&p.run, session->interventions, work->hooks, error);
    for (size_t i = 0; i < n; i++)
      p.pass.hook_points.wanted |= mt_interventions_hook_points(variants[i].interventions);
    ok = run_clean(&p, clean) && run_copies(&p, variants, n);
  }
  mt_run_clear(&p.run);
  mt_free(p.in_pass);
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    mt_free(p.states[stack]);
  return ok;
}

/* ---- Effects --------------------------------------------------------------------------------- */

const char *
mt_ablation_kind_name(mt_ablation_kind kind)
{
  static const char *const names[MT_N_ABLATIONS] = {
      [MT_ABLATION_ZERO] = "zero",
      [MT_ABLATION_UNIFORM] = "uniform",
      [MT_ABLATION_MEAN] = "mean",
  };
  return names[kind];
}

/* ---- The value ------------------------------------------------------------------------------- */

/* Heads of all kinds before this one; of MT_N_KINDS, all. */
static size_t
heads_before(const mt_ablation *effects, mt_attention_kind kind)
{
  size_t n = 0;
  for (mt_attention_kind k = 0; k < kind; k++)
    n += effects->n_layers[k] * effects->n_heads[k];
  return n;
}

/* Where a head is among all. */
static size_t
place_of(const mt_ablation *effects, mt_attention_kind kind, size_t layer, size_t head)
{
  return heads_before(effects, kind) + layer * effects->n_heads[kind] + head;
}

static mt_ablation *
new_effects(const mt_config *config, size_t n_tokens, const mt_ablation_params *params,
            mt_error *error)
{
  mt_ablation *effects = mt_alloc(1, sizeof *effects);
  if (!effects)
    return mt_fail_no_memory(error), NULL;
  effects->ref_count = 1;
  effects->kind = params->kind;
  effects->n_tokens = n_tokens;
  effects->has_contrast = params->has_contrast;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    effects->n_layers[kind] = config->n_layers[mt_kind_stack(kind)];
    effects->n_heads[kind] = config->n_heads[mt_kind_stack(kind)];
  }
  size_t n = heads_before(effects, MT_N_KINDS);
  effects->logprobs = mt_alloc(n_tokens, sizeof(float));
  effects->tokens = mt_alloc(n, n_tokens * sizeof(float));
  effects->contrast = mt_alloc(n, sizeof(float));
  if (effects->logprobs && effects->tokens && effects->contrast)
    return effects;
  mt_ablation_unref(effects);
  return mt_fail_no_memory(error), NULL;
}

static void
effects_free(mt_ablation *effects)
{
  mt_free(effects->logprobs);
  mt_free(effects->tokens);
  mt_free(effects->contrast);
  mt_free(effects);
}

MT_DEFINE_COUNTED(mt_ablation, effects_free)

const float *
mt_ablation_tokens(const mt_ablation *effects, mt_attention_kind kind, size_t layer, size_t head)
{
  return effects->tokens + place_of(effects, kind, layer, head) * effects->n_tokens;
}

double
mt_ablation_get(const mt_ablation *effects, mt_attention_kind kind, size_t layer, size_t head)
{
  const float *tokens = mt_ablation_tokens(effects, kind, layer, head);
  double sum = 0;
  for (size_t t = 0; t < effects->n_tokens; t++)
    sum += (double) tokens[t];
  return sum;
}

float
mt_ablation_contrast(const mt_ablation *effects, mt_attention_kind kind, size_t layer, size_t head)
{
  return effects->contrast[place_of(effects, kind, layer, head)];
}

/* ---- Computing it ---------------------------------------------------------------------------- */

/* "cross 4.1 zero" */
static mt_interventions *
make_change(mt_ablation_kind effect, mt_attention_kind kind, size_t layer, size_t head,
            mt_means *means, mt_error *error)
{
  static const char *const places[MT_N_KINDS] = {"encoder", "decoder", "cross"};
  char text[96];
  snprintf(text, sizeof text, "%s %zu.%zu %s", places[kind], layer + 1, head + 1,
           mt_ablation_kind_name(effect));
  mt_interventions *interventions = mt_interventions_parse("effect", text, error);
  if (!interventions || effect != MT_ABLATION_MEAN)
    return interventions;
  mt_interventions *result = mt_interventions_with_means(interventions, means, error);
  mt_interventions_unref(interventions);
  return result;
}

/* The encoder's heads first, then the decoder's by layer, as they join a pass; *n of them. */
static bool
make_variants(mt_ablation *effects, const mt_ablation_params *params, mt_variant *variants,
              size_t *n_variants, mt_error *error)
{
  static const mt_attention_kind decoder_kinds[] = {MT_DECODER_SELF, MT_CROSS};
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++) {
    const mt_attention_kind encoder = MT_ENCODER_SELF;
    const mt_attention_kind *kinds = stack == MT_STACK_ENCODER ? &encoder : decoder_kinds;
    size_t n_kinds = stack == MT_STACK_ENCODER ? 1 : 2;
    for (size_t layer = 0; layer < effects->n_layers[kinds[0]]; layer++)
      for (size_t k = 0; k < n_kinds; k++)
        for (size_t head = 0; head < effects->n_heads[kinds[k]]; head++) {
          size_t place = place_of(effects, kinds[k], layer, head);
          if (params->wanted && !params->wanted[place])
            continue;
          mt_variant *variant = &variants[(*n_variants)++];
          *variant = (mt_variant){.kind = kinds[k],
                                  .layer = layer,
                                  .place = place,
                                  .interventions = make_change(effects->kind, kinds[k], layer, head,
                                                               params->means, error),
                                  .logprobs = effects->tokens + place * effects->n_tokens};
          if (!variant->interventions)
            return false;
        }
  }
  return true;
}

/* Log-probabilities become effects. */
static void
subtract(mt_ablation *effects, const mt_variant *clean, const mt_variant *variants, size_t n)
{
  effects->margin = clean->margin;
  for (size_t i = 0; i < n; i++) {
    for (size_t t = 0; t < effects->n_tokens; t++)
      variants[i].logprobs[t] = clean->logprobs[t] - variants[i].logprobs[t];
    if (effects->has_contrast)
      effects->contrast[variants[i].place] = clean->margin - variants[i].margin;
  }
}

static bool
fill(mt_session *session, mt_ablation *effects, const mt_ablation_params *params,
     const mt_variants_work *work, mt_error *error)
{
  size_t n = 0;
  mt_variant clean = {.logprobs = effects->logprobs};
  mt_variant *variants = mt_alloc(heads_before(effects, MT_N_KINDS), sizeof *variants);
  if (!variants)
    return mt_fail_no_memory(error);
  bool ok = make_variants(effects, params, variants, &n, error) &&
            mt_variants_run(session, work, &clean, variants, n, error) &&
            mt_model_check_files(session->model, error);
  if (ok)
    subtract(effects, &clean, variants, n);
  for (size_t i = 0; i < n; i++)
    mt_interventions_unref(variants[i].interventions);
  mt_free(variants);
  return ok;
}

static bool
check_params(const mt_session *session, const mt_ablation_params *params, size_t n_tokens,
             mt_error *error)
{
  size_t vocab_size = session->model->output.n_out;
  if ((unsigned) params->kind >= MT_N_ABLATIONS)
    return mt_fail(error, MT_ERROR_INPUT, "There is no effect %d.", (int) params->kind);
  if (params->kind == MT_ABLATION_MEAN && !params->means)
    return mt_fail(error, MT_ERROR_INPUT, "The effect \"mean\" wants the means of a text.");
  if (params->kind == MT_ABLATION_MEAN && !mt_means_check(params->means, session->model, error))
    return false;
  if (!params->has_contrast)
    return true;
  if (params->token >= n_tokens)
    return mt_fail(error, MT_ERROR_INPUT, "There is no output token %zu; there are %zu.",
                   params->token + 1, n_tokens);
  if (params->foil < 0 || (size_t) params->foil >= vocab_size)
    return mt_fail(error, MT_ERROR_INPUT,
                   "There is no piece with the id %d; the vocabulary has %zu.", (int) params->foil,
                   vocab_size);
  return true;
}

mt_ablation *
mt_ablation_new(mt_session *session, const mt_translation *translation, size_t index,
                const mt_ablation_params *params, const mt_hooks *hooks, mt_error *error)
{
  static const mt_ablation_params zero = {.kind = MT_ABLATION_ZERO};
  params = params ? params : &zero;
  const mt_hooks own = mt_hooks_with_requests(hooks, NULL);
  mt_variants_work work = {.has_contrast = params->has_contrast,
                           .token = params->token,
                           .foil = params->foil,
                           .on_progress = params->on_progress,
                           .user = params->user,
                           .hooks = &own};
  if (!mt_session_forced_hypothesis(session, translation, index, &own, &work.forced, error))
    return NULL;
  size_t n = work.forced.n_target;
  mt_ablation *effects =
      check_params(session, params, n, error) && mt_model_check_files(session->model, error)
          ? new_effects(&session->model->config, n, params, error)
          : NULL;
  if (effects && !fill(session, effects, params, &work, error)) {
    mt_ablation_unref(effects);
    effects = NULL;
  }
  mt_forced_clear(&work.forced);
  return effects;
}
