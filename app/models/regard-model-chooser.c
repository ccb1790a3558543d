/* regard-model-chooser.c — the models of this machine, to choose from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-chooser.h"

#include "base/regard-paths.h"
#include "base/regard-signals.h"
#include "base/regard-template.h"
#include "figures/regard-language.h"
#include "models/regard-model-list.h"
#include "runner/regard-work.h"

#include <glib/gi18n.h>
#include <string.h>

/* ==== One model in the list to choose from ==================================================== */

struct _RegardModelRow {
  GtkListBoxRow parent_instance;
  const RegardModelInfo *info;
  char *detail, *folded; /* second line; all that is searched */
  GtkWidget *check, *title, *text, *bar, *cancel, *forget;
  gboolean is_running;
  double share;
};

G_DEFINE_FINAL_TYPE(RegardModelRow, regard_model_row, GTK_TYPE_LIST_BOX_ROW)

const RegardModelInfo *
regard_model_row_get_info(RegardModelRow *self)
{
  return self->info;
}

static void
update_name(RegardModelRow *self)
{
  /* Translators: what becomes of a model, after its name and its description */
  const char *state = self->share >= 0      ? _("being opened")
                      : self->is_running    ? _("in use")
                      : self->info->problem ? _("cannot be opened")
                                            : NULL;
  /* Translators: a model, what it is, and what becomes of it, as "in use". */
  g_autofree char *name =
      state ? g_strdup_printf(_("%s, %s, %s"), self->info->title, self->detail, state)
            : g_strdup_printf(_("%s, %s"), self->info->title, self->detail);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static void
regard_model_row_set_running(RegardModelRow *self, gboolean is_running)
{
  self->is_running = is_running;
  gboolean is_broken = self->info->problem && !is_running;
  gtk_image_set_from_icon_name(GTK_IMAGE(self->check),
                               is_broken ? "dialog-warning-symbolic" : "object-select-symbolic");
  /* Not hidden: the titles stay below each other. */
  gtk_widget_set_opacity(self->check, is_running || is_broken ? 1 : 0);
  update_name(self);
}

/* "1.2 GB of 1.9 GB" below the bar, where it is known how large the weights are. */
static void
show_bytes(RegardModelRow *self, double share)
{
  GtkProgressBar *bar = GTK_PROGRESS_BAR(self->bar);
  gtk_progress_bar_set_show_text(bar, self->info->bytes > 0);
  if (self->info->bytes == 0)
    return;
  g_autofree char *done = regard_format_size((guint64) (share * (double) self->info->bytes));
  g_autofree char *all = regard_format_size(self->info->bytes);
  /* Translators: bytes that are read, of how many: "1.2 GB of 1.9 GB" */
  g_autofree char *text = g_strdup_printf(_("%s of %s"), done, all);
  gtk_progress_bar_set_text(bar, text);
}

/* share 0..1; negative: it is not being opened. */
static void
regard_model_row_set_share(RegardModelRow *self, double share)
{
  gboolean is_loading = share >= 0, was_loading = self->share >= 0;
  self->share = share;
  if (is_loading) {
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->bar), MIN(share, 1));
    show_bytes(self, MIN(share, 1));
  }
  if (is_loading == was_loading)
    return;
  gtk_widget_set_visible(self->bar, is_loading);
  gtk_widget_set_visible(self->text, !is_loading);
  gtk_widget_set_visible(self->cancel, is_loading);
  gtk_widget_set_visible(self->forget, !is_loading && self->info->place == REGARD_MODEL_RECENT);
  update_name(self);
}

/* Whether the row holds each word of a search; words are case-folded. */
static gboolean
regard_model_row_matches(RegardModelRow *self, const char *const *words)
{
  for (; *words; words++)
    if (**words && !strstr(self->folded, *words))
      return FALSE;
  return TRUE;
}

static void
on_cancel(RegardModelRow *self)
{
  g_signal_emit_by_name(self, "cancelled");
}

static void
on_forget(RegardModelRow *self)
{
  g_signal_emit_by_name(self, "forgotten");
}

