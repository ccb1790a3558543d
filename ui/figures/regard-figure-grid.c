/* regard-figure-grid.c — many heads as thumbnails: a layer, a kind, or all three kinds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row of thumbnails is a layer, a column a head; numbers stand outside and count from 1. Chosen
 * heads are no thumbnails but panels: each as it is drawn alone, with tokens and numbers, laid out
 * alike. One colour bar serves them all: the range never changes between heads of one picture.
 */
#include "figures/regard-figure-attention.h"
#include "figures/regard-figure-private.h"
#include <glib/gi18n.h>

/* Thumbnails of a single layer are wrapped so that each is about this wide, in font sizes. */
#define LAYER_THUMBNAIL 13.0
/* Between panels, in font sizes. */
#define PANEL_GAP 1.6
/* Height by width of thumbnails when three kinds share a page. */
#define ALL_RATIO 0.55

const RegardPicture regard_scopes[] = {
    [REGARD_SCOPE_HEAD] = {"head", N_("This matrix")},
    [REGARD_SCOPE_LAYER] = {"layer", N_("All heads of the layer")},
    [REGARD_SCOPE_KIND] = {"kind", N_("All heads of this attention")},
    [REGARD_SCOPE_ALL] = {"all", N_("All heads of all attentions")},
    [REGARD_SCOPE_CHOSEN] = {"chosen", N_("Chosen heads side by side")},
};

typedef struct {
  RegardSubject subject;
  mt_capture *capture;
  RegardScope scope;
  RegardMatrixSpec spec;
  guint *chosen; /* [n_chosen] layer * n_heads + head, of REGARD_SCOPE_CHOSEN */
  guint n_chosen;
} HeadGrid;

static guint
n_layers(const HeadGrid *figure, mt_attention_kind kind)
{
  return (guint) mt_capture_n_layers(figure->capture, kind);
}

static guint
n_heads(const HeadGrid *figure, mt_attention_kind kind)
{
  return (guint) mt_capture_n_heads(figure->capture, kind);
}

/* Heads of a kind that the figure shows. */
static guint
n_of_kind(const HeadGrid *figure, mt_attention_kind kind)
{
  if (figure->scope != REGARD_SCOPE_ALL && kind != figure->spec.kind)
    return 0;
  if (figure->scope == REGARD_SCOPE_CHOSEN)
    return figure->n_chosen;
  guint layers =
      figure->scope == REGARD_SCOPE_LAYER ? MIN(1, n_layers(figure, kind)) : n_layers(figure, kind);
  return layers * n_heads(figure, kind);
}

static guint
count_places(const HeadGrid *figure)
{
  guint n = 0;
  for (guint kind = 0; kind < MT_N_KINDS; kind++)
    n += n_of_kind(figure, (mt_attention_kind) kind);
  return n;
}

/* Places are in the order kind, layer, head. */
static void
get_place(const HeadGrid *figure, guint i, RegardMatrixSpec *spec)
{
  *spec = figure->spec;
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    guint n = n_of_kind(figure, (mt_attention_kind) kind);
    if (i >= n) {
      i -= n;
      continue;
    }
    spec->kind = (mt_attention_kind) kind;
    if (figure->scope == REGARD_SCOPE_CHOSEN)
      i = figure->chosen[i];
    if (figure->scope != REGARD_SCOPE_LAYER)
      spec->layer = i / n_heads(figure, spec->kind);
    spec->head = i % n_heads(figure, spec->kind);
    return;
  }
  g_assert_not_reached();
}

typedef struct {
  const RegardFigure *base;
  const HeadGrid *figure;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double font, x0, width; /* inside the margins */
  gboolean images;
  RegardMatrix *like; /* a head of the kind that is drawn */
} Grid;

static void
draw_thumbnail(const Grid *g, guint layer, guint head, RegardRect place)
{
  if (!regard_figure_draws(g->canvas))
    return;
  RegardMatrix *matrix = regard_matrix_new_head(g->like, layer, head);
  /* Pins belong to one matrix of these only, which the caller of a grid does not name. */
  RegardFigureStyle style = g->base->style;
  style.pinned_row = style.pinned_col = -1;
  RegardCellOptions options = {FALSE, FALSE, g->images, g->font};
  regard_figure_cells(g->canvas, g->palette, &style, matrix, place, &options);
  regard_matrix_unref(matrix);
}

/* Rows per column of a kind's matrices, within limits so that very long sides stay pictures. */
static double
aspect(const HeadGrid *figure, mt_attention_kind kind, double low, double high)
{
  mt_matrix w = mt_capture_weights(figure->capture, kind, 0, 0);
  return CLAMP((double) MAX(w.rows, 1) / (double) MAX(w.cols, 1), low, high);
}

