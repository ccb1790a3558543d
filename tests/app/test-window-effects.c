/* test-window-effects.c — what each head does for the translation, in the window: numbers on the
 * thumbnails and in the list, dropped and computed anew, and how far heads moved.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-ablation.h"
#include "suite.h"
#include "widget-test.h"
#include "widgets/regard-head-ablation.h"
#include "widgets/regard-heads.h"
#include "window-test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define DOGS "I have two dogs."

static RegardHeadAblation *
head_effects(WindowTest *t)
{
  return regard_selection_get_head_ablation(t->selection);
}

static RegardAblation *
computed(WindowTest *t)
{
  app_test_until(!regard_document_is_busy(t->document) &&
                 regard_work_get_share(regard_head_ablation_get_work(head_effects(t))) < 0 &&
                 (regard_head_ablation_get(head_effects(t)) ||
                  regard_head_ablation_get_error(head_effects(t))));
  return regard_head_ablation_get(head_effects(t));
}

static double
logprob(WindowTest *t, const char *interventions, const mt_translation *of)
{
  mt_error error = {0};
  g_autoptr(mt_session) session =
      mt_session_new(regard_document_get_model(t->document), NULL, &error);
  g_autoptr(mt_interventions) list = mt_interventions_parse("test", interventions, &error);
  const mt_hooks hooks = {.interventions = list};
  g_autoptr(mt_capture) capture = mt_session_capture(session, of, 0, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  double sum = 0;
  for (size_t i = 0; i < mt_tokens_count(mt_capture_output(capture)); i++)
    sum += (double) mt_capture_logprobs(capture)[i];
  return sum;
}

static const mt_translation *
translation(WindowTest *t)
{
  return regard_result_active(regard_document_get_result(t->document))->translation;
}

static const char *
legend(WindowTest *t)
{
  GtkWidget *bar = window_test_find(t->window, REGARD_TYPE_ABLATION_BAR);
  GtkWidget *wrap = gtk_widget_get_first_child(bar);
  GtkWidget *label = gtk_widget_get_next_sibling(gtk_widget_get_first_child(wrap));
  return gtk_widget_get_visible(label) ? gtk_label_get_text(GTK_LABEL(label)) : NULL;
}

/* F computes them; each is what the translation loses with that head off; F takes them away. */
static void
test_key(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  g_assert_null(legend(t));
  regard_selection_set_place(t->selection, MT_CROSS, 5, 1);
  g_assert_true(window_test_key(t, GDK_KEY_f, 0));
  RegardAblation *effects = computed(t);
  g_assert_nonnull(effects);
  g_assert_nonnull(strstr(legend(t), "in nats"));
  const double expected =
      logprob(t, "", translation(t)) - logprob(t, "cross 6.2 zero", translation(t));
  g_assert_cmpfloat(fabs(regard_ablation_shown(effects, MT_CROSS, 5, 1) - expected), <, 1e-4);
  window_test_settle(t);
  GtkWidget *heads = window_test_find(t->window, REGARD_TYPE_HEADS);
  g_autofree char *said = g_strdup_printf("Cross-attention, layer 6, head 2, effect %+.2f nats",
                                          regard_ablation_shown(effects, MT_CROSS, 5, 1));
  gtk_test_accessible_assert_property(heads, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, said);

  g_assert_true(window_test_key(t, GDK_KEY_f, 0));
  g_assert_null(regard_head_ablation_get(head_effects(t)));
  g_assert_null(legend(t));
  gtk_test_accessible_assert_property(heads, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                      "Cross-attention, layer 6, head 2");
}

/* A step that is held veils what the decoder has yet to compute, and not the numbers of effects,
 * which are of all steps. */
static void
test_veil(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_head_ablation_set_with(head_effects(t), MT_ABLATION_ZERO);
  const RegardAblation *effects = computed(t);
  guint layer = 0, head = 0;
  for (guint l = 0; l < effects->kinds[MT_CROSS].n_layers; l++)
    for (guint h = 0; h < effects->kinds[MT_CROSS].n_heads; h++)
      if (fabs(regard_ablation_shown(effects, MT_CROSS, l, h)) >
          fabs(regard_ablation_shown(effects, MT_CROSS, layer, head))) {
        layer = l;
        head = h;
      }
  GtkWidget *heads = window_test_find(t->window, REGARD_TYPE_HEADS);
  graphene_rect_t r;
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, layer, head, &r));
  /* The bar of the number, at the bottom, where the picture is veiled; and the picture above. */
  const double x = r.origin.x + 1.5, bar = r.origin.y + r.size.height - 1.5;
  cairo_surface_t *whole = paint(heads);
  regard_selection_set_step(t->selection, 1);
  g_assert_cmpfloat(regard_selection_share_computed(t->selection, MT_CROSS, 1), <, 0.5);
  cairo_surface_t *held = paint(heads);
  g_assert_cmpuint(pixel(held, x, bar), ==, pixel(whole, x, bar));
  guint n = 0;
  for (double above = bar; above > r.origin.y + r.size.height / 2; above--)
    n += pixel(held, x, above) != pixel(whole, x, above);
  g_assert_cmpuint(n, >, 0);
  cairo_surface_destroy(whole);
  cairo_surface_destroy(held);
}

