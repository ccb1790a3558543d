/* test-trainer.c — a training in process: the same bits again, checkpoints that open, what is kept,
 * what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/few-allocations.h"
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "engine-test.h"
#include "sentences.h"
#include "small-training.h"
#include "suite.h"
#include "train/mt-checkpoint.h"
#include "train/mt-trainer-private.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_network, mt_network_free)

static char *folder; /* of this test */
static char *data;   /* a prepared folder in it */

static char *
place(const char *name)
{
  return g_build_filename(folder, name, NULL);
}

/* ---- What happens while it runs ---------------------------------------------------------------
 */

typedef struct {
  GString *notes;
  guint n_steps, n_validations, n_checkpoints, n_histories;
  gsize n_records;           /* of the last history */
  const char *history_fails; /* with this error */
  guint stop_after;          /* steps; 0: never */
  mt_trainer_step last;
  mt_trainer_validation last_validation;
} Watch;

static void
on_step(void *user, const mt_trainer_step *step)
{
  Watch *w = user;
  w->n_steps++;
  w->last = *step;
}

static void
on_validation(void *user, const mt_trainer_validation *validation)
{
  Watch *w = user;
  w->n_validations++;
  w->last_validation = *validation;
}

static void
on_checkpoint(void *user, uint64_t step, const char *path)
{
  Watch *w = user;
  w->n_checkpoints++;
  g_assert_true(g_file_test(path, G_FILE_TEST_IS_DIR));
}

/* One record a step, the last one of now. */
static bool
on_history(void *user, const mt_trainer_record *records, size_t n, mt_error *error)
{
  Watch *w = user;
  w->n_histories++;
  w->n_records = n;
  for (size_t i = 0; i < n; i++) {
    g_assert_cmpuint(records[i].step, ==, i + 1);
    g_assert_true(isfinite(records[i].loss) && records[i].learning_rate > 0);
  }
  return !w->history_fails || mt_fail(error, MT_ERROR_IO, "%s", w->history_fails);
}

static void
on_note(void *user, const char *sentence)
{
  Watch *w = user;
  if (!w->notes)
    w->notes = g_string_new(NULL);
  g_string_append(w->notes, sentence);
}

static bool
should_stop(void *user)
{
  const Watch *w = user;
  return w->stop_after > 0 && w->n_steps + 1 >= w->stop_after;
}

static mt_trainer_events
watch(Watch *w)
{
  return (mt_trainer_events){
      .on_step = on_step,
      .on_validation = on_validation,
      .on_checkpoint = on_checkpoint,
      .on_history = on_history,
      .on_note = on_note,
      .should_stop = should_stop,
      .user = w,
  };
}

static void
watch_clear(Watch *w)
{
  if (w->notes)
    g_string_free(w->notes, TRUE);
}

/* ---- Bits ------------------------------------------------------------------------------------ */

static void
test_same_bits(void)
{
  g_autofree char *a = place("a"), *b = place("b"), *other = place("c");
  mt_trainer_config c = small_training(data, a, 20);
  small_train(&c, NULL);
  c.output = b;
  small_train(&c, NULL);
  c.output = other;
  c.seed = 2;
  small_train(&c, NULL);
  g_autofree char *a20 = g_build_filename(a, "step-00000020", NULL);
  g_autofree char *b20 = g_build_filename(b, "step-00000020", NULL);
  g_autofree char *c20 = g_build_filename(other, "step-00000020", NULL);
  small_assert_same_checkpoint(a20, b20);
  g_autoptr(mt_network) x = small_load(a20), y = small_load(c20);
  g_assert_true(memcmp(x->parameters, y->parameters, x->n_flat * sizeof *x->parameters) != 0);
}

/* Stopped after any number of steps and gone on with: as if it had never stopped. */
/* As it was written before there were check sums. */
static void
make_older(const char *output, guint step)
{
  g_autofree char *name = g_strdup_printf("step-%08u", step);
  g_autofree char *json = g_build_filename(output, name, "trainer_state.json", NULL);
  small_change_file(json, "\"crc32\"", "\"older\"");
}

