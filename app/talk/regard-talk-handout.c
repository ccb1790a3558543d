/* regard-talk-handout.c — a talk on paper.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a slide has flows down its pages: the title, the picture, then words line by line.
 */
#include "talk/regard-talk-handout.h"

#include "base/regard-error.h"
#include "formats/regard-export.h"
#include "learn/regard-lesson-markup.h"
#include <cairo-pdf.h>
#include <glib/gi18n.h>
#include <pango/pangocairo.h>

/* A4 and its margins, in points. */
#define WIDTH  595.28
#define HEIGHT 841.89
#define MARGIN 56.7
#define ROOM   (WIDTH - 2 * MARGIN)
/* Of the height a picture has at most so much, so that words have room below it. */
#define PICTURE_SHARE 0.5
#define INDENT        18.0

typedef struct {
  const RegardTalk *talk;
  guint slide;
  cairo_t *cr;
  double y; /* where it goes on */
} Page;

/* ---- Pages ----------------------------------------------------------------------------------- */

/* text is markup. */
static PangoLayout *
new_layout(const Page *page, const char *text, const char *font, double width)
{
  PangoLayout *layout = pango_cairo_create_layout(page->cr);
  PangoFontDescription *description = pango_font_description_from_string(font);
  /* A point is a point, whatever the resolution of a screen. */
  pango_cairo_context_set_resolution(pango_layout_get_context(layout), 72);
  pango_layout_context_changed(layout);
  pango_layout_set_font_description(layout, description);
  pango_layout_set_width(layout, (int) (width * PANGO_SCALE));
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_markup(layout, text, -1);
  pango_font_description_free(description);
  return layout;
}

/* What the talk is called, and where the slide is in it. */
static void
begin_page(Page *page)
{
  const RegardTalk *talk = page->talk;
  g_autofree char *title = g_markup_escape_text(talk->lesson->title, -1);
  g_autofree char *place = g_strdup_printf(C_("slide of slides", "%u / %u"), page->slide + 1,
                                           regard_talk_n_slides(talk));
  PangoLayout *left = new_layout(page, title, "Sans 8", ROOM - 60);
  PangoLayout *right = new_layout(page, place, "Sans 8", 60);
  pango_layout_set_alignment(right, PANGO_ALIGN_RIGHT);
  pango_layout_set_ellipsize(left, PANGO_ELLIPSIZE_END);
  cairo_set_source_rgb(page->cr, 0.35, 0.35, 0.35);
  cairo_move_to(page->cr, MARGIN, MARGIN - 20);
  pango_cairo_show_layout(page->cr, left);
  cairo_move_to(page->cr, WIDTH - MARGIN - 60, MARGIN - 20);
  pango_cairo_show_layout(page->cr, right);
  cairo_set_line_width(page->cr, 0.5);
  cairo_move_to(page->cr, MARGIN, MARGIN - 6);
  cairo_line_to(page->cr, WIDTH - MARGIN, MARGIN - 6);
  cairo_stroke(page->cr);
  cairo_set_source_rgb(page->cr, 0, 0, 0);
  g_object_unref(left);
  g_object_unref(right);
  page->y = MARGIN + 4;
}

static void
turn(Page *page)
{
  cairo_show_page(page->cr);
  begin_page(page);
}

/* ---- What flows ------------------------------------------------------------------------------ */

/* Line by line; text is markup. */
static void
add_text(Page *page, const char *text, const char *font, double indent, double after)
{
  PangoLayout *layout = new_layout(page, text, font, ROOM - indent);
  PangoLayoutIter *line = pango_layout_get_iter(layout);
  do {
    PangoRectangle bounds;
    pango_layout_iter_get_line_extents(line, NULL, &bounds);
    const double height = (double) bounds.height / PANGO_SCALE;
    const double baseline =
        (double) (pango_layout_iter_get_baseline(line) - bounds.y) / PANGO_SCALE;
    if (page->y + height > HEIGHT - MARGIN)
      turn(page);
    cairo_move_to(page->cr, MARGIN + indent + (double) bounds.x / PANGO_SCALE, page->y + baseline);
    pango_cairo_show_layout_line(page->cr, pango_layout_iter_get_line_readonly(line));
    page->y += height;
  } while (pango_layout_iter_next_line(line));
  page->y += after;
  pango_layout_iter_free(line);
  g_object_unref(layout);
}

