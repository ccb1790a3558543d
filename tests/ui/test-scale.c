/* test-scale.c — scales and colour maps keep order, ends and contrast.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-colormap.h"
#include "figures/regard-scale.h"
#include "suite.h"
#include <math.h>

static void
test_known_places(void)
{
  g_assert_cmpfloat(regard_scale_apply(REGARD_SCALE_LINEAR, 0.25, 0, 1, 1), ==, 0.25);
  g_assert_cmpfloat(regard_scale_apply(REGARD_SCALE_SQRT, 0.25, 0, 1, 1), ==, 0.5);
  g_assert_cmpfloat_with_epsilon(regard_scale_apply(REGARD_SCALE_LOG, 0.01, 0, 1, 1), 0.5, 1e-12);
  g_assert_cmpfloat(regard_scale_apply(REGARD_SCALE_LOG, 1e-4, 0, 1, 1), ==, 0);
  g_assert_cmpfloat(regard_scale_apply(REGARD_SCALE_ROW, 0.1, 0, 1, 0.2), ==, 0.5);
  /* An empty row has no maximum to share. */
  g_assert_cmpfloat(regard_scale_apply(REGARD_SCALE_ROW, 0, 0, 1, 0), ==, 0);
  /* Signed: 0 in the middle, both sides alike. */
  g_assert_cmpfloat(regard_scale_apply(REGARD_SCALE_SQRT, -0.5, -2, 2, 1), ==, 0.25);
  g_assert_cmpfloat(regard_scale_apply(REGARD_SCALE_SQRT, 0.5, -2, 2, 1), ==, 0.75);
  g_assert_cmpfloat(regard_scale_apply(REGARD_SCALE_ROW, -0.1, -1, 1, 0.2), ==, 0.25);
}

static void
test_every_scale(void)
{
  for (guint i = 0; i < REGARD_N_SCALES; i++) {
    RegardScale scale = (RegardScale) i, found = REGARD_SCALE_LINEAR;
    const RegardScaleInfo *info = regard_scale_info(scale);
    g_assert_true(regard_scale_from_id(info->id, &found));
    g_assert_cmpint(found, ==, scale);
    g_assert_cmpstr(info->name, !=, "");
    for (int is_signed = 0; is_signed < 2; is_signed++) {
      double lo = is_signed ? -3 : 0, hi = 3, last = -1;
      g_assert_cmpfloat(regard_scale_apply(scale, NAN, lo, hi, hi), ==, is_signed ? 0.5 : 0);
      g_assert_cmpfloat(regard_scale_apply(scale, lo, lo, hi, hi), ==, 0);
      g_assert_cmpfloat(regard_scale_apply(scale, hi, lo, hi, hi), ==, 1);
      g_assert_cmpfloat(regard_scale_apply(scale, hi * 7, lo, hi, hi), ==, 1);
      g_assert_cmpfloat(regard_scale_apply(scale, INFINITY, lo, hi, hi), ==, 1);
      for (int step = 0; step <= 600; step++) {
        double value = lo + (hi - lo) * step / 600;
        double place = regard_scale_apply(scale, value, lo, hi, hi);
        g_assert_cmpfloat(place, >=, last);
        g_assert_cmpfloat(place, <=, 1);
        last = place;
      }
    }
  }
  g_assert_false(regard_scale_from_id("cubic", NULL));
  g_assert_false(regard_scale_from_id(NULL, NULL));
}

