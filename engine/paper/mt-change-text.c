/* mt-change-text.c — changes read from text and written as text: the grammar, and THE lists of
 * places and kinds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include "base/mt-error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const mt_change_kind *const kinds[] = {
    &mt_change_add,      &mt_change_as,     &mt_change_copy,        &mt_change_cosine,
    &mt_change_diagonal, &mt_change_hide,   &mt_change_interleave,  &mt_change_mean,
    &mt_change_next,     &mt_change_patch,  &mt_change_piece,       &mt_change_previous,
    &mt_change_put,      &mt_change_scale,  &mt_change_set,         &mt_change_shift,
    &mt_change_skip,     &mt_change_swap,   &mt_change_temperature, &mt_change_uniform,
    &mt_change_unscaled, &mt_change_window, &mt_change_zero};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

#define ATTENTION                                     \
  .axes = {MT_AXIS_LAYER, MT_AXIS_HEAD}, .n_axes = 2, \
  .named = MT_AXIS_BIT(MT_AXIS_QUERY) | MT_AXIS_BIT(MT_AXIS_KEY)
#define PART(kind, which) \
  .kinds = MT_KIND_BIT(kind), .stack = MT_STACK_##which, .keys = MT_STACK_##which
#define LAYERS .axes = {MT_AXIS_LAYER}, .n_axes = 1
#define ROWS   .named = MT_AXIS_BIT(MT_AXIS_TOKEN)
#define TOKENS .axes = {MT_AXIS_KEY}, .n_axes = 1
const mt_change_place mt_change_places[MT_N_PLACES] = {
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

/* ---- Words -------------------------------------------------------------------------------------
 */

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

/* ---- Numbers -----------------------------------------------------------------------------------
 */

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
is_all(mt_change_range range)
{
  return range.last == SIZE_MAX;
}

/* "*", "3" or "2-4", from 1. */
static bool
read_range(const char **at, const char *end, mt_change_range *range)
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
  *range = (mt_change_range){first - 1, last - 1};
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

/* ---- Reading -----------------------------------------------------------------------------------
 */

/* Whether a place is the first of its name, and whether the word can be the second of a place. */
static bool
is_first(size_t place)
{
  for (size_t i = 0; i < place; i++)
    if (strcmp(mt_change_places[i].name, mt_change_places[place].name) == 0)
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
               mt_change_places[i].name);
  return fail(r, list, error);
}

/* "encoder", "encoder feed-forward"; moves to the word behind. */
static bool
read_place(reader *r, mt_change *change, mt_error *error)
{
  size_t first = 0;
  while (first < MT_N_PLACES && !is_word(r, mt_change_places[first].name))
    first++;
  if (first == MT_N_PLACES)
    return fail_place(r, error);
  const mt_change_place *named = &mt_change_places[first];
  next_word(r);
  change->place = NULL;
  for (size_t i = first; i < MT_N_PLACES; i++)
    if (strcmp(mt_change_places[i].name, named->name) == 0 && is_word(r, mt_change_places[i].part))
      change->place = &mt_change_places[i];
  if (change->place) {
    next_word(r);
    return true;
  }
  change->place = named;
  return !named->part || fail(r, named->part, error);
}

/* What the numbers of a place are, for people. */
static const char *
numbers_of(const mt_change_place *place)
{
  if (place->n_axes > 1)
    return "layers and heads such as 4.1, 2-3 or *.3, counted from 1";
  return place->axes[0] == MT_AXIS_LAYER ? "layers such as 5 or 2-4, counted from 1"
                                         : "tokens such as 5 or 2-4, counted from 1";
}

/* The numbers that follow the place, if the word is such; moves to the next word. */
static bool
read_numbers(reader *r, mt_change *change, uint32_t *said, mt_error *error)
{
  const mt_change_place *place = change->place;
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
find_axis(const reader *r, const mt_change *change, uint32_t said)
{
  mt_axis axis = 0;
  while (axis < MT_N_AXES &&
         !((change->place->named & ~said & MT_AXIS_BIT(axis)) && is_word(r, axis_names[axis])))
    axis++;
  return axis;
}

/* "query 2 key 3-4", in any order. */
static bool
read_named(reader *r, mt_change *change, uint32_t *said, mt_error *error)
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
read_kind(reader *r, mt_change *change, uint32_t said, mt_error *error)
{
  size_t place = (size_t) (change->place - mt_change_places), kind = 0;
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
read_arguments(reader *r, mt_change *change, mt_error *error)
{
  for (size_t i = 0; i < change->kind->n_arguments; i++) {
    const mt_change_argument *argument = &change->kind->arguments[i];
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
read_change(reader *r, mt_change *change, mt_error *error)
{
  uint32_t said = 0;
  *change = (mt_change){0};
  for (mt_axis axis = 0; axis < MT_N_AXES; axis++)
    change->ranges[axis] = (mt_change_range){0, SIZE_MAX};
  return read_place(r, change, error) && read_numbers(r, change, &said, error) &&
         read_named(r, change, &said, error) && read_kind(r, change, said, error) &&
         read_arguments(r, change, error) &&
         (!next_word(r) || fail(r, "the end of the line", error));
}

bool
mt_change_read(const char *label, const char *text, mt_change *changes, size_t *n, mt_error *error)
{
  bool has_lines = strchr(text, '\n') != NULL;
  reader r = {.label = label, .line = has_lines};
  for (const char *line = text;; line = r.end + 1, r.line++) {
    r.next = line;
    r.end = line + strcspn(line, "\n");
    if (next_word(&r) && !read_change(&r, &changes[(*n)++], error))
      return false;
    if (!*r.end)
      return true;
  }
}

/* ---- Writing -----------------------------------------------------------------------------------
 */

static size_t
write_range(char *out, size_t size, mt_change_range range)
{
  if (is_all(range))
    return (size_t) snprintf(out, size, "*");
  if (range.last == range.first)
    return (size_t) snprintf(out, size, "%zu", range.first + 1);
  return (size_t) snprintf(out, size, "%zu-%zu", range.first + 1, range.last + 1);
}

size_t
mt_change_write(const mt_change *change, char out[MT_CHANGE_TEXT_SIZE])
{
  const mt_change_place *place = change->place;
  const size_t size = MT_CHANGE_TEXT_SIZE;
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
