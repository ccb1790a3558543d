/* cli-corpus-show.c — regard-cli corpus show: what is in a corpus file, for people and programs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-corpus-head.h"
#include "cli/cli-corpus-make.h"
#include "figures/regard-naming.h"
#include "figures/regard-visible.h"

#include <math.h>
#include <string.h>

#define LISTED 20

typedef struct {
  const CliCommand *command;
  mt_corpus *corpus;
  const char *head_text, *measure_text, *words;
  double least, most;
  gint64 limit;
  gboolean json, csv;
  gboolean has_head;
  CliCorpusHead head;
  mt_corpus_measure measure;
} Show;

typedef gboolean (*EachHead)(Show *self, const CliCorpusHead *head, gpointer user, mt_error *error);

/* Encoder, cross, decoder, as everywhere. */
static gboolean
each_head(Show *self, EachHead func, gpointer user, mt_error *error)
{
  const mt_corpus_about *about = mt_corpus_get_about(self->corpus);
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const mt_attention_kind kind = regard_kinds_in_order[k];
    for (guint l = 0; l < about->n_layers[kind]; l++)
      for (guint h = 0; h < about->n_heads[kind]; h++) {
        const CliCorpusHead head = {kind, l, h};
        if (!func(self, &head, user, error))
          return FALSE;
      }
  }
  return TRUE;
}

/* ---- All heads ------------------------------------------------------------------------------- */

static gboolean
append_head(Show *self, const CliCorpusHead *head, gpointer user, mt_error *error)
{
  static const mt_corpus_measure shown[] = {MT_CORPUS_ENTROPY, MT_CORPUS_CONFIDENCE,
                                            MT_CORPUS_SPECIAL, MT_CORPUS_PUNCTUATION,
                                            MT_CORPUS_EFFECT};
  GString *out = user;
  g_autofree char *name = regard_naming_head(head->kind, head->layer, head->head);
  g_string_append_printf(out, "%-13s", name);
  for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
    mt_corpus_statistics s;
    if (!mt_corpus_get(self->corpus, head->kind, head->layer, head->head, shown[i], &s, error))
      return FALSE;
    if (s.n > 0)
      g_string_append_printf(out, "%12.3f", s.mean);
    else if (shown[i] != MT_CORPUS_EFFECT)
      g_string_append_printf(out, "%12s", "");
  }
  g_string_append(out, "  ");
  const gboolean ok = cli_corpus_head_roles(self->corpus, head, out, error);
  g_string_append_c(out, '\n');
  return ok;
}

static void
append_about(GString *out, const mt_corpus *corpus)
{
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  g_autofree char *text = regard_visible(about->text_name);
  g_autofree char *model = regard_visible(about->model_name);
  g_string_append_printf(out,
                         "%s, %s: %" G_GUINT64_FORMAT " sentences, %" G_GUINT64_FORMAT
                         " source tokens, %" G_GUINT64_FORMAT " of translations%s\n",
                         text, model, (guint64) about->n_sentences, (guint64) about->n_tokens[0],
                         (guint64) about->n_tokens[1], about->is_complete ? "" : "; not complete");
  if (about->n_left_out > 0)
    g_string_append_printf(out, "%" G_GUINT64_FORMAT " lines were left out\n",
                           (guint64) about->n_left_out);
}

static gboolean
print_heads(Show *self, GString *out, mt_error *error)
{
  append_about(out, self->corpus);
  g_string_append_printf(out, "\n%-13s%12s%12s%12s%12s%s  roles\n", "mean of", "entropy",
                         "confidence", "special", "punctuation",
                         mt_corpus_get_about(self->corpus)->has_effects ? "      effect" : "");
  return each_head(self, append_head, out, error);
}

static gboolean
add_head_json(Show *self, const CliCorpusHead *head, gpointer user, mt_error *error)
{
  json_object *object = cli_corpus_head_json(self->corpus, head, error);
  if (object)
    json_object_array_add(user, object);
  return object != NULL;
}

