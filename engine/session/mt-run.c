/* mt-run.c — sentences come into the model, go through it together and leave.
 *
 * Nothing is allocated but by mt_run_reserve.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-run.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "kernels/mt-kinds.h"
#include "model/mt-model.h"
#include "model/mt-narrow.h"

#include <assert.h>
#include <string.h>

/* ---- The attention of a search --------------------------------------------------------------- */

/* The attention of a search, kept while it runs. */

/* Room for the keys of one row. */
static size_t
row_size(const mt_recording *recording, mt_attention_kind kind)
{
  return kind == MT_DECODER_SELF ? MT_RECORDING_MAX : recording->n_source;
}

/* Where the row of a position and a beam is, counted in rows. */
static size_t
row_index(const mt_recording *recording, mt_attention_kind kind, size_t layer, size_t head,
          size_t position, size_t beam)
{
  size_t i = layer * recording->n_heads[mt_kind_stack(kind)] + head;
  if (kind == MT_ENCODER_SELF)
    return i * recording->n_source + position;
  return (i * MT_RECORDING_MAX + position) * recording->n_beams + beam;
}

/* Keep the rows of weights that it is shown. */
static void
keep(void *user, const mt_activation_view *view)
{
  const mt_recording *recording = user;
  for (size_t r = 0; r < view->rows; r++) {
    size_t position = view->first_row + r;
    if (position >= MT_RECORDING_MAX)
      return;
    size_t at = row_index(recording, view->kind, (size_t) view->layer, (size_t) view->head,
                          position, view->sequence);
    memcpy(recording->weights[view->kind] + at * row_size(recording, view->kind),
           view->data + r * view->stride, view->cols * sizeof(float));
    recording->row_lse[view->kind][at] = view->row_lse[r];
  }
}

mt_observer
mt_recording_observe(mt_recording *recording, mt_activation_requests *requests)
{
  uint32_t kinds =
      recording->extent == MT_RECORD_ENCODER ? MT_KIND_BIT(MT_ENCODER_SELF) : MT_ALL_KINDS;
  *requests =
      (mt_activation_requests){.n = 1,
                               .requests = {{MT_HOOK_WEIGHTS, kinds, MT_ALL_LAYERS, MT_ALL_HEADS}}};
  return (mt_observer){requests, {keep, recording, true}, NULL};
}

