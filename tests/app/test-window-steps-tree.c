/* test-window-steps-tree.c — the tree on the page Steps: the hypothesis that is pointed at is
 * followed in the text, in words and in a matrix of its own; another search stands beside it; dead
 * branches are gone on with. By keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-colormap.h"
#include "figures/regard-figure-tree.h"
#include "figures/regard-matrix.h"
#include "formats/regard-export.h"
#include "steps-page-test.h"
#include "suite.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-theme.h"

#include <string.h>

#define CAT "The cat sat on the mat."

static RegardFigureArea *
tree(WindowTest *t, const char *name)
{
  GtkWidget *found = steps_page_find(GTK_WIDGET(steps_page_page(t)), REGARD_TYPE_FIGURE_AREA,
                                     steps_page_is_called, name);
  return found ? REGARD_FIGURE_AREA(found) : NULL;
}

#define OWN   "All hypotheses of the search"
#define OTHER "All hypotheses of the other search"

static void
check(WindowTest *t, const char *name, gboolean active)
{
  GtkWidget *button = steps_page_find(GTK_WIDGET(steps_page_page(t)), GTK_TYPE_CHECK_BUTTON,
                                      steps_page_is_called, name);
  g_assert_nonnull(button);
  gtk_check_button_set_active(GTK_CHECK_BUTTON(button), active);
  window_test_settle(t);
}

static int32_t
id_of(const RegardSteps *steps, int node)
{
  return steps->steps->nodes[(gsize) node].id;
}

/* Of a hypothesis, from its first token to a node; how many there are. */
static guint
get_ids(const RegardSteps *steps, int node, int32_t *ids)
{
  const guint n = (guint) steps->steps->nodes[(gsize) node].step + 1;
  for (guint k = n; k-- > 0; node = steps->steps->nodes[(gsize) node].parent)
    ids[k] = id_of(steps, node);
  return n;
}

/* A hypothesis that died, whose last two tokens at least are not the translation's. */
static int
find_dead(const RegardSteps *steps)
{
  for (gsize i = 0; i < steps->steps->n_nodes; i++) {
    const mt_step_node *node = &steps->steps->nodes[i];
    if (node->fate == MT_FATE_PRUNED && node->step >= 2 &&
        node->parent != steps->nodes[node->step - 1] && !node->is_end)
      return (int) i;
  }
  g_assert_not_reached();
}

static guint
count_shared(const RegardSteps *steps, const int32_t *ids, guint n)
{
  guint shared = 0;
  while (shared < n && shared < steps->n && id_of(steps, steps->nodes[shared]) == ids[shared])
    shared++;
  return shared;
}

static RegardMatrix *
matrix_beside(WindowTest *t)
{
  GtkWidget *map = steps_page_find(GTK_WIDGET(steps_page_page(t)), REGARD_TYPE_HEATMAP, NULL, NULL);
  g_assert_nonnull(map);
  return regard_heatmap_get_matrix(REGARD_HEATMAP(map));
}

typedef struct {
  WindowTest *t;
  const int32_t *ids;
  guint n;
} Path;

/* The rows of the matrix beside the tree are the tokens of the path. */
static gboolean
is_its_matrix(gpointer data)
{
  const Path *path = data;
  const RegardMatrix *m = matrix_beside(path->t);
  const mt_model *model = regard_document_get_model(path->t->document);
  if (!m || m->rows < path->n || m->rows > path->n + 1)
    return FALSE;
  for (guint r = 0; r < path->n; r++)
    if (!strstr(m->row_labels[r].piece, mt_model_piece(model, MT_STACK_DECODER, path->ids[r])))
      return FALSE;
  return TRUE;
}

