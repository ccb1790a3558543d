/* test-window-capture.c — captures from files in the window: shown, looked at, left again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-file-kinds.h"
#include "sample-capture.h"
#include "suite.h"
#include "widgets/regard-heads.h"
#include "window-test.h"

#include <glib/gstdio.h>
#include <string.h>

static void
set_up(WindowTest *t, gconstpointer data)
{
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  window_test_set_up(t, small);
}

static char *
data_file(const char *name)
{
  return g_build_filename(g_getenv("REGARD_TEST_DATA"), name, NULL);
}

static mt_capture *
shown(WindowTest *t)
{
  return regard_selection_get_capture(t->selection);
}

static void
open_path(WindowTest *t, const char *path)
{
  window_test_act(t, "win.read-capture", "s", path);
  g_assert_true(regard_document_is_busy(t->document));
  window_test_settle(t);
}

static void
open_file(WindowTest *t, const char *name)
{
  g_autofree char *path = data_file(name);
  open_path(t, path);
}

/* A capture in a file "NAME.npz" of its own. Takes the capture. */
static void
open_capture(WindowTest *t, mt_capture *capture, const char *name)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_strdup_printf("%s/%s.npz", folder, name);
  mt_error error = {0};
  mt_capture_write_npz(capture, path, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_capture_unref(capture);
  open_path(t, path);
  app_test_remove(folder);
}

static const char *
capture_title(WindowTest *t)
{
  return regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_CAPTURE);
}

/* That can be seen, with this text. */
static GtkWidget *
find_label(GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL(root) && gtk_widget_get_mapped(root) &&
      g_str_equal(gtk_label_get_text(GTK_LABEL(root)), text))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child(root); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = find_label(child, text);
    if (found)
      return found;
  }
  return NULL;
}

static GtkWidget *
view_of(RegardTextCard *card)
{
  return GTK_WIDGET(regard_text_card_get_view(card));
}

static gboolean
is_in(WindowTest *t, gpointer widget)
{
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(t->window));
  return focus && (focus == widget || gtk_widget_is_ancestor(focus, widget));
}

/* A key in the source text, as the person's. */
static void
type(WindowTest *t, guint keyval)
{
  GtkEventController *keys =
      window_test_controller(regard_text_card_get_view(window_test_card(t, "source")),
                             "typing-again");
  gboolean used = TRUE;
  g_signal_emit_by_name(keys, "key-pressed", keyval, 0, 0, &used);
  g_assert_false(used);
  window_test_settle(t);
}

static void
test_show_and_return(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  g_settings_set_uint(t->settings, "layer", 1); /* somebody chose a head */
  g_settings_set_string(t->settings, "kind", "decoder");

  open_file(t, "foreign-encoder.npz");
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "foreign-encoder.npz");
  g_assert_cmpint(regard_selection_get_kind(t->selection), ==, MT_ENCODER_SELF);
  g_assert_cmpstr(capture_title(t), ==,
                  "foreign-encoder.npz (tiny-bert) – 2 layers × 3 heads, 11 tokens");
  g_autofree char *text = window_test_source(t);
  g_assert_cmpstr(text, ==, "the dogs were playing in the rain .");
  /* There is no second text, and it is read only. */
  g_assert_false(gtk_widget_get_visible(window_test_child(t, "target")));
  g_assert_false(
      gtk_text_view_get_editable(regard_text_card_get_view(window_test_card(t, "source"))));
  g_autofree char *card = NULL;
  g_object_get(window_test_card(t, "source"), "title", &card, NULL);
  g_assert_cmpstr(card, ==, "Tokens");
  g_assert_cmpstr(regard_selection_get_matrix(t->selection)->row_title, ==, "queries: tokens");

  /* Settings and models change, and what is shown stays. */
  g_settings_set_uint(t->settings, "beam-size", 2);
  window_test_settle(t);
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "foreign-encoder.npz");

  /* Another file, then a key: the text is back, with its picture. */
  open_file(t, "foreign-translation.npz");
  g_assert_true(gtk_widget_get_visible(window_test_child(t, "target")));
  type(t, GDK_KEY_Left);
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "foreign-translation.npz");
  type(t, GDK_KEY_x);
  g_autofree char *again = window_test_source(t), *target = window_test_target(t);
  g_assert_cmpstr(again, ==, "I have two dogs.");
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "");
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(shown(t))), ==, "I have two dogs.");
  g_assert_null(capture_title(t));
  g_assert_true(
      gtk_text_view_get_editable(regard_text_card_get_view(window_test_card(t, "source"))));
  g_assert_cmpint(regard_selection_get_kind(t->selection), ==, MT_DECODER_SELF);
  g_assert_cmpstr(target, !=, "");
}