/* Layers x heads of one kind with numbers outside; returns the height. */
static double
draw_kind(const Grid *g, mt_attention_kind kind, double y, double ratio)
{
  const double font = g->font, gap = font * 0.45, size = font * 0.9;
  const guint layers = n_layers(g->figure, kind), heads = n_heads(g->figure, kind);
  const double left = font * 3.0, x0 = g->x0 + left;
  const double thumb = MAX((g->width - left - gap * (heads - 1)) / heads, font * 0.5);
  const double height = thumb * ratio * g->base->stretch;

  regard_canvas_begin_group(g->canvas, "numbers");
  double baseline = y + size;
  regard_figure_text(g->canvas, x0 - gap, baseline, "head", g->palette->dim, FALSE, size,
                     REGARD_ANCHOR_END, 0);
  for (guint h = 0; h < heads; h++) {
    g_autofree char *text =
        g_strdup_printf("%u", regard_naming_head_number(g->figure->capture, kind, h));
    regard_figure_text(g->canvas, x0 + h * (thumb + gap) + thumb / 2, baseline, text,
                       g->palette->text, FALSE, size, REGARD_ANCHOR_MIDDLE, 0);
  }
  double top = baseline + font * 0.45;
  for (guint layer = 0; layer < layers; layer++) {
    g_autofree char *text =
        g_strdup_printf("%u", regard_naming_layer(g->figure->capture, kind, layer));
    regard_figure_text(g->canvas, x0 - gap, top + layer * (height + gap) + height / 2 + size * 0.36,
                       text, g->palette->text, FALSE, size, REGARD_ANCHOR_END, 0);
  }
  regard_figure_text(g->canvas, g->x0 + size, top + (layers * (height + gap) - gap) / 2, "layer",
                     g->palette->dim, FALSE, size, REGARD_ANCHOR_MIDDLE, -90);
  regard_canvas_end_group(g->canvas);

  for (guint layer = 0; layer < layers; layer++)
    for (guint h = 0; h < heads; h++)
      draw_thumbnail(g, layer, h,
                     (RegardRect){x0 + h * (thumb + gap), top + layer * (height + gap), thumb,
                                  height});
  return top + layers * (height + gap) - gap - y;
}

/* The heads of one layer, wrapped into lines, each with its name above. */
static double
draw_lines(const Grid *g, double y)
{
  const double font = g->font, gap = font * 1.0;
  const mt_attention_kind kind = g->figure->spec.kind;
  const guint heads = n_of_kind(g->figure, kind);
  guint columns = CLAMP((guint) (g->width / (LAYER_THUMBNAIL * font)), 2, MAX(heads, 2));
  /* Lines of equal length: 8 heads at room for 5 are 4 and 4. */
  guint lines = (heads + columns - 1) / columns;
  columns = (heads + lines - 1) / lines;
  const double thumb = (g->width - gap * (columns - 1)) / columns;
  const double height = thumb * aspect(g->figure, kind, 0.35, 1.6) * g->base->stretch;
  const double pitch = height + font * 2.2;
  for (guint h = 0; h < heads; h++) {
    double x = g->x0 + (h % columns) * (thumb + gap), top = y + (h / columns) * pitch;
    g_autofree char *text =
        g_strdup_printf("head %u", regard_naming_head_number(g->figure->capture, kind, h));
    regard_figure_text(g->canvas, x, top + font, text, g->palette->text, FALSE, font,
                       REGARD_ANCHOR_START, 0);
    draw_thumbnail(g, g->figure->spec.layer, h, (RegardRect){x, top + font * 1.45, thumb, height});
  }
  return lines * pitch - font * 0.75;
}

/* ---- Chosen heads ---------------------------------------------------------------------------- */

/* Of so many panels beside each other, and one of them laid out at (0, 0). */
static double
lay_out_panel(const Grid *g, guint columns, RegardPlot *plot)
{
  const double width = (g->width - PANEL_GAP * g->font * (columns - 1)) / columns;
  regard_plot_lay_out(plot, 0, width, 0);
  return width;
}

/* As on the screen, three beside each other and four as a square; fewer where the numbers that are
 * wanted, or else all tokens, have room only then. */
