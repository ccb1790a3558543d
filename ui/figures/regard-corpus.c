/* regard-corpus.c — a corpus file: all numbers of its heads, their roles and examples, questions
 * one after the other, and pictures of all heads as a list and on a plane.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Of the list are drawn name, roles, a histogram and a few numbers, as on the screen; files have
 * all measures, roles, the histogram and the distances of these heads, each a table of its own. On
 * the plane one unit is as long to the right as it is upwards, since both are distances. Names
 * stand beside the selected head, its nearest ones, and those at the rim, as far as there is room
 * for them.
 */
#include "figures/regard-corpus.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

/* ---- Opening --------------------------------------------------------------------------------- */

static gboolean
read_relations(RegardCorpus *self, RegardCorpusHead *head, mt_error *error)
{
  head->relation = -1;
  if (head->row.kind != MT_ENCODER_SELF)
    return TRUE;
  for (gsize i = 0; i < mt_corpus_n_relations(self->file); i++) {
    mt_corpus_relation_value value;
    if (!mt_corpus_get_relation(self->file, head->row.layer, head->row.head, i, &value, error))
      return FALSE;
    if (value.holds && (head->relation < 0 || value.share > head->relation_value.share)) {
      head->relation = (int) i;
      head->relation_value = value;
    }
  }
  return TRUE;
}

static gboolean
read_head(RegardCorpus *self, RegardCorpusHead *head, mt_error *error)
{
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++)
    if (!mt_corpus_get(self->file, head->row.kind, head->row.layer, head->row.head, m,
                       &head->measures[m], error))
      return FALSE;
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++)
    if (!mt_corpus_get_role(self->file, head->row.kind, head->row.layer, head->row.head, r,
                            &head->roles[r], error))
      return FALSE;
  return mt_corpus_get_offsets(self->file, head->row.kind, head->row.layer, head->row.head,
                               &head->offsets, error) &&
         read_relations(self, head, error);
}

/* What lists and filters read, from what the file says. */
static void
fill_rows(RegardCorpus *self)
{
  for (guint i = 0; i < self->n_heads; i++) {
    RegardCorpusHead *head = &self->heads[i];
    head->row = regard_head_row_init(head->row.kind, head->row.layer, head->row.head);
    for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++)
      if (head->measures[m].n > 0)
        regard_head_row_set(&head->row, mt_corpus_measure_about(m), head->measures[m].mean);
    for (guint r = 0; r < MT_N_CORPUS_ROLES; r++)
      head->row.roles |= (guint) head->roles[r].holds << r;
  }
}

static gboolean
read_heads(RegardCorpus *self, mt_error *error)
{
  guint i = 0;
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const mt_attention_kind kind = regard_kinds_in_order[k];
    for (guint l = 0; l < self->about.n_layers[kind]; l++)
      for (guint h = 0; h < self->about.n_heads[kind]; h++, i++) {
        self->heads[i] = (RegardCorpusHead){.row = regard_head_row_init(kind, l, h)};
        if (!read_head(self, &self->heads[i], error))
          return FALSE;
      }
  }
  fill_rows(self);
  for (guint a = 0; a < self->n_heads; a++)
    for (guint b = 0; b < self->n_heads; b++) {
      const RegardCorpusHead *x = &self->heads[a], *y = &self->heads[b];
      self->distances[(gsize) a * self->n_heads + b] =
          x->row.kind == y->row.kind
              ? (float) mt_corpus_distance(self->file, x->row.kind, x->row.layer, x->row.head,
                                           y->row.layer, y->row.head)
              : NAN;
    }
  return TRUE;
}

RegardCorpus *
regard_corpus_open(const char *path, mt_error *error)
{
  mt_corpus *file = mt_corpus_open(path, error);
  if (!file)
    return NULL;
  const mt_corpus_about *about = mt_corpus_get_about(file);
  guint n = 0;
  for (guint k = 0; k < MT_N_KINDS; k++)
    n += (guint) (about->n_layers[k] * about->n_heads[k]);
  g_autofree char *name = g_filename_display_basename(path);
  RegardCorpus *self = regard_corpus_new_of(name, about, g_new0(RegardCorpusHead, MAX(n, 1)), n,
                                            g_new0(float, MAX((gsize) n * n, 1)));
  self->file = file;
  self->path = g_strdup(path);
  if (read_heads(self, error))
    return self;
  regard_corpus_unref(self);
  return NULL;
}

static void
clear(gpointer subject)
{
  RegardCorpus *corpus = subject;
  if (corpus->file)
    mt_corpus_close(corpus->file);
  g_mutex_clear(&corpus->mutex);
  g_free(corpus->path);
  g_free(corpus->name);
  g_free(corpus->heads);
  g_free(corpus->distances);
}

RegardCorpus *
regard_corpus_new_of(const char *name, const mt_corpus_about *about, RegardCorpusHead *heads,
                     guint n_heads, float *distances)
{
  RegardCorpus *self = regard_subject_alloc(sizeof *self, clear);
  g_mutex_init(&self->mutex);
  self->name = g_strdup(name);
  self->about = *about;
  self->heads = heads;
  self->n_heads = n_heads;
  self->distances = distances;
  fill_rows(self);
  return self;
}

/* ---- Heads ----------------------------------------------------------------------------------- */

int
regard_corpus_find_head(const RegardCorpus *corpus, mt_attention_kind kind, guint layer, guint head)
{
  for (guint i = 0; i < corpus->n_heads; i++)
    if (corpus->heads[i].row.kind == kind && corpus->heads[i].row.layer == layer &&
        corpus->heads[i].row.head == head)
      return (int) i;
  return -1;
}

