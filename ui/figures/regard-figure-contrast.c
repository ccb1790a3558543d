/* regard-figure-contrast.c — which heads chose a token and not another one, as bars to both sides:
 * to the right what speaks for the token, to the left what speaks for the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-contrast.h"

#include "figures/regard-figure-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* In font sizes. */
#define PITCH   1.85
#define BAR     0.95
#define NAME    6.2
#define NUMBER  4.2
#define HEADING 2.0

/* Colours that mean the same in light and in dark. */
#define FOR     0xff3584e4
#define AGAINST 0xffe66100

typedef struct {
  mt_attention_kind kind;
  guint layer, head;
  double value;
} Part;

typedef struct {
  RegardFigure parent;
  RegardEffects *effects;
  GArray *parts; /* of Part, that are drawn: for the token, the largest first, then against it */
  guint n_for, n_left_out;
  double largest;
} ContrastFigure;

/* ---- Which heads ------------------------------------------------------------------------------
 */

/* The largest first; where two are the same, as they stand in the model. */
static int
compare(gconstpointer a, gconstpointer b)
{
  const Part *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->layer != y->layer ? (x->layer < y->layer ? -1 : 1) : (x->head < y->head ? -1 : 1);
}

/* The most of each side; zeros speak for nobody. */
static void
find_parts(ContrastFigure *self)
{
  const RegardEffects *effects = self->effects;
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Part));
  guint n_for = 0, n_against = 0;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < effects->kinds[kind].n_layers; l++)
      for (guint h = 0; h < effects->kinds[kind].n_heads; h++) {
        const Part part = {kind, l, h, regard_effects_shown(effects, kind, l, h)};
        g_array_append_val(all, part);
        n_for += part.value > 0;
        n_against += part.value < 0;
        self->largest = MAX(self->largest, fabs(part.value));
      }
  g_array_sort(all, compare);
  self->n_for = MIN(n_for, REGARD_CONTRAST_MOST);
  n_against = MIN(n_against, REGARD_CONTRAST_MOST);
  self->parts = g_array_new(FALSE, FALSE, sizeof(Part));
  g_array_append_vals(self->parts, all->data, self->n_for);
  if (n_against > 0)
    g_array_append_vals(self->parts, &g_array_index(all, Part, all->len - n_against), n_against);
  self->n_left_out = all->len - self->parts->len;
}

/* ---- Drawing ----------------------------------------------------------------------------------
 */

typedef struct {
  const ContrastFigure *figure;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double x, width, font;
} Draw;

static void
put(const Draw *d, double x, double baseline, double width, const char *text, gboolean dim,
    gboolean bold, RegardAnchor anchor)
{
  regard_figure_text_within(d->canvas, x, baseline, width, text,
                            dim ? d->palette->dim : d->palette->text, bold, d->font, anchor);
}

/* "▁über, not ▁hat: logit +1.33", in two lines where one is too narrow. */
static double
draw_heading(const Draw *d, double y)
{
  const RegardEffects *effects = d->figure->effects;
  const double f = d->font;
  char margin[32];
  g_autofree char *pair =
      g_strdup_printf(_("%s rather than %s"), effects->token_texts[effects->contrast_token],
                      effects->against);
  g_autofree char *by =
      g_strdup_printf(_("logit %s%s · each head alone with %s"), effects->margin > 0 ? "+" : "",
                      regard_figure_number(margin, effects->margin, 3),
                      mt_effect_kind_name(effects->with));
  const RegardSpan bold = {pair, d->palette->text, TRUE}, plain = {by, d->palette->dim, FALSE};
  const double used = regard_canvas_text_width(d->canvas, &bold, 1, f) + 0.8 * f;
  const double needed = used + regard_canvas_text_width(d->canvas, &plain, 1, f);
  put(d, d->x, y + f, d->width, pair, FALSE, TRUE, REGARD_ANCHOR_START);
  if (needed <= d->width)
    put(d, d->x + used, y + f, d->width - used, by, TRUE, FALSE, REGARD_ANCHOR_START);
  else {
    y += 1.45 * f;
    put(d, d->x, y + f, d->width, by, TRUE, FALSE, REGARD_ANCHOR_START);
    return 1.45 * f + HEADING * f;
  }
  return HEADING * f;
}

/* Whose side is whose. */
static double
draw_sides(const Draw *d, double y, double middle)
{
  const RegardEffects *effects = d->figure->effects;
  const double f = d->font, room = (d->width - NAME * f - NUMBER * f) / 2 - 0.6 * f;
  g_autofree char *against = g_strdup_printf(_("← for %s"), effects->against);
  g_autofree char *towards =
      g_strdup_printf(_("for %s →"), effects->token_texts[effects->contrast_token]);
  put(d, middle - 0.5 * f, y + f, room, against, TRUE, FALSE, REGARD_ANCHOR_END);
  put(d, middle + 0.5 * f, y + f, room, towards, TRUE, FALSE, REGARD_ANCHOR_START);
  return 1.7 * f;
}

