/* regard-animation-gif.c — an animated GIF: one palette for all frames, no dither.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures are made of few colours: grounds, inks, the cells; and of what smoothed edges mix of
 * them. The palette has first what covers most; a pixel of another colour gets the nearest. Dots of
 * two colours for a third (dither) would make the file four times as large, and cells would have
 * colours that the colour bar has not. The last place of the palette is none: of a frame behind the
 * first it stands for pixels that stay as they are, so that what does not change is long runs.
 * https://www.w3.org/Graphics/GIF/spec-gif89a.txt
 */
#include "formats/regard-animation-private.h"

#include <string.h>

#define COLOURS 255
#define SAME    COLOURS /* the place that is none */
/* Of so many different ones the palette is made; more of a figure are of photographs. */
#define MOST_COUNTED 65536

/* A colour that was met not long ago. */
#define RECENT 1024
typedef struct {
  guint32 colour;
  guint8 place;
  gboolean is_there;
} Recent;

struct _RegardGif {
  RegardAnimationFile file;
  GHashTable *counts;           /* of each colour that was looked at, its pixels */
  GHashTable *nearest;          /* of each colour that was met, its place in the palette, from 1 */
  guint32 palette[COLOURS + 1]; /* 0xRRGGBB; the last is none */
  guint n_colours;              /* 0: there is no palette yet */
  Recent recent[RECENT];
};

RegardGif *
regard_gif_begin(const RegardAnimationSize *size, GError **error)
{
  RegardGif *self = g_new0(RegardGif, 1);
  if (!regard_animation_file_init(&self->file, size, error)) {
    g_free(self);
    return NULL;
  }
  self->counts = g_hash_table_new(NULL, NULL);
  self->nearest = g_hash_table_new(NULL, NULL);
  return self;
}

/* ---- The palette ----------------------------------------------------------------------------- */

static void
count(RegardGif *self, guint32 colour, guint n)
{
  gpointer before;
  const gboolean is_known =
      g_hash_table_lookup_extended(self->counts, GUINT_TO_POINTER(colour), NULL, &before);
  const guint old = is_known ? GPOINTER_TO_UINT(before) : 0;
  if (is_known || g_hash_table_size(self->counts) < MOST_COUNTED)
    g_hash_table_insert(self->counts, GUINT_TO_POINTER(colour),
                        GUINT_TO_POINTER(n > G_MAXUINT - old ? G_MAXUINT : old + n));
}

gboolean
regard_gif_look(RegardGif *self, cairo_surface_t *frame, GError **error)
{
  const int width = self->file.size.width, height = self->file.size.height;
  if (!regard_animation_file_check(&self->file, frame, error))
    return FALSE;
  const guint8 *row = cairo_image_surface_get_data(frame);
  const int stride = cairo_image_surface_get_stride(frame);
  for (int y = 0; y < height; y++, row += stride)
    for (int x = 0, end; x < width; x = end) {
      const guint32 colour = regard_animation_pixel(row, x);
      for (end = x + 1; end < width && regard_animation_pixel(row, end) == colour; end++)
        ;
      count(self, colour, (guint) (end - x));
    }
  return TRUE;
}

static guint
distance(guint32 a, guint32 b)
{
  guint sum = 0;
  for (guint shift = 0; shift < 24; shift += 8) {
    const int d = (int) ((a >> shift) & 0xff) - (int) ((b >> shift) & 0xff);
    sum += (guint) (d * d);
  }
  return sum;
}

typedef struct {
  guint32 colour;
  guint n, from_palette; /* pixels; distance to the nearest of the palette */
} Counted;

/* Where two cover the same it is the colour that decides, so that the same frames make the same
 * file. */
static gint
compare(gconstpointer a, gconstpointer b)
{
  const Counted *x = a, *y = b;
  return x->n != y->n ? (x->n < y->n ? 1 : -1) : (x->colour > y->colour) - (x->colour < y->colour);
}