/* CIE L* of an sRGB colour, 0..100. */
static double
lightness(guint32 argb)
{
  double c[3];
  for (int i = 0; i < 3; i++) {
    double v = (argb >> (16 - 8 * i) & 0xff) / 255.0;
    c[i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
  }
  double y = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

static double
contrast(guint32 a, guint32 b)
{
  double y[2];
  for (int i = 0; i < 2; i++) {
    double l = lightness(i ? b : a);
    y[i] = l > 8 ? pow((l + 16) / 116, 3) : l / 903.3;
  }
  return (MAX(y[0], y[1]) + 0.05) / (MIN(y[0], y[1]) + 0.05);
}

static void
test_lightness(void)
{
  guint n;
  const RegardColormap *const *maps = regard_colormaps(&n);
  g_assert_cmpuint(n, >=, 6);
  for (guint i = 0; i < n; i++) {
    const RegardColormap *map = maps[i];
    g_assert_true(regard_colormap_find(map->id) == map);
    double first = lightness(regard_colormap_lookup(map, 0));
    double last = lightness(regard_colormap_lookup(map, 1));
    if (map->diverging) {
      /* White in the middle, both ends equally dark. */
      g_assert_cmpfloat(lightness(regard_colormap_lookup(map, 0.5)), >, 95);
      g_assert_cmpfloat(fabs(first - last), <, 6);
      for (int k = 1; k < 128; k++) {
        g_assert_cmpfloat(lightness(regard_colormap_lookup(map, (127 - k) / 255.0)), <,
                          lightness(regard_colormap_lookup(map, (128 - k) / 255.0)) + 0.3);
        g_assert_cmpfloat(lightness(regard_colormap_lookup(map, (128 + k) / 255.0)), <,
                          lightness(regard_colormap_lookup(map, (127 + k) / 255.0)) + 0.3);
      }
    } else {
      /* Equal steps of the value are steps of lightness in one direction; rounding to bytes may
       * hold one back a little. */
      double sign = last > first ? 1 : -1;
      g_assert_cmpfloat(fabs(last - first), >, 60);
      for (int k = 1; k < 256; k++)
        g_assert_cmpfloat(sign * (lightness(regard_colormap_lookup(map, k / 255.0)) -
                                  lightness(regard_colormap_lookup(map, (k - 1) / 255.0))),
                          >, -0.3);
    }
  }
  g_assert_false(regard_colormap_default()->diverging);
  g_assert_true(regard_colormap_default_diverging()->diverging);
  g_assert_null(regard_colormap_find("rainbow"));
  g_assert_null(regard_colormap_find(NULL));
}

static void
test_lookup(void)
{
  const RegardColormap *viridis = regard_colormap_find("viridis");
  g_assert_cmphex(regard_colormap_lookup(viridis, 0), ==, 0xff440154);
  g_assert_cmphex(regard_colormap_lookup(viridis, 1), ==, 0xfffde725);
  g_assert_cmphex(regard_colormap_lookup(viridis, -5), ==, 0xff440154);
  g_assert_cmphex(regard_colormap_lookup(viridis, 5), ==, 0xfffde725);
  g_assert_cmphex(regard_colormap_lookup(viridis, NAN), ==, 0xff440154);
  g_assert_cmphex(regard_colormap_lookup(regard_colormap_find("paper-blue"), 0), ==, 0xffffffff);
}

/* Numbers in cells can be read on every colour of every map: WCAG asks for 4.5 to 1. */
static void
test_text_contrast(void)
{
  guint n;
  const RegardColormap *const *maps = regard_colormaps(&n);
  for (guint i = 0; i < n; i++)
    for (int k = 0; k < 256; k++) {
      guint32 color = regard_colormap_lookup(maps[i], k / 255.0);
      guint32 ink = regard_color_wants_black_text(color) ? 0xff000000 : 0xffffffff;
      g_assert_cmpfloat(contrast(color, ink), >=, 4.5);
    }
}

static double
width_of(gpointer letter, const char *text)
{
  return *(double *) letter * (double) g_utf8_strlen(text, -1);
}

/* Numbers of a bar stand where the scale puts their value, never touch, and are as many as fit;
 * of a signed range both signs or none. */
static void
test_marks(void)
{
  static const struct {
    RegardScale scale;
    double lo, hi;
    const char *texts; /* where there is room for all, in the order of telling */
  } cases[] = {
      {REGARD_SCALE_LINEAR, 0, 1, "0 1 0.5 0.25 0.75"},
      {REGARD_SCALE_SQRT, 0, 1, "0 1 0.25 0.5 0.1 0.01"},
      {REGARD_SCALE_LOG, 0, 1, "≤ 0.0001 1 0.01 0.001 0.1"},
      {REGARD_SCALE_ROW, 0, 1, "0 % 100 % 50 % 25 % 75 %"},
      {REGARD_SCALE_LINEAR, -2, 2, "0 2 −2 1 −1 0.5 −0.5 1.5 −1.5"},
      {REGARD_SCALE_LINEAR, 0, 12345, "0 12345 6172 3086 9259"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    RegardScaleMark marks[REGARD_MAX_SCALE_MARKS];
    double letter = 1;
    for (double width = 10; width <= 1000; width *= 1.3) {
      guint n = regard_scale_marks(cases[i].scale, cases[i].lo, cases[i].hi, width, 3, 5, width_of,
                                   &letter, marks);
      for (guint a = 0; a < n; a++) {
        g_assert_cmpfloat(marks[a].x, >=, 0);
        g_assert_cmpfloat(marks[a].x, <=, width);
        for (guint b = 0; b < a; b++)
          g_assert_cmpfloat(fabs(marks[a].middle - marks[b].middle), >=,
                            (marks[a].width + marks[b].width) / 2 + 3);
      }
      if (cases[i].lo < 0)
        g_assert_cmpuint(n % 2, ==, 1); /* zero, and pairs */
    }
    guint n = regard_scale_marks(cases[i].scale, cases[i].lo, cases[i].hi, 1e4, 3, 5, width_of,
                                 &letter, marks);
    g_autoptr(GString) texts = g_string_new(NULL);
    for (guint k = 0; k < n; k++)
      g_string_append_printf(texts, "%s%s", k ? " " : "", marks[k].text);
    g_assert_cmpstr(texts->str, ==, cases[i].texts);
  }
}

TESTS()
{
  g_test_add_func("/scale/known-places", test_known_places);
  g_test_add_func("/scale/every-scale", test_every_scale);
  g_test_add_func("/scale/marks", test_marks);
  g_test_add_func("/colormap/lightness", test_lightness);
  g_test_add_func("/colormap/lookup", test_lookup);
  g_test_add_func("/colormap/text-contrast", test_text_contrast);
}