double
regard_corpus_distance(const RegardCorpus *corpus, guint a, guint b)
{
  return corpus->distances ? (double) corpus->distances[(gsize) a * corpus->n_heads + b]
                           : (double) NAN;
}

char *
regard_corpus_describe(const RegardCorpus *corpus)
{
  g_autofree char *sentences = regard_dup_count(corpus->about.n_sentences);
  g_autofree char *tokens = regard_dup_count(corpus->about.n_tokens[MT_STACK_ENCODER] +
                                             corpus->about.n_tokens[MT_STACK_DECODER]);
  return g_strdup_printf(
      corpus->about.is_complete
          /* Translators: heads, the name of a text, its sentences and tokens */
          ? ngettext("%u head over %s · %s sentences · %s tokens",
                     "%u heads over %s · %s sentences · %s tokens", corpus->n_heads)
          : ngettext("%u head over %s · %s sentences · %s tokens · not to its end",
                     "%u heads over %s · %s sentences · %s tokens · not to its end",
                     corpus->n_heads),
      corpus->n_heads, corpus->about.text_name ? corpus->about.text_name : corpus->name, sentences,
      tokens);
}

gboolean
regard_corpus_is_of(const RegardCorpus *corpus, const mt_model *model)
{
  mt_error ignored = {0};
  return !corpus->file || mt_corpus_check_model(corpus->file, model, &ignored);
}

/* ---- Roles ----------------------------------------------------------------------------------- */

int
regard_corpus_head_best_role(const RegardCorpusHead *head)
{
  int best = -1;
  for (int r = 0; r < MT_N_CORPUS_ROLES; r++)
    if (head->roles[r].holds && (best < 0 || head->roles[r].value > head->roles[best].value))
      best = r;
  return best;
}

static char *
write_p(double p)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  return p < 1e-12 ? g_strdup("p < 1e-12")
                   : g_strconcat("p = ", regard_formatd(number, sizeof number, "%.2g", p), NULL);
}

static RegardCorpusBadge
role_badge(const RegardCorpusHead *head, mt_corpus_role role)
{
  const mt_corpus_role_info *info = mt_corpus_role_about(role);
  const mt_corpus_role_value *value = &head->roles[role];
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *p = write_p(value->p), *n = regard_dup_count(value->n);
  regard_formatd(number, sizeof number, value->value < 9.95 ? "%.1f" : "%.0f", value->value);
  return (RegardCorpusBadge){
      .text = g_strdup_printf("%s %s×", regard_role_name(info->name), number),
      .why = g_strdup_printf(
          ngettext("%s: %s times the weight of the average key, over %s sentence; %s",
                   "%s: %s times the weight of the average key, over %s sentences; %s", value->n),
          _(info->what), number, n, p),
  };
}

