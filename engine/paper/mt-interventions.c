/* mt-interventions.c — a list of changes: read from text and written as such, a value, and what it
 * does in the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-interventions.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "kernels/mt-kinds.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Read from text and written as text: the grammar, and THE list of places ----------------- */

/* Room for one change as text, and its end. */
#define TEXT_SIZE 256

#define ROW(name) &mt_intervention_##name,
static const mt_intervention_kind *const kinds[] = {MT_INTERVENTION_KINDS(ROW)};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

#define ATTENTION                                     \
  .axes = {MT_AXIS_LAYER, MT_AXIS_HEAD}, .n_axes = 2, \
  .named = MT_AXIS_BIT(MT_AXIS_QUERY) | MT_AXIS_BIT(MT_AXIS_KEY)
#define PART(kind, which) \
  .kinds = MT_KIND_BIT(kind), .stack = MT_STACK_##which, .keys = MT_STACK_##which
#define LAYERS .axes = {MT_AXIS_LAYER}, .n_axes = 1
#define ROWS   .named = MT_AXIS_BIT(MT_AXIS_TOKEN)
#define TOKENS .axes = {MT_AXIS_KEY}, .n_axes = 1
const mt_intervention_target mt_intervention_targets[MT_N_PLACES] = {
    [MT_PLACE_ENCODER] = {.name = "encoder",
                          .kinds = MT_KIND_BIT(MT_ENCODER_SELF),
                          .stack = MT_STACK_ENCODER,
                          .keys = MT_STACK_ENCODER,
                          ATTENTION},
    [MT_PLACE_DECODER] = {.name = "decoder",
                          .kinds = MT_KIND_BIT(MT_DECODER_SELF),
                          .stack = MT_STACK_DECODER,
                          .keys = MT_STACK_DECODER,
                          ATTENTION},
    [MT_PLACE_CROSS] = {.name = "cross",
                        .kinds = MT_KIND_BIT(MT_CROSS),
                        .stack = MT_STACK_DECODER,
                        .keys = MT_STACK_ENCODER,
                        ATTENTION},
    [MT_PLACE_SOURCE] = {.name = "source",
                         .kinds = MT_KIND_BIT(MT_ENCODER_SELF) | MT_KIND_BIT(MT_CROSS),
                         .stack = MT_STACK_ENCODER,
                         .keys = MT_STACK_ENCODER,
                         .axes = {MT_AXIS_KEY},
                         .n_axes = 1},
    [MT_PLACE_ENCODER_ATTENTION] = {"encoder", "attention", PART(MT_ENCODER_SELF, ENCODER), LAYERS,
                                    ROWS},
    [MT_PLACE_DECODER_ATTENTION] = {"decoder", "attention", PART(MT_DECODER_SELF, DECODER), LAYERS,
                                    ROWS},
    [MT_PLACE_CROSS_ATTENTION] = {"cross", "attention", PART(MT_CROSS, DECODER), LAYERS, ROWS},
    [MT_PLACE_ENCODER_FEED_FORWARD] = {"encoder", "feed-forward", PART(MT_ENCODER_SELF, ENCODER),
                                       LAYERS},
    [MT_PLACE_DECODER_FEED_FORWARD] = {"decoder", "feed-forward", PART(MT_DECODER_SELF, DECODER),
                                       LAYERS},
    [MT_PLACE_ENCODER_LAYER] = {"encoder", "layer", PART(MT_ENCODER_SELF, ENCODER), LAYERS},
    [MT_PLACE_DECODER_LAYER] = {"decoder", "layer", PART(MT_DECODER_SELF, DECODER), LAYERS},
    [MT_PLACE_SOURCE_POSITION] = {"source", "position", PART(MT_ENCODER_SELF, ENCODER), TOKENS},
    [MT_PLACE_TARGET_POSITION] = {"target", "position", PART(MT_DECODER_SELF, DECODER), TOKENS},
    [MT_PLACE_ENCODER_STREAM] = {"encoder", "stream", PART(MT_ENCODER_SELF, ENCODER), LAYERS, ROWS},
    [MT_PLACE_DECODER_STREAM] = {"decoder", "stream", PART(MT_DECODER_SELF, DECODER), LAYERS, ROWS},
    [MT_PLACE_ENCODER_INPUT] = {"encoder", "input", PART(MT_ENCODER_SELF, ENCODER), ROWS},
    [MT_PLACE_DECODER_INPUT] = {"decoder", "input", PART(MT_DECODER_SELF, DECODER), ROWS},
};

static const char *const axis_names[MT_N_AXES] = {
    [MT_AXIS_QUERY] = "query",
    [MT_AXIS_KEY] = "key",
    [MT_AXIS_TOKEN] = "token",
};

/* Digits before the point and behind it; all of them are exact in a double. */
#define MOST_DIGITS   10
#define MOST_DECIMALS 5

/* ---- Words ----------------------------------------------------------------------------------- */