static void
draw_part(const Draw *d, double y, double middle, double half, const Part *part)
{
  const double f = d->font, baseline = y + 1.28 * f;
  const double length = MAX(fabs(part->value) / d->figure->largest * half, 0.1 * f);
  g_autofree char *name = regard_effects_head_name(part->kind, part->layer, part->head);
  char number[32], text[40];
  regard_canvas_spot(d->canvas, (RegardRect){d->x, y + 0.06 * f, d->width, (PITCH - 0.12) * f},
                     (int) part->kind, (int) part->layer, (int) part->head);
  if (!regard_figure_draws(d->canvas))
    return;
  put(d, d->x, baseline, NAME * f, name, FALSE, FALSE, REGARD_ANCHOR_START);
  regard_canvas_fill_rect(d->canvas,
                          (RegardRect){part->value > 0 ? middle : middle - length,
                                       y + (PITCH - BAR) / 2 * f, length, BAR * f},
                          MIN(0.2 * f, length / 2), part->value > 0 ? FOR : AGAINST);
  g_snprintf(text, sizeof text, "%s%s", part->value > 0 ? "+" : "",
             regard_figure_number(number, part->value, 3));
  put(d, d->x + d->width, baseline, NUMBER * f, text, FALSE, FALSE, REGARD_ANCHOR_END);
}

static double
draw_parts(const Draw *d, double y)
{
  const ContrastFigure *self = d->figure;
  const double f = d->font, top = y, half = (d->width - (NAME + NUMBER) * f) / 2;
  const double middle = d->x + NAME * f + half;
  if (self->parts->len == 0) {
    put(d, d->x, y + f, d->width, _("No head makes a difference."), TRUE, FALSE,
        REGARD_ANCHOR_START);
    return 1.6 * f;
  }
  y += draw_sides(d, y, middle);
  const double first = y;
  for (guint i = 0; i < self->parts->len; i++, y += PITCH * f)
    draw_part(d, y, middle, half - 0.4 * f, &g_array_index(self->parts, Part, i));
  regard_canvas_stroke_line(d->canvas, middle, first, middle, y, 0.06 * f, d->palette->grid);
  if (self->n_left_out > 0) {
    g_autofree char *others =
        g_strdup_printf(ngettext("and %u head that matters less", "and %u heads that matter less",
                                 self->n_left_out),
                        self->n_left_out);
    put(d, d->x, y + 1.15 * f, d->width, others, TRUE, FALSE, REGARD_ANCHOR_START);
    y += 1.6 * f;
  }
  return y - top;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const ContrastFigure *self = (const ContrastFigure *) figure;
  const double margin = font * REGARD_FIGURE_MARGIN;
  const Draw d = {self, canvas, regard_figure_palette(&figure->style), margin, width - 2 * margin,
                  font};
  double y = margin;
  regard_canvas_begin_group(canvas, "contrast");
  y += draw_heading(&d, y);
  y += draw_parts(&d, y);
  regard_canvas_end_group(canvas);
  return y + margin;
}

/* ---- The figure -------------------------------------------------------------------------------
 */

static guint
n_matrices(RegardFigure *figure)
{
  return regard_effects_n_matrices(((ContrastFigure *) figure)->effects);
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  ContrastFigure *self = (ContrastFigure *) figure;
  return regard_effects_matrix(self->effects, i);
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardEffects *effects = ((ContrastFigure *) figure)->effects;
  char margin[32];
  g_string_append_printf(
      caption, "Which head chose it: parts in logit %s − logit %s, which is %s at token %u.",
      effects->token_texts[effects->contrast_token], effects->against,
      regard_figure_number(margin, effects->margin, 3), effects->contrast_token + 1);
  g_string_append_printf(caption, " Each head is changed alone, with %s.",
                         mt_effect_kind_name(effects->with));
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  return regard_effects_describe(((ContrastFigure *) figure)->effects,
                                 (mt_attention_kind) spot->part, (guint) spot->row,
                                 (guint) spot->col);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  return regard_effects_copy(((ContrastFigure *) figure)->effects, (mt_attention_kind) spot->part,
                             (guint) spot->row, (guint) spot->col);
}

static void
release(RegardFigure *figure)
{
  ContrastFigure *self = (ContrastFigure *) figure;
  g_array_unref(self->parts);
  regard_effects_unref(self->effects);
}

RegardFigure *
regard_figure_new_contrast(RegardEffects *effects, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
      .free = release,
  };
  g_return_val_if_fail(effects->against, NULL);
  ContrastFigure *self = regard_figure_alloc(sizeof *self, &klass, style, FALSE);
  self->effects = regard_effects_ref(effects);
  find_parts(self);
  return &self->parent;
}
