/* test-animation.c — animations, read back by programs that did not write them: each frame of an
 * APNG is the picture that was drawn, and each pixel of a GIF the nearest colour of its palette;
 * frames that keep their layout; and files of which nothing is left when they cannot be written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "disk-full.h"
#include "export-test.h"
#include "formats/regard-animation-private.h"
#include "picture.h"
#include "sample-capture.h"
#include "steps-test.h"
#include "suite.h"

#include "canvas-recorder.h"
#include "figures/regard-matrix-attention.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#ifdef HAVE_GDK_PIXBUF
#include <gdk-pixbuf/gdk-pixbuf.h>
#endif

#define N 5

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Pixels by a function of the frame and the place. */
typedef guint32 (*Pixel)(guint frame, int x, int y);

static cairo_surface_t *
make_frame(Pixel pixel, guint frame, int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  const int stride = cairo_image_surface_get_stride(surface);
  guint8 *data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      ((guint32 *) (void *) (data + y * stride))[x] = pixel(frame, x, y);
  cairo_surface_mark_dirty(surface);
  return surface;
}

/* A square that moves, and in the fourth frame stands still; the fourth byte is noise, which is
 * nothing. */
static guint32
square(guint frame, int x, int y)
{
  const int at = 10 * (int) MIN(frame, 3);
  const gboolean is_in = x >= at && x < at + 12 && y >= 5 + at && y < 17 + at;
  return (guint32) (x * 31 + y + (int) frame) << 24 | (is_in ? 0x3584e4 : 0xf6f5f4);
}

/* All of them different, so that the table of codes fills up again and again. */
static guint32
noise(guint frame, int x, int y)
{
  guint32 h = (guint32) x * 2654435761u ^ (guint32) y * 2246822519u ^ (frame + 1) * 3266489917u;
  h ^= h >> 15;
  h *= 2246822519u;
  h ^= h >> 13;
  return h;
}

/* At most 255 colours. */
static guint32
few_colours(guint frame, int x, int y)
{
  return (noise(frame, x, y) % 255) * 0x010203;
}

/* Nearly all of it one of few, and some that nothing else has. */
static guint32
smooth(guint frame, int x, int y)
{
  return (guint32) ((x + (int) frame) % 256) << 16 | (guint32) (y % 256) << 8 |
         (guint32) (x * y % 256);
}

static guint32
one_colour(guint frame, int x, int y)
{
  return 0xc01c28;
}

static const struct {
  const char *name;
  Pixel pixel;
  int width, height;
} pictures[] = {
    {"square", square, 64, 64},     {"noise", noise, 121, 67}, {"few", few_colours, 333, 220},
    {"smooth", smooth, 150, 90},    {"one", one_colour, 3, 1}, {"pixel", noise, 1, 1},
    {"wide", few_colours, 4096, 2}, {"high", square, 1, 4096},
};

static RegardAnimationSize
size_of(guint i)
{
  return (RegardAnimationSize){pictures[i].width, pictures[i].height, N, 200, NULL, 0};
}

static guint
time_of(guint frame)
{
  return 400 + 100 * frame;
}

/* ---- APNG ------------------------------------------------------------------------------------ */

static GBytes *
make_apng(guint i)
{
  const RegardAnimationSize size = size_of(i);
  g_autoptr(GError) error = NULL;
  RegardApng *apng = regard_apng_begin(&size, &error);
  for (guint f = 0; f < N; f++) {
    cairo_surface_t *frame = make_frame(pictures[i].pixel, f, size.width, size.height);
    g_assert_true(regard_apng_add(apng, frame, time_of(f), &error));
    cairo_surface_destroy(frame);
  }
  GBytes *bytes = regard_apng_end(apng, &error);
  g_assert_no_error(error);
  regard_apng_free(apng);
  return bytes;
}

static guint32
get32(const guint8 *p)
{
  return (guint32) p[0] << 24 | (guint32) p[1] << 16 | (guint32) p[2] << 8 | p[3];
}

