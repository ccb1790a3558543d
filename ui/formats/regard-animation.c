/* regard-animation.c — figures one after the other to a file, or to numbered ones; and what the
 * writers of pixels share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "formats/regard-animation-private.h"

#include "figures/regard-language.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ==== What the writers of pixels share =========================================================
 */

gboolean
regard_animation_file_init(RegardAnimationFile *file, const RegardAnimationSize *size,
                           GError **error)
{
  const int most = REGARD_ANIMATION_MOST_SIDE;
  if (size->width < 1 || size->height < 1 || size->width > most || size->height > most) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                _("The frames would be %d × %d pixels; at most %d a side are written. Use fewer "
                  "dpi, less width, or PDF"),
                size->width, size->height, most);
    return FALSE;
  }
  if (size->n < 1 || size->n > REGARD_ANIMATION_MOST_FRAMES) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                _("An animation has 1 to %d frames, not %u"), REGARD_ANIMATION_MOST_FRAMES,
                size->n);
    return FALSE;
  }
  *file = (RegardAnimationFile){.size = *size, .out = g_byte_array_new()};
  return TRUE;
}

gboolean
regard_animation_file_check(const RegardAnimationFile *file, cairo_surface_t *frame, GError **error)
{
  const int width = cairo_image_surface_get_width(frame),
            height = cairo_image_surface_get_height(frame);
  if (width == file->size.width && height == file->size.height &&
      cairo_image_surface_get_format(frame) == CAIRO_FORMAT_RGB24)
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
              _("A frame of %d × %d pixels is none of an animation of %d × %d"), width, height,
              file->size.width, file->size.height);
  return FALSE;
}

gboolean
regard_animation_file_check_next(const RegardAnimationFile *file, cairo_surface_t *frame, guint ms,
                                 GError **error)
{
  if (!regard_animation_file_check(file, frame, error))
    return FALSE;
  if (file->n >= file->size.n) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                ngettext("There is more than the %u frame that was said",
                         "There are more than the %u frames that were said", file->size.n),
                file->size.n);
    return FALSE;
  }
  if (ms < REGARD_ANIMATION_LEAST_MS || ms > REGARD_ANIMATION_MOST_MS) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                _("A frame is seen for %d to %d ms, not %u"), REGARD_ANIMATION_LEAST_MS,
                REGARD_ANIMATION_MOST_MS, ms);
    return FALSE;
  }
  return TRUE;
}

static gboolean
is_row_same(const guint8 *a, const guint8 *b, int width)
{
  /* The fourth byte of a pixel is nothing, and may be anything. */
  for (int x = 0; x < width; x++)
    if (regard_animation_pixel(a, x) != regard_animation_pixel(b, x))
      return FALSE;
  return TRUE;
}

void
regard_animation_file_changed(const RegardAnimationFile *file, cairo_surface_t *frame,
                              cairo_rectangle_int_t *changed)
{
  const int width = file->size.width, height = file->size.height;
  int left = width, right = -1, top = height, bottom = -1;
  *changed = (cairo_rectangle_int_t){0, 0, width, height};
  if (!file->before)
    return;
  const guint8 *was = cairo_image_surface_get_data(file->before),
               *is = cairo_image_surface_get_data(frame);
  const int was_stride = cairo_image_surface_get_stride(file->before),
            is_stride = cairo_image_surface_get_stride(frame);
  for (int y = 0; y < height; y++, was += was_stride, is += is_stride) {
    if (is_row_same(was, is, width))
      continue;
    top = MIN(top, y);
    bottom = y;
    for (int x = 0; x < left; x++)
      if (regard_animation_pixel(was, x) != regard_animation_pixel(is, x))
        left = x;
    for (int x = width - 1; x > right; x--)
      if (regard_animation_pixel(was, x) != regard_animation_pixel(is, x))
        right = x;
  }
  *changed = bottom < 0 ? (cairo_rectangle_int_t){0, 0, 1, 1}
                        : (cairo_rectangle_int_t){left, top, right - left + 1, bottom - top + 1};
}