/* Where reading is: a line of the text, and the next word in it. */
typedef struct {
  const char *label;
  const char *next, *end; /* of the line */
  size_t line;            /* from 1; 0: there is just one */
  const char *word;       /* the newest, [n] */
  size_t n;
} reader;

static bool
is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static bool
is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* False: there is no further word. */
static bool
next_word(reader *r)
{
  while (r->next < r->end && is_space(*r->next))
    r->next++;
  r->word = r->next;
  while (r->next < r->end && !is_space(*r->next))
    r->next++;
  r->n = (size_t) (r->next - r->word);
  return r->n > 0;
}

static bool
is_word(const reader *r, const char *word)
{
  return word && r->n == strlen(word) && memcmp(r->word, word, r->n) == 0;
}

static bool
fail(const reader *r, const char *expected, mt_error *error)
{
  char where[40] = "";
  int n = r->n < 80 ? (int) r->n : 80;
  if (r->line > 0)
    snprintf(where, sizeof where, ", line %zu", r->line);
  if (n == 0)
    return mt_fail(error, MT_ERROR_INPUT, "%s%s: expected %s, found its end.", r->label, where,
                   expected);
  return mt_fail(error, MT_ERROR_INPUT, "%s%s: expected %s, found \"%.*s\".", r->label, where,
                 expected, n, r->word);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* A number of a place, from 1, at *at; moves it behind. */
static bool
read_ordinal(const char **at, const char *end, size_t *number)
{
  const char *begin = *at;
  *number = 0;
  for (; *at < end && is_digit(**at); (*at)++) {
    *number = *number * 10 + (size_t) (**at - '0');
    if (*number > UINT32_MAX)
      return false;
  }
  return *at > begin && *number > 0;
}

static bool
is_all(mt_intervention_range range)
{
  return range.last == SIZE_MAX;
}

/* "*", "3" or "2-4", from 1. */
static bool
read_range(const char **at, const char *end, mt_intervention_range *range)
{
  if (*at < end && **at == '*') {
    (*at)++;
    return true;
  }
  size_t first, last;
  if (!read_ordinal(at, end, &first))
    return false;
  last = first;
  if (*at < end && **at == '-') {
    (*at)++;
    if (!read_ordinal(at, end, &last) || last < first)
      return false;
  }
  *range = (mt_intervention_range){first - 1, last - 1};
  return true;
}

/* The whole word, such as "-0.25"; without the C library, whose point depends on the locale. Both
 * parts are exact in a double, so that the quotient is the nearest one to what is written. */
static bool
read_decimal(const reader *r, double *value)
{
  const char *at = r->word, *end = at + r->n;
  bool is_negative = at < end && *at == '-';
  int64_t digits = 0;
  double power = 1;
  at += is_negative;
  const char *begin = at;
  for (; at < end && is_digit(*at) && at - begin <= MOST_DIGITS; at++)
    digits = digits * 10 + (*at - '0');
  if (at == begin || at - begin > MOST_DIGITS)
    return false;
  if (at < end && *at == '.') {
    begin = ++at;
    for (; at < end && is_digit(*at) && at - begin <= MOST_DECIMALS; at++, power *= 10)
      digits = digits * 10 + (*at - '0');
    if (at == begin || at - begin > MOST_DECIMALS)
      return false;
  }
  *value = (double) digits / power * (is_negative && digits ? -1 : 1);
  return at == end;
}

/* The same number with the fewest decimals; returns its length. */
static size_t
write_decimal(char *out, size_t size, double value)
{
  int64_t digits, power = 1;
  int decimals = 0;
  double size_of = fabs(value);
  for (;; decimals++, power *= 10) {
    digits = llround(size_of * (double) power);
    if (decimals == MOST_DECIMALS || (double) digits / (double) power == size_of)
      break;
  }
  const char *sign = value < 0 ? "-" : "";
  if (decimals == 0)
    return (size_t) snprintf(out, size, "%s%lld", sign, (long long) digits);
  return (size_t) snprintf(out, size, "%s%lld.%0*lld", sign, (long long) (digits / power), decimals,
                           (long long) (digits % power));
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Whether a place is the first of its name, and whether the word can be the second of a place. */
static bool
is_first(size_t place)
{
  for (size_t i = 0; i < place; i++)
    if (strcmp(mt_intervention_targets[i].name, mt_intervention_targets[place].name) == 0)
      return false;
  return true;
}

static size_t
last_first(void)
{
  size_t place = MT_N_PLACES - 1;
  while (!is_first(place))
    place--;
  return place;
}

/* "expected encoder, decoder, cross, source or target" */
static bool
fail_place(const reader *r, mt_error *error)
{
  char list[128] = "";
  for (size_t i = 0; i < MT_N_PLACES; i++)
    if (is_first(i))
      snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
               i == 0              ? ""
               : i == last_first() ? " or "
                                   : ", ",
               mt_intervention_targets[i].name);
  return fail(r, list, error);
}

/* "encoder", "encoder feed-forward"; moves to the word behind. */
static bool
read_place(reader *r, mt_intervention *change, mt_error *error)
{
  size_t first = 0;
  while (first < MT_N_PLACES && !is_word(r, mt_intervention_targets[first].name))
    first++;
  if (first == MT_N_PLACES)
    return fail_place(r, error);
  const mt_intervention_target *named = &mt_intervention_targets[first];
  next_word(r);
  change->place = NULL;
  for (size_t i = first; i < MT_N_PLACES; i++)
    if (strcmp(mt_intervention_targets[i].name, named->name) == 0 &&
        is_word(r, mt_intervention_targets[i].part))
      change->place = &mt_intervention_targets[i];
  if (change->place) {
    next_word(r);
    return true;
  }
  change->place = named;
  return !named->part || fail(r, named->part, error);
}

/* What the numbers of a place are, for people. */
static const char *
numbers_of(const mt_intervention_target *place)
{
  if (place->n_axes > 1)
    return "layers and heads such as 4.1, 2-3 or *.3, counted from 1";
  return place->axes[0] == MT_AXIS_LAYER ? "layers such as 5 or 2-4, counted from 1"
                                         : "tokens such as 5 or 2-4, counted from 1";
}

/* The numbers that follow the place, if the word is such; moves to the next word. */
static bool
read_numbers(reader *r, mt_intervention *change, uint32_t *said, mt_error *error)
{
  const mt_intervention_target *place = change->place;
  if (place->n_axes == 0 || r->n == 0 || !(*r->word == '*' || is_digit(*r->word)))
    return true;
  const char *at = r->word, *end = r->word + r->n;
  bool ok = true;
  for (size_t i = 0; ok && i < place->n_axes && at < end; i++) {
    if (i > 0)
      ok = *at++ == '.';
    ok = ok && read_range(&at, end, &change->ranges[place->axes[i]]);
    *said |= MT_AXIS_BIT(place->axes[i]);
  }
  if (!ok || at < end)
    return fail(r, numbers_of(place), error);
  next_word(r);
  return true;
}

/* The axis that the word names, of those that were not said yet; MT_N_AXES: none. */
static mt_axis
find_axis(const reader *r, const mt_intervention *change, uint32_t said)
{
  mt_axis axis = 0;
  while (axis < MT_N_AXES &&
         !((change->place->named & ~said & MT_AXIS_BIT(axis)) && is_word(r, axis_names[axis])))
    axis++;
  return axis;
}

/* "query 2 key 3-4", in any order. */
static bool
read_named(reader *r, mt_intervention *change, uint32_t *said, mt_error *error)
{
  mt_axis axis;
  while ((axis = find_axis(r, change, *said)) < MT_N_AXES) {
    next_word(r);
    const char *at = r->word, *end = r->word + r->n;
    if (!read_range(&at, end, &change->ranges[axis]) || at < end)
      return fail(r, "tokens such as 5 or 2-4, counted from 1", error);
    *said |= MT_AXIS_BIT(axis);
    next_word(r);
  }
  return true;
}

/* The kind, and how it is made there. */
static bool
read_kind(reader *r, mt_intervention *change, uint32_t said, mt_error *error)
{
  size_t place = (size_t) (change->place - mt_intervention_targets), kind = 0;
  while (kind < N_KINDS && !is_word(r, kinds[kind]->name))
    kind++;
  if (kind == N_KINDS)
    return fail(r, "a change such as \"window 2\"", error);
  change->kind = kinds[kind];
  for (size_t i = 0; i < kinds[kind]->n_forms; i++)
    if (kinds[kind]->forms[i].places & MT_PLACE_BIT(place))
      change->form = &kinds[kind]->forms[i];
  if (!change->form)
    return fail(r, "a change that can be made there", error);
  if (said & ~change->form->axes)
    return fail(r, "a change of queries, keys or tokens", error);
  bool is_whole = change->form->needed != 0;
  for (mt_axis axis = 0; axis < MT_N_AXES; axis++)
    if ((change->form->needed & MT_AXIS_BIT(axis)) && !is_all(change->ranges[axis]))
      is_whole = false;
  if (is_whole)
    return fail(r, "the numbers of some tokens before it", error);
  for (mt_axis axis = 0; axis < MT_N_AXES; axis++)
    if ((change->form->single & MT_AXIS_BIT(axis)) &&
        change->ranges[axis].first != change->ranges[axis].last)
      return fail(r,
                  axis == MT_AXIS_LAYER ? "the number of one layer before it"
                                        : "the number of one token before it",
                  error);
  return true;
}

static bool
read_arguments(reader *r, mt_intervention *change, mt_error *error)
{
  for (size_t i = 0; i < change->kind->n_arguments; i++) {
    const mt_intervention_argument *argument = &change->kind->arguments[i];
    char expected[96], least[32], most[32];
    double *value = &change->arguments[i];
    next_word(r);
    if (read_decimal(r, value) && *value >= argument->least && *value <= argument->most &&
        (!argument->is_whole || (*value == floor(*value) && !memchr(r->word, '.', r->n))))
      continue;
    write_decimal(least, sizeof least, argument->least);
    write_decimal(most, sizeof most, argument->most);
    snprintf(expected, sizeof expected, "a %snumber from %s to %s",
             argument->is_whole ? "whole " : "", least, most);
    return fail(r, expected, error);
  }
  const char *wanted = change->kind->expects ? change->kind->expects(change) : NULL;
  return !wanted || fail(r, wanted, error);
}

static bool
read_change(reader *r, mt_intervention *change, mt_error *error)
{
  uint32_t said = 0;
  *change = (mt_intervention){0};
  for (mt_axis axis = 0; axis < MT_N_AXES; axis++)
    change->ranges[axis] = (mt_intervention_range){0, SIZE_MAX};
  return read_place(r, change, error) && read_numbers(r, change, &said, error) &&
         read_named(r, change, &said, error) && read_kind(r, change, said, error) &&
         read_arguments(r, change, error) &&
         (!next_word(r) || fail(r, "the end of the line", error));
}

/* Text to changes, as many as there are lines with something in them. *n counts those that were
 * begun. */
static bool
read_text(const char *label, const char *text, mt_intervention *interventions, size_t *n,
          mt_error *error)
{
  bool has_lines = strchr(text, '\n') != NULL;
  reader r = {.label = label, .line = has_lines};
  for (const char *line = text;; line = r.end + 1, r.line++) {
    r.next = line;
    r.end = line + strcspn(line, "\n");
    if (next_word(&r) && !read_change(&r, &interventions[(*n)++], error))
      return false;
    if (!*r.end)
      return true;
  }
}

/* ---- Writing --------------------------------------------------------------------------------- */

static size_t
write_range(char *out, size_t size, mt_intervention_range range)
{
  if (is_all(range))
    return (size_t) snprintf(out, size, "*");
  if (range.last == range.first)
    return (size_t) snprintf(out, size, "%zu", range.first + 1);
  return (size_t) snprintf(out, size, "%zu-%zu", range.first + 1, range.last + 1);
}

/* And back; returns its length. */
static size_t
write_change(const mt_intervention *change, char out[TEXT_SIZE])
{
  const mt_intervention_target *place = change->place;
  const size_t size = TEXT_SIZE;
  size_t n_axes = place->n_axes;
  size_t n = (size_t) snprintf(out, size, "%s%s%s", place->name, place->part ? " " : "",
                               place->part ? place->part : "");
  while (n_axes > 0 && is_all(change->ranges[place->axes[n_axes - 1]]))
    n_axes--;
  for (size_t i = 0; i < n_axes; i++) {
    out[n++] = i ? '.' : ' ';
    n += write_range(out + n, size - n, change->ranges[place->axes[i]]);
  }
  for (mt_axis axis = 0; axis < MT_N_AXES; axis++) {
    if (!(place->named & MT_AXIS_BIT(axis)) || is_all(change->ranges[axis]))
      continue;
    n += (size_t) snprintf(out + n, size - n, " %s ", axis_names[axis]);
    n += write_range(out + n, size - n, change->ranges[axis]);
  }
  n += (size_t) snprintf(out + n, size - n, " %s", change->kind->name);
  for (size_t i = 0; i < change->kind->n_arguments; i++) {
    out[n++] = ' ';
    n += write_decimal(out + n, size - n, change->arguments[i]);
  }
  return n;
}

/* ---- The list -------------------------------------------------------------------------------- */

struct mt_interventions {
  int ref_count;
  size_t n;
  mt_intervention *interventions;
  char *text;
  mt_means *means;        /* or NULL */
  mt_activations *states; /* or NULL */
};

/* The text that says them. */
static void
write_text(mt_interventions *interventions)
{
  char *out = interventions->text;
  for (size_t i = 0; i < interventions->n; i++) {
    if (i > 0)
      *out++ = '\n';
    out += write_change(&interventions->interventions[i], out);
  }
}

mt_interventions *
mt_interventions_parse(const char *label, const char *text, mt_error *error)
{
  size_t n_lines = 1;
  for (const char *c = text; *c; c++)
    n_lines += *c == '\n';
  size_t most = strlen(text) / 8 + 1; /* none is so short */
  if (n_lines > most)
    n_lines = most;
  if (n_lines > MT_MAX_CHANGES) {
    mt_fail(error, MT_ERROR_TOO_LONG, "%s: expected at most %d changes, found %zu lines.", label,
            MT_MAX_CHANGES, n_lines);
    return NULL;
  }
  mt_interventions *interventions = mt_alloc(1, sizeof *interventions);
  if (!interventions)
    return mt_fail_no_memory(error), NULL;
  interventions->ref_count = 1;
  interventions->interventions = mt_alloc(n_lines, sizeof *interventions->interventions);
  interventions->text = mt_alloc(n_lines, TEXT_SIZE);
  bool ok = interventions->interventions && interventions->text;
  if (!ok)
    mt_fail_no_memory(error);
  if (!ok || !read_text(label, text, interventions->interventions, &interventions->n, error)) {
    mt_interventions_unref(interventions);
    return NULL;
  }
  write_text(interventions);
  return interventions;
}

static void
changes_free(mt_interventions *interventions)
{
  mt_free(interventions->interventions);
  mt_free(interventions->text);
  mt_means_unref(interventions->means);
  mt_activations_unref(interventions->states);
  mt_free(interventions);
}

MT_DEFINE_COUNTED(mt_interventions, changes_free)

size_t
mt_interventions_count(const mt_interventions *interventions)
{
  return interventions ? interventions->n : 0;
}

const char *
mt_interventions_text(const mt_interventions *interventions)
{
  return interventions ? interventions->text : "";
}

static mt_intervention_span
span_of(mt_intervention_range range)
{
  return (mt_intervention_span){range.first, range.last};
}

/* A whole head has one thing done to it, and a cell; some rows of a head are neither. */
static mt_intervention_family
family_of(const mt_intervention *change)
{
  const bool is_whole =
      is_all(change->ranges[MT_AXIS_QUERY]) && is_all(change->ranges[MT_AXIS_KEY]);
  const mt_intervention_family family = change->form->family;
  return (family == MT_INTERVENTIONS_HEADS && !is_whole) ||
                 (family == MT_INTERVENTIONS_CELLS && is_whole)
             ? MT_INTERVENTIONS_OTHER
             : family;
}

bool
mt_interventions_row(const mt_interventions *interventions, size_t i, mt_intervention_row *row)
{
  if (i >= mt_interventions_count(interventions))
    return false;
  const mt_intervention *change = &interventions->interventions[i];
  *row = (mt_intervention_row){.family = family_of(change),
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
means_hash(const mt_interventions *interventions)
{
  return interventions && interventions->means ? interventions->means->hash : 0;
}

/* Of the numbers of another run; 0: there are none. */
static uint64_t
states_hash(const mt_interventions *interventions)
{
  return interventions && interventions->states ? interventions->states->hash : 0;
}

/* The same rows with other numbers behind them. */
static mt_interventions *
copy_with(const mt_interventions *interventions, mt_means *means, mt_activations *states,
          mt_error *error)
{
  mt_interventions *result =
      mt_interventions_parse("changes", mt_interventions_text(interventions), error);
  if (!result)
    return NULL;
  result->means = mt_means_ref(means);
  result->states = mt_activations_ref(states);
  return result;
}

mt_interventions *
mt_interventions_with_means(const mt_interventions *interventions, mt_means *means, mt_error *error)
{
  return copy_with(interventions, means, interventions ? interventions->states : NULL, error);
}

bool
mt_interventions_need_means(const mt_interventions *interventions)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++)
    if (interventions->interventions[i].kind->needs_means)
      return true;
  return false;
}

const mt_means *
mt_interventions_means(const mt_interventions *interventions)
{
  return interventions ? interventions->means : NULL;
}

mt_interventions *
mt_interventions_with_activations(const mt_interventions *interventions, mt_activations *states,
                                  mt_error *error)
{
  return copy_with(interventions, interventions ? interventions->means : NULL, states, error);
}

const mt_activations *
mt_interventions_activations(const mt_interventions *interventions)
{
  return interventions ? interventions->states : NULL;
}

bool
mt_interventions_equal(const mt_interventions *a, const mt_interventions *b)
{
  return strcmp(mt_interventions_text(a), mt_interventions_text(b)) == 0 &&
         means_hash(a) == means_hash(b) && states_hash(a) == states_hash(b);
}

uint64_t
mt_interventions_hash(const mt_interventions *interventions)
{
  const char *text = mt_interventions_text(interventions);
  const uint64_t numbers[] = {means_hash(interventions), states_hash(interventions)};
  uint64_t hash = mt_hash_bytes(MT_HASH_BEGIN, text, strlen(text));
  return numbers[0] || numbers[1] ? mt_hash_bytes(hash, numbers, sizeof numbers) : hash;
}

/* ---- In the model ---------------------------------------------------------------------------- */

static bool
check_number(size_t number, size_t n, const char *what, const char *whose,
             const mt_intervention *change, mt_error *error)
{
  if (number <= n)
    return true;
  char text[TEXT_SIZE];
  write_change(change, text);
  return mt_fail(error, MT_ERROR_INPUT, "The change \"%s\" is for %s %zu; %s has %zu of them.",
                 text, what, number, whose, n);
}

static bool
check_range(mt_intervention_range range, size_t n, const char *what, const char *whose,
            const mt_intervention *change, mt_error *error)
{
  return range.last == SIZE_MAX || check_number(range.last + 1, n, what, whose, change, error);
}

/* The number behind the name of its kind. */
static bool
check_argument(const mt_intervention *change, const mt_config *config, const char *whose,
               mt_error *error)
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
    char text[TEXT_SIZE];
    write_change(change, text);
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
check_form(const mt_intervention *change, const mt_config *config, mt_error *error)
{
  const char *why;
  if (!change->form->fits || change->form->fits(change, config, &why))
    return true;
  char text[TEXT_SIZE];
  write_change(change, text);
  return mt_fail(error, MT_ERROR_INPUT, "The change \"%s\" %s.", text, why);
}

/* Which encoding a token gets. */
static mt_intervention_position
position_of(const mt_interventions *interventions, mt_stack stack, size_t token)
{
  mt_intervention_position p = {.token = token};
  for (size_t i = mt_interventions_count(interventions); i-- > 0 && !p.is_zero;) {
    const mt_intervention *change = &interventions->interventions[i];
    if (change->form->encode && change->place->stack == stack)
      change->form->encode(change, &p);
  }
  if (!p.is_fixed)
    p.position += (long) p.token;
  return p;
}

static bool
is_in_table(const mt_intervention_position *position, const mt_config *config)
{
  return position->is_zero ||
         (position->position >= 0 && (size_t) position->position < config->max_positions);
}

/* Positions that were learned end with their table: where changes together leave it, the first that
 * does is named. */
static bool
check_table(const mt_interventions *interventions, const mt_config *config, mt_error *error)
{
  if (mt_positions_are_computed(config->position_kind) ||
      !mt_positions_are_added(config->position_kind) ||
      !(mt_interventions_hook_points(interventions) & MT_HOOK_POINT_BIT(MT_HOOK_POSITION)))
    return true;
  for (int s = 0; s < MT_N_STACKS; s++)
    for (size_t token = 0; token < config->max_positions; token++) {
      mt_intervention_position p = position_of(interventions, (mt_stack) s, token);
      if (is_in_table(&p, config))
        continue;
      mt_interventions so_far = {.n = 1, .interventions = interventions->interventions};
      for (;; so_far.n++) {
        p = position_of(&so_far, (mt_stack) s, token);
        if (!is_in_table(&p, config))
          break;
      }
      char text[TEXT_SIZE];
      write_change(&interventions->interventions[so_far.n - 1], text);
      return mt_fail(error, MT_ERROR_INPUT,
                     "The change \"%s\" gives token %zu the position %ld; this model has learned "
                     "%zu of them.",
                     text, token + 1, p.position + 1, config->max_positions);
    }
  return true;
}

/* A change that replaces contexts by means wants some, of a model of this shape. */
static bool
check_means(const mt_interventions *interventions, size_t i, const mt_config *config,
            mt_error *error)
{
  const mt_intervention *change = &interventions->interventions[i];
  const mt_means *means = interventions->means;
  if (!change->kind->needs_means)
    return true;
  char text[TEXT_SIZE];
  write_change(change, text);
  if (!means)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Change %zu is \"%s\"; \"%s\" wants the means of a text, and none are given.",
                   i + 1, text, change->kind->name);
  bool fits = means->d_model == config->d_model;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    fits = fits && means->n_layers[kind] == config->n_layers[mt_kind_stack(kind)] &&
           means->n_heads[kind] == config->n_heads[mt_kind_stack(kind)] &&
           means->d_head[kind] == config->d_head[mt_kind_stack(kind)];
  return fits || mt_fail(error, MT_ERROR_INPUT,
                         "Change %zu is \"%s\"; its means are of another model, called \"%.80s\".",
                         i + 1, text, means->model_name);
}

