/* regard-corpus.c — a corpus file: all numbers of its heads, and questions one after the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-corpus.h"

#include "figures/regard-naming.h"

#include <glib/gi18n.h>
#include <math.h>

/* ---- Opening --------------------------------------------------------------------------------- */

static gboolean
read_relations(RegardCorpus *self, RegardCorpusHead *head, mt_error *error)
{
  head->relation = -1;
  if (head->kind != MT_ENCODER_SELF)
    return TRUE;
  for (gsize i = 0; i < mt_corpus_n_relations(self->file); i++) {
    mt_corpus_relation_value value;
    if (!mt_corpus_get_relation(self->file, head->layer, head->head, i, &value, error))
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
    if (!mt_corpus_get(self->file, head->kind, head->layer, head->head, m, &head->measures[m],
                       error))
      return FALSE;
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++)
    if (!mt_corpus_get_role(self->file, head->kind, head->layer, head->head, r, &head->roles[r],
                            error))
      return FALSE;
  return mt_corpus_get_offsets(self->file, head->kind, head->layer, head->head, &head->offsets,
                               error) &&
         read_relations(self, head, error);
}

static gboolean
read_heads(RegardCorpus *self, mt_error *error)
{
  guint i = 0;
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const mt_attention_kind kind = regard_kinds_in_order[k];
    for (guint l = 0; l < self->about.n_layers[kind]; l++)
      for (guint h = 0; h < self->about.n_heads[kind]; h++, i++) {
        self->heads[i] = (RegardCorpusHead){.kind = kind, .layer = l, .head = h};
        if (!read_head(self, &self->heads[i], error))
          return FALSE;
      }
  }
  for (guint a = 0; a < self->n_heads; a++)
    for (guint b = 0; b < self->n_heads; b++) {
      const RegardCorpusHead *x = &self->heads[a], *y = &self->heads[b];
      self->distances[(gsize) a * self->n_heads + b] =
          x->kind == y->kind ? (float) mt_corpus_distance(self->file, x->kind, x->layer, x->head,
                                                          y->layer, y->head)
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

RegardCorpus *
regard_corpus_new_of(const char *name, const mt_corpus_about *about, RegardCorpusHead *heads,
                     guint n_heads, float *distances)
{
  RegardCorpus *self = g_new0(RegardCorpus, 1);
  g_atomic_ref_count_init(&self->ref_count);
  g_mutex_init(&self->mutex);
  self->name = g_strdup(name);
  self->about = *about;
  self->heads = heads;
  self->n_heads = n_heads;
  self->distances = distances;
  return self;
}

RegardCorpus *
regard_corpus_ref(RegardCorpus *corpus)
{
  g_atomic_ref_count_inc(&corpus->ref_count);
  return corpus;
}

void
regard_corpus_unref(RegardCorpus *corpus)
{
  if (!g_atomic_ref_count_dec(&corpus->ref_count))
    return;
  if (corpus->file)
    mt_corpus_close(corpus->file);
  g_mutex_clear(&corpus->mutex);
  g_free(corpus->path);
  g_free(corpus->name);
  g_free(corpus->heads);
  g_free(corpus->distances);
  g_free(corpus);
}

/* ---- Heads ----------------------------------------------------------------------------------- */

int
regard_corpus_find_head(const RegardCorpus *corpus, mt_attention_kind kind, guint layer, guint head)
{
  for (guint i = 0; i < corpus->n_heads; i++)
    if (corpus->heads[i].kind == kind && corpus->heads[i].layer == layer &&
        corpus->heads[i].head == head)
      return (int) i;
  return -1;
}

double
regard_corpus_distance(const RegardCorpus *corpus, guint a, guint b)
{
  return corpus->distances ? (double) corpus->distances[(gsize) a * corpus->n_heads + b]
                           : (double) NAN;
}

gboolean
regard_corpus_map(RegardCorpus *corpus, mt_attention_kind kind, guint *first, guint *n, double **xy,
                  double *kept)
{
  mt_error error = {0};
  *n = 0;
  *xy = NULL;
  for (guint i = corpus->n_heads; i-- > 0;)
    if (corpus->heads[i].kind == kind) {
      *first = i;
      (*n)++;
    }
  if (*n < 2 || !corpus->distances)
    return FALSE;
  g_autofree double *distances = g_new(double, (gsize) *n **n);
  for (guint a = 0; a < *n; a++)
    for (guint b = 0; b < *n; b++)
      distances[(gsize) a * *n + b] = regard_corpus_distance(corpus, *first + a, *first + b);
  *xy = g_new(double, 2 * (gsize) *n);
  if (mt_scale_classical(distances, *n, 2, *xy, kept, &error))
    return TRUE;
  g_clear_pointer(xy, g_free);
  return FALSE;
}

char *
regard_corpus_count(guint64 n)
{
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%" G_GUINT64_FORMAT, n);
  for (gssize at = (gssize) text->len - 3; at > 0; at -= 3)
    g_string_insert_c(text, at, ',');
  return g_string_free(text, FALSE);
}

char *
regard_corpus_describe(const RegardCorpus *corpus)
{
  g_autofree char *sentences = regard_corpus_count(corpus->about.n_sentences);
  g_autofree char *tokens = regard_corpus_count(corpus->about.n_tokens[MT_STACK_ENCODER] +
                                                corpus->about.n_tokens[MT_STACK_DECODER]);
  return g_strdup_printf(_("%u heads over %s · %s sentences · %s tokens%s"), corpus->n_heads,
                         corpus->about.text_name ? corpus->about.text_name : corpus->name,
                         sentences, tokens,
                         corpus->about.is_complete ? "" : _(" · not to its end"));
}

gboolean
regard_corpus_is_of(const RegardCorpus *corpus, const mt_model *model)
{
  mt_error ignored = {0};
  return !corpus->file || mt_corpus_check_model(corpus->file, model, &ignored);
}