/* What covers most, and then always the colour whose pixels are furthest off all together. */
static void
make_palette(RegardGif *self)
{
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Counted));
  GHashTableIter iter;
  gpointer colour, n;
  g_hash_table_iter_init(&iter, self->counts);
  while (g_hash_table_iter_next(&iter, &colour, &n)) {
    const Counted counted = {GPOINTER_TO_UINT(colour), GPOINTER_TO_UINT(n), G_MAXUINT >> 1};
    g_array_append_val(all, counted);
  }
  g_array_sort(all, compare);
  for (guint best = 0; self->n_colours < COLOURS && self->n_colours < all->len;) {
    const guint32 chosen = g_array_index(all, Counted, best).colour;
    guint64 most = 0;
    self->palette[self->n_colours++] = chosen;
    for (guint i = 0; i < all->len; i++) {
      Counted *c = &g_array_index(all, Counted, i);
      c->from_palette = MIN(c->from_palette, distance(c->colour, chosen));
      const guint64 off = (guint64) c->n * c->from_palette;
      if (off > most) {
        most = off;
        best = i;
      }
    }
  }
  self->n_colours = MAX(self->n_colours, 1);
  g_hash_table_remove_all(self->counts);
}

static guint8
find_place(RegardGif *self, guint32 colour)
{
  guint best = GPOINTER_TO_UINT(g_hash_table_lookup(self->nearest, GUINT_TO_POINTER(colour)));
  if (best)
    return (guint8) (best - 1);
  for (guint i = 1; i < self->n_colours; i++)
    if (distance(self->palette[i], colour) < distance(self->palette[best], colour))
      best = i;
  if (g_hash_table_size(self->nearest) < MOST_COUNTED)
    g_hash_table_insert(self->nearest, GUINT_TO_POINTER(colour), GUINT_TO_POINTER(best + 1));
  return (guint8) best;
}

/* Of the colours that nearly all pixels have it is found at once. */
static guint8
place_in_palette(RegardGif *self, guint32 colour)
{
  Recent *recent = &self->recent[(colour ^ colour >> 8 ^ colour >> 16) % RECENT];
  if (recent->is_there && recent->colour == colour)
    return recent->place;
  *recent = (Recent){colour, find_place(self, colour), TRUE};
  return recent->place;
}

/* ---- LZW --------------------------------------------------------------------------------------
 */

#define CLEAR     256
#define END       257
#define NO_CODE   END /* of no pixel */
#define MOST_BITS 12
#define SLOTS     8192 /* twice as many as there are codes */

/* A code stands for a run of pixels: one that is known, and one pixel more. */
typedef struct {
  GByteArray *out;
  guint block;     /* where the present block of at most 255 bytes has its length */
  guint32 waiting; /* bits that are no whole byte yet, the first one lowest */
  guint n_waiting;
  guint bits, next;    /* of a code; the next that is free */
  guint32 keys[SLOTS]; /* code << 8 | pixel, and 1 << 31; 0: free */
  guint16 codes[SLOTS];
} Lzw;

static void
put_byte(Lzw *lzw, guint8 byte)
{
  static const guint8 none = 0;
  if (lzw->out->data[lzw->block] == 255) {
    lzw->block = lzw->out->len;
    g_byte_array_append(lzw->out, &none, 1);
  }
  g_byte_array_append(lzw->out, &byte, 1);
  lzw->out->data[lzw->block]++;
}

static void
put_code(Lzw *lzw, guint code)
{
  lzw->waiting |= code << lzw->n_waiting;
  for (lzw->n_waiting += lzw->bits; lzw->n_waiting >= 8; lzw->n_waiting -= 8) {
    put_byte(lzw, (guint8) (lzw->waiting & 0xff));
    lzw->waiting >>= 8;
  }
}

static void
forget(Lzw *lzw)
{
  put_code(lzw, CLEAR);
  memset(lzw->keys, 0, sizeof lzw->keys);
  lzw->bits = 9;
  lzw->next = END + 1;
}

/* The slot of a run, or the free one where it would be. */
static guint
find(const Lzw *lzw, guint32 key)
{
  guint slot = (key * 2654435761u) >> 19;
  while (lzw->keys[slot] && lzw->keys[slot] != key)
    slot = (slot + 1) % SLOTS;
  return slot;
}

static void
put_pixel(Lzw *lzw, guint *code, guint8 pixel)
{
  const guint32 key = 1u << 31 | *code << 8 | pixel;
  const guint slot = find(lzw, key);
  if (lzw->keys[slot]) {
    *code = lzw->codes[slot];
    return;
  }
  put_code(lzw, *code);
  *code = pixel;
  if (lzw->next == 1u << MOST_BITS) {
    forget(lzw);
    return;
  }
  lzw->keys[slot] = key;
  lzw->codes[slot] = (guint16) lzw->next;
  /* Who reads knows a code one step later, and so has it when it comes. */
  if (lzw->next++ == 1u << lzw->bits)
    lzw->bits++;
}

