/* regard-exporter.c — pictures and numbers out of a document: dialog, clipboard, capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-exporter.h"

#include "base/regard-error.h"
#include "base/regard-template.h"
#include "export/regard-animation-job.h"
#include "export/regard-export-job.h"
#include "export/regard-venues.h"
#include "figures/regard-language.h"
#include "parts/regard-banner.h"
#include "parts/regard-combo-rows.h"
#include "runner/regard-work.h"
#include "widgets/regard-gtk.h"
#include <string.h>

/* ==== Choose what leaves as which file, and see it first =========================================
 *
 * The preview is the PNG that would be written, at the screen's resolution; it is drawn in a
 * thread, and a newer choice overtakes an older one. Whatever fails is said in the dialog, which
 * stays open with everything as it was chosen. An animation is seen as it will be, frame by frame;
 * where the desktop wants no motion, it is its last one.
 */

/* Of A4 between its margins, in mm. */
#define PAGE_HEIGHT    247
#define PREVIEW_PIXELS 1100.0
/* Of what can be typed, in mm. */
#define WIDEST 1000.0

struct _RegardExportDialog {
  AdwWindow parent_instance;
  GtkWidget *cancel, *save, *numbers, *preview_scroller, *copy_caption;
  GtkSpinner *spinner;
  RegardBanner *banner;
  GtkPicture *preview;
  AdwComboRow *what, *format, *preset;
  GtkWidget *width_row, *font_row, *dpi_row, *english_row, *more, *height_row, *film_row;
  AdwActionRow *frames_row;
  GtkSpinButton *width, *font, *dpi, *height;
  GtkSwitch *has_title, *has_numbers, *has_model, *is_english;
  GtkLabel *caption;

  GSettings *settings;
  RegardDocument *document; /* NULL: none */
  RegardView *view;
  char **choices;       /* ids */
  guint n_pictures;     /* so many of them; the others are animations */
  GPtrArray *formats;   /* const RegardExportFormat *, as they are listed; or, where they are … */
  gboolean is_animated; /* … of animations, const RegardAnimationFormat * */
  RegardWork *drawing;  /* of the preview */
  RegardWork *saving;   /* of the file */
  RegardWork *computing;  /* of what a training shows */
  RegardFrames *frames;   /* that are seen; NULL: they are not there, or it is no animation */
  RegardFrames *training; /* that was computed … */
  RegardLanguage training_language; /* … in this language */
  RegardAnimationMeasure measured;  /* of the frames; n 0: not yet */
  double wanted_width;              /* mm, that a button offers */
  guint frame, next_frame;          /* which is seen, and the timeout until the next one */
  GFile *refused;                   /* would have replaced numbered files */
  gboolean is_filling;              /* the program sets the options, not the person */
};

G_DEFINE_FINAL_TYPE(RegardExportDialog, regard_export_dialog, ADW_TYPE_WINDOW)

/* ---- What is chosen ------------------------------------------------------------------------ */

static const char *
get_choice(RegardExportDialog *self)
{
  guint i = adw_combo_row_get_selected(self->what);
  return i < g_strv_length(self->choices) ? self->choices[i] : NULL;
}

/* Of one kind or the other, by is_animated. */
static gconstpointer
get_chosen(RegardExportDialog *self)
{
  guint i = adw_combo_row_get_selected(self->format);
  return self->formats->pdata[i < self->formats->len ? i : 0];
}

static const RegardExportFormat *
get_format(RegardExportDialog *self)
{
  return get_chosen(self);
}

static const RegardAnimationFormat *
get_animation_format(RegardExportDialog *self)
{
  return get_chosen(self);
}

static const char *
get_format_id(RegardExportDialog *self)
{
  return self->is_animated ? get_animation_format(self)->id : get_format(self)->id;
}

static RegardExportOptions
get_options(RegardExportDialog *self)
{
  RegardExportOptions options = regard_export_settings_read(self->settings); /* bound to them */
  if (self->is_animated) {
    options.dpi = g_settings_get_double(self->settings, "export-animation-dpi");
    options.height_mm = 0; /* one height is that of all frames already */
  }
  return options;
}

static RegardFigure *
create_figure(RegardExportDialog *self)
{
  const char *choice = get_choice(self);
  REGARD_IN_LANGUAGE(regard_export_settings_language(self->settings));
  return choice ? regard_view_create_figure(self->view, choice) : NULL;
}

/* Each list has its last choice, and pixels their own resolution, since a file of many pictures is
 * made smaller. */
static const char *
get_key(RegardExportDialog *self)
{
  return self->is_animated ? "export-animation" : "export-format";
}

static void
bind_dpi(RegardExportDialog *self)
{
  g_settings_unbind(self->dpi, "value");
  g_settings_bind(self->settings, self->is_animated ? "export-animation-dpi" : "export-dpi",
                  self->dpi, "value", G_SETTINGS_BIND_DEFAULT);
}

/* Those that can say something of the figure, or of frames; the chosen one stays, or is the first.
 */
static void
fill_formats(RegardExportDialog *self, const RegardFigure *figure)
{
  const gboolean is_animated = adw_combo_row_get_selected(self->what) >= self->n_pictures &&
                               self->n_pictures < g_strv_length(self->choices);
  const gboolean is_other = !self->formats || is_animated != self->is_animated;
  guint n, chosen = 0;
  g_autoptr(GPtrArray) fitting = g_ptr_array_new();
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  self->is_animated = is_animated;
  g_autofree char *chosen_id = is_other ? g_settings_get_string(self->settings, get_key(self))
                                        : g_strdup(get_format_id(self));
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  for (guint i = 0; !is_animated && i < n; i++) {
    if (figure && !regard_export_format_fits(formats[i], figure))
      continue;
    if (g_str_equal(chosen_id, formats[i]->id))
      chosen = fitting->len;
    g_ptr_array_add(fitting, (gpointer) formats[i]);
    gtk_string_list_append(names, _(formats[i]->name));
  }
  const RegardAnimationFormat *const *animations = regard_animation_formats(&n);
  for (guint i = 0; is_animated && i < n; i++) {
    if (g_str_equal(chosen_id, animations[i]->id))
      chosen = i;
    g_ptr_array_add(fitting, (gpointer) animations[i]);
    gtk_string_list_append(names, _(animations[i]->name));
  }
  if (!is_other && self->formats->len == fitting->len)
    return; /* they are in one order */
  gboolean was_filling = self->is_filling;
  self->is_filling = TRUE;
  if (is_other)
    bind_dpi(self);
  g_clear_pointer(&self->formats, g_ptr_array_unref);
  self->formats = g_steal_pointer(&fitting);
  adw_combo_row_set_model(self->format, G_LIST_MODEL(names));
  adw_combo_row_set_selected(self->format, chosen);
  self->is_filling = was_filling;
}

