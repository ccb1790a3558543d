/* regard-inside-cards-parts.c — the cards that take apart: a score into pairs of parts, the output
 * of a layer into its heads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-inside-draw.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define LINE 1.7 /* font sizes */
#define BAND 1.15

/* ---- Why this cell --------------------------------------------------------------------------- */

static gboolean
has_bias(const mt_score_part *part)
{
  return part->query.type == MT_PART_BIAS || part->key.type == MT_PART_BIAS;
}

guint
inside_bars(const RegardInside *in, InsideBar bars[INSIDE_MOST_BARS + 2])
{
  double biases = 0, rest = 0;
  guint n = 0, n_rest = 0;
  gboolean have_biases = FALSE;
  for (gsize i = 0; i < in->parts.n; i++) {
    const mt_score_part *part = &in->parts.parts[i];
    if (has_bias(part)) {
      biases += part->score;
      have_biases = TRUE;
    } else if (n < INSIDE_MOST_BARS) {
      g_autofree char *query = regard_inside_part_name(in, part->query, FALSE);
      g_autofree char *key = regard_inside_part_name(in, part->key, TRUE);
      bars[n++] = (InsideBar){g_strdup_printf("%s × %s", query, key), part->score};
    } else {
      rest += part->score;
      n_rest++;
    }
  }
  if (n_rest)
    bars[n++] = (InsideBar){g_strdup_printf(_("the other %u pairs"), n_rest), rest};
  if (have_biases)
    bars[n++] = (InsideBar){g_strdup(_("pairs with a bias")), biases};
  return n;
}

/* "feed-forward decoder 2 × token ▁animal": where it has no room, its two parts stand below each
 * other, for pairs differ in the second one as often as in the first. Returns the height. */
static double
draw_pair(const InsideDraw *d, double x, double y, double width, const char *name)
{
  static const char times[] = " × ";
  const double f = d->font;
  const char *second = strstr(name, times);
  const RegardSpan span = {name, d->palette->text, FALSE};
  if (!second || regard_canvas_text_width(d->canvas, &span, 1, f) <= width) {
    inside_text(d, x, y + f * 1.02, width, name, FALSE, FALSE, REGARD_ANCHOR_START);
    return LINE * f;
  }
  g_autofree char *first = g_strndup(name, (gsize) (second - name));
  inside_text(d, x, y + f * 1.02, width, first, FALSE, FALSE, REGARD_ANCHOR_START);
  inside_text(d, x + f * 0.8, y + f * (1.02 + BAND), width - f * 0.8, second + 1, FALSE, FALSE,
              REGARD_ANCHOR_START);
  return (LINE + BAND) * f;
}

/* Returns the height. */
static double
draw_bar(const InsideDraw *d, double x, double y, double width, double zero, double unit,
         const InsideBar *bar, guint i)
{
  const double f = d->font, name = width * 0.56, length = fabs(bar->score) * unit;
  const double left = x + name + zero - (bar->score < 0 ? length : 0);
  char text[32];
  g_autofree char *signed_text = NULL;
  regard_figure_number(text, bar->score, 2);
  signed_text = bar->score > 0 ? g_strconcat("+", text, NULL) : g_strdup(text);
  const double height = draw_pair(d, x, y, name - 0.8 * f, bar->name);
  regard_canvas_fill_rect(d->canvas, (RegardRect){left, y + 0.15 * f, MAX(length, 1), 0.9 * f}, 2,
                          bar->score < 0 ? 0xff3584e4 : 0xffc64600);
  inside_text(d, x + width, y + f * 1.02, 5 * f, signed_text, FALSE, FALSE, REGARD_ANCHOR_END);
  regard_canvas_spot(d->canvas, (RegardRect){x, y, width, height - (LINE - BAND) * f},
                     REGARD_SPOT_PART, (int) i, -1);
  return height;
}

double
inside_draw_cell(const InsideDraw *d, double x, double y, double width)
{
  const RegardInside *in = d->in;
  const double f = d->font, top = y, room = width * 0.44 - 4.5 * f;
  InsideBar bars[INSIDE_MOST_BARS + 2];
  double most = 1e-9, least = 0, greatest = 0;
  char text[32];
  g_autofree char *note = in->allowed[in->key]
                              ? g_strdup_printf(_("%s: score %s"), in->col_texts[in->key],
                                                regard_figure_number(text, in->scaled[in->key], 3))
                              : g_strdup_printf(_("%s is masked"), in->col_texts[in->key]);
  y += inside_heading(d, x, y, width, _("Why this cell"), note);
  const guint n = inside_bars(in, bars);
  for (guint i = 0; i < n; i++) {
    most = MAX(most, fabs(bars[i].score));
    least = MIN(least, bars[i].score);
    greatest = MAX(greatest, bars[i].score);
  }
  const double unit = room / MAX(greatest - least, most);
  for (guint i = 0; i < n; i++) {
    y += draw_bar(d, x, y, width, -least * unit, unit, &bars[i], i);
    g_free(bars[i].name);
  }
  inside_text(d, x, y + f * 1.05, width,
              n ? _("They add up to the score; standard deviations of norms held fixed.")
                : _("No score, and so no parts."),
              TRUE, FALSE, REGARD_ANCHOR_START);
  return y + 1.4 * f - top;
}