static GtkWidget *
create_button(RegardModelRow *self, const char *label, const char *icon, const char *tooltip,
              GCallback clicked)
{
  GtkWidget *button = icon ? gtk_button_new_from_icon_name(icon) : gtk_button_new_with_label(label);
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text(button, tooltip);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 label ? label : tooltip, -1);
  g_signal_connect_swapped(button, "clicked", clicked, self);
  return button;
}

static void
regard_model_row_finalize(GObject *object)
{
  RegardModelRow *self = REGARD_MODEL_ROW(object);
  g_free(self->detail);
  g_free(self->folded);
  G_OBJECT_CLASS(regard_model_row_parent_class)->finalize(object);
}

static void
regard_model_row_class_init(RegardModelRowClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_model_row_finalize;
  regard_add_signal(klass, "cancelled", 0);
  regard_add_signal(klass, "forgotten", 0);
}

static void
regard_model_row_init(RegardModelRow *self)
{
  self->share = -1;
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *lines = gtk_box_new(GTK_ORIENTATION_VERTICAL, 1);
  self->check = gtk_image_new_from_icon_name("object-select-symbolic");
  gtk_widget_set_opacity(self->check, 0);
  self->title = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->title), 0);
  gtk_label_set_ellipsize(GTK_LABEL(self->title), PANGO_ELLIPSIZE_END);
  self->text = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->text), 0);
  gtk_label_set_ellipsize(GTK_LABEL(self->text), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(self->text, "regard-hint");
  self->bar = gtk_progress_bar_new();
  gtk_widget_set_valign(self->bar, GTK_ALIGN_CENTER);
  gtk_widget_set_vexpand(self->bar, TRUE);
  gtk_widget_set_visible(self->bar, FALSE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Opening"), -1);
  gtk_box_append(GTK_BOX(lines), self->title);
  gtk_box_append(GTK_BOX(lines), self->text);
  gtk_box_append(GTK_BOX(lines), self->bar);
  gtk_widget_set_hexpand(lines, TRUE);

  self->cancel =
      create_button(self, _("Cancel"), NULL, _("Stop opening this model"), G_CALLBACK(on_cancel));
  gtk_widget_set_visible(self->cancel, FALSE);
  self->forget = create_button(self, NULL, "window-close-symbolic", _("Take out of recent models"),
                               G_CALLBACK(on_forget));
  gtk_widget_add_css_class(self->forget, "flat");
  gtk_widget_add_css_class(self->forget, "circular");
  gtk_box_append(GTK_BOX(box), self->check);
  gtk_box_append(GTK_BOX(box), lines);
  gtk_box_append(GTK_BOX(box), self->cancel);
  gtk_box_append(GTK_BOX(box), self->forget);
  gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(self), box);
}

/* It has a size in it, with the person's numbers, and is shared with the command line. */
static char *
say_detail(const RegardModelInfo *info)
{
  REGARD_IN_LANGUAGE(REGARD_LANGUAGE_WINDOW);
  return regard_model_info_detail(info);
}

/* What a model is there for that is not for translating; others say what they are made of. Caller
 * frees. */
static char *
say_what_it_is(const RegardModelInfo *info)
{
  static const struct {
    const char *name, *text;
  } teaching[] = {
      {"by-hand", N_("Four animals, 415 numbers: small enough to compute with a pencil")},
      {"collapsed", N_("Translates nothing: its tokens all become alike")},
  };
  for (guint i = 0; info->place == REGARD_MODEL_TEACHING && i < G_N_ELEMENTS(teaching); i++)
    if (g_str_equal(teaching[i].name, info->name))
      return g_strdup(_(teaching[i].text));
  return say_detail(info);
}

