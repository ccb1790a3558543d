/* test-cli-pictures.c — regard-cli attend and positions: files in every format, with the numbers
 * they should hold.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define DOGS "I have two dogs."

static const struct {
  const char *format;
  const char *magic; /* how a file of this format starts */
} formats[] = {
    {"png", "\x89PNG\r\n\x1a\n"}, {"svg", "<"}, {"pdf", "%PDF-"}, {"csv", ""}, {"json", ""},
    {"npz", "PK\x03\x04"},
};

static void
assert_file(const char *path, const char *magic)
{
  gsize length = 0;
  g_autofree char *data = cli_contents(path, &length);
  g_assert_nonnull(data);
  g_assert_cmpuint(length, >, 40);
  g_assert_cmpint(memcmp(data, magic, strlen(magic)), ==, 0);
}

static void
test_attend_formats(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autofree char *name = g_strconcat("attend.", formats[i].format, NULL);
    g_autofree char *path = cli_scratch_path(name);
    g_autoptr(CliRun) run = cli_run_ok(NULL, "attend", "--kind", "cross", "--layer", "5", "--head",
                                       "3", "-o", path, DOGS, NULL);
    g_assert_cmpstr(run->out, ==, "");
    g_assert_cmpstr(run->err, ==, "");
    assert_file(path, formats[i].magic);
  }
}

static void
test_positions_formats(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autofree char *name = g_strconcat("positions.", formats[i].format, NULL);
    g_autofree char *path = cli_scratch_path(name);
    cli_succeeds(NULL, "positions", "--length", "12", "-o", path, NULL);
    assert_file(path, formats[i].magic);
  }
}

/* Sum and number of the values in a row of CSV; its first field is a label, and a masked cell is an
 * empty field. Labels with commas or quotes do not come up in the sentences used here. */
static double
sum_row(const char *row, guint *n)
{
  g_auto(GStrv) fields = g_strsplit(row, ",", -1);
  double sum = 0;
  *n = 0;
  for (guint i = 1; fields[0] && fields[i]; i++) {
    char *end;
    double value = g_ascii_strtod(g_strchomp(fields[i]), &end);
    if (*end || strchr(fields[i], ':'))
      continue; /* a label */
    sum += value;
    ++*n;
  }
  return sum;
}

/* Rows of a distribution, read from the CSV: how many, and whether each sums to 1. */
static guint
count_distributions(const char *path, guint n_columns)
{
  guint n_rows = 0;
  g_autofree char *text = cli_contents(path, NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    guint n;
    double sum = sum_row(lines[i], &n);
    if (n != n_columns)
      continue;
    g_assert_cmpfloat_with_epsilon(sum, 1, 1e-4);
    n_rows++;
  }
  return n_rows;
}

