/* test-fit-plot.c — the picture of a training: well-formed, to scale, whole or not at all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "small-dataset.h"
#include "suite.h"
#include "train/fit-plot.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static char *folder, *path;

/* What a picture holds. */
typedef struct {
  GHashTable *texts; /* of labels */
  guint n_rings;     /* round rectangles come in twos */
  GPtrArray *paths;  /* d of each */
} Picture;

static void
take_element(GMarkupParseContext *context, const char *element, const char **names,
             const char **values, gpointer user, GError **error)
{
  Picture *picture = user;
  for (guint i = 0; names[i]; i++)
    if (strcmp(names[i], "d") == 0)
      g_ptr_array_add(picture->paths, g_strdup(values[i]));
    else if (strcmp(element, "rect") == 0 && strcmp(names[i], "rx") == 0)
      picture->n_rings++;
}

static void
take_text(GMarkupParseContext *context, const char *text, gsize n, gpointer user, GError **error)
{
  Picture *picture = user;
  g_hash_table_add(picture->texts, g_strndup(text, n));
}

static Picture *
read_picture(void)
{
  static const GMarkupParser parser = {.start_element = take_element, .text = take_text};
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(path, &text, &n, NULL));
  Picture *picture = g_new0(Picture, 1);
  picture->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  picture->paths = g_ptr_array_new_with_free_func(g_free);
  GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, picture, NULL);
  g_markup_parse_context_parse(context, text, (gssize) n, &error);
  g_assert_no_error(error);
  g_assert_true(g_markup_parse_context_end_parse(context, &error));
  g_markup_parse_context_free(context);
  /* Only what SVG takes for a number. */
  g_assert_null(strstr(text, "nan"));
  g_assert_null(strstr(text, "inf"));
  return picture;
}

static void
picture_free(Picture *picture)
{
  g_hash_table_unref(picture->texts);
  g_ptr_array_unref(picture->paths);
  g_free(picture);
}

static void
write_good(const char *title, const mt_trainer_record *records, gsize n)
{
  mt_error error = {0};
  g_assert_true(fit_plot_write(path, title, records, n, &error));
}

static mt_trainer_record *
make_records(gsize n)
{
  mt_trainer_record *records = g_new(mt_trainer_record, n);
  for (gsize i = 0; i < n; i++)
    records[i] = (mt_trainer_record){
        .step = i + 1,
        .loss = 2 + 7 * exp(-(double) i / 100),
        .learning_rate = 5e-4,
        .valid_loss = i % 100 == 99 ? 2.5 : NAN,
        .valid_bleu = i % 500 == 499 ? 30 : NAN,
    };
  return records;
}

static void
test_labels(void)
{
  g_autofree mt_trainer_record *records = make_records(2000);
  write_good("A & B <c>\x01 „Größe“", records, 2000);
  Picture *picture = read_picture();
  static const char *const texts[] = {
      "A & B <c>␁ „Größe“",
      "training loss 2.000",
      "validation loss 2.500 (perplexity 12.18)",
      "learning rate 5.00e-4",
      "BLEU 30.0",
      "loss (nats a target token)",
      "learning rate (× 1e-4)",
      "BLEU",
      "step",
      "0",
      "2,000",
      "5",
  };
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    if (!g_hash_table_contains(picture->texts, texts[i]))
      g_error("there is no \"%s\"", texts[i]);
  /* 20 validations, 4 of them with BLEU; and one for each in the legend. */
  g_assert_cmpuint(picture->n_rings, ==, 2 * (20 + 4 + 2));
  picture_free(picture);
}

/* A line goes where its values are: half of the steps at half of the width, half of the rate at
 * half of the height. */
static void
test_scale(void)
{
  mt_trainer_record records[1001];
  for (gsize i = 0; i <= 1000; i++)
    records[i] = (mt_trainer_record){.step = i,
                                     .loss = NAN,
                                     .learning_rate = (double) i / 1000,
                                     .valid_loss = NAN,
                                     .valid_bleu = NAN};
  write_good(NULL, records, G_N_ELEMENTS(records));
  Picture *picture = read_picture();
  gboolean found = FALSE;
  for (guint i = 0; i < picture->paths->len; i++) {
    const char *d = g_ptr_array_index(picture->paths, i);
    g_auto(GStrv) points = g_strsplit(d + 1, " ", -1);
    guint n = g_strv_length(points);
    if (n < 500)
      continue;
    double x0 = g_ascii_strtod(points[0], NULL), x1 = g_ascii_strtod(points[n - 1], NULL);
    double y0 = g_ascii_strtod(strchr(points[0], ',') + 1, NULL);
    double y1 = g_ascii_strtod(strchr(points[n - 1], ',') + 1, NULL);
    double x = g_ascii_strtod(points[n / 2], NULL);
    double y = g_ascii_strtod(strchr(points[n / 2], ',') + 1, NULL);
    g_assert_cmpfloat(x1 - x0, >, 600);
    g_assert_cmpfloat(y0 - y1, >, 240); /* up */
    g_assert_cmpfloat_with_epsilon(x, (x0 + x1) / 2, 1.5);
    g_assert_cmpfloat_with_epsilon(y, (y0 + y1) / 2, 1.5);
    found = TRUE;
  }
  g_assert_true(found);
  picture_free(picture);
}