/* info must live as long as the row. */
static GtkWidget *
regard_model_row_new(const RegardModelInfo *info, mt_precision precision)
{
  RegardModelRow *self = g_object_new(REGARD_TYPE_MODEL_ROW, NULL);
  self->info = info;
  self->detail = say_what_it_is(info);
  g_autofree char *path = g_filename_display_name(info->path);
  g_autofree char *all =
      g_strjoin("\n", info->title, self->detail, path, info->source ? info->source : "",
                info->target ? info->target : "", NULL);
  self->folded = g_utf8_casefold(all, -1);
  gtk_label_set_text(GTK_LABEL(self->title), info->title);
  gtk_label_set_text(GTK_LABEL(self->text), self->detail);
  gtk_widget_set_visible(self->forget, info->place == REGARD_MODEL_RECENT);
  const guint64 memory = regard_model_info_memory(info, precision);
  g_autofree char *size = regard_format_size(memory);
  g_autofree char *tip =
      memory ? g_strdup_printf(_("%s\nTakes about %s of memory in %s"), path, size,
                               precision == MT_PRECISION_STORED ? _("F32")
                                                                : mt_precision_name(precision))
             : g_strdup(path);
  g_autofree char *made_of = say_detail(info);
  g_autofree char *whole = g_str_equal(made_of, self->detail)
                               ? g_strdup(tip)
                               : g_strdup_printf("%s\n%s\n%s", self->detail, made_of, tip);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), whole);
  if (info->problem) {
    gtk_widget_add_css_class(GTK_WIDGET(self), "broken");
    /* What is wrong is not cut off. */
    gtk_label_set_wrap(GTK_LABEL(self->text), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(self->text), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_ellipsize(GTK_LABEL(self->text), PANGO_ELLIPSIZE_NONE);
  }
  regard_model_row_set_running(self, FALSE);
  return GTK_WIDGET(self);
}

/* ==== The list ================================================================================ */

/* So many can be overlooked no more; then there is a search. */
#define MOST_WITHOUT_SEARCH 8
/* A folder that is being copied changes many times a second. */
#define LOOK_AGAIN_AFTER_MS 500

struct _RegardModelChooser {
  GtkPopover parent_instance;
  GtkEditable *search;
  GtkScrolledWindow *scroller;
  GtkListBox *list;
  GtkLabel *placeholder, *explanation, *folder;

  GSettings *settings;
  GPtrArray *infos; /* what the rows show; NULL: nobody has looked yet */
  guint n_left_out;
  char *words; /* all that the rows say, to see whether they are still true */
  RegardWork *looking;
  GFileMonitor *monitor;
  guint look_timeout;

  char **searched; /* words, case-folded */
  char *running, *loading;
  double share;
};

G_DEFINE_FINAL_TYPE(RegardModelChooser, regard_model_chooser, GTK_TYPE_POPOVER)

/* How the rest of the window calls a model. */
static const char *
id_of(const RegardModelInfo *info)
{
  return info->place == REGARD_MODEL_BUNDLED ? "" : info->path;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static RegardModelRow *
row_at(RegardModelChooser *self, int i)
{
  return REGARD_MODEL_ROW(gtk_list_box_get_row_at_index(self->list, i));
}

static void
update_row(RegardModelChooser *self, RegardModelRow *row)
{
  const char *id = id_of(regard_model_row_get_info(row));
  regard_model_row_set_running(row, g_strcmp0(id, self->running) == 0);
  regard_model_row_set_share(row, g_strcmp0(id, self->loading) == 0 ? self->share : -1);
}

static void
update_rows(RegardModelChooser *self)
{
  for (guint i = 0; self->infos && i < self->infos->len; i++)
    update_row(self, row_at(self, (int) i));
}

/* The row of a model, else NULL. */
static GtkWidget *
find_row(RegardModelChooser *self, const char *id)
{
  for (guint i = 0; id && self->infos && i < self->infos->len; i++)
    if (g_str_equal(id_of(self->infos->pdata[i]), id))
      return GTK_WIDGET(row_at(self, (int) i));
  return NULL;
}

static GtkWidget *
first_row(RegardModelChooser *self)
{
  for (guint i = 0; self->infos && i < self->infos->len; i++) {
    GtkWidget *row = GTK_WIDGET(row_at(self, (int) i));
    if (gtk_widget_get_child_visible(row))
      return row;
  }
  return NULL;
}

static void
on_row_cancelled(RegardModelRow *row, RegardModelChooser *self)
{
  gtk_widget_grab_focus(GTK_WIDGET(row));
  g_signal_emit_by_name(self, "cancelled");
}

static void look(RegardModelChooser *self);

static void
forget(RegardModelChooser *self, RegardModelRow *row)
{
  g_autofree char *path = g_strdup(regard_model_row_get_info(row)->path);
  int i = gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(row));
  /* The keyboard goes on where the row was. */
  GtkListBoxRow *next = gtk_list_box_get_row_at_index(self->list, i + 1);
  if (!next)
    next = gtk_list_box_get_row_at_index(self->list, i - 1);
  if (next)
    gtk_widget_grab_focus(GTK_WIDGET(next));
  g_signal_emit_by_name(self, "forgotten", path);
  look(self);
}

