/* fit-config.c — what regard-train fit is told.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/fit-config.h"

#include "base/regard-json.h"
#include "cli/cli.h"
#include <json.h>
#include <math.h>
#include <string.h>

/* ==== A JSON file that says what options say ================================================== */

typedef struct {
  const char *path;
  const CliCommand *command;
  char *values; /* the struct of the options */
  GPtrArray *strings;
} Reader;

static gboolean
wrong(const Reader *r, const char *key, const char *expected, json_object *found)
{
  g_autofree char *text =
      g_strndup(json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN), 80);
  cli_complain(r->command, "%s: \"%s\" wants %s, found %s", r->path, key, expected, text);
  return FALSE;
}

static gboolean
set_number(const Reader *r, const char *key, const CliOption *o, json_object *value)
{
  gboolean is_whole = json_object_is_type(value, json_type_int);
  double number = json_object_get_double(value);
  if ((is_whole ||
       (o->type == CLI_OPTION_NUMBER && json_object_is_type(value, json_type_double))) &&
      isfinite(number) && number >= o->min && number <= o->max) {
    if (o->type == CLI_OPTION_WHOLE)
      *(gint64 *) (void *) (r->values + o->at) = json_object_get_int64(value);
    else
      *(double *) (void *) (r->values + o->at) = number;
    return TRUE;
  }
  g_autofree char *expected =
      g_strdup_printf("a %snumber from %.12g to %.12g", o->type == CLI_OPTION_WHOLE ? "whole " : "",
                      o->min, o->max);
  return wrong(r, key, expected, value);
}

static gboolean
set_choice(const Reader *r, const char *key, const CliOption *o, json_object *value)
{
  const char *text =
      json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
  for (guint i = 0; o->choices[i]; i++)
    if (strcmp(o->choices[i], text) == 0) {
      *(guint *) (void *) (r->values + o->at) = i;
      return TRUE;
    }
  g_autofree char *list = g_strjoinv(", ", (char **) o->choices);
  g_autofree char *expected = g_strdup_printf("one of %s", list);
  return wrong(r, key, expected, value);
}

/* [0, 100] as "0,100"; {"a": 8} as "a=8". NULL for a list of anything else. */
static char *
flatten(json_object *value)
{
  g_autoptr(GString) out = g_string_new(NULL);
  if (json_object_is_type(value, json_type_array)) {
    for (gsize i = 0; i < json_object_array_length(value); i++) {
      json_object *item = json_object_array_get_idx(value, i);
      if (!json_object_is_type(item, json_type_int))
        return NULL;
      g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i ? "," : "",
                             (gint64) json_object_get_int64(item));
    }
  } else {
    json_object_object_foreach(value, name, item)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];
      if (!json_object_is_type(item, json_type_int) && !json_object_is_type(item, json_type_double))
        return NULL;
      g_ascii_dtostr(number, sizeof number, json_object_get_double(item));
      g_string_append_printf(out, "%s%s=%s", out->len ? "," : "", name, number);
    }
  }
  return out->len ? g_string_free(g_steal_pointer(&out), FALSE) : NULL;
}

static gboolean
set_text(const Reader *r, const char *key, const CliOption *o, json_object *value)
{
  char *text = NULL;
  if (json_object_is_type(value, json_type_string))
    text = g_strdup(json_object_get_string(value));
  else if (json_object_is_type(value, json_type_array) ||
           json_object_is_type(value, json_type_object))
    text = flatten(value);
  if (!text || *text == '\0') {
    g_free(text);
    return wrong(r, key, o->metavar, value);
  }
  g_ptr_array_add(r->strings, text);
  *(const char **) (void *) (r->values + o->at) = text;
  return TRUE;
}

static gboolean
set(const Reader *r, const char *key, const CliOption *o, json_object *value)
{
  switch (o->type) {
  case CLI_OPTION_TEXT:
    return set_text(r, key, o, value);
  case CLI_OPTION_WHOLE:
  case CLI_OPTION_NUMBER:
    return set_number(r, key, o, value);
  case CLI_OPTION_CHOICE:
    return set_choice(r, key, o, value);
  case CLI_OPTION_FLAG:
    if (!json_object_is_type(value, json_type_boolean))
      return wrong(r, key, "true or false", value);
    *(gboolean *) (void *) (r->values + o->at) = json_object_get_boolean(value);
    return TRUE;
  case CLI_OPTION_LIST: /* fit has none of them */
  case CLI_OPTION_WORDS:
  case CLI_OPTION_ROWS:
  case CLI_OPTION_END:
    break;
  }
  g_assert_not_reached();
}