/* As the standard has it (bit by bit), and not as zlib does. */
static guint32
crc_of(const guint8 *data, gsize n)
{
  guint32 crc = 0xffffffff;
  for (gsize i = 0; i < n; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

static void
put_chunk(GByteArray *out, const char *type, const guint8 *data, guint32 n)
{
  const guint32 length = GUINT32_TO_BE(n);
  const guint start = out->len + 4;
  g_byte_array_append(out, (const guint8 *) &length, 4);
  g_byte_array_append(out, (const guint8 *) type, 4);
  if (n)
    g_byte_array_append(out, data, n);
  const guint32 crc = GUINT32_TO_BE(crc_of(out->data + start, n + 4));
  g_byte_array_append(out, (const guint8 *) &crc, 4);
}

/* The frames of an animated PNG, each laid onto the one before; what libpng makes of each. */
typedef struct {
  GPtrArray *frames; /* cairo_surface_t */
  guint said;        /* how many it says there are */
  guint ms[64];
  guint32 sequence;
  cairo_surface_t *canvas;
  GByteArray *png; /* of the frame so far, without its end */
  guint8 header[13];
  guint8 control[26];
} Apng;

static void
end_frame(Apng *a)
{
  if (!a->png)
    return;
  put_chunk(a->png, "IEND", NULL, 0);
  g_autoptr(GBytes) bytes = g_byte_array_free_to_bytes(g_steal_pointer(&a->png));
  cairo_surface_t *part = picture_read(bytes);
  g_assert_cmpint(picture_width(part), ==, (int) get32(a->control + 4));
  g_assert_cmpint(picture_height(part), ==, (int) get32(a->control + 8));
  cairo_t *cr = cairo_create(a->canvas);
  cairo_set_source_surface(cr, part, get32(a->control + 12), get32(a->control + 16));
  cairo_paint(cr);
  cairo_destroy(cr);
  cairo_surface_destroy(part);
  cairo_surface_t *whole = cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture_width(a->canvas),
                                                      picture_height(a->canvas));
  cr = cairo_create(whole);
  cairo_set_source_surface(cr, a->canvas, 0, 0);
  cairo_paint(cr);
  cairo_destroy(cr);
  cairo_surface_flush(whole);
  g_ptr_array_add(a->frames, whole);
}

static void
begin_frame(Apng *a, const guint8 *data, guint32 length)
{
  guint8 header[13];
  end_frame(a);
  g_assert_cmpuint(length, ==, 26);
  g_assert_cmpuint(get32(data), ==, a->sequence++);
  memcpy(a->control, data, sizeof a->control);
  g_assert_cmpint(data[24], ==, 0); /* it stays */
  g_assert_cmpint(data[25], ==, 0); /* and replaces what was there */
  a->ms[a->frames->len] = (guint) (1000 * (data[20] << 8 | data[21]) / (data[22] << 8 | data[23]));
  memcpy(header, a->header, sizeof header);
  memcpy(header, data + 4, 8);
  a->png = g_byte_array_new();
  g_byte_array_append(a->png, (const guint8 *) "\x89PNG\r\n\x1a\n", 8);
  put_chunk(a->png, "IHDR", header, sizeof header);
}

static void
read_chunk(Apng *a, const char *type, const guint8 *data, guint32 length)
{
  if (strcmp(type, "IHDR") == 0) {
    memcpy(a->header, data, sizeof a->header);
    a->canvas =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int) get32(data), (int) get32(data + 4));
  } else if (strcmp(type, "acTL") == 0) {
    a->said = get32(data);
    g_assert_cmpuint(get32(data + 4), ==, 0);
  } else if (strcmp(type, "fcTL") == 0)
    begin_frame(a, data, length);
  else if (strcmp(type, "IDAT") == 0) {
    g_assert_cmpuint(a->frames->len, ==, 0);
    put_chunk(a->png, "IDAT", data, length);
  } else if (strcmp(type, "fdAT") == 0) {
    g_assert_cmpuint(get32(data), ==, a->sequence++);
    put_chunk(a->png, "IDAT", data + 4, length - 4);
  } else if (strcmp(type, "IEND") == 0)
    end_frame(a);
}

static void
read_apng(GBytes *bytes, Apng *a)
{
  gsize size, at = 8;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  *a = (Apng){.frames = g_ptr_array_new_with_free_func((GDestroyNotify) cairo_surface_destroy)};
  while (at < size) {
    const guint32 length = get32(data + at);
    g_autofree char *type = g_strndup((const char *) data + at + 4, 4);
    g_assert_cmpuint(at + 12 + length, <=, size);
    g_assert_cmphex(get32(data + at + 8 + length), ==, crc_of(data + at + 4, length + 4));
    read_chunk(a, type, data + at + 8, length);
    at += 12 + (gsize) length;
  }
  g_assert_cmpuint(a->said, ==, a->frames->len);
}

static void
apng_clear(Apng *a)
{
  g_ptr_array_unref(a->frames);
  cairo_surface_destroy(a->canvas);
}

static void
assert_same(cairo_surface_t *a, cairo_surface_t *b)
{
  g_assert_cmpint(picture_width(a), ==, picture_width(b));
  g_assert_cmpint(picture_height(a), ==, picture_height(b));
  for (int y = 0; y < picture_height(a); y++)
    for (int x = 0; x < picture_width(a); x++)
      if ((picture_pixel(a, x, y) ^ picture_pixel(b, x, y)) & 0xffffff)
        g_error("at %d, %d: %08x, not %08x", x, y, picture_pixel(a, x, y), picture_pixel(b, x, y));
}