static const guint8 *
row_of(cairo_surface_t *frame, int y)
{
  return cairo_image_surface_get_data(frame) +
         (gsize) y * (gsize) cairo_image_surface_get_stride(frame);
}

static void
put_pixels(RegardGif *self, cairo_surface_t *frame, const cairo_rectangle_int_t *place)
{
  static const guint8 begin[] = {8, 0}, end = 0;
  g_autofree Lzw *lzw = g_new0(Lzw, 1);
  cairo_surface_t *before = self->file.before;
  guint code = NO_CODE;
  lzw->out = self->file.out;
  g_byte_array_append(lzw->out, begin, sizeof begin);
  lzw->block = lzw->out->len - 1;
  lzw->bits = 9;
  forget(lzw);
  for (int y = place->y; y < place->y + place->height; y++) {
    const guint8 *is = row_of(frame, y), *was = before ? row_of(before, y) : NULL;
    for (int x = place->x; x < place->x + place->width; x++) {
      const guint8 colour = place_in_palette(self, regard_animation_pixel(is, x));
      const gboolean stays =
          was && place_in_palette(self, regard_animation_pixel(was, x)) == colour;
      if (code == NO_CODE)
        code = stays ? SAME : colour;
      else
        put_pixel(lzw, &code, stays ? SAME : colour);
    }
  }
  put_code(lzw, code);
  put_code(lzw, END);
  if (lzw->n_waiting > 0)
    put_byte(lzw, (guint8) lzw->waiting);
  g_byte_array_append(lzw->out, &end, 1);
}

/* ---- The file -------------------------------------------------------------------------------- */

static void
put16(GByteArray *out, guint value)
{
  const guint16 bytes = GUINT16_TO_LE((guint16) value);
  g_byte_array_append(out, (const guint8 *) &bytes, sizeof bytes);
}

static void
put_header(RegardGif *self)
{
  static const guint8 has_palette[] = {0xf7, 0, 0};
  static const guint8 again[] = "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00"; /* and again */
  GByteArray *out = self->file.out;
  g_byte_array_append(out, (const guint8 *) "GIF89a", 6);
  put16(out, (guint) self->file.size.width);
  put16(out, (guint) self->file.size.height);
  g_byte_array_append(out, has_palette, sizeof has_palette);
  for (guint i = 0; i <= COLOURS; i++) {
    const guint32 c = self->palette[i];
    const guint8 rgb[] = {(guint8) (c >> 16), (guint8) (c >> 8), (guint8) c};
    g_byte_array_append(out, rgb, sizeof rgb);
  }
  g_byte_array_append(out, again, sizeof again);
}

gboolean
regard_gif_add(RegardGif *self, cairo_surface_t *frame, guint ms, GError **error)
{
  /* Each stays, and the next one lies on it. */
  static const guint8 first[] = {0x21, 0xf9, 4, 1 << 2}, others[] = {0x21, 0xf9, 4, 1 << 2 | 1},
                      same[] = {SAME, 0}, image = 0x2c, has_no_palette = 0;
  GByteArray *out = self->file.out;
  cairo_rectangle_int_t place;
  if (!regard_animation_file_check_next(&self->file, frame, ms, error))
    return FALSE;
  if (self->file.n == 0) {
    make_palette(self);
    put_header(self);
  }
  regard_animation_file_changed(&self->file, frame, &place);
  g_byte_array_append(out, self->file.n ? others : first, sizeof first);
  put16(out, (ms + 5) / 10);
  g_byte_array_append(out, same, sizeof same);
  g_byte_array_append(out, &image, 1);
  put16(out, (guint) place.x);
  put16(out, (guint) place.y);
  put16(out, (guint) place.width);
  put16(out, (guint) place.height);
  g_byte_array_append(out, &has_no_palette, 1);
  put_pixels(self, frame, &place);
  return regard_animation_file_keep(&self->file, frame, error);
}

GBytes *
regard_gif_end(RegardGif *self, GError **error)
{
  static const guint8 end = 0x3b;
  if (self->file.n == self->file.size.n)
    g_byte_array_append(self->file.out, &end, 1);
  return regard_animation_file_end(&self->file, error);
}

void
regard_gif_free(RegardGif *self)
{
  if (!self)
    return;
  g_clear_pointer(&self->counts, g_hash_table_unref);
  g_clear_pointer(&self->nearest, g_hash_table_unref);
  regard_animation_file_clear(&self->file);
  g_free(self);
}
