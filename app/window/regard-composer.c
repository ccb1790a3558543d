/* regard-composer.c — the sheet, what is beside it, and its files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each change makes another sheet, and the one before is kept for undo. While a divider is dragged
 * the sheet itself changes, which no one else has: the figure is laid out anew and nothing else.
 */
#include "window/regard-composer.h"

#include "base/regard-autoptr.h"
#include "base/regard-locale.h"
#include "base/regard-signals.h"
#include "export/regard-export-job.h"
#include "export/regard-sheet-again.h"
#include "export/regard-sheet-file.h"
#include "export/regard-venues.h"
#include "figures/regard-language.h"
#include "figures/regard-sheet-checks.h"
#include "formats/regard-export.h"
#include "widgets/regard-gtk.h"
#include "window/regard-window-private.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define MM         (72 / 25.4)
#define MOST_UNDO  100
#define REACH      5.0  /* pixels to each side of a divider */
#define LEAST_PART 8.0  /* millimetres of a column or row */
#define PAGE       24.0 /* ground around the sheet, pixels */

struct _RegardComposer {
  AdwWindow parent_instance;
  GSettings *settings;
  AdwWindowTitle *title;
  AdwToastOverlay *toasts;
  GtkApplication *application; /* weak */
  GtkWidget *area, *panels_group, *texts_group, *checks, *problem, *caption;
  AdwComboRow *venue, *letters, *letters_at, *sight;
  AdwEntryRow *mosaic, *other_text;
  GtkSpinButton *width, *font;
  GtkWidget *switches[8];
  GtkDropDown *caption_form;
  GPtrArray *panel_rows, *text_rows; /* widgets of the groups, borrowed */
  guint panels_idle;

  RegardSheet *sheet;
  RegardFigure *figure; /* of it */
  RegardSheetLayout layout;
  GPtrArray *before, *after; /* RegardSheet: undo, redo */
  RegardWork *opening, *saving, *exporting, *bringing, *computing;
  char computed; /* letter of the panel that is computed anew */
  char *path;
  RegardSheet *saved;  /* as the file has it; NULL: there is none */
  gboolean is_filling; /* the program sets the controls */
  char selected;       /* letter of a panel; 0: none */
  cairo_surface_t *drawn;
  double drawn_scale;
  int drag_column, drag_row; /* a divider, from 1; 0: none */
  double drag_from;
  RegardSheet *drag_before;
};

G_DEFINE_FINAL_TYPE(RegardComposer, regard_composer, ADW_TYPE_WINDOW)

static void show_all(RegardComposer *self);

/* ---- The sheet -------------------------------------------------------------------------------
 */

static double
width_pt(const RegardComposer *self)
{
  return self->sheet->width_mm * MM;
}

static void
lay_out(RegardComposer *self)
{
  g_clear_pointer(&self->drawn, cairo_surface_destroy);
  regard_sheet_lay_out(self->figure, width_pt(self), self->sheet->font_pt, &self->layout);
}

/* What is drawn, without a step of undo. Takes the sheet. */
static void
set_sheet(RegardComposer *self, RegardSheet *sheet)
{
  g_clear_pointer(&self->figure, regard_figure_free);
  g_clear_pointer(&self->sheet, regard_sheet_unref);
  self->sheet = sheet;
  self->figure = regard_figure_new_sheet(sheet);
  if (self->selected && !regard_sheet_find(sheet, self->selected))
    self->selected = 0;
  lay_out(self);
  show_all(self);
}

static void
push(GPtrArray *list, RegardSheet *sheet)
{
  g_ptr_array_add(list, sheet);
  if (list->len > MOST_UNDO)
    g_ptr_array_remove_index(list, 0);
}

/* A person has changed something; takes the sheet. */
static void
take(RegardComposer *self, RegardSheet *sheet)
{
  push(self->before, regard_sheet_ref(self->sheet));
  g_ptr_array_set_size(self->after, 0);
  set_sheet(self, sheet);
}

static gboolean
go_back(RegardComposer *self, GPtrArray *from, GPtrArray *to)
{
  if (from->len == 0)
    return FALSE;
  RegardSheet *sheet = regard_sheet_ref(from->pdata[from->len - 1]);
  g_ptr_array_remove_index(from, from->len - 1);
  push(to, regard_sheet_ref(self->sheet));
  set_sheet(self, sheet);
  return TRUE;
}

gboolean
regard_composer_undo(RegardComposer *self)
{
  return go_back(self, self->before, self->after);
}

gboolean
regard_composer_redo(RegardComposer *self)
{
  return go_back(self, self->after, self->before);
}

const RegardSheet *
regard_composer_get_sheet(RegardComposer *self)
{
  return self->sheet;
}

static void
say(RegardComposer *self, const char *text)
{
  adw_toast_overlay_add_toast(self->toasts, adw_toast_new(text));
}

char
regard_composer_add(RegardComposer *self, RegardFigure *figure)
{
  const double share = self->sheet->panels->len ? 0.5 : 1;
  const double font = self->sheet->font_pt, least = regard_figure_least_width(figure, font, NULL);
  RegardPanel *panel = regard_panel_new(figure, MAX(share * width_pt(self), least), font);
  RegardSheet *next = regard_sheet_copy(self->sheet);
  if (!panel || !regard_sheet_add(next, panel)) {
    regard_sheet_unref(next);
    say(self, panel ? _("There is no room for one more panel")
                    : _("This picture has too much in it for a figure of several"));
    return 0;
  }
  const char letter = panel->letter;
  regard_work_drop(self->bringing);
  take(self, next);
  return letter;
}

/* ---- The picture at its true size ------------------------------------------------------------
 */

/* Pixels of the window for a point: as large as on paper, where the monitor says how large it is.
 */
static double
get_scale(RegardComposer *self)
{
  GdkMonitor *monitor = regard_widget_get_monitor(GTK_WIDGET(self));
  double dpi = 96;
  if (monitor && gdk_monitor_get_width_mm(monitor) > 0) {
    GdkRectangle geometry;
    gdk_monitor_get_geometry(monitor, &geometry);
    dpi = geometry.width / (gdk_monitor_get_width_mm(monitor) / 25.4);
  }
  return CLAMP(dpi, 60, 300) / 72;
}

/* Sharp on the screen, in the colours that were chosen to look with. */
static void
paint(RegardComposer *self, double scale)
{
  const int factor = gtk_widget_get_scale_factor(self->area);
  const double all = scale * factor;
  const int width = (int) ceil(width_pt(self) * all),
            height = (int) ceil(MAX(self->layout.height, 1) * all);
  if (self->drawn && self->drawn_scale == all)
    return;
  g_clear_pointer(&self->drawn, cairo_surface_destroy);
  self->drawn = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  cairo_surface_set_device_scale(self->drawn, factor, factor);
  cairo_t *cr = cairo_create(self->drawn);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  cairo_scale(cr, scale, scale);
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_cairo(cr, 1 / all);
  regard_figure_draw(self->figure, canvas, width_pt(self), self->sheet->font_pt);
  cairo_destroy(cr);
  const guint sight = adw_combo_row_get_selected(self->sight);
  if (sight < REGARD_N_SIGHTS)
    regard_sight_image((RegardSight) sight, self->drawn);
  self->drawn_scale = all;
}