static void
check_resume(double r_drop)
{
  g_autofree char *whole = place("whole");
  mt_trainer_config c = small_training(data, whole, 20);
  c.network.dropout = 0.2;
  c.network.r_drop = r_drop;
  small_train(&c, NULL);
  g_autofree char *expected = g_build_filename(whole, "step-00000020", NULL);
  g_autofree char *final = g_build_filename(whole, "model", NULL);
  static const guint stops[] = {1, 7, 10, 19};
  for (guint i = 0; i < G_N_ELEMENTS(stops); i++) {
    g_autofree char *name = g_strdup_printf("stopped-%u", stops[i]);
    g_autofree char *output = place(name);
    Watch w = {.stop_after = stops[i]};
    mt_trainer_events events = watch(&w);
    c.output = output;
    c.resume = FALSE;
    small_train_fails(&c, &events, MT_ERROR_CANCELLED, "Stopped after step");
    g_assert_cmpuint(w.n_steps, ==, stops[i]);
    small_train_fails(&c, NULL, MT_ERROR_IO, "--resume");
    if (i == 0)
      make_older(output, stops[i]);
    c.resume = TRUE;
    w.stop_after = 0;
    small_train(&c, &events);
    g_assert_cmpuint(w.n_steps, ==, 20);
    g_assert_nonnull(strstr(w.notes->str, "Going on from"));
    g_autofree char *found = g_build_filename(output, "step-00000020", NULL);
    g_autofree char *found_final = g_build_filename(output, "model", NULL);
    small_assert_same_checkpoint(expected, found);
    small_assert_same_checkpoint(final, found_final);
    watch_clear(&w);
  }
  /* One that has come to its end has nothing left to do, and writes its model again. */
  c.output = whole;
  Watch w = {0};
  mt_trainer_events events = watch(&w);
  small_train(&c, &events);
  g_assert_cmpuint(w.n_steps, ==, 0);
  watch_clear(&w);
}

static void
test_resume(void)
{
  check_resume(0);
}

static void
test_resume_r_drop(void)
{
  check_resume(5);
}

/* Other weights, or each sentence twice: the batches are others, so a new epoch begins. */
static void
test_resume_other_batches(void)
{
  g_autofree char *output = place("run");
  mt_trainer_config c = small_training(data, output, 20);
  Watch w = {.stop_after = 5};
  mt_trainer_events events = watch(&w);
  small_train_fails(&c, &events, MT_ERROR_CANCELLED, "step 5 of 20");
  const mt_trainer_weight weights[] = {{"zweite", 3}};
  c.weights = weights;
  c.n_weights = 1;
  c.resume = TRUE;
  w.stop_after = 0;
  small_train(&c, &events);
  g_assert_nonnull(strstr(w.notes->str, "new epoch"));
  g_assert_cmpuint(w.last.epoch, >=, 1);
  watch_clear(&w);

  Watch twice = {0};
  events = watch(&twice);
  c.network.r_drop = 5;
  c.schedule.steps = 25;
  small_train(&c, &events);
  g_assert_cmpuint(twice.n_steps, ==, 5);
  g_assert_nonnull(strstr(twice.notes->str, "new epoch"));
  watch_clear(&twice);
}

/* Two batches added up are one step of the gradient of both. */
static void
test_accumulate(void)
{
  g_autofree char *a = place("a");
  mt_trainer_config c = small_training(data, a, 3);
  c.accumulate = 3;
  Watch w = {0};
  mt_trainer_events events = watch(&w);
  small_train(&c, &events);
  g_assert_cmpuint(w.n_steps, ==, 3);
  g_assert_cmpuint(w.last.n_source + w.last.n_target, >, 2 * c.batch_tokens);
  g_assert_cmpuint(w.last.n_source + w.last.n_target, <=, 3 * c.batch_tokens);
  watch_clear(&w);
}

/* ---- What is written ------------------------------------------------------------------------- */

static mt_dtype dtypes[] = {MT_DTYPE_F32, MT_DTYPE_F16};

