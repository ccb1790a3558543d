/* regard-term.c — terms and conditions of a lesson: what is measured, and what has to be true of
 * it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-term.h"

#include "figures/regard-naming.h"
#include "learn/regard-targets.h"

#include <math.h>
#include <string.h>

/* ---- Words ----------------------------------------------------------------------------------- */

void
regard_scanner_clear(RegardScanner *scanner)
{
  g_clear_pointer(&scanner->problem, g_free);
}

static void
skip_spaces(RegardScanner *scanner)
{
  while (*scanner->at == ' ')
    scanner->at++;
}

gboolean
regard_scanner_is_at_end(RegardScanner *scanner)
{
  skip_spaces(scanner);
  return *scanner->at == '\0';
}

static gsize
length_of_text(const char *text)
{
  const char *end = strchr(text + 1, '"');
  return end ? (gsize) (end - text) + 1 : strlen(text);
}

static gsize
length_of_number(const char *text)
{
  gsize n = strspn(text, "0123456789");
  if (text[n] == '.' && g_ascii_isdigit(text[n + 1]))
    n += 1 + strspn(text + n + 1, "0123456789");
  return n;
}

static gsize
length_of_name(const char *text)
{
  gsize n = 0;
  while (g_ascii_isalnum(text[n]) || (text[n] == '-' && g_ascii_isalnum(text[n + 1])))
    n++;
  return n;
}

static gsize
length_of_sign(const char *text)
{
  if (strchr("<>!", *text) && text[1] == '=')
    return 2;
  return (gsize) (g_utf8_next_char(text) - text);
}

/* Of what regard_scanner_next returns, after spaces; 0: nothing is left. */
static gsize
length_of_next(const char *text)
{
  return *text == '\0'            ? 0
         : *text == '"'           ? length_of_text(text)
         : g_ascii_isdigit(*text) ? length_of_number(text)
         : g_ascii_isalpha(*text) ? length_of_name(text)
                                  : length_of_sign(text);
}

static char *
take(RegardScanner *scanner, gsize n)
{
  char *word = n ? g_strndup(scanner->at, n) : NULL;
  scanner->at += n;
  return word;
}

char *
regard_scanner_next(RegardScanner *scanner)
{
  skip_spaces(scanner);
  return take(scanner, length_of_next(scanner->at));
}

char *
regard_scanner_word(RegardScanner *scanner)
{
  skip_spaces(scanner);
  return take(scanner, strcspn(scanner->at, " "));
}

gboolean
regard_scanner_takes(RegardScanner *scanner, const char *word)
{
  skip_spaces(scanner);
  const gsize n = length_of_next(scanner->at);
  if (n == 0 || n != strlen(word) || memcmp(scanner->at, word, n) != 0)
    return FALSE;
  scanner->at += n;
  return TRUE;
}

gboolean
regard_scanner_refuse(RegardScanner *scanner, const char *expected)
{
  if (scanner->problem)
    return FALSE; /* the first one counts */
  skip_spaces(scanner);
  const gsize n = MAX(length_of_next(scanner->at), strcspn(scanner->at, " "));
  g_autofree char *found =
      g_utf8_substring(scanner->at, 0, MIN(g_utf8_strlen(scanner->at, (gssize) n), 40));
  scanner->problem = *found ? g_strdup_printf("expected %s, found '%s'", expected, found)
                            : g_strdup_printf("expected %s, found the end of the line", expected);
  return FALSE;
}

char *
regard_scanner_text(RegardScanner *scanner)
{
  skip_spaces(scanner);
  const gsize n = length_of_next(scanner->at);
  if (*scanner->at != '"' || n < 2 || scanner->at[n - 1] != '"') {
    regard_scanner_refuse(scanner, "a text in quotes");
    return NULL;
  }
  if (n - 2 > REGARD_TERM_MOST_TEXT) {
    regard_scanner_refuse(scanner, "a text of at most 400 bytes");
    return NULL;
  }
  char *text = g_strndup(scanner->at + 1, n - 2);
  scanner->at += n;
  return text;
}