static void
test_following(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  const RegardSteps *steps = steps_page_steps(t);
  RegardSelection *s = t->selection;
  const int dead = find_dead(steps);
  int32_t ids[64];
  const guint n = get_ids(steps, dead, ids), shared = count_shared(steps, ids, n);
  g_autofree char *words = regard_steps_dup_words(steps, dead);
  g_assert_cmpuint(shared, <, n - 1);
  const int reached = regard_selection_get_reached(s);

  check(t, "Matrix", TRUE);
  g_assert_true(matrix_beside(t) == regard_selection_get_matrix(s));
  g_assert_true(regard_figure_area_point_at(tree(t, OWN), REGARD_TREE_SPOT_NODE, 0, dead));
  window_test_settle(t);
  g_assert_cmpint(regard_selection_get_reached(s), ==, (int) shared);
  g_assert_cmpint(regard_selection_get_shown_step(s) + 1, ==, reached); /* the slider stays */
  g_assert_nonnull(steps_page_says(t, words));
  Path path = {t, ids, n};
  app_test_wait(is_its_matrix, &path);

  /* The same weights as where the search is made to begin with these tokens. */
  mt_error error = {0};
  g_autoptr(mt_session) session = mt_session_new(steps->model, NULL, &error);
  g_autoptr(mt_constraints) constraints = mt_constraints_new(ids, n, NULL, 0, &error);
  mt_search_params params = mt_search_params_default(steps->model);
  params.constraints = constraints;
  g_autoptr(mt_translation) forced = mt_session_translate(session, CAT, &params, NULL, &error);
  g_autoptr(mt_capture) capture = mt_session_capture(session, forced, 0, 0, NULL, &error);
  const RegardMatrix *m = matrix_beside(t);
  const mt_matrix weights =
      mt_capture_weights(capture, regard_selection_get_kind(s), regard_selection_get_layer(s),
                         regard_selection_get_head(s));
  for (guint r = 0; r < n; r++)
    for (guint c = 0; c < m->cols; c++)
      g_assert_cmpfloat_with_epsilon(m->values[r * m->cols + c], mt_matrix_at(&weights, r, c),
                                     1e-5);

  /* Let go: all is as before. */
  regard_figure_area_handle_key(tree(t, OWN), GDK_KEY_Escape, 0);
  window_test_settle(t);
  g_assert_cmpint(regard_selection_get_reached(s), ==, reached);
  g_assert_null(steps_page_says(t, words));
  g_assert_true(matrix_beside(t) == regard_selection_get_matrix(s));

  /* Who leaves the page while something is pointed at leaves nothing pale behind. */
  regard_figure_area_point_at(tree(t, OWN), REGARD_TREE_SPOT_NODE, 0, dead);
  window_test_act(t, "win.show-view", "s", "attention");
  window_test_settle(t);
  g_assert_cmpint(regard_selection_get_reached(s), ==, -1);

  /* Nor does who holds a step: the translation is whole on other pages, and the step is there again
   * on this one. */
  regard_selection_set_step(s, 1);
  g_assert_cmpint(regard_selection_get_reached(s), ==, -1);
  steps_page_open(t);
  g_assert_cmpint(regard_selection_get_reached(s), ==, 2);
}

/* The arrow keys go along a branch, and to the one below; Enter goes on with it. */
static void
test_dead_branch(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  g_autofree char *own = g_strdup(steps_page_translation(t));
  const RegardSteps *steps = steps_page_steps(t);
  RegardFigureArea *area = tree(t, OWN);
  for (guint k = 0; k < 3; k++) {
    g_assert_true(regard_figure_area_handle_key(area, GDK_KEY_Right, 0));
    g_assert_cmpint(regard_figure_area_get_spot(area)->col, ==, steps->nodes[k]);
  }
  const int dead = find_dead(steps);
  int32_t ids[64];
  const guint n = get_ids(steps, dead, ids);
  g_assert_true(regard_figure_area_point_at(area, REGARD_TREE_SPOT_NODE, 0, dead));
  g_assert_true(regard_figure_area_handle_key(area, GDK_KEY_Return, 0));
  steps_page_settle(t);
  for (guint k = 0; k < n; k++)
    g_assert_cmpint(steps_page_token_at(t, k), ==, ids[k]);
  g_assert_cmpint(regard_selection_get_step(t->selection), ==, (int) n - 1);

  /* The ghost of what was there before is in the tree; Enter on it leads back. */
  area = tree(t, OWN);
  g_assert_true(regard_figure_area_point_at(area, REGARD_TREE_SPOT_GHOST, 0, -1));
  const RegardSpot ghost = *regard_figure_area_get_spot(area);
  g_assert_cmpint(ghost.part, ==, REGARD_TREE_SPOT_GHOST);
  g_autofree char *said = regard_figure_describe_spot(regard_figure_area_get_figure(area), &ghost);
  g_assert_true(g_str_has_prefix(said, "before: "));
  g_assert_true(regard_figure_area_handle_key(area, GDK_KEY_End, 0) &&
                regard_figure_area_point_at(area, REGARD_TREE_SPOT_GHOST, 0, ghost.col));
  g_assert_true(regard_figure_area_handle_key(area, GDK_KEY_Return, 0));
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, own);
  for (int i = 0; i < 2; i++) {
    window_test_act(t, "win.undo", NULL);
    steps_page_settle(t);
  }
  g_assert_cmpstr(steps_page_translation(t), ==, own);
  g_assert_null(steps_page_model_way(t));
}

static void
test_comparing(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  g_assert_null(tree(t, OTHER));
  check(t, "Compare", TRUE);
  app_test_until(tree(t, OTHER) && regard_figure_area_get_figure(tree(t, OTHER)));
  window_test_settle(t);
  g_assert_true(steps_page_says(t, "they part at step ") ||
                steps_page_says(t, "both find the same"));
  g_autofree char *caption = regard_figure_caption(regard_figure_area_get_figure(tree(t, OTHER)));
  g_assert_nonnull(strstr(caption, "beam 12, length penalty 1"));

  /* Beside each other, at the same height. */
  graphene_rect_t a, b;
  GtkWidget *root = GTK_WIDGET(steps_page_page(t));
  GtkWidget *left = gtk_widget_get_ancestor(GTK_WIDGET(tree(t, OWN)), GTK_TYPE_SCROLLED_WINDOW);
  GtkWidget *right = gtk_widget_get_ancestor(GTK_WIDGET(tree(t, OTHER)), GTK_TYPE_SCROLLED_WINDOW);
  g_assert_true(gtk_widget_compute_bounds(left, root, &a) &&
                gtk_widget_compute_bounds(right, root, &b));
  g_assert_cmpfloat(a.origin.x + a.size.width, <=, b.origin.x);
  g_assert_cmpfloat(a.origin.y, ==, b.origin.y);

  /* Both are in what is exported. */
  g_autoptr(RegardFigure) both = regard_view_create_figure(steps_page_page(t), "tree");
  g_autofree char *words = regard_figure_caption(both);
  g_assert_nonnull(strstr(words, "beam 4, length penalty 1; beam 12, length penalty 1"));

  /* What the other search has is followed, too, and gone on with. */
  g_assert_true(regard_figure_area_handle_key(tree(t, OTHER), GDK_KEY_Right, 0));
  g_assert_cmpint(regard_selection_get_reached(t->selection), >=, 0);
  check(t, "Compare", FALSE);
  g_assert_null(tree(t, OTHER));
  g_assert_null(steps_page_says(t, "they part at step "));
  check(t, "Compare", TRUE);
  regard_document_set_text(t->document, "");
  app_test_wait(steps_page_is_empty, t);
}