static RegardCorpusBadge
relation_badge(const RegardCorpus *corpus, const RegardCorpusHead *head)
{
  const mt_corpus_relation relation = mt_corpus_relation_at(corpus->file, (gsize) head->relation);
  char share[G_ASCII_DTOSTR_BUF_SIZE], offset[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *p = write_p(head->relation_value.p), *n = regard_dup_count(relation.n);
  regard_formatd(share, sizeof share, "%.2f", head->relation_value.share);
  regard_formatd(offset, sizeof offset, "%.2f", relation.offset_share);
  return (RegardCorpusBadge){
      .text = g_strdup_printf("%s%s %s", relation.is_reverse ? "→" : "", relation.name, share),
      .why = g_strdup_printf(
          relation.is_reverse
              /* Translators: of syntax: how many words, the share of them, words away, another
                 share, p */
              ? ngettext("From the governor to its dependent: of %s word it looks most at the "
                         "right one in %s; always looking %+d words away finds %s; %s",
                         "From the governor to its dependent: of %s words it looks most at the "
                         "right one in %s; always looking %+d words away finds %s; %s",
                         relation.n)
              : ngettext("From the word to its governor: of %s word it looks most at the right one "
                         "in %s; always looking %+d words away finds %s; %s",
                         "From the word to its governor: of %s words it looks most at the right "
                         "one in %s; always looking %+d words away finds %s; %s",
                         relation.n),
          n, share, relation.offset, offset, p),
  };
}

guint
regard_corpus_head_badges(const RegardCorpus *corpus, const RegardCorpusHead *head,
                          RegardCorpusBadge badges[REGARD_MOST_BADGES])
{
  gboolean is_done[MT_N_CORPUS_ROLES] = {FALSE};
  guint n = 0;
  for (;;) { /* the strongest of those that are left */
    int best = -1;
    for (int r = 0; r < MT_N_CORPUS_ROLES; r++)
      if (head->roles[r].holds && !is_done[r] &&
          (best < 0 || head->roles[r].value > head->roles[best].value))
        best = r;
    if (best < 0)
      break;
    is_done[best] = TRUE;
    badges[n++] = role_badge(head, (mt_corpus_role) best);
  }
  if (head->relation >= 0 && corpus->file)
    badges[n++] = relation_badge(corpus, head);
  return n;
}

void
regard_corpus_badge_clear(RegardCorpusBadge *badge)
{
  g_clear_pointer(&badge->text, g_free);
  g_clear_pointer(&badge->why, g_free);
}

/* ---- Examples -------------------------------------------------------------------------------- */

static void
example_free(gpointer data)
{
  RegardExample *example = data;
  mt_corpus_sentence_free(example->sentence);
  g_free(example);
}

/* FALSE: the sentence cannot be read. */
static gboolean
append(GPtrArray *examples, const RegardCorpus *corpus, guint64 id, RegardExample like,
       mt_error *error)
{
  like.sentence = mt_corpus_sentence_new(corpus->file, id, error);
  if (!like.sentence)
    return FALSE;
  RegardExample *example = g_new(RegardExample, 1);
  *example = like;
  g_ptr_array_add(examples, example);
  return TRUE;
}

static gboolean
append_all(GPtrArray *examples, const RegardCorpus *corpus, const mt_corpus_examples *found,
           gboolean quantiles, mt_error *error)
{
  for (gsize i = 0; i < found->n; i++) {
    const mt_corpus_example *from = &found->items[i];
    const gboolean has_cell = from->n_weights > 0 && from->key < from->n_weights;
    if (from->sentence == 0)
      continue;
    if (!append(examples, corpus, from->sentence,
                (RegardExample){.value = from->value,
                                .group = quantiles ? (int) (i / MT_CORPUS_PER_GROUP) : -1,
                                .query = has_cell ? (int) from->query : -1,
                                .key = has_cell ? (int) from->key : -1,
                                .weight = has_cell ? (double) from->weights[from->key] : NAN},
                error))
      return FALSE;
  }
  return TRUE;
}

RegardExamples *
regard_corpus_examples(RegardCorpus *corpus, const RegardCorpusHead *head,
                       mt_corpus_measure measure, gboolean quantiles, mt_error *error)
{
  g_autoptr(GPtrArray) examples = g_ptr_array_new_with_free_func(example_free);
  if (!corpus->file)
    return g_steal_pointer(&examples);
  g_mutex_lock(&corpus->mutex);
  mt_corpus_examples *found =
      quantiles ? mt_corpus_quantiles(corpus->file, head->row.kind, head->row.layer, head->row.head,
                                      measure, error)
                : mt_corpus_strongest(corpus->file, head->row.kind, head->row.layer, head->row.head,
                                      measure, error);
  const gboolean ok = found && append_all(examples, corpus, found, quantiles, error);
  if (found)
    mt_corpus_examples_free(found);
  g_mutex_unlock(&corpus->mutex);
  return ok ? g_steal_pointer(&examples) : NULL;
}

RegardExamples *
regard_corpus_search(RegardCorpus *corpus, const mt_corpus_query *query, guint64 *total,
                     mt_error *error)
{
  g_autoptr(GPtrArray) examples = g_ptr_array_new_with_free_func(example_free);
  *total = 0;
  if (!corpus->file)
    return g_steal_pointer(&examples);
  g_mutex_lock(&corpus->mutex);
  mt_corpus_hits *hits = mt_corpus_search(corpus->file, query, error);
  gboolean ok = hits != NULL;
  for (gsize i = 0; ok && i < hits->n; i++)
    ok = append(examples, corpus, hits->items[i].sentence,
                (RegardExample){.value = hits->items[i].value,
                                .group = -1,
                                .query = -1,
                                .key = -1,
                                .weight = NAN},
                error);
  if (hits)
    *total = hits->total;
  mt_corpus_hits_free(hits);
  g_mutex_unlock(&corpus->mutex);
  return ok ? g_steal_pointer(&examples) : NULL;
}

/* ---- What is shown of a sentence ------------------------------------------------------------- */

/* The token of a side that stands for a row or a column; -1: none, -2: the decoder's start. */
static int
token_of_query(const RegardExample *example, mt_attention_kind kind, mt_stack side)
{
  return regard_naming_rows(kind) == side ? example->query : -1;
}

static int
token_of_key(const RegardExample *example, mt_attention_kind kind, mt_stack side)
{
  if (regard_naming_columns(kind) != side || example->key < 0)
    return -1;
  /* The decoder is given the start, then each output. */
  return kind == MT_DECODER_SELF ? (example->key == 0 ? -2 : example->key - 1) : example->key;
}

typedef struct {
  const char *text;
  const mt_corpus_token *tokens;
  int n;
  GString *out;
  gboolean is_begin; /* nothing is between what is there and what comes */
} Writer;

/* A token with the white space before it; its bytes without that are *begin to *end. */
static void
write_token(Writer *w, int i, guint *begin, guint *end)
{
  const guint before = i > 0 ? w->tokens[i - 1].end : 0;
  guint from = w->tokens[i].begin;
  if (!w->is_begin && from > before)
    g_string_append_len(w->out, w->text + before, from - before);
  while (from < w->tokens[i].end && w->text[from] == ' ') { /* a piece may begin with it */
    if (!w->is_begin)
      g_string_append_c(w->out, ' ');
    from++;
  }
  w->is_begin = FALSE;
  *begin = (guint) w->out->len;
  if (w->tokens[i].end > from)
    g_string_append_len(w->out, w->text + from, w->tokens[i].end - from);
  else if (w->tokens[i].is_special)
    g_string_append(w->out, "⏎");
  *end = (guint) w->out->len;
}

/* Whether token i goes on with the word before it. */
static gboolean
goes_on(const Writer *w, int i)
{
  const mt_corpus_token *token = &w->tokens[i];
  return i > 0 && token->end > token->begin && token->begin == w->tokens[i - 1].end &&
         !g_ascii_isspace(w->text[token->begin]);
}

/* Between which tokens is shown: around the marked ones, whole words; all if there are none. */
static void
find_range(const Writer *w, int a, int b, int *first, int *end)
{
  const int n = w->n;
  const int least = a < 0 ? b : b < 0 ? a : MIN(a, b), most = MAX(a, b);
  if (most < 0) {
    *first = 0;
    *end = n;
    return;
  }
  *first = MAX(least - REGARD_EXCERPT_CONTEXT, 0);
  *end = MIN(most + REGARD_EXCERPT_CONTEXT + 1, n);
  while (*first > 0 && goes_on(w, *first))
    (*first)--;
  while (*end < n && goes_on(w, *end))
    (*end)++;
}

RegardExcerpt
regard_example_excerpt(const RegardExample *example, mt_attention_kind kind, mt_stack side)
{
  const mt_corpus_sentence *s = example->sentence;
  RegardExcerpt excerpt = {0};
  Writer w = {s->text[side], s->tokens[side], (int) s->n_tokens[side], g_string_new(NULL), TRUE};
  int query = token_of_query(example, kind, side), key = token_of_key(example, kind, side);
  const gboolean is_start = key == -2;
  if (query >= w.n)
    query = -1;
  if (key >= w.n || is_start)
    key = -1;
  if (w.n == 0) {
    g_string_append(w.out, s->text[side]);
    excerpt.text = g_string_free(w.out, FALSE);
    return excerpt;
  }
  int first, end;
  find_range(&w, query, is_start ? 0 : key, &first, &end);
  if (is_start) {
    g_string_append(w.out, _("start"));
    excerpt.key_end = (guint) w.out->len;
    g_string_append_c(w.out, ' ');
  }
  if (first > 0)
    g_string_append(w.out, "… ");
  for (int i = first; i < end; i++) {
    guint from, to;
    write_token(&w, i, &from, &to);
    if (i == query) {
      excerpt.query_begin = from;
      excerpt.query_end = to;
    }
    if (i == key) {
      excerpt.key_begin = from;
      excerpt.key_end = to;
    }
  }
  if (end < w.n)
    g_string_append(w.out, " …");
  excerpt.text = g_string_free(w.out, FALSE);
  return excerpt;
}

void
regard_excerpt_clear(RegardExcerpt *excerpt)
{
  g_clear_pointer(&excerpt->text, g_free);
}

/* ---- The list of heads ----------------------------------------------------------------------- */

/* In font sizes. */
#define PITCH     1.7
#define NAME      6.5
#define HISTOGRAM 7.0
#define NUMBER    6.0
#define GAP       0.8

enum { MEAN, DEVIATION, ROLES, ROLES_N, ROLES_P, HISTOGRAMS, DISTANCES, N_MATRICES };

/* Numbers that are drawn, besides the mean of the measure that is looked at. */
static const mt_corpus_measure drawn[] = {MT_CORPUS_ENTROPY, MT_CORPUS_CONFIDENCE,
                                          MT_CORPUS_SPECIAL, MT_CORPUS_EFFECT};

typedef struct {
  RegardSubject subject;
  RegardCorpus *corpus;
  guint *heads, n;
  mt_corpus_measure measure;
  int selected;
} HeadList;

/* ---- Files ----------------------------------------------------------------------------------- */

static void
label_listed(gconstpointer data, guint i, RegardLabel *label)
{
  const HeadList *self = data;
  label->text = regard_head_row_name(&self->corpus->heads[self->heads[i]].row);
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

static void
label_measure(gconstpointer data, guint i, RegardLabel *label)
{
  label->text = regard_head_statistic_title(mt_corpus_measure_about((mt_corpus_measure) i), TRUE);
  label->piece = g_strdup(mt_corpus_measure_about((mt_corpus_measure) i)->id);
}

static void
label_role(gconstpointer data, guint i, RegardLabel *label)
{
  label->text = g_strdup(regard_role_name(mt_corpus_role_about((mt_corpus_role) i)->name));
  label->piece = g_strdup(mt_corpus_role_about((mt_corpus_role) i)->id);
}

/* The least value of each bin. */
static void
label_bin(gconstpointer data, guint i, RegardLabel *label)
{
  const HeadList *self = data;
  const mt_corpus_statistics *s = &self->corpus->heads[self->heads[0]].measures[self->measure];
  label->text = g_strdup_printf("%.4g", s->low + (s->high - s->low) * i / MT_CORPUS_BINS);
  label->piece = g_strdup(label->text);
}

typedef struct {
  const HeadList *figure;
  guint which;
} Values;

static float
list_value(gconstpointer data, guint row, guint col)
{
  const Values *v = data;
  const HeadList *self = v->figure;
  const RegardCorpusHead *head = &self->corpus->heads[self->heads[row]];
  switch (v->which) {
  case MEAN:
    return (float) regard_head_row_get(&head->row,
                                       mt_corpus_measure_about((mt_corpus_measure) col));
  case DEVIATION:
    return head->measures[col].n > 0 ? (float) head->measures[col].sd : NAN;
  case ROLES:
    return head->roles[col].n > 0 ? (float) head->roles[col].value : NAN;
  case ROLES_N:
    return (float) head->roles[col].n;
  case ROLES_P:
    return head->roles[col].n > 0 ? (float) head->roles[col].p : NAN;
  case HISTOGRAMS:
    return (float) head->measures[self->measure].bins[col];
  default:
    return (float) regard_corpus_distance(self->corpus, self->heads[row], self->heads[col]);
  }
}

static RegardMatrix *
new_list_matrix(RegardFigure *figure, guint which)
{
  const HeadList *self = figure->subject;
  static const struct {
    const char *id, *title, *value_name;
  } names[] = {{"mean", N_("Means over sentences"), "mean"},
               {"sd", N_("Deviations over sentences"), "deviation"},
               {"role", N_("Roles: weight by that of the average key"), "times"},
               {"role_n", N_("Roles: sentences"), "sentences"},
               {"role_p", N_("Roles: p"), "p"},
               {"histogram", N_("Histograms"), "sentences"},
               {"distance", N_("Jensen–Shannon distances"), "distance"}};
  const RegardAxis heads = {
      .n = self->n, .title = _("heads"), .noun = _("head"), .label = label_listed, .data = self};
  const RegardAxis columns[] = {
      [MEAN] = {.n = MT_N_CORPUS_MEASURES, .title = _("measures"), .label = label_measure},
      [DEVIATION] = {.n = MT_N_CORPUS_MEASURES, .title = _("measures"), .label = label_measure},
      [ROLES] = {.n = MT_N_CORPUS_ROLES, .title = "roles", .label = label_role},
      [ROLES_N] = {.n = MT_N_CORPUS_ROLES, .title = "roles", .label = label_role},
      [ROLES_P] = {.n = MT_N_CORPUS_ROLES, .title = "roles", .label = label_role},
      [HISTOGRAMS] = {.n = MT_CORPUS_BINS, .title = "bins", .label = label_bin, .data = self},
      [DISTANCES] = heads,
  };
  const Values values = {self, which};
  const char *const badges[] = {self->corpus->about.text_name ? self->corpus->about.text_name
                                                              : self->corpus->name,
                                NULL};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = names[which].id,
      .title = _(names[which].title),
      .value_name = names[which].value_name,
      .model_name = self->corpus->about.model_name,
      .badges = badges,
      .rows = heads,
      .cols = columns[which],
      .value = list_value,
      .data = &values,
      .range = REGARD_RANGE_VALUES,
  });
}

