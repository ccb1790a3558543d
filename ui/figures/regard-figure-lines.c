/* regard-figure-lines.c — lines between two lists of labels, with everything that explains them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Top to bottom: title and badges, the last of which says what is dimmed; the lines; a legend where
 * they are of several heads; colour bar.
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-lines.h"
#include "figures/regard-matrix-attention.h"
#include "figures/regard-words.h"
#include <string.h>

#define BAR 20.0 /* width of colour bar and scale, font sizes */

typedef struct {
  RegardSubject subject;
  RegardLines *lines;
  RegardLinesOrientation orientation;
  guint8 *rows, *cols;
  RegardLinesMarks marks;
  char **badges;
} LinesPicture;

static void
draw_spots(const LinesPicture *self, const RegardLinesLayout *l, RegardCanvas *canvas)
{
  const gboolean is_upright = l->orientation == REGARD_LINES_UPRIGHT;
  const RegardRect *p = &l->plot, *w = &l->whole;
  for (guint side = 0; side < 2; side++)
    for (guint i = 0; i < l->list[side].n; i++) {
      const gboolean is_first = (side == REGARD_LINES_ROWS) == is_upright;
      const double at = l->list[side].at[i] - l->list[side].pitch / 2, pitch = l->list[side].pitch;
      const RegardRect upright = {is_first ? w->x : p->x + p->width, at,
                                  is_first ? p->x - w->x : w->x + w->width - p->x - p->width,
                                  pitch};
      const RegardRect level = {at, is_first ? w->y : p->y + p->height, pitch,
                                is_first ? p->y - w->y : w->y + w->height - p->y - p->height};
      regard_canvas_spot(canvas, is_upright ? upright : level, (int) side,
                         side == REGARD_LINES_ROWS ? (int) i : -1,
                         side == REGARD_LINES_COLS ? (int) i : -1);
    }
}

/* A stretch of line and a name for each matrix, wrapped. */
static double
draw_legend(const LinesPicture *self, const RegardLinesStyle *style, RegardCanvas *canvas, double x,
            double y, double width, double font)
{
  double at = x, baseline = y + font;
  if (self->lines->n == 1)
    return 0;
  regard_canvas_begin_group(canvas, "legend");
  for (guint i = 0; i < self->lines->n; i++) {
    RegardSpan name = {self->lines->names[i], style->text, FALSE};
    const double needed = regard_canvas_text_width(canvas, &name, 1, font) + font * 3.4;
    if (at + needed > x + width && at > x) {
      at = x;
      baseline += font * 1.5;
    }
    const RegardRect swatch = {at, baseline - font * 0.5, font * 1.6, font * 0.28};
    regard_canvas_fill_rect(canvas, swatch, font * 0.14,
                            regard_lines_ink(self->lines, style, i, FALSE));
    regard_canvas_text(canvas, at + font * 2.0, baseline, &name, 1, font, REGARD_ANCHOR_START, 0);
    at += needed;
  }
  regard_canvas_end_group(canvas);
  return baseline - y + font * 0.9;
}