/* The left of the sheet, which stands in the middle where there is room. */
static double
get_left(RegardComposer *self, double scale)
{
  return MAX(PAGE, (gtk_widget_get_width(self->area) - width_pt(self) * scale) / 2);
}

static const RegardSheetPlace *
find_place(const RegardComposer *self, char letter)
{
  for (guint i = 0; i < self->layout.n; i++)
    if (self->layout.places[i].letter == letter)
      return &self->layout.places[i];
  return NULL;
}

static void
draw_marks(RegardComposer *self, cairo_t *cr, double scale)
{
  const RegardSheetPlace *place = self->selected ? find_place(self, self->selected) : NULL;
  const RegardMosaic *m = &self->sheet->mosaic;
  cairo_set_source_rgba(cr, 0.11, 0.44, 0.85, 0.9);
  cairo_set_line_width(cr, 2);
  if (place) {
    cairo_rectangle(cr, place->box.x * scale, place->box.y * scale, place->box.width * scale,
                    place->box.height * scale);
    cairo_stroke(cr);
  }
  /* Dividers are seen beside the sheet, where they hide nothing. */
  cairo_set_source_rgba(cr, 0.5, 0.5, 0.5, 0.8);
  for (guint c = 1; c < m->cols; c++) {
    cairo_rectangle(cr, self->layout.columns[c] * scale - 1.5, -12, 3, 9);
    cairo_fill(cr);
  }
  for (guint r = 1; r <= m->rows; r++) {
    cairo_rectangle(cr, -12, self->layout.rows[r] * scale - 1.5, 9, 3);
    cairo_fill(cr);
  }
}

static void
draw(GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer user)
{
  RegardComposer *self = user;
  const double scale = get_scale(self);
  if (self->sheet->panels->len == 0)
    return;
  paint(self, scale);
  cairo_translate(cr, get_left(self, scale), PAGE);
  cairo_set_source_surface(cr, self->drawn, 0, 0);
  cairo_paint(cr);
  draw_marks(self, cr, scale);
}

/* ---- Pointer ---- */

/* A divider at a point of the area; a column comes first. */
static void
find_divider(RegardComposer *self, double x, double y, int *column, int *row)
{
  const double scale = get_scale(self), left = get_left(self, scale);
  const RegardMosaic *m = &self->sheet->mosaic;
  *column = *row = 0;
  for (guint c = 1; c < m->cols; c++)
    if (fabs(x - left - self->layout.columns[c] * scale) <= REACH)
      *column = (int) c;
  for (guint r = 1; r <= m->rows && !*column; r++)
    if (fabs(y - PAGE - self->layout.rows[r] * scale) <= REACH)
      *row = (int) r;
}

static void
on_motion(RegardComposer *self, double x, double y)
{
  int column, row;
  if (self->drag_before)
    return;
  find_divider(self, x, y, &column, &row);
  gtk_widget_set_cursor_from_name(self->area, column ? "col-resize" : row ? "row-resize" : NULL);
}

static void
on_drag_begin(RegardComposer *self, double x, double y)
{
  const double scale = get_scale(self);
  const double at_x = (x - get_left(self, scale)) / scale, at_y = (y - PAGE) / scale;
  find_divider(self, x, y, &self->drag_column, &self->drag_row);
  if (self->drag_column || self->drag_row) {
    RegardSheet *own = regard_sheet_copy(self->sheet);
    self->drag_from = self->drag_column ? self->layout.columns[self->drag_column]
                                        : self->layout.rows[self->drag_row];
    self->drag_before = regard_sheet_ref(self->sheet);
    set_sheet(self, own);
    return;
  }
  char found = 0;
  for (guint i = 0; i < self->layout.n; i++) {
    const RegardRect *box = &self->layout.places[i].box;
    if (at_x >= box->x && at_x <= box->x + box->width && at_y >= box->y &&
        at_y <= box->y + box->height)
      found = self->layout.places[i].letter;
  }
  self->selected = found;
  gtk_widget_queue_draw(self->area);
}

/* All columns keep their widths but the two beside the divider. */
static void
drag_column(RegardComposer *self, double by)
{
  const guint c = (guint) self->drag_column, cols = self->sheet->mosaic.cols;
  const double least = LEAST_PART * MM;
  const double *at = self->layout.columns;
  double edges[REGARD_MOSAIC_MOST_SIDE + 1];
  memcpy(edges, at, (cols + 1) * sizeof *edges);
  edges[c] = CLAMP(self->drag_from + by, edges[c - 1] + least, edges[c + 1] - least);
  for (guint i = 0; i < cols; i++)
    self->sheet->columns[i] = (edges[i + 1] - edges[i]) / edges[cols];
}

static void
drag_row(RegardComposer *self, double by)
{
  const guint r = (guint) self->drag_row - 1;
  const double height =
      (self->drag_from + by - self->layout.rows[r]) / MM - 1.3 * self->sheet->font_pt / MM;
  self->sheet->rows[r] = CLAMP(height, LEAST_PART, 500);
}

static void
on_drag_update(RegardComposer *self, double dx, double dy)
{
  const double scale = get_scale(self);
  if (!self->drag_before)
    return;
  if (self->drag_column)
    drag_column(self, dx / scale);
  else
    drag_row(self, dy / scale);
  lay_out(self);
  gtk_widget_queue_draw(self->area);
}

static void
on_drag_end(RegardComposer *self, double dx, double dy)
{
  if (!self->drag_before)
    return;
  if (fabs(dx) + fabs(dy) < 1)
    regard_sheet_unref(self->drag_before);
  else {
    push(self->before, self->drag_before);
    g_ptr_array_set_size(self->after, 0);
  }
  self->drag_before = NULL;
  show_all(self);
}

/* ---- What is beside it -----------------------------------------------------------------------
 */

/* The switches, in the order of the struct. */
enum { BOLD, ONE_BAR, EQUAL, TITLES, NUMBERS, MODEL, DARK, ENGLISH, N_SWITCHES };
static const char *const switch_names[N_SWITCHES] = {
    N_("Bold letters"),     N_("One colour bar"),    N_("Equal cells"),     N_("Titles"),
    N_("Numbers in cells"), N_("Name of the model"), N_("Dark background"), N_("In English"),
};

static gboolean
get_switch(const RegardSheet *sheet, guint i)
{
  const gboolean values[N_SWITCHES] = {
      sheet->bold,
      sheet->one_bar,
      sheet->equal,
      !(sheet->left_out & REGARD_PART_TITLE),
      !(sheet->left_out & REGARD_PART_NUMBERS),
      !(sheet->left_out & REGARD_PART_MODEL),
      sheet->dark,
      sheet->is_english,
  };
  return values[i];
}