static const char *
get_ending(RegardExportDialog *self)
{
  return self->is_animated ? get_animation_format(self)->ending : get_format(self)->id;
}

static const char *
get_format_name(RegardExportDialog *self)
{
  return self->is_animated ? get_animation_format(self)->name : get_format(self)->name;
}

/* How the file is to be called; a training is one of the picture. Caller frees. */
static char *
dup_name(RegardExportDialog *self)
{
  RegardSelection *selection = regard_view_get_selection(self->view);
  mt_capture *capture = selection ? regard_selection_get_capture(selection) : NULL;
  const gboolean is_training = g_str_equal(get_choice(self), REGARD_ANIMATION_TRAINING);
  g_autofree char *choice =
      regard_view_name_choice(self->view, is_training ? "head" : get_choice(self));
  g_autofree char *shown = is_training ? g_strdup_printf("%s-training", choice) : g_strdup(choice);
  const char *ending = get_ending(self);
  g_autofree char *name = regard_export_name_for(capture, shown, ending);
  if (!self->is_animated || !get_animation_format(self)->is_numbered)
    return g_steal_pointer(&name);
  return g_strdup_printf("%.*s-" REGARD_ANIMATION_NUMBER ".%s",
                         (int) (strlen(name) - strlen(ending) - 1), name, ending);
}

/* ---- Preview ------------------------------------------------------------------------------- */

static double
get_preview_dpi(const RegardExportOptions *options)
{
  return CLAMP(PREVIEW_PIXELS / (options->width_mm / 25.4), 36, 300);
}

/* What is higher than a page cannot be put on one: that is said before it is saved. */
static void
show_size(RegardExportDialog *self, GdkTexture *texture)
{
  const double width = get_options(self).width_mm;
  const double height =
      width * gdk_texture_get_height(texture) / MAX(gdk_texture_get_width(texture), 1);
  if (!get_format(self)->is_picture || height <= PAGE_HEIGHT) {
    regard_banner_clear(self->banner, REGARD_BANNER_TEXT);
    return;
  }
  g_autofree char *title =
      g_strdup_printf(_("This picture is %.0f mm wide and %.0f mm high: more than a page"), width,
                      height);
  regard_banner_show(self->banner, REGARD_BANNER_TEXT, title,
                     _("Filter what it shows, or save the numbers as a table (CSV)."), NULL);
}

static void
show_busy(RegardExportDialog *self)
{
  /* While frames are seen one after the other something is drawn all the time. */
  gtk_spinner_set_spinning(self->spinner,
                           (regard_work_is_busy(self->drawing) && !self->measured.n) ||
                               regard_work_is_busy(self->saving) ||
                               regard_work_is_busy(self->computing));
}

static void
on_previewed(gpointer owner, RegardRun *run)
{
  RegardExportDialog *self = owner;
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = regard_run_finish(run, &error);
  show_busy(self);
  g_autoptr(GdkTexture) texture = bytes ? gdk_texture_new_from_bytes(bytes, &error) : NULL;
  if (texture) {
    gtk_picture_set_paintable(self->preview, GDK_PAINTABLE(texture));
    show_size(self, texture);
  } else
    regard_banner_show(self->banner, REGARD_BANNER_TEXT, error->message, NULL, NULL);
}

/* What can be said of how the file will look, by its format. */
static void
update_options(RegardExportDialog *self, gboolean is_picture, gboolean has_pixels)
{
  gtk_widget_set_sensitive(GTK_WIDGET(self->preset), is_picture);
  gtk_widget_set_visible(self->width_row,
                         adw_combo_row_get_selected(self->preset) >= regard_venues()->len);
  gtk_widget_set_sensitive(self->width_row, is_picture);
  gtk_widget_set_sensitive(self->font_row, is_picture);
  gtk_widget_set_sensitive(self->more, is_picture);
  gtk_widget_set_sensitive(self->height_row, !self->is_animated);
  gtk_widget_set_sensitive(self->english_row, is_picture);
  gtk_widget_set_sensitive(self->dpi_row, has_pixels);
  gtk_widget_set_visible(self->numbers, !is_picture);
  gtk_widget_set_opacity(GTK_WIDGET(self->preview), is_picture ? 1 : 0.15);
  gtk_widget_set_visible(GTK_WIDGET(self->frames_row), self->is_animated);
  gtk_widget_set_visible(self->film_row, self->is_animated &&
                                             get_animation_format(self)->is_numbered &&
                                             get_animation_format(self)->has_pixels);
}