static void
test_apng(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++) {
    g_autoptr(GBytes) bytes = make_apng(i), again = make_apng(i);
    Apng apng;
    read_apng(bytes, &apng);
    g_assert_cmpuint(apng.frames->len, ==, N);
    for (guint f = 0; f < N; f++) {
      cairo_surface_t *frame =
          make_frame(pictures[i].pixel, f, pictures[i].width, pictures[i].height);
      assert_same(apng.frames->pdata[f], frame);
      g_assert_cmpuint(apng.ms[f], ==, time_of(f));
      cairo_surface_destroy(frame);
    }
    g_assert_true(g_bytes_equal(bytes, again));
    apng_clear(&apng);
    /* Who knows no animation has the first frame. */
    cairo_surface_t *still = picture_read(bytes),
                    *first =
                        make_frame(pictures[i].pixel, 0, pictures[i].width, pictures[i].height);
    assert_same(still, first);
    cairo_surface_destroy(still);
    cairo_surface_destroy(first);
  }
  /* What stays is not written again: the fourth frame of the square is one pixel. */
  g_autoptr(GBytes) bytes = make_apng(0);
  g_assert_cmpuint(g_bytes_get_size(bytes), <, 1500);
}

/* ---- GIF ------------------------------------------------------------------------------------- */

static GBytes *
make_gif(guint i)
{
  const RegardAnimationSize size = size_of(i);
  g_autoptr(GError) error = NULL;
  RegardGif *gif = regard_gif_begin(&size, &error);
  for (guint pass = 0; pass < 2; pass++)
    for (guint f = 0; f < N; f++) {
      cairo_surface_t *frame = make_frame(pictures[i].pixel, f, size.width, size.height);
      g_assert_true(pass ? regard_gif_add(gif, frame, time_of(f), &error)
                         : regard_gif_look(gif, frame, &error));
      cairo_surface_destroy(frame);
    }
  GBytes *bytes = regard_gif_end(gif, &error);
  g_assert_no_error(error);
  regard_gif_free(gif);
  return bytes;
}

static int
distance(guint32 a, guint32 b)
{
  int sum = 0;
  for (guint shift = 0; shift < 24; shift += 8) {
    const int d = (int) (a >> shift & 0xff) - (int) (b >> shift & 0xff);
    sum += d * d;
  }
  return sum;
}

/* Of a pixel that was drawn, how far the nearest colour of the file's palette is. */
static int
nearest(const guint8 *palette, guint32 colour)
{
  int least = G_MAXINT;
  for (guint i = 0; i < 255; i++, palette += 3)
    least = MIN(least, distance((guint32) palette[0] << 16 | (guint32) palette[1] << 8 | palette[2],
                                colour));
  return least;
}

/* A frame that was read: rows of red, green, blue and perhaps alpha. */
static void
assert_frame(GBytes *gif, guint i, guint f, const guint8 *pixels, int stride, int channels)
{
  const guint8 *palette = (const guint8 *) g_bytes_get_data(gif, NULL) + 13;
  const gboolean is_exact = pictures[i].pixel == few_colours || pictures[i].pixel == square ||
                            pictures[i].pixel == one_colour || pictures[i].width == 1;
  for (int y = 0; y < pictures[i].height; y++)
    for (int x = 0; x < pictures[i].width; x++) {
      const guint8 *p = pixels + y * stride + x * channels;
      const guint32 read = (guint32) p[0] << 16 | (guint32) p[1] << 8 | p[2],
                    drawn = pictures[i].pixel(f, x, y) & 0xffffff;
      if (distance(read, drawn) != (is_exact ? 0 : nearest(palette, drawn)))
        g_error("%s, frame %u, at %d, %d: %06x for %06x", pictures[i].name, f, x, y, read, drawn);
    }
}

static void
test_gif_pixbuf(void)
{
#ifdef HAVE_GDK_PIXBUF
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) gif = make_gif(i);
    g_autofree char *path = in_directory("read.gif");
    g_assert_true(regard_export_write_bytes(gif, path, &error));
    GdkPixbufAnimation *animation = gdk_pixbuf_animation_new_from_file(path, &error);
    if (g_error_matches(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_UNKNOWN_TYPE)) {
      g_test_skip("gdk-pixbuf reads no GIF here");
      return;
    }
    g_assert_no_error(error);
    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    GTimeVal now = {1000, 0};
    GdkPixbufAnimationIter *iter = gdk_pixbuf_animation_get_iter(animation, &now);
    for (guint f = 0; f < N; f++) {
      const GdkPixbuf *frame = gdk_pixbuf_animation_iter_get_pixbuf(iter);
      const int ms = gdk_pixbuf_animation_iter_get_delay_time(iter);
      assert_frame(gif, i, f, gdk_pixbuf_read_pixels(frame), gdk_pixbuf_get_rowstride(frame),
                   gdk_pixbuf_get_n_channels(frame));
      g_assert_cmpint(ms, ==, (int) time_of(f));
      g_time_val_add(&now, ms * 1000);
      gdk_pixbuf_animation_iter_advance(iter, &now);
    }
    G_GNUC_END_IGNORE_DEPRECATIONS
    g_object_unref(iter);
    g_object_unref(animation);
    g_unlink(path);
  }