static void
set_switch(RegardSheet *sheet, guint i, gboolean is_on)
{
  static const guint parts[N_SWITCHES] = {
      [TITLES] = REGARD_PART_TITLE, [NUMBERS] = REGARD_PART_NUMBERS, [MODEL] = REGARD_PART_MODEL};
  gboolean *const values[N_SWITCHES] = {[BOLD] = &sheet->bold,
                                        [ONE_BAR] = &sheet->one_bar,
                                        [EQUAL] = &sheet->equal,
                                        [DARK] = &sheet->dark,
                                        [ENGLISH] = &sheet->is_english};
  if (values[i])
    *values[i] = is_on;
  else if (is_on)
    sheet->left_out &= ~parts[i];
  else
    sheet->left_out |= parts[i];
}

static void
on_switch(RegardComposer *self)
{
  if (self->is_filling)
    return;
  RegardSheet *next = regard_sheet_copy(self->sheet);
  for (guint i = 0; i < N_SWITCHES; i++)
    set_switch(next, i, gtk_switch_get_active(GTK_SWITCH(self->switches[i])));
  take(self, next);
}

static void
on_size(RegardComposer *self)
{
  if (self->is_filling)
    return;
  RegardSheet *next = regard_sheet_copy(self->sheet);
  next->width_mm = gtk_spin_button_get_value(self->width);
  next->font_pt = gtk_spin_button_get_value(self->font);
  if (next->width_mm != self->sheet->width_mm)
    g_clear_pointer(&next->venue, g_free);
  take(self, next);
}

static void
on_venue(RegardComposer *self)
{
  const guint i = adw_combo_row_get_selected(self->venue);
  if (self->is_filling || i >= regard_venues()->len)
    return;
  const RegardVenue *venue = regard_venues()->pdata[i];
  RegardSheet *next = regard_sheet_copy(self->sheet);
  g_free(next->venue);
  next->venue = g_strdup(venue->id);
  next->width_mm = venue->mm;
  take(self, next);
}

static void
on_letters(RegardComposer *self)
{
  if (self->is_filling)
    return;
  RegardSheet *next = regard_sheet_copy(self->sheet);
  next->letters = (RegardLetters) adw_combo_row_get_selected(self->letters);
  next->letters_at = (RegardLettersAt) adw_combo_row_get_selected(self->letters_at);
  take(self, next);
}

/* Only colours on the screen are others. */
static void
on_sight(RegardComposer *self)
{
  g_clear_pointer(&self->drawn, cairo_surface_destroy);
  gtk_widget_queue_draw(self->area);
}

static void
on_mosaic(RegardComposer *self)
{
  RegardMosaic mosaic;
  g_autofree char *reason = NULL;
  const char *text = gtk_editable_get_text(GTK_EDITABLE(self->mosaic));
  if (!regard_mosaic_parse(text, &mosaic, &reason)) {
    say(self, reason);
    return;
  }
  RegardSheet *next = regard_sheet_copy(self->sheet);
  regard_sheet_set_mosaic(next, &mosaic);
  take(self, next);
}

/* ---- Computing ---- */

/* Of the window that was used last; NULL: none has a model. */
static RegardDocument *
find_document(RegardComposer *self)
{
  for (GList *at = self->application ? gtk_application_get_windows(self->application) : NULL; at;
       at = at->next) {
    RegardDocument *document =
        REGARD_IS_WINDOW(at->data) ? regard_window_get_document(at->data) : NULL;
    if (document && regard_document_get_model(document))
      return document;
  }
  return NULL;
}

static void
on_text_computed(RegardComposer *self, mt_capture *capture)
{
  g_autofree char *reason = NULL;
  RegardSheet *next = regard_sheet_copy(self->sheet);
  if (!regard_sheet_add_text(next, capture, &reason)) {
    regard_sheet_unref(next);
    say(self, reason);
    return;
  }
  gtk_editable_set_text(GTK_EDITABLE(self->other_text), "");
  take(self, next);
}

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardComposer *self = owner;
  g_autoptr(GError) error = NULL;
  const RegardSheetAgainJob *job = regard_run_get_params(run);
  RegardSheetAgain *again = regard_run_finish(run, &error);
  const RegardPanel *panel = regard_sheet_find(self->sheet, self->computed);
  if (again && job->text)
    on_text_computed(self, again->capture);
  else if (!again && job->text)
    say(self, error->message);
  else if (!again) {
    g_autofree char *name = regard_sheet_name_panel(self->sheet, self->computed);
    /* Translators: the letter of a panel, and why, a sentence */
    g_autofree char *text = g_strdup_printf(_("Panel %s stays as it is. %s"), name, error->message);
    say(self, text);
  } else if (panel && panel->is_attention && panel->look.capture == job->capture) {
    RegardSheet *next = regard_sheet_copy(self->sheet);
    if (regard_panel_set_capture(regard_sheet_find(next, self->computed), again->capture)) {
      take(self, next);
      say(self, again->said);
    } else {
      g_autofree char *what = regard_panel_describe(panel);
      g_autofree char *text = g_strdup_printf(_("The model has no such head: %s."), what);
      regard_sheet_unref(next);
      say(self, text);
    }
  } /* else somebody changed the figure meanwhile */
  g_clear_pointer(&again, regard_sheet_again_free);
}

/* As a capture was, by the model that is open now; text: another one, or NULL. */
static void
compute(RegardComposer *self, mt_capture *capture, const char *text)
{
  RegardDocument *document = find_document(self);
  if (!document) {
    say(self, _("Open a model first: it computes the panel."));
    return;
  }
  const RegardSheetAgainJob job = {
      .capture = mt_capture_ref(capture),
      .text = g_strdup(text),
      .model = mt_model_ref(regard_document_get_model(document)),
      .search = mt_request_copy(regard_document_get_search(document)),
  };
  regard_work_run(self->computing, &regard_sheet_again_task, NULL, &job, on_computed);
}

void
regard_composer_compute(RegardComposer *self, char letter)
{
  const RegardPanel *panel = regard_sheet_find(self->sheet, letter);
  if (panel && panel->is_attention) {
    self->computed = letter;
    compute(self, panel->look.capture, NULL);
  } else if (panel) {
    g_autofree char *name = regard_sheet_name_panel(self->sheet, letter);
    g_autofree char *text =
        g_strdup_printf(_("Panel %s is from another page: show it there once more, and add it."),
                        name);
    say(self, text);
  }
}

/* Search and changes are those of the first panel, so that columns are alike in all but the text.
 */
void
regard_composer_add_text(RegardComposer *self, const char *text)
{
  g_autofree char *stripped = g_strstrip(g_strdup(text));
  for (guint i = 0; *stripped && i < self->sheet->panels->len; i++) {
    const RegardPanel *panel = self->sheet->panels->pdata[i];
    if (!panel->is_attention || mt_capture_difference_a(panel->look.capture))
      continue;
    compute(self, panel->look.capture, stripped);
    return;
  }
  if (*stripped)
    say(self, _("No panel is attention of one text: add one first."));
}

static void
on_other_text(RegardComposer *self)
{
  regard_composer_add_text(self, gtk_editable_get_text(GTK_EDITABLE(self->other_text)));
}

/* ---- The list of panels ---- */

static char
letter_of(GtkWidget *widget)
{
  return (char) GPOINTER_TO_INT(g_object_get_data(G_OBJECT(widget), "letter"));
}

static void
on_remove(RegardComposer *self, GtkWidget *button)
{
  RegardSheet *next = regard_sheet_copy(self->sheet);
  regard_sheet_remove(next, letter_of(button));
  take(self, next);
}