static gboolean
set_member(const Reader *r, const CliOption *options, const char *key, json_object *value)
{
  if (key[0] == '_')
    return TRUE;
  g_autofree char *name = g_strdelimit(g_strdup(key), "_", '-');
  for (const CliOption *o = options; o->type != CLI_OPTION_END; o++)
    /* Not a configuration in a configuration. */
    if (strcmp(o->name, name) == 0 && !strchr(key, '-') && strcmp(name, "config") != 0)
      return set(r, key, o, value);
  cli_complain(r->command, "%s: unknown key \"%s\"", r->path, key);
  return FALSE;
}

/* Set the values of a table of options, which are in the struct `values`, from an object whose keys
 * are their names with '_' for '-'. A text may also be given as a list ([0, 100] for "0,100") or as
 * an object ({"a": 8} for "a=8"). Keys that begin with "_" are remarks. strings: takes texts that
 * options point to. FALSE: it was said what is wrong, with file and key. */
static gboolean
fit_json_read(const char *path, const CliOption *options, gpointer values, GPtrArray *strings,
              const CliCommand *command)
{
  mt_error error = {0};
  json_object *object = regard_json_read_file(path, &error);
  if (!object) {
    cli_complain(command, "%s", error.message);
    return FALSE;
  }
  const Reader reader = {path, command, values, strings};
  gboolean ok = TRUE;
  json_object_object_foreach(object, key, value)
  {
    ok = ok && set_member(&reader, options, key, value);
  }
  json_object_put(object);
  return ok;
}

/* ==== The options ============================================================================= */

static const char *const norms[] = {"post", "pre", NULL};
static const char *const positions[] = {"sinusoidal", "learned", NULL};
static const char *const embeddings[] = {"tied", "untied", NULL};
static const char *const pads[] = {"zero", "trained", NULL};
static const char *const activations[] = {"relu", "silu", "gelu", NULL};
static const char *const inits[] = {"deepnorm", "xavier", NULL};
static const char *const schedules[] = {"inverse-sqrt", "noam", "constant", NULL};
static const char *const products[] = {"f32", "bf16", NULL};
static const char *const dtypes[] = {"f16", "f32", NULL};

static const mt_activation activation_values[] = {MT_ACTIVATION_RELU, MT_ACTIVATION_SILU,
                                                  MT_ACTIVATION_GELU};
static const mt_init init_values[] = {MT_INIT_DEEPNORM, MT_INIT_XAVIER};
static const mt_schedule_kind schedule_values[] = {MT_SCHEDULE_INVERSE_SQRT, MT_SCHEDULE_NOAM,
                                                   MT_SCHEDULE_CONSTANT};
static const mt_dtype dtype_values[] = {MT_DTYPE_F16, MT_DTYPE_F32};

enum { NORM_POST, NORM_PRE };

/* For a part of the shape that nobody gave. */
#define NOT_GIVEN -1

#define LONG_RUN 1e12

void
fit_config_begin(gpointer self)
{
  FitConfig *c = self;
  const mt_trainer_config d = mt_trainer_config_default();
  *c = (FitConfig){
      .layers = NOT_GIVEN,
      .encoder_layers = NOT_GIVEN,
      .decoder_layers = NOT_GIVEN,
      .d_model = NOT_GIVEN,
      .heads = NOT_GIVEN,
      .d_ffn = NOT_GIVEN,
      .norm = CLI_NO_CHOICE,
      .positions = CLI_NO_CHOICE,
      .embeddings = CLI_NO_CHOICE,
      .pad = CLI_NO_CHOICE,
      .activation = CLI_NO_CHOICE,
      .init = CLI_NO_CHOICE,
      .max_positions = (gint64) d.network.max_positions,
      .dropout = d.network.dropout,
      .activation_dropout = d.network.activation_dropout,
      .label_smoothing = d.network.label_smoothing,
      .r_drop = d.network.r_drop,
      .adam_beta1 = d.adam.beta1,
      .adam_beta2 = d.adam.beta2,
      .adam_epsilon = d.adam.epsilon,
      .clip = d.adam.clip,
      .rate = d.schedule.rate,
      .cooldown = d.schedule.cooldown,
      .warmup = (gint64) d.schedule.warmup,
      .steps = 20000,
      .batch_tokens = (gint64) d.batch_tokens,
      .accumulate = (gint64) d.accumulate,
      .sort_batches = (gint64) d.sort_batches,
      .seed = (gint64) d.seed,
      .save_every = (gint64) d.save_every,
      .keep = (gint64) d.keep,
      .average = (gint64) d.average,
      .beams = (gint64) d.num_beams,
      .validate_every = (gint64) d.validate_every,
      .validate_pairs = (gint64) d.validate_pairs,
      .translate_pairs = (gint64) d.translate_pairs,
      .report_every = 50,
  };
}

