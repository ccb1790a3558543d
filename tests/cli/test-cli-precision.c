/* test-cli-precision.c — --precision and --capture-precision: what ran is said everywhere, and what
 * does not exist is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define DOGS        "I have two dogs."
#define DOGS_GERMAN "Ich habe zwei Hunde."

static const char *const names[] = {"stored", "f16", "bf16", "bf16-all", "int8", "int8-all"};

static void
test_translate(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(CliRun) run =
        cli_run(DOGS "\n", "translate", "--json", "--precision", names[i], NULL);
    cli_assert_status(run, 0);
    json_object *object = cli_assert_json(run->out);
    g_assert_cmpstr(cli_json_string(object, "precision"), ==, names[i]);
    g_assert_cmpstr(cli_json_string(json_object_array_get_idx(cli_json_member(object, "hypotheses"),
                                                              0),
                                    "text"),
                    ==, DOGS_GERMAN);
    json_object_put(object);
  }
  g_autoptr(CliRun) run = cli_run(DOGS "\n", "translate", "--json", NULL);
  cli_assert_status(run, 0);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  g_assert_cmpstr(cli_json_string(object, "precision"), ==, "stored");
}

static void
test_unknown(void)
{
  g_autofree char *path = cli_scratch_path("unknown.npz");
  static const char *const unknown[] = {"int4", "INT8", "unknown", "8"};
  for (guint i = 0; i < G_N_ELEMENTS(unknown); i++) {
    g_autofree char *found = g_strdup_printf("found '%s'", unknown[i]);
    g_autoptr(CliRun) translate =
        cli_run_refused(2, found, DOGS "\n", "translate", "--precision", unknown[i], NULL);
    g_assert_nonnull(strstr(translate->err, "stored, f16, bf16, bf16-all, int8, int8-all"));
    g_assert_cmpstr(translate->out, ==, "");
    cli_refuses(2, found, NULL, "capture", "--precision", unknown[i], "-o", path, DOGS, NULL);
    g_autoptr(CliRun) same = cli_run_refused(2, found, NULL, "capture", "--capture-precision",
                                             unknown[i], "-o", path, DOGS, NULL);
    g_assert_nonnull(strstr(same->err, "stored, same"));
  }
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  g_autofree char *picture = cli_scratch_path("unknown.svg");
  cli_refuses(2, "precision", NULL, "attend", "--capture", path, "--precision", "int8", "-o",
              picture, NULL);
}

/* Rounded weights are kept in the folder of the user's data, and read from there. */
static void
test_cache(void)
{
  g_autoptr(CliRun) plain = cli_run_ok(DOGS "\n", "translate", "--precision", "int8", NULL);
  g_autofree char *folder = g_build_filename(g_get_user_data_dir(), "regard", "cache", NULL);
  g_autofree char *name = NULL;
  for (guint i = 0; i < 2; i++) {
    g_autoptr(CliRun) run =
        cli_run_ok(DOGS "\n", "translate", "--precision", "int8", "--cache", NULL);
    g_assert_cmpstr(run->out, ==, plain->out);
    g_assert_cmpstr(run->err, ==, "");
    g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
    g_free(name);
    name = g_strdup(g_dir_read_name(listing));
    g_assert_true(g_str_has_prefix(name, "int8-"));
    g_assert_null(g_dir_read_name(listing));
  }
  g_autofree char *file = g_build_filename(folder, name, NULL);
  g_assert_cmpint(g_unlink(file), ==, 0);
  cli_refuses(2, "--precision", DOGS "\n", "translate", "--cache", NULL);
  cli_refuses(2, "--precision", DOGS "\n", "translate", "--cache", "--precision", "stored", NULL);
}

