/* test-export-data.c — the numbers of figures as CSV, JSON and NumPy arrays, read back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export-test.h"
#include "sample-capture.h"
#include "suite.h"
#include <json-c/json.h>
#include <math.h>
#include <string.h>
#include <zip.h>

/* RFC 4180: fields of all records, unquoted. */
static GPtrArray *
parse_csv(const char *text)
{
  GPtrArray *records = g_ptr_array_new_with_free_func((GDestroyNotify) g_ptr_array_unref);
  const char *p = text;
  while (*p) {
    GPtrArray *fields = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(records, fields);
    for (;;) {
      GString *field = g_string_new(NULL);
      if (*p == '"')
        for (p++; *p != '"' || *++p == '"'; p++)
          g_string_append_c(field, *p);
      else
        for (; !strchr(",\r\n", *p); p++)
          g_string_append_c(field, *p);
      g_ptr_array_add(fields, g_string_free(field, FALSE));
      if (*p != ',')
        break;
      p++;
    }
    g_assert_true(g_str_has_prefix(p, "\r\n"));
    p += 2;
  }
  return records;
}

static const char *
csv_field(GPtrArray *records, guint record, guint field)
{
  g_assert_cmpuint(record, <, records->len);
  GPtrArray *fields = records->pdata[record];
  g_assert_cmpuint(field, <, fields->len);
  return fields->pdata[field];
}

static void
test_csv(void)
{
  const char *labels[] = {"a,b", "say \"hi\"", "a,b"};
  const float values[] = {0.1f, 0.25f, 1e-7f, 1.0f / 3, 0, 1, 0.5f, NAN, 0.75f};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 3, 3, labels, labels);
  g_autoptr(RegardFigure) figure = regard_figure_new_matrix(m, NULL);
  g_autofree char *text = render_text(figure, "csv");
  GPtrArray *csv = parse_csv(text);
  g_assert_cmpuint(csv->len, ==, 4);
  g_assert_cmpstr(csv_field(csv, 0, 1), ==, "0:a,b");
  g_assert_cmpstr(csv_field(csv, 0, 2), ==, "1:say \"hi\"");
  g_assert_cmpstr(csv_field(csv, 0, 3), ==, "2:a,b");
  g_assert_cmpstr(csv_field(csv, 3, 0), ==, "2:a,b");
  for (guint i = 0; i < 9; i++) {
    const char *field = csv_field(csv, 1 + i / 3, 1 + i % 3);
    if (isnan(values[i]))
      g_assert_cmpstr(field, ==, "");
    else /* the very same float */
      g_assert_cmpfloat((float) g_ascii_strtod(field, NULL), ==, values[i]);
  }
  g_ptr_array_unref(csv);
}

static void
test_csv_masked_and_hidden(void)
{
  mt_capture *capture = sample_capture(1);
  RegardMatrixSpec spec = {.kind = MT_DECODER_SELF, .hide_special = TRUE};
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(capture, &spec);
  g_autoptr(RegardFigure) figure = regard_figure_new_matrix(m, NULL);
  g_autofree char *text = render_text(figure, "csv");
  GPtrArray *csv = parse_csv(text);
  g_assert_cmpstr(csv_field(csv, 0, m->cols + 1), ==, "hidden");
  for (guint r = 0; r < m->rows; r++) {
    for (guint c = 0; c < m->cols; c++)
      g_assert_cmpint(*csv_field(csv, r + 1, c + 1) == '\0', ==, regard_matrix_is_masked(m, r, c));
    g_assert_cmpfloat((float) g_ascii_strtod(csv_field(csv, r + 1, m->cols + 1), NULL), ==,
                      m->removed_mass[r]);
  }
  g_ptr_array_unref(csv);
  mt_capture_unref(capture);
}

