/* export-test.h — what the tests of exports share: figures, rendering, a directory of their own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure-matrix.h"
#include "formats/regard-export.h"

/* Made by export_test_begin, emptied and removed by export_test_end. */
extern char *export_directory;
void export_test_begin(void);
void export_test_end(void);
/* A path in it. Caller frees. */
char *in_directory(const char *name);

/* Layer 2, head 3 of the sample capture, square root scale. */
RegardFigure *sample_figure(mt_attention_kind kind);
/* A grid of the sample capture; kind: decoder self-attention. */
RegardFigure *grid_figure(RegardScope scope);

/* Rendered, which must succeed; options NULL: the standard ones. */
GBytes *render(RegardFigure *figure, const char *format, const RegardExportOptions *options);
/* The same as a string, which must be UTF-8. Caller frees. */
char *render_text(RegardFigure *figure, const char *format);
/* Written in the format of the path's extension, which must succeed. */
void write_to(RegardFigure *figure, const char *path);