/* Of one file, or of numbered ones together. */
static gboolean
check_bytes(gsize n, GError **error)
{
  g_autofree char *most = g_format_size(REGARD_ANIMATION_MOST_BYTES);
  if (n <= REGARD_ANIMATION_MOST_BYTES)
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
              _("The animation would be larger than %s; use fewer dpi or less width"), most);
  return FALSE;
}

gboolean
regard_animation_file_keep(RegardAnimationFile *file, cairo_surface_t *frame, GError **error)
{
  g_clear_pointer(&file->before, cairo_surface_destroy);
  file->before = cairo_surface_reference(frame);
  file->n++;
  return check_bytes(file->out->len, error);
}

GBytes *
regard_animation_file_end(RegardAnimationFile *file, GError **error)
{
  if (file->n == file->size.n)
    return g_byte_array_free_to_bytes(g_steal_pointer(&file->out));
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, _("%u of %u frames were drawn"),
              file->n, file->size.n);
  return NULL;
}

void
regard_animation_file_clear(RegardAnimationFile *file)
{
  g_clear_pointer(&file->before, cairo_surface_destroy);
  g_clear_pointer(&file->out, g_byte_array_unref);
}

/* ==== From figures to files ====================================================================
 */

enum { GIF, APNG, PDF, PNG_FILES, SVG_FILES, N_FORMATS };

/* THE list. */
static const RegardAnimationFormat formats[N_FORMATS] = {
    [GIF] = {"gif", "gif", N_("GIF animation"), FALSE, TRUE, TRUE},
    [APNG] = {"apng", "png", N_("Animated PNG"), FALSE, TRUE, TRUE},
    [PDF] = {"pdf", "pdf", N_("PDF, a page a frame"), FALSE, FALSE, FALSE},
    [PNG_FILES] = {"png-files", "png", N_("Numbered PNG images"), TRUE, FALSE, TRUE},
    [SVG_FILES] = {"svg-files", "svg", N_("Numbered SVG drawings"), TRUE, FALSE, FALSE},
};

const RegardAnimationFormat *const *
regard_animation_formats(guint *n)
{
  static const RegardAnimationFormat *const list[N_FORMATS] = {&formats[GIF], &formats[APNG],
                                                               &formats[PDF], &formats[PNG_FILES],
                                                               &formats[SVG_FILES]};
  if (n)
    *n = N_FORMATS;
  return list;
}

const RegardAnimationFormat *
regard_animation_format_find(const char *path)
{
  g_autofree char *name = g_path_get_basename(path);
  const gboolean is_numbered = strstr(name, REGARD_ANIMATION_NUMBER) != NULL;
  const char *dot = strrchr(name, '.');
  for (guint i = 0; dot && i < N_FORMATS; i++)
    if (formats[i].is_numbered == is_numbered &&
        (g_ascii_strcasecmp(dot + 1, formats[i].ending) == 0 ||
         g_ascii_strcasecmp(dot + 1, formats[i].id) == 0))
      return &formats[i];
  return NULL;
}

typedef struct {
  RegardFrames *frames;
  const RegardAnimationFormat *format;
  const RegardExportOptions *options;
  double width_pt, height_pt; /* of all pages */
  guint n, done, all;
  RegardAnimationProgress progress;
  gpointer user;
  GPtrArray *files; /* GBytes */
  gsize n_bytes;    /* of numbered files */
} Job;

static Job
new_job(RegardFrames *frames, const RegardAnimationFormat *format,
        const RegardExportOptions *options, RegardAnimationProgress progress, gpointer user)
{
  const guint n = regard_frames_count(frames);
  return (Job){.frames = frames,
               .format = format,
               .options = options,
               .n = n,
               .all = n,
               .progress = progress,
               .user = user};
}

static gboolean
go_on(Job *job, GError **error)
{
  if (!job->progress || job->progress(job->done, job->all, job->user))
    return TRUE;
  g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, _("stopped"));
  return FALSE;
}

static RegardFigure *
new_figure(const Job *job, guint i)
{
  RegardFigure *figure = regard_frames_new_figure(job->frames, i);
  regard_figure_leave_out(figure, job->options->left_out);
  return figure;
}