/* Whether one of them takes its numbers from a file or from another run. */
static gboolean
needs_more(const mt_interventions *interventions)
{
  mt_intervention_row row;
  for (gsize i = 0; mt_interventions_row(interventions, i, &row); i++)
    if (strcmp(row.how, "mean") == 0 || strcmp(row.how, "patch") == 0)
      return TRUE;
  return FALSE;
}

mt_interventions *
regard_scanner_parse_changes(RegardScanner *scanner, const char *changes)
{
  mt_error error = {0};
  g_autoptr(mt_interventions) parsed =
      mt_interventions_parse("change", strcmp(changes, "none") == 0 ? "" : changes, &error);
  if (!parsed && !scanner->problem)
    scanner->problem = g_strdup_printf("expected a change, but %s", error.message);
  else if (parsed && needs_more(parsed) && !scanner->problem)
    scanner->problem =
        g_strdup_printf("expected a change that needs neither a file nor another run, found '%s'",
                        changes);
  return scanner->problem ? NULL : g_steal_pointer(&parsed);
}

/* ---- Terms ----------------------------------------------------------------------------------- */

typedef enum { TERM_NUMBER, TERM_TEXT, TERM_NAME, TERM_MEASURE, TERM_JOIN } TermType;
typedef enum { OF_HERE, OF_TEXT, OF_OWN, OF_REVERSED } Of;

typedef struct {
  mt_attention_kind kind;
  guint layer, head;
  RegardTerm *term;
} Argument;

struct _RegardTerm {
  TermType type;
  gboolean is_text;
  double number;
  char *text; /* as it is written: a number, a text without quotes, a name */
  guint name; /* number of it */
  const RegardMeasure *measure;
  Argument arguments[REGARD_MEASURE_MOST_ARGUMENTS];
  Of of;
  char *of_text;
  mt_interventions *with; /* NULL: as they are */
  char sign;
  RegardTerm *left, *right;
};

void
regard_term_free(RegardTerm *term)
{
  if (!term)
    return;
  for (guint i = 0; i < REGARD_MEASURE_MOST_ARGUMENTS; i++)
    regard_term_free(term->arguments[i].term);
  regard_term_free(term->left);
  regard_term_free(term->right);
  mt_interventions_unref(term->with);
  g_free(term->of_text);
  g_free(term->text);
  g_free(term);
}

static RegardTerm *read_sum(RegardScanner *scanner, guint depth);

/* NULL: there are too many. */
static RegardTerm *
term_new(RegardScanner *scanner, TermType type)
{
  if (++scanner->n_nodes > REGARD_TERM_MOST_NODES) {
    regard_scanner_refuse(scanner, "a shorter term");
    return NULL;
  }
  RegardTerm *term = g_new0(RegardTerm, 1);
  term->type = type;
  return term;
}

static RegardTerm *
read_number(RegardScanner *scanner)
{
  g_autoptr(RegardTerm) term = term_new(scanner, TERM_NUMBER);
  if (!term)
    return NULL;
  const gboolean is_negative =
      regard_scanner_takes(scanner, "-") || regard_scanner_takes(scanner, "−");
  skip_spaces(scanner);
  const gsize n = length_of_next(scanner->at);
  if (!g_ascii_isdigit(*scanner->at) || n > 12) {
    regard_scanner_refuse(scanner, n > 12 ? "a number of at most 12 digits" : "a term");
    return NULL;
  }
  g_autofree char *digits = take(scanner, n);
  term->text = g_strconcat(is_negative ? "-" : "", digits, NULL);
  term->number = g_ascii_strtod(term->text, NULL);
  return g_steal_pointer(&term);
}

static RegardTerm *
read_text(RegardScanner *scanner)
{
  g_autoptr(RegardTerm) term = term_new(scanner, TERM_TEXT);
  if (!term)
    return NULL;
  term->is_text = TRUE;
  term->text = regard_scanner_text(scanner);
  return term->text ? g_steal_pointer(&term) : NULL;
}

/* ---- Measures -------------------------------------------------------------------------------- */