static json_object *
about_json(const mt_corpus *corpus)
{
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  g_autofree char *fingerprint = g_strdup_printf("%016" G_GINT64_MODIFIER "x", about->fingerprint);
  json_object *object = json_object_new_object();
  json_object_object_add(object, "model", cli_json_text(about->model_name));
  json_object_object_add(object, "fingerprint", cli_json_text(fingerprint));
  json_object_object_add(object, "text", cli_json_text(about->text_name));
  json_object_object_add(object, "search", cli_json_text(about->search));
  json_object_object_add(object, "changes", cli_json_text(about->changes));
  json_object_object_add(object, "complete", json_object_new_boolean(about->is_complete));
  json_object_object_add(object, "importance",
                         about->has_effects ? cli_json_text(mt_effect_kind_name(about->with))
                                            : NULL);
  json_object_object_add(object, "sentences", cli_json_size(about->n_sentences));
  json_object_object_add(object, "left_out", cli_json_size(about->n_left_out));
  json_object_object_add(object, "source_tokens", cli_json_size(about->n_tokens[0]));
  json_object_object_add(object, "target_tokens", cli_json_size(about->n_tokens[1]));
  return object;
}

/* [L*H][L*H] of each kind. */
static json_object *
distances_json(const mt_corpus *corpus)
{
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  json_object *object = json_object_new_object();
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const gsize heads = about->n_heads[k], n = about->n_layers[k] * heads;
    json_object *rows = json_object_new_array();
    for (gsize i = 0; i < n; i++) {
      json_object *row = json_object_new_array();
      for (gsize j = 0; j < n; j++)
        json_object_array_add(row, cli_corpus_number(
                                       mt_corpus_distance(corpus, (mt_attention_kind) k, i / heads,
                                                          i % heads, j / heads, j % heads)));
      json_object_array_add(rows, row);
    }
    json_object_object_add(object, regard_kind_ids[k], rows);
  }
  return object;
}

static json_object *
relations_json(const mt_corpus *corpus)
{
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < mt_corpus_n_relations(corpus); i++) {
    const mt_corpus_relation relation = mt_corpus_relation_at(corpus, i);
    json_object *object = json_object_new_object();
    json_object_object_add(object, "name", cli_json_text(relation.name));
    json_object_object_add(object, "reverse", json_object_new_boolean(relation.is_reverse));
    json_object_object_add(object, "n", cli_json_size(relation.n));
    json_object_object_add(object, "offset", json_object_new_int(relation.offset));
    json_object_object_add(object, "offset_share", cli_corpus_number(relation.offset_share));
    json_object_array_add(list, object);
  }
  return list;
}

static gboolean
put_all_json(Show *self, mt_error *error)
{
  json_object *object = json_object_new_object(), *heads = json_object_new_array();
  json_object_object_add(object, "about", about_json(self->corpus));
  json_object_object_add(object, "heads", heads);
  json_object_object_add(object, "distances", distances_json(self->corpus));
  json_object_object_add(object, "relations", relations_json(self->corpus));
  if (each_head(self, add_head_json, heads, error))
    return cli_json_put(self->command, object, FALSE);
  json_object_put(object);
  return FALSE;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* A field that may hold anything (RFC 4180). */
static void
append_field(GString *out, const char *text)
{
  g_string_append_c(out, '"');
  for (; *text; text++) {
    if (*text == '"')
      g_string_append_c(out, '"');
    g_string_append_c(out, *text);
  }
  g_string_append_c(out, '"');
}

static void
append_number(GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(out, ',');
  if (isfinite(value))
    g_string_append(out, g_ascii_dtostr(text, sizeof text, value));
}

static gboolean
append_head_csv(Show *self, const CliCorpusHead *head, gpointer user, mt_error *error)
{
  GString *out = user;
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
    mt_corpus_statistics s;
    if (!mt_corpus_get(self->corpus, head->kind, head->layer, head->head, m, &s, error))
      return FALSE;
    if (s.n == 0)
      continue;
    g_string_append_printf(out, "%s,%u,%u,%s,%" G_GUINT64_FORMAT, regard_kind_id(head->kind),
                           head->layer + 1, head->head + 1, mt_corpus_measure_about(m)->id,
                           (guint64) s.n);
    const double numbers[] = {s.mean, s.sd, s.skewness, s.kurtosis, s.least, s.most};
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
      append_number(out, numbers[i]);
    g_string_append_c(out, '\n');
  }
  return TRUE;
}