/* A change that copies from another run wants one, of a model of this shape. */
static bool
check_states(const mt_interventions *interventions, size_t i, const mt_config *config,
             mt_error *error)
{
  const mt_intervention *change = &interventions->interventions[i];
  if (!change->kind->needs_states)
    return true;
  char text[TEXT_SIZE];
  write_change(change, text);
  if (!interventions->states)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Change %zu is \"%s\"; \"%s\" wants the states of another run, and none are "
                   "given.",
                   i + 1, text, change->kind->name);
  return mt_activations_fit(interventions->states, config) ||
         mt_fail(error, MT_ERROR_INPUT,
                 "Change %zu is \"%s\"; the states are of a model of another shape.", i + 1, text);
}

bool
mt_interventions_check_means(const mt_interventions *interventions, const mt_model *model,
                             mt_error *error)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++)
    if (interventions->interventions[i].kind->needs_means &&
        !mt_means_check(interventions->means, model, error))
      return false;
  return true;
}

bool
mt_interventions_check(const mt_interventions *interventions, const mt_config *config,
                       mt_error *error)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    mt_stack stack = change->place->stack;
    const char *whose =
        stack == MT_STACK_ENCODER ? "the encoder of this model" : "the decoder of this model";
    if (!check_range(change->ranges[MT_AXIS_LAYER], config->n_layers[stack], "layer", whose, change,
                     error) ||
        !check_range(change->ranges[MT_AXIS_HEAD], config->n_heads[stack], "head", whose, change,
                     error) ||
        !check_argument(change, config, whose, error) || !check_form(change, config, error) ||
        !check_means(interventions, i, config, error) ||
        !check_states(interventions, i, config, error))
      return false;
    bool is_position = MT_PLACES_POSITION & MT_PLACE_BIT(change->place - mt_intervention_targets);
    if (is_position && !check_range(change->ranges[MT_AXIS_KEY], config->max_positions, "position",
                                    "this model", change, error))
      return false;
  }
  return check_table(interventions, config, error);
}

