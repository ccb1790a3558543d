/* regard-animation-private.h — files of frames that are pixels: what their writers share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A writer is begun, is given one frame after the other, and ends as the bytes of a file. Nobody
 * keeps more than the last frame and the present one; the file so far is kept, packed.
 */
#pragma once

#include "formats/regard-animation.h"
#include "formats/regard-export-private.h"

G_BEGIN_DECLS

/* What is known before the first frame. */
typedef struct {
  int width, height; /* in pixels, of all frames */
  guint n;           /* how many frames will be added */
  double dpi;
  const RegardPngText *texts; /* borrowed while the writer lives */
  guint n_texts;
} RegardAnimationSize;

/* A picture of RGB24 that is flushed, of the size that was said, and how long it is seen. FALSE and
 * an error if it is another size, if there are more than were said, or if the time is not one that
 * can be written; a writer that failed is only freed. */
#define REGARD_ANIMATION_LEAST_MS 334 /* three flashes a second are harmless, more are not */
#define REGARD_ANIMATION_MOST_MS  60000

typedef struct _RegardApng RegardApng;
/* NULL and an error: no file has such a size. */
RegardApng *regard_apng_begin(const RegardAnimationSize *size, GError **error);
gboolean regard_apng_add(RegardApng *self, cairo_surface_t *frame, guint ms, GError **error);
/* NULL and an error if frames are missing. Does not free. */
GBytes *regard_apng_end(RegardApng *self, GError **error);
void regard_apng_free(RegardApng *self);

/* 255 colours for all frames: first all frames are looked at, then they are added. */
typedef struct _RegardGif RegardGif;
RegardGif *regard_gif_begin(const RegardAnimationSize *size, GError **error);
/* Counts its colours. Of nothing that was looked at black is the only colour. */
gboolean regard_gif_look(RegardGif *self, cairo_surface_t *frame, GError **error);
gboolean regard_gif_add(RegardGif *self, cairo_surface_t *frame, guint ms, GError **error);
GBytes *regard_gif_end(RegardGif *self, GError **error);
void regard_gif_free(RegardGif *self);

/* ---- What both do ----------------------------------------------------------------------------
 */

/* The file so far, and the frame before. */
typedef struct {
  RegardAnimationSize size;
  GByteArray *out;
  cairo_surface_t *before; /* NULL before the first */
  guint n;                 /* frames that were added */
} RegardAnimationFile;

/* FALSE and an error: nothing was begun. */
gboolean regard_animation_file_init(RegardAnimationFile *file, const RegardAnimationSize *size,
                                    GError **error);
gboolean regard_animation_file_check(const RegardAnimationFile *file, cairo_surface_t *frame,
                                     GError **error);
gboolean regard_animation_file_check_next(const RegardAnimationFile *file, cairo_surface_t *frame,
                                          guint ms, GError **error);
/* The smallest rectangle beyond which the frame is as the one before it: all of the first, one
 * pixel of a frame that is the same. */
void regard_animation_file_changed(const RegardAnimationFile *file, cairo_surface_t *frame,
                                   cairo_rectangle_int_t *changed);
/* The frame is the one before now. FALSE and an error: the file would be too large. */
gboolean regard_animation_file_keep(RegardAnimationFile *file, cairo_surface_t *frame,
                                    GError **error);
/* What was written, which is no longer there afterwards. NULL and an error: frames are missing. */
GBytes *regard_animation_file_end(RegardAnimationFile *file, GError **error);
void regard_animation_file_clear(RegardAnimationFile *file);
/* A pixel as 0xRRGGBB. */
static inline guint32
regard_animation_pixel(const guint8 *row, int x)
{
  return ((const guint32 *) (const void *) row)[x] & 0xffffff;
}

G_END_DECLS
