/* regard-view-steps-path.c — the hypothesis that is pointed at in the tree is followed: its words
 * beside the title, what it shares with the translation in the text, and its attention in a matrix
 * beside the tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The matrix of a hypothesis that died is not known: it is computed in a thread when the pointer
 * rests, by a search that has to begin with its tokens.
 */
#include "figures/regard-matrix-attention.h"
#include "views/regard-view-steps-private.h"
#include "widgets/regard-heatmap.h"

#include <glib/gi18n.h>
#include <string.h>

#define REST 60 /* milliseconds */

/* Tokens up to a node. Caller frees. */
static int32_t *
dup_ids(const RegardSteps *steps, int node, gsize *n)
{
  int32_t *ids;

  *n = mt_steps_node(steps->steps, (gsize) node)->step + 1;
  ids = g_new(int32_t, *n);
  for (gsize t = *n; t-- > 0; node = mt_steps_node(steps->steps, (gsize) node)->parent)
    ids[t] = mt_steps_node(steps->steps, (gsize) node)->id;
  return ids;
}

static gsize
count_shared(const RegardSteps *shown, const int32_t *ids, gsize n)
{
  gsize t = 0;

  while (t < n && t < shown->n &&
         mt_steps_node(shown->steps, (gsize) shown->nodes[t])->id == ids[t])
    t++;
  return t;
}

/* ---- Its attention ----------------------------------------------------------------------------
 */

static gboolean
is_beside(RegardViewSteps *self)
{
  return gtk_check_button_get_active(GTK_CHECK_BUTTON(self->path_check));
}

static void
show_matrix(RegardViewSteps *self, RegardMatrix *m, int computed, const char *caption)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardHeatmap *map = REGARD_HEATMAP(self->path_map);

  regard_heatmap_set_matrix(map, m);
  regard_heatmap_set_colors(map, regard_selection_get_scale(s),
                            m && m->lo < 0 ? NULL : regard_selection_get_colormap(s));
  regard_heatmap_set_computed(map, computed);
  gtk_label_set_text(GTK_LABEL(self->path_caption), caption);
  gtk_widget_set_tooltip_text(self->path_caption, caption);
}

static int
rows_up_to(const RegardMatrix *m, gsize n_tokens)
{
  int n = 0;

  for (guint r = 0; r < m->rows; r++)
    n += m->row_labels[r].first_token < n_tokens;
  return n;
}

static void
on_attended(gpointer owner, RegardRun *run)
{
  RegardViewSteps *self = owner;
  const RegardPathParams *path = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardMatrix) m = NULL;
  g_autofree char *caption = NULL;
  RegardMatrixSpec spec;
  mt_capture *capture = regard_run_finish(run, &error);

  if (!capture) {
    gtk_label_set_text(GTK_LABEL(self->path_caption), error->message);
    return;
  }
  regard_selection_get_spec(regard_view_get_selection(REGARD_VIEW(self)), &spec);
  m = regard_matrix_new_attention(capture, &spec);
  mt_capture_unref(capture);
  if (!m)
    return;
  caption = g_strdup_printf(_("%s: of the hypothesis that is pointed at"), m->title);
  show_matrix(self, m, spec.kind == MT_ENCODER_SELF ? -1 : rows_up_to(m, path->n), caption);
}

static void
start(gpointer owner)
{
  RegardViewSteps *self = owner;
  g_autoptr(RegardPass) pass = regard_view_steps_pass_of(self->path_of);
  RegardPathParams params = {0};

  params.ids = dup_ids(self->path_of, self->path_node, &params.n);
  regard_work_run(self->attending, &regard_analysis_path, pass, &params, on_attended);
}