static guint
count_tokens(const char *text, const char *target_option)
{
  g_autofree char *line = g_strconcat(text, "\n", NULL);
  g_autoptr(CliRun) run = cli_run_ok(line, "tokenize", "--json", target_option, NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  guint n = (guint) cli_json_length(object, "tokens");
  return n;
}

static void
test_rows_sum_to_one(void)
{
  static const char target[] = "Ich habe zwei große Hunde";
  guint n_source = count_tokens("I have two dogs", NULL);
  guint n_target = count_tokens(target, "--target");
  static const char *const kinds[] = {"encoder", "decoder", "cross"};
  const guint rows[] = {n_source, n_target, n_target}, columns[] = {n_source, n_target, n_source};
  static const char *const heads[] = {"1", "8", "mean"};

  for (gsize k = 0; k < 3; k++)
    for (gsize h = 0; h < 3; h++) {
      g_autofree char *path = cli_scratch_path("sum.csv");
      cli_succeeds(NULL, "attend", "--kind", kinds[k], "--layer", "2", "--head", heads[h],
                   "--target", target, "-o", path, "I have two dogs", NULL);
      g_assert_cmpuint(count_distributions(path, columns[k]), ==, rows[k]);
    }
}

/* --target decides how many rows there are; the default is what the search found. */
static void
test_target(void)
{
  g_autofree char *a = cli_scratch_path("searched.csv"), *b = cli_scratch_path("given.csv"),
                  *c = cli_scratch_path("other.csv");
  cli_succeeds(NULL, "attend", "-o", a, DOGS, NULL);
  cli_succeeds(NULL, "attend", "--target", "Ich habe zwei Hunde.", "-o", b, DOGS, NULL);
  cli_succeeds(NULL, "attend", "--target", "Zwei Katzen schlafen.", "-o", c, DOGS, NULL);
  g_autofree char *text_a = cli_contents(a, NULL), *text_b = cli_contents(b, NULL),
                  *text_c = cli_contents(c, NULL);
  g_assert_cmpstr(text_a, ==, text_b);
  g_assert_cmpstr(text_a, !=, text_c);
  g_assert_nonnull(strstr(text_c, "Katze"));
}

/* A grid as CSV is one line for each cell: kind, layer, head, the two tokens, weight. */
static void
check_grid_csv(const char *path, guint n_heads)
{
  guint n = count_tokens("I have two dogs", NULL), n_cells = 0;
  double sum = 0;
  g_autofree char *text = cli_contents(path, NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint i = 1; lines[i] && *lines[i]; i++) {
    g_assert_true(g_str_has_prefix(lines[i], "encoder,"));
    sum += g_ascii_strtod(strrchr(lines[i], ',') + 1, NULL);
    n_cells++;
  }
  g_assert_cmpuint(n_cells, ==, n * n * n_heads);
  g_assert_cmpfloat_with_epsilon(sum, n * n_heads, 1e-3);
}

static void
test_grids(void)
{
  static const char *const layers[] = {NULL, "--layer=3"};
  const guint n_heads[] = {48, 8};
  gsize size[2];
  for (gsize i = 0; i < 2; i++) {
    g_autofree char *png = cli_scratch_path("grid.png"), *csv = cli_scratch_path("grid.csv");
    cli_succeeds(NULL, "attend", "--kind", "encoder", "--head", "all", "-o", png, "--dpi=72",
                 "I have two dogs", layers[i], NULL);
    assert_file(png, formats[0].magic);
    g_autofree char *data = cli_contents(png, &size[i]);
    cli_succeeds(NULL, "attend", "--kind", "encoder", "--head", "all", "-o", csv, "I have two dogs",
                 layers[i], NULL);
    check_grid_csv(csv, n_heads[i]);
  }
  g_assert_cmpuint(size[0], !=, size[1]);
}

/* Each option about the look changes the picture. SVG says so at once; dots per inch are for PNG.
 */
static void
test_looks(void)
{
  static const char *const looks[] = {"--scale=sqrt", "--scale=log",     "--scale=row",
                                      "--words",      "--hide-special",  "--label-by=input",
                                      "--width=89",   "--font=9",        "--dark",
                                      "--head=max",   "--colormap=magma"};
  g_autofree char *path = cli_scratch_path("look.svg");
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (gsize i = 0; i <= G_N_ELEMENTS(looks); i++) {
    /* One untouched picture first. */
    cli_succeeds(NULL, "attend", "-o", path, "An unbelievable story.", i ? looks[i - 1] : NULL,
                 NULL);
    char *data = cli_contents(path, NULL);
    if (g_hash_table_contains(seen, data))
      g_test_message("%s changes nothing", looks[i - 1]);
    g_assert_true(g_hash_table_add(seen, data));
  }
}

/* The size of a PNG, from its first chunk: 40 mm are 1.5748 inches. */
static void
test_dpi(void)
{
  static const char *const options[] = {"--dpi=100", "--dpi=200"};
  const guint widths[] = {157, 315};
  g_autofree char *path = cli_scratch_path("dpi.png");
  for (gsize i = 0; i < 2; i++) {
    cli_succeeds(NULL, "attend", "-o", path, "--width", "40", options[i], DOGS, NULL);
    gsize length;
    g_autofree char *data = cli_contents(path, &length);
    const guchar *w = (const guchar *) data + 16;
    g_assert_cmpuint(length, >, 33);
    guint width = (guint) w[0] << 24 | (guint) w[1] << 16 | (guint) w[2] << 8 | w[3];
    g_assert_cmpuint(width, >=, widths[i] - 1);
    g_assert_cmpuint(width, <=, widths[i] + 1);
  }
}

static void
test_caption(void)
{
  g_autofree char *path = cli_scratch_path("caption.svg");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "attend", "--caption", "-o", path, DOGS, NULL);
  g_assert_nonnull(strstr(run->out, DOGS));
  g_assert_true(g_str_has_suffix(run->out, "\n"));
  g_assert_null(strstr(run->out, "Search:")); /* as the model wants it */
}