bool
mt_interventions_check_explained(const mt_interventions *interventions, mt_error *error)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    char text[TEXT_SIZE];
    if (change->form->is_explained)
      continue;
    write_change(change, text);
    return mt_fail(error, MT_ERROR_INPUT,
                   "The change \"%s\" makes the model compute otherwise than its weights say; the "
                   "numbers behind its attention are not shown with it.",
                   text);
  }
  return true;
}

/* What is copied into the encoder has a row for each token of the text. */
static bool
check_copied(const mt_interventions *interventions, const mt_intervention *change, size_t n_source,
             mt_error *error)
{
  if (!change->kind->needs_states || change->place->stack != MT_STACK_ENCODER ||
      !interventions->states || interventions->states->n_tokens[MT_STACK_ENCODER] == n_source)
    return true;
  char text[TEXT_SIZE];
  write_change(change, text);
  return mt_fail(error, MT_ERROR_INPUT,
                 "The change \"%s\" copies from a run of %zu source tokens; this text has %zu.",
                 text, interventions->states->n_tokens[MT_STACK_ENCODER], n_source);
}

bool
mt_interventions_check_source(const mt_interventions *interventions, size_t n_source,
                              mt_error *error)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    bool has_queries = change->place->kinds == MT_KIND_BIT(MT_ENCODER_SELF);
    if ((change->place->keys == MT_STACK_ENCODER &&
         !check_range(change->ranges[MT_AXIS_KEY], n_source, "source token", "this text", change,
                      error)) ||
        (has_queries && !check_range(change->ranges[MT_AXIS_QUERY], n_source, "source token",
                                     "this text", change, error)) ||
        (change->place->stack == MT_STACK_ENCODER &&
         !check_range(change->ranges[MT_AXIS_TOKEN], n_source, "source token", "this text", change,
                      error)) ||
        !check_copied(interventions, change, n_source, error) ||
        (change->form->counts == MT_COUNTS_TOKENS && change->place->stack == MT_STACK_ENCODER &&
         !check_number((size_t) change->arguments[0], n_source, "source token", "this text", change,
                       error)))
      return false;
  }
  return true;
}

