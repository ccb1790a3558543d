/* regard-sheet-checks.c — a sheet at its true size, in grey, and as people see it who lack a kind
 * of cones.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two colours are told apart where they are far enough from each other in CIELAB. Of a map without
 * a sign lightness must rise all the way, so that more looks like more; of one with a sign the two
 * ends must differ; of heads that are drawn as lines, all their inks. Of a drawing, the map of its
 * cells, and the inks of its lines where they are few: each is something else there.
 */
#include "figures/regard-sheet-checks.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-words.h"

#include <math.h>

/* Of CIELAB; in the size of cells and lines, less is not told apart at a glance. */
#define LEAST_DIFFERENCE 15.0
/* A map may fall by that much on its way, which nobody sees. */
#define MOST_FALL 1.0

const RegardSightInfo regard_sights[] = {
    [REGARD_SIGHT_FULL] = {"full", N_("All colours")},
    [REGARD_SIGHT_GREY] = {"grey", N_("In grey")},
    [REGARD_SIGHT_PROTAN] = {"protan", N_("Without red cones (protanopia)")},
    [REGARD_SIGHT_DEUTAN] = {"deutan", N_("Without green cones (deuteranopia)")},
    [REGARD_SIGHT_TRITAN] = {"tritan", N_("Without blue cones (tritanopia)")},
};

/* ---- Colours as they are seen ----------------------------------------------------------------
 */

/* Linear RGB to linear RGB, severity 1. */
static const double matrices[REGARD_N_SIGHTS][9] = {
    [REGARD_SIGHT_FULL] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
    [REGARD_SIGHT_GREY] = {0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722},
    [REGARD_SIGHT_PROTAN] = {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882,
                             -0.048116, 1.051998},
    [REGARD_SIGHT_DEUTAN] = {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820,
                             0.042940, 0.968881},
    [REGARD_SIGHT_TRITAN] = {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602,
                             0.004733, 0.691367, 0.303900},
};