static void
on_row_forgotten(RegardModelRow *row, RegardModelChooser *self)
{
  forget(self, row);
}

static const char *
section_title(RegardModelOrigin place)
{
  switch (place) {
  case REGARD_MODEL_BUNDLED:
  case REGARD_MODEL_TEACHING:
    /* Translators: a title above models that came with the program */
    return _("Bundled");
  case REGARD_MODEL_RECENT:
    return _("Recent");
  case REGARD_MODEL_FOUND:
  default:
    return _("Found on This Computer");
  }
}

static void
update_header(GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  const char *title = section_title(regard_model_row_get_info(REGARD_MODEL_ROW(row))->place);
  if (before &&
      title == section_title(regard_model_row_get_info(REGARD_MODEL_ROW(before))->place)) {
    gtk_list_box_row_set_header(row, NULL);
    return;
  }
  GtkWidget *label = gtk_label_new(title);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_widget_add_css_class(label, "section-title");
  gtk_list_box_row_set_header(row, label);
}

static gboolean
is_wanted(GtkListBoxRow *row, gpointer data)
{
  RegardModelChooser *self = data;
  return !self->searched ||
         regard_model_row_matches(REGARD_MODEL_ROW(row), (const char *const *) self->searched);
}

static void
explain(RegardModelChooser *self)
{
  g_autofree char *folder = regard_model_list_folder();
  g_autofree char *shown = regard_paths_shorten(folder);
  g_autofree char *rest =
      g_strdup_printf(ngettext("%u more is not listed; open it by its folder.",
                               "%u more are not listed; open them by their folders.",
                               self->n_left_out),
                      self->n_left_out);
  gtk_label_set_text(self->explanation,
                     self->n_left_out ? rest : _("Folders and zip archives put here are listed:"));
  gtk_label_set_text(self->folder, shown);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->folder), folder);
}

/* The keyboard goes to the row of this model; where there is none, to that of the one that runs, or
 * to the first. */
static void
focus_row(RegardModelChooser *self, const char *id)
{
  GtkWidget *row = id ? find_row(self, id) : NULL;
  if (!row)
    row = find_row(self, self->running);
  if (!row)
    row = first_row(self);
  if (row)
    gtk_widget_grab_focus(row);
}

/* Rows are made again only when they would say something else, so that neither the keyboard's
 * place nor the scrolling is lost for nothing. */