static void
update_picture(RegardExportDialog *self, RegardFigure *figure)
{
  const RegardExportFormat *png = regard_export_format_find("png"), *format = get_format(self);
  update_options(self, format->is_picture, g_str_equal(format->id, "png"));
  gtk_widget_set_sensitive(self->save, figure && !regard_work_is_busy(self->saving));
  if (!figure)
    return;

  g_autofree char *caption = regard_figure_caption(figure);
  gtk_label_set_text(self->caption, caption);
  guint n = regard_figure_n_matrices(figure);
  RegardMatrix *first = n ? regard_figure_matrix(figure, 0) : NULL;
  if (first) {
    g_autofree char *numbers =
        g_strdup_printf(ngettext("%s: %u matrix of %u × %u values, with its labels",
                                 "%s: %u matrices, the first of %u × %u values, with their labels",
                                 n),
                        _(format->name), n, first->rows, first->cols);
    gtk_label_set_text(GTK_LABEL(self->numbers), numbers);
  }
  RegardExportJob job = {.figure = figure, .format = png, .options = get_options(self)};
  job.options.dpi = get_preview_dpi(&job.options);
  regard_work_run(self->drawing, &regard_export_render_task, NULL, &job, on_previewed);
  show_busy(self);
}

/* ---- Preview of an animation --------------------------------------------------------------- */

static void look_at_frame(RegardExportDialog *self);

static gboolean
on_next_frame(gpointer dialog)
{
  RegardExportDialog *self = dialog;
  self->next_frame = 0;
  self->frame = (self->frame + 1) % self->measured.n;
  look_at_frame(self);
  return G_SOURCE_REMOVE;
}

/* "15 frames, seen for 14.9 seconds"; caller frees. */
static char *
describe_frames(const RegardAnimationFormat *format, const RegardAnimationMeasure *m)
{
  if (!m->n)
    return g_strdup(_("Frames"));
  return format->is_timed ? regard_strdup_printf(ngettext("%u frame, seen for %.1f seconds",
                                                          "%u frames, seen for %.1f seconds", m->n),
                                                 m->n, m->ms / 1000.0)
                          : regard_strdup_printf(ngettext("%u frame", "%u frames", m->n), m->n);
}

/* How large they are, and what there is at most. */
static void
show_measure(RegardExportDialog *self)
{
  const RegardAnimationMeasure *m = &self->measured;
  const RegardAnimationFormat *format = get_animation_format(self);
  const gboolean has_pixels = format->has_pixels;
  g_autofree char *title = describe_frames(format, m);
  g_autofree char *size = has_pixels
                              ? regard_strdup_printf(_("%d × %d pixels"), m->width, m->height)
                              : regard_strdup_printf(_("%.0f × %.0f mm"), m->width_pt * 25.4 / 72,
                                                     m->height_pt * 25.4 / 72);
  g_autofree char *most =
      has_pixels ? g_strdup_printf(_("At most %d frames of %d pixels a side"),
                                   REGARD_ANIMATION_MOST_FRAMES, REGARD_ANIMATION_MOST_SIDE)
                 : g_strdup_printf(_("At most %d frames"), REGARD_ANIMATION_MOST_FRAMES);
  const char *lines[4] = {0};
  guint n = 0;
  if (m->n)
    lines[n++] = size;
  lines[n++] = most;
  if (format->is_timed)
    lines[n++] = _("Never more than three changes a second");
  g_autofree char *subtitle = g_strjoinv("\n", (char **) lines);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->frames_row), title);
  adw_action_row_set_subtitle(self->frames_row, subtitle);
}

/* Letters of a large tree get smaller where it has no room: how wide it has to be is said. */
static void
offer_width(RegardExportDialog *self)
{
  const RegardExportOptions options = get_options(self);
  const double wanted = regard_animation_wanted_width(self->frames, &options);
  self->wanted_width = 0;
  if (wanted <= options.width_mm)
    return;
  self->wanted_width = MIN(wanted, WIDEST);
  g_autofree char *title =
      regard_strdup_printf(_("Letters get smaller than %.1f pt: this tree needs %.0f mm"),
                           options.font_pt, wanted);
  g_autofree char *button = regard_strdup_printf(_("Use %.0f mm"), self->wanted_width);
  regard_banner_show(self->banner, REGARD_BANNER_TEXT, title, NULL, button);
}

static void
on_looked(gpointer owner, RegardRun *run)
{
  RegardExportDialog *self = owner;
  RegardAnimationLook *look = regard_run_finish(run, NULL);
  g_autoptr(GError) error = NULL;
  if (!look)
    return;
  self->measured = look->measured;
  g_autoptr(GdkTexture) texture = look->png ? gdk_texture_new_from_bytes(look->png, &error) : NULL;
  if (texture)
    gtk_picture_set_paintable(self->preview, GDK_PAINTABLE(texture));
  if (!look->error && !error)
    offer_width(self);
  else
    regard_banner_show(self->banner, REGARD_BANNER_TEXT,
                       (look->error ? look->error : error)->message, NULL, NULL);
  gtk_widget_set_sensitive(self->save, !look->error && !regard_work_is_busy(self->saving));
  if (texture && look->measured.n > 1 && adw_get_enable_animations(GTK_WIDGET(self)))
    self->next_frame =
        g_timeout_add(regard_frames_ms(self->frames, self->frame), on_next_frame, self);
  regard_animation_look_free(look);
  show_measure(self);
  show_busy(self);
}

static void
look_at_frame(RegardExportDialog *self)
{
  RegardAnimationJob job = {.frames = regard_frames_ref(self->frames),
                            .format = get_animation_format(self),
                            .options = get_options(self),
                            .frame = self->frame,
                            .measured = self->measured};
  job.dpi = get_preview_dpi(&job.options);
  regard_work_run(self->drawing, &regard_animation_look_task, NULL, &job, on_looked);
  show_busy(self);
}

/* Of what is long enough to be stopped: which it is, and how far. */
static void
show_share(RegardExportDialog *self, RegardWork *work)
{
  if (regard_banner_get_title(self->banner, REGARD_BANNER_LOADING) && regard_work_is_busy(work))
    regard_banner_set_share(self->banner, REGARD_BANNER_LOADING, regard_work_get_share(work));
}

static void
show_progress(RegardExportDialog *self, const char *title)
{
  regard_banner_show(self->banner, REGARD_BANNER_LOADING, title, NULL, _("Stop"));
  regard_banner_set_share(self->banner, REGARD_BANNER_LOADING, 0);
}