static gboolean
read_head(RegardScanner *scanner, Argument *argument)
{
  const char *begin = scanner->at;
  argument->layer = argument->head = G_MAXUINT;
  if (regard_scanner_takes(scanner, "sharpest"))
    return TRUE;
  g_autofree char *kind = regard_scanner_next(scanner), *number = regard_scanner_next(scanner);
  if (kind && number &&
      regard_target_parse_head(kind, number, &argument->kind, &argument->layer, &argument->head))
    return TRUE;
  scanner->at = begin;
  return regard_scanner_refuse(scanner, "a head such as 'cross 4.1', or 'sharpest'");
}

static gboolean
read_kind(RegardScanner *scanner, Argument *argument)
{
  const char *begin = scanner->at;
  g_autofree char *kind = regard_scanner_next(scanner);
  if (kind && regard_target_parse_kind(kind, &argument->kind))
    return TRUE;
  scanner->at = begin;
  return regard_scanner_refuse(scanner, "encoder, decoder or cross");
}

static gboolean
read_argument(RegardScanner *scanner, RegardArgumentType type, Argument *argument, guint depth)
{
  switch (type) {
  case REGARD_ARGUMENT_KIND:
    return read_kind(scanner, argument);
  case REGARD_ARGUMENT_HEAD:
    return read_head(scanner, argument);
  case REGARD_ARGUMENT_NUMBER:
  case REGARD_ARGUMENT_TEXT:
  case REGARD_ARGUMENT_TOKEN:
    break;
  case REGARD_ARGUMENT_NONE:
    g_assert_not_reached();
  }
  const char *begin = scanner->at;
  argument->term = read_sum(scanner, depth + 1);
  if (argument->term && type != REGARD_ARGUMENT_TOKEN &&
      argument->term->is_text != (type == REGARD_ARGUMENT_TEXT)) {
    scanner->at = begin;
    return regard_scanner_refuse(scanner, type == REGARD_ARGUMENT_TEXT ? "a text" : "a number");
  }
  return argument->term != NULL;
}

static gboolean
read_arguments(RegardScanner *scanner, RegardTerm *term, guint depth)
{
  const RegardArgumentType *types = regard_measure_arguments(term->measure);
  for (guint i = 0; i < REGARD_MEASURE_MOST_ARGUMENTS && types[i]; i++)
    if (!regard_scanner_takes(scanner, i ? "," : "("))
      return regard_scanner_refuse(scanner, i ? "',' and another argument" : "'(' and arguments");
    else if (!read_argument(scanner, types[i], &term->arguments[i], depth))
      return FALSE;
  return !types[0] || regard_scanner_takes(scanner, ")") || regard_scanner_refuse(scanner, "')'");
}

static gboolean
read_of(RegardScanner *scanner, RegardTerm *term)
{
  if (regard_scanner_takes(scanner, "own")) {
    term->of = OF_OWN;
    return TRUE;
  }
  if (regard_scanner_takes(scanner, "reversed")) {
    term->of = OF_REVERSED;
    return TRUE;
  }
  term->of = OF_TEXT;
  term->of_text = regard_scanner_text(scanner);
  return term->of_text != NULL;
}

static gboolean
read_with(RegardScanner *scanner, RegardTerm *term)
{
  g_autoptr(GString) lines = g_string_new(NULL);
  guint n = 0;
  do {
    g_autofree char *line = regard_scanner_text(scanner);
    if (!line)
      return FALSE;
    if (++n > 8)
      return regard_scanner_refuse(scanner, "at most eight changes");
    if (strcmp(line, "none") != 0)
      g_string_append_printf(lines, "%s\n", line);
  } while (regard_scanner_takes(scanner, "with"));
  term->with = regard_scanner_parse_changes(scanner, lines->str);
  return term->with != NULL;
}

static RegardTerm *
read_measure(RegardScanner *scanner, const RegardMeasure *measure, guint depth)
{
  g_autoptr(RegardTerm) term = term_new(scanner, TERM_MEASURE);
  if (!term)
    return NULL;
  term->measure = measure;
  term->is_text = regard_measure_is_text(measure);
  if (!read_arguments(scanner, term, depth))
    return NULL;
  const char *begin = scanner->at;
  if (regard_scanner_takes(scanner, "of") && !read_of(scanner, term))
    return NULL;
  if (regard_scanner_takes(scanner, "with") && !read_with(scanner, term))
    return NULL;
  if ((term->of || term->with) && !regard_measure_is_of_text(measure)) {
    scanner->at = begin;
    regard_scanner_refuse(scanner, "nothing more, since this measure is of no text");
    return NULL;
  }
  return g_steal_pointer(&term);
}