/* ---- Search ---------------------------------------------------------------------------------- */

static gboolean
append_hit(Show *self, const mt_corpus_hit *hit, GString *out, mt_error *error)
{
  mt_corpus_sentence *sentence = mt_corpus_sentence_new(self->corpus, hit->sentence, error);
  if (!sentence)
    return FALSE;
  g_string_append_printf(out, "%" G_GUINT64_FORMAT, (guint64) hit->sentence);
  if (self->csv) {
    g_string_append_printf(out, ",%" G_GUINT64_FORMAT, (guint64) sentence->line);
    append_number(out, hit->value);
    for (guint s = 0; s < MT_N_STACKS; s++) {
      g_string_append_c(out, ',');
      append_field(out, sentence->text[s]);
    }
  } else {
    g_autofree char *source = regard_visible(sentence->text[MT_STACK_ENCODER]);
    g_autofree char *target = regard_visible(sentence->text[MT_STACK_DECODER]);
    if (!isnan(hit->value))
      g_string_append_printf(out, "\t%.3f", hit->value);
    g_string_append_printf(out, "\t%s\t%s", source, target);
  }
  g_string_append_c(out, '\n');
  mt_corpus_sentence_free(sentence);
  return TRUE;
}

static gboolean
put_hits_json(Show *self, const mt_corpus_hits *hits, mt_error *error)
{
  json_object *object = json_object_new_object(), *list = json_object_new_array();
  json_object_object_add(object, "total", cli_json_size(hits->total));
  json_object_object_add(object, "hits", list);
  for (gsize i = 0; i < hits->n; i++) {
    json_object *hit = cli_corpus_sentence_json(self->corpus, hits->items[i].sentence,
                                                hits->items[i].value, error);
    if (!hit) {
      json_object_put(object);
      return FALSE;
    }
    json_object_array_add(list, hit);
  }
  return cli_json_put(self->command, object, FALSE);
}

static gboolean
put_hits(Show *self, mt_error *error)
{
  const mt_corpus_query query = {
      .words = self->words,
      .has_head = self->has_head,
      .kind = self->head.kind,
      .layer = self->head.layer,
      .head = self->head.head,
      .measure = self->measure,
      .least = isnan(self->least) ? -INFINITY : self->least,
      .most = isnan(self->most) ? INFINITY : self->most,
      .is_descending = TRUE,
      .limit = self->limit ? (gsize) self->limit : LISTED,
  };
  mt_corpus_hits *hits = mt_corpus_search(self->corpus, &query, error);
  if (!hits)
    return FALSE;
  g_autoptr(GString) out = g_string_new(self->csv ? "sentence,line,value,text,translation\n" : "");
  gboolean ok = TRUE;
  if (self->json)
    ok = put_hits_json(self, hits, error);
  for (gsize i = 0; ok && !self->json && i < hits->n; i++)
    ok = append_hit(self, &hits->items[i], out, error);
  if (!self->json && !self->csv)
    g_string_append_printf(out, "%" G_GSIZE_FORMAT " of %" G_GUINT64_FORMAT " sentences\n", hits->n,
                           (guint64) hits->total);
  mt_corpus_hits_free(hits);
  return ok && (self->json || cli_put(self->command, out->str, out->len));
}

/* ---- The command ----------------------------------------------------------------------------- */

static gboolean
put_head(Show *self, mt_error *error)
{
  if (self->json) {
    json_object *object = cli_corpus_head_json(self->corpus, &self->head, error);
    json_object *examples =
        object ? cli_corpus_head_examples(self->corpus, &self->head, self->measure, error) : NULL;
    if (examples) {
      json_object_object_add(object, "examples", examples);
      return cli_json_put(self->command, object, FALSE);
    }
    json_object_put(object);
    return FALSE;
  }
  g_autoptr(GString) out = g_string_new(NULL);
  if (self->csv) {
    g_string_append(out, "kind,layer,head,measure,n,mean,sd,skewness,kurtosis,least,most\n");
    return append_head_csv(self, &self->head, out, error) &&
           cli_put(self->command, out->str, out->len);
  }
  return cli_corpus_head_print(self->corpus, &self->head, self->measure, out, error) &&
         cli_put(self->command, out->str, out->len);
}

