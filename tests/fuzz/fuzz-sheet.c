/* fuzz-sheet.c — a sheet in a file: a zip archive as it is, a drawing for what begins with its
 * width, matrices for what begins as a list, anything else as the description in one. What was read
 * is drawn, and has to be the same when it was written and read again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "export/regard-sheet-file.h"
#include "fuzz.h"

#include <string.h>

static void
put(const char *path, const uint8_t *data, size_t size)
{
  static const char drawing[] = "{\"width\"";
#define SHEET(what)                                                                               \
  "{\"format\":\"regard-figure\",\"version\":2,\"program\":\"x\",\"mosaic\":\"A\",\"width\":160," \
  "\"font\":7,\"columns\":[0],\"rows\":[0],\"letters\":\"none\",\"letters_at\":\"above\","        \
  "\"bold\":true,\"one_colour_bar\":true,\"equal_cells\":true,\"dark\":false,\"english\":true,"   \
  "\"titles\":true,\"numbers\":true,\"model_name\":true,\"venue\":null,\"captures\":[],"          \
  "\"panels\":[{\"letter\":\"A\",\"title\":null," what ",\"name\":\"a\",\"model\":null,"          \
  "\"caption\":[\"A.\"]}]}"
  static const char sheet[] = SHEET("\"drawing\":1");
  static const char of_matrices[] =
      SHEET("\"matrices\":1,\"scale\":\"linear\",\"colormap\":null,\"row\":null,\"column\":null");
  mt_error error = {0};
  const bool is_drawing =
      size >= sizeof drawing - 1 && memcmp(data, drawing, sizeof drawing - 1) == 0;
  const bool is_list = size >= 2 && memcmp(data, "[{", 2) == 0;
  const char *whole = is_drawing ? sheet : of_matrices;
  const mt_archive_file files[] = {
      {.name = "sheet.json",
       .data = is_drawing || is_list ? (const void *) whole : data,
       .size = is_drawing || is_list ? strlen(whole) : size},
      {.name = is_list ? "matrices-01.json" : "drawing-01.json", .data = data, .size = size},
  };
  if (size >= 2 && memcmp(data, "PK", 2) == 0)
    fuzz_model_put("x.regard-figure", data, size);
  else if (!mt_archive_write(path, files, is_drawing || is_list ? 2 : 1, &error))
    g_error("%s", error.message);
}

static void
look_at(RegardSheet *sheet)
{
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
  g_autofree char *caption = regard_sheet_caption(figure, REGARD_CAPTION_LATEX);
  g_autofree char *problem = regard_sheet_bar_problem(figure);
  RegardSheetLayout layout;
  g_assert(g_utf8_validate(caption, -1, NULL));
  regard_sheet_lay_out(figure, sheet->width_mm * 72 / 25.4, sheet->font_pt, &layout);
  g_assert(layout.height > 0 && layout.n == sheet->panels->len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char *path, *copy;
  if (!path) {
    path = g_build_filename(fuzz_model_path(), "x.regard-figure", NULL);
    copy = g_build_filename(fuzz_model_path(), "copy.regard-figure", NULL);
  }
  put(path, data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardSheet) sheet = regard_sheet_read(path, &error);
  g_assert((sheet != NULL) == (error == NULL));
  if (!sheet) {
    g_assert(g_utf8_validate(error->message, -1, NULL));
    return 0;
  }
  look_at(sheet);
  g_autofree char *json = regard_sheet_to_json(sheet);
  if (!regard_sheet_write(sheet, copy, &error))
    g_error("%s", error->message);
  g_autoptr(RegardSheet) again = regard_sheet_read(copy, &error);
  if (!again)
    g_error("what was written cannot be read: %s", error->message);
  g_autofree char *twice = regard_sheet_to_json(again);
  if (!g_str_equal(json, twice))
    g_error("%s\nbecame\n%s", json, twice);
  return 0;
}