/* ---- Sums and products ----------------------------------------------------------------------- */

static RegardTerm *
read_name(RegardScanner *scanner, guint depth)
{
  const char *begin = scanner->at;
  g_autofree char *word = regard_scanner_next(scanner);
  for (guint i = 0; scanner->names && i < scanner->names->len; i++) {
    const RegardName *name = &g_array_index(scanner->names, RegardName, i);
    if (strcmp(name->name, word) != 0)
      continue;
    RegardTerm *term = term_new(scanner, TERM_NAME);
    if (term) {
      term->name = i;
      term->is_text = name->is_text;
      term->text = g_steal_pointer(&word);
    }
    return term;
  }
  const RegardMeasure *measure = regard_measure_find(word);
  if (measure)
    return read_measure(scanner, measure, depth);
  scanner->at = begin;
  regard_scanner_refuse(scanner, "a measure, or a name that stands behind an earlier 'let'");
  return NULL;
}

static RegardTerm *
read_factor(RegardScanner *scanner, guint depth)
{
  if (depth > REGARD_TERM_MOST_DEPTH) {
    regard_scanner_refuse(scanner, "a term with fewer parentheses");
    return NULL;
  }
  if (regard_scanner_takes(scanner, "(")) {
    g_autoptr(RegardTerm) term = read_sum(scanner, depth + 1);
    if (!term || regard_scanner_takes(scanner, ")"))
      return g_steal_pointer(&term);
    regard_scanner_refuse(scanner, "')'");
    return NULL;
  }
  skip_spaces(scanner);
  return *scanner->at == '"'             ? read_text(scanner)
         : g_ascii_isalpha(*scanner->at) ? read_name(scanner, depth)
                                         : read_number(scanner);
}

/* The first of the signs that stands next, as ASCII; 0: none of them. */
static char
take_sign(RegardScanner *scanner, const char *const *signs, const char *ascii)
{
  for (guint i = 0; signs[i]; i++)
    if (regard_scanner_takes(scanner, signs[i]))
      return ascii[i];
  return 0;
}

static RegardTerm *
read_joined(RegardScanner *scanner, guint depth, RegardTerm *(*read)(RegardScanner *, guint),
            const char *const *signs, const char *ascii)
{
  g_autoptr(RegardTerm) left = read(scanner, depth);
  char sign;
  while (left && (sign = take_sign(scanner, signs, ascii))) {
    g_autoptr(RegardTerm) term = term_new(scanner, TERM_JOIN);
    if (!term)
      return NULL;
    term->sign = sign;
    term->left = g_steal_pointer(&left);
    term->right = read(scanner, depth);
    if (!term->right)
      return NULL;
    if (term->left->is_text || term->right->is_text) {
      regard_scanner_refuse(scanner, "numbers on both sides of a sign");
      return NULL;
    }
    left = g_steal_pointer(&term);
  }
  return g_steal_pointer(&left);
}

static RegardTerm *
read_product(RegardScanner *scanner, guint depth)
{
  static const char *const signs[] = {"*", "×", "/", "÷", NULL};
  return read_joined(scanner, depth, read_factor, signs, "**//");
}

static RegardTerm *
read_sum(RegardScanner *scanner, guint depth)
{
  static const char *const signs[] = {"+", "-", "−", NULL};
  return read_joined(scanner, depth, read_product, signs, "+--");
}

RegardTerm *
regard_term_read(RegardScanner *scanner)
{
  return read_sum(scanner, 0);
}

gboolean
regard_term_is_text(const RegardTerm *term)
{
  return term->is_text;
}

guint
regard_term_cost(const RegardTerm *term)
{
  if (!term)
    return 0;
  guint cost = term->measure ? regard_measure_cost(term->measure) : 0;
  for (guint i = 0; i < REGARD_MEASURE_MOST_ARGUMENTS; i++)
    cost += regard_term_cost(term->arguments[i].term);
  return cost + regard_term_cost(term->left) + regard_term_cost(term->right);
}

