/* mt-request-json.c — what a search is asked for as JSON, and out of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"
#include "search/mt-search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing --------------------------------------------------------------------------------- */

/* The number with the fewest digits that is the same float: 0.6, and not 0.60000002384185791. */
static double
fewest_digits(double value)
{
  char text[40];
  for (int digits = 1; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    double shorter = strtod(text, NULL);
    if ((float) shorter == (float) value)
      return shorter;
  }
  return value;
}

/* A list of lines; each is ended by a zero byte in the copy. */
static void
put_changes(mt_json_out *out, const mt_changes *changes)
{
  if (mt_changes_count(changes) == 0)
    return;
  char *lines = mt_strdup(mt_changes_text(changes));
  out->failed |= !lines;
  mt_json_begin(out, "changes", '[');
  for (char *line = lines, *end; line; line = end) {
    end = strchr(line, '\n');
    if (end)
      *end++ = '\0';
    mt_json_put_string(out, NULL, line);
  }
  mt_json_end(out);
  mt_free(lines);
}

static void
put_ids(mt_json_out *out, const char *key, const int32_t *ids, size_t n)
{
  mt_json_begin(out, key, '[');
  for (size_t i = 0; i < n; i++)
    mt_json_put_whole(out, NULL, ids[i]);
  mt_json_end(out);
}

static void
put_constraints(mt_json_out *out, const mt_constraints *constraints)
{
  size_t n_prefix, n;
  const int32_t *prefix = mt_constraints_prefix(constraints, &n_prefix);
  const mt_forbidden *forbidden = mt_constraints_forbidden(constraints, &n);
  if (n_prefix > 0)
    put_ids(out, "prefix", prefix, n_prefix);
  if (n > 0)
    mt_json_begin(out, "forbidden", '[');
  for (size_t i = 0; i < n; i++) {
    mt_json_begin(out, NULL, '{');
    if (forbidden[i].step != MT_EVERY_STEP)
      mt_json_put_whole(out, "step", (int64_t) forbidden[i].step + 1);
    put_ids(out, "ids", forbidden[i].ids, forbidden[i].n);
    mt_json_end(out);
  }
  if (n > 0)
    mt_json_end(out);
  const mt_term *terms = mt_constraints_terms(constraints, &n);
  if (n > 0)
    mt_json_begin(out, "terms", '[');
  for (size_t i = 0; i < n; i++)
    put_ids(out, NULL, terms[i].ids, terms[i].n);
  if (n > 0)
    mt_json_end(out);
}

char *
mt_request_to_json(const mt_request *request, mt_error *error)
{
  mt_json_out out = {0};
  double value;
  mt_json_begin(&out, NULL, '{');
  for (size_t i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    if (!mt_request_get(request, i, &value))
      continue;
    if (field->type == MT_SEARCH_CHOICE)
      mt_json_put_string(&out, field->key, field->choices[(size_t) value]);
    else if (field->type == MT_SEARCH_WHOLE)
      mt_json_put_whole(&out, field->key, (int64_t) value);
    else
      mt_json_put_number(&out, field->key, fewest_digits(value));
  }
  if (*request->language)
    mt_json_put_string(&out, "language", request->language);
  put_changes(&out, request->changes);
  put_constraints(&out, request->constraints);
  mt_json_end(&out);
  char *json = mt_json_finish(&out, "", error) ? mt_strdup(out.text) : NULL;
  if (!json && !out.failed)
    mt_fail_no_memory(error);
  mt_json_out_clear(&out);
  return json;
}

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct {
  mt_request *request;
  const char *label;
  mt_error *error;
  /* Constraints as they come; ids are those of all forbidden lists, term_ids of all terms. */
  int32_t *prefix, *ids, *term_ids;
  size_t n_prefix, n_ids, n_term_ids;
  mt_forbidden *forbidden;
  size_t n_forbidden;
  mt_term *terms;
  size_t n_terms;
} Reading;

static bool
wrong(const Reading *r, const char *key, const char *expected, const mt_json_value *found)
{
  char description[MT_JSON_DESCRIPTION_SIZE];
  return mt_fail(r->error, MT_ERROR_FORMAT, "%s: \"%s\" must be %s; found %s.", r->label, key,
                 expected, mt_json_describe(found, description));
}

static bool
read_choice(Reading *r, size_t i, const mt_json_value *value)
{
  const char *name = mt_json_kind_of(value) == MT_JSON_STRING ? mt_json_string(value) : NULL;
  for (size_t c = 0; name && mt_search_field_at(i)->choices[c]; c++)
    if (strcmp(mt_search_field_at(i)->choices[c], name) == 0)
      return mt_request_set(r->request, i, (double) c, r->error);
  char list[128], expected[160];
  mt_search_list_choices(mt_search_field_at(i), list, sizeof list);
  snprintf(expected, sizeof expected, "one of %s", list);
  return wrong(r, mt_search_field_at(i)->key, expected, value);
}