static void update_animation(RegardExportDialog *self);

static void
on_training_computed(gpointer owner, RegardRun *run)
{
  RegardExportDialog *self = owner;
  g_autoptr(GError) error = NULL;
  self->training = regard_run_finish(run, &error);
  regard_banner_clear(self->banner, REGARD_BANNER_LOADING);
  if (self->training)
    update_animation(self);
  else
    regard_banner_show(self->banner, REGARD_BANNER_TEXT, error->message, NULL, NULL);
  show_busy(self);
}

static void
compute_training(RegardExportDialog *self)
{
  RegardTrainingJob job;
  REGARD_IN_LANGUAGE(regard_export_settings_language(self->settings));
  self->training_language = regard_language_get();
  regard_training_job_init(&job, self->document, self->view);
  regard_work_run(self->computing, &regard_training_frames_task, NULL, &job, on_training_computed);
}

/* A reference; NULL: they are being computed. */
static RegardFrames *
get_frames(RegardExportDialog *self)
{
  const char *choice = get_choice(self);
  const RegardLanguage language = regard_export_settings_language(self->settings);
  if (!g_str_equal(choice, REGARD_ANIMATION_TRAINING)) {
    REGARD_IN_LANGUAGE(language);
    return regard_view_create_frames(self->view, choice);
  }
  if (self->training && self->training_language == language)
    return regard_frames_ref(self->training);
  g_clear_pointer(&self->training, regard_frames_unref);
  const guint n = regard_document_get_training(self->document)->steps->len;
  g_autofree char *title =
      regard_strdup_printf(ngettext("Looking at %u checkpoint", "Looking at all %u checkpoints", n),
                           n);
  show_progress(self, title);
  compute_training(self);
  return NULL;
}

static void
update_animation(RegardExportDialog *self)
{
  const RegardAnimationFormat *format = get_animation_format(self);
  update_options(self, TRUE, format->has_pixels);
  gtk_widget_set_sensitive(self->save, FALSE);
  gtk_picture_set_paintable(self->preview, NULL);
  self->frames = get_frames(self);
  show_measure(self);
  if (!self->frames) {
    gtk_label_set_text(self->caption, "");
    return;
  }
  const guint last = regard_frames_count(self->frames) - 1;
  self->frame = adw_get_enable_animations(GTK_WIDGET(self)) ? 0 : last;
  g_autoptr(RegardFigure) figure = regard_frames_new_figure(self->frames, last);
  g_autofree char *caption = regard_figure_caption(figure);
  gtk_label_set_text(self->caption, caption);
  g_autofree char *name = dup_name(self), *line = NULL;
  if (gtk_widget_get_visible(self->film_row)) {
    line = regard_animation_dup_film_line(name);
    adw_action_row_set_subtitle(ADW_ACTION_ROW(self->film_row), line);
  }
  look_at_frame(self);
}

static void
on_copy_film(RegardExportDialog *self)
{
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)),
                         adw_action_row_get_subtitle(ADW_ACTION_ROW(self->film_row)));
}

/* ---- Options ------------------------------------------------------------------------------- */

static void
forget_frames(RegardExportDialog *self)
{
  regard_work_drop(self->drawing);
  regard_work_drop(self->computing);
  g_clear_handle_id(&self->next_frame, g_source_remove);
  g_clear_pointer(&self->frames, regard_frames_unref);
  self->measured = (RegardAnimationMeasure){0};
  if (!regard_work_is_busy(self->saving))
    regard_banner_clear(self->banner, REGARD_BANNER_LOADING);
}

static void
update_preview(RegardExportDialog *self)
{
  RegardFigure *figure = create_figure(self);
  forget_frames(self);
  fill_formats(self, figure);
  regard_banner_clear(self->banner, REGARD_BANNER_TEXT);
  if (self->is_animated)
    update_animation(self);
  else
    update_picture(self, figure);
  show_busy(self);
}

static void
on_option(RegardExportDialog *self)
{
  if (self->is_filling || !self->view)
    return;
  g_settings_set_string(self->settings, get_key(self), get_format_id(self));
  update_preview(self);
}

static void
on_preset(RegardExportDialog *self)
{
  guint i = adw_combo_row_get_selected(self->preset);
  if (self->is_filling || !self->view)
    return;
  const RegardVenue *venue = i < regard_venues()->len ? regard_venues()->pdata[i] : NULL;
  if (venue && gtk_spin_button_get_value(self->width) != venue->mm)
    gtk_spin_button_set_value(self->width, venue->mm); /* goes on in on_option() */
  else
    update_preview(self);
}

/* ---- Saving -------------------------------------------------------------------------------- */

static void
show_saving(RegardExportDialog *self)
{
  gtk_widget_set_sensitive(self->save, !regard_work_is_busy(self->saving) &&
                                           (!self->is_animated || self->frames));
  show_busy(self);
}

static void
say_failed(RegardExportDialog *self, const GError *error)
{
  regard_banner_show(self->banner, REGARD_BANNER_FILE, error->message,
                     _("Nothing was changed. Choose another place, or make room, and save "
                       "again."),
                     NULL);
}

/* Of a picture, or of an animation: the other one is NULL. */
static void
say_saved(RegardExportDialog *self, GFile *file, const RegardExportJob *job,
          const RegardAnimationJob *animation)
{
  g_autoptr(GFile) parent = g_file_get_parent(file);
  g_autofree char *folder = parent ? g_file_get_uri(parent) : NULL;
  if (folder)
    g_settings_set_string(self->settings, "export-folder", folder);
  g_signal_emit_by_name(self, "exported", file, job, animation);
  gtk_window_close(GTK_WINDOW(self));
}

