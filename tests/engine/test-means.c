/* test-means.c — mean contexts of heads: against a trace, what the change makes of them, and files
 * that are not what they say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "model/mt-means.h"
#include "sentences.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define FROZEN "tests/data/frozen/en-de"
static const char *const texts[] = {"I have two dogs.", "It rains.", "Where is the train station?"};

typedef struct {
  mt_model *model;
  mt_session *session;
  mt_means *means; /* over texts */
  char *path;
} Fixture;

/* Sums of contexts, by hand. */
typedef struct {
  double sums[MT_N_KINDS][6][64];
  size_t n[MT_N_STACKS];
} Sums;

static void
on_view(void *user, const mt_activation_view *view)
{
  Sums *sums = user;
  for (size_t r = 0; r < view->rows; r++)
    for (size_t i = 0; i < view->cols; i++)
      sums->sums[view->kind][view->layer][(size_t) view->head * view->cols + i] +=
          (double) view->data[r * view->stride + i];
}

static Fixture
open_fixture(Sums *sums)
{
  mt_error error = {0};
  Fixture f = {.model = sentences_model(FROZEN)};
  f.session = sentences_session(f.model, 2, false);
  f.path = g_strdup_printf("%s/regard-means-%d.npz", g_get_tmp_dir(), (int) getpid());
  const mt_activation_requests requests = {1,
                                           {{MT_HOOK_CONTEXT, MT_ALL_KINDS, MT_ALL_LAYERS,
                                             MT_ALL_HEADS}}};
  const mt_hooks hooks = {.requests = &requests, .callback = {on_view, sums, false}};
  g_autoptr(mt_means_sum) sum = mt_means_sum_new(f.session, &error);
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(mt_translation) t = sentences_translate(f.session, texts[i], 1, NULL);
    g_assert_true(mt_means_sum_add(sum, t, 0, NULL, &error));
    if (sums) {
      mt_capture_unref(sentences_capture(f.session, t, &hooks));
      sums->n[0] += mt_tokens_count(mt_translation_source(t));
      sums->n[1] += mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens);
    }
  }
  f.means = mt_means_sum_finish(sum, "three.txt", &error);
  g_assert_cmpstr(error.message, ==, "");
  return f;
}

static void
close_fixture(Fixture *f)
{
  g_unlink(f->path);
  g_free(f->path);
  mt_means_unref(f->means);
  mt_session_free(f->session);
  mt_model_unref(f->model);
}

static void
test_numbers(void)
{
  g_autofree Sums *sums = g_new0(Sums, 1);
  Fixture f = open_fixture(sums);
  g_assert_cmpuint(f.means->n_sentences, ==, 3);
  g_assert_cmpuint(f.means->n_tokens[MT_STACK_ENCODER], ==, sums->n[0]);
  g_assert_cmpuint(f.means->n_tokens[MT_STACK_DECODER], ==, sums->n[1]);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < 6; l++)
      for (size_t i = 0; i < 64; i++)
        g_assert_cmpfloat_with_epsilon(mt_means_get(f.means, kind, l, i / 8)[i % 8],
                                       sums->sums[kind][l][i] /
                                           (double) sums->n[kind == MT_ENCODER_SELF ? 0 : 1],
                                       1e-5);
  close_fixture(&f);
}

/* With the change every row of the head's context is its mean, in steps and in captures alike. */
typedef struct {
  const float *mean;
  guint n;
} Rows;

static void
on_row(void *user, const mt_activation_view *view)
{
  Rows *rows = user;
  for (size_t r = 0; r < view->rows; r++, rows->n++)
    g_assert_cmpmem(view->data + r * view->stride, view->cols * sizeof(float), rows->mean,
                    8 * sizeof(float));
}