/* The matrix's own, and what is dimmed. */
static char **
list_badges(const RegardLines *lines, const RegardMatrix *m)
{
  GPtrArray *badges = g_ptr_array_new();
  for (char **badge = m->badges; badge && *badge; badge++)
    g_ptr_array_add(badges, g_strdup(*badge));
  if (lines->n_kept < lines->n_lines)
    g_ptr_array_add(badges,
                    g_strdup_printf(_("%.0f %% of the weight dimmed"), lines->dimmed * 100));
  g_ptr_array_add(badges, NULL);
  return (char **) g_ptr_array_free(badges, FALSE);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const LinesPicture *self = figure->subject;
  const RegardMatrix *m = regard_figure_matrix(figure, 0); /* its texts are of the language */
  g_auto(GStrv) badges = list_badges(self->lines, m);
  const RegardPalette *palette = regard_figure_palette(&figure->style);
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  RegardLinesStyle style;
  g_auto(RegardLinesLayout) layout = {0};
  double y = margin;
  regard_lines_style_init(&style, &figure->style, m->diverging);
  y += regard_figure_header(canvas, palette, margin, y, inner,
                            regard_figure_title(&figure->style, m->title), badges, font);
  regard_lines_lay_out(&layout, canvas, self->lines, self->orientation,
                       (RegardRect){margin, y, inner, 0}, 0, font);
  if (figure->stretch != 1) {
    const double pitch = layout.list[0].pitch * figure->stretch;
    const double height = layout.plot.height * figure->stretch;
    regard_lines_layout_clear(&layout);
    regard_lines_lay_out(&layout, canvas, self->lines, self->orientation,
                         (RegardRect){margin, y, inner, height}, pitch, font);
  }
  const gboolean is_isolated = regard_lines_is_isolated(self->lines, &self->marks);
  regard_canvas_begin_group(canvas, "lines");
  regard_lines_draw(self->lines, &layout, &style, &self->marks, REGARD_LINES_ALL,
                    is_isolated ? REGARD_LINES_REST : 1, 0, canvas);
  if (is_isolated)
    regard_lines_draw(self->lines, &layout, &style, &self->marks, REGARD_LINES_TOUCHED, 1, 0,
                      canvas);
  regard_lines_draw_marked(self->lines, &layout, &style, &self->marks, canvas);
  regard_canvas_end_group(canvas);
  regard_lines_draw_labels(self->lines, &layout, &style, canvas);
  regard_lines_draw_isolated(self->lines, &layout, &style, &self->marks, canvas);
  draw_spots(self, &layout, canvas);

  y = layout.whole.y + layout.whole.height + font * 1.3;
  y += draw_legend(self, &style, canvas, margin, y, inner, font);
  RegardLinesColormap map;
  regard_lines_colormap_init(&map, self->lines, &style);
  RegardFigureStyle bar = figure->style;
  bar.colormap = &map.map;
  const double bar_x = MIN(layout.plot.x, MAX(margin + font, width * 0.5 - BAR / 2 * font));
  RegardMatrix range = *m; /* of all matrices */
  range.lo = self->lines->lo;
  range.hi = self->lines->hi;
  y += regard_figure_footer(canvas, palette, &bar, &range, bar_x, y, margin + inner - bar_x,
                            m->model_name, font);
  return y + margin;
}

static guint
n_matrices(RegardFigure *figure)
{
  return ((const LinesPicture *) figure->subject)->lines->n;
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  return regard_matrix_ref(((const LinesPicture *) figure->subject)->lines->matrices[i]);
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const LinesPicture *self = figure->subject;
  g_autoptr(GString) colours = g_string_new(NULL);
  regard_words_add_sentence(caption, _("%s, as lines."), regard_figure_matrix(figure, 0)->title);
  for (guint i = 0; self->lines->n > 1 && i < self->lines->n; i++)
    regard_words_add_item(colours, self->lines->names[i]);
  if (colours->len > 0)
    /* Translators: a list of heads, which have colours */
    regard_words_add_sentence(caption, _("Colours: %s."), colours->str);
  g_autofree char *drawn = regard_lines_describe(self->lines);
  /* Translators: "all 81 lines", or those of the largest weights */
  regard_words_add_sentence(caption, _("Drawn strong: %s."), drawn);
}

/* Heads, as files of a grid of chosen ones have them. */
static void
get_group(RegardFigure *figure, guint first, RegardFigureGroup *group)
{
  static const char *const prefixes[] = {
      [MT_ENCODER_SELF] = "encoder_",
      [MT_DECODER_SELF] = "decoder_",
      [MT_CROSS] = "cross_",
  };
  const LinesPicture *self = figure->subject;
  const RegardAttention *from = regard_matrix_get_attention(self->lines->matrices[0]);
  if (self->lines->n == 1)
    return;
  group->n = self->lines->n;
  group->prefix = from ? prefixes[from->spec.kind] : "";
  group->shape[0] = group->n;
  group->shape[1] = 1;
  group->is_list = TRUE;
}

