/* regard-export-npz.c — a figure's numbers as NumPy arrays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One matrix: values [rows][cols], row_labels, column_labels, hidden_mass [rows] if special tokens
 * were hidden, meta (JSON). A grid: per kind encoder_…, decoder_… or cross_…: attentions
 * [layers][heads][rows][cols], row_labels, column_labels, hidden_mass [layers][heads][rows]; and
 * meta of what they share. All three kinds with nothing merged or hidden are the capture itself,
 * with its token ids and positions: mt_capture_write_npz.
 */
#include "figures/regard-figure-private.h"
#include "formats/regard-export-private.h"
#include <glib/gstdio.h>
#include <string.h>

/* Arrays under way; all storage belongs to it. */
typedef struct {
  GArray *arrays; /* of mt_npz_array */
  GPtrArray *owned;
} Bundle;

static void *
own(Bundle *bundle, void *memory)
{
  g_ptr_array_add(bundle->owned, memory);
  return memory;
}

static void
add_labels(Bundle *bundle, const char *prefix, const char *name, const RegardLabel *labels, guint n)
{
  const char **strings = own(bundle, g_new0(const char *, MAX(n, 1)));
  for (guint i = 0; i < n; i++)
    strings[i] = own(bundle, g_strdup(labels[i].piece));
  mt_npz_array array = {.name = own(bundle, g_strconcat(prefix, name, NULL)),
                        .n_dims = 1,
                        .shape = {n},
                        .strings = strings};
  g_array_append_val(bundle->arrays, array);
}

/* Matrices first .. first + n of one kind, stacked; grid: as [layers][heads]. */
static void
add_matrices(Bundle *bundle, RegardFigure *figure, guint first, guint n, gboolean grid)
{
  RegardMatrix *m = regard_figure_matrix(figure, first);
  g_autofree char *prefix =
      grid ? g_strdup_printf("%s_", regard_export_kind_id(m->spec.kind)) : g_strdup("");
  gsize rows = m->rows, cols = m->cols;
  gsize heads = grid ? mt_capture_n_heads(m->capture, m->spec.kind) : 1;
  float *values = own(bundle, g_new0(float, MAX(n * rows * cols, 1)));
  float *mass = m->removed_mass ? own(bundle, g_new0(float, MAX(n * rows, 1))) : NULL;
  add_labels(bundle, prefix, "row_labels", m->row_labels, m->rows);
  add_labels(bundle, prefix, "column_labels", m->col_labels, m->cols);
  for (guint i = 0; i < n; i++) {
    m = regard_figure_matrix(figure, first + i);
    memcpy(values + i * rows * cols, m->values, rows * cols * sizeof *values);
    if (mass)
      memcpy(mass + i * rows, m->removed_mass, rows * sizeof *mass);
  }
  mt_npz_array array = {.name =
                            own(bundle, g_strconcat(prefix, grid ? "attentions" : "values", NULL)),
                        .f32 = values};
  mt_npz_array hidden = {.name = own(bundle, g_strconcat(prefix, "hidden_mass", NULL)),
                         .f32 = mass};
  if (grid) {
    array.n_dims = 4;
    hidden.n_dims = 3;
    array.shape[0] = hidden.shape[0] = n / heads;
    array.shape[1] = hidden.shape[1] = heads;
    array.shape[2] = hidden.shape[2] = rows;
    array.shape[3] = cols;
  } else {
    array.n_dims = 2;
    hidden.n_dims = 1;
    array.shape[0] = hidden.shape[0] = rows;
    array.shape[1] = cols;
  }
  g_array_append_val(bundle->arrays, array);
  if (mass)
    g_array_append_val(bundle->arrays, hidden);
}

static gboolean
write_arrays(RegardFigure *figure, const char *path, const char *meta, mt_error *error)
{
  Bundle bundle = {g_array_new(FALSE, TRUE, sizeof(mt_npz_array)),
                   g_ptr_array_new_with_free_func(g_free)};
  guint n = regard_figure_n_matrices(figure);
  if (figure->matrix)
    add_matrices(&bundle, figure, 0, 1, FALSE);
  else
    for (guint first = 0, last; first < n; first = last) {
      RegardMatrixSpec spec, next;
      regard_figure_grid_place(figure, first, &spec);
      for (last = first + 1; last < n; last++) {
        regard_figure_grid_place(figure, last, &next);
        if (next.kind != spec.kind)
          break;
      }
      add_matrices(&bundle, figure, first, last - first, TRUE);
    }
  mt_npz_array array = {.name = "meta", .n_dims = 0, .strings = &meta};
  g_array_append_val(bundle.arrays, array);
  gboolean ok = mt_npz_write(path, (const mt_npz_array *) (void *) bundle.arrays->data,
                             bundle.arrays->len, error);
  g_array_unref(bundle.arrays);
  g_ptr_array_unref(bundle.owned);
  return ok;
}

static gboolean
is_whole_capture(const RegardFigure *figure)
{
  return figure->capture && figure->scope == REGARD_SCOPE_ALL && !figure->spec.merge_words &&
         !figure->spec.hide_special;
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  g_autoptr(GString) meta = g_string_new(NULL);
  regard_export_append_meta(meta, regard_figure_matrix(figure, 0), figure->matrix == NULL);
  /* The engine writes files: into a directory of our own, then back as bytes. */
  g_autofree char *dir = g_dir_make_tmp("regard-XXXXXX", error);
  if (!dir)
    return NULL;
  g_autofree char *path = g_build_filename(dir, "figure.npz", NULL);
  mt_error cause = {0};
  char *contents = NULL;
  gsize size = 0;
  gboolean ok = is_whole_capture(figure)
                    ? mt_capture_write_npz(figure->capture, path, meta->str, &cause)
                    : write_arrays(figure, path, meta->str, &cause);
  if (!ok)
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, cause.message);
  else
    ok = g_file_get_contents(path, &contents, &size, error);
  g_unlink(path);
  g_rmdir(dir);
  return ok ? g_bytes_new_take(contents, size) : NULL;
}

const RegardExportFormat regard_export_npz = {
    .id = "npz",
    .name = "NumPy arrays",
    .mime_type = "application/x-npz",
    .is_picture = FALSE,
    .render = render,
};