uint32_t
mt_interventions_hook_points(const mt_interventions *interventions)
{
  uint32_t hook_points = 0;
  for (size_t i = 0; i < mt_interventions_count(interventions); i++)
    hook_points |=
        MT_HOOK_POINT_BIT(interventions->interventions[i].form->hook_point) |
        (interventions->interventions[i].kind->copy ? MT_HOOK_POINT_BIT(MT_HOOK_KEY) : 0);
  return hook_points;
}

/* -1 is a tensor of no layer or head, which is among all of them. */
static bool
is_at(const mt_intervention *change, mt_attention_kind kind, int layer, int head)
{
  return (change->place->kinds & MT_KIND_BIT(kind)) &&
         mt_intervention_is_in(change->ranges[MT_AXIS_LAYER], (size_t) layer) &&
         mt_intervention_is_in(change->ranges[MT_AXIS_HEAD], (size_t) head);
}

void
mt_intervention_hide_keys(const mt_intervention *change, const mt_intervention_tensor *tensor)
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
mt_interventions_apply(const mt_interventions *interventions, mt_hook_point hook_point,
                       const mt_intervention_tensor *tensor)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    if (change->form->hook_point != hook_point || !change->form->apply ||
        !is_at(change, tensor->kind, tensor->layer, tensor->head))
      continue;
    mt_intervention_tensor own = *tensor;
    own.states = interventions->states;
    if (change->kind->needs_means)
      own.mean = mt_means_get(interventions->means, tensor->kind, (size_t) tensor->layer,
                              (size_t) tensor->head);
    change->form->apply(change, &own);
  }
}