static void
on_written(gpointer owner, RegardRun *run)
{
  RegardExportDialog *self = owner;
  const RegardExportJob *job = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  gboolean is_written = regard_run_finish(run, &error) != NULL;
  show_saving(self);
  if (is_written)
    say_saved(self, job->file, job, NULL);
  else
    say_failed(self, error);
}

/* ---- Saving an animation --------------------------------------------------------------------- */

static void
on_animation_written(gpointer owner, RegardRun *run)
{
  RegardExportDialog *self = owner;
  const RegardAnimationJob *job = regard_run_get_params(run);
  g_autofree char *path =
      job->format->is_numbered ? regard_animation_number_path(job->path, 0) : g_strdup(job->path);
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GError) error = NULL;
  const gboolean is_written = regard_run_finish(run, &error) != NULL;
  regard_banner_clear(self->banner, REGARD_BANNER_LOADING);
  show_saving(self);
  if (is_written) {
    say_saved(self, file, NULL, job);
  } else if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_EXISTS)) {
    g_clear_object(&self->refused);
    self->refused = g_file_new_for_path(job->path);
    regard_banner_show(self->banner, REGARD_BANNER_FILE, error->message,
                       _("Nothing was changed. Save again with another name, or replace the files "
                         "that have a number of these."),
                       _("Replace"));
  } else {
    say_failed(self, error);
  }
}

/* Numbered files have a place for the number. */
static char *
dup_path(GFile *file, const RegardAnimationFormat *format)
{
  const char *path = g_file_peek_path(file);
  g_autofree char *name = g_path_get_basename(path), *folder = g_path_get_dirname(path);
  if (!format->is_numbered || strstr(name, REGARD_ANIMATION_NUMBER))
    return g_strdup(path);
  const char *dot = strrchr(name, '.');
  const int stem = (int) (dot && dot > name ? (gsize) (dot - name) : strlen(name));
  g_autofree char *numbered =
      g_strdup_printf("%.*s-" REGARD_ANIMATION_NUMBER ".%s", stem, name, format->ending);
  return g_build_filename(folder, numbered, NULL);
}

static void
save_animation(RegardExportDialog *self, GFile *file, gboolean replaces)
{
  if (!self->frames || regard_work_is_busy(self->saving))
    return;
  if (!g_file_peek_path(file)) {
    g_autofree char *name = g_file_get_parse_name(file);
    g_autoptr(GError) error =
        g_error_new(G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                    _("“%s” is not on this computer, where animations are written"), name);
    say_failed(self, error);
    return;
  }
  RegardAnimationJob job = {.frames = regard_frames_ref(self->frames),
                            .format = get_animation_format(self),
                            .options = get_options(self),
                            .replaces = replaces};
  job.path = dup_path(file, job.format);
  regard_banner_clear(self->banner, REGARD_BANNER_FILE);
  const guint n = regard_frames_count(self->frames);
  g_autofree char *title =
      regard_strdup_printf(ngettext("Drawing %u frame", "Drawing %u frames", n), n);
  show_progress(self, title);
  regard_work_run(self->saving, &regard_animation_write_task, NULL, &job, on_animation_written);
  show_saving(self);
}

/* What takes long is stopped, or files are replaced. */
static void
stop(RegardExportDialog *self)
{
  regard_banner_clear(self->banner, REGARD_BANNER_LOADING);
  if (regard_work_is_busy(self->saving)) {
    regard_work_drop(self->saving);
    regard_banner_show(self->banner, REGARD_BANNER_FILE, _("Saving was stopped"), NULL, NULL);
  }
  if (regard_work_is_busy(self->computing)) {
    regard_work_drop(self->computing);
    regard_banner_show(self->banner, REGARD_BANNER_TEXT,
                       _("The checkpoints were not looked at to the end"),
                       _("Choose something else, or this once more."), NULL);
  }
  show_saving(self);
}

static void
on_response(RegardExportDialog *self, RegardBannerSubject subject)
{
  g_autoptr(GFile) file = g_steal_pointer(&self->refused);
  if (subject == REGARD_BANNER_LOADING)
    stop(self);
  else if (subject == REGARD_BANNER_FILE && file)
    save_animation(self, file, TRUE);
  else if (subject == REGARD_BANNER_TEXT && self->wanted_width > 0) {
    /* The row of another width stands there then, and what was wide enough is no preset. */
    adw_combo_row_set_selected(self->preset, regard_venues()->len);
    gtk_spin_button_set_value(self->width, self->wanted_width);
  }
}

/* ---- Choosing the file ----------------------------------------------------------------------- */

void
regard_export_dialog_save(RegardExportDialog *self, GFile *file)
{
  if (self->is_animated) {
    save_animation(self, file, FALSE);
    return;
  }
  RegardFigure *figure = create_figure(self);
  if (!figure || regard_work_is_busy(self->saving)) {
    g_clear_pointer(&figure, regard_figure_free);
    return;
  }
  const RegardExportJob job = {figure, get_format(self), get_options(self), g_object_ref(file),
                               g_intern_string(get_choice(self))};
  regard_banner_clear(self->banner, REGARD_BANNER_FILE);
  regard_work_run(self->saving, &regard_export_write_task, NULL, &job, on_written);
  show_saving(self);
}

static void
on_file_chosen(GtkNativeDialog *dialog, int response, RegardExportDialog *self)
{
  g_autoptr(GFile) file = NULL;
  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
  if (file)
    regard_export_dialog_save(self, file);
}

static void
on_save(RegardExportDialog *self)
{
  const char *ending = get_ending(self);
  g_autofree char *name = dup_name(self);
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(_("Save As"), GTK_WINDOW(self), GTK_FILE_CHOOSER_ACTION_SAVE,
                                  _("_Save"), _("_Cancel"));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_autofree char *folder = g_settings_get_string(self->settings, "export-folder");
  regard_export_name_offer(GTK_FILE_CHOOSER(dialog), folder, name);
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, _(get_format_name(self)));
  gtk_file_filter_add_suffix(filter, ending);
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_file_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* Cancel what runs, else the dialog. */
static void
on_cancel(RegardExportDialog *self)
{
  if (regard_work_is_busy(self->saving))
    stop(self);
  else
    gtk_window_close(GTK_WINDOW(self));
}