static bool
read_number(Reading *r, size_t i, const mt_json_value *value)
{
  const mt_search_field *field = mt_search_field_at(i);
  mt_json_kind kind = mt_json_kind_of(value);
  char expected[96];
  if (kind == MT_JSON_INTEGER || (kind == MT_JSON_NUMBER && field->type == MT_SEARCH_NUMBER)) {
    mt_error ignored = {0};
    if (mt_request_set(r->request, i, mt_json_number(value), &ignored))
      return true;
  }
  snprintf(expected, sizeof expected, "a %snumber from %g to %g",
           field->type == MT_SEARCH_WHOLE ? "whole " : "", field->range.least, field->range.most);
  return wrong(r, field->key, expected, value);
}

static bool
read_changes(Reading *r, const mt_json_value *value)
{
  size_t n = mt_json_kind_of(value) == MT_JSON_ARRAY ? mt_json_length(value) : 0, length = 1;
  const char *line = "";
  bool is_list = mt_json_kind_of(value) == MT_JSON_ARRAY;
  for (size_t i = 0; is_list && i < n; i++) {
    const mt_json_value *item = mt_json_at(value, i);
    line = mt_json_kind_of(item) == MT_JSON_STRING ? mt_json_string(item) : NULL;
    is_list = line != NULL;
    length += is_list ? strlen(line) + 1 : 0;
  }
  if (!is_list)
    return wrong(r, "changes", "a list of lines such as \"cross 4.1 zero\"", value);
  char *text = mt_alloc(length, 1), *end = text, label[128];
  if (!text)
    return mt_fail_no_memory(r->error);
  for (size_t i = 0; i < n; i++)
    end +=
        snprintf(end, length - (size_t) (end - text), "%s\n", mt_json_string(mt_json_at(value, i)));
  snprintf(label, sizeof label, "%s: \"changes\"", r->label);
  mt_error own = {0};
  mt_changes *changes = mt_changes_parse(label, text, &own);
  mt_free(text);
  if (!changes)
    return mt_fail(r->error, own.code == MT_ERROR_INPUT ? MT_ERROR_FORMAT : own.code, "%s",
                   own.message);
  mt_request_set_changes(r->request, changes);
  mt_changes_unref(changes);
  return true;
}

/* Ids behind those that are there, to *n in all. */
static bool
read_ids(Reading *r, const char *key, const mt_json_value *value, int32_t **ids, size_t *n)
{
  bool is_list = mt_json_kind_of(value) == MT_JSON_ARRAY;
  size_t n_new = is_list ? mt_json_length(value) : 0;
  if (n_new > MT_MAX_CONSTRAINTS - *n)
    return mt_fail(r->error, MT_ERROR_TOO_LONG, "%s: the constraints have more than %d tokens.",
                   r->label, MT_MAX_CONSTRAINTS);
  int32_t *more = mt_realloc(*ids, *n + n_new + 1, sizeof *more);
  if (!more)
    return mt_fail_no_memory(r->error);
  *ids = more;
  for (size_t i = 0; is_list && i < n_new; i++) {
    const mt_json_value *item = mt_json_at(value, i);
    is_list = mt_json_kind_of(item) == MT_JSON_INTEGER && mt_json_integer(item) >= 0 &&
              mt_json_integer(item) <= INT32_MAX;
    if (is_list)
      more[(*n)++] = (int32_t) mt_json_integer(item);
  }
  return is_list || wrong(r, key, "a list of token ids", value);
}

/* One {"step": 3, "ids": [95]}; ids of a list are found behind each other at the end. */
static bool
read_forbidden_list(Reading *r, const mt_json_value *value, mt_forbidden *list)
{
  bool is_object = mt_json_kind_of(value) == MT_JSON_OBJECT;
  const mt_json_value *step = is_object ? mt_json_member(value, "step") : NULL;
  const mt_json_value *ids = is_object ? mt_json_member(value, "ids") : NULL;
  size_t before = r->n_ids;
  if (!ids)
    return wrong(r, "forbidden", "a list of objects with ids", value);
  if (step && (mt_json_kind_of(step) != MT_JSON_INTEGER || mt_json_integer(step) < 1))
    return wrong(r, "step", "a whole number from 1 on", step);
  if (!read_ids(r, "ids", ids, &r->ids, &r->n_ids))
    return false;
  if (r->n_ids == before)
    return wrong(r, "ids", "a list of at least one token id", ids);
  *list = (mt_forbidden){.step = step ? (size_t) mt_json_integer(step) - 1 : MT_EVERY_STEP,
                         .n = r->n_ids - before};
  return true;
}