static gboolean
put_heads(Show *self, mt_error *error)
{
  if (self->json)
    return put_all_json(self, error);
  g_autoptr(GString) out = g_string_new(NULL);
  gboolean ok;
  if (self->csv) {
    g_string_append(out, "kind,layer,head,measure,n,mean,sd,skewness,kurtosis,least,most\n");
    ok = each_head(self, append_head_csv, out, error);
  } else {
    ok = print_heads(self, out, error);
  }
  return ok && cli_put(self->command, out->str, out->len);
}

/* CLI_DONE: they make sense together. */
static CliStatus
check(Show *self)
{
  const gboolean is_bounded = !isnan(self->least) || !isnan(self->most);
  self->measure = MT_CORPUS_CONFIDENCE;
  if (self->json && self->csv)
    return cli_usage(self->command, "--json and --csv do not go together");
  if (self->measure_text && !mt_corpus_measure_find(self->measure_text, &self->measure))
    return cli_usage(self->command, "--measure: there is no measure '%s'", self->measure_text);
  if ((self->measure_text || is_bounded) && !self->head_text)
    return cli_usage(self->command, "--measure, --least and --most want --head");
  if (self->head_text && !cli_corpus_head_parse(self->corpus, self->head_text, &self->head))
    return cli_usage(self->command, "--head wants a head such as 'cross 4.1', found '%s'",
                     self->head_text);
  self->has_head = self->head_text != NULL;
  if (self->has_head &&
      !(mt_corpus_measure_about(self->measure)->kinds & MT_KIND_BIT(self->head.kind)))
    return cli_usage(self->command, "--measure: heads of this kind have no '%s'",
                     self->measure_text);
  return CLI_DONE;
}

CliStatus
cli_corpus_show(const CliCommand *command, int argc, char **argv)
{
  Show self = {.command = command, .least = NAN, .most = NAN};
  const CliOption options[] = {
      {CLI_OPTION_TEXT, "head", 0, &self.head_text, "HEAD", "Of one head, such as 'cross 4.1'"},
      {CLI_OPTION_TEXT, "measure", 0, &self.measure_text, "MEASURE",
       "By which examples and sentences are chosen; default confidence"},
      {CLI_OPTION_WORDS, "search", 0, &self.words, "WORDS",
       "Sentences that have WORDS, in either text; \"quotes\" and prefix* as usual"},
      {CLI_OPTION_NUMBER, "least", 0, &self.least, "X",
       "Sentences in which the measure of the head is at least X", -1e6, 1e6},
      {CLI_OPTION_NUMBER, "most", 0, &self.most, "X",
       "Sentences in which the measure of the head is at most X", -1e6, 1e6},
      {CLI_OPTION_WHOLE, "limit", 0, &self.limit, "N", "List so many sentences; default 20", 1,
       100000},
      {CLI_OPTION_FLAG, "json", 0, &self.json, NULL, "All numbers, as JSON"},
      {CLI_OPTION_FLAG, "csv", 0, &self.csv, NULL, "Statistics, or sentences, as CSV"},
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  CliStatus status;
  mt_error error = {0};
  if (!cli_options_parse(command, options, argc, argv, files, &status))
    return status;
  if (files->len != 1)
    return cli_usage(command, "show wants one corpus file, found %u", files->len);
  self.corpus = mt_corpus_open(files->pdata[0], &error);
  if (!self.corpus) {
    cli_complain(command, "%s", error.message);
    return CLI_FAILED;
  }
  status = check(&self);
  if (status == CLI_DONE) {
    const gboolean is_search = self.words || !isnan(self.least) || !isnan(self.most);
    const gboolean ok = is_search       ? put_hits(&self, &error)
                        : self.has_head ? put_head(&self, &error)
                                        : put_heads(&self, &error);
    if (error.code != MT_OK)
      cli_complain(command, "%s", error.message);
    status = ok ? CLI_DONE : CLI_FAILED;
  }
  mt_corpus_close(self.corpus);
  return status;
}