static void
show_infos(RegardModelChooser *self, GPtrArray *infos, guint n_left_out)
{
  g_autoptr(GString) words = g_string_new(NULL);
  for (guint i = 0; i < infos->len; i++) {
    const RegardModelInfo *info = infos->pdata[i];
    g_autofree char *detail = say_detail(info);
    g_string_append_printf(words, "%d\n%s\n%s\n%s\n", (int) info->place, info->path, info->title,
                           detail);
  }
  self->n_left_out = n_left_out;
  explain(self);
  if (g_strcmp0(words->str, self->words) == 0)
    return;
  g_free(self->words);
  self->words = g_strdup(words->str);

  GtkWidget *focus = gtk_widget_get_focus_child(GTK_WIDGET(self->list)), *child;
  g_autofree char *focused =
      focus && REGARD_IS_MODEL_ROW(focus)
          ? g_strdup(id_of(regard_model_row_get_info(REGARD_MODEL_ROW(focus))))
          : NULL;
  /* Rows borrow from the old list. */
  g_autoptr(GPtrArray) old = g_steal_pointer(&self->infos);
  while ((child = GTK_WIDGET(gtk_list_box_get_row_at_index(self->list, 0))))
    gtk_list_box_remove(self->list, child);
  self->infos = g_ptr_array_ref(infos);
  g_autofree char *name = g_settings_get_string(self->settings, "precision");
  mt_precision precision = MT_PRECISION_STORED;
  mt_precision_find(name, &precision);
  for (guint i = 0; i < infos->len; i++) {
    GtkWidget *row = regard_model_row_new(infos->pdata[i], precision);
    g_signal_connect(row, "cancelled", G_CALLBACK(on_row_cancelled), self);
    g_signal_connect(row, "forgotten", G_CALLBACK(on_row_forgotten), self);
    update_row(self, REGARD_MODEL_ROW(row));
    gtk_list_box_append(self->list, row);
  }
  gtk_widget_set_visible(GTK_WIDGET(self->search), infos->len > MOST_WITHOUT_SEARCH);
  if (infos->len <= MOST_WITHOUT_SEARCH)
    gtk_editable_set_text(self->search, "");
  /* The row that had the keyboard went away, and GTK gave that to the search, or to nobody. Who has
   * gone to a button, or searches, stays there. */
  GtkWidget *now = gtk_root_get_focus(gtk_widget_get_root(GTK_WIDGET(self)));
  const gboolean is_at_button = now && gtk_widget_is_ancestor(now, GTK_WIDGET(self)) &&
                                !gtk_widget_is_ancestor(now, GTK_WIDGET(self->search));
  if (gtk_widget_get_mapped(GTK_WIDGET(self)) && !*gtk_editable_get_text(self->search) &&
      (focused || !old || !is_at_button))
    focus_row(self, focused);
}

/* ---- Looking ------------------------------------------------------------------------------- */

typedef struct {
  char **recent;
  guint n_left_out; /* of what was found */
} Look;

static void
look_clear(gpointer data)
{
  g_strfreev(((Look *) data)->recent);
}

static gpointer
scan(RegardRun *run, mt_error *error)
{
  Look *wanted = regard_run_get_params(run);
  return regard_model_list_scan((const char *const *) wanted->recent,
                                regard_run_get_cancellable(run), &wanted->n_left_out);
}

static const RegardTask scanning = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(Look),
    .compute = scan,
    .clear_params = look_clear,
    .free_result = (GDestroyNotify) g_ptr_array_unref,
};

static void
on_looked(gpointer owner, RegardRun *run)
{
  g_autoptr(GPtrArray) infos = regard_run_finish(run, NULL);
  show_infos(owner, infos, ((Look *) regard_run_get_params(run))->n_left_out);
}

static void
stop_looking(RegardModelChooser *self)
{
  g_clear_handle_id(&self->look_timeout, g_source_remove);
  regard_work_drop(self->looking);
}

static void
look(RegardModelChooser *self)
{
  stop_looking(self);
  const Look wanted = {.recent = g_settings_get_strv(self->settings, "recent-models")};
  regard_work_run(self->looking, &scanning, NULL, &wanted, on_looked);
}

static gboolean
on_look_again(gpointer data)
{
  RegardModelChooser *self = data;
  self->look_timeout = 0;
  look(self);
  return G_SOURCE_REMOVE;
}

static void
on_folder_changed(RegardModelChooser *self)
{
  if (!self->look_timeout)
    self->look_timeout = g_timeout_add(LOOK_AGAIN_AFTER_MS, on_look_again, self);
}

gboolean
regard_model_chooser_is_busy(RegardModelChooser *self)
{
  return regard_work_is_busy(self->looking);
}

static void
regard_model_chooser_map(GtkWidget *widget)
{
  RegardModelChooser *self = REGARD_MODEL_CHOOSER(widget);
  GTK_WIDGET_CLASS(regard_model_chooser_parent_class)->map(widget);
  g_autofree char *path = regard_model_list_folder();
  g_autoptr(GFile) folder = g_file_new_for_path(path);
  self->monitor = g_file_monitor_directory(folder, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor)
    regard_observe(self->monitor, self, on_folder_changed, "changed");
  explain(self);
  look(self);
  focus_row(self, NULL);
}

