/* mt-changes.c — a list of changes: a value, and what it does in the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct mt_changes {
  int ref_count;
  size_t n;
  mt_change *changes;
  char *text;
  mt_means *means;   /* or NULL */
  mt_states *states; /* or NULL */
};

/* ---- The value ---------------------------------------------------------------------------------
 */

/* The text that says them. */
static void
write_text(mt_changes *changes)
{
  char *out = changes->text;
  for (size_t i = 0; i < changes->n; i++) {
    if (i > 0)
      *out++ = '\n';
    out += mt_change_write(&changes->changes[i], out);
  }
}

mt_changes *
mt_changes_parse(const char *label, const char *text, mt_error *error)
{
  size_t n_lines = 1;
  for (const char *c = text; *c; c++)
    n_lines += *c == '\n';
  size_t most = strlen(text) / 8 + 1; /* none is so short */
  if (n_lines > most)
    n_lines = most;
  if (n_lines > MT_MAX_CHANGES)
    return mt_fail(error, MT_ERROR_TOO_LONG, "%s: expected at most %d changes, found %zu lines.",
                   label, MT_MAX_CHANGES, n_lines),
           NULL;
  mt_changes *changes = mt_alloc(1, sizeof *changes);
  if (!changes)
    return mt_fail_no_memory(error), NULL;
  changes->ref_count = 1;
  changes->changes = mt_alloc(n_lines, sizeof *changes->changes);
  changes->text = mt_alloc(n_lines, MT_CHANGE_TEXT_SIZE);
  bool ok = changes->changes && changes->text;
  if (!ok)
    mt_fail_no_memory(error);
  if (!ok || !mt_change_read(label, text, changes->changes, &changes->n, error)) {
    mt_changes_unref(changes);
    return NULL;
  }
  write_text(changes);
  return changes;
}

static void
changes_free(mt_changes *changes)
{
  mt_free(changes->changes);
  mt_free(changes->text);
  mt_means_unref(changes->means);
  mt_states_unref(changes->states);
  mt_free(changes);
}

MT_DEFINE_COUNTED(mt_changes, changes_free)

size_t
mt_changes_count(const mt_changes *changes)
{
  return changes ? changes->n : 0;
}

const char *
mt_changes_text(const mt_changes *changes)
{
  return changes ? changes->text : "";
}

static mt_change_span
span_of(mt_change_range range)
{
  return (mt_change_span){range.first, range.last};
}

static bool
is_all(mt_change_range range)
{
  return range.first == 0 && range.last == SIZE_MAX;
}

/* A whole head has one thing done to it, and a cell; some rows of a head are neither. */
static mt_change_family
family_of(const mt_change *change)
{
  const bool is_whole =
      is_all(change->ranges[MT_AXIS_QUERY]) && is_all(change->ranges[MT_AXIS_KEY]);
  const mt_change_family family = change->form->family;
  return (family == MT_CHANGES_HEADS && !is_whole) || (family == MT_CHANGES_CELLS && is_whole)
             ? MT_CHANGES_OTHER
             : family;
}

bool
mt_changes_row(const mt_changes *changes, size_t i, mt_change_row *row)
{
  if (i >= mt_changes_count(changes))
    return false;
  const mt_change *change = &changes->changes[i];
  *row = (mt_change_row){.family = family_of(change),
                         .where = change->place->name,
                         .part = change->place->part,
                         .layers = span_of(change->ranges[MT_AXIS_LAYER]),
                         .heads = span_of(change->ranges[MT_AXIS_HEAD]),
                         .queries = span_of(change->ranges[MT_AXIS_QUERY]),
                         .keys = span_of(change->ranges[MT_AXIS_KEY]),
                         .how = change->kind->name,
                         .n_numbers = change->kind->n_arguments};
  memcpy(row->numbers, change->arguments, sizeof row->numbers);
  return true;
}

/* Of the numbers of a list's means; 0: there are none. */
static uint64_t
means_hash(const mt_changes *changes)
{
  return changes && changes->means ? changes->means->hash : 0;
}