/* A checkpoint opens as any model does, and has the parameters of the state, rounded at most. */
static void
test_opens(void)
{
  for (guint k = 0; k < 4; k++) {
    g_autofree char *name = g_strdup_printf("run-%u", k);
    g_autofree char *output = place(name);
    mt_trainer_config c = small_training(data, output, 12);
    c.dtype = dtypes[k % 2];
    c.translate_pairs = 2;
    c.network.normalize_before = k >= 2;
    c.network.untied_output = k % 2;
    if (c.network.normalize_before) {
      c.network.init = MT_INIT_XAVIER;
      c.network.learned_positions = true;
      c.network.activation = MT_ACTIVATION_GELU;
    }
    Watch w = {0};
    mt_trainer_events events = watch(&w);
    small_train(&c, &events);
    g_assert_cmpuint(w.last_validation.n_translated, ==, 2);
    g_assert_true(w.last_validation.bleu >= 0 && w.last_validation.chrf >= 0);
    g_assert_true(w.last_validation.loss > 0 && w.last_validation.loss < 20);
    watch_clear(&w);

    g_autofree char *path = g_build_filename(output, "step-00000012", NULL);
    mt_error error = {0};
    mt_network *found = small_load(path);
    mt_network *state = mt_network_new(&found->config, &error);
    mt_adam adam;
    g_assert_true(mt_adam_init(&adam, &c.adam, state->n_flat, &error));
    mt_checkpoint checkpoint = {.network = state, .adam = &adam};
    if (!mt_checkpoint_read(output, 12, &checkpoint, &error))
      g_error("%s", error.message);
    g_assert_cmpuint(checkpoint.n_history, ==, 12);
    for (gsize i = 0; i < state->n_flat; i++)
      g_assert_cmpfloat_with_epsilon(found->parameters[i], state->parameters[i],
                                     c.dtype == MT_DTYPE_F16
                                         ? 1e-3 * (fabsf(state->parameters[i]) + 1e-3)
                                         : 1e-6 * (fabsf(state->parameters[i]) + 1e-3));
    mt_free(checkpoint.history);
    mt_adam_clear(&adam);
    mt_network_free(state);
    mt_network_free(found);

    /* It translates, in a session of its own. */
    g_autoptr(mt_model) model = mt_model_open(path, NULL, &error);
    g_assert_cmpstr(mt_model_config(model)->source_lang, ==, "en");
    g_autoptr(mt_session) session = sentences_session(model, 0, false);
    mt_search_params params = mt_search_params_default(model);
    g_assert_cmpuint(params.beam_size, ==, 4);
    params.max_length = 20;
    g_autoptr(mt_translation) t = mt_session_translate(session, "the dog", &params, NULL, &error);
    g_assert_nonnull(t);
  }
}

static void
test_kept(void)
{
  g_autofree char *output = place("run");
  const guint64 at[] = {0, 3, 13};
  mt_trainer_config c = small_training(data, output, 24);
  c.save_every = 5;
  c.keep = 2;
  c.save_at = at;
  c.n_save_at = G_N_ELEMENTS(at);
  Watch w = {0};
  mt_trainer_events events = watch(&w);
  small_train(&c, &events);
  g_assert_cmpuint(w.n_checkpoints, ==, 8); /* 0 3 5 10 13 15 20 24 */
  g_assert_cmpuint(w.n_histories, ==, 7);   /* all but 0 */
  g_assert_cmpuint(w.n_records, ==, 24);
  g_autofree char *names = small_list(output);
  g_assert_cmpstr(names, ==,
                  "model step-00000000 step-00000003 step-00000013 step-00000020 step-00000024");
  /* Only the newest one can be gone on from. */
  g_autofree char *older = g_build_filename(output, "step-00000020", "trainer_state.json", NULL);
  g_autofree char *newest = g_build_filename(output, "step-00000024", "trainer_state.json", NULL);
  g_assert_false(g_file_test(older, G_FILE_TEST_EXISTS));
  g_assert_true(g_file_test(newest, G_FILE_TEST_EXISTS));
  watch_clear(&w);
}

/* A picture that cannot be written ends a training, after the checkpoint. */
static void
test_history_fails(void)
{
  g_autofree char *output = place("run");
  mt_trainer_config c = small_training(data, output, 10);
  c.save_every = 5;
  Watch w = {.history_fails = "training.svg: no."};
  mt_trainer_events events = watch(&w);
  small_train_fails(&c, &events, MT_ERROR_IO, "training.svg: no.");
  g_assert_cmpuint(w.n_records, ==, 5);
  g_autofree char *names = small_list(output);
  g_assert_cmpstr(names, ==, "step-00000005");
  watch_clear(&w);
}

/* A checkpoint that an interruption wrote pushes none out that was asked for, and goes when there
 * is a newer one. */
