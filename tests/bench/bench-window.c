/* bench-window.c — how long a key, the pointer, a start take, from the event to the painted frame.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-window MODEL-DIR [ROUNDS [long]]      long: only that of 512 tokens
 *
 * Needs a display (xvfb-run will do). It is the program itself, driven from inside.
 *   key       a letter comes into the text or goes; until the end of the frame that shows the new
 *             capture: every thumbnail, the large picture, the pieces
 *   candidate another way to go on is chosen on the page Steps; until the end of the frame that
 *             shows what comes of it
 *   switch    a head is switched off, another each time; until the end of the frame that shows the
 *             translation and all maps without it
 *   page      a key as above, with the page Inside or Layers open; until the end of the frame that
 * shows its picture of the new capture hover     another cell is pointed at; until the end of the
 * next frame lines     the same in the form of lines: another token is pointed at; another head is
 * shown, with all its lines start     this program, started again; from before exec to the first
 * frame, and to the first frame with pictures long      a text of 512 tokens is pasted where a
 * short one stood; until its pictures are painted blocked   the main loop, between two looks for
 * events: how long nothing is answered
 *
 * MB: memory of the process when the row was there. Each row is printed at once. What does not come
 * within a minute ends the program, which says in which row that was.
 */
#include "base/regard-settings.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-figure-tree.h"
#include "parts/regard-source-pane.h"
#include "widgets/regard-figure-area.h"
#include "window/regard-application.h"
#include "window/regard-window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MAX_ROUNDS  1000
#define STARTS      12
#define LONG_TOKENS 512
#define LONG_ROUNDS 8
#define MOST_WAIT   60 /* seconds for anything that is waited for */
#define SENTENCE                                                                              \
  "The animal did not cross the busy street this morning because it was far too tired after " \
  "the long night."

static RegardWindow *window;
static RegardDocument *document; /* the window's */
static gint64 asked, painted;    /* monotonic microseconds; 0: not yet */
/* painted is set by the first frame with another one; owned, so that no new one has its address. */
static mt_capture *shown_before;
/* With a page, by a figure of other numbers. */
static RegardFigureArea *page;
static gpointer subject_before; /* a reference */
static const char *measured;    /* the row that is being measured */
static gint64 polled, longest;  /* when the main loop last came from poll; its longest way back */
static gint64 first_frame;      /* 0: none yet */

/* ---- What is looked at ----------------------------------------------------------------------- */

static gboolean
is_new(void)
{
  if (regard_selection_get_capture(regard_document_get_selection(document)) == shown_before)
    return FALSE;
  RegardFigure *figure = page ? regard_figure_area_get_figure(page) : NULL;
  return !page || (figure && figure->subject != subject_before);
}

static void
on_after_paint(GdkFrameClock *clock, gpointer data)
{
  if (!first_frame)
    first_frame = g_get_monotonic_time();
  if (asked && !painted && is_new()) {
    painted = g_get_monotonic_time();
    longest = MAX(longest, painted - polled);
  }
}

static gint
poll_and_time(GPollFD *fds, guint n, gint timeout)
{
  if (polled)
    longest = MAX(longest, g_get_monotonic_time() - polled);
  gint result = g_poll(fds, n, timeout);
  polled = g_get_monotonic_time();
  return result;
}

static double
memory_mb(void)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents("/proc/self/statm", &text, NULL, NULL))
    return 0;
  const char *resident = strchr(text, ' ');
  return resident ? strtod(resident, NULL) * 4096 / (1024 * 1024) : 0;
}

static double
peak_memory_mb(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double) usage.ru_maxrss / 1024;
}

/* ---- The main loop --------------------------------------------------------------------------- */

static gboolean
on_timeout(gpointer data)
{
  *(gint64 *) data = 1;
  return G_SOURCE_REMOVE;
}

static gboolean
on_late(gpointer data)
{
  fprintf(stderr, "bench-window: waited %d s in vain (%s)\n", MOST_WAIT, measured);
  exit(1);
}

static void
wait_for(gint64 *time)
{
  const guint late = g_timeout_add_seconds(MOST_WAIT, on_late, NULL);
  while (!*time)
    g_main_context_iteration(NULL, TRUE);
  g_source_remove(late);
}

