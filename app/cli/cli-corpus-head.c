/* cli-corpus-head.c — one head of a corpus: numbers and examples.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-corpus-head.h"

#include "figures/regard-naming.h"
#include "figures/regard-visible.h"

#include <math.h>
#include <string.h>

json_object *
cli_corpus_number(double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return isfinite(value) ? json_object_new_double_s(value, g_ascii_dtostr(text, sizeof text, value))
                         : NULL;
}

gboolean
cli_corpus_head_parse(const mt_corpus *corpus, const char *text, CliCorpusHead *head)
{
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  for (guint k = 0; k < MT_N_KINDS; k++)
    for (guint l = 0; l < about->n_layers[k]; l++)
      for (guint h = 0; h < about->n_heads[k]; h++) {
        g_autofree char *name = regard_naming_head((mt_attention_kind) k, l, h);
        if (g_ascii_strcasecmp(name, text) == 0) {
          *head = (CliCorpusHead){(mt_attention_kind) k, l, h};
          return TRUE;
        }
      }
  return FALSE;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_object *
statistics_json(const mt_corpus_statistics *s)
{
  json_object *object = json_object_new_object(), *bins = json_object_new_array();
  json_object_object_add(object, "n", cli_json_size(s->n));
  json_object_object_add(object, "mean", cli_corpus_number(s->mean));
  json_object_object_add(object, "sd", cli_corpus_number(s->sd));
  json_object_object_add(object, "skewness", cli_corpus_number(s->skewness));
  json_object_object_add(object, "kurtosis", cli_corpus_number(s->kurtosis));
  json_object_object_add(object, "least", cli_corpus_number(s->least));
  json_object_object_add(object, "most", cli_corpus_number(s->most));
  json_object_object_add(object, "low", cli_corpus_number(s->low));
  json_object_object_add(object, "high", cli_corpus_number(s->high));
  for (guint i = 0; i < MT_CORPUS_BINS; i++)
    json_object_array_add(bins, cli_json_size(s->bins[i]));
  json_object_object_add(object, "bins", bins);
  return object;
}

static gboolean
add_measures(json_object *object, const mt_corpus *corpus, const CliCorpusHead *head,
             mt_error *error)
{
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
    mt_corpus_statistics s;
    if (!mt_corpus_get(corpus, head->kind, head->layer, head->head, m, &s, error))
      return FALSE;
    if (s.n > 0)
      json_object_object_add(object, mt_corpus_measure_about(m)->id, statistics_json(&s));
  }
  return TRUE;
}

static gboolean
add_roles(json_object *object, const mt_corpus *corpus, const CliCorpusHead *head, mt_error *error)
{
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++) {
    mt_corpus_role_value v;
    if (!mt_corpus_get_role(corpus, head->kind, head->layer, head->head, r, &v, error))
      return FALSE;
    if (v.n == 0)
      continue;
    json_object *role = json_object_new_object();
    json_object_object_add(role, "n", cli_json_size(v.n));
    json_object_object_add(role, "value", cli_corpus_number(v.value));
    json_object_object_add(role, "sd", cli_corpus_number(v.sd));
    json_object_object_add(role, "share", cli_corpus_number(v.share));
    json_object_object_add(role, "p", cli_corpus_number(v.p));
    json_object_object_add(role, "holds", json_object_new_boolean(v.holds));
    json_object_object_add(object, mt_corpus_role_about(r)->id, role);
  }
  return TRUE;
}

static json_object *
offsets_json(const mt_corpus_offsets *offsets)
{
  json_object *object = json_object_new_object(), *hits = json_object_new_array(),
              *rows = json_object_new_array();
  json_object_object_add(object, "best", json_object_new_int(offsets->best));
  json_object_object_add(object, "share", cli_corpus_number(offsets->best_share));
  for (guint i = 0; i < G_N_ELEMENTS(offsets->hits); i++) {
    json_object_array_add(hits, cli_json_size(offsets->hits[i]));
    json_object_array_add(rows, cli_json_size(offsets->rows[i]));
  }
  json_object_object_add(object, "hits", hits);
  json_object_object_add(object, "rows", rows);
  return object;
}

static gboolean
add_relations(json_object *list, const mt_corpus *corpus, const CliCorpusHead *head,
              mt_error *error)
{
  for (gsize i = 0; i < mt_corpus_n_relations(corpus); i++) {
    const mt_corpus_relation relation = mt_corpus_relation_at(corpus, i);
    mt_corpus_relation_value v;
    if (!mt_corpus_get_relation(corpus, head->layer, head->head, i, &v, error))
      return FALSE;
    json_object *object = json_object_new_object();
    json_object_object_add(object, "name", cli_json_text(relation.name));
    json_object_object_add(object, "reverse", json_object_new_boolean(relation.is_reverse));
    json_object_object_add(object, "share", cli_corpus_number(v.share));
    json_object_object_add(object, "p", cli_corpus_number(v.p));
    json_object_object_add(object, "holds", json_object_new_boolean(v.holds));
    json_object_array_add(list, object);
  }
  return TRUE;
}

json_object *
cli_corpus_head_json(const mt_corpus *corpus, const CliCorpusHead *head, mt_error *error)
{
  g_autofree char *name = regard_naming_head(head->kind, head->layer, head->head);
  json_object *object = json_object_new_object(), *measures = json_object_new_object(),
              *roles = json_object_new_object();
  mt_corpus_offsets offsets;
  json_object_object_add(object, "head", cli_json_text(name));
  json_object_object_add(object, "measures", measures);
  json_object_object_add(object, "roles", roles);
  gboolean ok = add_measures(measures, corpus, head, error) &&
                add_roles(roles, corpus, head, error) &&
                mt_corpus_get_offsets(corpus, head->kind, head->layer, head->head, &offsets, error);
  if (ok && head->kind != MT_CROSS)
    json_object_object_add(object, "offsets", offsets_json(&offsets));
  if (ok && head->kind == MT_ENCODER_SELF && mt_corpus_n_relations(corpus) > 0) {
    json_object *list = json_object_new_array();
    json_object_object_add(object, "relations", list);
    ok = add_relations(list, corpus, head, error);
  }
  if (ok)
    return object;
  json_object_put(object);
  return NULL;
}

static json_object *
tokens_json(const mt_corpus_sentence *sentence, mt_stack stack)
{
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < sentence->n_tokens[stack]; i++) {
    const mt_corpus_token *token = &sentence->tokens[stack][i];
    json_object *bounds = json_object_new_array();
    json_object_array_add(bounds, cli_json_size(token->begin));
    json_object_array_add(bounds, cli_json_size(token->end));
    json_object_array_add(list, bounds);
  }
  return list;
}

json_object *
cli_corpus_sentence_json(const mt_corpus *corpus, guint64 id, double value, mt_error *error)
{
  mt_corpus_sentence *sentence = mt_corpus_sentence_new(corpus, id, error);
  if (!sentence)
    return NULL;
  json_object *object = json_object_new_object();
  json_object_object_add(object, "sentence", cli_json_size(id));
  json_object_object_add(object, "line", cli_json_size(sentence->line));
  if (!isnan(value))
    json_object_object_add(object, "value", cli_corpus_number(value));
  json_object_object_add(object, "text", cli_json_text(sentence->text[MT_STACK_ENCODER]));
  json_object_object_add(object, "translation", cli_json_text(sentence->text[MT_STACK_DECODER]));
  json_object_object_add(object, "source_tokens", tokens_json(sentence, MT_STACK_ENCODER));
  json_object_object_add(object, "target_tokens", tokens_json(sentence, MT_STACK_DECODER));
  mt_corpus_sentence_free(sentence);
  return object;
}

/* FALSE: *error. */
static gboolean
add_example(json_object *list, const mt_corpus *corpus, const mt_corpus_example *example,
            mt_error *error)
{
  json_object *object = cli_corpus_sentence_json(corpus, example->sentence, example->value, error);
  if (!object)
    return FALSE;
  if (example->n_weights > 0) {
    json_object_object_add(object, "query", cli_json_size(example->query + 1));
    json_object_object_add(object, "key", cli_json_size(example->key + 1));
    json_object_object_add(object, "weights",
                           cli_json_floats(example->weights, example->n_weights));
  }
  json_object_array_add(list, object);
  return TRUE;
}

