/* test-cli-sheet.c — regard-cli sheet: a pocket calculator that knows the paper goes through the
 * printed numbers of a sheet, each step from those before it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A printed number stands for all that would be rounded to it, so each step gives an interval, and
 * what is printed next must be in it, up to its own rounding. Weights are printed exactly.
 */
#include "cli-test.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HALF    0.0005 /* of the last decimal */
#define FLOATS  2e-5   /* what arithmetic in 32-bit floats may add */
#define D       4
#define MOST    11 /* rows and columns: the pieces */
#define EPSILON 1e-5

static const char *const texts[] = {"cat", "dog", "bird", "fish", "bird cat"};

typedef struct {
  double low, high;
} Interval;

/* One matrix of the sheet; what is masked is not there. */
typedef struct {
  guint rows, cols;
  gboolean is_there[MOST][MOST];
  double value[MOST][MOST];
  char *labels[MOST]; /* of the rows */
} Table;

typedef struct {
  Interval at[MOST][MOST];
} Step;

typedef struct {
  GHashTable *tables; /* id -> Table */
  double largest;     /* difference between a number and the middle of its interval */
  GString *wrong;     /* ids of matrices with a number that does not follow */
} Sheet;

/* ---- Reading ----------------------------------------------------------------------------------
 */

static void
table_free(gpointer data)
{
  Table *table = data;
  for (guint r = 0; r < MOST; r++)
    g_free(table->labels[r]);
  g_free(table);
}

