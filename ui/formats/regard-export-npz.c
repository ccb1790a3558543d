/* regard-export-npz.c — a figure's numbers as NumPy arrays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One matrix: values [rows][cols], row_labels, column_labels, hidden_mass [rows] if special tokens
 * were hidden, meta (JSON). A grid: per kind encoder_…, decoder_… or cross_…: attentions
 * [layers][heads][rows][cols], row_labels, column_labels, hidden_mass [layers][heads][rows]; and
 * meta of what they share. Matrices that are different things: of each ID [rows][cols], ID_rows,
 * ID_columns; and meta. All three kinds with nothing merged or hidden are the capture itself,
 * with its token ids and positions: mt_capture_write_npz.
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-matrix-attention.h"
#include "formats/regard-export-private.h"
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

/* "4.1" for each matrix of a group of any heads. */
static void
add_heads(Bundle *bundle, RegardFigure *figure, guint first, const RegardFigureGroup *group)
{
  const char **strings = own(bundle, g_new0(const char *, group->n));
  for (guint i = 0; i < group->n; i++) {
    g_autoptr(GString) place = g_string_new(NULL);
    figure->klass->append_place(figure, first + i, place); /* "cross,4,1" */
    strings[i] = own(bundle, g_strdelimit(g_strdup(strchr(place->str, ',') + 1), ",", '.'));
  }
  mt_npz_array array = {.name = own(bundle, g_strconcat(group->prefix, "heads", NULL)),
                        .n_dims = 1,
                        .shape = {group->n},
                        .strings = strings};
  g_array_append_val(bundle->arrays, array);
}

/* The matrices of a group from first on, stacked. */
static void
add_matrices(Bundle *bundle, RegardFigure *figure, guint first, const RegardFigureGroup *group)
{
  RegardMatrix *m = regard_figure_matrix(figure, first);
  const char *prefix = group->prefix;
  const gboolean stacked = group->shape[0] > 0;
  const gsize n = group->n, rows = m->rows, cols = m->cols;
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
  mt_npz_array array = {.name = own(bundle,
                                    g_strconcat(prefix, stacked ? "attentions" : "values", NULL)),
                        .f32 = values};
  mt_npz_array hidden = {.name = own(bundle, g_strconcat(prefix, "hidden_mass", NULL)),
                         .f32 = mass};
  gsize dims = 0;
  if (stacked)
    for (; dims < 2; dims++)
      array.shape[dims] = hidden.shape[dims] = group->shape[dims];
  array.shape[dims] = hidden.shape[dims] = rows;
  array.shape[dims + 1] = cols;
  hidden.n_dims = dims + 1;
  array.n_dims = dims + 2;
  g_array_append_val(bundle->arrays, array);
  if (mass)
    g_array_append_val(bundle->arrays, hidden);
}

/* A matrix of a figure of different things. */
static void
add_part(Bundle *bundle, const RegardMatrix *m)
{
  mt_npz_array array = {.name = m->id, .n_dims = 2, .shape = {m->rows, m->cols}};
  array.f32 = own(bundle, g_memdup2(m->values, (gsize) m->rows * m->cols * sizeof *m->values));
  g_array_append_val(bundle->arrays, array);
  add_labels(bundle, m->id, "_rows", m->row_labels, m->rows);
  add_labels(bundle, m->id, "_columns", m->col_labels, m->cols);
}

static gboolean
make_arrays(RegardFigure *figure, const char *meta, mt_bytes *bytes, mt_error *error)
{
  Bundle bundle = {g_array_new(FALSE, TRUE, sizeof(mt_npz_array)),
                   g_ptr_array_new_with_free_func(g_free)};
  RegardFigureGroup group;
  for (guint i = 0; figure->klass->has_parts && i < regard_figure_n_matrices(figure); i++)
    add_part(&bundle, regard_figure_matrix(figure, i));
  for (guint first = 0; !figure->klass->has_parts && first < regard_figure_n_matrices(figure);
       first += group.n) {
    regard_figure_group(figure, first, &group);
    add_matrices(&bundle, figure, first, &group);
    if (group.is_list)
      add_heads(&bundle, figure, first, &group);
  }
  const RegardAttention *from = regard_matrix_get_attention(regard_figure_matrix(figure, 0));
  const char *changes = from ? mt_changes_text(mt_capture_changes(from->capture)) : "";
  mt_npz_array changed = {.name = "interventions", .n_dims = 0, .strings = &changes};
  if (*changes)
    g_array_append_val(bundle.arrays, changed);
  mt_npz_array array = {.name = "meta", .n_dims = 0, .strings = &meta};
  g_array_append_val(bundle.arrays, array);
  gboolean ok = mt_npz_make((const mt_npz_array *) (void *) bundle.arrays->data, bundle.arrays->len,
                            bytes, error);
  g_array_unref(bundle.arrays);
  g_ptr_array_unref(bundle.owned);
  return ok;
}

static void
free_bytes(gpointer data)
{
  mt_bytes *bytes = data;
  mt_bytes_clear(bytes);
  g_free(bytes);
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  RegardFigureGroup group;
  regard_figure_group(figure, 0, &group);
  g_autofree char *meta =
      regard_export_dup_meta(regard_figure_matrix(figure, 0), group.shape[0] > 0);
  const mt_capture *capture = regard_figure_whole_capture(figure);
  mt_error cause = {0};
  mt_bytes bytes;
  if (!(capture ? mt_capture_make_npz(capture, meta, &bytes, &cause)
                : make_arrays(figure, meta, &bytes, &cause))) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, cause.message);
    return NULL;
  }
  return g_bytes_new_with_free_func(bytes.data, bytes.size, free_bytes,
                                    g_memdup2(&bytes, sizeof bytes));
}

const RegardExportFormat regard_export_npz = {
    .id = "npz",
    .name = "NumPy arrays",
    .mime_type = "application/x-npz",
    .is_picture = FALSE,
    .render = render,
};