/* ---- Picture --------------------------------------------------------------------------------- */

typedef struct {
  const HeadList *figure;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double font, x, width, roles; /* width of the roles */
  guint n_numbers;
  mt_corpus_measure numbers[G_N_ELEMENTS(drawn) + 1];
  gboolean has_distance;
} Table;

static void
lay_out(Table *t)
{
  const HeadList *self = t->figure;
  t->numbers[t->n_numbers++] = self->measure;
  for (guint i = 0; i < G_N_ELEMENTS(drawn); i++)
    if (drawn[i] != self->measure &&
        (drawn[i] != MT_CORPUS_EFFECT || self->corpus->about.has_effects))
      t->numbers[t->n_numbers++] = drawn[i];
  t->has_distance = self->selected >= 0;
  t->roles = t->width - t->font * (NAME + HISTOGRAM + GAP +
                                   NUMBER * (t->n_numbers + (t->has_distance ? 1 : 0)));
}

static double
number_end(const Table *t, guint column)
{
  return t->x + t->font * (NAME + HISTOGRAM + GAP + NUMBER * (column + 1)) + t->roles;
}

static void
draw_titles(const Table *t, double baseline)
{
  const double size = 0.85 * t->font;
  regard_figure_text(t->canvas, t->x, baseline, _("head"), t->palette->dim, FALSE, size,
                     REGARD_ANCHOR_START, 0);
  regard_figure_text_within(t->canvas, t->x + NAME * t->font, baseline, t->roles,
                            _("role: times the weight of the average key"), t->palette->dim, FALSE,
                            size, REGARD_ANCHOR_START);
  for (guint c = 0; c < t->n_numbers; c++) {
    g_autofree char *title =
        regard_head_statistic_title(mt_corpus_measure_about(t->numbers[c]), TRUE);
    regard_figure_text_within(t->canvas, number_end(t, c), baseline, (NUMBER - 0.4) * t->font,
                              title, t->palette->dim, FALSE, size, REGARD_ANCHOR_END);
  }
  if (t->has_distance) {
    g_autofree char *name =
        regard_head_row_name(&t->figure->corpus->heads[t->figure->selected].row);
    g_autofree char *title = g_strdup_printf(_("from %s"), name);
    regard_figure_text_within(t->canvas, number_end(t, t->n_numbers), baseline,
                              (NUMBER - 0.4) * t->font, title, t->palette->dim, FALSE, size,
                              REGARD_ANCHOR_END);
  }
}