static double
to_linear(double c)
{
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
from_linear(double c)
{
  return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static void
see(RegardSight sight, guint32 argb, double rgb[3])
{
  const double in[] = {to_linear((argb >> 16 & 0xff) / 255.0),
                       to_linear((argb >> 8 & 0xff) / 255.0), to_linear((argb & 0xff) / 255.0)};
  const double *m = matrices[sight];
  for (guint i = 0; i < 3; i++)
    rgb[i] = CLAMP(m[3 * i] * in[0] + m[3 * i + 1] * in[1] + m[3 * i + 2] * in[2], 0, 1);
}

guint32
regard_sight_color(RegardSight sight, guint32 argb)
{
  double rgb[3];
  guint32 out = argb & 0xff000000;
  if (sight == REGARD_SIGHT_FULL)
    return argb;
  see(sight, argb, rgb);
  for (guint i = 0; i < 3; i++)
    out |= (guint32) lround(255 * from_linear(rgb[i])) << (16 - 8 * i);
  return out;
}

void
regard_sight_image(RegardSight sight, cairo_surface_t *image)
{
  cairo_surface_flush(image);
  guint8 *data = cairo_image_surface_get_data(image);
  const int width = cairo_image_surface_get_width(image),
            height = cairo_image_surface_get_height(image),
            stride = cairo_image_surface_get_stride(image);
  guint32 last = 0, seen = regard_sight_color(sight, 0);
  for (int y = 0; sight != REGARD_SIGHT_FULL && y < height; y++) {
    guint32 *row = (guint32 *) (void *) (data + (gsize) y * (gsize) stride);
    for (int x = 0; x < width; x++) {
      if (row[x] != last) { /* most are as the one before */
        last = row[x];
        seen = regard_sight_color(sight, last);
      }
      row[x] = seen;
    }
  }
  cairo_surface_mark_dirty(image);
}

/* L, a, b under D65. */
static void
to_lab(RegardSight sight, guint32 argb, double lab[3])
{
  static const double xyz[9] = {0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522,
                                0.0721750, 0.0193339, 0.1191920, 0.9503041};
  static const double white[3] = {0.95047, 1, 1.08883};
  double rgb[3], f[3];
  see(sight, argb, rgb);
  for (guint i = 0; i < 3; i++) {
    const double t =
        (xyz[3 * i] * rgb[0] + xyz[3 * i + 1] * rgb[1] + xyz[3 * i + 2] * rgb[2]) / white[i];
    f[i] = t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  }
  lab[0] = 116 * f[1] - 16;
  lab[1] = 500 * (f[0] - f[1]);
  lab[2] = 200 * (f[1] - f[2]);
}

static gboolean
are_alike(RegardSight sight, guint32 one, guint32 other)
{
  double a[3], b[3], sum = 0;
  to_lab(sight, one, a);
  to_lab(sight, other, b);
  for (guint i = 0; i < 3; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum) < LEAST_DIFFERENCE;
}

/* Whether more looks like more, from one end to the other. */
static gboolean
is_steady(RegardSight sight, const RegardColormap *map)
{
  double first[3], last[3], lab[3], before;
  to_lab(sight, regard_colormap_lookup(map, 0), first);
  to_lab(sight, regard_colormap_lookup(map, 1), last);
  const double sign = last[0] > first[0] ? 1 : -1;
  before = first[0];
  for (guint i = 1; i < 256; i++) {
    to_lab(sight, regard_colormap_lookup(map, i / 255.0), lab);
    if (sign * (lab[0] - before) < -MOST_FALL)
      return FALSE;
    before = lab[0];
  }
  return TRUE;
}

/* ---- The checks ------------------------------------------------------------------------------
 */

static void
check_free(gpointer data)
{
  RegardSheetCheck *check = data;
  g_free(check->text);
  g_free(check);
}

static void
say(GPtrArray *checks, gboolean is_good, char *text)
{
  RegardSheetCheck *check = g_new(RegardSheetCheck, 1);
  *check = (RegardSheetCheck){is_good, text};
  g_ptr_array_add(checks, check);
}

static void
check_text(RegardFigure *figure, double width, GPtrArray *checks)
{
  const RegardSheet *sheet = regard_figure_get_sheet(figure);
  const char *text = NULL;
  g_autoptr(RegardDrawing) drawing = regard_drawing_new(figure, width, sheet->font_pt);
  const double least = drawing ? regard_drawing_least_text(drawing, &text) : 0;
  if (least == 0)
    return;
  const gboolean is_good = least >= REGARD_CHECK_LEAST_TEXT - 0.005;
  g_autofree char *visible = regard_visible(text);
  say(checks, is_good,
      is_good ? regard_strdup_printf(_("The smallest text has %.1f pt."), least)
              /* Translators: a size, the least that can be read in print, and that text */
              : regard_strdup_printf(_("The smallest text has %.1f pt, less than %.0f: “%s”."),
                                     least, REGARD_CHECK_LEAST_TEXT, visible));
}

static void
check_cells(RegardFigure *figure, double width, GPtrArray *checks)
{
  const RegardSheet *sheet = regard_figure_get_sheet(figure);
  RegardSheetLayout layout;
  g_autoptr(GString) small = g_string_new(NULL);
  double least = G_MAXDOUBLE;
  regard_sheet_lay_out(figure, width, sheet->font_pt, &layout);
  for (guint i = 0; i < layout.n; i++) {
    const RegardSheetPlace *place = &layout.places[i];
    if (place->cell_width <= 0)
      continue;
    const double mm = MIN(place->cell_width, place->cell_height) * 25.4 / 72;
    least = MIN(least, mm);
    if (mm >= REGARD_CHECK_LEAST_CELL - 0.005)
      continue;
    g_autofree char *letter = regard_sheet_name_panel(sheet, place->letter);
    regard_words_add_item(small, letter);
  }
  if (least == G_MAXDOUBLE)
    return;
  if (!small->len)
    say(checks, TRUE, regard_strdup_printf(_("The smallest cell has %.1f mm."), least));
  else
    /* Translators: letters of panels, and a size */
    say(checks, FALSE,
        regard_strdup_printf(_("Cells have %.2f mm, less than %.0f, in panel %s."), least,
                             REGARD_CHECK_LEAST_CELL, small->str));
}

static gboolean
is_map_seen(RegardSight sight, const RegardColormap *map, gboolean is_signed)
{
  if (!map || (is_signed && !map->diverging))
    map = is_signed ? regard_colormap_default_diverging() : regard_colormap_default();
  return is_signed || map->diverging
             ? !are_alike(sight, regard_colormap_lookup(map, 0), regard_colormap_lookup(map, 1))
             : is_steady(sight, map);
}

static gboolean
has_hue(guint32 argb)
{
  double lab[3];
  to_lab(REGARD_SIGHT_FULL, argb, lab);
  return hypot(lab[1], lab[2]) > LEAST_DIFFERENCE;
}

/* Of lines that differ by colour, whether they still do. */
static gboolean
are_inks_seen(RegardSight sight, const RegardDrawing *drawing)
{
  guint32 inks[REGARD_LINES_INKS];
  const guint n = regard_drawing_inks(drawing, inks, G_N_ELEMENTS(inks));
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < i; k++)
      if (has_hue(inks[i]) && has_hue(inks[k]) && !are_alike(REGARD_SIGHT_FULL, inks[i], inks[k]) &&
          are_alike(sight, inks[i], inks[k]))
        return FALSE;
  return TRUE;
}

/* Whether a panel's colours say what they should. */
static gboolean
is_seen(RegardSight sight, const RegardPanel *panel, const RegardSheet *sheet)
{
  if (panel->matrices)
    return is_map_seen(sight, panel->colormap,
                       ((const RegardMatrix *) panel->matrices->pdata[0])->diverging);
  if (panel->drawing)
    return (!panel->colormap || is_map_seen(sight, panel->colormap, FALSE)) &&
           are_inks_seen(sight, panel->drawing);
  const RegardAttentionLook *look = &panel->look;
  if (look->form == REGARD_FORM_LINES) {
    const gsize all = mt_capture_n_layers(look->capture, look->spec.kind) *
                      mt_capture_n_heads(look->capture, look->spec.kind);
    guint n = 0;
    for (gsize i = 0; look->scope == REGARD_SCOPE_CHOSEN && i < all; i++)
      n += look->spec.chosen[i] != 0;
    n = MIN(n, REGARD_MOST_LINES);
    for (guint i = 0; i < n; i++)
      for (guint k = 0; k < i; k++)
        if (are_alike(sight, regard_lines_head_ink(i, sheet->dark),
                      regard_lines_head_ink(k, sheet->dark)))
          return FALSE;
    return TRUE;
  }
  return is_map_seen(sight, panel->colormap, mt_capture_difference_a(look->capture) != NULL);
}

static void
check_sight(const RegardSheet *sheet, RegardSight sight, GPtrArray *checks)
{
  g_autoptr(GString) unseen = g_string_new(NULL);
  guint n = 0;
  for (guint i = 0; i < sheet->panels->len; i++) {
    const RegardPanel *panel = sheet->panels->pdata[i];
    n++;
    if (is_seen(sight, panel, sheet))
      continue;
    g_autofree char *letter = regard_sheet_name_panel(sheet, panel->letter);
    regard_words_add_item(unseen, letter);
  }
  const char *name = _(regard_sights[sight].name);
  if (unseen->len)
    /* Translators: how colours are seen, "In grey", and letters of panels */
    say(checks, FALSE,
        g_strdup_printf(_("%s: colours that mean different things look alike in panel %s."), name,
                        unseen->str));
  else if (n > 0)
    /* Translators: how colours are seen, "In grey" */
    say(checks, TRUE, g_strdup_printf(_("%s: all colours are told apart."), name));
}

GPtrArray *
regard_sheet_check(RegardFigure *figure)
{
  const RegardSheet *sheet = regard_figure_get_sheet(figure);
  const double width = sheet->width_mm * 72 / 25.4;
  GPtrArray *checks = g_ptr_array_new_with_free_func(check_free);
  if (sheet->panels->len == 0)
    return checks;
  check_text(figure, width, checks);
  check_cells(figure, width, checks);
  for (RegardSight sight = REGARD_SIGHT_GREY; sight < REGARD_N_SIGHTS; sight++)
    check_sight(sheet, sight, checks);
  return checks;
}