#else
  g_test_skip("built without gdk-pixbuf");
#endif
}

/* By Pillow, which reads both: all frames as rows of red, green and blue, and how many milliseconds
 * each is seen. FALSE: it is not installed, and the test skipped. */
static gboolean
read_by_pillow(GBytes *file, const char *name, char **pixels, gsize *length)
{
  static const char script[] = "import sys\n"
                               "from PIL import Image, ImageSequence\n"
                               "with open(sys.argv[2], 'wb') as out:\n"
                               "  for frame in ImageSequence.Iterator(Image.open(sys.argv[1])):\n"
                               "    out.write(frame.convert('RGB').tobytes())\n"
                               "    print(round(frame.info['duration']))\n";
  static const char *const python = "/usr/bin/python3";
  const char *there[] = {python, "-c", "import PIL", NULL};
  g_autofree char *path = in_directory(name), *raw = in_directory("read.rgb"), *out = NULL;
  const char *argv[] = {python, "-c", script, path, raw, NULL};
  g_autoptr(GError) error = NULL;
  g_autoptr(GString) times = g_string_new(NULL);
  int status = 1;
  if (!g_spawn_sync(NULL, (char **) there, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                    &status, NULL) ||
      !g_spawn_check_wait_status(status, NULL)) {
    g_test_skip("python3-pil is not installed");
    return FALSE;
  }
  g_assert_true(regard_export_write_bytes(file, path, &error));
  g_assert_true(g_spawn_sync(NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL,
                             &status, &error));
  g_assert_true(g_spawn_check_wait_status(status, &error));
  g_assert_true(g_file_get_contents(raw, pixels, length, &error));
  for (guint f = 0; f < N; f++)
    g_string_append_printf(times, "%u\n", time_of(f));
  g_assert_cmpstr(out, ==, times->str);
  g_unlink(path);
  g_unlink(raw);
  return TRUE;
}

static void
test_apng_pillow(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++) {
    const int width = pictures[i].width, height = pictures[i].height;
    g_autoptr(GBytes) apng = make_apng(i);
    g_autofree char *read = NULL;
    gsize length;
    if (!read_by_pillow(apng, "read.png", &read, &length))
      return;
    g_assert_cmpuint(length, ==, 3 * (gsize) N * (gsize) width * (gsize) height);
    const guint8 *at = (const guint8 *) read;
    for (guint f = 0; f < N; f++)
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++, at += 3) {
          const guint32 drawn = pictures[i].pixel(f, x, y) & 0xffffff,
                        found = (guint32) at[0] << 16 | (guint32) at[1] << 8 | at[2];
          if (found != drawn)
            g_error("%s, frame %u, at %d, %d: %06x for %06x", pictures[i].name, f, x, y, found,
                    drawn);
        }
  }
}

static void
test_gif_pillow(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++) {
    const gsize one = 3 * (gsize) pictures[i].width * (gsize) pictures[i].height;
    g_autoptr(GBytes) gif = make_gif(i);
    g_autofree char *read = NULL;
    gsize length;
    if (!read_by_pillow(gif, "read.gif", &read, &length))
      return;
    g_assert_cmpuint(length, ==, N * one);
    for (guint f = 0; f < N; f++)
      assert_frame(gif, i, f, (const guint8 *) read + f * one, 3 * pictures[i].width, 3);
  }
}

/* All frames as rows of red, green and blue, by ImageMagick. */
static void
test_gif_magick(void)
{
  g_autofree char *convert = g_find_program_in_path("convert");
  if (!convert) {
    g_test_skip("convert (imagemagick) is not installed");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) gif = make_gif(i);
    g_autofree char *path = in_directory("read.gif"), *raw = in_directory("read.rgb"),
                    *target = g_strconcat("rgb:", raw, NULL), *read = NULL;
    const char *argv[] = {convert, path, "-coalesce", "-depth", "8", target, NULL};
    const gsize one = 3 * (gsize) pictures[i].width * (gsize) pictures[i].height;
    gsize length;
    int status;
    g_assert_true(regard_export_write_bytes(gif, path, &error));
    g_assert_true(g_spawn_sync(NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                               &status, &error));
    g_assert_true(g_spawn_check_wait_status(status, &error));
    g_assert_true(g_file_get_contents(raw, &read, &length, &error));
    g_assert_cmpuint(length, ==, N * one);
    for (guint f = 0; f < N; f++)
      assert_frame(gif, i, f, (const guint8 *) read + f * one, 3 * pictures[i].width, 3);
    g_unlink(path);
    g_unlink(raw);
  }
}

/* ---- What cannot be -------------------------------------------------------------------------- */