/* Badges as far as there is room. */
static void
draw_roles(const Table *t, const RegardCorpusHead *head, double y)
{
  RegardCorpusBadge badges[REGARD_MOST_BADGES];
  const guint n = regard_corpus_head_badges(t->figure->corpus, head, badges);
  const double size = 0.85 * t->font, end = t->x + NAME * t->font + t->roles - 0.5 * t->font;
  double x = t->x + NAME * t->font;
  for (guint i = 0; i < n; i++) {
    const RegardSpan span = {badges[i].text, t->palette->badge_text, FALSE};
    const double width = regard_canvas_text_width(t->canvas, &span, 1, size) + size;
    if (x + width <= end) {
      regard_canvas_fill_rect(t->canvas, (RegardRect){x, y + 0.2 * t->font, width, 1.3 * t->font},
                              0.65 * t->font, t->palette->badge_fill);
      regard_canvas_text(t->canvas, x + size / 2, y + 1.15 * t->font, &span, 1, size,
                         REGARD_ANCHOR_START, 0);
    }
    x += width + 0.4 * t->font;
    regard_corpus_badge_clear(&badges[i]);
  }
}

static void
draw_histogram(const Table *t, const mt_corpus_statistics *s, double y)
{
  const double x = t->x + NAME * t->font + t->roles, bar = HISTOGRAM * t->font / MT_CORPUS_BINS;
  guint64 most = 1;
  for (guint i = 0; i < MT_CORPUS_BINS; i++)
    most = MAX(most, s->bins[i]);
  for (guint i = 0; s->n > 0 && i < MT_CORPUS_BINS; i++) {
    const double height = 1.2 * t->font * (double) s->bins[i] / (double) most;
    if (s->bins[i] > 0)
      regard_canvas_fill_rect(t->canvas,
                              (RegardRect){x + i * bar,
                                           y + 1.45 * t->font - MAX(height, 0.08 * t->font), bar,
                                           MAX(height, 0.08 * t->font)},
                              0, t->palette->badge_text);
  }
}