/* To the place before it, in the order of reading. */
static void
on_earlier(RegardComposer *self, GtkWidget *button)
{
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  regard_mosaic_letters(&self->sheet->mosaic, letters);
  const char *at = strchr(letters, letter_of(button));
  if (!at || at == letters)
    return;
  RegardSheet *next = regard_sheet_copy(self->sheet);
  regard_sheet_swap(next, at[-1], *at);
  take(self, next);
}

static void
on_title(RegardComposer *self, AdwEntryRow *row)
{
  const char letter = letter_of(GTK_WIDGET(row)), *text = gtk_editable_get_text(GTK_EDITABLE(row));
  RegardSheet *next = regard_sheet_copy(self->sheet);
  RegardPanel *panel = regard_sheet_find(next, letter);
  g_free(panel->title);
  panel->title = *text ? g_strdup(text) : NULL;
  take(self, next);
}

static void
on_again(RegardComposer *self, GtkWidget *button)
{
  regard_composer_compute(self, letter_of(button));
}

static GtkWidget *
new_button(RegardComposer *self, const char *icon, const char *name, char letter,
           GCallback on_clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);
  g_object_set_data(G_OBJECT(button), "letter", GINT_TO_POINTER((int) letter));
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(button, "flat");
  regard_widget_set_name(button, name);
  g_signal_connect_swapped(button, "clicked", on_clicked, self);
  return button;
}

static void
add_panel_row(RegardComposer *self, const RegardPanel *panel, gboolean is_first)
{
  AdwEntryRow *row = ADW_ENTRY_ROW(adw_entry_row_new());
  g_autofree char *name = regard_sheet_name_panel(self->sheet, panel->letter);
  RegardPanel plain = *panel;
  plain.title = NULL;
  g_autofree char *what = regard_panel_describe(&plain);
  /* What tells it from others first: "layer 4 · head 1 · Cross-attention". */
  const char *rest = panel->is_attention ? strstr(what, " · ") : NULL;
  if (rest) {
    char *turned = g_strdup_printf("%s · %.*s", rest + strlen(" · "), (int) (rest - what), what);
    g_free(what);
    what = turned;
  }
  /* Translators: the letter of a panel, and what it shows: "(a) Cross-attention" */
  g_autofree char *title = g_strdup_printf(C_("panel", "%s %s"), name, what);
  g_object_set_data(G_OBJECT(row), "letter", GINT_TO_POINTER((int) panel->letter));
  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  gtk_editable_set_text(GTK_EDITABLE(row), panel->title ? panel->title : "");
  adw_entry_row_set_show_apply_button(row, TRUE);
  /* Translators: what a panel shows, and what can be typed there */
  g_autofree char *tip = g_strdup_printf(_("%s. Type a title of its own here"), title);
  gtk_widget_set_tooltip_text(GTK_WIDGET(row), tip);
  g_signal_connect_swapped(row, "apply", G_CALLBACK(on_title), self);
  adw_entry_row_add_suffix(row, new_button(self, "view-refresh-symbolic",
                                           _("Compute anew with the model that is open"),
                                           panel->letter, G_CALLBACK(on_again)));
  GtkWidget *up = new_button(self, "go-up-symbolic", _("To the place before"), panel->letter,
                             G_CALLBACK(on_earlier));
  gtk_widget_set_sensitive(up, !is_first);
  adw_entry_row_add_suffix(row, up);
  adw_entry_row_add_suffix(row, new_button(self, "user-trash-symbolic", _("Remove this panel"),
                                           panel->letter, G_CALLBACK(on_remove)));
  adw_preferences_group_add(ADW_PREFERENCES_GROUP(self->panels_group), GTK_WIDGET(row));
  g_ptr_array_add(self->panel_rows, row);
}

/* ---- The list of texts ---- */

static void
on_label(RegardComposer *self, AdwEntryRow *row)
{
  RegardSheet *next = regard_sheet_copy(self->sheet);
  regard_sheet_name_sentence(next, g_object_get_data(G_OBJECT(row), "text"),
                             gtk_editable_get_text(GTK_EDITABLE(row)));
  take(self, next);
}

static void
add_text_row(RegardComposer *self, const RegardPanel *panel)
{
  AdwEntryRow *row = ADW_ENTRY_ROW(adw_entry_row_new());
  const char *text = regard_panel_text(panel);
  /* Translators: a text, and below it what panels call it in the figure */
  g_autofree char *title = g_strdup_printf(_("Label of “%s”"), text);
  g_object_set_data_full(G_OBJECT(row), "text", g_strdup(text), g_free);
  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  gtk_editable_set_text(GTK_EDITABLE(row), panel->sentence ? panel->sentence : "");
  adw_entry_row_set_show_apply_button(row, TRUE);
  gtk_widget_set_tooltip_text(GTK_WIDGET(row), title);
  g_signal_connect_swapped(row, "apply", G_CALLBACK(on_label), self);
  adw_preferences_group_add(ADW_PREFERENCES_GROUP(self->texts_group), GTK_WIDGET(row));
  g_ptr_array_add(self->text_rows, row);
}

/* Where there are several, each has a label. */
static void
add_text_rows(RegardComposer *self, const char *letters)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  gboolean has_attention = FALSE;
  for (const char *letter = letters; *letter; letter++) {
    const RegardPanel *panel = regard_sheet_find(self->sheet, *letter);
    const char *text = panel ? regard_panel_text(panel) : NULL;
    has_attention |= text != NULL;
    if (text && regard_sheet_has_sentences(self->sheet) && g_hash_table_add(seen, (gpointer) text))
      add_text_row(self, panel);
  }
  gtk_widget_set_visible(self->texts_group, has_attention);
}

static void
remove_rows(GtkWidget *group, GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    adw_preferences_group_remove(ADW_PREFERENCES_GROUP(group), rows->pdata[i]);
  g_ptr_array_set_size(rows, 0);
}

/* Rows are not taken away while one of them tells of something. */
static gboolean
show_panels(gpointer user)
{
  RegardComposer *self = user;
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  remove_rows(self->panels_group, self->panel_rows);
  remove_rows(self->texts_group, self->text_rows);
  regard_mosaic_letters(&self->sheet->mosaic, letters);
  for (const char *letter = letters; *letter; letter++) {
    const RegardPanel *panel = regard_sheet_find(self->sheet, *letter);
    if (panel)
      add_panel_row(self, panel, letter == letters);
  }
  add_text_rows(self, letters);
  self->panels_idle = 0;
  return G_SOURCE_REMOVE;
}

/* ---- Checks and caption ---- */