static void
assert_no_size(int width, int height, guint n)
{
  const RegardAnimationSize size = {width, height, n, 200, NULL, 0};
  g_autoptr(GError) error = NULL, other = NULL;
  g_assert_null(regard_apng_begin(&size, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
  g_assert_null(regard_gif_begin(&size, &other));
  g_assert_error(other, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
}

static void
test_limits(void)
{
  const RegardAnimationSize size = {8, 8, 2, 200, NULL, 0};
  static const int sides[] = {0, -1, 4097, G_MAXINT, G_MININT};
  for (guint i = 0; i < G_N_ELEMENTS(sides); i++) {
    assert_no_size(sides[i], 8, 2);
    assert_no_size(8, sides[i], 2);
  }
  assert_no_size(8, 8, 0);
  assert_no_size(8, 8, 501);
  assert_no_size(8, 8, G_MAXUINT);

  cairo_surface_t *right = make_frame(square, 0, 8, 8), *wrong = make_frame(square, 0, 9, 8);
  cairo_surface_t *other = cairo_image_surface_create(CAIRO_FORMAT_A8, 8, 8);
  RegardApng *apng = regard_apng_begin(&size, NULL);
  RegardGif *gif = regard_gif_begin(&size, NULL);
  g_assert_false(regard_apng_add(apng, wrong, 800, NULL));
  g_assert_false(regard_apng_add(apng, other, 800, NULL));
  g_assert_false(regard_gif_look(gif, wrong, NULL));
  g_assert_false(regard_gif_add(gif, other, 800, NULL));
  /* More than three flashes a second, and a frame for ever. */
  g_assert_false(regard_apng_add(apng, right, 333, NULL));
  g_assert_false(regard_gif_add(gif, right, 60001, NULL));
  /* One of two, and three of two. */
  g_assert_true(regard_apng_add(apng, right, 334, NULL));
  g_assert_true(regard_gif_add(gif, right, 60000, NULL));
  g_assert_null(regard_apng_end(apng, NULL));
  g_assert_null(regard_gif_end(gif, NULL));
  g_assert_true(regard_apng_add(apng, right, 800, NULL));
  g_assert_true(regard_gif_add(gif, right, 800, NULL));
  g_assert_false(regard_apng_add(apng, right, 800, NULL));
  g_assert_false(regard_gif_add(gif, right, 800, NULL));
  regard_apng_free(apng);
  regard_gif_free(gif);
  regard_apng_free(NULL);
  regard_gif_free(NULL);
  cairo_surface_destroy(right);
  cairo_surface_destroy(wrong);
  cairo_surface_destroy(other);
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* Heads of one layer in place of checkpoints. */
static RegardFrames *
sample_frames(guint n)
{
  mt_capture *capture = sample_capture(1);
  g_autoptr(GPtrArray) matrices =
      g_ptr_array_new_with_free_func((GDestroyNotify) regard_matrix_unref);
  g_autoptr(GPtrArray) labels = g_ptr_array_new_with_free_func(g_free);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  style.dark = TRUE;
  for (guint i = 0; i < n; i++) {
    const RegardMatrixSpec spec = {.kind = MT_CROSS, .head = i % 8};
    g_ptr_array_add(matrices, regard_matrix_new_attention(capture, &spec));
    g_ptr_array_add(labels, g_strdup_printf("head %u", i + 1));
  }
  mt_capture_unref(capture);
  return regard_frames_new_matrices((RegardMatrix *const *) matrices->pdata,
                                    (const char *const *) labels->pdata, n, &style);
}

static const RegardExportOptions small = {60, 5, 100, 0, 0};

static const RegardAnimationFormat *
format_of(const char *path)
{
  const RegardAnimationFormat *format = regard_animation_format_find(path);
  g_assert_nonnull(format);
  return format;
}

static char *
write_frames(RegardFrames *frames, const char *name)
{
  g_autoptr(GError) error = NULL;
  char *path = in_directory(name);
  regard_animation_write(frames, format_of(path), &small, path, NULL, NULL, &error);
  g_assert_no_error(error);
  return path;
}

static GBytes *
read_bytes(const char *path)
{
  char *contents;
  gsize length;
  g_autoptr(GError) error = NULL;
  g_file_get_contents(path, &contents, &length, &error);
  g_assert_no_error(error);
  return g_bytes_new_take(contents, length);
}

static void
test_formats(void)
{
  static const char *const names[][2] = {
      {"a.gif", "gif"},
      {"a.PNG", "apng"},
      {"a.apng", "apng"},
      {"a.pdf", "pdf"},
      {"a-{n}.png", "png-files"},
      {"{n}.svg", "svg-files"},
      {"a{n}.gif", NULL},
      {"a.svg", NULL},
      {"a", NULL},
      {"{n}/a.png", "apng"},
      {"", NULL},
      {"a.png/b", NULL},
      {"a-{n}.png-files", "png-files"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    const RegardAnimationFormat *format = regard_animation_format_find(names[i][0]);
    g_assert_cmpstr(format ? format->id : NULL, ==, names[i][1]);
  }
}

/* Numbered pictures are the frames of the animation, and each is what the figure is. */
static void
test_frames(void)
{
  g_autoptr(RegardFrames) frames = sample_frames(N);
  g_autofree char *png = write_frames(frames, "all.png"), *gif = write_frames(frames, "all.gif"),
                  *files = write_frames(frames, "head-{n}.png");
  g_autoptr(GBytes) bytes = read_bytes(png), gif_bytes = read_bytes(gif);
  Apng apng;
  read_apng(bytes, &apng);
  for (guint f = 0; f < N; f++) {
    g_autofree char *name = g_strdup_printf("head-%03u.png", f + 1), *path = in_directory(name);
    cairo_surface_t *single = picture_read_file(path);
    assert_same(apng.frames->pdata[f], single);
    g_assert_cmpuint(apng.ms[f], ==, f == 0 ? 1500 : f == N - 1 ? 3000 : 800);
    cairo_surface_destroy(single);
    g_unlink(path);
  }
  /* No figure here is lower than the page, so that its own file is the same but for the last row,
   * which is not whole. */
  g_autoptr(RegardFigure) figure = regard_frames_new_figure(frames, 2);
  g_autoptr(GBytes) own = render(figure, "png", &small);
  cairo_surface_t *picture = picture_read(own);
  for (int y = 0; y + 1 < picture_height(picture); y++)
    for (int x = 0; x + 1 < picture_width(picture); x++)
      g_assert_cmphex(picture_pixel(picture, x, y) & 0xffffff, ==,
                      picture_pixel(apng.frames->pdata[2], x, y) & 0xffffff);
  cairo_surface_destroy(picture);
  apng_clear(&apng);
  g_assert_cmpuint(g_bytes_get_size(gif_bytes), <, g_bytes_get_size(bytes));
  g_unlink(png);
  g_unlink(gif);
}

/* A page a frame, each with its own words. */
static void
test_pdf(void)
{
  g_autofree char *pdftotext = g_find_program_in_path("pdftotext");
  if (!pdftotext) {
    g_test_skip("pdftotext (poppler-utils) is not installed");
    return;
  }
  g_autoptr(RegardFrames) frames = sample_frames(N);
  g_autofree char *path = write_frames(frames, "all.pdf"), *out = NULL;
  const char *argv[] = {pdftotext, path, "-", NULL};
  g_assert_true(g_spawn_sync(NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL,
                             NULL, NULL));
  g_auto(GStrv) pages = g_strsplit(out, "\f", -1);
  g_assert_cmpuint(g_strv_length(pages), ==, N + 1);
  for (guint f = 0; f < N; f++) {
    g_autofree char *label = g_strdup_printf("head %u", f + 1);
    g_assert_nonnull(strstr(pages[f], label));
  }
  g_unlink(path);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* Everything that can be pointed at lies where it does in the first frame, or is not there. */
static void
assert_still(RegardFrames *frames, double width, double font, gboolean grows)
{
  g_autoptr(RegardFigure) last = regard_frames_new_figure(frames, regard_frames_count(frames) - 1);
  g_autoptr(GArray) all = regard_figure_spots(last, width, font, NULL);
  const double height = regard_figure_height(last, width, font);
  for (guint i = 0; i < regard_frames_count(frames); i++) {
    g_autoptr(RegardFigure) figure = regard_frames_new_figure(frames, i);
    g_autoptr(GArray) spots = regard_figure_spots(figure, width, font, NULL);
    g_assert_cmpfloat_with_epsilon(regard_figure_height(figure, width, font), height, 1e-6);
    g_assert_cmpuint(spots->len, >, 0);
    if (grows)
      g_assert_cmpuint(spots->len, <=, all->len);
    for (guint k = 0, at = 0; k < spots->len; k++) {
      const RegardSpot *spot = &g_array_index(spots, RegardSpot, k);
      gboolean is_found = FALSE;
      for (guint tries = 0; tries < all->len && !is_found; tries++, at++) {
        const RegardSpot *other = &g_array_index(all, RegardSpot, at % all->len);
        is_found = fabs(other->rect.x - spot->rect.x) < 1e-6 &&
                   fabs(other->rect.y - spot->rect.y) < 1e-6 &&
                   fabs(other->rect.width - spot->rect.width) < 1e-6 &&
                   (!grows || (other->part == spot->part && other->row == spot->row &&
                               other->col == spot->col));
      }
      if (!is_found)
        g_error("frame %u: spot %d %d %d at %g, %g has moved", i, spot->part, spot->row, spot->col,
                spot->rect.x, spot->rect.y);
    }
  }
}

/* Where the texts of a part begin, or end, in all frames: bars begin behind the widest. */
static void
test_layout_steps(void)
{
  StepsTest t;
  steps_test_open(&t, "frozen/en-de");
  mt_search_params params = steps_test_params(&t, 3);
  mt_error error = {0};
  mt_translation *translation =
      mt_session_translate(t.session, STEPS_TEST_LONG, &params, NULL, &error);
  mt_capture *capture = mt_session_capture(t.session, translation, 0, 0, NULL, &error);
  RegardSteps *steps = regard_steps_new(t.model, translation, 0, capture);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  for (guint k = 0; k < 4; k++) {
    RegardStepsOptions look = REGARD_STEPS_OPTIONS_INIT;
    look.kind = k % 2 ? MT_DECODER_SELF : MT_CROSS;
    look.head = k % 2 ? 1 : -1;
    look.top = 3; /* so that a chosen one stands below them somewhere */
    g_autoptr(RegardFrames) frames = regard_frames_new_steps(steps, &look, &style);
    g_assert_cmpuint(regard_frames_count(frames), ==, steps->n);
    /* Wide and narrow. */
    assert_still(frames, k < 2 ? 450 : 200, 7, FALSE);
  }
  RegardTreeOptions tree = REGARD_TREE_OPTIONS_INIT;
  for (guint held = 0; held < 2; held++) {
    tree.held_only = held;
    g_autoptr(RegardFrames) frames = regard_frames_new_tree(steps, &tree, &style);
    g_assert_cmpuint(regard_frames_count(frames), ==, steps->steps->n_steps);
    assert_still(frames, 450, 7, TRUE);
  }
  regard_steps_unref(steps);
  mt_capture_unref(capture);
  mt_translation_unref(translation);
  steps_test_close(&t);
}

/* Nothing of the tree is told before it is known: ranks, and what will be pruned. */
static void
test_tree_grows(void)
{
  StepsTest t;
  steps_test_open(&t, "frozen/en-de");
  const mt_search_params params = steps_test_params(&t, 4);
  RegardSteps *steps = steps_test_search(&t, STEPS_TEST_DOGS, &params);
  const RegardTreeOptions look = REGARD_TREE_OPTIONS_INIT;
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  g_autoptr(RegardFrames) frames = regard_frames_new_tree(steps, &look, &style);
  const guint n = regard_frames_count(frames);
  for (guint i = 0; i < n; i++) {
    g_autoptr(RegardFigure) figure = regard_frames_new_figure(frames, i);
    g_autoptr(GArray) spots = regard_figure_spots(figure, 800, 7, NULL);
    guint there = 0;
    for (gsize k = 0; k < steps->steps->n_nodes; k++)
      there += steps->steps->nodes[k].step <= i;
    g_assert_cmpuint(spots->len, ==, there);
    Recorder *r = record(figure, 800, 7);
    gboolean has_rank = FALSE;
    for (guint k = 0; k < r->texts->len; k++)
      has_rank |= strcmp(g_array_index(r->texts, Written, k).text, "1.") == 0;
    g_assert_cmpint(has_rank, ==, i + 1 == n);
    g_assert_cmpint(has_text(r, "lost by"), ==, i + 1 == n);
    regard_canvas_free(&r->parent);
  }
  regard_steps_unref(steps);
  steps_test_close(&t);
}

static void
test_layout_inside(void)
{
  StepsTest t;
  steps_test_open(&t, "frozen/en-de");
  const mt_search_params params = steps_test_params(&t, 1);
  RegardSteps *steps = steps_test_search(&t, STEPS_TEST_DOGS, &params);
  mt_error error = {0};
  mt_activation_requests requests = {0};
  regard_walkthrough_requests(MT_DECODER_SELF, 0, &requests);
  const mt_hooks hooks = {.requests = &requests};
  mt_trace *trace = mt_trace_new(t.model, steps->translation, 0, &hooks, &error);
  g_autoptr(RegardWalkthrough) inside =
      regard_walkthrough_new(t.model, trace, MT_DECODER_SELF, 0, 0, 2, -1, NULL, &error);
  g_assert_nonnull(inside);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  for (guint rows = 0; rows < 2; rows++) {
    const RegardWalkthroughOptions look = {.parts = REGARD_WALKTHROUGH_ROW, .all_rows = rows};
    g_autoptr(RegardFrames) frames = regard_frames_new_walkthrough(inside, &look, &style);
    g_assert_cmpuint(regard_frames_count(frames), ==, 8);
    /* Wide, where the output stands at the right, and narrow; of all rows nothing is there first.
     */
    for (guint k = 0; rows == 0 && k < 2; k++)
      assert_still(frames, k ? 300 : 700, 7, TRUE);
  }
  mt_trace_unref(trace);
  regard_steps_unref(steps);
  steps_test_close(&t);
}

/* ---- Stopped, full, in the way --------------------------------------------------------------- */

static gboolean
stop_at(guint done, guint all, gpointer user)
{
  guint *left = user;
  g_assert_cmpuint(done, <=, all);
  return (*left)-- > 1;
}

static guint
count_files(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;
  while (g_dir_read_name(dir))
    n++;
  return n;
}

static const char *const outputs[] = {"x.gif", "x.png", "x.pdf", "x-{n}.png", "x-{n}.svg"};

/* Wherever it is stopped, what was there is as it was, and nothing else is. */
static void
test_stop(void)
{
  g_autoptr(RegardFrames) frames = sample_frames(3);
  for (guint k = 0; k < G_N_ELEMENTS(outputs); k++) {
    const gboolean is_numbered = strchr(outputs[k], '{') != NULL;
    g_autofree char *path = in_directory(outputs[k]), *second = in_directory("x-002.png");
    for (guint stop = 1;; stop++) {
      g_autoptr(GError) error = NULL;
      guint left = stop;
      g_assert_true(g_file_set_contents(is_numbered ? second : path, "before", -1, NULL));
      const gboolean done =
          regard_animation_write(frames, format_of(path), &small, path, stop_at, &left, &error);
      if (done)
        break;
      g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpuint(stop, <, 20);
      g_assert_cmpuint(count_files(export_directory), ==, 1);
    }
    for (guint f = 0; f < 3; f++) {
      g_autofree char *name =
          g_strdup_printf("x-%03u.%s", f + 1, g_str_has_suffix(path, "svg") ? "svg" : "png");
      g_autofree char *numbered = in_directory(name);
      g_assert_cmpint(g_unlink(numbered) == 0, ==, is_numbered);
    }
    g_unlink(path);
    g_unlink(second);
    g_assert_cmpuint(count_files(export_directory), ==, 0);
  }
}

static void
test_disk(void)
{
  g_autoptr(RegardFrames) frames = sample_frames(3);
  for (guint k = 0; k < G_N_ELEMENTS(outputs); k++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *path = in_directory(outputs[k]);
    disk_full_begin(200);
    const gboolean done =
        regard_animation_write(frames, format_of(path), &small, path, NULL, NULL, &error);
    disk_full_end();
    g_assert_false(done);
    g_assert_nonnull(strstr(error->message, g_strerror(EFBIG)));
    g_assert_cmpuint(count_files(export_directory), ==, 0);
  }
  /* The third of three cannot be written: the first two are not left alone. */
  g_autoptr(GError) error = NULL;
  g_autofree char *path = in_directory("y-{n}.svg"), *third = in_directory("y-003.svg");
  g_assert_cmpint(g_mkdir(third, 0755), ==, 0);
  g_assert_false(regard_animation_write(frames, format_of(path), &small, path, NULL, NULL, &error));
  g_assert_nonnull(strstr(error->message, third));
  g_assert_cmpuint(count_files(export_directory), ==, 1);
  g_assert_cmpint(g_rmdir(third), ==, 0);
}

/* Sizes that no file has are refused before anything is drawn. */
static void
test_refused(void)
{
  g_autoptr(RegardFrames) frames = sample_frames(3);
  static const RegardExportOptions large = {2000, 7, 300, 0, 0}, tiny = {10, 72, 200, 0, 0},
                                   odd = {NAN, 7, 200, 0, 0};
  const RegardExportOptions *const options[] = {&large, &tiny, &odd};
  g_autofree char *path = in_directory("z.gif"), *pdf = in_directory("z.pdf");
  for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(
        regard_animation_write(frames, format_of(path), options[i], path, NULL, NULL, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull(strstr(error->message, path));
  }
  g_autoptr(RegardFrames) many = sample_frames(501);
  g_autoptr(GError) error = NULL;
  g_assert_false(regard_animation_write(many, format_of(pdf), &small, pdf, NULL, NULL, &error));
  g_assert_nonnull(strstr(error->message, "1 to 500 frames, not 501"));
  g_assert_cmpuint(count_files(export_directory), ==, 0);
}

TESTS(.end = export_test_end)
{
  export_test_begin();
  g_test_add_func("/animation/apng", test_apng);
  g_test_add_func("/animation/apng/pillow", test_apng_pillow);
  g_test_add_func("/animation/gif/pillow", test_gif_pillow);
  g_test_add_func("/animation/gif/pixbuf", test_gif_pixbuf);
  g_test_add_func("/animation/gif/magick", test_gif_magick);
  g_test_add_func("/animation/limits", test_limits);
  g_test_add_func("/animation/formats", test_formats);
  g_test_add_func("/animation/frames", test_frames);
  g_test_add_func("/animation/pdf", test_pdf);
  g_test_add_func("/animation/layout/steps", test_layout_steps);
  g_test_add_func("/animation/layout/inside", test_layout_inside);
  g_test_add_func("/animation/tree-grows", test_tree_grows);
  g_test_add_func("/animation/stop", test_stop);
  g_test_add_func("/animation/disk", test_disk);
  g_test_add_func("/animation/refused", test_refused);
}