/* Of the numbers of another run; 0: there are none. */
static uint64_t
states_hash(const mt_changes *changes)
{
  return changes && changes->states ? changes->states->hash : 0;
}

/* The same rows with other numbers behind them. */
static mt_changes *
copy_with(const mt_changes *changes, mt_means *means, mt_states *states, mt_error *error)
{
  mt_changes *result = mt_changes_parse("changes", mt_changes_text(changes), error);
  if (!result)
    return NULL;
  result->means = mt_means_ref(means);
  result->states = mt_states_ref(states);
  return result;
}

mt_changes *
mt_changes_with_means(const mt_changes *changes, mt_means *means, mt_error *error)
{
  return copy_with(changes, means, changes ? changes->states : NULL, error);
}

bool
mt_changes_need_means(const mt_changes *changes)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++)
    if (changes->changes[i].kind->needs_means)
      return true;
  return false;
}

const mt_means *
mt_changes_means(const mt_changes *changes)
{
  return changes ? changes->means : NULL;
}

mt_changes *
mt_changes_with_states(const mt_changes *changes, mt_states *states, mt_error *error)
{
  return copy_with(changes, changes ? changes->means : NULL, states, error);
}

const mt_states *
mt_changes_states(const mt_changes *changes)
{
  return changes ? changes->states : NULL;
}

bool
mt_changes_equal(const mt_changes *a, const mt_changes *b)
{
  return strcmp(mt_changes_text(a), mt_changes_text(b)) == 0 && means_hash(a) == means_hash(b) &&
         states_hash(a) == states_hash(b);
}

uint64_t
mt_changes_hash(const mt_changes *changes)
{
  const char *text = mt_changes_text(changes);
  const uint64_t numbers[] = {means_hash(changes), states_hash(changes)};
  uint64_t hash = mt_hash_bytes(MT_HASH_BEGIN, text, strlen(text));
  return numbers[0] || numbers[1] ? mt_hash_bytes(hash, numbers, sizeof numbers) : hash;
}

/* ---- In the model ------------------------------------------------------------------------------
 */

static bool
check_number(size_t number, size_t n, const char *what, const char *whose, const mt_change *change,
             mt_error *error)
{
  if (number <= n)
    return true;
  char text[MT_CHANGE_TEXT_SIZE];
  mt_change_write(change, text);
  return mt_fail(error, MT_ERROR_INPUT, "The change \"%s\" is for %s %zu; %s has %zu of them.",
                 text, what, number, whose, n);
}

static bool
check_range(mt_change_range range, size_t n, const char *what, const char *whose,
            const mt_change *change, mt_error *error)
{
  return range.last == SIZE_MAX || check_number(range.last + 1, n, what, whose, change, error);
}

/* The number behind the name of its kind. */
static bool
check_argument(const mt_change *change, const mt_config *config, const char *whose, mt_error *error)
{
  mt_stack stack = change->place->stack;
  size_t number = change->form->counts == MT_COUNTS_NOTHING ? 0 : (size_t) change->arguments[0];
  switch (change->form->counts) {
  case MT_COUNTS_LAYERS:
    return check_number(number, config->n_layers[stack], "layer", whose, change, error);
  case MT_COUNTS_HEADS:
    return check_number(number, config->n_heads[stack], "head", whose, change, error);
  case MT_COUNTS_POSITIONS:
  case MT_COUNTS_TOKENS:
    return check_number(number, config->max_positions, "position", "this model", change, error);
  case MT_COUNTS_PIECES: {
    char text[MT_CHANGE_TEXT_SIZE];
    mt_change_write(change, text);
    return number < config->vocab_size[stack] ||
           mt_fail(error, MT_ERROR_INPUT,
                   "The change \"%s\" is for the piece with the id %zu; the vocabulary of this "
                   "model has %zu, counted from 0.",
                   text, number, config->vocab_size[stack]);
  }
  case MT_COUNTS_NOTHING:
    break;
  }
  return true;
}

static bool
check_form(const mt_change *change, const mt_config *config, mt_error *error)
{
  const char *why;
  if (!change->form->fits || change->form->fits(change, config, &why))
    return true;
  char text[MT_CHANGE_TEXT_SIZE];
  mt_change_write(change, text);
  return mt_fail(error, MT_ERROR_INPUT, "The change \"%s\" %s.", text, why);
}