static void
on_copy_caption(RegardExportDialog *self)
{
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)),
                         gtk_label_get_text(self->caption));
  gtk_button_set_label(GTK_BUTTON(self->copy_caption), _("Copied"));
}

const char *
regard_export_dialog_get_error(RegardExportDialog *self)
{
  return regard_banner_get_title(self->banner, REGARD_BANNER_FILE);
}

/* ---- The object ---------------------------------------------------------------------------- */

/* "All attention of this text takes 805 MB of memory, and only a layer at a time is computed." */
static char *
describe_rest(gsize whole_bytes)
{
  g_autofree char *size = regard_format_size(whole_bytes);
  return g_strdup_printf(_("All attention of this text takes %s of memory, and only the layer that "
                           "is looked at is computed"),
                         size);
}

/* Pictures that need what is not there are not offered. */
static void
say_what_lacks(RegardExportDialog *self)
{
  RegardSelection *s = regard_view_get_selection(self->view);
  const gsize whole_bytes = s ? regard_selection_get_whole_bytes(s) : 0;
  if (!whole_bytes)
    return;
  g_autofree char *title = describe_rest(whole_bytes);
  regard_banner_show(self->banner, REGARD_BANNER_REST, title,
                     _("Pictures and tables of all heads can be saved after Compute All."), NULL);
}

static void
add_animation(const RegardPicture *animation, GStrvBuilder *ids, GtkStringList *names)
{
  g_strv_builder_add(ids, animation->id);
  gtk_string_list_append(names, _(animation->name));
}

static void
fill_lists(RegardExportDialog *self, const char *choice)
{
  guint n, chosen = 0;
  const RegardPicture *choices = regard_view_get_export_choices(self->view, &n);
  g_autoptr(GStrvBuilder) ids = g_strv_builder_new();
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  for (guint i = 0; i < n; i++) {
    g_strv_builder_add(ids, choices[i].id);
    gtk_string_list_append(names, _(choices[i].name));
  }
  self->n_pictures = n;
  const RegardPicture *animations = regard_view_get_animations(self->view, &n);
  for (guint i = 0; i < n; i++)
    add_animation(&animations[i], ids, names);
  if (regard_animation_has_training(self->document, self->view)) {
    static const RegardPicture training = {REGARD_ANIMATION_TRAINING,
                                           N_("Matrix over the Training")};
    add_animation(&training, ids, names);
  }
  self->choices = g_strv_builder_end(ids);
  for (guint i = 0; choice && self->choices[i]; i++)
    if (g_str_equal(choice, self->choices[i]))
      chosen = i;
  say_what_lacks(self);
  adw_combo_row_set_model(self->what, G_LIST_MODEL(names));
  adw_combo_row_set_selected(self->what, chosen);

  g_autoptr(RegardFigure) figure = create_figure(self);
  fill_formats(self, figure);

  const GPtrArray *venues = regard_venues();
  g_autoptr(GtkStringList) width_names = gtk_string_list_new(NULL);
  const double width = g_settings_get_double(self->settings, "export-width");
  chosen = venues->len;
  for (guint i = venues->len; i-- > 0;)
    if (width == ((const RegardVenue *) venues->pdata[i])->mm)
      chosen = i; /* the first of those that are as wide */
  for (guint i = 0; i < venues->len; i++)
    gtk_string_list_take(width_names, regard_venue_describe(venues->pdata[i]));
  gtk_string_list_append(width_names, _("Another width"));
  adw_combo_row_set_model(self->preset, G_LIST_MODEL(width_names));
  adw_combo_row_set_selected(self->preset, chosen);
}

/* The dialog is closed: what it was doing is not wanted any more. */
static void
regard_export_dialog_unrealize(GtkWidget *widget)
{
  RegardExportDialog *self = REGARD_EXPORT_DIALOG(widget);
  forget_frames(self);
  regard_work_drop(self->saving);
  GTK_WIDGET_CLASS(regard_export_dialog_parent_class)->unrealize(widget);
  /* A job keeps the dialog for a while, perhaps longer than the window below it lives, which GTK
   * would look for when the dialog is freed at last. */
  gtk_window_set_transient_for(GTK_WINDOW(self), NULL);
}