static guint
choose_columns(const Grid *g, guint n, RegardPlot *plot)
{
  const guint most = n == 4 ? 2 : MIN(n, 3);
  const gboolean wants_numbers = regard_figure_has(plot->style, REGARD_PART_NUMBERS);
  for (guint needs_numbers = wants_numbers + 1; needs_numbers-- > 0;)
    for (guint columns = most; columns > 0; columns--) {
      lay_out_panel(g, columns, plot);
      if (needs_numbers ? regard_plot_fits_numbers(plot) : regard_plot_names_all(plot))
        return columns;
    }
  return most;
}

/* Every one has the labels of the others, and so the same layout: what is cut is cut alike. */
static double
draw_panels(const Grid *g, double y)
{
  const double font = g->font, name = font * 1.5;
  const guint n = g->figure->n_chosen;
  RegardFigureStyle style = g->base->style;
  style.pinned_row = style.pinned_col = -1;
  RegardPlot plot = {
      .style = &style,
      .stretch = g->base->stretch,
      .canvas = g->canvas,
      .palette = g->palette,
      .m = g->like,
      .font = font,
      .is_image = g->images,
  };
  const guint columns = choose_columns(g, n, &plot);
  const double width = lay_out_panel(g, columns, &plot);
  const double height = name + regard_plot_bottom(&plot), pitch = height + font * 1.4;
  for (guint i = 0; i < n; i++) {
    const double x = g->x0 + (i % columns) * (width + PANEL_GAP * font),
                 top = y + (i / columns) * pitch;
    RegardMatrixSpec spec;
    get_place(g->figure, i, &spec);
    g_autofree char *text =
        g_strdup_printf("%u.%u", regard_naming_layer(g->figure->capture, spec.kind, spec.layer),
                        regard_naming_head_number(g->figure->capture, spec.kind, spec.head));
    g_autoptr(RegardMatrix) m = regard_figure_draws(g->canvas)
                                    ? regard_matrix_new_head(g->like, spec.layer, spec.head)
                                    : regard_matrix_ref(g->like);
    RegardPlot panel = plot;
    panel.m = m;
    regard_plot_move(&panel, x, top + name);
    regard_canvas_begin_group(g->canvas, "head");
    regard_figure_text(g->canvas, panel.plot.x, top + font, text, g->palette->text, TRUE, font,
                       REGARD_ANCHOR_START, 0);
    regard_canvas_end_group(g->canvas);
    regard_plot_draw(&panel);
  }
  return (n + columns - 1) / columns * pitch - font * 1.4;
}

static char *
grid_title(const HeadGrid *figure, mt_attention_kind kind)
{
  const char *name = regard_naming_kind(figure->capture, kind);
  /* Of the first, and of the last. */
  const guint layer = regard_naming_layer(figure->capture, kind, 0),
              head = regard_naming_head_number(figure->capture, kind, 0),
              last_layer = layer + n_layers(figure, kind) - 1,
              last_head = head + n_heads(figure, kind) - 1;
  if (figure->scope == REGARD_SCOPE_LAYER)
    return g_strdup_printf("%s · layer %u · heads %u–%u", name, layer + figure->spec.layer, head,
                           last_head);
  if (figure->scope == REGARD_SCOPE_CHOSEN)
    return g_strdup_printf("%s · %u heads", name, figure->n_chosen);
  return g_strdup_printf("%s · layers %u–%u × heads %u–%u", name, layer, last_layer, head,
                         last_head);
}

/* Which axis is which, on one line or two; for all kinds only what holds for all. */
static double
draw_axes(const Grid *g, double y)
{
  mt_attention_kind kind = g->figure->spec.kind;
  const gboolean all = g->figure->scope == REGARD_SCOPE_ALL;
  const mt_capture *capture = g->figure->capture;
  const char *row_text = regard_naming_stack(capture, regard_naming_rows(kind));
  const char *col_text = regard_naming_stack(capture, regard_naming_columns(kind));
  g_autofree char *rows =
      all ? g_strdup("rows: queries") : g_strdup_printf("rows: queries (%s)", row_text);
  g_autofree char *cols =
      all ? g_strdup("columns: keys") : g_strdup_printf("columns: keys (%s)", col_text);
  g_autofree char *both = g_strdup_printf("%s · %s", rows, cols);
  const double size = g->font * 0.9;
  RegardSpan span = {both, g->palette->dim, FALSE};
  if (regard_canvas_text_width(g->canvas, &span, 1, size) <= g->width) {
    regard_canvas_text(g->canvas, g->x0, y + size, &span, 1, size, REGARD_ANCHOR_START, 0);
    return size * 1.9;
  }
  regard_figure_text(g->canvas, g->x0, y + size, rows, g->palette->dim, FALSE, size,
                     REGARD_ANCHOR_START, 0);
  regard_figure_text(g->canvas, g->x0, y + size * 2.3, cols, g->palette->dim, FALSE, size,
                     REGARD_ANCHOR_START, 0);
  return size * 3.2;
}