/* Which encoding a token gets. */
static mt_change_position
position_of(const mt_changes *changes, mt_stack stack, size_t token)
{
  mt_change_position p = {.token = token};
  for (size_t i = mt_changes_count(changes); i-- > 0 && !p.is_zero;) {
    const mt_change *change = &changes->changes[i];
    if (change->form->encode && change->place->stack == stack)
      change->form->encode(change, &p);
  }
  if (!p.is_fixed)
    p.position += (long) p.token;
  return p;
}

static bool
is_in_table(const mt_change_position *position, const mt_config *config)
{
  return position->is_zero ||
         (position->position >= 0 && (size_t) position->position < config->max_positions);
}

/* Positions that were learned end with their table: where changes together leave it, the first that
 * does is named. */
static bool
check_table(const mt_changes *changes, const mt_config *config, mt_error *error)
{
  if (config->position_kind != MT_POSITIONS_LEARNED ||
      !(mt_changes_sites(changes) & MT_SITE_BIT(MT_SITE_POSITION)))
    return true;
  for (int s = 0; s < MT_N_STACKS; s++)
    for (size_t token = 0; token < config->max_positions; token++) {
      mt_change_position p = position_of(changes, (mt_stack) s, token);
      if (is_in_table(&p, config))
        continue;
      mt_changes so_far = {.n = 1, .changes = changes->changes};
      for (;; so_far.n++) {
        p = position_of(&so_far, (mt_stack) s, token);
        if (!is_in_table(&p, config))
          break;
      }
      char text[MT_CHANGE_TEXT_SIZE];
      mt_change_write(&changes->changes[so_far.n - 1], text);
      return mt_fail(error, MT_ERROR_INPUT,
                     "The change \"%s\" gives token %zu the position %ld; this model has learned "
                     "%zu of them.",
                     text, token + 1, p.position + 1, config->max_positions);
    }
  return true;
}

/* A change that replaces contexts by means wants some, of a model of this shape. */
static bool
check_means(const mt_changes *changes, size_t i, const mt_config *config, mt_error *error)
{
  const mt_change *change = &changes->changes[i];
  const mt_means *means = changes->means;
  if (!change->kind->needs_means)
    return true;
  char text[MT_CHANGE_TEXT_SIZE];
  mt_change_write(change, text);
  if (!means)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Change %zu is \"%s\"; \"%s\" wants the means of a text, and none are given.",
                   i + 1, text, change->kind->name);
  bool fits = means->d_model == config->d_model;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    fits = fits && means->n_layers[kind] == config->n_layers[mt_kind_stack(kind)] &&
           means->n_heads[kind] == config->n_heads[mt_kind_stack(kind)];
  return fits || mt_fail(error, MT_ERROR_INPUT,
                         "Change %zu is \"%s\"; its means are of another model, called \"%.80s\".",
                         i + 1, text, means->model_name);
}

/* A change that copies from another run wants one, of a model of this shape. */
static bool
check_states(const mt_changes *changes, size_t i, const mt_config *config, mt_error *error)
{
  const mt_change *change = &changes->changes[i];
  if (!change->kind->needs_states)
    return true;
  char text[MT_CHANGE_TEXT_SIZE];
  mt_change_write(change, text);
  if (!changes->states)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Change %zu is \"%s\"; \"%s\" wants the states of another run, and none are "
                   "given.",
                   i + 1, text, change->kind->name);
  return mt_states_fit(changes->states, config) ||
         mt_fail(error, MT_ERROR_INPUT,
                 "Change %zu is \"%s\"; the states are of a model of another shape.", i + 1, text);
}

bool
mt_changes_check_means(const mt_changes *changes, const mt_model *model, mt_error *error)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++)
    if (changes->changes[i].kind->needs_means && !mt_means_check(changes->means, model, error))
      return false;
  return true;
}