static void
test_interrupted_are_not_kept(void)
{
  g_autofree char *output = place("run");
  mt_trainer_config c = small_training(data, output, 20);
  c.save_every = 5;
  c.keep = 2;
  static const guint stops[] = {11, 12, 13};
  for (guint i = 0; i < G_N_ELEMENTS(stops); i++) {
    Watch w = {.stop_after = i == 0 ? stops[0] : 1};
    mt_trainer_events events = watch(&w);
    small_train_fails(&c, &events, MT_ERROR_CANCELLED, "Stopped after step");
    c.resume = TRUE;
    watch_clear(&w);
    g_autofree char *expected = g_strdup_printf("step-00000005 step-00000010 step-%08u", stops[i]);
    g_autofree char *names = small_list(output);
    g_assert_true(g_str_has_prefix(names, expected));
  }
  small_train(&c, NULL);
  g_autofree char *names = small_list(output);
  g_assert_cmpstr(names, ==, "model step-00000015 step-00000020");
}

/* What a run that was killed left half written or half removed goes when it is gone on with. */
static void
test_tidy(void)
{
  g_autofree char *output = place("run");
  mt_trainer_config c = small_training(data, output, 10);
  small_train(&c, NULL);
  g_autofree char *part = g_build_filename(output, ".step-00000020.part-Ab12Cd", NULL);
  g_autofree char *removed = g_build_filename(output, ".removed-step-00000005", NULL);
  g_autofree char *file = g_build_filename(part, "model.safetensors", NULL);
  g_mkdir(part, 0755);
  g_mkdir(removed, 0755);
  g_assert_true(g_file_set_contents(file, "half", 4, NULL));
  c.resume = TRUE;
  small_train(&c, NULL);
  g_autofree char *names = small_list(output);
  g_assert_cmpstr(names, ==, "model step-00000010");
}

static void
test_average(void)
{
  g_autofree char *output = place("run");
  mt_trainer_config c = small_training(data, output, 20);
  c.save_every = 5;
  c.average = 3;
  Watch w = {0};
  mt_trainer_events events = watch(&w);
  small_train(&c, &events);
  g_assert_true(w.last_validation.is_average);
  g_assert_nonnull(strstr(w.notes->str, "mean of 3 checkpoints, from step 10"));
  watch_clear(&w);
  static const char *const names[] = {"model", "step-00000010", "step-00000015", "step-00000020"};
  mt_network *networks[G_N_ELEMENTS(names)];
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_build_filename(output, names[i], NULL);
    networks[i] = small_load(path);
  }
  double change = 0;
  for (gsize i = 0; i < networks[0]->n_flat; i++) {
    double mean = ((double) networks[1]->parameters[i] + networks[2]->parameters[i] +
                   networks[3]->parameters[i]) /
                  3;
    g_assert_cmpfloat_with_epsilon(networks[0]->parameters[i], mean, 1e-6 * (fabs(mean) + 1e-2));
    change += fabs(mean - networks[3]->parameters[i]);
  }
  g_assert_cmpfloat(change, >, 0);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    mt_network_free(networks[i]);
}

/* ---- Beginning with a model ------------------------------------------------------------------ */

static void
test_start_from(void)
{
  g_autofree char *first = place("first"), *second = place("second");
  mt_trainer_config c = small_training(data, first, 10);
  small_train(&c, NULL);
  g_autofree char *model = g_build_filename(first, "model", NULL);
  const guint64 at = 0;
  c = small_training(data, second, 5);
  c.network = mt_network_config_default(); /* the model says the shape */
  c.network.max_positions = 32;
  c.start_from = model;
  c.save_at = &at;
  c.n_save_at = 1;
  small_train(&c, NULL);
  g_autofree char *begin = g_build_filename(second, "step-00000000", NULL);
  mt_network *a = small_load(model), *b = small_load(begin);
  for (gsize i = 0; i < a->n_flat; i++)
    g_assert_cmpfloat_with_epsilon(a->parameters[i], b->parameters[i],
                                   1e-6 * (fabs((double) a->parameters[i]) + 1e-3));
  mt_network_free(a);
  mt_network_free(b);

  g_autofree char *third = place("third");
  c.output = third;
  c.shape_is_given = true;
  small_train_fails(&c, NULL, MT_ERROR_INPUT, "another shape|model");
  c.shape_is_given = false;
  c.start_from = REGARD_SOURCE_ROOT "/tests/data/checkpoints/multi-target";
  small_train_fails(&c, NULL, MT_ERROR_INPUT, "vocab.json: piece|multi-target");
  c.start_from = third;
  small_train_fails(&c, NULL, MT_ERROR_IO, "third");
}