static void
regard_model_chooser_unmap(GtkWidget *widget)
{
  RegardModelChooser *self = REGARD_MODEL_CHOOSER(widget);
  stop_looking(self);
  g_clear_object(&self->monitor);
  gtk_editable_set_text(self->search, "");
  GTK_WIDGET_CLASS(regard_model_chooser_parent_class)->unmap(widget);
}

/* ---- The person ---------------------------------------------------------------------------- */

static void
on_row_activated(RegardModelChooser *self, GtkListBoxRow *row)
{
  g_autofree char *id = g_strdup(id_of(regard_model_row_get_info(REGARD_MODEL_ROW(row))));
  if (g_strcmp0(id, self->loading) == 0)
    return;
  if (!self->loading && g_strcmp0(id, self->running) == 0)
    gtk_popover_popdown(GTK_POPOVER(self));
  else
    g_signal_emit_by_name(self, "chosen", id);
}

static void
on_search_changed(RegardModelChooser *self)
{
  g_autofree char *folded = g_utf8_casefold(gtk_editable_get_text(self->search), -1);
  g_strfreev(self->searched);
  self->searched = g_strsplit(folded, " ", -1);
  gtk_list_box_invalidate_filter(self->list);
}

/* What is typed over a row is searched, and goes on where it is seen: the row may be filtered out,
 * and Escape there would close the list. */
static void
on_search_typed(RegardModelChooser *self)
{
  GtkWidget *entry = GTK_WIDGET(self->search);
  GtkWidget *focus = gtk_root_get_focus(gtk_widget_get_root(entry));
  if (!*gtk_editable_get_text(self->search) || !gtk_widget_get_mapped(entry) ||
      (focus && gtk_widget_is_ancestor(focus, entry)))
    return;
  gtk_text_grab_focus_without_selecting(GTK_TEXT(gtk_editable_get_delegate(self->search)));
  gtk_editable_set_position(self->search, -1);
}

/* Escape: first what was searched goes, then the list. */
static void
on_stop_search(RegardModelChooser *self)
{
  if (*gtk_editable_get_text(self->search))
    gtk_editable_set_text(self->search, "");
  else
    gtk_popover_popdown(GTK_POPOVER(self));
}

static void
on_search_activate(RegardModelChooser *self)
{
  GtkWidget *row = first_row(self);
  if (row)
    on_row_activated(self, GTK_LIST_BOX_ROW(row));
}

static gboolean
on_search_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
              RegardModelChooser *self)
{
  GtkWidget *row = keyval == GDK_KEY_Down || keyval == GDK_KEY_KP_Down ? first_row(self) : NULL;
  if (row)
    gtk_widget_grab_focus(row);
  return row != NULL;
}

static gboolean
on_list_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
            RegardModelChooser *self)
{
  GtkWidget *row = gtk_widget_get_focus_child(GTK_WIDGET(self->list));
  gboolean is_delete = keyval == GDK_KEY_Delete || keyval == GDK_KEY_KP_Delete;
  if (!is_delete || !row || !REGARD_IS_MODEL_ROW(row) ||
      regard_model_row_get_info(REGARD_MODEL_ROW(row))->place != REGARD_MODEL_RECENT)
    return FALSE;
  forget(self, REGARD_MODEL_ROW(row));
  return TRUE;
}

static void
on_show_folder(RegardModelChooser *self)
{
  g_autofree char *path = regard_model_list_folder();
  g_mkdir_with_parents(path, 0755);
  gtk_popover_popdown(GTK_POPOVER(self));
  g_signal_emit_by_name(self, "show-file", path);
}

static void
on_show_help(RegardModelChooser *self)
{
  g_autofree char *path = regard_paths_document("models.md");
  gtk_popover_popdown(GTK_POPOVER(self));
  g_signal_emit_by_name(self, "show-file", path);
}

/* ---- State --------------------------------------------------------------------------------- */

