/* regard-figure.c — the figure object: what is in it, its caption, drawing dispatch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include <string.h>

static RegardFigure *
figure_new(const RegardFigureStyle *style, gboolean diverging)
{
  static const RegardFigureStyle standard = REGARD_FIGURE_STYLE_INIT;
  RegardFigure *figure = g_new0(RegardFigure, 1);
  figure->style = style ? *style : standard;
  /* A sequential map would give a signed matrix no visible zero, so it is not used for one. */
  const RegardColormap *map = figure->style.colormap;
  if (!map || (diverging && !map->diverging))
    map = diverging ? regard_colormap_default_diverging() : regard_colormap_default();
  figure->style.colormap = map;
  return figure;
}

RegardFigure *
regard_figure_new_matrix(RegardMatrix *matrix, const RegardFigureStyle *style)
{
  g_return_val_if_fail(matrix, NULL);
  RegardFigure *figure = figure_new(style, matrix->diverging);
  figure->matrix = regard_matrix_ref(matrix);
  return figure;
}

RegardFigure *
regard_figure_new_curves(RegardMatrix *matrix, double omega, const RegardFigureStyle *style)
{
  RegardFigure *figure = regard_figure_new_matrix(matrix, style);
  if (figure) {
    figure->curves = TRUE;
    figure->omega = omega;
  }
  return figure;
}

RegardFigure *
regard_figure_new_grid(const mt_capture *capture, RegardScope scope, const RegardMatrixSpec *spec,
                       const RegardFigureStyle *style)
{
  g_return_val_if_fail(capture && spec, NULL);
  if (scope == REGARD_SCOPE_HEAD) {
    RegardMatrix *matrix = regard_matrix_new_attention(capture, spec);
    RegardFigure *one = matrix ? regard_figure_new_matrix(matrix, style) : NULL;
    regard_matrix_unref(matrix);
    return one;
  }
  RegardFigure *figure = figure_new(style, FALSE);
  figure->capture = mt_capture_ref((mt_capture *) capture);
  figure->scope = scope;
  figure->spec = *spec;
  figure->spec.combine = REGARD_COMBINE_HEAD; /* every head by itself: that is what a grid is */
  figure->spec.chosen = NULL;
  gsize n_layers = mt_capture_n_layers(capture, spec->kind);
  figure->spec.layer = (guint) MIN(spec->layer, n_layers > 0 ? n_layers - 1 : 0);
  if (regard_figure_grid_n(figure) == 0) {
    regard_figure_free(figure);
    return NULL;
  }
  return figure;
}

void
regard_figure_free(RegardFigure *figure)
{
  if (!figure)
    return;
  regard_matrix_unref(figure->matrix);
  regard_matrix_unref(figure->made);
  mt_capture_unref(figure->capture);
  g_free(figure);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width_pt, double font_pt)
{
  return figure->curves   ? regard_figure_draw_curves(figure, canvas, width_pt, font_pt)
         : figure->matrix ? regard_figure_draw_matrix(figure, canvas, width_pt, font_pt)
                          : regard_figure_draw_grid(figure, canvas, width_pt, font_pt);
}

double
regard_figure_height(RegardFigure *figure, double width_pt, double font_pt)
{
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();
  return draw(figure, canvas, width_pt, font_pt);
}

void
regard_figure_draw(RegardFigure *figure, RegardCanvas *canvas, double width_pt, double font_pt)
{
  RegardRect page = {0, 0, width_pt, regard_figure_height(figure, width_pt, font_pt)};
  regard_canvas_fill_rect(canvas, page, 0, regard_figure_palette(&figure->style)->background);
  draw(figure, canvas, width_pt, font_pt);
}

guint
regard_figure_n_matrices(RegardFigure *figure)
{
  return figure->matrix ? 1 : regard_figure_grid_n(figure);
}

