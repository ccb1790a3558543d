/* train-plan.c — what shall be prepared: sources of text with their weights, and all settings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train-plan.h"

#include "base/regard-json.h"
#include <math.h>
#include <mt-train.h>
#include <string.h>

const char *const train_segmentations[] = {"unigram", "bpe", NULL};
const char *const train_normalizations[] = {"nmt_nfkc", "nfkc", "identity", NULL};
const char *const train_segmented[] = {"both", "source", "target", NULL};

static void
source_free(TrainSource *source)
{
  g_free(source->name);
  g_free(source->licence);
  g_free(source->note);
  g_free(source->files[0]);
  g_free(source->files[1]);
  g_free(source);
}

TrainPlan *
train_plan_new(void)
{
  TrainPlan *plan = g_new0(TrainPlan, 1);
  plan->sources = g_ptr_array_new_with_free_func((GDestroyNotify) source_free);
  plan->exclude = g_ptr_array_new_with_free_func(g_free);
  plan->languages[0] = g_strdup("");
  plan->languages[1] = g_strdup("");
  plan->vocab_size = 8000;
  plan->tokenizer_pairs = 500000;
  plan->coverage = 0.9999;
  plan->segmentations = 1;
  plan->nbest_size = 64;
  plan->alpha = 0.2;
  plan->max_chars = 1000;
  plan->max_tokens = 256;
  plan->max_ratio = 3;
  plan->n_heldout = 1000;
  plan->seed = 1;
  return plan;
}

void
train_plan_free(TrainPlan *plan)
{
  if (!plan)
    return;
  g_ptr_array_unref(plan->sources);
  g_ptr_array_unref(plan->exclude);
  g_free(plan->languages[0]);
  g_free(plan->languages[1]);
  g_free(plan->tokenizer);
  g_free(plan->characters);
  g_free(plan);
}

gsize
train_plan_count_segmentations(const TrainPlan *plan, const TrainSource *source)
{
  return (gsize) (source->segmentations ? source->segmentations : plan->segmentations);
}

gsize
train_plan_most_segmentations(const TrainPlan *plan)
{
  gsize most = 1;
  for (guint i = 0; i < plan->sources->len; i++)
    most = MAX(most, train_plan_count_segmentations(plan, g_ptr_array_index(plan->sources, i)));
  return most;
}

gboolean
train_plan_segments(const TrainPlan *plan, mt_stack side)
{
  return plan->segmented == 0 || plan->segmented == 1 + (guint) side;
}

static TrainSource *
source_new(void)
{
  TrainSource *source = g_new0(TrainSource, 1);
  source->columns[1] = 1;
  source->first = 1;
  source->last = G_MAXUINT64;
  source->weight = 1;
  return source;
}

/* "tatoeba" of "corpora/tatoeba.tsv.xz". */
static char *
name_of_file(const char *path)
{
  char *name = g_path_get_basename(path);
  static const char *const endings[] = {".xz", ".gz", ".tsv", ".txt"};
  for (guint i = 0; i < G_N_ELEMENTS(endings); i++)
    if (g_str_has_suffix(name, endings[i]) && strlen(name) > strlen(endings[i]))
      name[strlen(name) - strlen(endings[i])] = '\0';
  return name;
}

/* ---- A JSON file ----------------------------------------------------------------------------- */

typedef struct {
  TrainPlan *plan;
  const char *label;  /* of the file */
  const char *folder; /* of the file */
  const char *corpora;
  TrainSource *source; /* being read */
  mt_error *error;
} Reading;

static bool
wrong(const Reading *r, const char *key, const char *what, json_object *found)
{
  g_autofree char *description = regard_json_describe(found);
  return mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected \"%s\" to be %s, found %s.", r->label,
                 key, what, description);
}

static bool
read_text(const Reading *r, const char *key, json_object *value, char **text)
{
  const char *found = regard_json_text(value);
  if (!found || !*found)
    return wrong(r, key, "some text", value);
  g_free(*text);
  *text = g_strdup(found);
  return true;
}

static bool
read_path(const Reading *r, const char *key, json_object *value, const char *folder, char **path)
{
  if (!read_text(r, key, value, path))
    return false;
  if (!g_path_is_absolute(*path)) {
    char *relative = *path;
    *path = g_build_filename(folder, relative, NULL);
    g_free(relative);
  }
  return true;
}

static double
read_any_number(json_object *value)
{
  gboolean is_number =
      json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double);
  return is_number ? json_object_get_double(value) : NAN;
}