bool
mt_changes_check(const mt_changes *changes, const mt_config *config, mt_error *error)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    mt_stack stack = change->place->stack;
    const char *whose =
        stack == MT_STACK_ENCODER ? "the encoder of this model" : "the decoder of this model";
    if (!check_range(change->ranges[MT_AXIS_LAYER], config->n_layers[stack], "layer", whose, change,
                     error) ||
        !check_range(change->ranges[MT_AXIS_HEAD], config->n_heads[stack], "head", whose, change,
                     error) ||
        !check_argument(change, config, whose, error) || !check_form(change, config, error) ||
        !check_means(changes, i, config, error) || !check_states(changes, i, config, error))
      return false;
    bool is_position = MT_PLACES_POSITION & MT_PLACE_BIT(change->place - mt_change_places);
    if (is_position && !check_range(change->ranges[MT_AXIS_KEY], config->max_positions, "position",
                                    "this model", change, error))
      return false;
  }
  return check_table(changes, config, error);
}

bool
mt_changes_check_explained(const mt_changes *changes, mt_error *error)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    char text[MT_CHANGE_TEXT_SIZE];
    if (change->form->is_explained)
      continue;
    mt_change_write(change, text);
    return mt_fail(error, MT_ERROR_INPUT,
                   "The change \"%s\" makes the model compute otherwise than its weights say; the "
                   "numbers behind its attention are not shown with it.",
                   text);
  }
  return true;
}

/* What is copied into the encoder has a row for each token of the text. */
static bool
check_copied(const mt_changes *changes, const mt_change *change, size_t n_source, mt_error *error)
{
  if (!change->kind->needs_states || change->place->stack != MT_STACK_ENCODER || !changes->states ||
      changes->states->n_tokens[MT_STACK_ENCODER] == n_source)
    return true;
  char text[MT_CHANGE_TEXT_SIZE];
  mt_change_write(change, text);
  return mt_fail(error, MT_ERROR_INPUT,
                 "The change \"%s\" copies from a run of %zu source tokens; this text has %zu.",
                 text, changes->states->n_tokens[MT_STACK_ENCODER], n_source);
}

bool
mt_changes_check_source(const mt_changes *changes, size_t n_source, mt_error *error)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    bool has_queries = change->place->kinds == MT_KIND_BIT(MT_ENCODER_SELF);
    if ((change->place->keys == MT_STACK_ENCODER &&
         !check_range(change->ranges[MT_AXIS_KEY], n_source, "source token", "this text", change,
                      error)) ||
        (has_queries && !check_range(change->ranges[MT_AXIS_QUERY], n_source, "source token",
                                     "this text", change, error)) ||
        (change->place->stack == MT_STACK_ENCODER &&
         !check_range(change->ranges[MT_AXIS_TOKEN], n_source, "source token", "this text", change,
                      error)) ||
        !check_copied(changes, change, n_source, error) ||
        (change->form->counts == MT_COUNTS_TOKENS && change->place->stack == MT_STACK_ENCODER &&
         !check_number((size_t) change->arguments[0], n_source, "source token", "this text", change,
                       error)))
      return false;
  }
  return true;
}

uint32_t
mt_changes_sites(const mt_changes *changes)
{
  uint32_t sites = 0;
  for (size_t i = 0; i < mt_changes_count(changes); i++)
    sites |= MT_SITE_BIT(changes->changes[i].form->site) |
             (changes->changes[i].kind->copy ? MT_SITE_BIT(MT_SITE_KEY) : 0);
  return sites;
}

/* -1 is a tensor of no layer or head, which is among all of them. */
static bool
is_at(const mt_change *change, mt_attention_kind kind, int layer, int head)
{
  return (change->place->kinds & MT_KIND_BIT(kind)) &&
         mt_change_is_in(change->ranges[MT_AXIS_LAYER], (size_t) layer) &&
         mt_change_is_in(change->ranges[MT_AXIS_HEAD], (size_t) head);
}

void
mt_change_hide_keys(const mt_change *change, const mt_change_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    float *row = tensor->data + r * tensor->stride;
    for (size_t i = 0; i < tensor->cols; i++)
      if (change->kind->hides(change, at, i))
        row[i] = -INFINITY;
  }
}