/* A decoder alone has one text, which is where the translation was; keys find their way. */
static void
test_decoder_alone(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  GtkWidget *source = view_of(window_test_card(t, "source")),
            *target = view_of(window_test_card(t, "target"));
  gtk_widget_grab_focus(source);
  open_capture(t, sample_decoder_capture("▁The ▁dog s ▁sleep", 2, 2), "gpt");
  g_assert_cmpstr(capture_title(t), ==, "gpt.npz (gpt) – 2 layers × 2 heads, 4 tokens");
  g_assert_false(gtk_widget_get_visible(window_test_child(t, "source")));
  g_autofree char *text = window_test_target(t), *title = NULL;
  g_assert_cmpstr(text, ==, "The dogs sleep");
  g_object_get(window_test_card(t, "target"), "title", &title, NULL);
  g_assert_cmpstr(title, ==, "Tokens");
  const RegardMatrix *m = regard_selection_get_matrix(t->selection);
  g_assert_cmpstr(m->row_title, ==, "queries: tokens");
  g_assert_cmpstr(m->col_title, ==, "keys: tokens");

  /* The text that is gone is left out of the round of F6. */
  g_assert_true(is_in(t, target));
  for (int k = 0; k < 4; k++) { /* heads, the large picture, the views, and back */
    window_test_act(t, "win.next-pane", "i", 1);
    g_assert_false(is_in(t, source));
    g_assert_cmpint(is_in(t, target), ==, k == 3);
  }
  window_test_act(t, "win.next-pane", "i", 1);
  window_test_act(t, "win.focus-source", NULL);
  g_assert_true(is_in(t, target));

  /* A key goes on in the source. */
  gboolean used = FALSE;
  g_signal_emit_by_name(window_test_controller(target, "typing-again"), "key-pressed", GDK_KEY_Down,
                        0, 0, &used);
  g_assert_false(used);
  g_signal_emit_by_name(window_test_controller(target, "typing-again"), "key-pressed", GDK_KEY_x, 0,
                        0, &used);
  g_assert_true(used);
  window_test_settle(t);
  g_assert_null(capture_title(t));
  g_assert_true(is_in(t, source));
  g_autofree char *again = window_test_source(t);
  g_assert_cmpstr(again, ==, "I have two dogs.");
}

/* What the axes are called, and the texts, is what the file says, and no more than that. */
static void
test_names(WindowTest *t, gconstpointer data)
{
  static const struct {
    mt_attention_kind kind;
    const char *title, *rows, *columns;
  } names[] = {
      {MT_ENCODER_SELF, "Encoder self-attention · layer 1 · head 1", "source", "source"},
      {MT_CROSS, "Cross-attention · layer 1 · head 1", "translation", "source"},
      {MT_DECODER_SELF, "Decoder self-attention · layer 1 · head 1", "translation", "translation"},
  };
  open_file(t, "foreign-translation.npz");
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    regard_selection_set_place(t->selection, names[i].kind, 0, 0);
    const RegardMatrix *m = regard_selection_get_matrix(t->selection);
    g_assert_cmpstr(m->title, ==, names[i].title);
    g_assert_cmpstr(strchr(m->row_title, ' ') + 1, ==, names[i].rows);
    g_assert_cmpstr(strchr(m->col_title, ' ') + 1, ==, names[i].columns);
  }
  /* Of any other task it is an output. */
  mt_tokens *source = sample_tokens("▁a ▁b </s>"), *output = sample_tokens("▁c </s>");
  mt_capture_spec spec = {.model_name = "t5",
                          .source = source,
                          .output = output,
                          .n_layers = {[MT_CROSS] = 1},
                          .n_heads = {[MT_CROSS] = 3},
                          .naming = MT_NAMING_SEQUENCES};
  mt_capture *cross = mt_capture_new(&spec, NULL);
  float *w = mt_capture_fill_weights(cross, MT_CROSS, 0, 1);
  for (guint i = 0; i < 6; i++)
    w[i] = 0.25f;
  mt_tokens_unref(source);
  mt_tokens_unref(output);
  open_capture(t, cross, "cross");
  regard_selection_set_place(t->selection, MT_CROSS, 0, 1);
  const RegardMatrix *m = regard_selection_get_matrix(t->selection);
  g_assert_cmpstr(m->row_title, ==, "queries: output");
  g_assert_cmpstr(m->col_title, ==, "keys: source");
  g_autofree char *title = NULL;
  g_object_get(window_test_card(t, "target"), "title", &title, NULL);
  g_assert_cmpstr(title, ==, "Output");
  /* Its rows do not sum to 1, and that is said. */
  g_assert_true(g_strv_contains((const char *const *) m->badges, "rows sum to 0.75…0.75"));
  g_assert_nonnull(strstr(gtk_label_get_text(window_test_part(t, "banner", "detail")),
                          "Its rows sum to 0.00…1.00."));
  /* A kind that it does not have cannot be chosen. */
  window_test_act(t, "win.kind", "s", "encoder");
  g_assert_cmpint(regard_selection_get_kind(t->selection), ==, MT_CROSS);
}

