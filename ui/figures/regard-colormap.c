/* regard-colormap.c — the list of colour maps and looking up a colour.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-colormap.h"
#include <math.h>
#include <string.h>

/* THE list, in the order of menus; the first of its sort is the default. A row is the name of a
 * variable regard_colormap_NAME that a file in ui/colormaps defines. */
/* clang-format off */
#define COLORMAPS(row) \
  row(viridis)         \
  row(magma)           \
  row(cividis)         \
  row(paper_blue)      \
  row(grey)            \
  row(blue_orange)
/* clang-format on */

#define DECLARE(name) extern const RegardColormap regard_colormap_##name;
COLORMAPS(DECLARE)

#define ADDRESS(name) &regard_colormap_##name,
static const RegardColormap *const maps[] = {COLORMAPS(ADDRESS)};

const RegardColormap *const *
regard_colormaps(guint *n)
{
  if (n)
    *n = G_N_ELEMENTS(maps);
  return maps;
}

const RegardColormap *
regard_colormap_find(const char *id)
{
  for (gsize i = 0; id && i < G_N_ELEMENTS(maps); i++)
    if (strcmp(maps[i]->id, id) == 0)
      return maps[i];
  return NULL;
}

static const RegardColormap *
first_of(gboolean diverging)
{
  for (gsize i = 0; i < G_N_ELEMENTS(maps); i++)
    if (maps[i]->diverging == diverging)
      return maps[i];
  g_assert_not_reached();
}

const RegardColormap *
regard_colormap_default(void)
{
  return first_of(FALSE);
}

const RegardColormap *
regard_colormap_default_diverging(void)
{
  return first_of(TRUE);
}

guint32
regard_colormap_lookup(const RegardColormap *map, double place)
{
  /* Written so that NaN lands on 0. */
  int i = place >= 1 ? 255 : place > 0 ? (int) (place * 255 + 0.5) : 0;
  const guint8 *c = map->rgb[i];
  return 0xff000000u | (guint32) c[0] << 16 | (guint32) c[1] << 8 | c[2];
}

/* sRGB channel to linear light (WCAG 2.2, "relative luminance"). */
static double
linear(guint32 channel)
{
  double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
luminance(guint32 argb)
{
  return 0.2126 * linear(argb >> 16 & 0xff) + 0.7152 * linear(argb >> 8 & 0xff) +
         0.0722 * linear(argb & 0xff);
}

gboolean
regard_color_wants_black_text(guint32 argb)
{
  /* Contrast with black is (L + .05) / .05, with white 1.05 / (L + .05). */
  const double light = luminance(argb) + 0.05;
  return light * light > 1.05 * 0.05;
}

double
regard_color_contrast(guint32 a, guint32 b)
{
  const double la = luminance(a) + 0.05, lb = luminance(b) + 0.05;
  return la > lb ? la / lb : lb / la;
}

guint32
regard_color_blend(guint32 from, guint32 to, double share)
{
  guint32 blended = 0xff000000;
  for (guint shift = 0; shift <= 16; shift += 8) {
    const double a = from >> shift & 0xff, b = to >> shift & 0xff;
    blended |= (guint32) CLAMP(lround(a + share * (b - a)), 0, 255) << shift;
  }
  return blended;
}

guint32
regard_color_told_from(guint32 argb, guint32 ground, double contrast)
{
  /* What is pale is often a colour blended with the ground: the way back keeps blue from grey. */
  const double most = 4, steps = 48;
  guint32 told = argb | 0xff000000;
  for (double step = 0; step <= steps && regard_color_contrast(told, ground) < contrast; step++)
    told = regard_color_blend(ground, argb, 1 + (most - 1) * step / steps);
  const guint32 strong = told, end = regard_color_wants_black_text(ground) ? 0 : 0xffffff;
  for (double step = 1; step <= steps && regard_color_contrast(told, ground) < contrast; step++)
    told = regard_color_blend(strong, end, step / steps);
  return told;
}