RegardMatrix *
regard_figure_matrix(RegardFigure *figure, guint i)
{
  g_return_val_if_fail(i < regard_figure_n_matrices(figure), NULL);
  if (figure->matrix)
    return figure->matrix;
  if (!figure->made || figure->made_index != i) {
    RegardMatrixSpec spec;
    regard_figure_grid_place(figure, i, &spec);
    regard_matrix_unref(figure->made);
    figure->made = regard_matrix_new_attention(figure->capture, &spec);
    figure->made_index = i;
  }
  return figure->made;
}

static void
append_sentence(GString *text, const char *name, const mt_tokens *tokens)
{
  const char *sentence = tokens ? mt_tokens_text(tokens) : NULL;
  if (!sentence || !*sentence)
    return;
  /* A sentence that ends itself needs no second full stop. */
  gboolean ends = strchr(".!?", sentence[strlen(sentence) - 1]) != NULL;
  g_string_append_printf(text, " %s: “%s”%s", name, sentence, ends ? "" : ".");
}

/* A multi-target model reads first into which language it translates; "Translation (deu)". */
static char *
translation_name(const mt_capture *capture)
{
  const mt_tokens *source = mt_capture_source(capture);
  if (mt_capture_naming(capture) != MT_NAMING_TRANSLATION)
    return g_strdup(regard_naming_stack_title(capture, MT_STACK_DECODER));
  const mt_token *first = source && mt_tokens_count(source) ? mt_tokens_get(source, 0) : NULL;
  gsize n = first && first->is_special ? strlen(first->piece) : 0;
  if (n <= 4 || !g_str_has_prefix(first->piece, ">>") || !g_str_has_suffix(first->piece, "<<"))
    return g_strdup("Translation");
  return g_strdup_printf("Translation (%.*s)", (int) (n - 4), first->piece + 2);
}

static void
append_what(GString *text, RegardFigure *figure)
{
  if (figure->matrix) {
    g_string_append_printf(text, "%s.", figure->matrix->title);
    return;
  }
  const char *kind = regard_naming_kind(figure->capture, figure->spec.kind);
  switch (figure->scope) {
  case REGARD_SCOPE_LAYER:
    g_string_append_printf(text, "%s, all heads of layer %u.", kind, figure->spec.layer + 1);
    break;
  case REGARD_SCOPE_KIND:
    g_string_append_printf(text, "%s, all layers (rows) and heads (columns).", kind);
    break;
  default:
    g_string_append(text,
                    "Attention weights of every kind, all layers (rows) and heads (columns).");
  }
}

char *
regard_figure_caption(RegardFigure *figure)
{
  RegardMatrix *m = regard_figure_matrix(figure, 0);
  GString *text = g_string_new(NULL);
  append_what(text, figure);
  if (m->capture) {
    append_sentence(text, regard_naming_stack_title(m->capture, MT_STACK_ENCODER),
                    mt_capture_source(m->capture));
    g_autofree char *translation = translation_name(m->capture);
    append_sentence(text, translation, mt_capture_output(m->capture));
    g_string_append(text, " Rows are queries, columns are keys.");
  } else
    g_string_append_printf(text, " Rows: %s; columns: %s.", m->row_title, m->col_title);
  for (char **badge = m->badges; badge && *badge; badge++)
    g_string_append_printf(text, " %c%s.", g_ascii_toupper((*badge)[0]), *badge + 1);
  if (!figure->curves) /* curves have no colour scale */
    g_string_append_printf(
        text, " Colour scale: %s.",
        (const char *[]){"linear", "square root", "logarithmic (floor 1e-4)",
                         "linear, each row by its own maximum"}[figure->style.scale]);
  if (m->model_name && *m->model_name)
    g_string_append_printf(text,
                           m->capture && *mt_capture_file_name(m->capture) ? " From the file %s."
                                                                           : " Model: %s.",
                           m->model_name);
  g_autofree char *precisions = m->capture ? regard_naming_precisions(m->capture) : NULL;
  if (precisions)
    g_string_append_printf(text, " Precision: %s.", precisions);
  g_string_append(text, " Drawn with Regard " MT_VERSION ".");
  return g_string_free(text, FALSE);
}
