/* regard-export.c — the list of formats, sizes, and writing a file so that nothing is lost.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "formats/regard-export-private.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* THE list, in the order of menus. A row is the name of a variable regard_export_NAME that
 * regard-export-NAME.c defines. */
/* clang-format off */
#define FORMATS(row) \
  row(png)           \
  row(svg)           \
  row(pdf)           \
  row(tikz)          \
  row(pgfplots)      \
  row(csv)           \
  row(json)          \
  row(npz)           \
  row(dot)           \
  row(html)
/* clang-format on */

#define DECLARE(name) extern const RegardExportFormat regard_export_##name;
FORMATS(DECLARE)

#define ADDRESS(name) &regard_export_##name,
static const RegardExportFormat *const formats[] = {FORMATS(ADDRESS)};

const RegardExportFormat *const *
regard_export_formats(guint *n)
{
  if (n)
    *n = G_N_ELEMENTS(formats);
  return formats;
}

const RegardExportFormat *
regard_export_format_find(const char *id_or_path)
{
  if (!id_or_path)
    return NULL;
  g_autofree char *name = g_path_get_basename(id_or_path);
  const char *dot = strrchr(name, '.'), *id = dot ? dot + 1 : id_or_path;
  /* What LaTeX itself calls its files. */
  if (g_ascii_strcasecmp(id, "tex") == 0)
    id = "tikz";
  for (gsize i = 0; i < G_N_ELEMENTS(formats); i++)
    if (g_ascii_strcasecmp(formats[i]->id, id) == 0)
      return formats[i];
  return NULL;
}

gboolean
regard_export_format_fits(const RegardExportFormat *format, const RegardFigure *figure)
{
  return !format->fits || format->fits(figure);
}

/* Written so that NaN is out of range. message: of two bounds and the value, _(…). */
static gboolean
check_range(const char *message, double value, double low, double high, GError **error)
{
  if (value >= low && value <= high)
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, message, low, high, value);
  return FALSE;
}

static gboolean
fit_height(RegardFigure *figure, const RegardExportOptions *options, double width_pt,
           GError **error)
{
  double least;
  if (options->height_mm == 0)
    return TRUE;
  if (!check_range(_("The height of the picture must be %g to %g mm, not %g"), options->height_mm,
                   10, 2000, error))
    return FALSE;
  if (regard_figure_set_height(figure, width_pt, options->font_pt, options->height_mm * 72 / 25.4,
                               &least))
    return TRUE;
  if (least * 25.4 / 72 > options->height_mm)
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                _("A picture %g mm high has no room for its text, which takes %.0f mm; make it "
                  "higher or the font smaller"),
                options->height_mm, ceil(least * 25.4 / 72));
  else
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                _("This picture has nothing that could be higher: it takes %.0f mm"),
                least * 25.4 / 72);
  return FALSE;
}

gboolean
regard_export_size(RegardFigure *figure, const RegardExportOptions *options, double *width_pt,
                   double *height_pt, GError **error)
{
  if (!check_range(_("The width of the picture must be %g to %g mm, not %g"), options->width_mm, 10,
                   2000, error) ||
      !check_range(_("The font size of the picture must be %g to %g pt, not %g"), options->font_pt,
                   2, 100, error) ||
      !check_range(_("The resolution of the picture must be %g to %g dpi, not %g"), options->dpi,
                   10, 4800, error))
    return FALSE;
  *width_pt = options->width_mm * 72 / 25.4;
  if (*width_pt < options->font_pt * 16) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                _("A picture %g mm wide has no room for text of %g pt; make it wider or the font "
                  "smaller"),
                options->width_mm, options->font_pt);
    return FALSE;
  }
  regard_figure_leave_out(figure, options->left_out);
  return fit_height(figure, options, *width_pt, error) &&
         (*height_pt = regard_figure_height(figure, *width_pt, options->font_pt)) > 0;
}