void
mt_recording_play(const mt_recording *recording, mt_attention_kind kind, size_t i,
                  mt_capture *capture)
{
  mt_stack stack = mt_kind_stack(kind);
  const uint32_t *beams = stack == MT_STACK_DECODER ? recording->rows + i * MT_RECORDING_MAX : NULL;
  const size_t n_layers = mt_capture_n_layers(capture, kind),
               n_heads = mt_capture_n_heads(capture, kind),
               first_layer = mt_capture_first_layer(capture, kind),
               first_head = mt_capture_first_head(capture, kind);
  assert(first_layer + n_layers <= recording->n_layers[stack]);
  assert(first_head + n_heads <= recording->n_heads[stack]);
  for (size_t layer = 0; layer < n_layers; layer++)
    for (size_t head = 0; head < n_heads; head++) {
      mt_matrix shape = mt_capture_weights(capture, kind, layer, head);
      float *to = mt_capture_fill_weights(capture, kind, layer, head);
      float *lse = mt_capture_fill_row_lse(capture, kind, layer, head);
      for (size_t row = 0; row < shape.rows; row++) {
        size_t at = row_index(recording, kind, first_layer + layer, first_head + head, row,
                              beams ? beams[row] : 0);
        /* What lies behind the newest position is masked, and 0 in the capture already. */
        size_t n = kind == MT_DECODER_SELF ? row + 1 : shape.cols;
        memcpy(to + row * shape.cols, recording->weights[kind] + at * row_size(recording, kind),
               n * sizeof *to);
        lse[row] = recording->row_lse[kind][at];
      }
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The memory of a run: one allocation, laid out anew for each shape.
 *
 * Buffers, logits, the pool of keys and values, sentences; enlarged only when a shape does not fit.
 */

/* Rows of logits at once in a parallel pass; more would only cost memory. */
#define LOGIT_ROWS 64

static size_t
max(size_t a, size_t b)
{
  return a > b ? a : b;
}

static size_t
min(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* So many structs. */
static void *
take_structs(mt_arena *arena, size_t n, size_t size)
{
  return mt_arena_take(arena, n, (size + 3) / 4, 1);
}

/* Room for so many rows in all buffers but scores and logits; and in ops, if the model wants it,
 * for the rounded input of a map. */
static void
lay_out_rows(mt_run *run, size_t rows, bool guesses, mt_arena *arena)
{
  const mt_config *config = &run->model->config;
  mt_buffers *b = &run->buffers;
  size_t d = config->d_model, inner = mt_most_inner(config);
  b->x = mt_arena_take(arena, rows, d, 1);
  b->sub_layer = mt_arena_take(arena, rows, d, 1);
  b->normed = mt_arena_take(arena, rows, d, 1);
  b->positions = mt_arena_take(arena, rows, d, 1);
  b->q = mt_arena_take(arena, rows, inner, 1);
  b->k = mt_arena_take(arena, rows, inner, 1);
  b->v = mt_arena_take(arena, rows, inner, 1);
  b->context = mt_arena_take(arena, rows, inner, 1);
  size_t d_ffn = max(config->d_ffn[0], config->d_ffn[1]);
  b->hidden = mt_arena_take(arena, rows, d_ffn, 1);
  if (config->feed_forward_kind == MT_FEED_FORWARD_GATED)
    b->gate = mt_arena_take(arena, rows, d_ffn, 1);
  size_t widest = max(max(d, inner), d_ffn); /* that a map reads */
  const mt_precision form = mt_precision_form(run->model->precision);
  if (form == MT_PRECISION_BF16)
    run->ops.halved = mt_arena_take(arena, rows, MT_BF16_ROOM(widest), 1);
  if (form == MT_PRECISION_INT8 || guesses) {
    run->ops.quantized = mt_arena_take(arena, rows, MT_INT8_STRIDE(widest) / 4, 1);
    run->ops.scales = mt_arena_take(arena, rows, 1, 1);
  }
  run->ops.packed = mt_arena_take(arena, MT_PANEL_ROWS(rows), widest, 1);
  run->ids = mt_arena_take(arena, rows, 1, 1);
}

static mt_recording
lay_out_recording(const mt_run *run, const mt_run_shape *shape, mt_arena *arena)
{
  const mt_config *config = &run->model->config;
  mt_recording r = {.extent = shape->recorded,
                    .n_source = shape->n_source,
                    .n_beams = shape->n_beams};
  if (r.extent == MT_RECORD_NOTHING)
    return r;
  for (int s = 0; s < MT_N_STACKS; s++) {
    r.n_layers[s] = config->n_layers[s];
    r.n_heads[s] = config->n_heads[s];
  }
  size_t encoder_rows = r.n_layers[MT_STACK_ENCODER] * r.n_heads[MT_STACK_ENCODER] * r.n_source;
  r.weights[MT_ENCODER_SELF] = mt_arena_take(arena, encoder_rows, r.n_source, 1);
  r.row_lse[MT_ENCODER_SELF] = mt_arena_take(arena, encoder_rows, 1, 1);
  if (r.extent == MT_RECORD_ENCODER)
    return r;
  size_t decoder_rows =
      r.n_layers[MT_STACK_DECODER] * r.n_heads[MT_STACK_DECODER] * MT_RECORDING_MAX * r.n_beams;
  r.weights[MT_DECODER_SELF] = mt_arena_take(arena, decoder_rows, MT_RECORDING_MAX, 1);
  r.weights[MT_CROSS] = mt_arena_take(arena, decoder_rows, r.n_source, 1);
  r.row_lse[MT_DECODER_SELF] = mt_arena_take(arena, decoder_rows, 1, 1);
  r.row_lse[MT_CROSS] = mt_arena_take(arena, decoder_rows, 1, 1);
  r.rows = mt_arena_take(arena, r.n_beams, MT_RECORDING_MAX, 1);
  return r;
}

/* Bytes. Less is kept for the next search, since fetching memory takes longer than translating. */
#define VAST ((size_t) 128 << 20)

static void
lay_out(mt_run *run, const mt_run_shape *shape, mt_arena *arena)
{
  const mt_config *config = &run->model->config;
  size_t n = shape->n_sentences;
  /* Rows of a sentence's step: where there is one sentence, it may have a draft. */
  size_t steps = shape->n_beams && n == 1 ? max(shape->n_beams, MT_DRAFT_MAX_PASS) : shape->n_beams;
  size_t parallel = max(shape->n_source, shape->n_target);
  size_t longest = max(parallel, shape->max_length);
  lay_out_rows(run, max(max(parallel, steps), shape->n_rows), shape->guesses, arena);

  /* One head for each thread, and where there are many sentences for each part of the work: the
   * encoder's matrix, the parallel decoder's, or a row for each hypothesis. What one thread writes,
   * the others should not have in their caches. */
  mt_buffers *b = &run->buffers;
  b->n_scores = (n > 1 ? 2 : 1) * (size_t) mt_pool_n_threads(run->ops.pool);
  b->scores_stride = 0;
  if (__builtin_mul_overflow(max(parallel, steps), longest + 1, &b->scores_stride))
    arena->overflow = true;
  b->scores_stride = (b->scores_stride + 15) / 16 * 16;
  b->scores = mt_arena_take(arena, b->n_scores, b->scores_stride, 1);
  b->logit_rows = max(max(steps, min(shape->n_target, LOGIT_ROWS)), shape->n_logits);
  b->logits = mt_arena_take(arena, b->logit_rows, run->model->output.n_out, 1);

  /* Rows of one sentence; beams and lengths are checked parameters. */
  size_t most = shape->n_source + shape->n_beams * shape->max_length;
  size_t n_pages = mt_kv_pool_pages(max(most, shape->n_kv));
  if (shape->guesses)
    n_pages += mt_self_draft_pages(shape->max_length);
  mt_kv_pool_lay_out(&run->pool, config->n_layers[MT_STACK_DECODER], n_pages,
                     mt_inner(config, MT_STACK_DECODER), arena);
  mt_self_draft_lay_out(&run->self_draft, shape->guesses ? shape->max_length : 0, arena);
  run->groups.groups = take_structs(arena, n, sizeof *run->groups.groups);
  run->groups.pool = &run->pool;
  run->in_pass = take_structs(arena, n, sizeof(void *));
  run->sentences = take_structs(arena, n, sizeof *run->sentences);
  run->n_sentences = n;
  for (size_t i = 0; i < n; i++) {
    mt_sentence sentence = {0};
    mt_kv_sentence_lay_out(&sentence.kv, shape->n_source, steps, shape->max_length, arena);
    sentence.recording = lay_out_recording(run, shape, arena);
    if (arena->base)
      run->sentences[i] = sentence;
  }
}

bool
mt_run_reserve(mt_run *run, const mt_model *model, const mt_ops *ops, const mt_run_shape *shape,
               mt_error *error)
{
  run->model = model;
  run->ops = *ops;
  mt_arena need = {0};
  lay_out(run, shape, &need);
  run->n_sentences = 0;
  if (need.overflow)
    return mt_fail_no_memory(error);
  /* What one very wide or very long search needed is given back by the next ordinary one. */
  const bool is_vast = run->arena_size > VAST && need.used < run->arena_size / 4;
  if (need.used + MT_ARENA_ALIGNMENT > run->arena_size || is_vast) {
    mt_free(run->arena);
    run->arena_size = 0;
    run->arena = mt_alloc(need.used + MT_ARENA_ALIGNMENT, 1);
    if (!run->arena)
      return mt_fail_no_memory(error);
    run->arena_size = need.used + MT_ARENA_ALIGNMENT;
  }
  mt_arena final = {.base = mt_arena_begin(run->arena)};
  lay_out(run, shape, &final);
  mt_kv_pool_clear(&run->pool);
  mt_run_begin_rows(run);
  return true;
}

void
mt_run_clear(mt_run *run)
{
  mt_free(run->arena);
  *run = (mt_run){0};
}

/* ---- Passes ---------------------------------------------------------------------------------- */

mt_pass
mt_run_begin_pass(const mt_run *run, const mt_interventions *of_model, const mt_hooks *hooks,
                  mt_error *error)
{
  return (mt_pass){
      .model = run->model,
      .ops = &run->ops,
      .buffers = &run->buffers,
      .groups = &run->groups,
      .hook_points = mt_hook_points_of(run->model, of_model, hooks),
      .should_stop = hooks ? hooks->should_stop : NULL,
      .stop_user = hooks ? hooks->user : NULL,
      .error = error,
  };
}

void
mt_run_begin_rows(mt_run *run)
{
  run->groups.n = run->groups.n_rows = 0;
}

/* n rows of a sentence; ids [n] may be NULL if they are there already. */
static mt_group *
add_rows(mt_run *run, mt_sentence *sentence, const int32_t *ids, size_t n)
{
  mt_groups *groups = &run->groups;
  mt_group *group = &groups->groups[groups->n];
  *group = (mt_group){.sentence = sentence->number,
                      .first = groups->n_rows,
                      .n = n,
                      .kv = &sentence->kv};
  run->in_pass[groups->n++] = sentence;
  memcpy(run->ids + groups->n_rows, ids, n * sizeof *ids);
  groups->n_rows += n;
  return group;
}

/* ---- The encoder ----------------------------------------------------------------------------- */

bool
mt_run_add_source(mt_run *run, mt_sentence *sentence, const int32_t *ids, size_t n)
{
  if (!mt_kv_sentence_begin(&sentence->kv, &run->pool, n))
    return false;
  sentence->source = ids;
  sentence->n_source = n;
  add_rows(run, sentence, ids, n);
  return true;
}

bool
mt_run_encode(mt_run *run, const mt_pass *pass)
{
  return mt_encoder_run(pass, run->ids) && mt_decoder_begin(pass);
}

bool
mt_run_encode_for_search(mt_run *run, const mt_pass *pass)
{
  run->ops.may_round = true;
  bool ok = mt_run_encode(run, pass);
  run->ops.may_round = false;
  return ok;
}

/* ---- Steps of searches ----------------------------------------------------------------------- */

void
mt_run_begin_search(mt_sentence *sentence, mt_search *search, mt_draft *draft)
{
  size_t row;
  sentence->search = search;
  sentence->draft = draft;
  sentence->is_failed = false;
  mt_search_set_source(search, sentence->source, sentence->n_source);
  mt_search_begin(search);
  if (!draft)
    return;
  mt_draft_begin(draft, sentence->kv.max_length);
  mt_draft_next(draft, search->ids[0], &row);
}

bool
mt_run_add_step(mt_run *run, mt_sentence *sentence)
{
  static const uint32_t itself[MT_DRAFT_MAX_PASS] = {0};
  const mt_search *search = sentence->search;
  const mt_draft *draft = sentence->draft;
  mt_kv_sentence *kv = &sentence->kv;
  if (draft && draft->first < kv->length)
    mt_kv_sentence_retreat(kv, &run->pool, draft->first);
  size_t n = draft ? draft->n_pass : search->n_rows, n_steps = draft ? n : 1;
  size_t position = kv->length;
  if (!mt_kv_sentence_advance(kv, &run->pool, draft ? itself : search->parents, n, n_steps))
    return false;
  mt_group *group = add_rows(run, sentence, draft ? draft->pass : search->ids, n);
  group->position = position;
  group->n_beams = kv->n_beams;
  return true;
}

/* Tell of the newest token. */
static void
report(const mt_pass *pass, const mt_sentence *sentence)
{
  const mt_hooks *hooks = pass->hook_points.hooks;
  mt_progress progress;
  if (!hooks->on_token || !mt_search_progress(sentence->search, &progress))
    return;
  progress.sentence = sentence->number;
  hooks->on_token(hooks->user, &progress);
}

/* One search chooses what comes next, given the logits of the sentence's rows. */
static void
choose(const mt_pass *pass, mt_sentence *sentence, float *logits)
{
  mt_search *search = sentence->search;
  size_t row = 0;
  do {
    float *from = logits + row * pass->model->output.n_out;
    sentence->is_failed = !mt_search_advance(search, from, &sentence->error);
    if (sentence->is_failed)
      return;
    report(pass, sentence);
  } while (search->n_rows > 0 && sentence->draft &&
           mt_draft_next(sentence->draft, search->ids[0], &row));
}

typedef struct {
  const mt_run *run;
  const mt_pass *pass;
  size_t first, n; /* groups */
} choose_work;

/* Some of the searches. */
static void
choose_part(void *user, size_t i, size_t n_parts)
{
  const choose_work *w = user;
  const mt_group *groups = w->run->groups.groups + w->first;
  size_t end = mt_ops_part_begin(i + 1, n_parts, w->n, 1);
  for (size_t g = mt_ops_part_begin(i, n_parts, w->n, 1); g < end; g++)
    choose(w->pass, w->run->in_pass[w->first + g],
           w->run->buffers.logits +
               (groups[g].first - groups[0].first) * w->run->model->output.n_out);
}

/* Logits and searches, as many sentences at a time as there is room for logits. */
static void
choose_all(mt_run *run, const mt_pass *pass)
{
  const mt_groups *groups = &run->groups;
  size_t n_threads = mt_pool_n_threads(run->ops.pool);
  for (size_t first = 0, end; first < groups->n; first = end) {
    size_t n_rows = 0;
    for (end = first; end < groups->n && n_rows + groups->groups[end].n <= run->buffers.logit_rows;
         end++)
      n_rows += groups->groups[end].n;
    mt_decoder_all_logits(pass, groups->groups[first].first, n_rows, run->buffers.logits);
    choose_work work = {run, pass, first, end - first};
    size_t n_parts = work.n < 4 * n_threads ? work.n : 4 * n_threads;
    /* Callbacks run on the thread that called. */
    mt_pool_run(run->ops.pool, pass->hook_points.hooks->on_token ? 1 : n_parts, choose_part, &work);
  }
}

bool
mt_run_step(mt_run *run, const mt_pass *pass)
{
  run->ops.is_step = run->ops.may_round = true;
  bool ok = !mt_pass_is_stopped(pass) && mt_decoder_run(pass, run->ids);
  if (ok) {
    mt_stack_finish(pass, MT_STACK_DECODER);
    choose_all(run, pass);
  }
  run->ops.is_step = run->ops.may_round = false;
  return ok;
}

/* ---- The whole output at once ---------------------------------------------------------------- */

bool
mt_run_force(mt_run *run, const mt_pass *pass, mt_sentence *sentence, const mt_forced *forced,
             float *logprobs)
{
  mt_run_begin_rows(run);
  add_rows(run, sentence, forced->input, forced->n_target);
  if (!mt_decoder_run(pass, run->ids))
    return false;
  if (!logprobs)
    return true;
  mt_stack_finish(pass, MT_STACK_DECODER);
  return mt_decoder_score(pass, forced->output, logprobs);
}

void
mt_run_add_target(mt_run *run, mt_sentence *sentence, const int32_t *ids, size_t n)
{
  add_rows(run, sentence, ids, n);
}

bool
mt_run_force_all(mt_run *run, const mt_pass *pass)
{
  return mt_decoder_run(pass, run->ids);
}

void
mt_run_end(mt_run *run, mt_sentence *sentence)
{
  mt_kv_sentence_end(&sentence->kv, &run->pool);
}