gboolean
regard_term_is_of_text(const RegardTerm *term, const gboolean *names)
{
  if (!term)
    return FALSE;
  gboolean is = (term->type == TERM_NAME && names[term->name]) ||
                (term->measure && regard_measure_is_of_text(term->measure) && term->of != OF_TEXT);
  for (guint i = 0; i < REGARD_MEASURE_MOST_ARGUMENTS; i++)
    is = is || regard_term_is_of_text(term->arguments[i].term, names);
  return is || regard_term_is_of_text(term->left, names) ||
         regard_term_is_of_text(term->right, names);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void
write_argument(RegardArgumentType type, const Argument *argument, GString *out)
{
  if (type == REGARD_ARGUMENT_KIND)
    g_string_append(out, regard_kind_id(argument->kind));
  else if (type != REGARD_ARGUMENT_HEAD)
    regard_term_write(argument->term, out);
  else if (argument->layer == G_MAXUINT)
    g_string_append(out, "sharpest");
  else {
    g_autofree char *head = regard_naming_head(argument->kind, argument->layer, argument->head);
    g_string_append(out, head);
  }
}

static void
write_measure(const RegardTerm *term, GString *out)
{
  const RegardArgumentType *types = regard_measure_arguments(term->measure);
  g_string_append(out, regard_measure_name(term->measure));
  for (guint i = 0; i < REGARD_MEASURE_MOST_ARGUMENTS && types[i]; i++) {
    g_string_append(out, i ? ", " : "(");
    write_argument(types[i], &term->arguments[i], out);
  }
  if (types[0])
    g_string_append_c(out, ')');
  if (term->of == OF_TEXT)
    g_string_append_printf(out, " of \"%s\"", term->of_text);
  else if (term->of)
    g_string_append(out, term->of == OF_OWN ? " of own" : " of reversed");
  if (!term->with)
    return;
  g_auto(GStrv) lines = g_strsplit(mt_interventions_text(term->with), "\n", -1);
  if (mt_interventions_count(term->with) == 0)
    g_string_append(out, " with \"none\"");
  for (guint i = 0; mt_interventions_count(term->with) > 0 && lines[i]; i++)
    g_string_append_printf(out, " with \"%s\"", lines[i]);
}

static int
precedence(const RegardTerm *term)
{
  return term->type != TERM_JOIN ? 2 : term->sign == '*' || term->sign == '/' ? 1 : 0;
}

static void
write_side(const RegardTerm *side, gboolean in_parentheses, GString *out)
{
  if (in_parentheses)
    g_string_append_c(out, '(');
  regard_term_write(side, out);
  if (in_parentheses)
    g_string_append_c(out, ')');
}

void
regard_term_write(const RegardTerm *term, GString *out)
{
  switch (term->type) {
  case TERM_NUMBER:
  case TERM_NAME:
    g_string_append(out, term->text);
    break;
  case TERM_TEXT:
    g_string_append_printf(out, "\"%s\"", term->text);
    break;
  case TERM_MEASURE:
    write_measure(term, out);
    break;
  case TERM_JOIN:
    write_side(term->left, precedence(term->left) < precedence(term), out);
    g_string_append_printf(out, " %c ", term->sign);
    write_side(term->right, precedence(term->right) <= precedence(term), out);
    break;
  }
}

/* ---- Computing ------------------------------------------------------------------------------- */

static gboolean
compute_measure(const RegardTerm *term, const RegardSetting *setting, RegardValue *value,
                mt_error *error)
{
  RegardArgument arguments[REGARD_MEASURE_MOST_ARGUMENTS] = {0};
  RegardSituation there = setting->here;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < REGARD_MEASURE_MOST_ARGUMENTS; i++) {
    const Argument *argument = &term->arguments[i];
    arguments[i].kind = argument->kind;
    arguments[i].layer = argument->layer;
    arguments[i].head = argument->head;
    ok =
        !argument->term || regard_term_compute(argument->term, setting, &arguments[i].value, error);
  }
  if (term->of == OF_TEXT)
    there.text = term->of_text;
  else if (term->of == OF_OWN && setting->own)
    there.text = setting->own;
  there.is_reversed = term->of == OF_REVERSED;
  if (term->with)
    there.interventions = term->with;
  ok = ok && regard_measure_take(term->measure, &there, arguments, value, error);
  for (guint i = 0; i < REGARD_MEASURE_MOST_ARGUMENTS; i++)
    regard_value_clear(&arguments[i].value);
  return ok;
}