/* ---- What goes wrong ------------------------------------------------------------------------- */

static mt_trainer *poisoned;

static void
poison(void *user, const mt_trainer_step *step)
{
  const mt_network *network = mt_trainer_get_network(poisoned);
  for (gsize i = 0; i < network->n_tensors && step->step == 12; i++)
    if (strcmp(network->table[i].name, "model.decoder.layers.1.fc1.weight") == 0)
      network->parameters[network->table[i].offset + 3] = *(const float *) user;
}

/* A number that is none: the step and the tensor are named, and the last checkpoint stays. */
static void
test_not_finite(void)
{
  static float bad[] = {NAN, INFINITY};
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autofree char *name = g_strdup_printf("run-%u", i);
    g_autofree char *output = place(name);
    mt_trainer_config c = small_training(data, output, 30);
    const mt_trainer_events events = {.on_step = poison, .user = &bad[i]};
    mt_error error = {0};
    poisoned = mt_trainer_new(&c, &events, NULL, &error);
    g_assert_nonnull(poisoned);
    g_assert_false(mt_trainer_run(poisoned, &error));
    mt_trainer_free(poisoned);
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
    g_assert_nonnull(strstr(error.message, "Step 13"));
    g_assert_nonnull(strstr(error.message, "parameter is in tensor"));
    g_assert_nonnull(strstr(error.message, "model.decoder.layers.1.fc1.weight"));
    g_assert_nonnull(strstr(error.message, "the last checkpoint is of step 10"));
    c.resume = TRUE;
    small_train(&c, NULL);
  }
}

static void
test_refused(void)
{
  g_autofree char *output = place("run");
  const mt_trainer_config good = small_training(data, output, 10);
  const mt_trainer_weight unknown[] = {{"nothing", 1}};
  for (guint i = 0; i < 9; i++) {
    mt_trainer_config c = good;
    const char *words;
    mt_error_code code = MT_ERROR_INPUT;
    switch (i) {
    case 0:
      c.schedule.steps = 0;
      words = "\"steps\"|found 0";
      break;
    case 1:
      c.schedule.rate = NAN;
      words = "\"rate\"";
      break;
    case 2:
      c.average = 6;
      words = "mean of 6|only 5";
      break;
    case 3:
      c.network.n_heads = 5;
      words = "head";
      break;
    case 4:
      c.network.max_positions = 8;
      words = "at most 8|found up to 12";
      break;
    case 5:
      c.weights = unknown;
      c.n_weights = 1;
      words = "prepared|\"nothing\"";
      break;
    case 6:
      c.adam.beta1 = 1;
      words = "beta";
      break;
    case 7:
      c.data = "no-such-folder";
      code = MT_ERROR_IO;
      words = "no-such-folder";
      break;
    default:
      c.output = "no/such/folder";
      code = MT_ERROR_IO;
      words = "no/such/folder";
    }
    small_train_fails(&c, NULL, code, words);
  }
  g_assert_false(g_file_test(output, G_FILE_TEST_EXISTS));
}