static const RegardPalette *
page_of(const RegardFigure *figure)
{
  return regard_figure_palette(&figure->style);
}

static cairo_surface_t *
paint(const Job *job, RegardFigure *figure, GError **error)
{
  return regard_export_paint(figure, job->options, job->width_pt, job->height_pt, page_of(figure),
                             error);
}

/* As wide as asked, as high as the highest. */
static gboolean
measure(Job *job, GError **error)
{
  if (job->n < 1 || job->n > REGARD_ANIMATION_MOST_FRAMES) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                _("An animation has 1 to %d frames, not %u"), REGARD_ANIMATION_MOST_FRAMES, job->n);
    return FALSE;
  }
  for (guint i = 0; i < job->n; i++) {
    g_autoptr(RegardFigure) figure = new_figure(job, i);
    double height;
    if (!go_on(job, error) ||
        !regard_export_size(figure, job->options, &job->width_pt, &height, error))
      return FALSE;
    job->height_pt = MAX(job->height_pt, height);
  }
  return TRUE;
}

static int
count_pixels(double pt, double dpi)
{
  return (int) MIN(ceil(pt * dpi / 72 - 0.01), G_MAXINT);
}

/* Of pixels, for those formats that are made of them. */
static gboolean
make_pixel_size(const Job *job, RegardAnimationSize *size, GError **error)
{
  RegardAnimationFile unused;
  *size = (RegardAnimationSize){.width = count_pixels(job->width_pt, job->options->dpi),
                                .height = count_pixels(job->height_pt, job->options->dpi),
                                .n = job->n,
                                .dpi = job->options->dpi};
  if (!regard_animation_file_init(&unused, size, error))
    return FALSE;
  regard_animation_file_clear(&unused);
  return TRUE;
}

gboolean
regard_animation_measure(RegardFrames *frames, const RegardAnimationFormat *format,
                         const RegardExportOptions *options, RegardAnimationMeasure *measured,
                         RegardAnimationProgress progress, gpointer user, GError **error)
{
  RegardAnimationSize size;
  Job job = new_job(frames, format, options, progress, user);
  *measured = (RegardAnimationMeasure){0};
  if (!measure(&job, error))
    return FALSE;
  *measured = (RegardAnimationMeasure){.n = job.n,
                                       .width_pt = job.width_pt,
                                       .height_pt = job.height_pt,
                                       .width = count_pixels(job.width_pt, options->dpi),
                                       .height = count_pixels(job.height_pt, options->dpi)};
  for (guint i = 0; i < job.n; i++)
    measured->ms += regard_frames_ms(frames, i);
  return !format->has_pixels || make_pixel_size(&job, &size, error);
}

/* Millimetres. */
#define LEAST_WIDTH 160
#define MOST_WIDTH  2000

double
regard_animation_wanted_width(RegardFrames *frames, const RegardExportOptions *options)
{
  const double needed = regard_frames_needed_width(frames, options->font_pt) * 25.4 / 72,
               most = floor(REGARD_ANIMATION_MOST_SIDE / options->dpi * 25.4);
  return needed > 0 ? MIN(MAX(ceil(needed), LEAST_WIDTH), MIN(most, MOST_WIDTH)) : 0;
}

GBytes *
regard_animation_render_frame(RegardFrames *frames, const RegardAnimationMeasure *measured,
                              const RegardExportOptions *options, guint i, double dpi,
                              GError **error)
{
  RegardExportOptions at = *options;
  at.dpi = dpi;
  const Job job = {.frames = frames,
                   .options = &at,
                   .width_pt = measured->width_pt,
                   .height_pt = measured->height_pt};
  g_autoptr(RegardFigure) figure = new_figure(&job, i);
  cairo_surface_t *surface = paint(&job, figure, error);
  GBytes *bytes = surface ? regard_export_encode(figure, surface, dpi, error) : NULL;
  g_clear_pointer(&surface, cairo_surface_destroy);
  return bytes;
}

/* One pass over all frames: what is done with each of them. FALSE and an error: it is the end. */
typedef gboolean (*FrameFunc)(Job *job, gpointer writer, RegardFigure *figure, guint i,
                              GError **error);