static void
show_checks(RegardComposer *self)
{
  GtkWidget *child;
  g_autofree char *problem = regard_sheet_bar_problem(self->figure);
  g_autoptr(GPtrArray) checks = regard_sheet_check(self->figure);
  while ((child = gtk_widget_get_first_child(self->checks)))
    gtk_box_remove(GTK_BOX(self->checks), child);
  for (guint i = 0; i < checks->len; i++) {
    const RegardSheetCheck *check = checks->pdata[i];
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *icon = gtk_image_new_from_icon_name(check->is_good ? "emblem-ok-symbolic"
                                                                  : "dialog-warning-symbolic");
    gtk_widget_add_css_class(icon, check->is_good ? "dim-label" : "warning");
    gtk_widget_set_valign(icon, GTK_ALIGN_START);
    regard_box_append(row, icon,
                      regard_label_new(check->text, REGARD_LABEL_START | REGARD_LABEL_WRAP,
                                       check->is_good ? "dim-label" : NULL),
                      NULL);
    gtk_box_append(GTK_BOX(self->checks), row);
  }
  gtk_label_set_text(GTK_LABEL(self->problem), problem ? problem : "");
  gtk_widget_set_visible(self->problem, problem != NULL);
}

static char *
dup_caption(RegardComposer *self)
{
  const guint form = gtk_drop_down_get_selected(self->caption_form);
  return regard_sheet_caption(self->figure, (RegardCaptionForm) MIN(form, REGARD_N_CAPTIONS - 1u));
}

static void
show_caption(RegardComposer *self)
{
  g_autofree char *caption = dup_caption(self);
  gtk_label_set_text(GTK_LABEL(self->caption), caption);
}

static void
on_copy_caption(RegardComposer *self)
{
  g_autofree char *caption = dup_caption(self);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), caption);
  say(self, _("Caption copied"));
}

/* ---- All of it ---- */

static void
show_title(RegardComposer *self)
{
  g_autofree char *name = self->path ? g_filename_display_basename(self->path) : NULL;
  const gboolean is_unsaved = self->sheet->panels->len > 0 && self->sheet != self->saved;
  const gboolean is_computing = regard_work_is_busy(self->computing);
  adw_window_title_set_title(self->title, _("Figure"));
  g_autofree char *subtitle = name && is_unsaved ? g_strdup_printf(_("%s, unsaved changes"), name)
                                                 : g_strdup(name ? name : "");
  adw_window_title_set_subtitle(self->title, is_computing ? _("Computing…") : subtitle);
}

static void
show_controls(RegardComposer *self)
{
  const GPtrArray *venues = regard_venues();
  const RegardSheet *sheet = self->sheet;
  g_autofree char *mosaic = regard_mosaic_dup_text(&sheet->mosaic);
  guint chosen = venues->len;
  self->is_filling = TRUE;
  for (guint i = venues->len; i-- > 0;) {
    const RegardVenue *venue = venues->pdata[i];
    if (venue->mm == sheet->width_mm &&
        (chosen == venues->len || !sheet->venue || g_str_equal(venue->id, sheet->venue)))
      chosen = i;
  }
  adw_combo_row_set_selected(self->venue, chosen);
  gtk_spin_button_set_value(self->width, sheet->width_mm);
  gtk_spin_button_set_value(self->font, sheet->font_pt);
  gtk_editable_set_text(GTK_EDITABLE(self->mosaic), mosaic);
  adw_combo_row_set_selected(self->letters, sheet->letters);
  adw_combo_row_set_selected(self->letters_at, sheet->letters_at);
  for (guint i = 0; i < N_SWITCHES; i++)
    gtk_switch_set_active(GTK_SWITCH(self->switches[i]), get_switch(sheet, i));
  self->is_filling = FALSE;
}

static void
show_all(RegardComposer *self)
{
  const double scale = get_scale(self);
  GtkWidget *widget = GTK_WIDGET(self);
  const gboolean has_panels = self->sheet->panels->len > 0;
  gtk_drawing_area_set_content_width(GTK_DRAWING_AREA(self->area),
                                     (int) ceil(width_pt(self) * scale + 2 * PAGE));
  gtk_drawing_area_set_content_height(GTK_DRAWING_AREA(self->area),
                                      (int) ceil(self->layout.height * scale + 2 * PAGE));
  show_controls(self);
  if (!self->panels_idle)
    self->panels_idle = g_idle_add(show_panels, self);
  show_checks(self);
  show_caption(self);
  show_title(self);
  gtk_widget_action_set_enabled(widget, "figure.template", has_panels);
  gtk_widget_action_set_enabled(widget, "figure.undo", self->before->len > 0);
  gtk_widget_action_set_enabled(widget, "figure.redo", self->after->len > 0);
  gtk_widget_action_set_enabled(widget, "figure.save", has_panels);
  gtk_widget_action_set_enabled(widget, "figure.save-as", has_panels);
  gtk_widget_action_set_enabled(widget, "figure.export", has_panels);
  gtk_widget_queue_draw(self->area);
}

/* ---- Files -----------------------------------------------------------------------------------
 */

static void
note_saved(RegardComposer *self, RegardSheet *sheet)
{
  regard_sheet_ref(sheet);
  g_clear_pointer(&self->saved, regard_sheet_unref);
  self->saved = sheet;
}

/* What nobody saved is there again when the program is started the next time. */
static char *
kept_path(void)
{
  return g_build_filename(g_get_user_data_dir(), "regard", "unsaved" REGARD_SHEET_ENDING, NULL);
}

static void
keep_unsaved(RegardComposer *self)
{
  g_autofree char *path = kept_path(), *folder = g_path_get_dirname(path);
  if (self->sheet->panels->len > 0 && self->sheet != self->saved) {
    g_mkdir_with_parents(folder, 0700);
    regard_sheet_write(self->sheet, path, NULL);
  } else
    g_unlink(path);
}

static void
on_brought_back(gpointer owner, RegardRun *run)
{
  RegardComposer *self = owner;
  RegardSheet *sheet = regard_run_finish(run, NULL);
  if (sheet && self->sheet->panels->len == 0)
    set_sheet(self, sheet);
  else if (sheet)
    regard_sheet_unref(sheet);
}

static void
bring_back(RegardComposer *self)
{
  char *path = kept_path();
  regard_work_run(self->bringing, &regard_sheet_read_task, NULL, &path, on_brought_back);
}

static void
on_read(gpointer owner, RegardRun *run)
{
  RegardComposer *self = owner;
  g_autoptr(GError) error = NULL;
  const char *path = *(char **) regard_run_get_params(run);
  RegardSheet *sheet = regard_run_finish(run, &error);
  if (!sheet) {
    say(self, error->message);
    return;
  }
  g_free(self->path);
  self->path = g_strdup(path);
  note_saved(self, sheet);
  regard_window_note_recent(path);
  take(self, sheet);
  g_signal_emit_by_name(self, "opened", self->path);
}

void
regard_composer_open(RegardComposer *self, const char *path)
{
  char *copy = g_strdup(path);
  regard_work_drop(self->bringing);
  regard_work_run(self->opening, &regard_sheet_read_task, NULL, &copy, on_read);
}

static void
on_written(gpointer owner, RegardRun *run)
{
  RegardComposer *self = owner;
  g_autoptr(GError) error = NULL;
  const RegardSheetJob *job = regard_run_get_params(run);
  if (!regard_run_finish(run, &error)) {
    say(self, error->message);
    return;
  }
  g_free(self->path);
  self->path = g_strdup(job->path);
  note_saved(self, job->sheet);
  regard_window_note_recent(job->path);
  show_title(self);
  g_signal_emit_by_name(self, "saved", self->path);
}

