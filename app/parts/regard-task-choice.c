/* regard-task-choice.c — what a model is told to do, by words before the text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-task-choice.h"

#include "base/regard-error.h"
#include "base/regard-settings.h"
#include "base/regard-signals.h"
#include <glib/gi18n.h>
#include <string.h>

#define SETTING     "tasks"
#define LEAST_CHARS 8 /* of the entry */
#define USUAL_CHARS 28

struct _RegardTaskChoice {
  GtkWidget parent_instance;
  GtkWidget *label;
  GtkDropDown *drop_down; /* none, and then the model's tasks in their order */
  GtkEditable *entry;
  GSettings *settings;
  RegardDocument *document;
  char *key;           /* of the model */
  gboolean is_setting; /* the program chooses, not the person */
};

G_DEFINE_FINAL_TYPE(RegardTaskChoice, regard_task_choice, GTK_TYPE_WIDGET)

/* ---- What is remembered -------------------------------------------------------------------- */

/* task is "" for none, and *prefix NULL for that of the task. Caller frees both. */
static gboolean
recall(const RegardTaskChoice *self, char **task, char **prefix)
{
  g_autoptr(GVariant) all = g_settings_get_value(self->settings, SETTING);
  g_autoptr(GVariant) own = g_variant_lookup_value(all, self->key, G_VARIANT_TYPE("(sms)"));
  if (!own)
    return FALSE;
  g_variant_get(own, "(sms)", task, prefix);
  return TRUE;
}

static void
remember(const RegardTaskChoice *self, const char *task, const char *prefix)
{
  regard_settings_keep_of_model(self->settings, SETTING, self->key,
                                g_variant_new("(sms)", task, prefix));
}

/* ---- What is chosen ------------------------------------------------------------------------ */

/* NULL: none. */
static const mt_task *
chosen(const RegardTaskChoice *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  const guint i = gtk_drop_down_get_selected(self->drop_down);
  return model && i > 0 && i <= mt_model_n_tasks(model) ? mt_model_task(model, i - 1) : NULL;
}

/* What is typed has room. */
static gboolean
check_entry(RegardTaskChoice *self)
{
  mt_request ignored = {0};
  mt_error error = {0};
  const gboolean fits =
      mt_request_set_task_prefix(&ignored, gtk_editable_get_text(self->entry), &error);
  g_autoptr(GError) wrong = NULL;
  if (!fits)
    regard_error_set_from_mt(&wrong, &error);
  if (fits)
    gtk_widget_remove_css_class(GTK_WIDGET(self->entry), "error");
  else
    gtk_widget_add_css_class(GTK_WIDGET(self->entry), "error");
  gtk_widget_set_tooltip_text(
      GTK_WIDGET(self->entry),
      fits ? _("What stands before the text and tells the model what to do, with the space at its "
               "end; Enter takes it")
           : wrong->message);
  return fits;
}

static void
tell(RegardTaskChoice *self, const mt_task *task, const char *prefix)
{
  const char *name = task ? task->name : "";
  if (prefix && g_str_equal(prefix, task ? task->prefix : ""))
    prefix = NULL; /* nothing of one's own */
  remember(self, name, prefix);
  regard_document_set_task(self->document, name, prefix);
}

static void
take_entry(RegardTaskChoice *self)
{
  if (!self->is_setting && self->document && check_entry(self))
    tell(self, chosen(self), gtk_editable_get_text(self->entry));
}

/* Another task comes with its own prefix. */
static void
on_selected(RegardTaskChoice *self)
{
  if (!self->is_setting && gtk_drop_down_get_selected(self->drop_down) != GTK_INVALID_LIST_POSITION)
    tell(self, chosen(self), NULL);
}

static void
on_left(RegardTaskChoice *self)
{
  if (!gtk_widget_in_destruction(GTK_WIDGET(self)))
    take_entry(self);
}

/* ---- From the document --------------------------------------------------------------------- */

/* Of this window, or from elsewhere, as from a session, which is not remembered for the model. */
static void
on_task(RegardTaskChoice *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  if (!model)
    return;
  const mt_search_params params =
      mt_request_resolve(regard_document_get_search(self->document), model);
  guint place = 0;
  for (guint i = 0; i < mt_model_n_tasks(model); i++)
    if (params.task == mt_model_task(model, i))
      place = i + 1;
  self->is_setting = TRUE;
  gtk_drop_down_set_selected(self->drop_down, place);
  if (!g_str_equal(gtk_editable_get_text(self->entry), params.task_prefix))
    gtk_editable_set_text(self->entry, params.task_prefix);
  self->is_setting = FALSE;
  check_entry(self);
}