/* Settings that are not the model's own are said, and kept by an archive; of a given translation
 * there are none. */
static void
test_search_is_said(void)
{
  g_autofree char *path = cli_scratch_path("search.json"), *npz = cli_scratch_path("search.npz");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "attend", "--beam", "2", "--max-length", "20",
                                     "--caption", "-o", path, DOGS, NULL);
  const char *said = "beam size 2, maximum length 20";
  g_assert_nonnull(strstr(run->out, " Search: beam size 2, maximum length 20. "));
  g_autofree char *json = NULL;
  g_assert_true(g_file_get_contents(path, &json, NULL, NULL));
  g_assert_nonnull(strstr(json, said));

  cli_succeeds(NULL, "capture", "--beam", "2", "--max-length", "20", "-o", npz, DOGS, NULL);
  g_autoptr(CliRun) read =
      cli_run_ok(NULL, "attend", "--capture", npz, "--caption", "-o", path, NULL);
  g_assert_nonnull(strstr(read->out, " Search: beam size 2, maximum length 20. "));

  g_autoptr(CliRun) given = cli_run(NULL, "attend", "--beam", "2", "--target", "Ich habe.",
                                    "--caption", "-o", path, DOGS, NULL);
  g_assert_null(strstr(given->out, "Search:"));
}

/* The language of a multi-target model is named by its code; with the special tokens hidden its
 * token is not drawn. */
static void
test_language(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/multi-target");
  for (guint hide = 0; hide < 2; hide++) {
    g_autofree char *path = cli_scratch_path("language.csv");
    g_autoptr(CliRun) run =
        cli_run_ok(NULL, "attend", "--to", "deu", "--model", model, "--caption", "--max-length",
                   "8", "-o", path, "the dog", hide ? "--hide-special" : NULL, NULL);
    g_assert_nonnull(strstr(run->out, "Source: “the dog”. Translation (deu): “"));
    g_autofree char *csv = NULL;
    g_assert_true(g_file_get_contents(path, &csv, NULL, NULL));
    if (hide)
      g_assert_null(strstr(csv, ">>deu<<"));
    else
      g_assert_nonnull(strstr(csv, ">>deu<<"));
  }
}

/* A file that cannot be written: status 1, its name, and what was there before stays. */
static void
test_unwritable(void)
{
  g_autofree char *nowhere = cli_scratch_path("no/such/folder/a.png");
  cli_refuses(1, "no/such/folder/a.png", NULL, "attend", "-o", nowhere, DOGS, NULL);

  g_autofree char *folder = cli_scratch_path("folder.svg");
  g_mkdir(folder, 0755);
  cli_refuses(1, "folder.svg", NULL, "positions", "-o", folder, NULL);

  g_autofree char *kept = cli_scratch_file("kept.pdf", "before");
  cli_refuses(1, "UTF-8", NULL, "attend", "-o", kept, "caf\xE9", NULL);
  g_autoptr(CliRun) no_text = cli_run(NULL, "attend", "-o", kept, "", NULL);
  cli_assert_status(no_text, 1);
  g_autofree char *text = cli_contents(kept, NULL);
  g_assert_cmpstr(text, ==, "before");

  /* Nothing is left lying about. */
  const char *name;
  g_autoptr(GDir) dir = g_dir_open(cli_scratch(), 0, NULL);
  while ((name = g_dir_read_name(dir)))
    g_assert_false(g_str_has_prefix(name, ".") || strstr(name, "tmp"));
}