static void
regard_export_dialog_finalize(GObject *object)
{
  RegardExportDialog *self = REGARD_EXPORT_DIALOG(object);
  g_clear_object(&self->drawing);
  g_clear_object(&self->saving);
  g_clear_object(&self->computing);
  g_clear_object(&self->document);
  g_clear_object(&self->refused);
  g_clear_pointer(&self->training, regard_frames_unref);
  g_strfreev(self->choices);
  g_clear_pointer(&self->formats, g_ptr_array_unref);
  g_clear_object(&self->view);
  g_clear_object(&self->settings);
  G_OBJECT_CLASS(regard_export_dialog_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardExportDialog, name)

static void
regard_export_dialog_class_init(RegardExportDialogClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(cancel),
                                                 CHILD(save),
                                                 CHILD(spinner),
                                                 CHILD(banner),
                                                 CHILD(preview),
                                                 CHILD(preview_scroller),
                                                 CHILD(numbers),
                                                 CHILD(what),
                                                 CHILD(format),
                                                 CHILD(preset),
                                                 CHILD(width_row),
                                                 CHILD(font_row),
                                                 CHILD(dpi_row),
                                                 CHILD(width),
                                                 CHILD(font),
                                                 CHILD(dpi),
                                                 CHILD(more),
                                                 CHILD(height),
                                                 CHILD(has_title),
                                                 CHILD(has_numbers),
                                                 CHILD(has_model),
                                                 CHILD(caption),
                                                 CHILD(copy_caption),
                                                 CHILD(english_row),
                                                 CHILD(is_english),
                                                 CHILD(frames_row),
                                                 CHILD(film_row),
                                                 CHILD(height_row),
                                                 {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = regard_export_dialog_finalize;
  widget_class->unrealize = regard_export_dialog_unrealize;
  regard_add_signal(klass, "exported", 3, G_TYPE_FILE, G_TYPE_POINTER, G_TYPE_POINTER);
  g_type_ensure(REGARD_TYPE_BANNER);
  regard_set_template(klass, "regard-export-dialog.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_cancel);
  gtk_widget_class_bind_template_callback(widget_class, on_save);
  gtk_widget_class_bind_template_callback(widget_class, on_option);
  gtk_widget_class_bind_template_callback(widget_class, on_preset);
  gtk_widget_class_bind_template_callback(widget_class, on_copy_caption);
  gtk_widget_class_bind_template_callback(widget_class, on_copy_film);
  gtk_widget_class_bind_template_callback(widget_class, on_response);
}

static void
regard_export_dialog_init(RegardExportDialog *self)
{
  self->drawing = regard_work_new(self);
  self->saving = regard_work_new(self);
  self->computing = regard_work_new(self);
  regard_connect(self->saving, "changed", G_CALLBACK(show_share), self);
  regard_connect(self->computing, "changed", G_CALLBACK(show_share), self);
  gtk_widget_init_template(GTK_WIDGET(self));
  regard_combo_rows_say_choice(GTK_WIDGET(self));
  regard_spin_take_comma(self->font);
  regard_spin_take_comma(self->width);
  gtk_widget_set_visible(self->english_row, regard_language_differs());
}

static void
bind_options(RegardExportDialog *self)
{
  const struct {
    const char *key;
    gpointer widget;
    const char *property;
  } options[] = {
      {"export-width", self->width, "value"},          {"export-font", self->font, "value"},
      {"export-height", self->height, "value"},        {"export-title", self->has_title, "active"},
      {"export-numbers", self->has_numbers, "active"}, {"export-model", self->has_model, "active"},
      {"export-english", self->is_english, "active"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
    g_settings_bind(self->settings, options[i].key, options[i].widget, options[i].property,
                    G_SETTINGS_BIND_DEFAULT);
    /* After the setting, which is what is drawn with. */
    g_autofree char *signal = g_strdup_printf("notify::%s", options[i].property);
    g_signal_connect_swapped(options[i].widget, signal, G_CALLBACK(on_option), self);
  }
  /* What it is bound to changes with the format. */
  g_signal_connect_swapped(self->dpi, "notify::value", G_CALLBACK(on_option), self);
}

RegardExportDialog *
regard_export_dialog_new(GtkWindow *parent, GSettings *settings, RegardDocument *document,
                         RegardView *view, const char *choice)
{
  RegardExportDialog *self = g_object_new(REGARD_TYPE_EXPORT_DIALOG, "transient-for", parent, NULL);
  self->settings = g_object_ref(settings);
  self->view = g_object_ref(view);
  self->document = document ? g_object_ref(document) : NULL;
  self->is_filling = TRUE;
  fill_lists(self, choice);
  bind_options(self);
  self->is_filling = FALSE;
  update_preview(self);
  return self;
}

/* ==== The exporter ============================================================================ */

/* Of a picture on the clipboard: sharp on a slide, small enough for a chat. */
#define CLIPBOARD_DPI 220

struct _RegardExporter {
  GObject parent_instance;
  GtkWindow *window; /* NULL: it is gone */
  RegardDocument *document;
  GSettings *settings;
};

G_DEFINE_FINAL_TYPE(RegardExporter, regard_exporter, G_TYPE_OBJECT)

/* Nobody is there to be told any more. */
static gboolean
is_closed(RegardExporter *self)
{
  return !self->window || regard_document_is_closed(self->document);
}

static void
fail(RegardExporter *self, const GError *error, const char *advice)
{
  if (!is_closed(self))
    g_signal_emit_by_name(self, "failed", error->message, advice);
}

static void
say_copied(RegardExporter *self, const char *text)
{
  g_signal_emit_by_name(self, "copied", text);
}

/* ---- Files --------------------------------------------------------------------------------- */

static void
on_exported(RegardExporter *self, GFile *file, const RegardExportJob *job,
            const RegardAnimationJob *animation)
{
  if (is_closed(self))
    return;
  if (job)
    g_signal_emit_by_name(self, "figure-saved", job);
  if (animation)
    g_signal_emit_by_name(self, "animation-saved", animation);
  g_signal_emit_by_name(self, "saved", file);
}

void
regard_exporter_open_dialog(RegardExporter *self, RegardView *view, const char *choice)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  if (!view)
    return;
  RegardExportDialog *dialog =
      regard_export_dialog_new(self->window, self->settings, self->document, view, choice);
  regard_observe(dialog, self, on_exported, "exported");
  gtk_window_present(GTK_WINDOW(dialog));
}

typedef struct {
  RegardExporter *self;
  GFile *file;
  gboolean is_capture;
} Saving;

static void
on_written_beside(gpointer data, RegardRun *run)
{
  Saving *saving = data;
  const gboolean is_capture = saving->is_capture;
  g_autoptr(RegardExporter) self = saving->self;
  g_autoptr(GFile) file = saving->file;
  g_autoptr(GError) error = NULL;
  g_free(saving);
  if (regard_run_finish(run, &error)) {
    if (is_closed(self))
      return;
    if (is_capture)
      g_signal_emit_by_name(self, "capture-saved", file);
    g_signal_emit_by_name(self, "saved", file);
  } else
    fail(self, error,
         _("Nothing was changed. Choose another place, or make room, and save again."));
}

/* TRUE: there is no whole capture to be saved, which has been said. */
static gboolean
lacks_rest(RegardExporter *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  if (!result || !result->whole_bytes)
    return FALSE;
  g_autofree char *text = describe_rest(result->whole_bytes);
  g_autoptr(GError) error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_NOT_FOUND, text);
  fail(self, error, _("Nothing was saved. The whole capture can be saved after Compute All."));
  return TRUE;
}

void
regard_exporter_save_capture(RegardExporter *self, const char *path)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  RegardResult *result = regard_document_get_result(self->document);
  if (!result || !result->capture || lacks_rest(self))
    return;
  Saving *saving = g_new(Saving, 1);
  *saving = (Saving){g_object_ref(self), g_file_new_for_path(path), TRUE};
  const RegardCaptureJob job = {regard_result_ref(result), g_strdup(path)};
  regard_runner_start(&regard_export_capture_task, NULL, &job, on_written_beside, saving);
}

void
regard_exporter_save_bytes(RegardExporter *self, GBytes *bytes, const char *path)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  Saving *saving = g_new(Saving, 1);
  *saving = (Saving){g_object_ref(self), g_file_new_for_path(path), FALSE};
  const RegardBytesJob job = {g_bytes_ref(bytes), g_strdup(path)};
  regard_runner_start(&regard_export_bytes_task, NULL, &job, on_written_beside, saving);
}