static void
draw_row(const Table *t, guint i, double y)
{
  const HeadList *self = t->figure;
  const guint at = self->heads[i];
  const RegardCorpusHead *head = &self->corpus->heads[at];
  const gboolean is_selected = (int) at == self->selected;
  const double baseline = y + 1.2 * t->font;
  g_autofree char *name = regard_head_row_name(&head->row);
  if (!regard_canvas_shows(t->canvas, y, y + PITCH * t->font))
    return;
  if (is_selected)
    regard_canvas_fill_rect(t->canvas,
                            (RegardRect){t->x - 0.3 * t->font, y, t->width + 0.6 * t->font,
                                         PITCH * t->font},
                            0.3 * t->font, t->palette->bar_background);
  regard_figure_text(t->canvas, t->x, baseline, name, t->palette->text, is_selected, t->font,
                     REGARD_ANCHOR_START, 0);
  draw_roles(t, head, y);
  draw_histogram(t, &head->measures[self->measure], y);
  for (guint c = 0; c < t->n_numbers; c++) {
    g_autofree char *number =
        regard_head_statistic_format(mt_corpus_measure_about(t->numbers[c]),
                                     regard_head_row_get(&head->row,
                                                         mt_corpus_measure_about(t->numbers[c])));
    regard_figure_text(t->canvas, number_end(t, c), baseline, number, t->palette->text, FALSE,
                       t->font, REGARD_ANCHOR_END, 0);
  }
  const double distance = t->has_distance
                              ? regard_corpus_distance(self->corpus, at, (guint) self->selected)
                              : (double) NAN;
  char text[32];
  if (!isnan(distance))
    regard_figure_text(t->canvas, number_end(t, t->n_numbers), baseline,
                       regard_figure_number(text, distance, 2), t->palette->text, FALSE, t->font,
                       REGARD_ANCHOR_END, 0);
}

static double
draw_list(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const HeadList *self = figure->subject;
  const double margin = font * REGARD_FIGURE_MARGIN;
  Table t = {.figure = self,
             .canvas = canvas,
             .palette = regard_figure_palette(&figure->style),
             .font = font,
             .x = margin,
             .width = width - 2 * margin};
  const RegardMatrix *means = regard_figure_matrix(figure, MEAN);
  double y = margin;
  y += regard_figure_header(canvas, t.palette, margin, y, t.width,
                            regard_figure_title(&figure->style, _("Heads · over a text")),
                            means->badges, font);
  lay_out(&t);
  y += 1.1 * font;
  if (regard_figure_draws(canvas))
    draw_titles(&t, y);
  y += 0.5 * font;
  for (guint i = 0; i < self->n; i++, y += PITCH * font)
    if (regard_figure_draws(canvas))
      draw_row(&t, i, y);
  y += regard_figure_model(canvas, t.palette, &figure->style, means->model_name, margin + t.width,
                           y, 1.2 * font, 0.9 * font);
  return y + margin;
}

static void
append_list(RegardFigure *figure, GString *caption)
{
  const HeadList *self = figure->subject;
  g_autofree char *about = regard_corpus_describe(self->corpus);
  g_autofree char *title =
      regard_head_statistic_title(mt_corpus_measure_about(self->measure), TRUE);
  regard_words_add_title(caption, about);
  regard_words_add_sentence(
      caption,
      /* Translators: %s is a measure */
      _("Numbers are means over sentences; histograms are of: %s; roles by Pande et al. 2021, with "
        "how many times the weight of the average key goes to theirs."),
      title);
}

static void
clear_list(gpointer subject)
{
  HeadList *self = subject;
  g_free(self->heads);
  regard_corpus_unref(self->corpus);
}

RegardFigure *
regard_figure_new_corpus_heads(RegardCorpus *corpus, const guint *heads, guint n,
                               mt_corpus_measure measure, int selected,
                               const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw_list,
      .n = N_MATRICES,
      .new_matrix = new_list_matrix,
      .append_what = append_list,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
  };
  g_return_val_if_fail(n > 0, NULL);
  HeadList *self = regard_subject_alloc(sizeof *self, clear_list);
  self->corpus = regard_corpus_ref(corpus);
  self->heads = g_memdup2(heads, n * sizeof *heads);
  self->n = n;
  self->measure = measure;
  self->selected = selected;
  return regard_figure_new(&klass, self, NULL, FALSE, style);
}

/* ---- The map of heads ------------------------------------------------------------------------ */

/* In font sizes. */
#define HEIGHT 15.0
#define DOT    0.42
#define RIM    1.6 /* room around the outermost dots */
#define TARGET 1.3 /* what can be pointed at */

typedef struct {
  RegardSubject subject;
  RegardCorpus *corpus;
  mt_attention_kind kind;
  guint first, n;
  int selected; /* -1: none, or of another kind */
  double *xy, kept;
} HeadMap;

typedef struct {
  const HeadMap *map;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  RegardRect box;
  double font, unit, mid_x, mid_y;
  GArray *taken; /* of RegardRect: dots and names */
} Sheet;

/* Three clearly different colours, one a kind. */
static guint32
kind_colour(mt_attention_kind kind, gboolean dark)
{
  static const guint32 colours[MT_N_KINDS][2] = {
      [MT_ENCODER_SELF] = {0xff3584e4, 0xff62a0ea},
      [MT_CROSS] = {0xffe66100, 0xffff7800},
      [MT_DECODER_SELF] = {0xff2ec27e, 0xff57e389},
  };
  return colours[kind][dark ? 1 : 0];
}