/* A row of sin and cos of the halves layout: PE(p, i) = sin(p / 10000^(2i/d)), then cosines. */
static void
test_positions_values(void)
{
  g_autofree char *path = cli_scratch_path("values.csv");
  cli_succeeds(NULL, "positions", "--length", "3", "-o", path, NULL);
  g_autofree char *text = cli_contents(path, NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  enum { WIDTH = 64, HALF = WIDTH / 2 }; /* of the frozen model */
  guint position = 0;
  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) fields = g_strsplit(lines[i], ",", -1);
    guint n = g_strv_length(fields);
    char *end;
    if (n != WIDTH + 1 || (g_ascii_strtod(fields[2], &end), end == fields[2] || *end))
      continue;
    /* The line that names the columns counts 0, 1, 2, … where the values never do. */
    if (g_ascii_strtod(fields[WIDTH], NULL) > 1.5)
      continue;
    for (guint k = 0; k < HALF; k++) {
      double angle = position / pow(10000, 2.0 * k / WIDTH);
      g_assert_cmpfloat_with_epsilon(g_ascii_strtod(fields[1 + k], NULL), sin(angle), 1e-4);
      g_assert_cmpfloat_with_epsilon(g_ascii_strtod(fields[HALF + 1 + k], NULL), cos(angle), 1e-4);
    }
    position++;
  }
  g_assert_cmpuint(position, ==, 3);
}

static void
test_positions_kinds(void)
{
  static const char *const options[] = {"--similarity", "--shift=5", "--shift=-3",
                                        "--stack=decoder"};
  for (gsize i = 0; i < G_N_ELEMENTS(options); i++) {
    g_autofree char *path = cli_scratch_path("kind.svg");
    cli_succeeds(NULL, "positions", "-n", "8", "-o", path, options[i], NULL);
    assert_file(path, formats[1].magic);
  }
}

/* The formats that --help of a command lists are those that it takes: a tree has one more, and so
 * has attention. */
static void
test_listed_formats(void)
{
  static const char *const commands[] = {"attend",    "inside",    "layers",     "lens",
                                         "effects",   "patch",     "prune",      "quality",
                                         "attribute", "positions", "complexity", "sheet",
                                         "steps"};
  g_autofree char *missing = cli_scratch_path("no-model");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    const char *const command = commands[i];
    const gboolean is_tree = strcmp(command, "steps") == 0;
    g_autoptr(CliRun) help = cli_run(NULL, command, "--help", NULL);
    const char *const endings = is_tree ? "png, svg, pdf, tikz, pgfplots, csv, json, npz, dot"
                                : strcmp(command, "attend") == 0
                                    ? "png, svg, pdf, tikz, pgfplots, csv, json, npz, html"
                                    : "png, svg, pdf, tikz, pgfplots, csv, json, npz";
    g_autofree char *listed = g_strdup_printf("%s\n", endings);
    g_assert_nonnull(strstr(help->out, listed));
    /* Refused before the model is looked for, or after. */
    g_autoptr(CliRun) run =
        strcmp(command, "quality") == 0
            ? cli_run(NULL, command, "-m", missing, "-o", "a.dot", "--references", "a", "b", NULL)
        : strcmp(command, "positions") == 0
            ? cli_run(NULL, command, "-m", missing, "-o", "a.dot", NULL)
        : strcmp(command, "patch") == 0
            ? cli_run(NULL, command, "-m", missing, "-o", "a.dot", "--change", "cross 4.1 zero",
                      "Hello", NULL)
            : cli_run(NULL, command, "-m", missing, "-o", "a.dot", "Hello", NULL);
    g_autofree char *refused = g_strdup_printf("ends with one of %s, found 'a.dot'", endings);
    cli_assert_complains(run, is_tree ? 1 : 2, is_tree ? "no-model" : refused);
  }
  cli_refuses(2, "json, npz, found 'a.dot'", NULL, "steps", "-m", missing, "-o", "a.dot", "--step",
              "1", "Hello", NULL);
}