static void
test_csv_of_grid(void)
{
  g_autoptr(RegardFigure) figure = grid_figure(REGARD_SCOPE_KIND);
  g_autofree char *text = render_text(figure, "csv");
  GPtrArray *csv = parse_csv(text);
  /* A line for every cell that is not masked. */
  g_assert_cmpuint(csv->len, ==, 1 + 2 * 8 * (17 * 18 / 2));
  g_assert_cmpstr(csv_field(csv, 0, 7), ==, "weight");
  guint last = csv->len - 1;
  g_assert_cmpstr(csv_field(csv, last, 0), ==, "decoder");
  g_assert_cmpstr(csv_field(csv, last, 1), ==, "2");
  g_assert_cmpstr(csv_field(csv, last, 2), ==, "8");
  g_assert_cmpstr(csv_field(csv, last, 3), ==, "16");
  g_assert_cmpstr(csv_field(csv, last, 4), ==, "</s>");
  g_assert_cmpstr(csv_field(csv, last, 6), ==, ".");
  const RegardMatrix *m = regard_figure_matrix(figure, 15);
  g_assert_cmpfloat((float) g_ascii_strtod(csv_field(csv, last, 7), NULL), ==,
                    regard_matrix_get(m, 16, 16));
  g_ptr_array_unref(csv);
}