/* What is open when the window closes is not what was typed. */
static void
test_remembers_the_text(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  open_file(t, "foreign-encoder.npz");
  gboolean is_handled = TRUE;
  g_signal_emit_by_name(t->window, "close-request", &is_handled);
  g_assert_false(is_handled);
  g_autofree char *text = g_settings_get_string(t->settings, "text");
  g_assert_cmpstr(text, ==, "I have two dogs.");
}

/* Two in a row: the second is what was wanted. */
static void
test_overtaken(WindowTest *t, gconstpointer data)
{
  g_autofree char *first = data_file("foreign-translation.npz");
  regard_document_open_path(t->document, first);
  open_file(t, "foreign-encoder.npz");
  app_test_run_for(200);
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "foreign-encoder.npz");
  /* A text takes the place of one that is still being read. */
  regard_document_open_path(t->document, first);
  window_test_translate(t, "I have two dogs.");
  app_test_run_for(200);
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "");
}

/* Another model takes over behind the file, and has the text when it is gone. */
static void
test_model_behind(WindowTest *t, gconstpointer data)
{
  g_autofree char *other = app_test_checkpoint("pre-norm-plain");
  g_autofree char *between = app_test_checkpoint("odd-sizes-swish");
  window_test_translate(t, "I have two dogs.");
  open_file(t, "foreign-encoder.npz");
  /* Nothing that is put aside keeps the next one waiting. */
  regard_document_open_model(t->document, between);
  window_test_settle(t);
  regard_document_open_model(t->document, other);
  window_test_settle(t);
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "pre-norm-plain");
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "foreign-encoder.npz");
  type(t, GDK_KEY_BackSpace);
  g_assert_cmpstr(mt_capture_model_name(shown(t)), ==, "pre-norm-plain");
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(shown(t))), ==, "I have two dogs.");
}

/* Marian's weights have the ending of captures. */
static void
test_recognises(void)
{
  static const struct {
    const char *name, *content;
    gboolean is_capture;
  } cases[] = {
      {"a.npz", "PK…", TRUE},
      {"b.NPZ", "", TRUE},
      {"model.npz", "PK… special:model.yml.npy PK", FALSE},
      {"model.zip", "PK…", FALSE},
      {"no-such.npz", NULL, TRUE},
  };
  g_autofree char *folder = app_test_folder();
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_build_filename(folder, cases[i].name, NULL);
    if (cases[i].content)
      g_assert_true(g_file_set_contents(path, cases[i].content, -1, NULL));
    g_assert_cmpint(regard_capture_file_recognises(path), ==, cases[i].is_capture);
  }
  app_test_remove(folder);
}

static void
test_button_and_text(WindowTest *t, gconstpointer data)
{
  /* Without any text before: back to the start page. */
  open_file(t, "foreign-encoder.npz");
  g_assert_true(window_test_act(t, "win.close-capture", NULL));
  window_test_settle(t);
  g_assert_null(shown(t));
  g_assert_cmpstr(gtk_stack_get_visible_child_name(window_test_child(t, "content")), ==, "start");
  /* A text from a second start takes its place too. */
  open_file(t, "foreign-encoder.npz");
  window_test_translate(t, "I have two dogs.");
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "");
}

/* What cannot be read changes nothing. */
static void
test_refused(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  mt_capture *live = shown(t);
  open_file(t, "README.md");
  g_assert_true(shown(t) == live);
  g_assert_cmpstr(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_FILE), ==,
                  "README.md: expected a NumPy archive (.npz), found another file.");
  g_autofree char *text = window_test_source(t);
  g_assert_cmpstr(text, ==, "I have two dogs.");
  open_file(t, "foreign-encoder.npz");
  g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_FILE));
  mt_capture *file = shown(t);
  open_file(t, "no-such.npz");
  g_assert_true(shown(t) == file);
  g_assert_nonnull(
      strstr(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_FILE),
             "no-such.npz: expected this file, found nothing there."));
}