/* A checkpoint that is not whole, or of another network. */
static void
test_damaged(void)
{
  g_autofree char *output = place("run");
  mt_trainer_config c = small_training(data, output, 10);
  small_train(&c, NULL);
  c.resume = TRUE;
  c.schedule.steps = 20;
  mt_trainer_config other = c;
  other.network.d_ffn = 24;
  small_train_fails(&other, NULL, MT_ERROR_INPUT,
                    "step-00000010/trainer_state.json|\"d_ffn\" 24|the number 20");
  g_autofree char *file =
      g_build_filename(output, "step-00000010", "trainer_state.safetensors", NULL);
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(file, &bytes, &n, NULL));
  static const gsize cuts[] = {0, 4, 100, 4000};
  for (guint i = 0; i < G_N_ELEMENTS(cuts); i++) {
    g_assert_true(g_file_set_contents(file, bytes, (gssize) cuts[i], NULL));
    small_train_fails(&c, NULL, MT_ERROR_FORMAT, "step-00000010/trainer_state.safetensors");
  }
  g_assert_true(g_file_set_contents(file, bytes, (gssize) n - 1, NULL));
  small_train_fails(&c, NULL, MT_ERROR_FORMAT, "cut off");
  /* One bit of a number, and one figure of where it is. */
  bytes[n / 2] = (char) (bytes[n / 2] ^ 1);
  g_assert_true(g_file_set_contents(file, bytes, (gssize) n, NULL));
  small_train_fails(&c, NULL, MT_ERROR_FORMAT,
                    "step-00000010/trainer_state.safetensors|check sum (CRC-32) |, found ");
  bytes[n / 2] = (char) (bytes[n / 2] ^ 1);
  g_assert_true(g_file_set_contents(file, bytes, (gssize) n, NULL));
  g_autofree char *json = g_build_filename(output, "step-00000010", "trainer_state.json", NULL);
  small_change_file(json, "\"epoch\": ", "\"epoch\": 1");
  small_train_fails(&c, NULL, MT_ERROR_FORMAT, "trainer_state.json|check sum (CRC-32) ");
  /* Older ones have no sum, and what is wrong there is found in other ways. */
  small_change_file(json, "\"epoch\": 1", "\"epoch\": ");
  make_older(output, 10);
  memset(bytes + n / 2, 0xff, 4); /* a NaN */
  g_assert_true(g_file_set_contents(file, bytes, (gssize) n, NULL));
  small_train_fails(&c, NULL, MT_ERROR_FORMAT, "finite");
  static const struct {
    const char *json, *words;
  } states[] = {
      {"{}", "\"sampling\""},
      {"{\"sampling\": \"1\"}", "\"format\""},
      {"{\"format\": 1, \"step\": 11, \"epoch\": 0, \"batch\": 0, \"n_history\": 10, \"sampling\": "
       "\"1\"}",
       "step 10|found 11"},
      {"{\"format\": 1, \"step\": 10, \"epoch\": -1}", "epoch"},
      {"{\"format\": 1, \"step\": 10, \"epoch\": 0, \"batch\": 0, \"n_history\": 10, \"sampling\": "
       "\"x\"}",
       "sampling"},
      {"{\"format\": 1, \"step\": 10, \"epoch\": 0, \"batch\": 0, \"n_history\": 10, \"sampling\": "
       "\"1\"}",
       "network"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(states); i++) {
    g_assert_true(g_file_set_contents(json, states[i].json, -1, NULL));
    small_train_fails(&c, NULL, MT_ERROR_FORMAT, states[i].words);
  }
  g_unlink(json);
  small_train_fails(&c, NULL, MT_ERROR_IO, "trainer_state");
}

/* Every allocation fails in turn, of the beginning and of some steps with all that they do. */
static void
test_no_memory(void)
{
  gboolean done = FALSE;
  for (int n = 0; !done; n += n < 20 ? 1 : 151) {
    g_autofree char *name = g_strdup_printf("run-%d", n);
    g_autofree char *output = place(name);
    mt_trainer_config c = small_training(data, output, 2);
    c.n_threads = 1;
    c.save_every = 1;
    c.average = 2;
    c.validate_every = 1;
    c.translate_pairs = 1;
    mt_error error = {0};
    few_then_all_fail(n);
    mt_trainer *t = mt_trainer_new(&c, NULL, NULL, &error);
    done = t && mt_trainer_run(t, &error);
    mt_trainer_free(t);
    few_end();
    if (!done)
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
  }
}

static void
run(gconstpointer test)
{
  folder = small_temporary();
  data = g_build_filename(folder, "prepared", NULL);
  small_write(data, 30, 6);
  ((void (*)(void)) test)();
  g_clear_pointer(&data, g_free);
  small_remove(folder);
}

TESTS()
{
  static const struct {
    const char *name;
    void (*test)(void);
  } tests[] = {
      {"/trainer/same-bits", test_same_bits},
      {"/trainer/resume", test_resume},
      {"/trainer/resume-r-drop", test_resume_r_drop},
      {"/trainer/resume-other-batches", test_resume_other_batches},
      {"/trainer/accumulate", test_accumulate},
      {"/trainer/opens", test_opens},
      {"/trainer/kept", test_kept},
      {"/trainer/history-fails", test_history_fails},
      {"/trainer/interrupted-are-not-kept", test_interrupted_are_not_kept},
      {"/trainer/tidy", test_tidy},
      {"/trainer/average", test_average},
      {"/trainer/start-from", test_start_from},
      {"/trainer/not-finite", test_not_finite},
      {"/trainer/refused", test_refused},
      {"/trainer/damaged", test_damaged},
      {"/trainer/no-memory", test_no_memory},
  };
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
    g_test_add_data_func(tests[i].name, (gconstpointer) tests[i].test, run);
}
