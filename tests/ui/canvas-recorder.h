/* canvas-recorder.h — a canvas that keeps what is drawn on it: for laws that every picture has to
 * keep.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-canvas.h"

typedef struct {
  char *text;
  RegardRect box;
} Written;

typedef struct {
  RegardCanvas parent;
  GArray *texts;        /* of Written */
  double right, bottom; /* of all that is drawn */
  double left, top;
  guint n_dashes; /* different ones */
  double dashes[16];
} Recorder;

/* A figure, drawn without its background; regard_canvas_free(&r->parent). */
Recorder *record(RegardFigure *figure, double width, double font);
/* Whether a text that was written has this part. */
gboolean has_text(const Recorder *r, const char *part);
/* Fails the test where something leaves the page or two texts stand on each other. */
void assert_on_page(const Recorder *r, RegardFigure *figure, double width, double font);
