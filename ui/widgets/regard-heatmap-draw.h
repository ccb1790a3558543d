/* regard-heatmap-draw.h — the picture of a heatmap: layout (numbers only) and drawing (nodes).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Thresholds of the cell size, in pixels of the widget:
 *   >= 28  the value is printed in the cell
 *   >= 11  lines between cells, every label
 *    5–11  every k-th label, as many as fit
 *    <  5  a label at the pointer only, no lines
 *    <  1  several cells on a pixel: the largest is shown, never an average
 * Column labels lean at 45°, and stand at 90° when columns are narrower than 15.5.
 */
#pragma once

#include "widgets/regard-heatmap.h"
#include "widgets/regard-theme.h"

G_BEGIN_DECLS

#define REGARD_CELL_VALUES  28.0
#define REGARD_CELL_LABELS  11.0
#define REGARD_CELL_SOME    5.0
#define REGARD_CELL_UPRIGHT 15.5
#define REGARD_CELL_CAP     56.0  /* fitted cells grow no larger */
#define REGARD_CELL_MAX     112.0 /* zoomed cells */
#define REGARD_TEXT_ZOOM    2.0   /* letters grow with zoomed cells, up to this */

typedef struct {
  double width, height; /* of the widget */
  int scale_factor;
  guint rows, cols;
  double aspect; /* longer side of a cell to the shorter one, at most */
  double zoom;   /* >= 1 */
  double font_px;
  /* Natural widths of the labels at font_px. */
  double row_label_width;        /* of the widest */
  const double *col_label_width; /* [cols] */
  double axis_height;            /* of an axis title's line */
  double axis_width[2];          /* of the titles of rows and columns */
  gboolean has_received;         /* below the cells, a strip of what each column receives */
  gboolean has_mass;             /* beside the cells, a bar for what is hidden of each row */
} RegardHeatmapInput;

typedef struct {
  double cell_w, cell_h;
  double body_x, body_y, body_w, body_h; /* what is seen of the cells */
  double content_w, content_h;           /* all of them */
  double row_header_w, col_header_h;     /* space for labels, beside and above the body */
  double overhang;                       /* how far leaning labels reach beyond the body */
  double angle;                          /* of column labels: 45 or 90 degrees */
  double mass_w, mass_h;                 /* bars of hidden mass, and the room for their name */
  double strip_y, strip_h;   /* what columns receive, below the body; 0: it is not there */
  double label_px, value_px; /* font sizes of labels and of numbers in cells */
  double row_label_max, col_label_max; /* longer labels are ellipsised to this */
  guint row_step, col_step;            /* every k-th label; 0: none but the pointer's */
  gboolean lines, values;
} RegardHeatmapLayout;

void regard_heatmap_layout(const RegardHeatmapInput *input, RegardHeatmapLayout *layout);
/* That of the widget as it is. Borrowed. */
const RegardHeatmapLayout *regard_heatmap_get_layout(RegardHeatmap *self);

#define REGARD_HEATMAP_GAP 8.0 /* between labels and body, and between body and bars */

/* ---- Drawing ----------------------------------------------------------------------------------
 */

/* Everything drawn is kept and made anew only when what it shows has changed. */
typedef struct {
  cairo_surface_t *raster;      /* one pixel a cell, or pooled */
  GskRenderNode *body;          /* raster, lines, values: of the part that is seen */
  GskRenderNode *mass;          /* bars of what is hidden of these rows; NULL if nothing is */
  GskRenderNode *strip;         /* what columns receive; NULL if that is not shown */
  GskRenderNode *axes;          /* titles of the axes */
  GskRenderNode **rows, **cols; /* labels, plain; NULL until needed */
  guint n_rows, n_cols;
  GHashTable *value_layouts; /* char* → PangoLayout* */
} RegardHeatmapCache;

typedef struct {
  GtkWidget *widget;
  const RegardMatrix *matrix;
  const RegardColormap *colormap;
  RegardScale scale;
  const RegardHeatmapLayout *layout;
  double scroll_x, scroll_y;
  int hover_row, hover_col, pin_row, pin_col;
  guint marked;
  gboolean marked_both;
  RegardSumAxis sum_axis;
  const guint8 *summed; /* [n_summed] */
  guint n_summed;
  int computed; /* rows; -1: all */
  gboolean dimmed, focused;
  RegardTheme theme;
} RegardHeatmapScene;

typedef enum {
  REGARD_DIRTY_SCROLL = 1 << 0, /* another part is seen */
  REGARD_DIRTY_STYLE = 1 << 1,  /* colours, scale */
  REGARD_DIRTY_LAYOUT = 1 << 2, /* sizes */
  REGARD_DIRTY_MATRIX = 1 << 3, /* everything */
} RegardHeatmapDirty;

void regard_heatmap_cache_clear(RegardHeatmapCache *cache, RegardHeatmapDirty dirty);
void regard_heatmap_draw(const RegardHeatmapScene *scene, RegardHeatmapCache *cache,
                         GtkSnapshot *snapshot);
/* A label's layout: grey prefix, text, grey suffix. max_width 0: no limit. Caller owns. */
PangoLayout *regard_heatmap_label_layout(GtkWidget *widget, const RegardLabel *label, double px,
                                         double max_width, gboolean bold, const RegardTheme *theme);
/* One line in a size of its own. Caller owns. */
PangoLayout *regard_heatmap_text_layout(GtkWidget *widget, const char *text, double px);
/* "queries: translation ↓" (rows) or "keys: source →"; NULL without a title. Caller frees. */
char *regard_heatmap_axis_title(const RegardMatrix *matrix, gboolean column);

G_END_DECLS