static bool
read_whole(const Reading *r, const char *key, json_object *value, gint64 min, gint64 max,
           gint64 *number)
{
  double found = read_any_number(value);
  /* 8e3 is a whole number, too. A double holds all up to 2^53, the largest maximum. */
  if (found >= (double) min && found <= (double) max && found == floor(found)) {
    *number = (gint64) found;
    return true;
  }
  g_autofree char *what =
      g_strdup_printf("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, min, max);
  return wrong(r, key, what, value);
}

static bool
read_number(const Reading *r, const char *key, json_object *value, double min, double max,
            double *number)
{
  double found = read_any_number(value);
  if (found >= min && found <= max) {
    *number = found;
    return true;
  }
  g_autofree char *what = g_strdup_printf("a number from %g to %g", min, max);
  return wrong(r, key, what, value);
}

static bool
read_truth(const Reading *r, const char *key, json_object *value, gboolean *truth)
{
  if (!json_object_is_type(value, json_type_boolean))
    return wrong(r, key, "true or false", value);
  *truth = json_object_get_boolean(value);
  return true;
}

static bool
read_choice(const Reading *r, const char *key, json_object *value, const char *const *choices,
            guint *choice)
{
  const char *found = regard_json_text(value);
  for (guint i = 0; found && choices[i]; i++)
    if (strcmp(found, choices[i]) == 0) {
      *choice = i;
      return true;
    }
  g_autofree char *names = g_strjoinv(", ", (char **) choices);
  g_autofree char *what = g_strconcat("one of ", names, NULL);
  return wrong(r, key, what, value);
}

/* [a, b] of whole numbers from 1 with a <= b, or in any order. */
static bool
read_two(const Reading *r, const char *key, json_object *value, gboolean rising, gint64 two[2])
{
  if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) != 2)
    return wrong(r, key, "a list of two numbers", value);
  for (gsize i = 0; i < 2; i++)
    if (!read_whole(r, key, json_object_array_get_idx(value, i), 1, (gint64) 1 << 53, &two[i]))
      return false;
  if (two[0] == two[1] ? !rising : rising && two[0] > two[1])
    return wrong(r, key, rising ? "the first and the last line" : "two different columns", value);
  return true;
}

static bool
read_source_key(Reading *r, const char *key, json_object *value)
{
  TrainSource *source = r->source;
  gint64 two[2];
  if (strcmp(key, "name") == 0)
    return read_text(r, key, value, &source->name);
  if (strcmp(key, "licence") == 0)
    return read_text(r, key, value, &source->licence);
  if (strcmp(key, "note") == 0)
    return read_text(r, key, value, &source->note);
  if (strcmp(key, "file") == 0 || strcmp(key, "source") == 0)
    return read_path(r, key, value, r->corpora, &source->files[0]);
  if (strcmp(key, "target") == 0)
    return read_path(r, key, value, r->corpora, &source->files[1]);
  if (strcmp(key, "weight") == 0)
    return read_number(r, key, value, 1e-6, 1e6, &source->weight);
  if (strcmp(key, "segmentations") == 0)
    return read_whole(r, key, value, 1, MT_DATASET_MAX_SEGMENTATIONS, &source->segmentations);
  if (strcmp(key, "heldout") == 0)
    return read_truth(r, key, value, &source->heldout);
  if (strcmp(key, "lines") == 0) {
    if (!read_two(r, key, value, TRUE, two))
      return false;
    source->first = (guint64) two[0];
    source->last = (guint64) two[1];
    return true;
  }
  if (strcmp(key, "columns") == 0) {
    if (!read_two(r, key, value, FALSE, two))
      return false;
    source->columns[0] = (guint) MIN(two[0], 1000) - 1;
    source->columns[1] = (guint) MIN(two[1], 1000) - 1;
    return true;
  }
  return mt_fail(
      r->error, MT_ERROR_FORMAT,
      "%s: expected keys of a source (name, licence, note, file, source, target, weight, "
      "segmentations, heldout, lines, columns), found \"%.100s\".",
      r->label, key);
}

static bool
read_sources(Reading *r, const char *key, json_object *value)
{
  if (!json_object_is_type(value, json_type_array))
    return wrong(r, key, "a list", value);
  for (gsize i = 0; i < json_object_array_length(value); i++) {
    json_object *row = json_object_array_get_idx(value, i);
    if (!json_object_is_type(row, json_type_object))
      return wrong(r, key, "a list of objects", row);
    r->source = source_new();
    g_ptr_array_add(r->plan->sources, r->source);
    json_object_object_foreach(row, name, member)
    {
      if (!read_source_key(r, name, member))
        return false;
    }
    bool two = json_object_object_get(row, "source") && json_object_object_get(row, "target");
    bool one = json_object_object_get(row, "file") != NULL;
    bool any = json_object_object_get(row, "source") || json_object_object_get(row, "target");
    if (one ? any : !two)
      return mt_fail(
          r->error, MT_ERROR_FORMAT,
          "%s: expected source %zu to have \"file\", or \"source\" and \"target\", found "
          "%s.",
          r->label, i + 1, one ? "both" : "neither");
    if (!r->source->name)
      r->source->name = name_of_file(r->source->files[0]);
  }
  return true;
}

static bool
read_exclude(Reading *r, const char *key, json_object *value)
{
  if (!json_object_is_type(value, json_type_array))
    return wrong(r, key, "a list of files", value);
  for (gsize i = 0; i < json_object_array_length(value); i++) {
    char *path = NULL;
    if (!read_path(r, key, json_object_array_get_idx(value, i), r->corpora, &path))
      return false;
    g_ptr_array_add(r->plan->exclude, path);
  }
  return true;
}

