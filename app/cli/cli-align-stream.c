/* cli-align-stream.c — links of one pair after the other, as they come. Where the layer is left
 * open the first pairs wait until it is chosen by them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-align.h"
#include "cli/cli-json.h"
#include "cli/cli-stop.h"

#include <string.h>

/* Pairs by which an open layer is chosen. */
#define SAMPLE 100

/* A pair that went through the model; alignable NULL: it could not. */
typedef struct {
  guint64 number;
  char *file, *source, *target, *problem;
  gboolean is_blank, is_translated;
  mt_alignable *own, *reverse;
} Done;

typedef struct {
  CliAlign *align;
  mt_recipe recipe, reverse_recipe;
  GQueue waiting; /* of Done, until the layer is chosen */
  guint n_pairs;  /* that could be aligned */
  guint n_put;
  gboolean failed, has_begun;
  gboolean is_lost; /* standard output takes no more: the rest is not worth its time */
} Stream;

static void
done_free(Done *done)
{
  mt_alignable_unref(done->own);
  mt_alignable_unref(done->reverse);
  g_free(done->file);
  g_free(done->source);
  g_free(done->target);
  g_free(done->problem);
  g_free(done);
}

static gboolean
is_open(const mt_recipe *recipe)
{
  return recipe->n_heads == 0 && recipe->layer == MT_RECIPE_AUTO;
}

/* ---- Through the model ----------------------------------------------------------------------- */

/* The model's own translation is aligned as its tokens stand, not as they would be read again. */
static mt_alignable *
translate(Stream *self, Done *done, const CliPair *pair, mt_error *error)
{
  CliEngine *engine = self->align->engine;
  mt_translation *translation =
      cli_engine_translate(self->align->command, engine, pair->source, NULL, error);
  mt_alignable *alignable = translation ? mt_alignable_of_translation(engine->session, translation,
                                                                      0, &engine->hooks, error)
                                        : NULL;
  done->is_translated = TRUE;
  if (translation)
    done->target = g_strdup(mt_translation_hypothesis(translation, 0)->text);
  mt_translation_unref(translation);
  return alignable;
}

static void
go_through(Stream *self, Done *done, const CliPair *pair, mt_error *error)
{
  CliEngine *engine = self->align->engine, *reverse = self->align->reverse;
  if (pair->target) {
    done->target = g_strdup(pair->target);
    done->own =
        mt_alignable_new(engine->session, pair->source, pair->target, pair->source_words,
                         pair->target_words, engine->params.language, &engine->hooks, error);
  } else {
    done->own = translate(self, done, pair, error);
  }
  if (done->own && reverse->session) {
    const mt_hooks stop = {.should_stop = engine->hooks.should_stop};
    done->reverse =
        mt_alignable_new(reverse->session, mt_alignable_text(done->own, MT_STACK_DECODER),
                         mt_alignable_text(done->own, MT_STACK_ENCODER), pair->target_words,
                         pair->source_words, reverse->params.language, &stop, error);
  }
}

/* NULL: interrupted. */
static Done *
do_pair(Stream *self, const CliPair *pair)
{
  Done *done = g_new0(Done, 1);
  mt_error error = {0};
  done->number = pair->line.number;
  done->file = g_strdup(pair->line.file);
  done->problem = g_strdup(pair->problem);
  done->is_blank = !pair->problem && pair->line.blank;
  if (done->problem || done->is_blank)
    return done;
  done->source = g_strdup(pair->source);
  go_through(self, done, pair, &error);
  if (error.code == MT_ERROR_CANCELLED) {
    done_free(done);
    return NULL;
  }
  if (error.code)
    done->problem = g_strdup(error.message);
  return done;
}

/* ---- What is put ----------------------------------------------------------------------------- */

static char *
word(const mt_alignable *alignable, mt_stack side, gsize i)
{
  gsize begin, end;
  mt_alignable_word(alignable, side, i, &begin, &end);
  return g_strndup(mt_alignable_text(alignable, side) + begin, end - begin);
}

static json_object *
words_json(const mt_alignable *alignable, mt_stack side)
{
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < mt_alignable_n_words(alignable, side); i++) {
    g_autofree char *text = word(alignable, side, i);
    json_object_array_add(list, cli_json_text(text));
  }
  return list;
}

static gboolean
put_json(const Stream *self, const Done *done, const mt_link *links, gsize n)
{
  json_object *object = json_object_new_object();
  json_object_object_add(object, "file", cli_json_text(done->file));
  json_object_object_add(object, "line", json_object_new_int64((gint64) done->number));
  if (done->problem) {
    json_object_object_add(object, "error", cli_json_text(done->problem));
    return cli_json_put(self->align->command, object, FALSE);
  }
  json_object_object_add(object, "source", cli_json_text(done->source));
  json_object_object_add(object, "target", cli_json_text(done->target));
  if (done->own) {
    char *recipe = mt_recipe_to_json(&self->recipe, NULL);
    json_object_object_add(object, "recipe", recipe ? json_tokener_parse(recipe) : NULL);
    mt_string_free(recipe);
    json_object_object_add(object, "layer_chosen", json_object_new_boolean(self->recipe.is_chosen));
    json_object_object_add(object, "source_words", words_json(done->own, MT_STACK_ENCODER));
    json_object_object_add(object, "target_words", words_json(done->own, MT_STACK_DECODER));
  }
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < n; i++) {
    json_object *link = json_object_new_object();
    json_object_object_add(link, "source",
                           json_object_new_int64(links[i].source + self->align->base));
    json_object_object_add(link, "target",
                           json_object_new_int64(links[i].target + self->align->base));
    json_object_object_add(link, "weight", cli_json_float(links[i].weight));
    json_object_array_add(list, link);
  }
  json_object_object_add(object, "links", list);
  return cli_json_put(self->align->command, object, FALSE);
}