static void
sheet_clear(Sheet *sheet)
{
  g_hash_table_unref(sheet->tables);
  g_string_free(sheet->wrong, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sheet, sheet_clear)

static Sheet
read_sheet(const char *path)
{
  Sheet sheet = {g_hash_table_new_full(g_str_hash, g_str_equal, g_free, table_free), 0,
                 g_string_new(NULL)};
  g_autofree char *text = cli_contents(path, NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\r\n", -1);
  g_assert_cmpstr(lines[0], ==, "matrix,row_index,row,column_index,column,value");
  for (guint i = 1; lines[i] && *lines[i]; i++) {
    g_auto(GStrv) fields = g_strsplit(lines[i], ",", -1);
    g_assert_cmpuint(g_strv_length(fields), ==, 6);
    guint row = (guint) g_ascii_strtoull(fields[1], NULL, 10);
    guint col = (guint) g_ascii_strtoull(fields[3], NULL, 10);
    g_assert_cmpuint(row, <, MOST);
    g_assert_cmpuint(col, <, MOST);
    Table *table = g_hash_table_lookup(sheet.tables, fields[0]);
    if (!table) {
      table = g_new0(Table, 1);
      g_hash_table_insert(sheet.tables, g_strdup(fields[0]), table);
    }
    table->rows = MAX(table->rows, row + 1);
    table->cols = MAX(table->cols, col + 1);
    table->is_there[row][col] = TRUE;
    table->value[row][col] = g_ascii_strtod(fields[5], NULL);
    if (!table->labels[row])
      table->labels[row] = g_strdup(fields[2]);
  }
  return sheet;
}

static Sheet
run_sheet(const char *text)
{
  g_autofree char *path = cli_scratch_path("sheet.csv");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "sheet", "-o", path, text, NULL);
  g_assert_cmpstr(run->err, ==, "");
  return read_sheet(path);
}

static Table *
get(const Sheet *sheet, const char *place, const char *name)
{
  g_autofree char *id = *place ? g_strdup_printf("%s.%s", place, name) : g_strdup(name);
  Table *table = g_hash_table_lookup(sheet->tables, id);
  if (!table)
    g_error("the sheet has no '%s'", id);
  return table;
}

/* ---- The pocket calculator --------------------------------------------------------------------
 */

static Interval
exactly(double x)
{
  return (Interval){x, x};
}

/* A computed number, as it is printed. */
static Interval
printed(const Table *t, guint row, guint col)
{
  g_assert_true(t->is_there[row][col]);
  return (Interval){t->value[row][col] - HALF, t->value[row][col] + HALF};
}

static Interval
add(Interval a, Interval b)
{
  return (Interval){a.low + b.low, a.high + b.high};
}

static Interval
minus(Interval a)
{
  return (Interval){-a.high, -a.low};
}

static Interval
times(Interval a, Interval b)
{
  const double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  Interval all = exactly(ends[0]);
  for (guint i = 1; i < G_N_ELEMENTS(ends); i++)
    all = (Interval){fmin(all.low, ends[i]), fmax(all.high, ends[i])};
  return all;
}

static Interval
square(Interval a)
{
  const double low = fmin(fabs(a.low), fabs(a.high)), high = fmax(fabs(a.low), fabs(a.high));
  return (Interval){a.low <= 0 && a.high >= 0 ? 0 : low * low, high * high};
}

/* What is printed follows from the step, up to its rounding. */
static void
follows(Sheet *sheet, const char *place, const char *name, const Step *step)
{
  const Table *t = get(sheet, place, name);
  gboolean is_wrong = FALSE;
  for (guint r = 0; r < t->rows; r++)
    for (guint c = 0; c < t->cols; c++)
      if (t->is_there[r][c]) {
        const Interval want = step->at[r][c];
        const double value = t->value[r][c], slack = HALF + FLOATS * (1 + fabs(value));
        is_wrong |= !(value >= want.low - slack && value <= want.high + slack);
        sheet->largest = fmax(sheet->largest, fabs(value - (want.low + want.high) / 2));
      }
  if (is_wrong)
    g_string_append_printf(sheet->wrong, " %s.%s", place, name);
}

/* x W + b. */
static Step
linear(const Sheet *sheet, const Table *x, const char *place, const char *w, const char *b)
{
  const Table *weights = get(sheet, place, w), *bias = get(sheet, place, b);
  Step y = {0};
  g_assert_cmpuint(weights->rows, ==, x->cols);
  for (guint r = 0; r < x->rows; r++)
    for (guint c = 0; c < weights->cols; c++) {
      y.at[r][c] = exactly(bias->value[0][c]);
      for (guint i = 0; i < x->cols; i++)
        y.at[r][c] = add(y.at[r][c], times(printed(x, r, i), exactly(weights->value[i][c])));
    }
  return y;
}

/* The softmax of each row, of what is not masked. */
static Step
softmax(const Table *t)
{
  Step y = {0};
  for (guint r = 0; r < t->rows; r++)
    for (guint c = 0; c < t->cols; c++) {
      double least = 0, most = 0;
      for (guint i = 0; i < t->cols; i++)
        if (i != c && t->is_there[r][i]) {
          least += exp(printed(t, r, i).low);
          most += exp(printed(t, r, i).high);
        }
      if (!t->is_there[r][c])
        continue;
      const double low = exp(printed(t, r, c).low), high = exp(printed(t, r, c).high);
      y.at[r][c] = (Interval){low / (low + most), high / (high + least)};
    }
  return y;
}

/* ---- The Transformer --------------------------------------------------------------------------
 */

static void
check_embedding(Sheet *sheet, const char *stack)
{
  const Table *all = get(sheet, "", "embedding"), *given = get(sheet, stack, "embedding");
  const Table *position = get(sheet, stack, "position");
  Step looked_up = {0}, waves = {0}, sum = {0};
  for (guint r = 0; r < given->rows; r++) {
    guint piece = 0;
    while (piece < all->rows && !g_str_equal(all->labels[piece], given->labels[r]))
      piece++;
    g_assert_cmpuint(piece, <, all->rows);
    for (guint c = 0; c < D; c++) {
      const double angle = r / pow(10000, (c % 2) / 2.0); /* sines in the first half */
      looked_up.at[r][c] = exactly(sqrt(D) * all->value[piece][c]);
      waves.at[r][c] = exactly(c < D / 2 ? sin(angle) : cos(angle));
      sum.at[r][c] = add(printed(given, r, c), printed(position, r, c));
    }
  }
  follows(sheet, stack, "embedding", &looked_up);
  follows(sheet, stack, "position", &waves);
  follows(sheet, stack, "stream", &sum);
}

/* LayerNorm(x + what a sub-layer has made of it). prefix: "" or "feed_forward_". */
static const Table *
check_norm(Sheet *sheet, const char *place, const char *prefix, const Table *x, const Table *added,
           const char *output)
{
  const char *names[] = {"norm_input", "mean", "sigma", "gain", "bias"};
  char *full[G_N_ELEMENTS(names)];
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    full[i] = g_strconcat(prefix, names[i], NULL);
  const Table *input = get(sheet, place, full[0]), *mean = get(sheet, place, full[1]);
  const Table *sigma = get(sheet, place, full[2]), *gain = get(sheet, place, full[3]);
  const Table *bias = get(sheet, place, full[4]);
  Step sum = {0}, means = {0}, sigmas = {0}, normed = {0};
  for (guint r = 0; r < x->rows; r++) {
    Interval total = {0, 0}, squares = {0, 0};
    for (guint c = 0; c < D; c++) {
      const Interval centred = add(printed(input, r, c), minus(printed(mean, r, 0)));
      const Interval s = printed(sigma, r, 0);
      sum.at[r][c] = add(printed(x, r, c), printed(added, r, c));
      total = add(total, printed(input, r, c));
      squares = add(squares, square(centred));
      g_assert_cmpfloat(s.low, >, 0);
      normed.at[r][c] =
          add(times(times(centred, (Interval){1 / s.high, 1 / s.low}), exactly(gain->value[0][c])),
              exactly(bias->value[0][c]));
    }
    means.at[r][0] = times(total, exactly(1.0 / D));
    sigmas.at[r][0] = (Interval){sqrt(squares.low / D + EPSILON), sqrt(squares.high / D + EPSILON)};
  }
  follows(sheet, place, full[0], &sum);
  follows(sheet, place, full[1], &means);
  follows(sheet, place, full[2], &sigmas);
  follows(sheet, place, output, &normed);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    g_free(full[i]);
  return get(sheet, place, output);
}

/* Equation 1, and what surrounds it. */
static const Table *
check_attention(Sheet *sheet, const char *place, const Table *x, const Table *memory,
                gboolean is_causal)
{
  Step step = linear(sheet, x, place, "w_query", "b_query");
  follows(sheet, place, "query", &step);
  step = linear(sheet, memory, place, "w_key", "b_key");
  follows(sheet, place, "key", &step);
  step = linear(sheet, memory, place, "w_value", "b_value");
  follows(sheet, place, "value", &step);

  const Table *q = get(sheet, place, "query"), *k = get(sheet, place, "key");
  const Table *v = get(sheet, place, "value"), *product = get(sheet, place, "product");
  const Table *scores = get(sheet, place, "scores"), *weights = get(sheet, place, "weights");
  Step products = {0}, scaled = {0}, context = {0};
  for (guint r = 0; r < q->rows; r++)
    for (guint c = 0; c < k->rows; c++) {
      for (guint i = 0; i < D; i++)
        products.at[r][c] = add(products.at[r][c], times(printed(q, r, i), printed(k, c, i)));
      scaled.at[r][c] = times(printed(product, r, c), exactly(1 / sqrt(D)));
      g_assert_cmpint(scores->is_there[r][c], ==, !is_causal || c <= r);
    }
  follows(sheet, place, "product", &products);
  follows(sheet, place, "scores", &scaled);
  step = softmax(scores);
  follows(sheet, place, "weights", &step);
  for (guint r = 0; r < q->rows; r++)
    for (guint c = 0; c < D; c++)
      for (guint i = 0; i < k->rows; i++)
        context.at[r][c] = add(context.at[r][c], times(printed(weights, r, i), printed(v, i, c)));
  follows(sheet, place, "context", &context);
  step = linear(sheet, get(sheet, place, "context"), place, "w_output", "b_output");
  follows(sheet, place, "attention_output", &step);
  return check_norm(sheet, place, "", x, get(sheet, place, "attention_output"), "residual");
}

/* Equation 2. */
static const Table *
check_feed_forward(Sheet *sheet, const char *place, const Table *x)
{
  Step step = linear(sheet, x, place, "w_1", "b_1");
  for (guint r = 0; r < x->rows; r++)
    for (guint c = 0; c < D; c++)
      step.at[r][c] = (Interval){fmax(0, step.at[r][c].low), fmax(0, step.at[r][c].high)};
  follows(sheet, place, "hidden", &step);
  step = linear(sheet, get(sheet, place, "hidden"), place, "w_2", "b_2");
  follows(sheet, place, "feed_forward", &step);
  return check_norm(sheet, place, "feed_forward_", x, get(sheet, place, "feed_forward"),
                    "layer_output");
}

/* Every step of the sheet; ids of what does not follow are in sheet->wrong. */
static void
check_sheet(Sheet *sheet)
{
  g_string_truncate(sheet->wrong, 0);
  check_embedding(sheet, "encoder");
  check_embedding(sheet, "decoder");
  const Table *x = get(sheet, "encoder", "stream");
  x = check_attention(sheet, "encoder.1", x, x, FALSE);
  x = check_feed_forward(sheet, "encoder.1", x);
  const Table *y = get(sheet, "decoder", "stream");
  y = check_attention(sheet, "decoder.1", y, y, TRUE);
  y = check_attention(sheet, "cross.1", y, x, FALSE);
  y = check_feed_forward(sheet, "decoder.1", y);
  const Table *all = get(sheet, "", "embedding"), *bias = get(sheet, "", "output_bias");
  Step logits = {0};
  for (guint r = 0; r < y->rows; r++)
    for (guint c = 0; c < all->rows; c++) {
      logits.at[r][c] = exactly(bias->value[c][0]);
      for (guint i = 0; i < D; i++)
        logits.at[r][c] = add(logits.at[r][c], times(printed(y, r, i), exactly(all->value[c][i])));
    }
  follows(sheet, "decoder", "logits", &logits);
  Step shares = softmax(get(sheet, "decoder", "logits"));
  follows(sheet, "decoder", "probabilities", &shares);
}

/* ---- Tests ------------------------------------------------------------------------------------
 */

/* And whoever calculates with the printed numbers alone is nowhere far off. */
static void
test_follows(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_auto(Sheet) sheet = run_sheet(texts[i]);
    check_sheet(&sheet);
    g_assert_cmpstr(sheet.wrong->str, ==, "");
    g_test_message("%s: largest difference %.4f", texts[i], sheet.largest);
    g_assert_cmpfloat(sheet.largest, <, 0.005);
  }
}