static bool
read_languages(Reading *r, const char *key, json_object *value)
{
  if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) != 2)
    return wrong(r, key, "a list of two languages", value);
  return read_text(r, key, json_object_array_get_idx(value, 0), &r->plan->languages[0]) &&
         read_text(r, key, json_object_array_get_idx(value, 1), &r->plan->languages[1]);
}

static bool
read_key(Reading *r, const char *key, json_object *value)
{
  TrainPlan *plan = r->plan;
  const struct {
    const char *key;
    gint64 min, max;
    gint64 *value;
  } wholes[] = {
      {"vocab_size", 16, 1000000, &plan->vocab_size},
      {"tokenizer_pairs", 1, 100000000, &plan->tokenizer_pairs},
      {"segmentations", 1, MT_DATASET_MAX_SEGMENTATIONS, &plan->segmentations},
      {"nbest_size", 2, TRAIN_MAX_NBEST, &plan->nbest_size},
      {"max_chars", 1, 100000, &plan->max_chars},
      {"max_tokens", 2, 65536, &plan->max_tokens},
      {"heldout", 0, 10000000, &plan->n_heldout},
      {"seed", 0, (gint64) 1 << 53, &plan->seed},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wholes); i++)
    if (strcmp(key, wholes[i].key) == 0)
      return read_whole(r, key, value, wholes[i].min, wholes[i].max, wholes[i].value);
  if (strcmp(key, "sources") == 0)
    return read_sources(r, key, value);
  if (strcmp(key, "exclude") == 0)
    return read_exclude(r, key, value);
  if (strcmp(key, "languages") == 0)
    return read_languages(r, key, value);
  if (strcmp(key, "tokenizer") == 0)
    return read_path(r, key, value, r->folder, &plan->tokenizer);
  if (strcmp(key, "characters") == 0)
    return read_text(r, key, value, &plan->characters);
  if (strcmp(key, "split_digits") == 0)
    return read_truth(r, key, value, &plan->split_digits);
  if (strcmp(key, "separate_vocabs") == 0)
    return read_truth(r, key, value, &plan->separate);
  if (strcmp(key, "normalization") == 0)
    return read_choice(r, key, value, train_normalizations, &plan->normalization);
  if (strcmp(key, "segmentation") == 0)
    return read_choice(r, key, value, train_segmentations, &plan->segmentation);
  if (strcmp(key, "segmented") == 0)
    return read_choice(r, key, value, train_segmented, &plan->segmented);
  if (strcmp(key, "alpha") == 0)
    return read_number(r, key, value, 0, 10, &plan->alpha);
  if (strcmp(key, "coverage") == 0)
    return read_number(r, key, value, 0.9, 1, &plan->coverage);
  if (strcmp(key, "max_ratio") == 0)
    return read_number(r, key, value, 1, 1000, &plan->max_ratio);
  if (strcmp(key, "note") == 0) /* for people */
    return true;
  return mt_fail(r->error, MT_ERROR_FORMAT,
                 "%s: expected settings of regard-train prepare, found "
                 "\"%.100s\".",
                 r->label, key);
}

gboolean
train_plan_load(TrainPlan *plan, const char *path, const char *corpora, mt_error *error)
{
  json_object *root = regard_json_read_file(path, error);
  if (!root)
    return FALSE;
  g_autofree char *folder = g_path_get_dirname(path);
  Reading r = {
      .plan = plan,
      .label = path,
      .folder = folder,
      .corpora = corpora ? corpora : folder,
      .error = error,
  };
  gboolean ok = TRUE;
  json_object_object_foreach(root, key, value)
  {
    ok = ok && read_key(&r, key, value);
  }
  json_object_put(root);
  return ok;
}

/* ---- An argument ----------------------------------------------------------------------------- */

gboolean
train_split_weight(char *argument, double *weight, mt_error *error)
{
  char *colon = strrchr(argument, ':');
  char *end = NULL;
  double given = colon ? g_ascii_strtod(colon + 1, &end) : 1;
  if (!colon || end == colon + 1 || *end)
    return TRUE;
  if (!(given >= 1e-6 && given <= 1e6))
    return mt_fail(error, MT_ERROR_INPUT, "Expected a weight from 0.000001 to 1000000, found '%s'.",
                   colon + 1);
  *weight = given;
  *colon = '\0';
  return TRUE;
}

gboolean
train_plan_add_argument(TrainPlan *plan, const char *argument, mt_error *error)
{
  TrainSource *source = source_new();
  g_ptr_array_add(plan->sources, source);
  g_autofree char *files = g_strdup(argument);
  if (!train_split_weight(files, &source->weight, error))
    return FALSE;
  char *comma = strchr(files, ',');
  /* A file may have a comma in its name. */
  if (comma && !g_file_test(files, G_FILE_TEST_EXISTS)) {
    *comma = '\0';
    source->files[1] = g_strdup(comma + 1);
  }
  source->files[0] = g_strdup(files);
  source->name = name_of_file(files);
  if (!*source->files[0] || (source->files[1] && !*source->files[1]))
    return mt_fail(error, MT_ERROR_INPUT, "Expected FILE or SOURCE,TARGET, found '%s'.", argument);
  return TRUE;
}