json_object *
cli_corpus_head_examples(const mt_corpus *corpus, const CliCorpusHead *head,
                         mt_corpus_measure measure, mt_error *error)
{
  json_object *object = json_object_new_object(), *strongest = json_object_new_array(),
              *groups = json_object_new_array();
  json_object_object_add(object, "measure", cli_json_text(mt_corpus_measure_about(measure)->id));
  json_object_object_add(object, "strongest", strongest);
  json_object_object_add(object, "quantiles", groups);
  mt_corpus_examples *best =
      mt_corpus_strongest(corpus, head->kind, head->layer, head->head, measure, error);
  mt_corpus_examples *all =
      best ? mt_corpus_quantiles(corpus, head->kind, head->layer, head->head, measure, error)
           : NULL;
  gboolean ok = all != NULL;
  for (gsize i = 0; ok && i < best->n; i++)
    ok = add_example(strongest, corpus, &best->items[i], error);
  for (gsize g = 0; ok && g < MT_CORPUS_GROUPS; g++) {
    json_object *group = json_object_new_array();
    json_object_array_add(groups, group);
    for (gsize i = 0; ok && i < MT_CORPUS_PER_GROUP; i++) {
      const mt_corpus_example *example = &all->items[g * MT_CORPUS_PER_GROUP + i];
      ok = example->sentence == 0 || add_example(group, corpus, example, error);
    }
  }
  mt_corpus_examples_free(best);
  mt_corpus_examples_free(all);
  if (ok)
    return object;
  json_object_put(object);
  return NULL;
}