void
fit_config_clear(FitConfig *config)
{
  g_clear_pointer(&config->strings, g_ptr_array_unref);
  g_clear_pointer(&config->save_steps, g_array_unref);
  g_clear_pointer(&config->weight_list, g_array_unref);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static gboolean
parse_save_at(FitConfig *c, const CliCommand *command)
{
  if (!c->save_at)
    return TRUE;
  g_auto(GStrv) parts = g_strsplit(c->save_at, ",", -1);
  for (gsize i = 0; parts[i]; i++) {
    guint64 step;
    if (!g_ascii_string_to_unsigned(g_strstrip(parts[i]), 10, 0, (guint64) LONG_RUN, &step, NULL)) {
      cli_usage(command, "--save-at wants whole numbers separated by commas, found '%s'",
                c->save_at);
      return FALSE;
    }
    g_array_append_val(c->save_steps, step);
  }
  return TRUE;
}

static gboolean
parse_weights(FitConfig *c, const CliCommand *command)
{
  if (!c->weights)
    return TRUE;
  g_auto(GStrv) parts = g_strsplit(c->weights, ",", -1);
  for (gsize i = 0; parts[i]; i++) {
    char *equals = strrchr(parts[i], '=');
    char *end = NULL;
    double weight = equals ? g_ascii_strtod(equals + 1, &end) : 0;
    if (!equals || end == equals + 1 || *end || equals == parts[i] || !(weight >= 0)) {
      cli_usage(command, "--weights wants NAME=NUMBER,…, found '%s'", c->weights);
      return FALSE;
    }
    char *name = g_strndup(parts[i], (gsize) (equals - parts[i]));
    g_ptr_array_add(c->strings, name);
    const mt_trainer_weight row = {name, weight};
    g_array_append_val(c->weight_list, row);
  }
  return TRUE;
}

/* ---- Reading --------------------------------------------------------------------------------- */

#define TEXT(name, member, metavar, help)                                            \
  {                                                                                  \
    CLI_OPTION_TEXT, name, 0, offsetof(FitConfig, member), metavar, help, 0, 0, NULL \
  }
#define WHOLE(name, member, help, min, max)                                           \
  {                                                                                   \
    CLI_OPTION_WHOLE, name, 0, offsetof(FitConfig, member), "N", help, min, max, NULL \
  }
#define NUMBER(name, member, help, min, max)                                           \
  {                                                                                    \
    CLI_OPTION_NUMBER, name, 0, offsetof(FitConfig, member), "X", help, min, max, NULL \
  }
#define CHOICE(name, member, help, list)                                              \
  {                                                                                   \
    CLI_OPTION_CHOICE, name, 0, offsetof(FitConfig, member), "NAME", help, 0, 0, list \
  }
#define FLAG(name, member, help)                                                  \
  {                                                                               \
    CLI_OPTION_FLAG, name, 0, offsetof(FitConfig, member), NULL, help, 0, 0, NULL \
  }

const CliOption fit_options[] = {
    TEXT("config", config, "FILE", "Read a JSON file first; options have precedence"),
    TEXT("data", data, "DIR", "Folder that prepare wrote"),
    TEXT("output", output, "DIR", "Folder for checkpoints and the model"),
    FLAG("resume", resume, "Go on from the newest checkpoint, if there is one"),
    TEXT("start-from", start_from, "DIR", "Begin with the parameters of a model"),
    WHOLE("layers", layers, "Layers of each stack [6]", 1, 64),
    WHOLE("encoder-layers", encoder_layers, "… of the encoder", 1, 64),
    WHOLE("decoder-layers", decoder_layers, "… of the decoder", 1, 64),
    WHOLE("d-model", d_model, "Width of the residual stream [256]", 2, 16384),
    WHOLE("heads", heads, "Heads; they divide d-model [8]", 1, 1024),
    WHOLE("d-ffn", d_ffn, "Width inside the feed-forward network [1024]", 1, 131072),
    CHOICE("norm", norm, "Norm after or before sub-layers [post]", norms),
    CHOICE("positions", positions, "Position encoding [sinusoidal]", positions),
    CHOICE("embeddings", embeddings, "Output layer and embedding are one table [tied]", embeddings),
    CHOICE("pad", pad, "Embedding of <pad>, which starts the decoder [zero]", pads),
    CHOICE("activation", activation, "In the feed-forward network [relu]", activations),
    CHOICE("init", init, "Beginning [deepnorm; pre-norm: xavier]", inits),
    WHOLE("max-positions", max_positions, "Tokens of the longest sentence [512]", 2, 65536),
    WHOLE("attention-window", attention_window,
          "Self-attention sees so many tokens on each side; 0: all", 0, 65536),
    NUMBER("dropout", dropout, "Share of activations left out [0.1]", 0, 0.95),
    NUMBER("activation-dropout", activation_dropout, "… in the feed-forward network [0]", 0, 0.95),
    NUMBER("label-smoothing", label_smoothing, "Probability given to other words [0.1]", 0, 0.95),
    NUMBER("r-drop", r_drop, "Weight of the divergence of two passes (R-Drop) [0]", 0, 1000),
    NUMBER("adam-beta1", adam_beta1, "Adam's first beta [0.9]", 0, 0.999999),
    NUMBER("adam-beta2", adam_beta2, "… and second [0.98]", 0, 0.999999),
    NUMBER("adam-epsilon", adam_epsilon, "… and epsilon [1e-9]", 1e-16, 0.1),
    NUMBER("clip", clip, "Largest norm of a gradient; 0: any [1]", 0, 1e6),
    CHOICE("schedule", schedule, "Learning rate over time [inverse-sqrt]", schedules),
    NUMBER("rate", rate, "Peak of the rate; noam: a factor [0.001]", 1e-12, 1000),
    WHOLE("warmup", warmup, "Steps in which the rate rises [2000]", 0, LONG_RUN),
    NUMBER("cooldown", cooldown, "Last part of the run, in which it falls [0.3]", 0, 1),
    WHOLE("steps", steps, "Updates of the whole run [20000]", 1, LONG_RUN),
    WHOLE("batch-tokens", batch_tokens, "Source and target tokens of a batch [4096]", 2, 1e8),
    WHOLE("accumulate", accumulate, "Batches of a step, on each machine [1]", 1, 1e6),
    WHOLE("sort-batches", sort_batches, "Batches sorted by length together; 0: none [100]", 0, 1e6),
    TEXT("weights", weights, "A=X,…", "How often an epoch shows a pair of source A"),
    WHOLE("seed", seed, "Of all that is random [1]", 0, 9007199254740992),
    WHOLE("threads", threads, "0: as many as there are cores [0]", 0, 64),
    WHOLE("save-every", save_every, "Steps between checkpoints; 0: none [1000]", 0, LONG_RUN),
    TEXT("save-at", save_at, "N,…", "Checkpoints after these steps, which stay"),
    WHOLE("keep", keep, "Checkpoints of save-every that stay; 0: all [5]", 0, 1e6),
    WHOLE("average", average, "The model is the mean of the last N checkpoints [1]", 1, 1e6),
    CHOICE("products", products, "Factors of matrix products [f32]", products),
    CHOICE("dtype", dtype, "Numbers in model files [f16]", dtypes),
    WHOLE("beams", beams, "Beams that the model asks for [4]", 1, 256),
    WHOLE("validate-every", validate_every, "Steps; 0: only at the end [1000]", 0, LONG_RUN),
    WHOLE("validate-pairs", validate_pairs, "Held-out pairs for the loss; 0: all [0]", 0, 1e9),
    WHOLE("translate-pairs", translate_pairs, "… translated for BLEU and chrF [200]", 0, 1e9),
    WHOLE("report-every", report_every, "Steps between lines [50]", 1, LONG_RUN),
    FLAG("json", json, "Print a JSON object for each line"),
    CLI_OPTIONS_END,
};

CliStatus
fit_config_read(const CliCommand *command, gpointer self, GPtrArray *arguments)
{
  FitConfig *c = self;
  if (arguments->len > 0)
    return cli_usage(command, "unexpected argument '%s'", (char *) arguments->pdata[0]);
  c->strings = g_ptr_array_new_with_free_func(g_free);
  if (!c->config || fit_json_read(c->config, fit_options, c, c->strings, command))
    return CLI_DONE;
  fit_config_clear(c);
  return CLI_USAGE;
}

gboolean
fit_config_parse_lists(FitConfig *c, const CliCommand *command)
{
  c->save_steps = g_array_new(FALSE, FALSE, sizeof(guint64));
  c->weight_list = g_array_new(FALSE, FALSE, sizeof(mt_trainer_weight));
  return parse_save_at(c, command) && parse_weights(c, command);
}

/* ---- For the trainer ------------------------------------------------------------------------- */

static gboolean
gives_shape(const FitConfig *c)
{
  return c->layers != NOT_GIVEN || c->encoder_layers != NOT_GIVEN ||
         c->decoder_layers != NOT_GIVEN || c->d_model != NOT_GIVEN || c->heads != NOT_GIVEN ||
         c->d_ffn != NOT_GIVEN || c->norm != CLI_NO_CHOICE || c->positions != CLI_NO_CHOICE ||
         c->embeddings != CLI_NO_CHOICE || c->activation != CLI_NO_CHOICE;
}

static void
set_size(gsize *size, gint64 value)
{
  if (value != NOT_GIVEN)
    *size = (gsize) value;
}

static void
fill_network(const FitConfig *c, mt_network_config *n)
{
  for (gsize s = 0; s < MT_N_STACKS; s++)
    set_size(&n->n_layers[s], c->layers);
  set_size(&n->n_layers[MT_STACK_ENCODER], c->encoder_layers);
  set_size(&n->n_layers[MT_STACK_DECODER], c->decoder_layers);
  set_size(&n->d_model, c->d_model);
  set_size(&n->n_heads, c->heads);
  set_size(&n->d_ffn, c->d_ffn);
  n->max_positions = (gsize) c->max_positions;
  n->attention_window = (gsize) c->attention_window;
  n->normalize_before = c->norm == NORM_PRE;
  if (c->activation != CLI_NO_CHOICE)
    n->activation = activation_values[c->activation];
  if (c->positions != CLI_NO_CHOICE)
    n->learned_positions = c->positions == 1;
  if (c->embeddings != CLI_NO_CHOICE)
    n->untied_output = c->embeddings == 1;
  if (c->pad != CLI_NO_CHOICE)
    n->zero_pad = c->pad == 0;
  if (c->init != CLI_NO_CHOICE)
    n->init = init_values[c->init];
  else if (n->normalize_before)
    n->init = MT_INIT_XAVIER;
  n->dropout = c->dropout;
  n->activation_dropout = c->activation_dropout;
  n->label_smoothing = c->label_smoothing;
  n->r_drop = c->r_drop;
  n->products = c->products == 1 ? MT_PRODUCTS_BF16 : MT_PRODUCTS_F32;
}

gboolean
fit_config_to_trainer(const FitConfig *c, const CliCommand *command, mt_trainer_config *t,
                      CliStatus *status)
{
  *status = CLI_USAGE;
  if (!c->data || !c->output) {
    cli_usage(command, "%s is missing", c->data ? "--output" : "--data");
    return FALSE;
  }
  *t = mt_trainer_config_default();
  t->data = c->data;
  t->output = c->output;
  t->start_from = c->start_from;
  t->shape_is_given = gives_shape(c);
  fill_network(c, &t->network);
  t->weights = (const mt_trainer_weight *) (void *) c->weight_list->data;
  t->n_weights = c->weight_list->len;
  t->batch_tokens = (gsize) c->batch_tokens;
  t->sort_batches = (gsize) c->sort_batches;
  t->accumulate = (gsize) c->accumulate;
  t->schedule = (mt_schedule){
      .kind = schedule_values[c->schedule],
      .rate = c->rate,
      .warmup = (guint64) c->warmup,
      .steps = (guint64) c->steps,
      .cooldown = c->cooldown,
  };
  t->adam = (mt_adam_options){
      .beta1 = c->adam_beta1,
      .beta2 = c->adam_beta2,
      .epsilon = c->adam_epsilon,
      .clip = c->clip,
  };
  t->seed = (guint64) c->seed;
  t->n_threads = (unsigned) c->threads;
  t->save_every = (guint64) c->save_every;
  t->save_at = (const guint64 *) (void *) c->save_steps->data;
  t->n_save_at = c->save_steps->len;
  t->keep = (gsize) c->keep;
  t->average = (gsize) c->average;
  t->validate_every = (guint64) c->validate_every;
  t->validate_pairs = (gsize) c->validate_pairs;
  t->translate_pairs = (gsize) c->translate_pairs;
  t->num_beams = (gsize) c->beams;
  t->dtype = dtype_values[c->dtype];
  t->resume = c->resume;
  return TRUE;
}