static gsize
n_cells(RegardFigure *base)
{
  const HeadGrid *figure = base->subject;
  gsize n = 0;
  for (guint k = 0; k < MT_N_KINDS; k++) {
    guint heads = n_of_kind(figure, (mt_attention_kind) k);
    if (heads == 0)
      continue;
    mt_matrix w = mt_capture_weights(figure->capture, (mt_attention_kind) k, 0, 0);
    n += heads * w.rows * w.cols;
  }
  return n;
}

static double
draw(RegardFigure *base, RegardCanvas *canvas, double width, double font)
{
  const HeadGrid *figure = base->subject;
  const double margin = font * REGARD_FIGURE_MARGIN;
  Grid g = {
      .base = base,
      .figure = figure,
      .canvas = canvas,
      .palette = regard_figure_palette(&base->style),
      .font = font,
      .x0 = margin,
      .width = width - 2 * margin,
      .images = n_cells(base) > REGARD_FIGURE_MAX_RECTANGLES,
  };
  RegardMatrixSpec spec;
  get_place(figure, 0, &spec);
  const mt_attention_kind sample_kind = spec.kind;
  /* For its badges and range, which all share. */
  RegardMatrix *sample = regard_matrix_new_attention(figure->capture, &spec);
  char **badges = sample->badges;
  double y = margin;
  for (guint k = 0; k < MT_N_KINDS; k++) {
    mt_attention_kind kind = regard_kinds_in_order[k];
    if (n_of_kind(figure, kind) == 0)
      continue;
    g_autofree char *title = grid_title(figure, kind);
    /* Of several kinds it is not the figure's title, but the kind's. */
    const char *shown =
        figure->scope == REGARD_SCOPE_ALL ? title : regard_figure_title(&base->style, title);
    y += regard_figure_header(canvas, g.palette, g.x0, y, g.width, shown, badges, font);
    badges = NULL; /* said once */
    spec.kind = kind;
    g.like = kind == sample_kind ? regard_matrix_ref(sample)
                                 : regard_matrix_new_attention(figure->capture, &spec);
    if (figure->scope == REGARD_SCOPE_CHOSEN)
      y += draw_panels(&g, y);
    else if (figure->scope == REGARD_SCOPE_LAYER)
      y += draw_lines(&g, y);
    else if (figure->scope == REGARD_SCOPE_ALL)
      y += draw_kind(&g, kind, y, ALL_RATIO);
    else
      y += draw_kind(&g, kind, y, aspect(figure, kind, 0.4, 1.25));
    regard_matrix_unref(g.like);
    y += font * 1.3;
  }
  if (figure->scope != REGARD_SCOPE_CHOSEN) { /* panels have their own */
    regard_canvas_begin_group(canvas, "axis-titles");
    y += draw_axes(&g, y - font * 0.9);
    regard_canvas_end_group(canvas);
  }
  /* The first number of the bar is centred under its end. */
  double bar_x = g.x0 + font;
  y += regard_figure_footer(canvas, g.palette, &base->style, sample, bar_x, y,
                            g.x0 + g.width - bar_x, sample->model_name, font);
  regard_matrix_unref(sample);
  return y + margin;
}

/* ---- What is in it --------------------------------------------------------------------------- */

static guint
n_matrices(RegardFigure *base)
{
  return count_places(base->subject);
}

static RegardMatrix *
new_matrix(RegardFigure *base, guint i)
{
  const HeadGrid *figure = base->subject;
  RegardMatrixSpec spec;
  get_place(figure, i, &spec);
  return base->made && regard_matrix_get_attention(base->made)->spec.kind == spec.kind
             ? regard_matrix_new_head(base->made, spec.layer, spec.head)
             : regard_matrix_new_attention(figure->capture, &spec);
}

