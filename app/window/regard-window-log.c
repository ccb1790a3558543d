/* regard-window-log.c — the log of what was done in the window: shown, and saved when asked for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-animation-job.h"
#include "export/regard-command.h"
#include "export/regard-export-job.h"
#include "figures/regard-language.h"
#include "window/regard-composer.h"
#include "window/regard-log-dialog.h"
#include "window/regard-window-private.h"

#include <string.h>

/* ---- What leaves ----------------------------------------------------------------------------- */

static void
add_figure(RegardWindow *self, const RegardExportJob *job)
{
  regard_log_add_figure(self->log, job->figure, job->picture, job->format, &job->options,
                        job->file);
}

static void
add_capture(RegardWindow *self, GFile *file)
{
  if (g_file_peek_path(file))
    regard_log_add_file(self->log, REGARD_LOG_CAPTURE_SAVED, g_file_peek_path(file));
}

static void
add_animation(RegardWindow *self, const RegardAnimationJob *job)
{
  regard_log_add_animation(self->log, job->frames, job->format, &job->options, job->path);
}

static void
on_figure_opened(RegardWindow *self, const char *path)
{
  regard_log_add_done(self->log, _("Figure opened"), path, NULL, regard_command_open(path), NULL);
}

static void
on_figure_saved(RegardWindow *self, const char *path)
{
  regard_log_add_done(self->log, _("Figure saved"), path, NULL, NULL,
                      g_strdup(_("its panels were put together in the window")));
}

static void
on_figure_exported(RegardWindow *self, const RegardExportJob *job)
{
  if (g_file_peek_path(job->file))
    regard_log_add_sheet(self->log, job->picture, job->figure, job->format, &job->options,
                         g_file_peek_path(job->file));
}

void
regard_window_log_composer(RegardWindow *self, RegardComposer *composer)
{
  if (self->composer == composer)
    return;
  g_set_weak_pointer(&self->composer, composer);
  regard_observe(composer, self, on_figure_opened, "opened");
  regard_observe(composer, self, on_figure_saved, "saved");
  regard_observe(composer, self, on_figure_exported, "exported");
}

void
regard_window_observe_log(RegardWindow *self)
{
  self->log = regard_log_new(self->document);
  regard_observe(self->exporter, self, add_figure, "figure-saved", "figure-copied");
  regard_observe(self->exporter, self, add_animation, "animation-saved");
  regard_observe(self->exporter, self, add_capture, "capture-saved");
}

/* ---- Actions --------------------------------------------------------------------------------- */

static void
show(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  gtk_window_present(GTK_WINDOW(regard_log_dialog_new(GTK_WINDOW(self), self->log)));
}

static void
save(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *file = g_date_time_format(now, "regard-log-%Y-%m-%d.md");
  regard_export_choose_place(GTK_WINDOW(self), self->settings, _("Save Log"), file,
                             "win.write-log");
}

/* What the file chooser leads to; an action of its own so that it can be driven without one. */
static void
write_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  char *text = regard_log_dup_markdown(self->log);
  g_autoptr(GBytes) bytes = g_bytes_new_take(text, strlen(text));
  regard_exporter_save_bytes(self->exporter, bytes, g_variant_get_string(parameter, NULL));
}

void
regard_window_install_log_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.show-log", NULL, show);
  gtk_widget_class_install_action(klass, "win.save-log", NULL, save);
  gtk_widget_class_install_action(klass, "win.write-log", "s", write_);
}