static bool
read_forbidden(Reading *r, const mt_json_value *value)
{
  if (mt_json_kind_of(value) != MT_JSON_ARRAY)
    return wrong(r, "forbidden", "a list of objects with ids", value);
  r->n_ids = 0;
  mt_free(r->forbidden);
  r->n_forbidden = mt_json_length(value);
  r->forbidden = mt_alloc(r->n_forbidden + 1, sizeof *r->forbidden);
  if (!r->forbidden)
    return mt_fail_no_memory(r->error);
  for (size_t i = 0; i < r->n_forbidden; i++)
    if (!read_forbidden_list(r, mt_json_at(value, i), &r->forbidden[i]))
      return false;
  const int32_t *ids = r->ids;
  for (size_t i = 0; i < r->n_forbidden; i++) {
    r->forbidden[i].ids = ids;
    ids += r->forbidden[i].n;
  }
  return true;
}

static bool
read_terms(Reading *r, const mt_json_value *value)
{
  if (mt_json_kind_of(value) != MT_JSON_ARRAY)
    return wrong(r, "terms", "a list of lists of token ids", value);
  r->n_term_ids = 0;
  mt_free(r->terms);
  r->n_terms = mt_json_length(value);
  r->terms = mt_alloc(r->n_terms + 1, sizeof *r->terms);
  if (!r->terms)
    return mt_fail_no_memory(r->error);
  for (size_t i = 0, before = 0; i < r->n_terms; i++, before = r->n_term_ids) {
    const mt_json_value *ids = mt_json_at(value, i);
    if (!read_ids(r, "terms", ids, &r->term_ids, &r->n_term_ids))
      return false;
    r->terms[i].n = r->n_term_ids - before;
    if (r->terms[i].n == 0)
      return wrong(r, "terms", "lists of at least one token id", ids);
  }
  const int32_t *ids = r->term_ids;
  for (size_t i = 0; i < r->n_terms; ids += r->terms[i++].n)
    r->terms[i].ids = ids;
  return true;
}

/* What was read of constraints into the request. */
static bool
take_constraints(Reading *r)
{
  if (r->n_prefix == 0 && r->n_forbidden == 0 && r->n_terms == 0)
    return true;
  mt_error own = {0};
  mt_constraints *lists =
      mt_constraints_new(r->prefix, r->n_prefix, r->forbidden, r->n_forbidden, &own);
  mt_constraints *constraints =
      lists ? mt_constraints_with_terms(lists, r->terms, r->n_terms, &own) : NULL;
  mt_constraints_unref(lists);
  if (!constraints)
    return mt_fail(r->error, own.code, "%s: %s", r->label, own.message);
  mt_request_set_constraints(r->request, constraints);
  mt_constraints_unref(constraints);
  return true;
}

static bool
read_member(void *user, const char *key, const mt_json_value *value)
{
  Reading *r = user;
  size_t i;
  if (strcmp(key, "changes") == 0)
    return mt_json_kind_of(value) == MT_JSON_NULL || read_changes(r, value);
  if (strcmp(key, "prefix") == 0) {
    r->n_prefix = 0;
    return mt_json_kind_of(value) == MT_JSON_NULL ||
           read_ids(r, key, value, &r->prefix, &r->n_prefix);
  }
  if (strcmp(key, "forbidden") == 0)
    return mt_json_kind_of(value) == MT_JSON_NULL || read_forbidden(r, value);
  if (strcmp(key, "terms") == 0)
    return mt_json_kind_of(value) == MT_JSON_NULL || read_terms(r, value);
  if (strcmp(key, "language") == 0) {
    const char *code = NULL;
    if (mt_json_kind_of(value) == MT_JSON_NULL)
      return true;
    if (mt_json_kind_of(value) == MT_JSON_STRING)
      code = mt_json_string(value);
    if (!code || strlen(code) >= MT_LANGUAGE_SIZE)
      return wrong(r, key, "the code of a language", value);
    memcpy(r->request->language, code, strlen(code) + 1);
    return true;
  }
  if (!mt_search_find_field(key, &i))
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s: \"%s\" is no setting of a search.", r->label,
                   key);
  if (mt_json_kind_of(value) == MT_JSON_NULL)
    return true;
  return mt_search_field_at(i)->type == MT_SEARCH_CHOICE ? read_choice(r, i, value)
                                                         : read_number(r, i, value);
}

bool
mt_request_from_json(mt_request *request, const char *label, const char *text, size_t n,
                     mt_error *error)
{
  mt_json json = {0};
  mt_request read = {0};
  Reading r = {.request = &read, .label = label, .error = error};
  bool ok = mt_json_parse(&json, label, text, n, error) &&
            mt_json_each(mt_json_root(&json), read_member, &r) && take_constraints(&r);
  mt_json_clear(&json);
  mt_free(r.prefix);
  mt_free(r.ids);
  mt_free(r.forbidden);
  mt_free(r.terms);
  mt_free(r.term_ids);
  if (ok) {
    mt_request_clear(request);
    *request = read;
  } else {
    mt_request_clear(&read);
  }
  return ok;
}