void
regard_view_steps_show_path(RegardViewSteps *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardMatrix *m = regard_selection_get_matrix(s);
  int reached = regard_view_steps_get_step(self);
  g_autofree char *caption = NULL;

  regard_work_drop(self->attending);
  gtk_widget_set_visible(self->path_box, is_beside(self));
  if (!is_beside(self) || !m)
    return;
  caption = g_strdup_printf(_("%s: a row for each step so far"), m->title);
  if (self->path_of) {
    gsize n;
    g_autofree int32_t *ids = dup_ids(self->path_of, self->path_node, &n);
    const gsize shared = count_shared(self->steps, ids, n);

    reached = (int) shared - 1;
    if (shared < n) /* what it shares is there at once */
      regard_work_wait(self->attending, REST, start);
  }
  show_matrix(self, m,
              regard_selection_get_kind(s) == MT_ENCODER_SELF
                  ? -1
                  : rows_up_to(m, (gsize) (reached + 1)),
              caption);
}

/* ---- Following --------------------------------------------------------------------------------
 */

/* Its words: what the translation has too, and, bold, what it has not. */
static void
show_words(RegardViewSteps *self, gsize shared)
{
  const RegardSteps *steps = self->path_of;
  int at = self->path_node;
  g_autofree char *whole = regard_steps_dup_words(steps, at), *common = NULL, *markup = NULL,
                  *first = NULL, *rest = NULL;
  gsize n = 0;

  while (at >= 0 && mt_steps_node(steps->steps, (gsize) at)->step >= shared)
    at = mt_steps_node(steps->steps, (gsize) at)->parent;
  common = regard_steps_dup_words(steps, at);
  while (common[n] && common[n] == whole[n])
    n++;
  while (n > 0 && ((guchar) whole[n] & 0xc0) == 0x80) /* within a character */
    n--;
  first = g_strndup(whole, n);
  rest = g_markup_escape_text(whole + n, -1);
  g_free(common);
  common = g_markup_escape_text(first, -1);
  markup = g_strdup_printf("%s<b>%s</b>", common, rest);
  gtk_label_set_markup(GTK_LABEL(self->note), markup);
  gtk_widget_set_tooltip_text(self->note, whole);
}

void
regard_view_steps_follow_path(RegardViewSteps *self, RegardSteps *steps, int node)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  gsize n = 0, shared = 0;
  g_autofree int32_t *ids = NULL;

  if (steps == self->path_of && node == self->path_node)
    return;
  if (steps)
    regard_steps_ref(steps);
  g_clear_pointer(&self->path_of, regard_steps_unref);
  self->path_of = steps;
  self->path_node = node;
  if (steps && self->steps) {
    ids = dup_ids(steps, node, &n);
    shared = count_shared(self->steps, ids, n);
  }
  regard_selection_set_peek(s, steps ? (int) shared : -1);
  if (!self->steps)
    return;
  if (steps && shared < n)
    show_words(self, shared);
  else
    regard_view_steps_show_before(self);
  regard_view_steps_show_path(self);
}

void
regard_view_steps_forget_path(RegardViewSteps *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  regard_work_drop(self->attending);
  g_clear_pointer(&self->path_of, regard_steps_unref);
  self->path_node = -1;
  if (s)
    regard_selection_set_peek(s, -1);
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

GtkWidget *
regard_view_steps_build_path_check(RegardViewSteps *self)
{
  self->path_check = gtk_check_button_new_with_mnemonic(_("_Matrix"));
  gtk_widget_set_tooltip_text(self->path_check,
                              _("The attention of the translation beside the tree, or of the "
                                "hypothesis that is pointed at"));
  g_signal_connect_swapped(self->path_check, "toggled", G_CALLBACK(regard_view_steps_show_path),
                           self);
  return self->path_check;
}

GtkWidget *
regard_view_steps_build_path(RegardViewSteps *self)
{
  self->path_box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  self->path_caption = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->path_caption), 0);
  gtk_label_set_ellipsize(GTK_LABEL(self->path_caption), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(self->path_caption, "regard-note");
  self->path_map = regard_heatmap_new();
  gtk_widget_set_vexpand(self->path_map, TRUE);
  gtk_box_append(GTK_BOX(self->path_box), self->path_caption);
  gtk_box_append(GTK_BOX(self->path_box), self->path_map);
  gtk_widget_set_margin_start(self->path_box, 12);
  gtk_widget_set_visible(self->path_box, FALSE);
  self->path_node = -1;
  return self->path_box;
}