/* Guessing ahead in int8 is no other precision: what is written is the same, byte for byte. */
static void
test_guess(void)
{
  static const char *const when[] = {"auto", "never", "always"};
  g_autofree char *expected = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(when); i++) {
    g_autofree char *path = cli_scratch_path("guess.csv");
    cli_succeeds(NULL, "attend", "--beam", "1", "--guess", when[i], "--as-searched", "--head",
                 "cross 4.1", "-o", path, DOGS " " DOGS, NULL);
    g_autofree char *found = NULL;
    g_assert_true(g_file_get_contents(path, &found, NULL, NULL));
    if (expected)
      g_assert_cmpstr(found, ==, expected);
    else
      expected = g_steal_pointer(&found);
  }
  g_autoptr(CliRun) run = cli_run_refused(2, "found 'often'", NULL, "attend", "--guess", "often",
                                          "-o", "none.svg", DOGS, NULL);
  g_assert_nonnull(strstr(run->err, "auto, never, always"));
}

/* A capture of DOGS; translated is NULL where the translation is to be searched for. */
static char *
capture(const char *name, const char *precision, const char *attention, const char *target)
{
  char *path = cli_scratch_path(name);
  cli_succeeds(NULL, "capture", "--precision", precision, "--capture-precision", attention, "-o",
               path, DOGS, target ? "--target" : NULL, target, NULL);
  return path;
}

static void
assert_says(const char *path, const char *translation, const char *attention)
{
  const struct {
    const char *array, *member, *value;
  } all[] = {
      {"attention_precision", "attention_precision", attention},
      {"translation_precision", "precision", translation},
  };
  g_autoptr(Npy) npy = npy_read(path, "meta");
  g_autofree char *text = npy_string(npy, 0);
  g_autoptr(json_object) meta = cli_assert_json(text);
  for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
    g_autoptr(Npy) array = npy_read(path, all[i].array);
    g_assert_nonnull(array);
    g_autofree char *value = npy_string(array, 0);
    g_assert_cmpstr(value, ==, all[i].value);
    g_assert_cmpstr(cli_json_string(meta, all[i].member), ==, all[i].value);
  }
  g_assert_cmpstr(cli_json_string(cli_json_member(meta, "engine"), "kernels"), !=, "");

  g_autoptr(CliRun) inspect = cli_run_ok(NULL, "inspect", "--json", path, NULL);
  g_autoptr(json_object) object = cli_assert_json(inspect->out);
  g_assert_cmpstr(cli_json_string(object, "attention_precision"), ==, attention);
  g_assert_cmpstr(cli_json_string(object, "translation_precision"), ==, translation);
}

/* The largest distance of two arrays of floats. */
static float
distance(const char *path, const char *other, const char *name)
{
  g_autoptr(Npy) a = npy_read(path, name), b = npy_read(other, name);
  g_assert_nonnull(a);
  g_assert_nonnull(b);
  g_assert_cmpuint(a->n, ==, b->n);
  float most = 0;
  for (gsize i = 0; i < a->n; i++)
    most = fmaxf(most, fabsf(npy_float(a, i) - npy_float(b, i)));
  return most;
}

/* However the translation was found, attention is that of the weights as stored, unless asked; the
 * encoder is rounded by bf16-all and int8-all alone. Log-probabilities are the translation's. */
static void
test_capture(void)
{
  static const char *const rounded[] = {"cross_attentions", "decoder_attentions", "logprobs"};
  g_autofree char *exact = capture("exact.npz", "stored", "stored", NULL);
  assert_says(exact, "stored", "stored");
  for (guint i = 1; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = capture("found.npz", names[i], "stored", NULL);
    g_autofree char *same = capture("same.npz", names[i], "same", NULL);
    assert_says(path, names[i], "stored");
    assert_says(same, names[i], names[i]);
    float of_encoder = distance(same, exact, "encoder_attentions");
    g_assert_cmpfloat(of_encoder, <, 0.3f);
    g_assert_true((of_encoder == 0) == !g_str_has_suffix(names[i], "-all"));
    g_assert_cmpfloat(distance(path, exact, "encoder_attentions"), ==, 0);
    g_assert_cmpfloat(distance(path, exact, "cross_attentions"), ==, 0);
    g_assert_cmpfloat(distance(path, exact, "decoder_attentions"), ==, 0);
    g_assert_cmpfloat(distance(path, same, "logprobs"), ==, 0);
    for (guint k = 0; k < G_N_ELEMENTS(rounded); k++) {
      float d = distance(same, exact, rounded[k]);
      g_assert_cmpfloat(d, <, 0.3f);
      if (!g_str_equal(names[i], "f16")) /* the model is stored in it */
        g_assert_cmpfloat(d, >, 0);
    }
  }
  /* What is given is scored, with the weights as stored. */
  g_autofree char *forced = capture("forced.npz", "int8", "stored", DOGS_GERMAN);
  assert_says(forced, "stored", "stored");
}