static void
update_visible(RegardTaskChoice *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  const gboolean has_tasks = model && mt_model_n_tasks(model) > 0;
  const gboolean takes_prefix = model && mt_model_takes_prefix(model);
  const gboolean is_told_languages = model && mt_model_n_languages(model) > 0;
  gtk_widget_set_visible(GTK_WIDGET(self->drop_down), has_tasks);
  gtk_widget_set_visible(GTK_WIDGET(self->entry), takes_prefix);
  gtk_label_set_mnemonic_widget(GTK_LABEL(self->label),
                                has_tasks ? GTK_WIDGET(self->drop_down) : GTK_WIDGET(self->entry));
  gtk_widget_set_visible(GTK_WIDGET(self),
                         (has_tasks || takes_prefix) && !is_told_languages &&
                             !regard_document_get_imported_capture(self->document));
}

/* As it is remembered, if the model still has it. */
static void
on_model(RegardTaskChoice *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  g_autofree char *task = NULL, *prefix = NULL;
  mt_request checked = {0};
  mt_error error = {0};
  if (!model)
    return;
  g_free(self->key);
  self->key = g_utf8_make_valid(regard_document_get_model_dir(self->document), -1);
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  gtk_string_list_append(names, _("no task"));
  for (gsize i = 0; i < mt_model_n_tasks(model); i++)
    gtk_string_list_append(names, mt_model_task(model, i)->name);
  self->is_setting = TRUE;
  gtk_drop_down_set_model(self->drop_down, G_LIST_MODEL(names));
  self->is_setting = FALSE;
  update_visible(self);
  const gboolean is_kept = gtk_widget_get_visible(GTK_WIDGET(self)) && recall(self, &task, &prefix);
  const gboolean is_there = is_kept && (!*task || mt_model_find_task(model, task));
  const gboolean has_prefix = is_there && prefix && mt_model_takes_prefix(model) &&
                              mt_request_set_task_prefix(&checked, prefix, &error);
  regard_document_set_task(self->document, is_there ? task : "", has_prefix ? prefix : NULL);
  on_task(self);
}

void
regard_task_choice_set_document(RegardTaskChoice *self, RegardDocument *document,
                                GSettings *settings)
{
  g_return_if_fail(REGARD_IS_TASK_CHOICE(self) && !self->document);
  self->document = g_object_ref(document);
  self->settings = g_object_ref(settings);
  regard_observe(document, self, on_model, "changed::model");
  regard_observe(document, self, on_task, "changed::task");
  regard_observe(document, self, update_visible, "changed::foreign");
  on_model(self);
}

/* ---- The widget ---------------------------------------------------------------------------- */

static void
regard_task_choice_dispose(GObject *object)
{
  for (GtkWidget *child; (child = gtk_widget_get_first_child(GTK_WIDGET(object)));)
    gtk_widget_unparent(child);
  G_OBJECT_CLASS(regard_task_choice_parent_class)->dispose(object);
}

static void
regard_task_choice_finalize(GObject *object)
{
  RegardTaskChoice *self = REGARD_TASK_CHOICE(object);
  g_clear_object(&self->settings);
  g_clear_object(&self->document);
  g_free(self->key);
  G_OBJECT_CLASS(regard_task_choice_parent_class)->finalize(object);
}

static void
regard_task_choice_class_init(RegardTaskChoiceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  object_class->dispose = regard_task_choice_dispose;
  object_class->finalize = regard_task_choice_finalize;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "taskchoice");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BOX_LAYOUT);
}

static void
add_entry(RegardTaskChoice *self)
{
  GtkWidget *entry = gtk_entry_new();
  GtkEventController *focus = gtk_event_controller_focus_new();
  self->entry = GTK_EDITABLE(entry);
  gtk_editable_set_width_chars(self->entry, LEAST_CHARS);
  gtk_editable_set_max_width_chars(self->entry, USUAL_CHARS);
  gtk_entry_set_placeholder_text(GTK_ENTRY(entry), _("before the text"));
  gtk_widget_set_hexpand(entry, TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Words before the text"), -1);
  g_signal_connect_swapped(entry, "activate", G_CALLBACK(take_entry), self);
  g_signal_connect_object(entry, "changed", G_CALLBACK(check_entry), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(focus, "leave", G_CALLBACK(on_left), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller(entry, focus);
}

static void
regard_task_choice_init(RegardTaskChoice *self)
{
  self->key = g_strdup("");
  self->drop_down = GTK_DROP_DOWN(gtk_drop_down_new(NULL, NULL));
  self->label = gtk_label_new_with_mnemonic(C_("task", "tas_k"));
  gtk_widget_set_tooltip_text(
      GTK_WIDGET(self->drop_down),
      _("Task of the model: words before the text, and how it is searched"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Task of the model"), -1);
  add_entry(self);
  gtk_widget_set_parent(self->label, GTK_WIDGET(self));
  gtk_widget_set_parent(GTK_WIDGET(self->drop_down), GTK_WIDGET(self));
  gtk_widget_set_parent(GTK_WIDGET(self->entry), GTK_WIDGET(self));
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
  g_signal_connect_swapped(self->drop_down, "notify::selected", G_CALLBACK(on_selected), self);
}