/* A part of a capture is shown by the numbers that its layers and heads have in the model. */
static void
test_part(WindowTest *t, gconstpointer data)
{
  static const struct {
    int layer, head;
    const char *size, *place, *title, *heads, *first;
  } parts[] = {
      {3, 1, " 1 layer × 1 head, ", "layer 4 · head 2", "Head 4.2",
       "Cross-attention, layer 4, head 2", "cross 4.2"},
      {4, -1, " 1 layer × 8 heads, ", "layer 5 · head 1", "Head 5.1",
       "Cross-attention, layer 5, head 1", "cross 5.1"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
    mt_error error = {0};
    g_autoptr(mt_capture) whole = sample_capture(6);
    mt_capture *part = mt_capture_part(whole, MT_CROSS, parts[i].layer, parts[i].head, &error);
    g_assert_cmpstr(error.message, ==, "");
    window_test_act(t, "win.show-view", "s", "attention");
    open_capture(t, part, "part");
    g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_FILE));
    g_assert_cmpuint(mt_capture_n_layers(shown(t), MT_CROSS), ==, 1);
    g_assert_nonnull(strstr(capture_title(t), parts[i].size));
    regard_selection_set_place(t->selection, MT_CROSS, 0, 0);
    window_test_settle(t);
    RegardView *view = regard_window_get_view(t->window);
    g_assert_nonnull(find_label(GTK_WIDGET(view), parts[i].place));
    g_assert_nonnull(find_label(GTK_WIDGET(t->window), parts[i].title));
    gtk_test_accessible_assert_property(window_test_find(t->window, REGARD_TYPE_HEADS),
                                        GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, parts[i].heads);
    window_test_act(t, "win.show-view", "s", "heads");
    window_test_settle(t);
    view = regard_window_get_view(t->window);
    guint n = 0;
    while (n == 0) {
      g_main_context_iteration(NULL, TRUE);
      regard_view_get_export_choices(view, &n);
    }
    g_autoptr(RegardFigure) figure = regard_view_create_figure(view, "heads-table");
    g_assert_cmpstr(regard_figure_matrix(figure, 0)->row_labels[0].text, ==, parts[i].first);
  }
}

/* The window goes while a file is being read. */
static void
test_closed_while_reading(WindowTest *t, gconstpointer data)
{
  g_autofree char *path = data_file("foreign-encoder.npz");
  regard_document_open_capture(t->document, path);
}

/* ---- More than attention -------------------------------------------------------------------- */

typedef struct {
  RegardLayers *layers;
  GError *error;
  gboolean is_done;
} Traced;

static void
on_traced(gpointer data, RegardRun *run)
{
  Traced *traced = data;
  traced->layers = regard_run_finish(run, &traced->error);
  traced->is_done = TRUE;
}

/* A page asks for what the shown pass computed; a file has attention only. */
static void
test_trace(WindowTest *t, gconstpointer data)
{
  const RegardLayersParams params = {NULL, FALSE};
  RegardSelection *s = t->selection;
  Traced of_text = {0}, of_file = {0};
  window_test_translate(t, "I have two dogs.");
  regard_runner_start(&regard_analysis_layers, regard_selection_get_pass(s), &params, on_traced,
                      &of_text);
  app_test_until(of_text.is_done);
  g_assert_no_error(of_text.error);
  mt_matrix m = mt_trace_get(of_text.layers->trace, MT_HOOK_FEED_FORWARD, MT_DECODER_SELF, 0, -1);
  g_assert_cmpuint(m.rows, ==, mt_tokens_count(mt_capture_output(regard_selection_get_capture(s))));
  regard_layers_unref(of_text.layers);

  g_autofree char *path =
      g_build_filename(g_getenv("REGARD_TEST_DATA"), "foreign-encoder.npz", NULL);
  regard_document_open_path(t->document, path);
  window_test_settle(t);
  regard_runner_start(&regard_analysis_layers, regard_selection_get_pass(s), &params, on_traced,
                      &of_file);
  app_test_until(of_file.is_done);
  g_assert_error(of_file.error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_error_free(of_file.error);
}

TESTS(.begin = window_test_begin)
{
#define ADD(name, function) \
  g_test_add("/window-capture/" name, WindowTest, NULL, set_up, function, window_test_tear_down)
  ADD("show-and-return", test_show_and_return);
  ADD("button-and-text", test_button_and_text);
  ADD("refused", test_refused);
  ADD("part", test_part);
  ADD("closed-while-reading", test_closed_while_reading);
  ADD("decoder-alone", test_decoder_alone);
  ADD("names", test_names);
  ADD("remembers-the-text", test_remembers_the_text);
  ADD("overtaken", test_overtaken);
  ADD("model-behind", test_model_behind);
  ADD("trace", test_trace);
  g_test_add_func("/window-capture/recognises", test_recognises);
}