/* ---- Many heads ------------------------------------------------------------------------------ */

/* Where the columns of the list are. */
typedef struct {
  double name, strip, norm, along;
} HeadColumns;

static HeadColumns
head_columns(const InsideDraw *d, double width)
{
  const double f = d->font, norm = 4.6 * f, along = 5.6 * f, name = 4.4 * f;
  return (HeadColumns){name, MAX(width - name - norm - along - 0.6 * f, 4 * f), norm, along};
}

static void
draw_head(const InsideDraw *d, double x, double y, const HeadColumns *c, guint h)
{
  const RegardInside *in = d->in;
  const double f = d->font, width = c->name + c->strip + c->norm + c->along + 0.6 * f;
  char text[32];
  g_autofree char *name = g_strdup_printf(_("head %u"), h + 1);
  const gboolean is_this = h == in->head;
  if (is_this)
    regard_canvas_fill_rect(d->canvas,
                            (RegardRect){x - f * 0.3, y - (LINE - BAND) * f / 2, width + f * 0.6,
                                         LINE * f},
                            3, d->palette->badge_fill & 0x7fffffff);
  inside_text(d, x, y + f * 1.0, c->name, name, FALSE, is_this, REGARD_ANCHOR_START);
  regard_canvas_spot(d->canvas, (RegardRect){x, y, width, BAND * f}, REGARD_SPOT_HEAD, (int) h, -1);
  const InsideStrip strip = {in->contexts + (gsize) h * in->d_head,
                             in->d_head,
                             1,
                             in->domain,
                             REGARD_SPOT_HEAD_CONTEXT,
                             (int) h};
  inside_strip(d, (RegardRect){x + c->name, y, c->strip, BAND * f}, &strip);
  inside_text(d, x + c->name + c->strip + c->norm, y + f, c->norm,
              regard_figure_number(text, in->added_norm[h], 2), FALSE, is_this, REGARD_ANCHOR_END);
  inside_text(d, x + width, y + f, c->along, regard_figure_number(text, in->added_along[h], 2),
              FALSE, is_this, REGARD_ANCHOR_END);
}

double
inside_draw_heads(const InsideDraw *d, double x, double y, double width)
{
  const RegardInside *in = d->in;
  const double f = d->font, top = y;
  const HeadColumns c = head_columns(d, width);
  const double sums = x + c.name + c.strip + c.norm;
  char text[32];
  g_autofree char *note = g_strdup_printf(_("contexts of layer %u, side by side"), in->layer + 1);
  y += inside_heading(d, x, y, width, _("Many heads"), note);
  inside_text(d, sums, y + 0.7 * f, c.norm, _("‖adds‖"), TRUE, FALSE, REGARD_ANCHOR_END);
  inside_text(d, x + width, y + 0.7 * f, c.along, _("along sum"), TRUE, FALSE, REGARD_ANCHOR_END);
  y += 1.15 * f;
  for (guint h = 0; h < in->n_heads; h++, y += LINE * f)
    draw_head(d, x, y, &c, h);
  const InsideStrip all = {in->contexts, in->n_heads * in->d_head, 1, in->domain, -1, 0};
  inside_text(d, x, y + f, c.name, _("z, joined"), TRUE, FALSE, REGARD_ANCHOR_START);
  inside_strip(d, (RegardRect){x + c.name, y, width - c.name, BAND * f}, &all);
  y += LINE * f;
  if (in->b[MT_MAP_OUTPUT]) {
    inside_text(d, x, y + f, c.name + c.strip, _("bias b_O"), TRUE, FALSE, REGARD_ANCHOR_START);
    inside_text(d, sums, y + f, c.norm, regard_figure_number(text, in->bias_norm, 2), TRUE, FALSE,
                REGARD_ANCHOR_END);
    inside_text(d, x + width, y + f, c.along, regard_figure_number(text, in->bias_along, 2), TRUE,
                FALSE, REGARD_ANCHOR_END);
    y += 1.5 * f;
  }
  inside_text(d, x, y + f, c.name + c.strip, _("together, after W_O"), FALSE, TRUE,
              REGARD_ANCHOR_START);
  inside_text(d, x + width, y + f, c.along + c.norm, regard_figure_number(text, in->output_norm, 2),
              FALSE, TRUE, REGARD_ANCHOR_END);
  return y + 1.5 * f - top;
}