static gboolean
put_csv(Stream *self, const Done *done, const mt_link *links, gsize n)
{
  g_autoptr(GString) out = g_string_new(NULL);
  if (!self->has_begun)
    g_string_append(out, "line,source,target,source_word,target_word,weight\n");
  for (gsize i = 0; i < n; i++) {
    g_autofree char *source = word(done->own, MT_STACK_ENCODER, links[i].source);
    g_autofree char *target = word(done->own, MT_STACK_DECODER, links[i].target);
    char weight[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(out, "%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",",
                           done->number, links[i].source + self->align->base,
                           links[i].target + self->align->base);
    cli_align_csv_field(out, source);
    g_string_append_c(out, ',');
    cli_align_csv_field(out, target);
    g_string_append_printf(out, ",%s\n",
                           g_ascii_formatd(weight, sizeof weight, "%.9g",
                                           (double) links[i].weight));
  }
  return cli_put(self->align->command, out->str, out->len);
}

/* A line for each, so that a reader stays in step; a translation that nobody has stands before its
 * links. */
static gboolean
put_plain(const Stream *self, const Done *done, const mt_link *links, gsize n)
{
  g_autoptr(GString) out = g_string_new(NULL);
  if (done->is_translated && done->target) {
    g_string_append(out, done->target);
    g_strdelimit(out->str, "\t\r\n", ' ');
    g_string_append_c(out, '\t');
  }
  char *text = mt_links_to_text(links, n, (unsigned) self->align->base, NULL);
  g_string_append(out, text ? text : "");
  g_string_append_c(out, '\n');
  mt_string_free(text);
  return cli_put(self->align->command, out->str, out->len);
}

static void
put(Stream *self, Done *done)
{
  mt_link *links = NULL;
  gsize n = 0;
  mt_error error = {0};
  if (done->own && !done->problem) {
    links = mt_alignable_links(done->own, &self->recipe, done->reverse, &self->reverse_recipe, &n,
                               &error);
    if (!links)
      done->problem = g_strdup(error.message);
  }
  if (done->problem) {
    cli_complain(self->align->command, "%s:%" G_GUINT64_FORMAT ": %s", done->file, done->number,
                 done->problem);
    self->failed = TRUE;
  }
  const gboolean written = self->align->json  ? put_json(self, done, links, n)
                           : self->align->csv ? put_csv(self, done, links, n)
                                              : put_plain(self, done, links, n);
  self->has_begun = TRUE;
  self->n_put++;
  self->is_lost = self->is_lost || !written;
  mt_links_free(links);
}

/* ---- The layer ------------------------------------------------------------------------------- */

static void
choose_layer(mt_recipe *recipe, GQueue *pairs, gboolean is_reverse)
{
  g_autofree double *sums = NULL;
  gsize n = 0, n_layers = 0;
  for (GList *l = pairs->head; l; l = l->next) {
    const Done *done = l->data;
    const mt_alignable *alignable = is_reverse ? done->reverse : done->own;
    if (!alignable || done->problem)
      continue;
    n_layers = mt_alignable_n_layers(alignable);
    sums = sums ? sums : g_new0(double, n_layers);
    mt_alignable_add_norms(alignable, recipe->row, sums, &n);
  }
  if (sums)
    mt_recipe_choose_layer(recipe, sums, n_layers);
}

/* Those that waited, with the layer that they chose. */
static void
put_waiting(Stream *self)
{
  char text[MT_RECIPE_TEXT_SIZE];
  const gboolean was_open = is_open(&self->recipe);
  Done *done;
  choose_layer(&self->recipe, &self->waiting, FALSE);
  choose_layer(&self->reverse_recipe, &self->waiting, TRUE);
  if (was_open && self->recipe.is_chosen)
    cli_complain(self->align->command, "%s; by the first %u pair%s",
                 mt_recipe_describe(&self->recipe, MT_RECIPE_ALL_ROWS, text), self->n_pairs,
                 self->n_pairs == 1 ? "" : "s");
  while ((done = g_queue_pop_head(&self->waiting))) {
    if (!self->is_lost)
      put(self, done);
    done_free(done);
  }
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void
take_pair(Stream *self, const CliPair *pair)
{
  Done *done = do_pair(self, pair);
  if (!done) /* interrupted */
    return;
  self->n_pairs += done->own && !done->problem;
  if (is_open(&self->recipe)) {
    g_queue_push_tail(&self->waiting, done);
    if (self->n_pairs == SAMPLE)
      put_waiting(self);
    return;
  }
  put(self, done);
  done_free(done);
}

CliStatus
cli_align_stream(CliAlign *align)
{
  CliPair pair;
  Stream self = {.align = align, .recipe = align->recipe, .reverse_recipe = align->recipe};
  CliPairs *pairs = cli_pairs_open(align->command, align->file, align->targets, align->words);
  if (!pairs)
    return CLI_FAILED;
  g_queue_init(&self.waiting);
  cli_stop_begin(&align->engine->hooks);
  while (!self.is_lost && !cli_stop_is_wanted() && cli_pairs_next(pairs, &pair)) {
    take_pair(&self, &pair);
    cli_stop_show("%u pairs", self.n_pairs);
  }
  const gboolean is_interrupted = cli_stop_is_wanted();
  cli_stop_end(&align->engine->hooks);
  put_waiting(&self);
  if (is_interrupted)
    cli_complain(align->command, "interrupted after %u lines", self.n_put);
  const gboolean read = cli_pairs_close(pairs);
  return read && !self.failed && !is_interrupted && !self.is_lost ? CLI_DONE : CLI_FAILED;
}