/* Another sentence and another change have other effects; the old ones are gone at once. */
static void
test_follows(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_head_ablation_set_with(head_effects(t), MT_ABLATION_UNIFORM);
  const double first = regard_ablation_shown(computed(t), MT_CROSS, 5, 1);
  window_test_translate(t, "Thank you.");
  const RegardAblation *effects = computed(t);
  g_assert_cmpint(effects->with, ==, MT_ABLATION_UNIFORM);
  g_assert_cmpuint(effects->n_tokens, ==,
                   mt_tokens_count(mt_capture_output(regard_selection_get_capture(t->selection))));
  g_assert_cmpfloat(regard_ablation_shown(effects, MT_CROSS, 5, 1), !=, first);

  window_test_translate(t, DOGS);
  regard_document_edit_interventions(t->document, "cross 6.2 zero", REGARD_INTERVENTION_TOGGLE,
                                     NULL);
  window_test_settle(t);
  effects = computed(t);
  g_assert_cmpstr(effects->interventions, ==, "cross 6.2 zero");
  /* The head says nothing already. */
  g_assert_cmpfloat(fabs(regard_ablation_shown(effects, MT_CROSS, 5, 1)), <, 1e-4);
  const double expected = logprob(t, "cross 6.2 zero", translation(t)) -
                          logprob(t, "cross 6.2 zero\nencoder 1.3 uniform", translation(t));
  g_assert_cmpfloat(fabs(regard_ablation_shown(effects, MT_ENCODER_SELF, 0, 2) - expected), <,
                    1e-4);
  regard_head_ablation_set_with(head_effects(t), -1);
  g_assert_null(regard_head_ablation_get(head_effects(t)));

  /* While nothing is there nothing is computed. */
  regard_document_set_interventions(t->document, NULL);
  window_test_translate(t, "");
  regard_head_ablation_set_with(head_effects(t), MT_ABLATION_ZERO);
  g_assert_cmpfloat(regard_work_get_share(regard_head_ablation_get_work(head_effects(t))), <, 0);
  /* The newest wish counts. */
  window_test_translate(t, DOGS);
  regard_head_ablation_set_with(head_effects(t), MT_ABLATION_UNIFORM);
  regard_head_ablation_set_with(head_effects(t), MT_ABLATION_ZERO);
  g_assert_cmpint(computed(t)->with, ==, MT_ABLATION_ZERO);
}

/* Means are wanted of the model; of a difference there are no effects. */
static void
test_refused(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  g_autofree char *folder = g_dir_make_tmp("regard-means-XXXXXX", NULL);
  const mt_model *model = regard_document_get_model(t->document);
  mt_error error = {0};
  g_assert_null(mt_means_find(folder, model, &error));
  g_assert_nonnull(strstr(error.message, "regard-cli means FILE"));
  regard_head_ablation_set_means(head_effects(t), NULL, "no means of this model");
  regard_head_ablation_set_with(head_effects(t), MT_ABLATION_MEAN);
  g_assert_null(computed(t));
  g_assert_cmpstr(legend(t), ==, "no means of this model");
  g_autoptr(mt_session) session =
      mt_session_new(regard_document_get_model(t->document), NULL, &error);
  g_autoptr(mt_means_sum) sum = mt_means_sum_new(session, &error);
  g_assert_true(mt_means_sum_add(sum, translation(t), 0, NULL, &error));
  g_autoptr(mt_means) means = mt_means_sum_finish(sum, "test", &error);
  /* Beside the model they are found. */
  g_autofree char *path = g_build_filename(folder, "some.means.npz", NULL);
  g_autofree char *broken = g_build_filename(folder, "means.npz", NULL);
  g_assert_true(mt_means_write(means, path, &error));
  g_autoptr(mt_means) read = mt_means_find(folder, model, &error);
  g_assert_nonnull(read);
  g_assert_true(g_file_set_contents(broken, "no archive", -1, NULL));
  g_assert_null(mt_means_find(folder, model, &error));
  g_assert_nonnull(strstr(error.message, "means.npz"));
  g_unlink(path);
  g_unlink(broken);
  g_rmdir(folder);
  regard_head_ablation_set_means(head_effects(t), means, NULL);
  const RegardAblation *effects = computed(t);
  g_assert_cmpint(effects->with, ==, MT_ABLATION_MEAN);

  regard_document_edit_interventions(t->document, "cross 5 zero", REGARD_INTERVENTION_TOGGLE, NULL);
  window_test_settle(t);
  regard_head_ablation_set_with(head_effects(t), MT_ABLATION_ZERO);
  regard_document_set_compare(t->document, REGARD_COMPARE_DIFFERENCE);
  window_test_settle(t);
  app_test_until(mt_capture_difference_a(regard_selection_get_capture(t->selection)));
  g_assert_null(computed(t));
  g_assert_nonnull(strstr(legend(t), "difference"));
}