/* The sum of two columns is what the matrix has in both. */
static void
test_sum(void)
{
  g_autofree char *whole = cli_scratch_path("whole.npz"), *part = cli_scratch_path("sum.npz");
  g_autofree char *json = cli_scratch_path("sum.json");
  static const char *const wrong[][2] = {{"2,3", "--sum wants keys: or queries:"},
                                         {"keys:", "--sum wants keys: or queries:"},
                                         {"keys:cat", "there is no key 'cat'"},
                                         {"queries:99", "there is no query '99'"}};
  cli_succeeds(NULL, "attend", "--layer", "5", "--head", "3", "-o", whole, DOGS, NULL);
  cli_succeeds(NULL, "attend", "--layer", "5", "--head", "3", "--sum", "keys:two,4", "-o", part,
               DOGS, NULL);
  cli_succeeds(NULL, "attend", "--sum", "queries:1-2", "-o", json, DOGS, NULL);
  g_autoptr(Npy) matrix = npy_read(whole, "values"), row = npy_read(part, "values");
  g_assert_cmpuint(row->shape[0], ==, 1);
  g_assert_cmpuint(row->shape[1], ==, matrix->shape[0]);
  for (gsize r = 0; r < matrix->shape[0]; r++)
    g_assert_cmpfloat_with_epsilon(npy_float(row, r),
                                   npy_float(matrix, r * matrix->shape[1] + 2) +
                                       npy_float(matrix, r * matrix->shape[1] + 3),
                                   1e-6);
  g_autofree char *text = cli_contents(json, NULL);
  g_assert_nonnull(strstr(text, "\"sum_of\":\"queries\",\"summed\":[\"▁Ich\",\"▁habe\"]"));
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    cli_refuses(2, wrong[i][1], NULL, "attend", "--sum", wrong[i][0], "-o", json, DOGS, NULL);
  }
  cli_refuses(2, "--sum is of one matrix", NULL, "attend", "--head", "all", "--sum", "keys:2", "-o",
              json, DOGS, NULL);
}

/* What goes to standard output is what would be in the file. */
static void
test_standard_output(void)
{
  static const char *const kinds[] = {"csv", "svg", "png"};
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autofree char *name = g_strconcat("out.", kinds[i], NULL);
    g_autofree char *path = cli_scratch_path(name);
    gsize length;
    cli_succeeds(NULL, "attend", "-o", path, DOGS, NULL);
    g_autofree char *file = cli_contents(path, &length);
    g_autoptr(CliRun) run = cli_run_ok(NULL, "attend", "-o", "-", "--format", kinds[i], DOGS, NULL);
    g_assert_cmpmem(run->out, run->out_length, file, length);
  }
  g_autofree char *odd = cli_scratch_path("odd.name");
  cli_succeeds(NULL, "attend", "-o", odd, "--format", "pdf", DOGS, NULL);
  assert_file(odd, "%PDF-");
  g_autofree char *npz = cli_scratch_path("out.npz"), *piped = cli_scratch_path("piped.npz");
  cli_succeeds(NULL, "capture", "--layer", "5", "--head", "3", "--kind", "cross", "-o", npz, DOGS,
               NULL);
  g_autoptr(CliRun) run = cli_run_ok(NULL, "capture", "--layer", "5", "--head", "3", "--kind",
                                     "cross", "-o", "-", DOGS, NULL);
  g_assert_true(g_file_set_contents(piped, run->out, (gssize) run->out_length, NULL));
  g_autoptr(Npy) a = npy_read(npz, "cross_attentions"), b = npy_read(piped, "cross_attentions");
  g_assert_cmpuint(a->shape[2], ==, b->shape[2]);
  for (gsize k = 0; k < a->shape[2] * a->shape[3]; k++)
    g_assert_cmpfloat(npy_float(a, k), ==, npy_float(b, k));
  cli_refuses(2, "wants a --format", NULL, "attend", "-o", "-", DOGS, NULL);
  cli_refuses(2, "--format wants one of", NULL, "attend", "-o", "-", "--format", "gif", DOGS, NULL);
  cli_refuses(2, "--caption", NULL, "attend", "-o", "-", "--format", "csv", "--caption", DOGS,
              NULL);
}