/* So that all dots are inside, with one unit for both axes. */
static void
find_unit(Sheet *s)
{
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
  for (guint i = 0; i < s->map->n; i++)
    for (guint a = 0; a < 2; a++) {
      lo[a] = fmin(lo[a], s->map->xy[2 * i + a]);
      hi[a] = fmax(hi[a], s->map->xy[2 * i + a]);
    }
  const double width = s->box.width - 2 * RIM * s->font, height = s->box.height - 2 * RIM * s->font;
  s->unit = fmin(width / fmax(hi[0] - lo[0], 1e-9), height / fmax(hi[1] - lo[1], 1e-9));
  s->mid_x = (lo[0] + hi[0]) / 2;
  s->mid_y = (lo[1] + hi[1]) / 2;
}

static RegardPoint
place_of(const Sheet *s, guint i)
{
  return (RegardPoint){
      s->box.x + s->box.width / 2 + (s->map->xy[2 * i] - s->mid_x) * s->unit,
      s->box.y + s->box.height / 2 - (s->map->xy[2 * i + 1] - s->mid_y) * s->unit,
  };
}

static void
draw_dot(const Sheet *s, RegardPoint at, double radius, guint32 argb)
{
  regard_canvas_fill_rect(s->canvas,
                          (RegardRect){at.x - radius, at.y - radius, 2 * radius, 2 * radius},
                          radius, argb);
}

static gboolean
meets(const RegardRect *a, const RegardRect *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

static gboolean
is_free(const Sheet *s, const RegardRect *rect)
{
  if (rect->x < s->box.x || rect->x + rect->width > s->box.x + s->box.width)
    return FALSE;
  for (guint i = 0; i < s->taken->len; i++)
    if (meets(rect, &g_array_index(s->taken, RegardRect, i)))
      return FALSE;
  return TRUE;
}

/* "4.1" beside its dot, at the right or at the left; nothing where there is no room. */
static void
draw_name(const Sheet *s, guint i)
{
  const RegardCorpusHead *head = &s->map->corpus->heads[s->map->first + i];
  const gboolean is_selected = (int) (s->map->first + i) == s->map->selected;
  const RegardPoint at = place_of(s, i);
  const double size = 0.85 * s->font, away = (is_selected ? 0.8 : 0.6) * s->font;
  char name[32];
  g_snprintf(name, sizeof name, "%u.%u", head->row.layer + 1, head->row.head + 1);
  const RegardSpan span = {name, s->palette->text, is_selected};
  const double width = regard_canvas_text_width(s->canvas, &span, 1, size);
  const RegardRect sides[] = {{at.x + away, at.y - 0.5 * size, width, size},
                              {at.x - away - width, at.y - 0.5 * size, width, size}};
  for (guint side = 0; side < G_N_ELEMENTS(sides); side++)
    if (is_free(s, &sides[side])) {
      g_array_append_val(s->taken, sides[side]);
      regard_canvas_text(s->canvas, sides[side].x, at.y + 0.35 * size, &span, 1, size,
                         REGARD_ANCHOR_START, 0);
      return;
    }
}

/* How much a head wants its name to be there: the selected one, then those far from the middle. */
static int
compare_names(gconstpointer a, gconstpointer b, gpointer data)
{
  const Sheet *s = data;
  const guint x = *(const guint *) a, y = *(const guint *) b;
  const double p = hypot(s->map->xy[2 * x] - s->mid_x, s->map->xy[2 * x + 1] - s->mid_y);
  const double q = hypot(s->map->xy[2 * y] - s->mid_x, s->map->xy[2 * y + 1] - s->mid_y);
  const int selected = s->map->selected - (int) s->map->first;
  if ((int) x == selected || (int) y == selected)
    return (int) x == selected ? -1 : 1;
  return p > q ? -1 : p < q;
}

static void
draw_names(Sheet *s)
{
  g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < s->map->n; i++) {
    const RegardPoint at = place_of(s, i);
    const double r = DOT * s->font;
    const RegardRect dot = {at.x - r, at.y - r, 2 * r, 2 * r};
    g_array_append_val(s->taken, dot);
    g_array_append_val(order, i);
  }
  g_array_sort_with_data(order, compare_names, s);
  for (guint i = 0; i < order->len; i++)
    draw_name(s, g_array_index(order, guint, i));
}

static void
draw_dots(const Sheet *s, gboolean dark)
{
  const guint32 colour = kind_colour(s->map->kind, dark);
  const int selected = s->map->selected - (int) s->map->first;
  for (guint i = 0; i < s->map->n; i++) {
    const RegardPoint at = place_of(s, i);
    const double half = TARGET * s->font / 2;
    regard_canvas_spot(s->canvas, (RegardRect){at.x - half, at.y - half, 2 * half, 2 * half}, 0,
                       (int) (s->map->first + i), 0);
    if (regard_figure_draws(s->canvas) && (int) i != selected)
      draw_dot(s, at, DOT * s->font, (colour & 0x00ffffff) | 0xc0000000);
  }
  if (!regard_figure_draws(s->canvas) || s->map->selected < 0)
    return;
  const RegardPoint at = place_of(s, (guint) selected);
  draw_dot(s, at, (DOT + 0.26) * s->font, s->palette->text);
  draw_dot(s, at, (DOT + 0.1) * s->font, colour);
}