/* 24 heads of 470 x 470: more cells than belong into text. */
static void
test_too_large_for_text(void)
{
  g_autoptr(GString) pieces = g_string_new("</s>");
  for (int i = 1; i < 470; i++)
    g_string_append(pieces, " ▁x");
  mt_tokens *tokens = sample_tokens(pieces->str);
  mt_capture_spec large = {.model_name = "x", .source = tokens, .n_layers = {1}, .n_heads = {24}};
  mt_error mt = {0};
  mt_capture *capture = mt_capture_new(&large, &mt);
  g_assert_cmpstr(mt.message, ==, "");
  RegardMatrixSpec spec = {.kind = MT_ENCODER_SELF};
  g_autoptr(RegardFigure) figure = regard_figure_new_grid(capture, REGARD_SCOPE_KIND, &spec, NULL);
  static const char *const ids[] = {"csv", "json"};
  RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
  for (gsize i = 0; i < G_N_ELEMENTS(ids); i++) {
    GError *error = NULL;
    g_assert_null(regard_export_format_find(ids[i])->render(figure, &options, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
    g_assert_nonnull(strstr(error->message, "5301600"));
    g_error_free(error);
  }
  mt_capture_unref(capture);
  mt_tokens_unref(tokens);
}

static json_object *
member(json_object *object, const char *name)
{
  json_object *value = NULL;
  g_assert_true(json_object_object_get_ex(object, name, &value));
  return value;
}

static void
test_json(void)
{
  g_autoptr(RegardFigure) figure = sample_figure(MT_DECODER_SELF);
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  g_autofree char *text = render_text(figure, "json");
  json_object *root = json_tokener_parse(text);
  g_assert_nonnull(root);
  json_object *matrices = member(root, "matrices");
  g_assert_cmpuint(json_object_array_length(matrices), ==, 1);
  json_object *matrix = json_object_array_get_idx(matrices, 0), *meta = member(matrix, "meta");
  g_assert_cmpstr(json_object_get_string(member(meta, "kind")), ==, "decoder");
  g_assert_cmpint(json_object_get_int(member(meta, "layer")), ==, 2);
  g_assert_cmpint(json_object_get_int(member(meta, "head")), ==, 3);
  g_assert_false(json_object_get_boolean(member(meta, "merged")));
  json_object *row = json_object_array_get_idx(member(matrix, "rows"), 16);
  g_assert_cmpstr(json_object_get_string(member(row, "text")), ==, "⏎");
  g_assert_cmpstr(json_object_get_string(member(row, "piece")), ==, "</s>");
  g_assert_true(json_object_get_boolean(member(row, "special")));
  for (guint r = 0; r < m->rows; r++) {
    json_object *values = json_object_array_get_idx(member(matrix, "values"), r);
    for (guint c = 0; c < m->cols; c++) {
      json_object *value = json_object_array_get_idx(values, c);
      if (c > r)
        g_assert_null(value);
      else
        g_assert_cmpfloat((float) json_object_get_double(value), ==, regard_matrix_get(m, r, c));
    }
  }
  json_object_put(root);

  g_autoptr(RegardFigure) grid = grid_figure(REGARD_SCOPE_ALL);
  g_autofree char *all = render_text(grid, "json");
  root = json_tokener_parse(all);
  g_assert_nonnull(root);
  g_assert_cmpuint(json_object_array_length(member(root, "matrices")), ==, 48);
  json_object_put(root);
}

/* A member of an archive: its .npy header and its data, which belongs to the caller. */
static char *
read_npy(const char *path, const char *name, char **header, gsize *n_bytes)
{
  zip_t *zip = zip_open(path, ZIP_RDONLY, NULL);
  g_assert_nonnull(zip);
  zip_stat_t st;
  g_autofree char *member_name = g_strconcat(name, ".npy", NULL);
  g_assert_cmpint(zip_stat(zip, member_name, 0, &st), ==, 0);
  zip_file_t *file = zip_fopen(zip, member_name, 0);
  g_autofree guint8 *data = g_malloc(st.size);
  g_assert_cmpint(zip_fread(file, data, st.size), ==, st.size);
  zip_fclose(file);
  zip_discard(zip);
  gsize start = 10 + data[8] + 256u * data[9];
  *header = g_strndup((const char *) data + 10, start - 10);
  *n_bytes = st.size - start;
  return g_memdup2(data + start, *n_bytes);
}

static void
assert_npy(const char *path, const char *name, const char *shape, const float *expected, gsize n)
{
  g_autofree char *header = NULL;
  gsize n_bytes;
  g_autofree char *data = read_npy(path, name, &header, &n_bytes);
  g_assert_nonnull(strstr(header, "'<f4'"));
  g_autofree char *wanted = g_strdup_printf("'shape': %s", shape);
  if (!strstr(header, wanted))
    g_error("%s: %s is not in %s", name, wanted, header);
  if (expected)
    g_assert_cmpmem(data, n_bytes, expected, n * sizeof *expected);
}

static void
test_npz(void)
{
  g_autofree char *path = in_directory("figure.npz"), *header = NULL;
  g_autoptr(RegardFigure) figure = sample_figure(MT_CROSS);
  write_to(figure, path);
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  assert_npy(path, "values", "(17, 17", m->values, 17 * 17);
  gsize n_bytes;
  g_free(read_npy(path, "row_labels", &header, &n_bytes));
  g_assert_nonnull(strstr(header, "'shape': (17,"));

  g_autofree char *grid_path = in_directory("grid.npz");
  g_autoptr(RegardFigure) grid = grid_figure(REGARD_SCOPE_KIND);
  write_to(grid, grid_path);
  g_autofree float *stacked = g_new(float, 16 * 17 * 17);
  for (guint i = 0; i < 16; i++)
    memcpy(stacked + i * 17 * 17, regard_figure_matrix(grid, i)->values, sizeof(float) * 17 * 17);
  assert_npy(grid_path, "decoder_attentions", "(2, 8, 17, 17", stacked, 16 * 17 * 17);

  /* All three kinds are the capture itself, positions and ids included. */
  g_autofree char *all_path = in_directory("all.npz"), *ids_header = NULL;
  g_autoptr(RegardFigure) all = grid_figure(REGARD_SCOPE_ALL);
  write_to(all, all_path);
  assert_npy(all_path, "decoder_attentions", "(2, 8, 17, 17", stacked, 16 * 17 * 17);
  assert_npy(all_path, "cross_attentions", "(2, 8, 17, 17", NULL, 0);
  assert_npy(all_path, "positions", "(17, 64", NULL, 0);
  g_free(read_npy(all_path, "source_ids", &ids_header, &n_bytes));
  g_assert_nonnull(strstr(ids_header, "'<i4'"));
}

static void
tear_down(void)
{
  export_test_end();
}

TESTS(.end = tear_down)
{
  export_test_begin();
  g_test_add_func("/export/csv", test_csv);
  g_test_add_func("/export/csv-masked-and-hidden", test_csv_masked_and_hidden);
  g_test_add_func("/export/csv-of-grid", test_csv_of_grid);
  g_test_add_func("/export/too-large-for-text", test_too_large_for_text);
  g_test_add_func("/export/json", test_json);
  g_test_add_func("/export/npz", test_npz);
}