static void
append_place(RegardFigure *figure, guint i, GString *line)
{
  const LinesPicture *self = figure->subject;
  const RegardAttention *from = regard_matrix_get_attention(self->lines->matrices[i]);
  if (from)
    g_string_append_printf(line, "%s,%u,%u", regard_kind_id(from->spec.kind),
                           regard_naming_layer(from->capture, from->spec.kind, from->spec.layer),
                           regard_naming_head_number(from->capture, from->spec.kind,
                                                     from->spec.head));
  else
    g_string_append_printf(line, "%s,%u,1", self->lines->matrices[i]->id, i + 1);
}

static char *
describe_spot(RegardFigure *figure, const RegardSpot *spot)
{
  const LinesPicture *self = figure->subject;
  return regard_lines_describe_token(self->lines, (RegardLinesSide) spot->part,
                                     (guint) MAX(spot->row, spot->col));
}

/* A file has no place for one line that is marked: it is told without. */
static gboolean
tell_attention(RegardFigure *figure, RegardAttentionLook *look)
{
  const LinesPicture *self = figure->subject;
  const RegardMatrix *m = self->lines->matrices[0];
  const RegardAttention *first = regard_matrix_get_attention(m);
  if (!first)
    return FALSE;
  const mt_attention_kind kind = first->spec.kind;
  const gsize heads = mt_capture_n_heads(first->capture, kind);
  g_autofree guint8 *chosen = g_new0(guint8, heads * mt_capture_n_layers(first->capture, kind));
  for (guint i = 0; i < self->lines->n; i++) {
    const RegardAttention *from = regard_matrix_get_attention(self->lines->matrices[i]);
    if (!from || from->capture != first->capture || from->spec.kind != kind)
      return FALSE;
    chosen[from->spec.layer * heads + from->spec.head] = 1;
  }
  *look = (RegardAttentionLook){
      .capture = first->capture,
      .scope = self->lines->n > 1 ? REGARD_SCOPE_CHOSEN : REGARD_SCOPE_HEAD,
      .form = REGARD_FORM_LINES,
      .lines_share = self->lines->share,
      .orientation = self->orientation,
      .rows = self->rows,
      .cols = self->cols,
      .n_rows = m->rows,
      .n_cols = m->cols,
      .spec = first->spec,
  };
  look->spec.chosen = self->lines->n > 1                             ? chosen
                      : first->spec.combine == REGARD_COMBINE_CHOSEN ? first->chosen
                                                                     : NULL;
  regard_attention_look_own(look);
  return TRUE;
}

static void
clear_figure(gpointer subject)
{
  LinesPicture *self = subject;
  regard_lines_unref(self->lines);
  g_free(self->rows);
  g_free(self->cols);
}

RegardFigure *
regard_figure_new_lines(RegardLines *lines, RegardLinesOrientation orientation,
                        const RegardLinesMarks *marks, const RegardFigureStyle *style)
{
  /* One matrix is no list of heads: its files are those of a heatmap. */
  static const RegardFigureClass one = {
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .describe_spot = describe_spot,
      .tell_attention = tell_attention,
  };
  static const RegardFigureClass many = {
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .group = get_group,
      .place_names = "kind,layer,head",
      .append_place = append_place,
      .describe_spot = describe_spot,
      .tell_attention = tell_attention,
  };
  static const RegardLinesMarks none = REGARD_LINES_MARKS_INIT;
  const RegardMatrix *m = lines->matrices[0];
  LinesPicture *self = regard_subject_alloc(sizeof *self, clear_figure);
  self->lines = regard_lines_ref(lines);
  self->orientation = orientation;
  self->marks = marks ? *marks : none;
  self->rows = self->marks.rows ? g_memdup2(self->marks.rows, m->rows) : NULL;
  self->cols = self->marks.cols ? g_memdup2(self->marks.cols, m->cols) : NULL;
  self->marks.rows = self->rows;
  self->marks.cols = self->cols;
  return regard_figure_new(lines->n > 1 ? &many : &one, self, NULL, m->diverging, style);
}