/* Some head of a layer, or the layer itself. */
static bool
is_in_layer(const mt_intervention *change, mt_attention_kind kind, int layer)
{
  return (change->place->kinds & MT_KIND_BIT(kind)) &&
         mt_intervention_is_in(change->ranges[MT_AXIS_LAYER], (size_t) layer);
}

void
mt_interventions_copy_heads(const mt_interventions *interventions, mt_attention_kind kind,
                            int layer, float *data, size_t n, size_t inner, size_t d_head)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    if (change->kind->copy && is_in_layer(change, kind, layer))
      change->kind->copy(change, data, n, inner, d_head);
  }
}

mt_similarity
mt_interventions_similarity(const mt_interventions *interventions, mt_attention_kind kind,
                            int layer, int head, mt_similarity before)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    if (change->form->similarity != MT_SIMILARITY_SCALED && is_at(change, kind, layer, head))
      before = change->form->similarity;
  }
  return before;
}

bool
mt_interventions_unbias(const mt_interventions *interventions, mt_attention_kind kind, int layer,
                        int head)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    if (change->form->is_unbiased && is_at(change, kind, layer, head))
      return true;
  }
  return false;
}

bool
mt_interventions_are_alone(const mt_interventions *interventions, mt_hook_point hook_point,
                           mt_attention_kind kind, int layer)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    if (change->form->is_alone && change->form->hook_point == hook_point &&
        is_at(change, kind, layer, -1))
      return true;
  }
  return false;
}