static gboolean
compute_joined(const RegardTerm *term, const RegardSetting *setting, RegardValue *value,
               mt_error *error)
{
  RegardValue left = {0}, right = {0};
  if (!regard_term_compute(term->left, setting, &left, error) ||
      !regard_term_compute(term->right, setting, &right, error))
    return FALSE;
  const double a = left.number, b = right.number;
  const double joined = term->sign == '+'   ? a + b
                        : term->sign == '-' ? a - b
                        : term->sign == '*' ? a * b
                                            : a / b;
  value->number = isfinite(joined) ? joined : (double) NAN;
  return TRUE;
}

gboolean
regard_term_compute(const RegardTerm *term, const RegardSetting *setting, RegardValue *value,
                    mt_error *error)
{
  *value = (RegardValue){0};
  switch (term->type) {
  case TERM_NUMBER:
    value->number = term->number;
    return TRUE;
  case TERM_TEXT:
    value->text = g_strdup(term->text);
    return TRUE;
  case TERM_NAME:
    value->number = setting->values[term->name].number;
    value->text = g_strdup(setting->values[term->name].text);
    return TRUE;
  case TERM_MEASURE:
    return compute_measure(term, setting, value, error);
  case TERM_JOIN:
    return compute_joined(term, setting, value, error);
  }
  g_assert_not_reached();
}

/* ---- Conditions ------------------------------------------------------------------------------ */

/* Two signs can be the same relation. */
static const struct {
  const char *sign;
  RegardRelation relation;
} relations[] = {{"<", REGARD_LESS},    {"<=", REGARD_LESS_EQUAL},    {"≤", REGARD_LESS_EQUAL},
                 {"=", REGARD_EQUAL},   {"!=", REGARD_NOT_EQUAL},     {"≠", REGARD_NOT_EQUAL},
                 {">", REGARD_GREATER}, {">=", REGARD_GREATER_EQUAL}, {"≥", REGARD_GREATER_EQUAL},
                 {"~", REGARD_CONTAINS}};

typedef struct {
  RegardTerm *left, *right;
  RegardRelation relation;
} Comparison;

struct _RegardCondition {
  GArray *comparisons;
};

static void
clear_comparison(gpointer data)
{
  Comparison *comparison = data;
  regard_term_free(comparison->left);
  regard_term_free(comparison->right);
}

void
regard_condition_free(RegardCondition *condition)
{
  if (!condition)
    return;
  g_array_unref(condition->comparisons);
  g_free(condition);
}

static gboolean
read_relation(RegardScanner *scanner, RegardRelation *relation)
{
  for (guint i = 0; i < G_N_ELEMENTS(relations); i++)
    if (regard_scanner_takes(scanner, relations[i].sign)) {
      *relation = relations[i].relation;
      return TRUE;
    }
  return regard_scanner_refuse(scanner, "one of < <= = != >= > ~");
}

static gboolean
check_types(RegardScanner *scanner, const Comparison *c)
{
  const gboolean both = c->left->is_text && c->right->is_text,
                 none = !c->left->is_text && !c->right->is_text;
  if (c->relation == REGARD_CONTAINS)
    return both || regard_scanner_refuse(scanner, "texts on both sides of ~");
  if (c->relation == REGARD_EQUAL || c->relation == REGARD_NOT_EQUAL)
    return both || none || regard_scanner_refuse(scanner, "two numbers, or two texts");
  return none || regard_scanner_refuse(scanner, "numbers on both sides of < and >");
}

static gboolean
read_comparison(RegardScanner *scanner, Comparison *comparison)
{
  comparison->left = regard_term_read(scanner);
  if (!comparison->left || !read_relation(scanner, &comparison->relation))
    return FALSE;
  comparison->right = regard_term_read(scanner);
  return comparison->right && check_types(scanner, comparison);
}