/* Of a lesson, whose values nobody measured here. Caller frees. */
static char *
markup_of(const Page *page, const char *text)
{
  return regard_lesson_markup(page->talk->lesson, text, NULL, 0);
}

static void
add_picture(Page *page)
{
  cairo_surface_t *picture = regard_talk_create_picture(page->talk, page->slide);
  if (!picture)
    return;
  const double width = cairo_image_surface_get_width(picture);
  const double height = cairo_image_surface_get_height(picture);
  const double by = MIN(ROOM / width, (HEIGHT - 2 * MARGIN) * PICTURE_SHARE / height);
  cairo_save(page->cr);
  cairo_translate(page->cr, MARGIN + (ROOM - width * by) / 2, page->y);
  cairo_scale(page->cr, by, by);
  cairo_set_source_surface(page->cr, picture, 0, 0);
  cairo_rectangle(page->cr, 0, 0, width, height);
  cairo_fill(page->cr);
  cairo_restore(page->cr);
  cairo_surface_destroy(picture);
  page->y += height * by + 12;
}

static void
add_paragraphs(Page *page, const RegardLessonStep *slide, guint first, guint end)
{
  for (guint i = first; i < end; i++) {
    g_autofree char *text = markup_of(page, slide->paragraphs->pdata[i]);
    add_text(page, text, "Sans 11", 0, 6);
  }
}

/* With the letters that the room has them by. */
static void
add_options(Page *page, const RegardLessonStep *slide)
{
  for (guint i = 0; i < slide->options->len; i++) {
    const RegardLessonOption *option = slide->options->pdata[i];
    g_autofree char *text = markup_of(page, option->text),
                    *answer = markup_of(page, option->answer);
    g_autofree char *line = g_strdup_printf("<b>%c</b>  %s", 'A' + i, text);
    add_text(page, line, "Sans 11", INDENT, *answer ? 1 : 4);
    if (*answer)
      add_text(page, answer, "Sans Italic 9", 2 * INDENT, 4);
  }
  page->y += slide->options->len ? 4 : 0;
}

static void
add_notes(Page *page, const RegardLessonStep *slide)
{
  if (slide->notes->len == 0)
    return;
  g_autofree char *heading = g_markup_escape_text(_("Notes"), -1);
  page->y += 4;
  add_text(page, heading, "Sans Bold 9", 0, 3);
  for (guint i = 0; i < slide->notes->len; i++) {
    g_autofree char *text = g_markup_escape_text(slide->notes->pdata[i], -1);
    add_text(page, text, "Sans 10", 0, 5);
  }
}

static void
add_slide(Page *page)
{
  const RegardLessonStep *slide = regard_talk_slide(page->talk, page->slide);
  g_autofree char *title = g_markup_escape_text(slide->title, -1);
  begin_page(page);
  add_text(page, title, "Sans Bold 15", 0, 8);
  add_picture(page);
  add_paragraphs(page, slide, 0, slide->n_before_options);
  add_options(page, slide);
  add_paragraphs(page, slide, slide->n_before_options, slide->paragraphs->len);
  add_notes(page, slide);
  cairo_show_page(page->cr);
}

/* ---- The file -------------------------------------------------------------------------------- */

static cairo_status_t
append(void *user, const unsigned char *data, unsigned int n)
{
  g_byte_array_append(user, data, n);
  return CAIRO_STATUS_SUCCESS;
}

GBytes *
regard_talk_make_handout(const RegardTalk *talk, GError **error)
{
  g_autoptr(GByteArray) out = g_byte_array_new();
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(append, out, WIDTH, HEIGHT);
  if (talk->lesson)
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, talk->lesson->title);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Regard " MT_VERSION);
  regard_export_set_pdf_date(surface);
  Page page = {.talk = talk, .cr = cairo_create(surface)};
  for (; page.slide < regard_talk_n_slides(talk); page.slide++)
    add_slide(&page);
  cairo_surface_finish(surface);
  cairo_status_t status = cairo_status(page.cr);
  cairo_destroy(page.cr);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes(g_steal_pointer(&out));
  g_set_error(error, REGARD_ERROR, REGARD_ERROR_NO_MEMORY, _("The handout cannot be drawn: %s."),
              cairo_status_to_string(status));
  return NULL;
}