void
mt_changes_apply(const mt_changes *changes, mt_site site, const mt_change_tensor *tensor)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    if (change->form->site != site || !change->form->apply ||
        !is_at(change, tensor->kind, tensor->layer, tensor->head))
      continue;
    mt_change_tensor own = *tensor;
    own.states = changes->states;
    if (change->kind->needs_means)
      own.mean =
          mt_means_get(changes->means, tensor->kind, (size_t) tensor->layer, (size_t) tensor->head);
    change->form->apply(change, &own);
  }
}

/* Some head of a layer, or the layer itself. */
static bool
is_in_layer(const mt_change *change, mt_attention_kind kind, int layer)
{
  return (change->place->kinds & MT_KIND_BIT(kind)) &&
         mt_change_is_in(change->ranges[MT_AXIS_LAYER], (size_t) layer);
}

void
mt_changes_copy_heads(const mt_changes *changes, mt_attention_kind kind, int layer, float *data,
                      size_t n, size_t d, size_t d_head)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    if (change->kind->copy && is_in_layer(change, kind, layer))
      change->kind->copy(change, data, n, d, d_head);
  }
}

mt_similarity
mt_changes_similarity(const mt_changes *changes, mt_attention_kind kind, int layer, int head,
                      mt_similarity before)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    if (change->form->similarity != MT_SIMILARITY_SCALED && is_at(change, kind, layer, head))
      before = change->form->similarity;
  }
  return before;
}

/* What stands at a place after the last swap stood, before it, where that swap took it from. */
size_t
mt_changes_layer(const mt_changes *changes, mt_stack stack, size_t layer)
{
  for (size_t i = mt_changes_count(changes); i-- > 0;) {
    const mt_change *change = &changes->changes[i];
    if (change->form->counts != MT_COUNTS_LAYERS || change->place->stack != stack)
      continue;
    size_t a = change->ranges[MT_AXIS_LAYER].first, b = (size_t) change->arguments[0] - 1;
    layer = layer == a ? b : layer == b ? a : layer;
  }
  return layer;
}

mt_position_change
mt_changes_position_of(const mt_changes *changes, mt_stack stack, size_t token)
{
  const mt_change_position p = position_of(changes, stack, token);
  return (mt_position_change){p.is_zero, p.interleaves, p.position};
}

void
mt_changes_position(const mt_changes *changes, const mt_model *model, mt_stack stack, size_t token,
                    float *out)
{
  mt_change_position position = position_of(changes, stack, token);
  mt_position_encode(model, stack, &position, out);
}

bool
mt_change_is_hidden(const mt_change_tensor *tensor, size_t query, size_t key)
{
  for (size_t i = 0; i < 2; i++)
    if (mt_changes_hide(tensor->lists[i], tensor->kind, (size_t) tensor->layer,
                        (size_t) tensor->head, query, key))
      return true;
  return tensor->kind == MT_DECODER_SELF && key > query;
}

bool
mt_changes_touch(const mt_changes *changes, mt_attention_kind kind, size_t layer, size_t head)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    if (change->place->n_axes == 2 && is_at(change, kind, (int) layer, (int) head))
      return true;
  }
  return false;
}

static bool
may_hide(const mt_change *change, mt_attention_kind kind, size_t layer, size_t head)
{
  return change->kind->hides && is_at(change, kind, (int) layer, (int) head);
}

bool
mt_changes_hide(const mt_changes *changes, mt_attention_kind kind, size_t layer, size_t head,
                size_t query, size_t key)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    if (may_hide(change, kind, layer, head) && change->kind->hides(change, query, key))
      return true;
  }
  return false;
}

bool
mt_changes_may_hide(const mt_changes *changes, mt_attention_kind kind, size_t layer, size_t head)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++)
    if (may_hide(&changes->changes[i], kind, layer, head))
      return true;
  return false;
}

bool
mt_changes_hide_alike(const mt_changes *changes, mt_attention_kind kind, size_t layer, size_t head,
                      size_t other_layer, size_t other_head)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    if (may_hide(change, kind, layer, head) != may_hide(change, kind, other_layer, other_head))
      return false;
  }
  return true;
}