/* ---- For people ------------------------------------------------------------------------------ */

gboolean
cli_corpus_head_roles(const mt_corpus *corpus, const CliCorpusHead *head, GString *out,
                      mt_error *error)
{
  gboolean any = FALSE;
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++) {
    mt_corpus_role_value v;
    if (!mt_corpus_get_role(corpus, head->kind, head->layer, head->head, r, &v, error))
      return FALSE;
    if (!v.holds)
      continue;
    g_string_append_printf(out, "%s%s %.1f", any ? ", " : "", mt_corpus_role_about(r)->name,
                           v.value);
    any = TRUE;
  }
  return TRUE;
}

static gboolean
print_measures(const mt_corpus *corpus, const CliCorpusHead *head, GString *out, mt_error *error)
{
  g_string_append(out, "\nmeasure          mean      sd   least    most  unit\n");
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
    mt_corpus_statistics s;
    const mt_corpus_measure_info *info = mt_corpus_measure_about(m);
    if (!mt_corpus_get(corpus, head->kind, head->layer, head->head, m, &s, error))
      return FALSE;
    if (s.n > 0)
      g_string_append_printf(out, "%-13s %7.3f %7.3f %7.3f %7.3f  %s\n", info->id, s.mean, s.sd,
                             s.least, s.most,
                             m == MT_CORPUS_DISTANCE && head->kind == MT_CROSS ? "" : info->unit);
  }
  return TRUE;
}

static gboolean
print_roles(const mt_corpus *corpus, const CliCorpusHead *head, GString *out, mt_error *error)
{
  g_string_append(out, "\nrole            value   share       n        p\n");
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++) {
    mt_corpus_role_value v;
    if (!mt_corpus_get_role(corpus, head->kind, head->layer, head->head, r, &v, error))
      return FALSE;
    if (v.n > 0)
      g_string_append_printf(out, "%-13s %7.2f %7.3f %7" G_GUINT64_FORMAT " %8.2g%s\n",
                             mt_corpus_role_about(r)->id, v.value, v.share, (guint64) v.n, v.p,
                             v.holds ? "  holds" : "");
  }
  mt_corpus_offsets offsets;
  if (!mt_corpus_get_offsets(corpus, head->kind, head->layer, head->head, &offsets, error))
    return FALSE;
  if (!isnan(offsets.best_share))
    g_string_append_printf(out, "best offset %+d: the largest weight of %.1f %% of rows\n",
                           offsets.best, 100 * offsets.best_share);
  return TRUE;
}