/* Whatever the numbers are, it is a picture. */
static void
test_odd_records(void)
{
  const mt_trainer_record odd[] = {
      {0, 1e300, 1e-300, 1e300, 1e300}, {1, INFINITY, -INFINITY, NAN, NAN}, {2, 0, 0, 0, 0},
      {G_MAXUINT64 / 2, -5, 3, 2, 101}, {G_MAXUINT64, 2, 1e30, 1e-30, 0},
  };
  for (gsize first = 0; first < G_N_ELEMENTS(odd); first++)
    for (gsize n = 0; first + n <= G_N_ELEMENTS(odd); n++) {
      write_good("", odd + first, n);
      picture_free(read_picture());
    }
}

/* A long run is a small file. */
static void
test_long(void)
{
  g_autofree mt_trainer_record *records = make_records(300000);
  write_good("long", records, 300000);
  GStatBuf status;
  g_assert_cmpint(g_stat(path, &status), ==, 0);
  g_assert_cmpint(status.st_size, <, 200000);
  picture_free(read_picture());
}

static void
test_numbers(void)
{
  static const struct {
    double value;
    int decimals;
    const char *text;
  } cases[] = {
      {0, 0, "0"},
      {-0.0, 1, "0.0"},
      {1234567, 0, "1,234,567"},
      {999.999, 2, "1,000.00"},
      {-12.345, 1, "-12.3"},
      {0.05, 2, "0.05"},
      {-0.001, 2, "0.00"},
      {NAN, 1, "0.0"},
      {1e17, 0, "100,000,000,000,000,000"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = fit_format_number(cases[i].value, cases[i].decimals);
    g_assert_cmpstr(text, ==, cases[i].text);
  }
}

/* ---- The file -------------------------------------------------------------------------------- */

static void
test_replaced(void)
{
  g_autofree mt_trainer_record *records = make_records(1000);
  g_autofree char *stale = g_build_filename(folder, ".plot.svg.part", NULL);
  g_assert_true(g_file_set_contents(stale, "of a program that was killed", -1, NULL));
  write_good("first", records, 1000);
  g_assert_cmpuint(small_count(folder), ==, 1);
  /* A full disk leaves the old one, and nothing else. */
  struct rlimit before;
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit little = before;
  little.rlim_cur = 4096;
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
  mt_error error = {0};
  gboolean written = fit_plot_write(path, "second", records, 1000, &error);
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
  g_assert_false(written);
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_assert_nonnull(strstr(error.message, "plot.svg"));
  g_assert_cmpuint(small_count(folder), ==, 1);
  Picture *picture = read_picture();
  g_assert_true(g_hash_table_contains(picture->texts, "first"));
  picture_free(picture);
  g_autofree char *deep = g_build_filename(folder, "no", "such.svg", NULL);
  g_assert_false(fit_plot_write(deep, NULL, NULL, 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
}

static void
run(gconstpointer test)
{
  folder = small_temporary();
  path = g_build_filename(folder, "plot.svg", NULL);
  ((void (*)(void)) test)();
  g_free(path);
  small_remove(folder);
}

TESTS()
{
  /* Where there is one, a locale that writes a comma. */
  setlocale(LC_ALL, "de_DE.UTF-8");
  static const struct {
    const char *name;
    void (*test)(void);
  } tests[] = {
      {"/fit-plot/labels", test_labels},           {"/fit-plot/scale", test_scale},
      {"/fit-plot/odd-records", test_odd_records}, {"/fit-plot/long", test_long},
      {"/fit-plot/numbers", test_numbers},         {"/fit-plot/replaced", test_replaced},

  };
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
    g_test_add_data_func(tests[i].name, (gconstpointer) tests[i].test, run);
}