/* What stands at a place after the last swap stood, before it, where that swap took it from. */
size_t
mt_interventions_layer(const mt_interventions *interventions, mt_stack stack, size_t layer)
{
  for (size_t i = mt_interventions_count(interventions); i-- > 0;) {
    const mt_intervention *change = &interventions->interventions[i];
    if (change->form->counts != MT_COUNTS_LAYERS || change->place->stack != stack)
      continue;
    size_t a = change->ranges[MT_AXIS_LAYER].first, b = (size_t) change->arguments[0] - 1;
    layer = layer == a ? b : layer == b ? a : layer;
  }
  return layer;
}

mt_position_change
mt_interventions_position_of(const mt_interventions *interventions, mt_stack stack, size_t token)
{
  const mt_intervention_position p = position_of(interventions, stack, token);
  return (mt_position_change){p.is_zero, p.interleaves, p.position};
}

/* out [d]: that of model->stacks[stack], or what the functions of the paper say beyond its table.
 */
static void
encode_position(const mt_model *model, mt_stack stack, const mt_intervention_position *position,
                float *out)
{
  size_t d = model->config.d_model;
  long p = position->position;
  if (position->is_zero) {
    memset(out, 0, d * sizeof *out);
    return;
  }
  mt_position_kind kind = model->config.position_kind;
  bool interleaves = position->interleaves && kind == MT_POSITIONS_SINUSOIDAL_HALVES;
  if (p < 0 || (size_t) p >= model->config.max_positions) {
    /* Lists that ask for what was not learned are refused (mt_interventions_check). */
    assert(mt_positions_are_computed(kind));
    mt_positions_encode(out, p + (long) model->config.position_offset, d,
                        interleaves ? MT_POSITIONS_SINUSOIDAL_INTERLEAVED : kind);
    return;
  }
  const float *row = model->stacks[stack].positions + (size_t) p * d;
  if (!interleaves)
    memcpy(out, row, d * sizeof *out);
  for (size_t i = 0; interleaves && i < d / 2; i++) {
    out[2 * i] = row[i];
    out[2 * i + 1] = row[d / 2 + i];
  }
}