static gboolean
for_each_frame(Job *job, gpointer writer, FrameFunc func, GError **error)
{
  for (guint i = 0; i < job->n; i++, job->done++) {
    g_autoptr(RegardFigure) figure = new_figure(job, i);
    if (!go_on(job, error) || !func(job, writer, figure, i, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
take_file(Job *job, GBytes *bytes, GError **error)
{
  if (!bytes)
    return FALSE;
  g_ptr_array_add(job->files, bytes);
  job->n_bytes += g_bytes_get_size(bytes);
  return check_bytes(job->n_bytes, error);
}

/* ---- GIF ------------------------------------------------------------------------------------- */

static gboolean
look_gif(Job *job, gpointer writer, RegardFigure *figure, guint i, GError **error)
{
  cairo_surface_t *surface = paint(job, figure, error);
  const gboolean ok = surface && regard_gif_look(writer, surface, error);
  g_clear_pointer(&surface, cairo_surface_destroy);
  return ok;
}

static gboolean
add_gif(Job *job, gpointer writer, RegardFigure *figure, guint i, GError **error)
{
  cairo_surface_t *surface = paint(job, figure, error);
  const gboolean ok =
      surface && regard_gif_add(writer, surface, regard_frames_ms(job->frames, i), error);
  g_clear_pointer(&surface, cairo_surface_destroy);
  return ok;
}

static gboolean
make_gif(Job *job, GError **error)
{
  RegardAnimationSize size;
  RegardGif *gif = make_pixel_size(job, &size, error) ? regard_gif_begin(&size, error) : NULL;
  job->all = 2 * job->n;
  const gboolean ok = gif && for_each_frame(job, gif, look_gif, error) &&
                      for_each_frame(job, gif, add_gif, error) &&
                      take_file(job, regard_gif_end(gif, error), error);
  regard_gif_free(gif);
  return ok;
}

/* ---- APNG ------------------------------------------------------------------------------------ */

static gboolean
add_apng(Job *job, gpointer writer, RegardFigure *figure, guint i, GError **error)
{
  cairo_surface_t *surface = paint(job, figure, error);
  const gboolean ok =
      surface && regard_apng_add(writer, surface, regard_frames_ms(job->frames, i), error);
  g_clear_pointer(&surface, cairo_surface_destroy);
  return ok;
}

static gboolean
make_apng(Job *job, GError **error)
{
  RegardAnimationSize size;
  if (!make_pixel_size(job, &size, error))
    return FALSE;
  /* The first frame is what programs show that know no animation, and so is what is said. */
  g_autoptr(RegardFigure) first = new_figure(job, 0);
  g_autofree char *title = regard_export_title(first), *caption = regard_figure_caption(first),
                  *language = regard_language_dup_tag(first->language);
  const RegardPngText texts[] = {{"Title", title, language},
                                 {"Description", caption, language},
                                 {"Software", "Regard " MT_VERSION, NULL}};
  size.texts = texts;
  size.n_texts = G_N_ELEMENTS(texts);
  RegardApng *apng = regard_apng_begin(&size, error);
  const gboolean ok = apng && for_each_frame(job, apng, add_apng, error) &&
                      take_file(job, regard_apng_end(apng, error), error);
  regard_apng_free(apng);
  return ok;
}

/* ---- PDF ------------------------------------------------------------------------------------- */

static gboolean
add_page(Job *job, gpointer writer, RegardFigure *figure, guint i, GError **error)
{
  regard_pdf_add(writer, figure, job->options->font_pt, page_of(figure));
  return check_bytes(regard_pdf_size(writer), error);
}

static gboolean
make_pdf(Job *job, GError **error)
{
  g_autoptr(RegardFigure) first = new_figure(job, 0);
  RegardPdf *pdf = regard_pdf_begin(first, job->width_pt, job->height_pt);
  const gboolean ok = for_each_frame(job, pdf, add_page, error) &&
                      take_file(job, regard_pdf_end(pdf, error), error);
  regard_pdf_free(pdf);
  return ok;
}

/* ---- Numbered files -------------------------------------------------------------------------- */

static gboolean
add_png_file(Job *job, gpointer writer, RegardFigure *figure, guint i, GError **error)
{
  cairo_surface_t *surface = paint(job, figure, error);
  GBytes *bytes = surface ? regard_export_encode(figure, surface, job->options->dpi, error) : NULL;
  g_clear_pointer(&surface, cairo_surface_destroy);
  return take_file(job, bytes, error);
}

static gboolean
add_svg_file(Job *job, gpointer writer, RegardFigure *figure, guint i, GError **error)
{
  return take_file(job,
                   regard_export_svg_page(figure, job->width_pt, job->height_pt,
                                          job->options->font_pt, page_of(figure)),
                   error);
}

static gboolean
make_png_files(Job *job, GError **error)
{
  RegardAnimationSize size;
  return make_pixel_size(job, &size, error) && for_each_frame(job, NULL, add_png_file, error);
}

static gboolean
make_svg_files(Job *job, GError **error)
{
  return for_each_frame(job, NULL, add_svg_file, error);
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Of the folder nothing is a number. */
char *
regard_animation_number_path(const char *path, guint i)
{
  g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
  const char *place = strstr(name, REGARD_ANIMATION_NUMBER);
  g_autofree char *numbered = g_strdup_printf("%.*s%03u%s", (int) (place - name), name, i + 1,
                                              place + strlen(REGARD_ANIMATION_NUMBER));
  return strchr(path, G_DIR_SEPARATOR) ? g_build_filename(folder, numbered, NULL)
                                       : g_steal_pointer(&numbered);
}

char *
regard_animation_dup_film_line(const char *name)
{
  const char *place = strstr(name, REGARD_ANIMATION_NUMBER);
  g_return_val_if_fail(place, NULL);
  g_autofree char *begin = g_strndup(name, (gsize) (place - name)), *film = g_strdup(begin);
  for (char *end = film + strlen(film); end > film && end[-1] == '-';)
    *--end = '\0';
  g_autofree char *in =
      g_strdup_printf("%s%%03d%s", begin, place + strlen(REGARD_ANIMATION_NUMBER));
  g_autofree char *out = g_strdup_printf("%s.mp4", film);
  return g_strjoin(" ", "ffmpeg", "-framerate", "1", "-i", in, "-pix_fmt", "yuv420p", "-vf",
                   "'pad=ceil(iw/2)*2:ceil(ih/2)*2'", out, NULL);
}

/* All, or those that were there before and none that was not. */
static gboolean
write_numbered(Job *job, const char *path, GError **error)
{
  g_autoptr(GPtrArray) added = g_ptr_array_new_with_free_func(g_free);
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < job->files->len; i++) {
    g_autofree char *name = regard_animation_number_path(path, i);
    const gboolean is_new = !g_file_test(name, G_FILE_TEST_EXISTS);
    ok = go_on(job, error) && regard_export_write_bytes(job->files->pdata[i], name, error);
    if (ok && is_new)
      g_ptr_array_add(added, g_steal_pointer(&name));
  }
  for (guint i = 0; !ok && i < added->len; i++)
    g_unlink(added->pdata[i]);
  return ok;
}

gboolean
regard_animation_write(RegardFrames *frames, const RegardAnimationFormat *format,
                       const RegardExportOptions *options, const char *path,
                       RegardAnimationProgress progress, gpointer user, GError **error)
{
  static gboolean (*const make[N_FORMATS])(Job *, GError **) = {
      [GIF] = make_gif,
      [APNG] = make_apng,
      [PDF] = make_pdf,
      [PNG_FILES] = make_png_files,
      [SVG_FILES] = make_svg_files,
  };
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func((GDestroyNotify) g_bytes_unref);
  Job job = new_job(frames, format, options, progress, user);
  job.files = files;
  GError *cause = NULL;
  if (!measure(&job, &cause) || !make[format - formats](&job, &cause)) {
    g_propagate_prefixed_error(error, cause, _("Cannot write “%s”: "), path);
    return FALSE;
  }
  return format->is_numbered ? write_numbered(&job, path, error)
                             : regard_export_write_bytes(files->pdata[0], path, error);
}
