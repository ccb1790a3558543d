/* regard-application.c — the process: command line, windows, what is common to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * regard [--model DIR] [TEXT… | FILE.npz | FILE.regard | FILE.regard-talk | FILE.regard-corpus |
 * FILE.lesson.md | FILE.regard-figure | MODEL]: a second start hands its text or file to the window
 * that is open, unless --new-instance asks for a program of its own.
 */
#include "window/regard-application.h"

#include "base/regard-engine-info.h"
#include "base/regard-settings.h"
#include "document/regard-file-kinds.h"
#include "export/regard-sheet-file.h"
#include "figures/regard-language.h"
#include "learn/regard-lesson.h"
#include "models/regard-model-info.h"
#include "models/regard-model-list.h"
#include "parts/regard-help.h"
#include "talk/regard-talk.h"
#include "views/regard-view.h"
#include <adwaita.h>
#include <locale.h>
#include <mt.h>
#include <string.h>

/* ==== The program's style sheets, as the desktop's style asks for them ======================== */

#define SHEETS "/io/github/regard/Regard/css/"

static void
add_sheet(GdkDisplay *display, const char *name, GtkCssProvider **sheet, gboolean is_wanted)
{
  if (is_wanted == (*sheet != NULL))
    return;
  if (is_wanted) {
    g_autofree char *path = g_strconcat(SHEETS, name, NULL);
    *sheet = gtk_css_provider_new();
    gtk_css_provider_load_from_resource(*sheet, path);
    gtk_style_context_add_provider_for_display(display, GTK_STYLE_PROVIDER(*sheet),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  } else {
    gtk_style_context_remove_provider_for_display(display, GTK_STYLE_PROVIDER(*sheet));
    g_clear_object(sheet);
  }
}

/* The later of two sheets of one priority counts: contrast comes after darkness. */
static void
update(AdwStyleManager *manager)
{
  static GtkCssProvider *all, *dark, *contrast;
  GdkDisplay *display = gdk_display_get_default();
  gboolean is_dark = adw_style_manager_get_dark(manager);
  if (is_dark != (dark != NULL))
    add_sheet(display, "contrast.css", &contrast, FALSE);
  add_sheet(display, "all.css", &all, TRUE);
  add_sheet(display, "dark.css", &dark, is_dark);
  add_sheet(display, "contrast.css", &contrast, adw_style_manager_get_high_contrast(manager));
}

/* Loads the style sheets for this display and keeps them fitting: one for all, one more in the
 * dark, one more in high contrast. To be called once, when the application starts. libadwaita would
 * load them by their names, but from release 1.10 on it complains of that, and what it offers
 * instead GTK 4.8 cannot read. */
static void
regard_style_load(AdwStyleManager *manager)
{
  g_signal_connect(manager, "notify::dark", G_CALLBACK(update), NULL);
  g_signal_connect(manager, "notify::high-contrast", G_CALLBACK(update), NULL);
  update(manager);
}

/* ==== The application ========================================================================= */

struct _RegardApplication {
  AdwApplication parent_instance;
  GSettings *settings;
  gboolean opens_early;    /* nothing on the command line says another model */
  gboolean is_first_start; /* nobody used the program before; until the welcome is shown */
  RegardDocument *early;   /* of the first window; NULL: that is there, or makes its own */
};

G_DEFINE_FINAL_TYPE(RegardApplication, regard_application, ADW_TYPE_APPLICATION)

static const GOptionEntry entries[] = {
    /* Translators: DIR and [TEXT… | FILE] stand for arguments of the command line */
    {"model", 'm', 0, G_OPTION_ARG_FILENAME, NULL,
     N_("Open the model in this folder or archive, or of this name"), N_("DIR")},
    {"new-instance", 0, 0, G_OPTION_ARG_NONE, NULL,
     N_("Do not hand over to a window that is open already"), NULL},
    {"version", 0, 0, G_OPTION_ARG_NONE, NULL, N_("Show the version and exit"), NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, NULL, NULL, N_("[TEXT… | FILE]")},
    {NULL},
};

/* ---- Actions ------------------------------------------------------------------------------- */

static void
quit(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GApplication *application = G_APPLICATION(data);
  GList *windows;
  /* Through close-request, where a window remembers itself. */
  while ((windows = gtk_application_get_windows(GTK_APPLICATION(application)))) {
    GtkWindow *window = windows->data;
    gtk_window_close(window);
    windows = gtk_application_get_windows(GTK_APPLICATION(application));
    if (windows && windows->data == window)
      break;
  }
  g_application_quit(application);
}

static void
about(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autofree char *engine = regard_engine_info_text();
  g_autofree char *debug_info =
      g_strdup_printf("Regard " MT_VERSION "\n%sGTK %u.%u.%u, libadwaita %u.%u.%u\n", engine,
                      gtk_get_major_version(), gtk_get_minor_version(), gtk_get_micro_version(),
                      adw_get_major_version(), adw_get_minor_version(), adw_get_micro_version());
  regard_newer_show_about(
      gtk_application_get_active_window(GTK_APPLICATION(data)), MT_VERSION,
      _("See what a Transformer attends to while it translates: every head of every layer of the "
        "three attentions, and the positional encodings."),
      debug_info);
}

static RegardWindow *
find_window(RegardApplication *self)
{
  GList *windows = gtk_application_get_windows(GTK_APPLICATION(self));
  for (; windows; windows = windows->next)
    if (REGARD_IS_WINDOW(windows->data))
      return windows->data;
  return NULL;
}

/* Beside one that is there: with the same model, and what one looks at of its own. */
static void
new_window(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  RegardApplication *self = REGARD_APPLICATION(data);
  RegardWindow *before = find_window(self);
  if (!before) {
    gtk_window_present(GTK_WINDOW(regard_application_add_window(self)));
    return;
  }
  g_autoptr(GSettings) settings = regard_settings_new_beside(self->settings);
  g_settings_set_string(settings, "text", "");
  const char *model = regard_document_get_model_dir(regard_window_get_document(before));
  RegardDocument *document =
      model ? regard_document_new() : regard_window_new_document(self->settings);
  if (model)
    regard_document_open_model(document, model);
  gtk_window_present(GTK_WINDOW(regard_window_new(GTK_APPLICATION(self), settings, document)));
}

static const GActionEntry actions[] = {
    {"quit", quit},
    {"new-window", new_window},
    {"about", about},
};

static const struct {
  const char *action;
  const char *accels[4];
} accels[] = {
    {"app.quit", {"<Control>q"}},
    {"window.close", {"<Control>w"}},
    {"win.open-model", {"<Control>o"}},
    {"win.open-model-file", {"<Control><Shift>o"}},
    {"win.show-models", {"<Control>m"}},
    {"app.new-window", {"<Control>n"}},
    {"win.save-session", {"<Control>s"}},
    {"win.save-session-as", {"<Control><Shift>s"}},
    {"win.open-session", {"<Control><Alt>o"}},
    {"win.step-session(1)", {"<Control><Shift>Page_Down"}},
    {"win.step-session(-1)", {"<Control><Shift>Page_Up"}},
    {"win.export", {"<Control>e"}},
    {"win.export-capture", {"<Control><Shift>e"}},
    {"win.add-to-figure", {"<Control><Alt>e"}},
    {"win.copy", {"<Control><Shift>c"}},
    {"win.focus-source", {"<Control>l"}},
    {"win.own-translation", {"<Control>t"}},
    {"win.keep-reference", {"<Control>r"}},
    {"win.show-changes", {"<Control>k"}},
    {"win.edit-changes", {"<Control><Shift>k"}},
    {"win.copy-changes", {"<Control><Alt>c"}},
    {"win.copy-directives", {"<Control><Shift>l"}},
    {"win.paste-changes", {"<Control><Shift>v"}},
    {"win.compare", {"<Control>d"}},
    {"win.undo", {"<Control>z"}},
    {"win.redo", {"<Control><Shift>z", "<Control>y"}},
    {"win.preferences", {"<Control>comma"}},
    {"win.fullscreen", {"F11"}},
    {"win.present", {"F5"}},
    {"win.give-from-here", {"<Shift>F5"}},
    {"win.swap-screens", {"<Control>F5"}},
    {"win.record-slide", {"<Control><Shift>r"}},
    {"win.next-pane(1)", {"F6"}},
    {"win.next-pane(-1)", {"<Shift>F6"}},
    {"win.step-sentence(1)", {"<Alt>Down"}},
    {"win.step-sentence(-1)", {"<Alt>Up"}},
    {"win.step-training(1)", {"<Alt>Page_Down"}},
    {"win.step-training(-1)", {"<Alt>Page_Up"}},
    {"win.help", {"F1"}},
    {"win.legend", {"<Shift>F1"}},
    {"win.glossary", {"<Control>g"}},
    {"win.show-help-overlay", {"<Control>question", "<Control>F1"}},
    {"win.learn", {"F4"}},
    {"win.lesson-next", {"<Alt>Right"}},
    {"win.lesson-back", {"<Alt>Left"}},
    {"win.lesson-focus", {"<Control>j"}},
    {"win.show-heads", {"F9"}},
    {"win.show-details", {"<Shift>F9"}},
};

static void
add_actions(RegardApplication *self)
{
  GtkApplication *application = GTK_APPLICATION(self);
  g_action_map_add_action_entries(G_ACTION_MAP(self), actions, G_N_ELEMENTS(actions), self);
  g_autoptr(GAction) style = g_settings_create_action(self->settings, "style");
  g_action_map_add_action(G_ACTION_MAP(self), style);
  for (guint i = 0; i < G_N_ELEMENTS(accels); i++)
    gtk_application_set_accels_for_action(application, accels[i].action,
                                          (const char *const *) accels[i].accels);
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  for (guint i = 0; i < MIN(n, 9); i++) {
    g_autofree char *action = g_strdup_printf("win.go-to-view::%s", views[i].id);
    g_autofree char *accel = g_strdup_printf("<Alt>%u", i + 1);
    const char *const list[] = {accel, NULL};
    gtk_application_set_accels_for_action(application, action, list);
  }
}

static void
apply_style(RegardApplication *self)
{
  g_autofree char *style = g_settings_get_string(self->settings, "style");
  AdwStyleManager *manager = adw_application_get_style_manager(ADW_APPLICATION(self));
  adw_style_manager_set_color_scheme(manager,
                                     g_str_equal(style, "light")  ? ADW_COLOR_SCHEME_FORCE_LIGHT
                                     : g_str_equal(style, "dark") ? ADW_COLOR_SCHEME_FORCE_DARK
                                                                  : ADW_COLOR_SCHEME_DEFAULT);
}

/* ---- GApplication -------------------------------------------------------------------------- */

GSettings *
regard_application_get_settings(RegardApplication *self)
{
  return self->settings;
}

/* The user's locale, but for numbers, which the process prints with a point, in what is saved and
 * copied; what is read by people asks for the user's (regard-language.h). GTK would take the
 * locale's comma, too, and while a thread reads a model. */
static void
set_locale(void)
{
  if (!gtk_is_initialized()) {
    setlocale(LC_ALL, "");
    gtk_disable_setlocale();
  }
  regard_language_set_numbers("");
  setlocale(LC_NUMERIC, "C");
}

static void
begin(RegardApplication *self)
{
  set_locale();
  if (self->settings)
    return;
  self->settings = regard_settings_new();
  self->is_first_start = regard_settings_begin(self->settings);
}

void
regard_application_open_early(RegardApplication *self)
{
  begin(self);
  self->early = regard_window_new_document(self->settings);
}

static void
regard_application_startup(GApplication *application)
{
  RegardApplication *self = REGARD_APPLICATION(application);
  begin(self);
  if (self->opens_early)
    regard_application_open_early(self);
  G_APPLICATION_CLASS(regard_application_parent_class)->startup(application);
  regard_observe(self->settings, self, apply_style, "changed::style");
  apply_style(self);
  regard_style_load(adw_application_get_style_manager(ADW_APPLICATION(self)));
  add_actions(self);
}

static RegardWindow *
get_window(RegardApplication *self, const char *model)
{
  RegardWindow *window = find_window(self);
  if (!window && !model)
    return regard_application_add_window(self);
  if (!window)
    window = regard_window_new(GTK_APPLICATION(self), self->settings, NULL);
  if (model)
    regard_document_open_model(regard_window_get_document(window), model);
  return window;
}

/* Once, where nothing else was asked for. */
static void
welcome(RegardApplication *self, RegardWindow *window)
{
  if (self->is_first_start)
    regard_window_set_welcome(window, TRUE);
  self->is_first_start = FALSE;
}

RegardWindow *
regard_application_add_window(RegardApplication *self)
{
  RegardDocument *document = g_steal_pointer(&self->early);
  return regard_window_new(GTK_APPLICATION(self), self->settings,
                           document ? document : regard_window_new_document(self->settings));
}

static void
regard_application_activate(GApplication *application)
{
  RegardApplication *self = REGARD_APPLICATION(application);
  RegardWindow *window = get_window(self, NULL);
  welcome(self, window);
  gtk_window_present(GTK_WINDOW(window));
}

/* A file or folder by its looks: one that the window opens, whether it is there or not, and what is
 * there and is a model. A folder that is written as a path is meant as one, model or not. */
static gboolean
is_to_be_opened(const char *word, const char *path)
{
  if (regard_session_has_ending(path) || regard_capture_file_has_ending(path) ||
      regard_corpus_has_ending(path) || regard_talk_has_ending(path) ||
      regard_sheet_has_ending(path) || g_str_has_suffix(path, REGARD_LESSON_SUFFIX))
    return TRUE;
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return FALSE;
  if (strchr(word, G_DIR_SEPARATOR) && g_file_test(path, G_FILE_TEST_IS_DIR))
    return TRUE;
  g_autofree char *model = regard_model_path(path);
  g_autoptr(RegardModelInfo) info = regard_model_info_new(model, REGARD_MODEL_FOUND, FALSE);
  return info != NULL;
}

/* What a single word names that is no text; NULL: it is text. Caller frees. */
static char *
find_file(GApplicationCommandLine *line, const char *const *words)
{
  g_autoptr(GFile) file = g_application_command_line_create_file_for_arg(line, words[0]);
  g_autofree char *path = words[1] ? NULL : g_file_get_path(file);
  return path && is_to_be_opened(words[0], path) ? g_steal_pointer(&path) : NULL;
}

static int
regard_application_command_line(GApplication *application, GApplicationCommandLine *line)
{
  RegardApplication *self = REGARD_APPLICATION(application);
  GVariantDict *options = g_application_command_line_get_options_dict(line);
  const char *model = NULL;
  g_autofree const char **words = NULL;
  g_autofree char *path = NULL, *file = NULL;

  if (g_variant_dict_lookup(options, "model", "^&ay", &model)) {
    /* A path in the folder that this start came from, or a name in the list of models. */
    g_autoptr(GFile) folder = g_application_command_line_create_file_for_arg(line, model);
    g_auto(GStrv) recent = g_settings_get_strv(self->settings, "recent-models");
    path = g_file_get_path(folder);
    if (!path || !g_file_test(path, G_FILE_TEST_EXISTS)) {
      char *found = regard_model_list_resolve(model, (const char *const *) recent);
      if (g_file_test(found, G_FILE_TEST_EXISTS)) {
        g_free(path);
        path = found;
      } else
        g_free(found);
    }
  }
  const gboolean is_first = !find_window(self);
  RegardWindow *window = get_window(self, path);
  if (g_variant_dict_lookup(options, G_OPTION_REMAINING, "^a&s", &words)) {
    file = find_file(line, words);
    g_autofree char *text = g_strjoinv(" ", (char **) words);
    if (file && regard_sheet_has_ending(file))
      gtk_window_present(GTK_WINDOW(window)); /* the figure comes above it */
    if (file)
      regard_window_open_path(window, file);
    else
      regard_document_set_text(regard_window_get_document(window), text);
    if (!file && is_first) /* in one that is there, somebody may be typing */
      regard_window_offer_text(window);
  } else if (!path)
    welcome(self, window);
  if (!file || !regard_sheet_has_ending(file))
    gtk_window_present(GTK_WINDOW(window));
  return 0;
}

static void
regard_application_shutdown(GApplication *application)
{
  /* Stores write when they have time; there is none left. */
  g_settings_sync();
  G_APPLICATION_CLASS(regard_application_parent_class)->shutdown(application);
}

static int
regard_application_handle_local_options(GApplication *application, GVariantDict *options)
{
  if (g_variant_dict_contains(options, "version")) {
    g_print("regard %s\n", MT_VERSION);
    return 0;
  }
  if (g_variant_dict_contains(options, "new-instance"))
    g_application_set_flags(application,
                            g_application_get_flags(application) | G_APPLICATION_NON_UNIQUE);
  REGARD_APPLICATION(application)->opens_early = !g_variant_dict_contains(options, "model");
  return -1;
}

static void
regard_application_dispose(GObject *object)
{
  g_clear_object(&REGARD_APPLICATION(object)->early);
  g_clear_object(&REGARD_APPLICATION(object)->settings);
  G_OBJECT_CLASS(regard_application_parent_class)->dispose(object);
}

static void
regard_application_class_init(RegardApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_application_dispose;
  application_class->startup = regard_application_startup;
  application_class->shutdown = regard_application_shutdown;
  application_class->activate = regard_application_activate;
  application_class->command_line = regard_application_command_line;
  application_class->handle_local_options = regard_application_handle_local_options;
}

static void
regard_application_init(RegardApplication *self)
{
  g_application_add_main_option_entries(G_APPLICATION(self), entries);
  g_application_set_option_context_summary(
      G_APPLICATION(self), _("See what a Transformer attends to while it translates."));
}

RegardApplication *
regard_application_new(void)
{
  return g_object_new(REGARD_TYPE_APPLICATION, "application-id", "io.github.regard.Regard",
                      "resource-base-path", "/io/github/regard/Regard", "flags",
                      G_APPLICATION_HANDLES_COMMAND_LINE, NULL);
}