/* Captions, numbers and what is read back from a file. */
static void
test_attend(void)
{
  g_autofree char *json = cli_scratch_path("a.json"), *svg = cli_scratch_path("a.svg");
  static const struct {
    const char *attention, *caption, *name;
  } all[] = {
      {"stored", "Precision: F32, translation found in int8.", "stored"},
      {"same", "Precision: int8.", "int8"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
    g_autoptr(CliRun) run = cli_run_ok(NULL, "attend", "--precision", "int8", "--capture-precision",
                                       all[i].attention, "--caption", "-o", json, DOGS, NULL);
    g_assert_nonnull(strstr(run->out, all[i].caption));
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(json, &text, NULL, NULL));
    g_autoptr(json_object) object = cli_assert_json(text);
    json_object *meta =
        cli_json_member(json_object_array_get_idx(cli_json_member(object, "matrices"), 0), "meta");
    g_assert_cmpstr(cli_json_string(meta, "attention_precision"), ==, all[i].name);
    g_assert_cmpstr(cli_json_string(meta, "translation_precision"), ==, "int8");

    g_autofree char *npz = capture("drawn.npz", "int8", all[i].attention, NULL);
    g_autoptr(CliRun) drawn =
        cli_run_ok(NULL, "attend", "--capture", npz, "--caption", "-o", svg, NULL);
    g_assert_nonnull(strstr(drawn->out, all[i].caption));
    g_autofree char *picture = NULL;
    g_assert_true(g_file_get_contents(svg, &picture, NULL, NULL));
    g_assert_nonnull(strstr(picture, all[i].caption));
  }
  g_autoptr(CliRun) plain = cli_run_ok(NULL, "attend", "--caption", "-o", svg, DOGS, NULL);
  g_assert_nonnull(strstr(plain->out, "Precision: F32."));
  /* Nobody knows of a file from elsewhere. */
  g_autofree char *imported = cli_source_path("tests/data/foreign-translation.npz");
  g_autoptr(CliRun) theirs =
      cli_run_ok(NULL, "attend", "--capture", imported, "--caption", "-o", svg, NULL);
  g_assert_null(strstr(theirs->out, "Precision"));
}

/* What the arithmetic runs on. */
static void
test_engine(void)
{
  static const char *const members[] = {"version",      "kernels", "bf16_kernels",
                                        "int8_kernels", "blas",    "blas_core"};
  g_autoptr(CliRun) inspect = cli_run_ok(NULL, "inspect", "--json", NULL);
  g_autoptr(CliRun) version = cli_run_ok(NULL, "--version", NULL);
  g_autoptr(json_object) object = cli_assert_json(inspect->out);
  json_object *engine = cli_json_member(object, "engine");
  for (guint i = 0; i < G_N_ELEMENTS(members); i++) {
    const char *value = cli_json_string(engine, members[i]);
    g_assert_cmpstr(value, !=, "");
    if (!g_str_equal(members[i], "blas"))
      g_assert_nonnull(strstr(version->out, value));
  }
}

TESTS()
{
  g_test_add_func("/cli/precision/translate", test_translate);
  g_test_add_func("/cli/precision/unknown", test_unknown);
  g_test_add_func("/cli/precision/cache", test_cache);
  g_test_add_func("/cli/precision/guess", test_guess);
  g_test_add_func("/cli/precision/capture", test_capture);
  g_test_add_func("/cli/precision/attend", test_attend);
  g_test_add_func("/cli/precision/engine", test_engine);
}