static void
test_change(void)
{
  Fixture f = open_fixture(NULL);
  mt_error error = {0};
  Rows rows = {mt_means_get(f.means, MT_CROSS, 3, 0), 0};
  const mt_activation_requests requests = {1,
                                           {{MT_HOOK_CONTEXT, MT_KIND_BIT(MT_CROSS), 1 << 3, 1}}};
  mt_interventions *plain = sentences_parse("decoder 1.1 zero\ncross 4.1 mean");
  g_autoptr(mt_interventions) with = mt_interventions_with_means(plain, f.means, &error);
  const mt_hooks hooks = {.requests = &requests,
                          .callback = {on_row, &rows, false},
                          .interventions = with};
  g_assert_cmpstr(mt_interventions_text(with), ==, mt_interventions_text(plain));
  g_assert_true(mt_interventions_means(with) == f.means);
  g_assert_false(mt_interventions_equal(plain, with));
  g_assert_cmpuint(mt_interventions_hash(plain), !=, mt_interventions_hash(with));
  g_autoptr(mt_translation) t = sentences_translate(f.session, texts[0], 1, &hooks);
  g_assert_cmpuint(rows.n, >=, mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens));
  rows.n = 0;
  mt_capture_unref(sentences_capture(f.session, t, &hooks));
  g_assert_cmpuint(rows.n, ==, mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens));

  const mt_hooks without = {.interventions = plain};
  g_assert_null(mt_session_translate(f.session, texts[0], NULL, &without, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_cmpstr(
      error.message, ==,
      "Change 2 is \"cross 4.1 mean\"; \"mean\" wants the means of a text, and none are "
      "given.");
  mt_interventions_unref(plain);
  close_fixture(&f);
}

static void
test_files(void)
{
  Fixture f = open_fixture(NULL);
  mt_error error = {0};
  g_assert_true(mt_means_write(f.means, f.path, &error));
  g_autoptr(mt_means) read = mt_means_read(f.path, f.model, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpstr(read->text, ==, "three.txt");
  g_assert_cmpuint(read->n_tokens[MT_STACK_DECODER], ==, f.means->n_tokens[MT_STACK_DECODER]);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    g_assert_cmpmem(mt_means_get(read, kind, 0, 0), 6 * 64 * sizeof(float),
                    mt_means_get(f.means, kind, 0, 0), 6 * 64 * sizeof(float));

  mt_model *model = sentences_model("tests/data/checkpoints/pre-norm-plain");
  g_assert_null(mt_means_read(f.path, model, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_nonnull(strstr(error.message, "another model, called \"en-de\""));
  mt_model_unref(model);
  g_assert_null(mt_means_read("/nonexistent/x.npz", f.model, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  close_fixture(&f);
}

/* One rule for who looks beside a model: means.npz, else the first name that ends so. */
static void
test_find(void)
{
  Fixture f = open_fixture(NULL);
  mt_error error = {0};
  g_autofree char *folder = g_dir_make_tmp("regard-means-XXXXXX", NULL);
  g_autofree char *plain = g_build_filename(folder, "means.npz", NULL);
  g_autofree char *first = g_build_filename(folder, "a.means.npz", NULL);
  g_autofree char *second = g_build_filename(folder, "b.means.npz", NULL);
  g_autofree char *none = g_build_filename(folder, "ameans.npz", NULL);
  g_assert_true(g_file_set_contents(none, "no means", -1, NULL));
  g_assert_null(mt_means_find(folder, f.model, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_assert_nonnull(strstr(error.message, "There are no means beside the model \"regard-means-"));
  g_assert_nonnull(strstr(error.message, "regard-cli means FILE -o means.npz"));
  /* Of several one decides, and one that is no good is no reason to take another. */
  error = (mt_error){0};
  g_assert_true(mt_means_write(f.means, second, &error));
  mt_means_unref(mt_means_find(folder, f.model, &error));
  g_assert_cmpstr(error.message, ==, "");
  g_assert_true(g_file_set_contents(first, "no archive", -1, NULL));
  g_assert_null(mt_means_find(folder, f.model, &error));
  g_assert_nonnull(strstr(error.message, "a.means.npz: expected a NumPy archive"));
  error = (mt_error){0};
  g_assert_true(mt_means_write(f.means, plain, &error));
  mt_means *found = mt_means_find(folder, f.model, &error);
  g_assert_nonnull(found);
  mt_means_unref(found);
  mt_model *model = sentences_model("tests/data/checkpoints/pre-norm-plain");
  g_assert_null(mt_means_find(folder, model, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  mt_model_unref(model);
  g_assert_null(mt_means_find("/nonexistent", f.model, &error));
  g_remove(plain);
  g_remove(first);
  g_remove(second);
  g_remove(none);
  g_rmdir(folder);
  close_fixture(&f);
}

/* Any prefix of a file, and any byte of it changed, is refused or read, and nothing else. */
static void
test_damage(void)
{
  Fixture f = open_fixture(NULL);
  mt_error error = {0};
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true(mt_means_write(f.means, f.path, &error));
  g_assert_true(g_file_get_contents(f.path, &bytes, &n, NULL));
  for (gsize at = 0; at < n; at += 97) {
    g_assert_true(g_file_set_contents(f.path, bytes, (gssize) at, NULL));
    g_assert_null(mt_means_read(f.path, f.model, &error));
    g_autofree char *changed = g_memdup2(bytes, n);
    changed[at] = (char) (changed[at] ^ 0x41);
    g_assert_true(g_file_set_contents(f.path, changed, (gssize) n, NULL));
    mt_means_unref(mt_means_read(f.path, f.model, &error));
  }
  /* One bit of a number that is another good one. */
  char *encoder = memmem(bytes, n, "encoder.npy", strlen("encoder.npy"));
  encoder[strlen("encoder.npy") + 128 + 400] ^= 1;
  g_assert_true(g_file_set_contents(f.path, bytes, (gssize) n, NULL));
  error = (mt_error){0};
  g_assert_null(mt_means_read(f.path, f.model, &error));
  g_assert_nonnull(strstr(error.message, "\"encoder.npy\" to have the check sum (CRC-32) "));
  close_fixture(&f);
}

/* Arrays that are missing, or of another shape. */
static void
refuse(const Fixture *f, const mt_npz_array *arrays, size_t n, const char *expected)
{
  mt_error error = {0};
  g_assert_true(mt_npz_write(f->path, arrays, n, &error));
  g_assert_null(mt_means_read(f->path, f->model, &error));
  g_assert_nonnull(strstr(error.message, expected));
}

static void
test_refused(void)
{
  Fixture f = open_fixture(NULL);
  mt_error error = {0};
  static float numbers[6 * 64];
  const int32_t counts[3] = {1, 2, 0};
  const char *name = "en-de", *zero = "0000000000000000", *wrong = "12";
  const mt_npz_array model = {.name = "model", .strings = &name};
  refuse(&f, &model, 1, "found no \"fingerprint\"");
  refuse(&f, (mt_npz_array[]){model, {.name = "fingerprint", .strings = &wrong}}, 2,
         "16 hexadecimal digits");
  refuse(&f, (mt_npz_array[]){model, {.name = "fingerprint", .strings = &zero}}, 2,
         "of another model");
  g_autoptr(mt_means_sum) sum = mt_means_sum_new(f.session, &error);
  g_assert_null(mt_means_sum_finish(sum, "nothing.txt", &error));
  g_assert_nonnull(strstr(error.message, "nothing.txt"));

  /* With the right fingerprint the rest is looked at. */
  g_assert_true(mt_means_write(f.means, f.path, &error));
  g_autofree char *digits = g_strdup_printf("%016" G_GINT64_MODIFIER "x", f.means->fingerprint);
  const char *right = digits;
  mt_npz_array arrays[] = {
      model,
      {.name = "fingerprint", .strings = &right},
      {.name = "text", .strings = &name},
      {.name = "counts", .n_dims = 1, .shape = {3}, .i32 = counts},
      {.name = "encoder", .n_dims = 3, .shape = {6, 4, 16}, .f32 = numbers},
  };
  refuse(&f, arrays, 5, "three whole numbers");
  arrays[3].i32 = (const int32_t[]){1, 2, 3};
  refuse(&f, arrays, 5, "shape (6, 8, 8)");
  arrays[4].shape[1] = arrays[4].shape[2] = 8;
  refuse(&f, arrays, 5, "found no \"decoder\"");
  numbers[7] = NAN;
  refuse(&f, arrays, 5, "not finite");
  close_fixture(&f);
}

TESTS()
{
  g_test_add_func("/means/numbers", test_numbers);
  g_test_add_func("/means/change", test_change);
  g_test_add_func("/means/files", test_files);
  g_test_add_func("/means/find", test_find);
  g_test_add_func("/means/damage", test_damage);
  g_test_add_func("/means/refused", test_refused);
}