/* ---- The list ----------------------------------------------------------------------------------
 */

static char *
caption_of(WindowTest *t, const char *choice)
{
  g_autoptr(RegardFigure) figure =
      regard_view_create_figure(regard_window_get_view(t->window), choice);
  g_assert_nonnull(figure);
  return regard_figure_caption(figure);
}

static guint
n_choices(WindowTest *t)
{
  guint n;
  regard_view_get_export_choices(regard_window_get_view(t->window), &n);
  return n;
}

/* The numbers of a column of what is exported; NAN: there is no such column. */
static double
number(WindowTest *t, const char *measure, const char *head)
{
  g_autoptr(RegardFigure) figure =
      regard_view_create_figure(regard_window_get_view(t->window), "heads-table");
  const RegardMatrix *m = figure ? regard_figure_matrix(figure, 0) : NULL;
  for (guint r = 0; m && r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++)
      if (g_str_equal(m->row_labels[r].text, head) && g_str_equal(m->col_labels[c].piece, measure))
        return (double) regard_matrix_get(m, r, c);
  return NAN;
}

static gboolean
has_number(WindowTest *t, const char *measure, const char *head)
{
  return regard_window_get_view(t->window) && !isnan(number(t, measure, head));
}

static void
test_list(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  window_test_act(t, "win.show-view", "s", "heads");
  app_test_until(has_number(t, "entropy", "cross 6.2"));
  g_assert_cmpuint(n_choices(t), ==, 1);
  g_assert_true(isnan(number(t, "effect", "cross 6.2")));
  g_assert_true(isnan(number(t, "moved", "cross 6.2")));
  window_test_act(t, "win.effects", NULL);
  const RegardAblation *effects = computed(t);
  g_assert_cmpfloat(number(t, "effect", "cross 6.2"), ==,
                    (float) regard_ablation_shown(effects, MT_CROSS, 5, 1));
  g_assert_cmpuint(n_choices(t), ==, 2);
  g_autofree char *caption = caption_of(t, "effects");
  g_assert_nonnull(strstr(caption,
                          " Source: “I have two dogs.” Translation: “Ich habe zwei Hunde.” "
                          "Each head is changed alone, with zero."));

  /* While something is changed the untouched run is the reference. */
  regard_document_edit_interventions(t->document, "cross 5 zero", REGARD_INTERVENTION_TOGGLE, NULL);
  window_test_settle(t);
  app_test_until(has_number(t, "moved", "cross 6.2"));
  g_assert_cmpfloat(number(t, "moved", "cross 6.2"), >, 1e-4);
  g_assert_cmpfloat(number(t, "moved", "encoder 3.1"), <, 1e-6); /* before the change */
  mt_capture *a, *b;
  g_assert_true(regard_selection_get_pair(t->selection, &a, &b));
  g_assert_cmpfloat(number(t, "moved", "cross 6.2"), ==,
                    (float) mt_capture_divergence(a, b, MT_CROSS, 5, 1));
  g_assert_cmpint(regard_document_get_compared(t->document)->side, ==, REGARD_COMPARE_OFF);
  /* Of B − A the numbers are those of B. */
  regard_document_set_compare(t->document, REGARD_COMPARE_DIFFERENCE);
  window_test_settle(t);
  app_test_until(has_number(t, "moved", "cross 6.2"));
  g_assert_cmpfloat(number(t, "entropy", "cross 6.2"), >, 0);
  regard_document_set_compare(t->document, REGARD_COMPARE_OFF);

  regard_document_set_interventions(t->document, NULL);
  window_test_settle(t);
  app_test_until(!has_number(t, "moved", "cross 6.2"));
  g_assert_false(regard_selection_get_pair(t->selection, &a, &b));
  /* Who does not look does not compare. */
  window_test_act(t, "win.show-view", "s", "attention");
  window_test_settle(t);
  regard_document_edit_interventions(t->document, "cross 5 zero", REGARD_INTERVENTION_TOGGLE, NULL);
  window_test_settle(t);
  g_assert_false(regard_selection_get_pair(t->selection, &a, &b));
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-effects/key", test_key);
  WINDOW_TEST("/window-effects/veil", test_veil);
  WINDOW_TEST("/window-effects/follows", test_follows);
  WINDOW_TEST("/window-effects/refused", test_refused);
  WINDOW_TEST("/window-effects/list", test_list);
}