/* Any computed number that were another is found: by the step that makes it. */
static void
test_finds(void)
{
  g_auto(Sheet) sheet = run_sheet("cat");
  GHashTableIter iter;
  gpointer id, data;
  guint n = 0;
  g_hash_table_iter_init(&iter, sheet.tables);
  while (g_hash_table_iter_next(&iter, &id, &data)) {
    Table *table = data;
    for (guint r = 0; r < table->rows; r++)
      for (guint c = 0; c < table->cols; c++) {
        /* A weight of zero times zero is seen by nobody. */
        if (!table->is_there[r][c] || strstr(id, "w_") || strstr(id, "b_") || strstr(id, "bias") ||
            g_str_equal(id, "embedding"))
          continue;
        const double value = table->value[r][c];
        table->value[r][c] += 0.03;
        check_sheet(&sheet);
        if (sheet.wrong->len == 0)
          g_error("another number in %s at %u, %u is not found", (char *) id, r, c);
        table->value[r][c] = value;
        n++;
      }
  }
  g_assert_cmpuint(n, >, 300);
  check_sheet(&sheet);
  g_assert_cmpstr(sheet.wrong->str, ==, "");
}

/* What the page shows is what the table has. */
static void
test_page(void)
{
  g_autofree char *path = cli_scratch_path("sheet.svg");
  cli_succeeds(NULL, "sheet", "-o", path, NULL);
  g_autofree char *svg = cli_contents(path, NULL);
  g_auto(Sheet) sheet = run_sheet("cat");
  GHashTableIter iter;
  gpointer id, data;
  g_hash_table_iter_init(&iter, sheet.tables);
  while (g_hash_table_iter_next(&iter, &id, &data)) {
    const Table *table = data;
    gboolean is_weight =
        strstr(id, "w_") || strstr(id, "b_") || strstr(id, "bias") || strstr(id, "gain");
    for (guint r = 0; r < table->rows && !is_weight && !g_str_equal(id, "embedding"); r++)
      for (guint c = 0; c < table->cols; c++)
        if (table->is_there[r][c]) {
          const double value = table->value[r][c];
          g_autofree char *text = g_strdup_printf(">%s%.3f<", value < 0 ? "−" : "", fabs(value));
          if (!strstr(svg, text))
            g_error("%s: %s is not on the page", (char *) id, text);
        }
  }
  g_assert_nonnull(strstr(svg, "“cat” → “Katze”"));
  g_assert_nonnull(strstr(svg, ">→ ▁Katze<"));
  g_assert_nonnull(strstr(svg, ">−∞<"));
  /* A sheet of A4. */
  double width = 0, height = 0;
  const char *box = strstr(svg, "viewBox=\"0 0 ");
  g_assert_nonnull(box);
  g_assert_cmpint(sscanf(box, "viewBox=\"0 0 %lf %lf\"", &width, &height), ==, 2);
  g_assert_cmpfloat(fabs(width - 210 * 72 / 25.4), <, 0.1);
  g_assert_cmpfloat(fabs(height - width * sqrt(2)), <, 0.1);
}