RegardCondition *
regard_condition_read(RegardScanner *scanner)
{
  g_autoptr(RegardCondition) condition = g_new0(RegardCondition, 1);
  condition->comparisons = g_array_new(FALSE, TRUE, sizeof(Comparison));
  g_array_set_clear_func(condition->comparisons, clear_comparison);
  do {
    Comparison comparison = {0};
    const gboolean ok = read_comparison(scanner, &comparison);
    g_array_append_val(condition->comparisons, comparison);
    if (!ok)
      return NULL;
  } while (regard_scanner_takes(scanner, "and"));
  return g_steal_pointer(&condition);
}

guint
regard_condition_cost(const RegardCondition *condition)
{
  guint cost = 0;
  for (guint i = 0; condition && i < condition->comparisons->len; i++) {
    const Comparison *c = &g_array_index(condition->comparisons, Comparison, i);
    cost += regard_term_cost(c->left) + regard_term_cost(c->right);
  }
  return cost;
}

gboolean
regard_condition_is_of_text(const RegardCondition *condition, const gboolean *names)
{
  for (guint i = 0; condition && i < condition->comparisons->len; i++) {
    const Comparison *c = &g_array_index(condition->comparisons, Comparison, i);
    if (regard_term_is_of_text(c->left, names) || regard_term_is_of_text(c->right, names))
      return TRUE;
  }
  return FALSE;
}

void
regard_condition_write(const RegardCondition *condition, GString *out)
{
  for (guint i = 0; i < condition->comparisons->len; i++) {
    const Comparison *c = &g_array_index(condition->comparisons, Comparison, i);
    guint sign = 0;
    while (relations[sign].relation != c->relation)
      sign++;
    if (i)
      g_string_append(out, " and ");
    regard_term_write(c->left, out);
    g_string_append_printf(out, " %s ", relations[sign].sign);
    regard_term_write(c->right, out);
  }
}

static gboolean
compare(const RegardValue *a, RegardRelation relation, const RegardValue *b)
{
  if (relation == REGARD_CONTAINS)
    return strstr(a->text, b->text) != NULL;
  if (!a->text && (isnan(a->number) || isnan(b->number)))
    return FALSE;
  const gboolean equal = regard_value_equal(a, b);
  switch (relation) {
  case REGARD_EQUAL:
    return equal;
  case REGARD_NOT_EQUAL:
    return !equal;
  case REGARD_LESS:
    return !equal && a->number < b->number;
  case REGARD_LESS_EQUAL:
    return equal || a->number < b->number;
  case REGARD_GREATER:
    return !equal && a->number > b->number;
  case REGARD_GREATER_EQUAL:
    return equal || a->number > b->number;
  case REGARD_CONTAINS:
    break;
  }
  g_assert_not_reached();
}

guint
regard_condition_n_comparisons(const RegardCondition *condition)
{
  return condition->comparisons->len;
}

void
regard_compared_clear(RegardCompared *compared)
{
  regard_value_clear(&compared->left);
  regard_value_clear(&compared->right);
}

gboolean
regard_condition_compare(const RegardCondition *condition, guint i, const RegardSetting *setting,
                         RegardCompared *compared, mt_error *error)
{
  const Comparison *c = &g_array_index(condition->comparisons, Comparison, i);
  *compared = (RegardCompared){
      .measure = c->left->type == TERM_MEASURE ? c->left->measure : NULL,
      .relation = c->relation,
  };
  const gboolean ok = regard_term_compute(c->left, setting, &compared->left, error) &&
                      regard_term_compute(c->right, setting, &compared->right, error);
  compared->holds = ok && compare(&compared->left, c->relation, &compared->right);
  if (!ok)
    regard_compared_clear(compared);
  return ok;
}

gboolean
regard_condition_holds(const RegardCondition *condition, const RegardSetting *setting,
                       gboolean *holds, mt_error *error)
{
  *holds = TRUE;
  for (guint i = 0; *holds && i < condition->comparisons->len; i++) {
    RegardCompared compared;
    if (!regard_condition_compare(condition, i, setting, &compared, error)) {
      *holds = FALSE;
      return FALSE;
    }
    *holds = compared.holds;
    regard_compared_clear(&compared);
  }
  return TRUE;
}