static void
append_what(RegardFigure *base, GString *text)
{
  const HeadGrid *figure = base->subject;
  const char *kind = regard_naming_kind(figure->capture, figure->spec.kind);
  const gboolean is_grid =
      figure->scope == REGARD_SCOPE_LAYER || figure->scope == REGARD_SCOPE_KIND;
  if (is_grid && mt_capture_is_part(figure->capture, figure->spec.kind)) {
    /* These are not all that the model has. */
    g_autofree char *title = grid_title(figure, figure->spec.kind);
    g_string_append_printf(text, "%s.", title);
    return;
  }
  switch (figure->scope) {
  case REGARD_SCOPE_LAYER:
    g_string_append_printf(text, "%s, all heads of layer %u.", kind,
                           regard_naming_layer(figure->capture, figure->spec.kind,
                                               figure->spec.layer));
    break;
  case REGARD_SCOPE_CHOSEN:
    g_string_append_printf(text, "%s, heads", kind);
    for (guint i = 0; i < figure->n_chosen; i++) {
      RegardMatrixSpec spec;
      get_place(figure, i, &spec);
      g_string_append_printf(text, "%s %u.%u", i ? "," : "",
                             regard_naming_layer(figure->capture, spec.kind, spec.layer),
                             regard_naming_head_number(figure->capture, spec.kind, spec.head));
    }
    g_string_append_c(text, '.');
    break;
  case REGARD_SCOPE_KIND:
    g_string_append_printf(text, "%s, all layers (rows) and heads (columns).", kind);
    break;
  default:
    g_string_append(text,
                    "Attention weights of every kind, all layers (rows) and heads (columns).");
  }
}

/* All of a kind. */
static void
get_group(RegardFigure *base, guint first, RegardFigureGroup *group)
{
  static const char *const prefixes[] = {
      [MT_ENCODER_SELF] = "encoder_",
      [MT_DECODER_SELF] = "decoder_",
      [MT_CROSS] = "cross_",
  };
  const HeadGrid *figure = base->subject;
  RegardMatrixSpec spec;
  get_place(figure, first, &spec);
  gsize heads = figure->scope == REGARD_SCOPE_CHOSEN ? 1 : n_heads(figure, spec.kind);
  group->n = n_of_kind(figure, spec.kind);
  group->prefix = prefixes[spec.kind];
  group->shape[0] = group->n / heads;
  group->shape[1] = heads;
  group->is_list = figure->scope == REGARD_SCOPE_CHOSEN;
}

static void
append_place(RegardFigure *base, guint i, GString *line)
{
  const HeadGrid *figure = base->subject;
  RegardMatrixSpec spec;
  get_place(figure, i, &spec);
  g_string_append_printf(line, "%s,%u,%u", regard_kind_id(spec.kind),
                         regard_naming_layer(figure->capture, spec.kind, spec.layer),
                         regard_naming_head_number(figure->capture, spec.kind, spec.head));
}

static const mt_capture *
whole_capture(RegardFigure *base)
{
  const HeadGrid *figure = base->subject;
  return figure->scope == REGARD_SCOPE_ALL && !figure->spec.merge_words &&
                 !figure->spec.hide_special
             ? figure->capture
             : NULL;
}

static void
clear(gpointer subject)
{
  HeadGrid *figure = subject;
  g_free(figure->chosen);
  mt_capture_unref(figure->capture);
}

static void
keep_chosen(HeadGrid *figure, const guint8 *chosen)
{
  const guint n = n_layers(figure, figure->spec.kind) * n_heads(figure, figure->spec.kind);
  figure->chosen = g_new(guint, MAX(n, 1));
  for (guint i = 0; chosen && i < n; i++)
    if (chosen[i])
      figure->chosen[figure->n_chosen++] = i;
}

RegardFigure *
regard_figure_new_grid(const mt_capture *capture, RegardScope scope, const RegardMatrixSpec *spec,
                       const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .n_cells = n_cells,
      .append_what = append_what,
      .group = get_group,
      .place_names = "kind,layer,head",
      .append_place = append_place,
      .whole_capture = whole_capture,
  };
  g_return_val_if_fail(capture && spec, NULL);
  if (scope == REGARD_SCOPE_HEAD) {
    g_autoptr(RegardMatrix) matrix = regard_matrix_new_attention(capture, spec);
    return matrix ? regard_figure_new_matrix(matrix, style) : NULL;
  }
  HeadGrid *figure = regard_subject_alloc(sizeof *figure, clear);
  figure->capture = mt_capture_ref((mt_capture *) capture);
  figure->scope = scope;
  figure->spec = *spec;
  figure->spec.combine = REGARD_COMBINE_HEAD; /* every head by itself: that is what a grid is */
  figure->spec.chosen = NULL;
  if (scope == REGARD_SCOPE_CHOSEN)
    keep_chosen(figure, spec->chosen);
  gsize layers = mt_capture_n_layers(capture, spec->kind);
  figure->spec.layer = (guint) MIN(spec->layer, layers > 0 ? layers - 1 : 0);
  if (count_places(figure) > 0)
    return regard_figure_new(&klass, figure, NULL, mt_capture_difference_a(capture) != NULL, style);
  regard_subject_unref(figure);
  return NULL;
}
