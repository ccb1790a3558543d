/* test-figure-patching.c — where words are decided, as a picture: leaning words end on the page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-canvas.h"
#include "figures/regard-patching.h"
#include "suite.h"

#include <math.h>

enum { LAYERS = 3, TOKENS = 9, HEADS = 4 };

static double right, top;
static guint n_leaning;

static void
reach_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
           double size, RegardAnchor anchor, double angle)
{
  const double width = regard_canvas_text_width(canvas, spans, n, size), a = angle * G_PI / 180;
  if (angle == 0)
    return;
  g_assert_cmpint(anchor, ==, REGARD_ANCHOR_START);
  n_leaning++;
  right = MAX(right, x + width * cos(a));
  top = MIN(top, baseline + width * sin(a) - size * cos(a));
}

static void
reach_rect(RegardCanvas *canvas, RegardRect rect, double radius, guint32 argb)
{
  right = MAX(right, rect.x + rect.width);
}

static void
forget(RegardCanvas *canvas)
{
  regard_canvas_clear(canvas);
  g_free(canvas);
}

static void
clear(gpointer subject)
{
  RegardPatching *patching = subject;
  for (guint map = 0; map < REGARD_N_PATCHED; map++)
    g_free(patching->maps[map].recovered);
  g_strfreev(patching->source_texts);
  g_strfreev(patching->target_texts);
  g_free(patching->source_a);
  g_free(patching->model_name);
}

static RegardPatching *
patching_of(const char *last)
{
  RegardPatching *patching = regard_subject_alloc(sizeof *patching, clear);
  patching->model_name = g_strdup("en-de");
  patching->source_a = g_strdup("I have two dogs.");
  patching->token = -1;
  patching->n_source = patching->n_target = TOKENS;
  patching->source_texts = g_new0(char *, TOKENS + 1);
  patching->target_texts = g_new0(char *, TOKENS + 1);
  for (guint i = 0; i < TOKENS; i++) {
    patching->source_texts[i] = g_strdup("▁word");
    patching->target_texts[i] = g_strdup(i + 1 < TOKENS ? "▁Wort" : last);
  }
  for (guint m = 0; m < REGARD_N_PATCHED; m++)
    patching->maps[m] =
        (RegardPatchedMap){LAYERS, m <= REGARD_PATCHED_DECODER_STREAM ? TOKENS : HEADS,
                           g_new0(double, 2 * LAYERS * TOKENS)};
  return patching;
}

static void
test_leaning_words(void)
{
  static const RegardCanvasClass klass = {.fill_rect = reach_rect,
                                          .text = reach_text,
                                          .free = forget};
  static const char *const words[] = {"▁Wort", "▁Straßenbahn",
                                      "▁Donaudampfschifffahrtsgesellschaftskapitän", "😀"};
  static const double widths[] = {260, 360, 560, 900};
  for (guint i = 0; i < G_N_ELEMENTS(words); i++)
    for (guint w = 0; w < G_N_ELEMENTS(widths); w++) {
      RegardPatching *patching = patching_of(words[i]);
      g_autoptr(RegardFigure) figure = regard_figure_new_patching(patching, NULL);
      RegardCanvas *canvas = g_new0(RegardCanvas, 1);
      regard_canvas_init(canvas, &klass);
      right = 0;
      top = INFINITY;
      regard_figure_paint(figure, canvas, widths[w], 9);
      g_assert_cmpfloat(right, <=, widths[w]);
      g_assert_cmpfloat(top, >=, 9); /* below the title */
      regard_canvas_free(canvas);
      regard_patching_unref(patching);
    }
  g_assert_cmpuint(n_leaning, >, 50);
}

TESTS()
{
  g_test_add_func("/figure-patching/leaning-words", test_leaning_words);
}