void
mt_interventions_position(const mt_interventions *interventions, const mt_model *model,
                          mt_stack stack, size_t token, float *out)
{
  mt_intervention_position position = position_of(interventions, stack, token);
  encode_position(model, stack, &position, out);
}

bool
mt_intervention_is_hidden(const mt_intervention_tensor *tensor, size_t query, size_t key)
{
  for (size_t i = 0; i < 2; i++)
    if (mt_interventions_hide(tensor->lists[i], tensor->kind, (size_t) tensor->layer,
                              (size_t) tensor->head, query, key))
      return true;
  return tensor->kind == MT_DECODER_SELF && key > query;
}

bool
mt_interventions_touch(const mt_interventions *interventions, mt_attention_kind kind, size_t layer,
                       size_t head)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    if (change->place->n_axes == 2 && is_at(change, kind, (int) layer, (int) head))
      return true;
  }
  return false;
}

static bool
may_hide(const mt_intervention *change, mt_attention_kind kind, size_t layer, size_t head)
{
  return change->kind->hides && is_at(change, kind, (int) layer, (int) head);
}

bool
mt_interventions_hide(const mt_interventions *interventions, mt_attention_kind kind, size_t layer,
                      size_t head, size_t query, size_t key)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    if (may_hide(change, kind, layer, head) && change->kind->hides(change, query, key))
      return true;
  }
  return false;
}

bool
mt_interventions_may_hide(const mt_interventions *interventions, mt_attention_kind kind,
                          size_t layer, size_t head)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++)
    if (may_hide(&interventions->interventions[i], kind, layer, head))
      return true;
  return false;
}

bool
mt_interventions_hide_alike(const mt_interventions *interventions, mt_attention_kind kind,
                            size_t layer, size_t head, size_t other_layer, size_t other_head)
{
  for (size_t i = 0; i < mt_interventions_count(interventions); i++) {
    const mt_intervention *change = &interventions->interventions[i];
    if (may_hide(change, kind, layer, head) != may_hide(change, kind, other_layer, other_head))
      return false;
  }
  return true;
}