void
regard_composer_save(RegardComposer *self, const char *path)
{
  const RegardSheetJob job = {regard_sheet_ref(self->sheet), g_strdup(path)};
  regard_work_run(self->saving, &regard_sheet_write_task, NULL, &job, on_written);
}

static void
on_exported(gpointer owner, RegardRun *run)
{
  RegardComposer *self = owner;
  g_autoptr(GError) error = NULL;
  const RegardExportJob *job = regard_run_get_params(run);
  g_autofree char *base = g_file_get_basename(job->file);
  g_autofree char *name = g_filename_display_name(base);
  g_autofree char *text = g_strdup_printf(_("Saved %s"), name);
  const gboolean is_written = regard_run_finish(run, &error) != NULL;
  say(self, is_written ? text : error->message);
  if (is_written)
    g_signal_emit_by_name(self, "exported", job);
}

void
regard_composer_export(RegardComposer *self, const char *path)
{
  const RegardExportFormat *format = regard_export_format_find(path);
  if (!format || !format->is_picture) {
    say(self, _("The name of a picture ends with .pdf, .svg or .png"));
    return;
  }
  const RegardExportJob job = {
      .figure = regard_figure_new_sheet(self->sheet),
      .format = format,
      .options = {self->sheet->width_mm, self->sheet->font_pt,
                  g_settings_get_double(self->settings, "export-dpi"), 0, 0},
      .file = g_file_new_for_path(path),
      .picture = self->sheet == self->saved ? g_intern_string(self->path) : NULL,
  };
  regard_work_run(self->exporting, &regard_export_write_task, NULL, &job, on_exported);
}

gboolean
regard_composer_is_busy(RegardComposer *self)
{
  return regard_work_is_busy(self->opening) || regard_work_is_busy(self->saving) ||
         regard_work_is_busy(self->computing) || regard_work_is_busy(self->exporting) ||
         regard_work_is_busy(self->bringing);
}

static void
undo(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_composer_undo(REGARD_COMPOSER(widget));
}

static void
redo(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_composer_redo(REGARD_COMPOSER(widget));
}

void
regard_composer_choose(GtkWidget *widget, const char *action)
{
  regard_choose_file(widget, _("Open Figure"), _("_Open"), _("Figures of Regard"),
                     REGARD_SHEET_ENDING + 1, FALSE, action);
}

static void
open_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_composer_choose(widget, "figure.read");
}

static void
read_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_composer_open(REGARD_COMPOSER(widget), g_variant_get_string(parameter, NULL));
}

static void
save_as(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_export_choose_place(GTK_WINDOW(widget), REGARD_COMPOSER(widget)->settings,
                             _("Save Figure"), "figure" REGARD_SHEET_ENDING, "figure.write");
}

static void
save(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardComposer *self = REGARD_COMPOSER(widget);
  if (self->path)
    regard_composer_save(self, self->path);
  else
    save_as(widget, name, parameter);
}

static void
write_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *path = g_variant_get_string(parameter, NULL);
  g_autofree char *whole =
      regard_sheet_has_ending(path) ? g_strdup(path) : g_strconcat(path, REGARD_SHEET_ENDING, NULL);
  regard_composer_save(REGARD_COMPOSER(widget), whole);
}

static void
export_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_export_choose_place(GTK_WINDOW(widget), REGARD_COMPOSER(widget)->settings,
                             _("Save Picture"), "figure.pdf", "figure.write-picture");
}

static void
write_picture(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_composer_export(REGARD_COMPOSER(widget), g_variant_get_string(parameter, NULL));
}

static void
clear(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardComposer *self = REGARD_COMPOSER(widget);
  g_clear_pointer(&self->path, g_free);
  take(self, regard_sheet_new());
}

/* ---- Templates ---- */

/* The row that is pinned in some panel, as a template has a word; NULL: none is. Caller frees. */
static char *
dup_word(const RegardSheet *sheet)
{
  for (guint i = 0; i < sheet->panels->len; i++) {
    const RegardPanel *panel = sheet->panels->pdata[i];
    if (panel->is_attention && panel->pinned_row >= 0)
      return g_strdup_printf("%d", panel->pinned_row + 1);
  }
  return NULL;
}

static void
use_template(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardComposer *self = REGARD_COMPOSER(widget);
  const RegardTemplateSheet *t = regard_sheet_template_find(g_variant_get_string(parameter, NULL));
  g_autoptr(GPtrArray) captures = regard_sheet_list_captures(self->sheet);
  g_autofree char *word = dup_word(self->sheet), *reason = NULL;
  RegardSheet *next = regard_sheet_copy(self->sheet);
  if (!t || (regard_sheet_template_wants_word(t) && !word))
    reason = g_strdup(_("Pin a word in the matrix before it is added: the template draws what that "
                        "word looks at."));
  else if (regard_sheet_fill_template(next, t, captures, word, &reason)) {
    take(self, next);
    return;
  }
  regard_sheet_unref(next);
  say(self, reason);
}

static GMenu *
new_template_menu(void)
{
  const GPtrArray *templates = regard_sheet_templates();
  GMenu *menu = g_menu_new();
  for (guint i = 0; i < templates->len; i++) {
    const RegardTemplateSheet *t = templates->pdata[i];
    if (t->each && !*t->each)
      continue; /* of figures, as they are */
    g_autoptr(GMenuItem) item = g_menu_item_new(regard_locale_text(t->name), NULL);
    g_menu_item_set_action_and_target(item, "figure.template", "s", t->id);
    g_menu_append_item(menu, item);
  }
  return menu;
}

/* ---- Widgets ---------------------------------------------------------------------------------
 */

static GtkWidget *
new_group(const char *title)
{
  GtkWidget *group = adw_preferences_group_new();
  adw_preferences_group_set_title(ADW_PREFERENCES_GROUP(group), title);
  return group;
}

static void
add_to(GtkWidget *group, gpointer row)
{
  adw_preferences_group_add(ADW_PREFERENCES_GROUP(group), row);
}

static AdwComboRow *
new_combo(RegardComposer *self, const char *title, const char *const *names, GCallback on_selected)
{
  AdwComboRow *row = ADW_COMBO_ROW(adw_combo_row_new());
  g_autoptr(GtkStringList) list = gtk_string_list_new(names);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  adw_combo_row_set_model(row, G_LIST_MODEL(list));
  g_signal_connect_swapped(row, "notify::selected", on_selected, self);
  return row;
}

static GtkWidget *
new_row(const char *title, GtkWidget *widget)
{
  GtkWidget *row = adw_action_row_new();
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  gtk_widget_set_valign(widget, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), widget);
  adw_action_row_set_activatable_widget(ADW_ACTION_ROW(row), widget);
  regard_accessible_set_label(widget, title);
  return row;
}

static GtkSpinButton *
new_spin(RegardComposer *self, double least, double most, double step, guint digits)
{
  GtkSpinButton *spin = GTK_SPIN_BUTTON(gtk_spin_button_new_with_range(least, most, step));
  gtk_spin_button_set_digits(spin, digits);
  gtk_editable_set_width_chars(GTK_EDITABLE(spin), 7);
  regard_spin_take_comma(spin);
  g_signal_connect_swapped(spin, "value-changed", G_CALLBACK(on_size), self);
  return spin;
}