static void
test_formats(void)
{
  static const char *const formats[] = {"pdf", "png", "json", "npz"};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autofree char *name = g_strconcat("sheet.", formats[i], NULL);
    g_autofree char *path = cli_scratch_path(name);
    cli_succeeds(NULL, "sheet", "--dark", "--dpi", "50", "-o", path, "fish", NULL);
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
  }
  g_autofree char *json_path = cli_scratch_path("sheet.json");
  g_autofree char *text = cli_contents(json_path, NULL);
  g_autoptr(json_object) json = cli_assert_json(text);
  json_object *matrices = json_object_object_get(json, "matrices");
  g_auto(Sheet) sheet = run_sheet("fish");
  g_assert_cmpuint(json_object_array_length(matrices), ==, g_hash_table_size(sheet.tables));
}

static void
test_refused(void)
{
  g_autofree char *path = cli_scratch_path("refused.pdf");
  g_autofree char *large = cli_source_path("tests/data/frozen/en-de");
  g_autofree char *by_hand = cli_source_path("models/by-hand");
  cli_refuses(1, "A sheet has room for models of", NULL, "sheet", "-m", large, "-o", path, "I see.",
              NULL);
  cli_refuses(1, "A sheet has room for 8 tokens in each language", NULL, "sheet", "-o", path,
              "cat dog cat dog cat dog cat dog", NULL);
  cli_refuses(2, "a TEXT for this model is missing", NULL, "sheet", "-m", by_hand, "-o", path,
              NULL);
  cli_refuses(2, "one TEXT wanted", NULL, "sheet", "-o", path, "cat", "dog", NULL);
  cli_refuses(2, "-o FILE is missing", NULL, "sheet", "cat", NULL);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

TESTS()
{
  g_test_add_func("/cli-sheet/finds", test_finds);
  g_test_add_func("/cli-sheet/refused", test_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli-sheet/follows", test_follows);
  g_test_add_func("/cli-sheet/page", test_page);
  g_test_add_func("/cli-sheet/formats", test_formats);
}