gboolean
regard_export_check_text_cells(RegardFigure *figure, GError **error)
{
  gsize n = regard_figure_n_cells(figure);
  if (n <= REGARD_EXPORT_MAX_TEXT_CELLS)
    return TRUE;
  g_set_error(
      error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
      ngettext("%zu cell is too many for a text file (at most %d); save it as NPZ instead",
               "%zu cells are too many for a text file (at most %d); save them as NPZ instead", n),
      n, REGARD_EXPORT_MAX_TEXT_CELLS);
  return FALSE;
}

char *
regard_export_title(RegardFigure *figure)
{
  char *caption = regard_figure_caption(figure);
  /* Sentences end so, or as in Chinese. */
  char *end = strstr(caption, ". "), *full = strstr(caption, "。");
  if (full && (!end || full < end))
    end = full;
  if (end)
    *end = '\0';
  return caption;
}

static gboolean
fail(GError **error, const char *path, int code)
{
  g_set_error(error, G_IO_ERROR, g_io_error_from_errno(code), _("Cannot write “%s”: %s"), path,
              g_strerror(code));
  return FALSE;
}

static int
write_all(int fd, const guint8 *data, gsize size)
{
  while (size > 0) {
    gssize n = write(fd, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO;
    data += n;
    size -= (gsize) n;
  }
  return 0;
}

/* The new name of a file is on the disk, where the file system can do that. */
static void
sync_folder_of(const char *target)
{
  g_autofree char *folder = g_path_get_dirname(target);
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
}

/* Beside target, under a name that is not taken; the mode of the file it replaces, or what the
 * process gives new files. Returns an errno, 0 if all is well. */
static int
replace_file(const char *target, GBytes *bytes)
{
  g_autofree char *temporary = g_strconcat(target, ".XXXXXX", NULL);
  struct stat old;
  gboolean exists = stat(target, &old) == 0;
  int fd = g_mkstemp_full(temporary, O_RDWR | O_CLOEXEC, 0666);
  if (fd < 0)
    return errno;
  gsize size;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  int code = write_all(fd, data, size);
  if (code == 0 && exists && fchmod(fd, old.st_mode & 0777) != 0)
    code = errno;
  if (code == 0 && fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
    code = errno;
  if (close(fd) != 0 && code == 0)
    code = errno;
  if (code == 0 && g_rename(temporary, target) != 0)
    code = errno;
  if (code != 0)
    g_unlink(temporary);
  else
    sync_folder_of(target);
  return code;
}

/* What to write for a path, NULL if it must not be written. A link is written through, not
 * replaced. What is not a regular file (a directory, a device) must not be replaced by one. */
static char *
find_target(const char *path, GError **error)
{
  g_autofree char *resolved = realpath(path, NULL);
  g_autofree char *target = g_strdup(resolved ? resolved : path);
  struct stat st;
  if (stat(target, &st) == 0) {
    if (S_ISDIR(st.st_mode)) {
      fail(error, path, EISDIR);
      return NULL;
    }
    if (!S_ISREG(st.st_mode)) {
      g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE,
                  _("Cannot write “%s”: it is not a regular file"), path);
      return NULL;
    }
  }
  return g_steal_pointer(&target);
}

gboolean
regard_export_write_bytes(GBytes *bytes, const char *path, GError **error)
{
  g_autofree char *target = find_target(path, error);
  if (!target)
    return FALSE;
  int code = replace_file(target, bytes);
  return code == 0 ? TRUE : fail(error, path, code);
}

gboolean
regard_export_write(RegardFigure *figure, const RegardExportFormat *format,
                    const RegardExportOptions *options, const char *path, GError **error)
{
  static const RegardExportOptions standard = REGARD_EXPORT_OPTIONS_INIT;
  /* Looked at before the work, too. */
  g_autofree char *target = find_target(path, error);
  if (!target)
    return FALSE;
  GError *cause = NULL;
  g_autoptr(GBytes) bytes = format->render(figure, options ? options : &standard, &cause);
  if (!bytes) {
    g_set_error(error, cause->domain, cause->code, _("Cannot write “%s”: %s"), path,
                cause->message);
    g_error_free(cause);
    return FALSE;
  }
  return regard_export_write_bytes(bytes, path, error);
}