static GtkWidget *
build_sheet_group(RegardComposer *self)
{
  GtkWidget *group = new_group(_("Sheet"));
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  for (guint i = 0; i < regard_venues()->len; i++)
    gtk_string_list_take(names, regard_venue_describe(regard_venues()->pdata[i]));
  gtk_string_list_append(names, _("Another width"));
  self->venue = new_combo(self, _("Width"), NULL, G_CALLBACK(on_venue));
  self->is_filling = TRUE;
  adw_combo_row_set_model(self->venue, G_LIST_MODEL(names));
  self->width = new_spin(self, REGARD_SHEET_LEAST_WIDTH, REGARD_SHEET_MOST_WIDTH, 1, 2);
  self->font = new_spin(self, REGARD_SHEET_LEAST_FONT, REGARD_SHEET_MOST_FONT, 0.5, 1);
  self->is_filling = FALSE;
  self->mosaic = ADW_ENTRY_ROW(adw_entry_row_new());
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->mosaic), _("Mosaic, such as AB;CC"));
  adw_entry_row_set_show_apply_button(self->mosaic, TRUE);
  g_signal_connect_swapped(self->mosaic, "apply", G_CALLBACK(on_mosaic), self);
  add_to(group, self->venue);
  add_to(group, new_row(_("Millimetres"), GTK_WIDGET(self->width)));
  add_to(group, new_row(_("Font size (pt)"), GTK_WIDGET(self->font)));
  add_to(group, self->mosaic);
  return group;
}

static GtkWidget *
build_look_group(RegardComposer *self)
{
  const char *const letters[] = {"(a)", "a", "A", _("None"), NULL};
  const char *const places[] = {_("Beside the title"), _("Above"), _("Below, in the middle"), NULL};
  GtkWidget *group = new_group(_("Look"));
  self->is_filling = TRUE;
  self->letters = new_combo(self, _("Letters"), letters, G_CALLBACK(on_letters));
  self->letters_at = new_combo(self, _("Where letters stand"), places, G_CALLBACK(on_letters));
  add_to(group, self->letters);
  add_to(group, self->letters_at);
  for (guint i = 0; i < N_SWITCHES; i++) {
    self->switches[i] = gtk_switch_new();
    g_signal_connect_swapped(self->switches[i], "notify::active", G_CALLBACK(on_switch), self);
    add_to(group, new_row(_(switch_names[i]), self->switches[i]));
  }
  self->is_filling = FALSE;
  self->problem = regard_label_new("", REGARD_LABEL_START | REGARD_LABEL_WRAP, "warning");
  return group;
}

static GtkWidget *
build_checks_group(RegardComposer *self)
{
  const char *names[REGARD_N_SIGHTS + 1] = {NULL};
  GtkWidget *group = new_group(_("Checks"));
  for (guint i = 0; i < REGARD_N_SIGHTS; i++)
    names[i] = _(regard_sights[i].name);
  self->checks = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  self->sight = new_combo(self, _("Look at it"), names, G_CALLBACK(on_sight));
  add_to(group, self->sight);
  gtk_widget_set_margin_top(self->checks, 12);
  add_to(group, self->checks);
  return group;
}

static GtkWidget *
build_caption_group(RegardComposer *self)
{
  const char *const forms[] = {_("Plain text"), "LaTeX", "Markdown", NULL};
  GtkWidget *group = new_group(_("Caption")), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6),
            *copy = gtk_button_new_with_mnemonic(_("Copy _Caption"));
  self->caption_form = GTK_DROP_DOWN(gtk_drop_down_new_from_strings(forms));
  regard_accessible_set_label(GTK_WIDGET(self->caption_form), _("Form of the caption"));
  g_signal_connect_swapped(self->caption_form, "notify::selected", G_CALLBACK(show_caption), self);
  g_signal_connect_swapped(copy, "clicked", G_CALLBACK(on_copy_caption), self);
  regard_box_append(box, GTK_WIDGET(self->caption_form), copy, NULL);
  self->caption = regard_label_new("", REGARD_LABEL_START | REGARD_LABEL_WRAP, "dim-label");
  gtk_label_set_selectable(GTK_LABEL(self->caption), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(self->caption), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_margin_top(self->caption, 6);
  add_to(group, box);
  add_to(group, self->caption);
  return group;
}

static GtkWidget *
build_texts_group(RegardComposer *self)
{
  GtkWidget *group = new_group(_("Texts"));
  self->other_text = ADW_ENTRY_ROW(adw_entry_row_new());
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->other_text),
                                _("The same heads of another text"));
  adw_entry_row_set_show_apply_button(self->other_text, TRUE);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->other_text),
                              _("Type a sentence: the model that is open translates it, and each "
                                "head of the figure gets a panel of it"));
  g_signal_connect_swapped(self->other_text, "apply", G_CALLBACK(on_other_text), self);
  add_to(group, self->other_text);
  return group;
}

static GtkWidget *
build_side(RegardComposer *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 18), *scroller = gtk_scrolled_window_new();
  self->panels_group = new_group(_("Panels"));
  adw_preferences_group_set_description(
      ADW_PREFERENCES_GROUP(self->panels_group),
      _("Add to Figure, in the menu of Export, adds the picture that is looked at."));
  gtk_widget_set_margin_start(box, 18);
  gtk_widget_set_margin_end(box, 18);
  gtk_widget_set_margin_top(box, 18);
  gtk_widget_set_margin_bottom(box, 18);
  GtkWidget *sheet = build_sheet_group(self), *look = build_look_group(self);
  self->texts_group = build_texts_group(self);
  regard_box_append(box, sheet, self->panels_group, self->texts_group, look, self->problem,
                    build_checks_group(self), build_caption_group(self), NULL);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), box);
  gtk_widget_set_size_request(scroller, 380, -1);
  gtk_widget_set_hexpand(scroller, FALSE);
  return scroller;
}

static GtkWidget *
build_picture(RegardComposer *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new();
  GtkGesture *drag = gtk_gesture_drag_new();
  GtkWidget *scroller = gtk_scrolled_window_new();
  self->area = gtk_drawing_area_new();
  regard_accessible_set_label(self->area, _("The figure at its true size"));
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(self->area), draw, self, NULL);
  g_signal_connect_swapped(motion, "motion", G_CALLBACK(on_motion), self);
  g_signal_connect_swapped(drag, "drag-begin", G_CALLBACK(on_drag_begin), self);
  g_signal_connect_swapped(drag, "drag-update", G_CALLBACK(on_drag_update), self);
  g_signal_connect_swapped(drag, "drag-end", G_CALLBACK(on_drag_end), self);
  gtk_widget_add_controller(self->area, motion);
  gtk_widget_add_controller(self->area, GTK_EVENT_CONTROLLER(drag));
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->area);
  gtk_widget_set_hexpand(scroller, TRUE);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_add_css_class(scroller, "preview-area");
  return scroller;
}

static GtkWidget *
new_action_button(const char *icon, const char *name, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  regard_widget_set_name(button, name);
  return button;
}