static void
rest(guint milliseconds)
{
  gint64 is_over = 0;
  g_timeout_add(milliseconds, on_timeout, &is_over);
  wait_for(&is_over);
}

static void
settle(void)
{
  const guint late = g_timeout_add_seconds(MOST_WAIT, on_late, NULL);
  while (regard_document_is_busy(document))
    g_main_context_iteration(NULL, TRUE);
  g_source_remove(late);
  rest(300);
}

/* What is asked for from now on is there with the first frame that shows something new. any: with
 * the first frame. */
static void
begin(gboolean any)
{
  g_clear_pointer(&shown_before, mt_capture_unref);
  g_clear_pointer(&subject_before, regard_subject_unref);
  if (!any) {
    mt_capture *capture = regard_selection_get_capture(regard_document_get_selection(document));
    shown_before = capture ? mt_capture_ref(capture) : NULL;
    RegardFigure *figure = page ? regard_figure_area_get_figure(page) : NULL;
    subject_before = figure ? regard_subject_ref((gpointer) figure->subject) : NULL;
  }
  painted = longest = 0;
  polled = asked = g_get_monotonic_time();
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static void
print_head(void)
{
  printf("%-44s %8s %8s %8s %8s %5s %6s\n", "milliseconds", "median", "p95", "least", "most", "n",
         "MB");
}

static void
report(const char *what, double *times, int n)
{
  qsort(times, (size_t) n, sizeof *times, compare);
  printf("%-44s %8.1f %8.1f %8.1f %8.1f %5d %6.0f\n", what, times[n / 2],
         times[(n * 95 + 99) / 100 - 1], times[0], times[n - 1], n, memory_mb());
}

static double
since_ms(gint64 start)
{
  return (double) (g_get_monotonic_time() - start) / 1e3;
}

/* ---- Measurements ---------------------------------------------------------------------------- */

/* A letter more in the middle of the sentence, a tenth of a second apart; the one before goes at
 * the same moment, so that the text keeps its twenty words and none comes twice: the program
 * remembers what it has translated. */
static void
measure_keys(const char *what, const char *what_blocks, int rounds)
{
  static double times[MAX_ROUNDS], blocked[MAX_ROUNDS];
  RegardSourcePane *source = REGARD_SOURCE_PANE(
      gtk_widget_get_template_child(GTK_WIDGET(window), REGARD_TYPE_WINDOW, "source"));
  GtkTextBuffer *buffer =
      gtk_text_view_get_buffer(GTK_TEXT_VIEW(regard_source_pane_get_view(source)));
  regard_document_set_text(document, SENTENCE);
  measured = what;
  settle();
  /* Two rounds that do not count: caches and memory are as they will be. */
  for (int i = -2, old = -1; i < rounds; i++) {
    GtkTextIter from, to;
    int at = 5 + (i + 2) % 80;
    const char letter[] = {(char) ('a' + (i + 2) * 5 % 26), '\0'};
    begin(FALSE);
    if (old >= 0) {
      gtk_text_buffer_get_iter_at_offset(buffer, &from, old);
      gtk_text_buffer_get_iter_at_offset(buffer, &to, old + 1);
      gtk_text_buffer_delete(buffer, &from, &to);
    }
    gtk_text_buffer_get_iter_at_offset(buffer, &from, at);
    gtk_text_buffer_insert(buffer, &from, letter, -1);
    old = at;
    wait_for(&painted);
    if (i >= 0) {
      times[i] = (double) (painted - asked) / 1e3;
      blocked[i] = (double) longest / 1e3;
    }
    asked = 0;
    rest(100);
  }
  report(what, times, rounds);
  report(what_blocks, blocked, rounds);
}

static RegardFigureArea *find_area(GtkWidget *root, const char *caption);

/* A key, with another page than that of attention open. */
static void
measure_page(const char *what, const char *id, int rounds)
{
  measured = what;
  gtk_widget_activate_action(GTK_WIDGET(window), "win.view", "s", id);
  settle();
  page = find_area(GTK_WIDGET(window), "");
  measure_keys(what, "  blocked meanwhile", rounds);
  page = NULL;
  gtk_widget_activate_action(GTK_WIDGET(window), "win.view", "s", "attention");
  settle();
}

static void
measure_hover(int rounds)
{
  static double times[MAX_ROUNDS];
  char what[64];
  RegardSelection *selection = regard_document_get_selection(document);
  measured = "hover";
  RegardMatrix *matrix = regard_selection_get_matrix(selection);
  for (int i = 0; i < rounds; i++) {
    begin(TRUE);
    /* Rows alternate, so that no cell comes twice in a row, for which there would be no frame. */
    regard_selection_set_hover(selection, (RegardCell){(i % 2 + i / 2 * 2 * 7) % (int) matrix->rows,
                                                       (i * 5 + 1) % (int) matrix->cols});
    wait_for(&painted);
    times[i] = (double) (painted - asked) / 1e3;
    asked = 0;
    rest(40);
  }
  regard_selection_set_hover(selection, (RegardCell){-1, -1});
  snprintf(what, sizeof what, "hover, %u x %u tokens", matrix->rows, matrix->cols);
  report(what, times, rounds);
}

/* Lines: rows and columns in turns, as the pointer goes along a list; and all of another head's. */
static void
measure_lines(int rounds)
{
  static double pointed[MAX_ROUNDS], shown[MAX_ROUNDS];
  char what[64];
  RegardSelection *selection = regard_document_get_selection(document);
  measured = "lines";
  regard_selection_set_form(selection, REGARD_FORM_LINES);
  rest(500);
  const guint rows = regard_selection_get_matrix(selection)->rows;
  const guint cols = regard_selection_get_matrix(selection)->cols;
  for (int i = 0; i < rounds; i++) {
    const RegardCell cell = {i % 2 ? -1 : (i * 7 + 1) % (int) rows,
                             i % 2 ? (i * 5 + 1) % (int) cols : -1};
    begin(TRUE);
    regard_selection_set_hover(selection, cell);
    wait_for(&painted);
    pointed[i] = (double) (painted - asked) / 1e3;
    asked = 0;
    rest(40);
  }
  regard_selection_set_hover(selection, (RegardCell){-1, -1});
  for (int i = 0; i < rounds; i++) {
    rest(60);
    begin(TRUE);
    /* The next layer, after the last one the first: a step beyond it stays, and no frame would
     * come. */
    const int layers = (int) mt_capture_n_layers(regard_selection_get_capture(selection),
                                                 regard_selection_get_kind(selection));
    const int layer = (int) regard_selection_get_layer(selection);
    regard_selection_step(selection, layer + 1 < layers ? 1 : 1 - layers, 0);
    wait_for(&painted);
    shown[i] = (double) (painted - asked) / 1e3;
    asked = 0;
  }
  regard_selection_set_form(selection, REGARD_FORM_MATRIX);
  rest(300);
  snprintf(what, sizeof what, "lines, a token pointed at, %u x %u tokens", rows, cols);
  report(what, pointed, rounds);
  report("  another head, all its lines", shown, rounds);
}

/* On the page Steps another candidate is chosen, at another step each time, so that no two
 * translations are the same; until its page is painted: candidates, curve, tree, pieces. */
static void
measure_choices(const char *what, const char *what_blocks, int rounds)
{
  static double times[MAX_ROUNDS], blocked[MAX_ROUNDS];
  RegardSelection *selection = regard_document_get_selection(document);
  int n = 0;
  measured = what;
  regard_document_set_text(document, SENTENCE);
  gtk_widget_activate_action(GTK_WIDGET(window), "win.view", "s", "steps");
  settle();
  RegardSteps *steps = regard_steps_ref(regard_selection_get_steps(selection));
  for (guint rank = 1; rank < 9; rank++)
    for (guint t = 2; t + 1 < steps->n && n < rounds; t++) {
      const mt_step_row row = steps->steps->rows[(gsize) steps->rows[t]];
      g_autofree int32_t *ids = g_new(int32_t, t + 1);
      mt_error error = {0};
      for (guint i = 0; i < t; i++)
        ids[i] = steps->steps->nodes[(gsize) steps->nodes[i]].id;
      ids[t] = row.options[rank].id;
      mt_constraints *constraints = mt_constraints_new(ids, t + 1, NULL, 0, &error);
      begin(FALSE);
      regard_selection_want_constraints(selection, constraints);
      mt_constraints_unref(constraints);
      wait_for(&painted);
      times[n] = (double) (painted - asked) / 1e3;
      blocked[n++] = (double) longest / 1e3;
      asked = 0;
      rest(100);
    }
  regard_steps_unref(steps);
  report(what, times, n);
  report(what_blocks, blocked, n);
  gtk_widget_activate_action(GTK_WIDGET(window), "win.view", "s", "attention");
  settle();
}

/* One head off, on a page with all thumbnails; every round another one, of which nothing is
 * remembered. By the action of the key X, so that what a person does is what is measured. */
static void
measure_switches(const char *what, const char *what_blocks, int rounds)
{
  static double times[MAX_ROUNDS], blocked[MAX_ROUNDS];
  RegardSelection *selection = regard_document_get_selection(document);
  static const char *const kinds[] = {"cross", "encoder", "decoder"};
  measured = what;
  regard_document_set_text(document, SENTENCE);
  settle();
  mt_capture *capture = regard_selection_get_capture(selection);
  const int layers = (int) mt_capture_n_layers(capture, MT_CROSS),
            heads = (int) mt_capture_n_heads(capture, MT_CROSS);
  int n = 0;
  for (int i = -2; i < rounds && i + 2 < 3 * layers * heads; i++) {
    const int at = (i + 2) % (layers * heads), kind = (i + 2) / (layers * heads);
    g_autofree char *line =
        g_strdup_printf("%s %d.%d zero", kinds[kind], at / heads + 1, at % heads + 1);
    begin(FALSE);
    gtk_widget_activate_action(GTK_WIDGET(window), "win.toggle-change", "s", line);
    wait_for(&painted);
    if (i >= 0) {
      times[n] = (double) (painted - asked) / 1e3;
      blocked[n++] = (double) longest / 1e3;
    }
    asked = 0;
    rest(60);
    regard_document_set_interventions(document, NULL); /* that one is remembered */
    settle();
  }
  report(what, times, n);
  report(what_blocks, blocked, n);
}

/* A text of n tokens, </s> counted, as one sentence that begins with `first`, if any. Caller frees.
 */
static char *
text_of_tokens(const char *first, guint n)
{
  static const char *const words[] = {"the", "old", "man", "and", "the", "woman", "see", "two"};
  g_autoptr(GString) text = g_string_new(first);
  for (guint i = 0; i < 2 * n; i++) {
    gsize length = text->len;
    g_string_append_printf(text, "%s%s", length ? " " : "", words[i % G_N_ELEMENTS(words)]);
    mt_tokens *tokens =
        mt_model_tokenize(regard_document_get_model(document), MT_STACK_ENCODER, text->str, NULL);
    gsize found = tokens ? mt_tokens_count(tokens) : n + 1;
    mt_tokens_unref(tokens);
    if (found > n)
      g_string_truncate(text, length);
    if (found >= n)
      break;
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The first area below a widget that can be seen and whose figure is about that. */
static RegardFigureArea *
find_area(GtkWidget *root, const char *caption)
{
  if (REGARD_IS_FIGURE_AREA(root) && gtk_widget_get_mapped(root) &&
      regard_figure_area_get_figure(REGARD_FIGURE_AREA(root))) {
    RegardFigure *figure = regard_figure_area_get_figure(REGARD_FIGURE_AREA(root));
    g_autofree char *own = regard_figure_caption(figure);
    if (g_str_has_prefix(own, caption))
      return REGARD_FIGURE_AREA(root);
  }
  for (GtkWidget *child = gtk_widget_get_first_child(root); child;
       child = gtk_widget_get_next_sibling(child)) {
    RegardFigureArea *found = find_area(child, caption);
    if (found)
      return found;
  }
  return NULL;
}

/* A hypothesis anywhere in a large tree is pointed at: the tree is scrolled there, and its path is
 * drawn. And a step is gone to. */
static void
measure_tree(int rounds)
{
  static double pointed[MAX_ROUNDS], stepped[MAX_ROUNDS];
  char what[64];
  RegardSelection *selection = regard_document_get_selection(document);
  measured = "tree";
  g_autofree char *text = text_of_tokens(NULL, 100);
  regard_document_set_text(document, text);
  gtk_widget_activate_action(GTK_WIDGET(window), "win.view", "s", "steps");
  settle();
  RegardSteps *steps = regard_selection_get_steps(selection);
  RegardFigureArea *area = find_area(GTK_WIDGET(window), "Hypotheses of a search as a tree");
  const guint n = (guint) steps->steps->n_nodes;
  for (int i = 0; i < rounds; i++) {
    begin(TRUE);
    regard_figure_area_point_at(area, REGARD_TREE_SPOT_NODE, 0, (int) ((guint) i * 7919 % n));
    wait_for(&painted);
    pointed[i] = (double) (painted - asked) / 1e3;
    asked = 0;
    rest(60);
    begin(TRUE);
    /* From one half of the steps to the other and back: where the step stays no frame comes. */
    regard_selection_set_step(selection, (int) ((guint) i % 2 * (steps->n / 2) +
                                                (guint) i / 2 % (steps->n / 2)));
    wait_for(&painted);
    stepped[i] = (double) (painted - asked) / 1e3;
    asked = 0;
    rest(60);
  }
  snprintf(what, sizeof what, "pointed at, tree of %zu beams x %zu steps", steps->steps->beam_size,
           steps->steps->n_steps);
  report(what, pointed, rounds);
  report("  a step gone to", stepped, rounds);
  printf("  (%u nodes)\n", n);
  gtk_widget_activate_action(GTK_WIDGET(window), "win.view", "s", "attention");
  settle();
}

/* A text of n tokens comes where a short one stands, `rounds` times; until it is painted. The text
 * differs by its first word, so that no translation is known. */
static void
measure_long(guint n, int rounds)
{
  static double pasted[MAX_ROUNDS], blocked[MAX_ROUNDS];
  static const char *const first[] = {"Yes", "No", "Now", "Then", "So", "But", "And", "Well"};
  char what[64];
  RegardSelection *selection = regard_document_get_selection(document);
  measured = "long text";
  for (int i = 0; i < rounds; i++) {
    regard_document_set_text(document, SENTENCE);
    settle();
    g_autofree char *text = text_of_tokens(first[(gsize) i % G_N_ELEMENTS(first)], n);
    begin(FALSE);
    regard_document_set_text(document, text);
    wait_for(&painted);
    pasted[i] = (double) (painted - asked) / 1e3;
    blocked[i] = (double) longest / 1e3;
    asked = 0;
    settle();
  }
  RegardMatrix *matrix = regard_selection_get_matrix(selection);
  snprintf(what, sizeof what, "%u tokens pasted, %u come out", n,
           mt_capture_output(regard_selection_get_capture(selection))
               ? (guint) mt_tokens_count(mt_capture_output(regard_selection_get_capture(selection)))
               : matrix->rows);
  report(what, pasted, rounds);
  report("  blocked meanwhile", blocked, rounds);
}

/* ---- Starting -------------------------------------------------------------------------------- */

static GSettings *
open_window(const char *model)
{
  g_setenv("REGARD_MODEL_DIR", model, TRUE);
  g_setenv("GSETTINGS_BACKEND", "memory", TRUE);
  RegardApplication *application = regard_application_new();
  regard_application_open_early(application);
  if (!gtk_init_check()) {
    fprintf(stderr, "bench-window: no display\n");
    exit(1);
  }
  g_application_set_flags(G_APPLICATION(application), G_APPLICATION_NON_UNIQUE);
  if (!g_application_register(G_APPLICATION(application), NULL, NULL))
    exit(1);
  GSettings *settings = regard_application_get_settings(application);
  window = regard_application_add_window(application);
  document = regard_window_get_document(window);
  regard_document_set_text(document, SENTENCE);
  gtk_window_present(GTK_WINDOW(window));
  g_signal_connect(gtk_widget_get_frame_clock(GTK_WIDGET(window)), "after-paint",
                   G_CALLBACK(on_after_paint), NULL);
  asked = g_get_monotonic_time();
  wait_for(&painted);
  return settings;
}

/* In the program that was started again: prints both times since started. */
static int
start_again(const char *model, const char *started)
{
  gint64 begin = g_ascii_strtoll(started, NULL, 10);
  open_window(model);
  printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", first_frame - begin, painted - begin);
  return 0;
}

static void
measure_start(const char *model)
{
  double to_window[STARTS], to_pictures[STARTS];
  measured = "start";
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  for (int i = -1; i < STARTS; i++) { /* the first brings the files into memory */
    g_autofree char *out = NULL;
    g_autofree char *started = g_strdup_printf("%" G_GINT64_FORMAT, g_get_monotonic_time());
    char *argv[] = {program, (char *) model, "--start", started, NULL};
    gint64 frame, pictures;
    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out, NULL, NULL,
                      NULL) ||
        sscanf(out, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, &frame, &pictures) != 2) {
      fprintf(stderr, "bench-window: cannot start itself\n");
      exit(1);
    }
    if (i >= 0) {
      to_window[i] = (double) frame / 1e3;
      to_pictures[i] = (double) pictures / 1e3;
    }
  }
  report("start to the first frame", to_window, STARTS);
  report("start to the first pictures", to_pictures, STARTS);
}

/* Everything that is asked of sentences. */
static void
measure_short(GSettings *settings, int rounds)
{
  double memory = memory_mb();

  g_settings_set_uint(settings, "beam-size", 1);
  measure_keys("key to pictures, 20 words, greedy", "  blocked meanwhile", rounds);
  measure_page("key to the painted page Inside, greedy", "inside", rounds);
  measure_page("key to the painted page Layers, greedy", "layers", rounds);
  measure_switches("head off to translation and all maps, greedy", "  blocked meanwhile", rounds);
  g_settings_set_uint(settings, "beam-size", 4);
  measure_keys("key to pictures, 20 words, beam 4", "  blocked meanwhile", rounds);
  measure_switches("head off to translation and all maps, beam 4", "  blocked meanwhile", rounds);
  measure_choices("candidate to the painted page Steps, beam 4", "  blocked meanwhile", rounds);
  g_settings_set_uint(settings, "beam-size", 64);
  measure_tree(rounds);
  g_settings_set_uint(settings, "beam-size", 4);
  g_autofree char *thirty = text_of_tokens(NULL, 30);
  regard_document_set_text(document, thirty);
  settle();
  measure_hover(rounds);
  measure_lines(rounds);
  double memory_then = memory_mb();
  g_autofree char *many = text_of_tokens(NULL, 256);
  regard_document_set_text(document, many);
  settle();
  measure_hover(rounds);
  printf("\nmemory after the start %.0f MB, after the keys %.0f MB\n", memory, memory_then);
}

int
main(int argc, char **argv)
{
  if (argc == 4 && strcmp(argv[2], "--start") == 0)
    return start_again(argv[1], argv[3]);
  int rounds = argc > 2 ? atoi(argv[2]) : 60;
  bool is_long = argc > 3 && strcmp(argv[3], "long") == 0;
  if (argc < 2 || argc > 3 + is_long || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf(stderr, "usage: bench-window MODEL-DIR [ROUNDS, 1 to %d [long]]\n", MAX_ROUNDS);
    return 2;
  }
  /* What goes wrong is not waited for. */
  g_log_set_always_fatal(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  setvbuf(stdout, NULL, _IOLBF, 0);
  print_head();
  if (!is_long)
    measure_start(argv[1]);
  g_main_context_set_poll_func(NULL, poll_and_time);
  gint64 start = g_get_monotonic_time();
  GSettings *settings = open_window(argv[1]);
  settle();
  if (!is_long)
    measure_short(settings, rounds);
  g_settings_set_uint(settings, "beam-size", 1);
  settle();
  measure_long(LONG_TOKENS, LONG_ROUNDS);
  measure_hover(rounds);
  measure_lines(rounds);
  printf("peak memory %.0f MB; %.0f s in all\n", peak_memory_mb(), since_ms(start) / 1e3);
  return 0;
}