/* Each line has its file, by its number, the same as if it were the only one. */
static void
test_texts(void)
{
  g_autofree char *texts = cli_scratch_file("texts.txt", DOGS "\n\nThe cat sat.\n"),
                  *out = cli_scratch_path("text-{n}.csv"), *one = cli_scratch_path("text-1.csv"),
                  *two = cli_scratch_path("text-2.csv"), *three = cli_scratch_path("text-3.csv"),
                  *alone = cli_scratch_path("alone.csv");
  cli_succeeds(NULL, "attend", "--texts", texts, "-o", out, NULL);
  cli_succeeds(NULL, "attend", "-o", alone, "The cat sat.", NULL);
  g_autofree char *first = cli_contents(one, NULL), *third = cli_contents(three, NULL),
                  *expected = cli_contents(alone, NULL);
  g_assert_nonnull(strstr(first, "two"));
  g_assert_cmpstr(third, ==, expected);
  g_assert_false(g_file_test(two, G_FILE_TEST_EXISTS));
  cli_refuses(2, "wants -o FILE with {n}", NULL, "attend", "--texts", texts, "-o", alone, NULL);
  cli_refuses(2, "no TEXT", NULL, "attend", "--texts", texts, "-o", out, DOGS, NULL);
  cli_refuses(2, "--layer", NULL, "attend", "--layer", "99", "--texts", texts, "-o", out, NULL);
  /* A line that cannot be done is named, and the others are done. */
  g_autofree char *broken = cli_scratch_file("broken.txt", "A\xff"
                                                           "B\n" DOGS "\n");
  g_unlink(two);
  cli_refuses(1, "broken.txt:1:", NULL, "attend", "--texts", broken, "-o", out, NULL);
  g_autofree char *second = cli_contents(two, NULL);
  g_assert_cmpstr(second, ==, first);
}

TESTS()
{
  g_test_set_nonfatal_assertions();
  g_test_add_func("/cli/attend/target", test_target);
  g_test_add_func("/cli/attend/dpi", test_dpi);
  g_test_add_func("/cli/attend/unwritable", test_unwritable);
  g_test_add_func("/cli/positions/kinds", test_positions_kinds);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli/attend/formats", test_attend_formats);
  g_test_add_func("/cli/attend/listed-formats", test_listed_formats);
  g_test_add_func("/cli/attend/rows-sum-to-one", test_rows_sum_to_one);
  g_test_add_func("/cli/attend/grids", test_grids);
  g_test_add_func("/cli/attend/looks", test_looks);
  g_test_add_func("/cli/attend/caption", test_caption);
  g_test_add_func("/cli/attend/search-is-said", test_search_is_said);
  g_test_add_func("/cli/attend/language", test_language);
  g_test_add_func("/cli/attend/sum", test_sum);
  g_test_add_func("/cli/attend/standard-output", test_standard_output);
  g_test_add_func("/cli/attend/texts", test_texts);
  g_test_add_func("/cli/positions/formats", test_positions_formats);
  g_test_add_func("/cli/positions/values", test_positions_values);
}