static GtkWidget *
build_header(RegardComposer *self)
{
  AdwHeaderBar *header = ADW_HEADER_BAR(adw_header_bar_new());
  GtkWidget *export = gtk_button_new_with_mnemonic(_("_Export…"));
  GtkWidget *menu_button = gtk_menu_button_new();
  g_autoptr(GMenu) menu = g_menu_new(), templates = new_template_menu();
  self->title = ADW_WINDOW_TITLE(adw_window_title_new(_("Figure"), ""));
  g_menu_append(menu, _("_Open Figure…"), "figure.open");
  g_menu_append(menu, _("_Save Figure"), "figure.save");
  g_menu_append(menu, _("Save Figure _As…"), "figure.save-as");
  g_menu_append(menu, _("_New Figure"), "figure.clear");
  g_menu_append_submenu(menu, _("_Templates"), G_MENU_MODEL(templates));
  gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(menu_button), G_MENU_MODEL(menu));
  gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(menu_button), "open-menu-symbolic");
  regard_widget_set_name(menu_button, _("Menu of the figure"));
  gtk_actionable_set_action_name(GTK_ACTIONABLE(export), "figure.export");
  gtk_widget_add_css_class(export, "suggested-action");
  adw_header_bar_set_title_widget(header, GTK_WIDGET(self->title));
  adw_header_bar_pack_start(header,
                            new_action_button("edit-undo-symbolic", _("Undo"), "figure.undo"));
  adw_header_bar_pack_start(header,
                            new_action_button("edit-redo-symbolic", _("Redo"), "figure.redo"));
  adw_header_bar_pack_end(header, menu_button);
  adw_header_bar_pack_end(header, export);
  return GTK_WIDGET(header);
}

static void
regard_composer_init(RegardComposer *self)
{
  GtkWidget *all = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
            *content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  self->before = g_ptr_array_new_with_free_func((GDestroyNotify) regard_sheet_unref);
  self->after = g_ptr_array_new_with_free_func((GDestroyNotify) regard_sheet_unref);
  self->panel_rows = g_ptr_array_new();
  self->text_rows = g_ptr_array_new();
  self->opening = regard_work_new(self);
  self->saving = regard_work_new(self);
  self->exporting = regard_work_new(self);
  self->bringing = regard_work_new(self);
  self->computing = regard_work_new(self);
  g_signal_connect_swapped(self->computing, "changed", G_CALLBACK(show_title), self);
  self->toasts = ADW_TOAST_OVERLAY(adw_toast_overlay_new());
  gtk_window_set_title(GTK_WINDOW(self), _("Figure"));
  gtk_window_set_default_size(GTK_WINDOW(self), 1120, 760);
  gtk_window_set_hide_on_close(GTK_WINDOW(self), TRUE);
  GtkWidget *header = build_header(self), *side = build_side(self), *picture = build_picture(self);
  regard_box_append(content, picture, side, NULL);
  regard_box_append(all, header, content, NULL);
  adw_toast_overlay_set_child(self->toasts, all);
  adw_window_set_content(ADW_WINDOW(self), GTK_WIDGET(self->toasts));
  regard_accessible_name_inner_buttons(all);
  self->sheet = regard_sheet_new();
  self->figure = regard_figure_new_sheet(self->sheet);
  lay_out(self);
}

static void
dispose(GObject *object)
{
  RegardComposer *self = REGARD_COMPOSER(object);
  g_clear_handle_id(&self->panels_idle, g_source_remove);
  g_clear_pointer(&self->figure, regard_figure_free);
  g_clear_pointer(&self->sheet, regard_sheet_unref);
  g_clear_pointer(&self->saved, regard_sheet_unref);
  g_clear_pointer(&self->drag_before, regard_sheet_unref);
  g_clear_pointer(&self->before, g_ptr_array_unref);
  g_clear_pointer(&self->after, g_ptr_array_unref);
  g_clear_pointer(&self->panel_rows, g_ptr_array_unref);
  g_clear_pointer(&self->text_rows, g_ptr_array_unref);
  if (self->computing)
    g_signal_handlers_disconnect_by_data(self->computing, self);
  g_clear_object(&self->computing);
  g_clear_weak_pointer(&self->application);
  g_clear_pointer(&self->drawn, cairo_surface_destroy);
  g_clear_pointer(&self->path, g_free);
  g_clear_object(&self->settings);
  g_clear_object(&self->opening);
  g_clear_object(&self->saving);
  g_clear_object(&self->exporting);
  g_clear_object(&self->bringing);
  G_OBJECT_CLASS(regard_composer_parent_class)->dispose(object);
}

static void
regard_composer_class_init(RegardComposerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  static const struct {
    guint key;
    GdkModifierType state;
    const char *action;
  } keys[] = {
      {GDK_KEY_z, GDK_CONTROL_MASK, "figure.undo"},
      {GDK_KEY_z, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "figure.redo"},
      {GDK_KEY_s, GDK_CONTROL_MASK, "figure.save"},
      {GDK_KEY_o, GDK_CONTROL_MASK, "figure.open"},
      {GDK_KEY_e, GDK_CONTROL_MASK, "figure.export"},
      {GDK_KEY_w, GDK_CONTROL_MASK, "window.close"},
  };
  G_OBJECT_CLASS(klass)->dispose = dispose;
  regard_add_signal(klass, "opened", 1, G_TYPE_STRING);
  regard_add_signal(klass, "saved", 1, G_TYPE_STRING);
  regard_add_signal(klass, "exported", 1, G_TYPE_POINTER);
  gtk_widget_class_install_action(widget_class, "figure.undo", NULL, undo);
  gtk_widget_class_install_action(widget_class, "figure.redo", NULL, redo);
  gtk_widget_class_install_action(widget_class, "figure.open", NULL, open_);
  gtk_widget_class_install_action(widget_class, "figure.read", "s", read_);
  gtk_widget_class_install_action(widget_class, "figure.save", NULL, save);
  gtk_widget_class_install_action(widget_class, "figure.save-as", NULL, save_as);
  gtk_widget_class_install_action(widget_class, "figure.write", "s", write_);
  gtk_widget_class_install_action(widget_class, "figure.export", NULL, export_);
  gtk_widget_class_install_action(widget_class, "figure.write-picture", "s", write_picture);
  gtk_widget_class_install_action(widget_class, "figure.clear", NULL, clear);
  gtk_widget_class_install_action(widget_class, "figure.template", "s", use_template);
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    gtk_widget_class_add_binding_action(widget_class, keys[i].key, keys[i].state, keys[i].action,
                                        NULL);
}

RegardComposer *
regard_composer_get(GtkApplication *application, GSettings *settings)
{
  static RegardComposer *only; /* weak */
  if (only)
    return only;
  only = g_object_new(REGARD_TYPE_COMPOSER, NULL);
  g_object_add_weak_pointer(G_OBJECT(only), (gpointer *) &only);
  only->settings = g_object_ref(settings);
  g_set_weak_pointer(&only->application, application);
  show_all(only);
  bring_back(only);
  g_signal_connect_object(application, "shutdown", G_CALLBACK(keep_unsaved), only,
                          G_CONNECT_SWAPPED);
  return only;
}