static gboolean
print_relations(const mt_corpus *corpus, const CliCorpusHead *head, GString *out, mt_error *error)
{
  gboolean any = FALSE;
  for (gsize i = 0; head->kind == MT_ENCODER_SELF && i < mt_corpus_n_relations(corpus); i++) {
    const mt_corpus_relation relation = mt_corpus_relation_at(corpus, i);
    mt_corpus_relation_value v;
    if (!mt_corpus_get_relation(corpus, head->layer, head->head, i, &v, error))
      return FALSE;
    if (!v.holds)
      continue;
    if (!any)
      g_string_append(out, "\nrelation           share  offset alone       n        p\n");
    any = TRUE;
    g_string_append_printf(out, "%s %-15s %5.1f %%  %5.1f %% (%+d)  %7" G_GUINT64_FORMAT " %8.2g\n",
                           relation.is_reverse ? "←" : "→", relation.name, 100 * v.share,
                           100 * relation.offset_share, relation.offset, (guint64) relation.n, v.p);
  }
  return TRUE;
}

static gboolean
print_example(const mt_corpus *corpus, const mt_corpus_example *example, GString *out,
              mt_error *error)
{
  mt_corpus_sentence *sentence = mt_corpus_sentence_new(corpus, example->sentence, error);
  if (!sentence)
    return FALSE;
  g_autofree char *text = regard_visible(sentence->text[MT_STACK_ENCODER]);
  g_string_append_printf(out, "%8.3f  %7" G_GUINT64_FORMAT "  %s\n", example->value,
                         (guint64) example->sentence, text);
  mt_corpus_sentence_free(sentence);
  return TRUE;
}

static gboolean
print_examples(const mt_corpus *corpus, const CliCorpusHead *head, mt_corpus_measure measure,
               GString *out, mt_error *error)
{
  mt_corpus_examples *best =
      mt_corpus_strongest(corpus, head->kind, head->layer, head->head, measure, error);
  mt_corpus_examples *all =
      best ? mt_corpus_quantiles(corpus, head->kind, head->layer, head->head, measure, error)
           : NULL;
  gboolean ok = all != NULL;
  if (ok)
    g_string_append_printf(out, "\nstrongest by %s, with the number of the sentence\n",
                           mt_corpus_measure_about(measure)->id);
  for (gsize i = 0; ok && i < best->n; i++)
    ok = print_example(corpus, &best->items[i], out, error);
  if (ok)
    g_string_append(out, "\none of each tenth of the sentences, the least first\n");
  for (gsize g = 0; ok && g < MT_CORPUS_GROUPS; g++)
    if (all->items[g * MT_CORPUS_PER_GROUP].sentence > 0)
      ok = print_example(corpus, &all->items[g * MT_CORPUS_PER_GROUP], out, error);
  mt_corpus_examples_free(best);
  mt_corpus_examples_free(all);
  return ok;
}

gboolean
cli_corpus_head_print(const mt_corpus *corpus, const CliCorpusHead *head, mt_corpus_measure measure,
                      GString *out, mt_error *error)
{
  g_autofree char *name = regard_naming_head(head->kind, head->layer, head->head);
  g_string_append_printf(out, "%s over %" G_GUINT64_FORMAT " sentences\n", name,
                         (guint64) mt_corpus_get_about(corpus)->n_sentences);
  return print_measures(corpus, head, out, error) && print_roles(corpus, head, out, error) &&
         print_relations(corpus, head, out, error) &&
         print_examples(corpus, head, measure, out, error);
}