static double
draw_map(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const HeadMap *self = figure->subject;
  const RegardPalette *palette = regard_figure_palette(&figure->style);
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  g_autofree char *title =
      g_strdup_printf(_("Map of heads · %s, by Jensen–Shannon distance; near each other: alike"),
                      regard_kind_name(self->kind));
  double y = margin;
  if (regard_figure_has(&figure->style, REGARD_PART_TITLE))
    y += regard_figure_header(canvas, palette, margin, y, inner, title,
                              regard_figure_matrix(figure, 0)->badges, font);
  g_autoptr(GArray) taken = g_array_new(FALSE, FALSE, sizeof(RegardRect));
  Sheet s = {.map = self,
             .canvas = canvas,
             .palette = palette,
             .box = {margin, y, inner, HEIGHT * font * figure->stretch},
             .font = font,
             .taken = taken};
  find_unit(&s);
  draw_dots(&s, figure->style.dark);
  if (regard_figure_draws(canvas))
    draw_names(&s);
  y += s.box.height;
  y += regard_figure_model(canvas, palette, &figure->style,
                           regard_figure_matrix(figure, 0)->model_name, margin + inner, y, font,
                           0.9 * font);
  return y + margin;
}

static void
append_map(RegardFigure *figure, GString *caption)
{
  const HeadMap *self = figure->subject;
  g_autofree char *about = regard_corpus_describe(self->corpus);
  /* Translators: %s is a kind of attention */
  regard_words_add_sentence(
      caption,
      ngettext("%s, %u head on a plane by classical scaling of their Jensen–Shannon distances, of "
               "which it shows %.0f %% (squared).",
               "%s, %u heads on a plane by classical scaling of their Jensen–Shannon distances, of "
               "which it shows %.0f %% (squared).",
               self->n),
      regard_kind_name(self->kind), self->n, 100 * self->kept);
  regard_words_add_title(caption, about);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const HeadMap *self = figure->subject;
  const RegardCorpusHead *head = &self->corpus->heads[spot->row];
  RegardCorpusBadge badges[REGARD_MOST_BADGES];
  const guint n = regard_corpus_head_badges(self->corpus, head, badges);
  g_autofree char *name = regard_head_row_name(&head->row);
  g_autoptr(GString) roles = g_string_new(NULL);
  for (guint i = 0; i < n; i++) {
    regard_words_add_item(roles, badges[i].text);
    regard_corpus_badge_clear(&badges[i]);
  }
  /* Translators: a head, and a list: "encoder 4.1: previous 9.3×" */
  g_autofree char *words = n > 0 ? g_strdup_printf(_("%s: %s"), name, roles->str) : g_strdup(name);
  if (self->selected < 0 || self->selected == spot->row)
    return g_steal_pointer(&words);
  g_autofree char *other = regard_head_row_name(&self->corpus->heads[self->selected].row);
  /* Translators: what is said of a head; another head, and how far it is from that */
  return g_strdup_printf(_("%s; distance to %s %.2f"), words, other,
                         regard_corpus_distance(self->corpus, (guint) spot->row,
                                                (guint) self->selected));
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const HeadMap *self = figure->subject;
  if (self->selected < 0)
    return regard_head_row_name(&self->corpus->heads[spot->row].row);
  return regard_exact_copy(
      regard_corpus_distance(self->corpus, (guint) spot->row, (guint) self->selected));
}

static void
clear_map(gpointer subject)
{
  HeadMap *self = subject;
  g_free(self->xy);
  regard_corpus_unref(self->corpus);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void
label_mapped(gconstpointer data, guint i, RegardLabel *label)
{
  const HeadMap *self = data;
  label->text = regard_head_row_name(&self->corpus->heads[self->first + i].row);
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

static float
map_value(gconstpointer data, guint row, guint col)
{
  const HeadMap *self = data;
  return (float) self->xy[2 * row + col];
}

static RegardMatrix *
new_map_matrix(RegardFigure *figure, guint i)
{
  const HeadMap *self = figure->subject;
  static const char *const axes[] = {"x", "y"};
  g_autofree char *kept = g_strdup_printf(_("%.0f %% of squared distances"), 100 * self->kept);
  const char *const badges[] = {self->corpus->about.text_name ? self->corpus->about.text_name
                                                              : self->corpus->name,
                                kept, NULL};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "map",
      .title = _("Map of heads"),
      .value_name = "place",
      .model_name = self->corpus->about.model_name,
      .badges = badges,
      .rows = {.n = self->n,
               .title = _("heads"),
               .noun = _("head"),
               .label = label_mapped,
               .data = self},
      .cols = regard_axis_texts(axes, 2, _("axes")),
      .value = map_value,
      .data = self,
      .range = REGARD_RANGE_SIGNED,
  });
}

/* FALSE: there are no distances. */
static gboolean
find_places(HeadMap *self)
{
  const RegardCorpus *corpus = self->corpus;
  mt_error error = {0};
  for (guint i = corpus->n_heads; i-- > 0;)
    if (corpus->heads[i].row.kind == self->kind) {
      self->first = i;
      self->n++;
    }
  if (self->n < 2 || !corpus->distances)
    return FALSE;
  const guint n = self->n;
  g_autofree double *distances = g_new(double, (gsize) n *n);
  for (guint a = 0; a < n; a++)
    for (guint b = 0; b < n; b++)
      distances[(gsize) a * n + b] =
          regard_corpus_distance(corpus, self->first + a, self->first + b);
  self->xy = g_new(double, 2 * (gsize) n);
  return mt_scale_classical(distances, n, 2, self->xy, &self->kept, &error);
}

RegardFigure *
regard_figure_new_head_map(RegardCorpus *corpus, mt_attention_kind kind, int selected,
                           const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw_map,
      .new_matrix = new_map_matrix,
      .append_what = append_map,
      .has_no_scale = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
  };
  HeadMap *self = regard_subject_alloc(sizeof *self, clear_map);
  self->corpus = regard_corpus_ref(corpus);
  self->kind = kind;
  if (!find_places(self)) {
    regard_subject_unref(self);
    return NULL;
  }
  self->selected =
      selected >= (int) self->first && selected < (int) (self->first + self->n) ? selected : -1;
  return regard_figure_new(&klass, self, NULL, FALSE, style);
}