/* As people turn it on in the settings of their desktop. */
static void
set_high_contrast(gboolean is_high)
{
  GSettingsSchemaSource *installed = g_settings_schema_source_get_default();
  g_autoptr(GSettingsSchema) schema =
      installed
          ? g_settings_schema_source_lookup(installed, "org.gnome.desktop.a11y.interface", TRUE)
          : NULL;
  if (schema) {
    g_autoptr(GSettings) desktop = g_settings_new_full(schema, NULL, NULL);
    g_settings_set_boolean(desktop, "high-contrast", is_high);
  }
  g_object_set(gtk_settings_get_default(), "gtk-theme-name", is_high ? "HighContrast" : "Default",
               NULL);
}

/* Grey pixels of the tree that are fainter than lines and letters may be in high contrast, beside
 * others of that grey: most edges have none, nor has what says how likely a token was. */
static guint
count_faint(RegardFigureArea *area)
{
  const int width = gtk_widget_get_width(GTK_WIDGET(area));
  const int height = gtk_widget_get_height(GTK_WIDGET(area));
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create(surface);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  guint n = 0;
  GTK_WIDGET_GET_CLASS(area)->snapshot(GTK_WIDGET(area), snapshot);
  g_autoptr(GskRenderNode) node = gtk_snapshot_free_to_node(snapshot);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  gsk_render_node_draw(node, cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  const guint32 *pixels = (const guint32 *) (void *) cairo_image_surface_get_data(surface);
  for (int y = 0; y < height; y++)
    for (int x = 1; x + 1 < width; x++) {
      const guint32 *at = pixels + y * (cairo_image_surface_get_stride(surface) / 4) + x;
      const int red = *at >> 16 & 0xff, green = *at >> 8 & 0xff, blue = *at & 0xff;
      const gboolean is_grey = MAX(MAX(red, green), blue) - MIN(MIN(red, green), blue) < 8;
      const double contrast = regard_color_contrast(*at, 0xffffffff);
      n += is_grey && *at == at[-1] && *at == at[1] && contrast > 1.3 && contrast < 4.5;
    }
  cairo_surface_destroy(surface);
  return n;
}

/* The tree as a file. Caller unrefs. */
static GBytes *export(WindowTest *t)
{
  const RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
  g_autoptr(RegardFigure) figure = regard_view_create_figure(steps_page_page(t), "tree");
  g_autoptr(GError) error = NULL;
  GBytes *bytes = regard_export_format_find("svg")->render(figure, &options, &error);
  g_assert_no_error(error);
  return bytes;
}

/* What was given up is drawn in pale grey; in high contrast it is not, from the moment on at which
 * that is wanted, and pictures for files stay as they are. */
static void
test_high_contrast(WindowTest *t, gconstpointer data)
{
  AdwStyleManager *manager = adw_style_manager_get_default();
  RegardTheme theme;
  window_test_translate(t, CAT);
  steps_page_open(t);
  RegardFigureArea *area = tree(t, OWN);
  g_autoptr(GBytes) before = export(t);
  const guint n_pale = count_faint(area);
  g_assert_cmpuint(n_pale, >, 200);

  set_high_contrast(TRUE);
  app_test_run_for(50);
  if (!adw_style_manager_get_high_contrast(manager)) {
    g_test_skip("this libadwaita is told of high contrast by a desktop only");
    return;
  }
  regard_theme_get(GTK_WIDGET(area), &theme);
  g_assert_true(theme.contrast);
  app_test_until(count_faint(area) < n_pale / 2); /* edges of lines */
  g_autoptr(GBytes) now = export(t);
  g_assert_true(g_bytes_equal(before, now));

  set_high_contrast(FALSE);
  app_test_until(!adw_style_manager_get_high_contrast(manager) && count_faint(area) > n_pale / 2);
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-steps-tree/following", test_following);
  WINDOW_TEST("/window-steps-tree/dead-branch", test_dead_branch);
  WINDOW_TEST("/window-steps-tree/comparing", test_comparing);
  WINDOW_TEST("/window-steps-tree/high-contrast", test_high_contrast);
}