void
regard_exporter_choose_capture(RegardExporter *self)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  RegardSelection *selection = regard_document_get_selection(self->document);
  if (lacks_rest(self))
    return;
  g_autofree char *name =
      regard_export_name_for(regard_selection_get_capture(selection), "capture", "npz");
  regard_export_choose_place(self->window, self->settings, _("Save Whole Capture"), name,
                             "win.save-capture");
}

/* ---- The clipboard ------------------------------------------------------------------------- */

static RegardFigure *
create_first_figure(RegardExporter *self, RegardView *view, const char **picture)
{
  REGARD_IN_LANGUAGE(regard_export_settings_language(self->settings));
  guint n = 0;
  const RegardPicture *choices = view ? regard_view_get_export_choices(view, &n) : NULL;
  if (picture)
    *picture = n ? g_intern_string(choices[0].id) : NULL;
  return n ? regard_view_create_figure(view, choices[0].id) : NULL;
}

static GdkClipboard *
get_clipboard(RegardExporter *self)
{
  return gtk_widget_get_clipboard(GTK_WIDGET(self->window));
}

static void
on_picture_drawn(gpointer data, RegardRun *run)
{
  g_autoptr(RegardExporter) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GdkContentProvider) pictures = regard_run_finish(run, &error);
  if (is_closed(self)) /* meanwhile */
    return;
  if (!pictures) {
    fail(self, error, NULL);
    return;
  }
  gdk_clipboard_set_content(get_clipboard(self), pictures);
  g_signal_emit_by_name(self, "figure-copied", regard_run_get_params(run));
  say_copied(self, _("Picture copied"));
}

void
regard_exporter_copy_picture(RegardExporter *self, RegardView *view)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  const char *picture;
  RegardFigure *figure = create_first_figure(self, view, &picture);
  if (!figure)
    return;
  RegardExportJob job = {.figure = figure,
                         .format = regard_export_format_find("png"),
                         .options = regard_export_settings_read(self->settings),
                         .picture = picture};
  job.options.dpi = CLIPBOARD_DPI;
  regard_runner_start(&regard_export_copy_task, NULL, &job, on_picture_drawn, g_object_ref(self));
}

void
regard_exporter_copy_caption(RegardExporter *self, RegardView *view)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  g_autoptr(RegardFigure) figure = create_first_figure(self, view, NULL);
  if (!figure)
    return;
  g_autofree char *caption = regard_figure_caption(figure);
  gdk_clipboard_set_text(get_clipboard(self), caption);
  say_copied(self, _("Caption copied"));
}

void
regard_exporter_copy_values(RegardExporter *self, RegardView *view)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  const char *picture;
  g_autoptr(RegardFigure) figure = create_first_figure(self, view, &picture);
  g_autoptr(GError) error = NULL;
  if (!figure)
    return;
  const RegardExportJob job = {.figure = figure,
                               .format = regard_export_format_find("csv"),
                               .options = REGARD_EXPORT_OPTIONS_INIT,
                               .picture = picture};
  g_autoptr(GBytes) bytes = job.format->render(figure, &job.options, &error);
  if (!bytes) {
    fail(self, error, NULL);
    return;
  }
  g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  gdk_clipboard_set_text(get_clipboard(self), text);
  g_signal_emit_by_name(self, "figure-copied", &job);
  say_copied(self, _("Values copied"));
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_exporter_finalize(GObject *object)
{
  RegardExporter *self = REGARD_EXPORTER(object);
  g_clear_weak_pointer(&self->window);
  g_object_unref(self->document);
  g_object_unref(self->settings);
  G_OBJECT_CLASS(regard_exporter_parent_class)->finalize(object);
}

static void
regard_exporter_class_init(RegardExporterClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_exporter_finalize;
  regard_add_signal(klass, "saved", 1, G_TYPE_FILE);
  regard_add_signal(klass, "figure-saved", 1, G_TYPE_POINTER);
  regard_add_signal(klass, "animation-saved", 1, G_TYPE_POINTER);
  regard_add_signal(klass, "capture-saved", 1, G_TYPE_FILE);
  regard_add_signal(klass, "figure-copied", 1, G_TYPE_POINTER);
  regard_add_signal(klass, "copied", 1, G_TYPE_STRING);
  regard_add_signal(klass, "failed", 2, G_TYPE_STRING, G_TYPE_STRING);
}

static void
regard_exporter_init(RegardExporter *self)
{
}

RegardExporter *
regard_exporter_new(GtkWindow *window, RegardDocument *document, GSettings *settings)
{
  RegardExporter *self = g_object_new(REGARD_TYPE_EXPORTER, NULL);
  g_set_weak_pointer(&self->window, window);
  self->document = g_object_ref(document);
  self->settings = g_object_ref(settings);
  return self;
}