void
regard_model_chooser_set_running(RegardModelChooser *self, const char *path)
{
  g_free(self->running);
  self->running = g_strdup(path);
  update_rows(self);
}

void
regard_model_chooser_set_loading(RegardModelChooser *self, const char *path, double share)
{
  gboolean is_same = g_strcmp0(path, self->loading) == 0;
  self->share = path ? share : -1;
  if (!is_same) {
    g_free(self->loading);
    self->loading = g_strdup(path);
    update_rows(self);
  } else if (path) {
    GtkWidget *row = find_row(self, path);
    if (row)
      regard_model_row_set_share(REGARD_MODEL_ROW(row), share);
  }
}

static void
regard_model_chooser_dispose(GObject *object)
{
  RegardModelChooser *self = REGARD_MODEL_CHOOSER(object);
  stop_looking(self);
  g_clear_object(&self->looking);
  g_clear_object(&self->monitor);
  G_OBJECT_CLASS(regard_model_chooser_parent_class)->dispose(object);
}

static void
regard_model_chooser_finalize(GObject *object)
{
  RegardModelChooser *self = REGARD_MODEL_CHOOSER(object);
  g_clear_pointer(&self->infos, g_ptr_array_unref);
  g_clear_object(&self->settings);
  g_strfreev(self->searched);
  g_free(self->words);
  g_free(self->running);
  g_free(self->loading);
  G_OBJECT_CLASS(regard_model_chooser_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardModelChooser, name)

static void
regard_model_chooser_class_init(RegardModelChooserClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(search),      CHILD(scroller),
                                                 CHILD(list),        CHILD(placeholder),
                                                 CHILD(explanation), CHILD(folder),
                                                 {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_model_chooser_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_model_chooser_finalize;
  widget_class->map = regard_model_chooser_map;
  widget_class->unmap = regard_model_chooser_unmap;
  regard_add_signal(klass, "chosen", 1, G_TYPE_STRING);
  regard_add_signal(klass, "cancelled", 0);
  regard_add_signal(klass, "forgotten", 1, G_TYPE_STRING);
  regard_add_signal(klass, "show-file", 1, G_TYPE_STRING);
  regard_set_template(klass, "regard-model-chooser.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback(widget_class, on_stop_search);
  gtk_widget_class_bind_template_callback(widget_class, on_search_activate);
  gtk_widget_class_bind_template_callback(widget_class, on_row_activated);
  gtk_widget_class_bind_template_callback(widget_class, on_show_folder);
  gtk_widget_class_bind_template_callback(widget_class, on_show_help);
  gtk_widget_class_bind_template_callback(widget_class, gtk_popover_popdown);
}

static void
add_keys(RegardModelChooser *self, GtkWidget *widget, GCallback pressed, GtkPropagationPhase phase)
{
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, phase);
  g_signal_connect(keys, "key-pressed", pressed, self);
  gtk_widget_add_controller(widget, keys);
}

static void
regard_model_chooser_init(RegardModelChooser *self)
{
  self->share = -1;
  self->looking = regard_work_new(self);
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_label_set_text(self->placeholder, _("No model like this"));
  g_signal_connect_swapped(self->search, "changed", G_CALLBACK(on_search_typed), self);
  gtk_list_box_set_header_func(self->list, update_header, NULL, NULL);
  gtk_list_box_set_filter_func(self->list, is_wanted, self, NULL);
  gtk_search_entry_set_key_capture_widget(GTK_SEARCH_ENTRY(self->search), GTK_WIDGET(self));
  add_keys(self, GTK_WIDGET(self->search), G_CALLBACK(on_search_key), GTK_PHASE_CAPTURE);
  add_keys(self, GTK_WIDGET(self->list), G_CALLBACK(on_list_key), GTK_PHASE_BUBBLE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Models"),
                                 -1);
}

GtkWidget *
regard_model_chooser_new(GSettings *settings)
{
  RegardModelChooser *self = g_object_new(REGARD_TYPE_MODEL_CHOOSER, NULL);
  self->settings = g_object_ref(settings);
  return GTK_WIDGET(self);
}
