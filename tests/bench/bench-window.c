/* bench-window.c — how long a key takes from the text to the painted pictures, in a real window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-window MODEL-DIR [ROUNDS]
 *
 * Needs a display (xvfb-run will do). A round types a letter into a sentence of twenty words, or
 * takes it away again, and waits for the frame that shows the new capture. Times are from the
 * change of the text to the end of that frame's painting, every view and thumbnail included.
 * Prints milliseconds: median, 95th percentile, least, most.
 */
#include "regard-application.h"
#include "regard-settings.h"
#include "regard-window-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MAX_ROUNDS 1000
#define SENTENCE                                                                              \
  "The animal did not cross the busy street this morning because it was far too tired after " \
  "the long night."

static RegardWindow *window;
static gint64 asked, painted; /* monotonic microseconds; 0: not yet */
static mt_capture *shown_before;

static void
on_after_paint(GdkFrameClock *clock, gpointer data)
{
  RegardSelection *selection = regard_window_get_selection(window);
  if (asked && !painted && regard_selection_get_capture(selection) != shown_before)
    painted = g_get_monotonic_time();
}

static void
wait_for(gint64 *time)
{
  while (!*time)
    g_main_context_iteration(NULL, TRUE);
}

static gboolean
on_timeout(gpointer data)
{
  *(gint64 *) data = 1;
  return G_SOURCE_REMOVE;
}

static void
rest(guint milliseconds)
{
  gint64 is_over = 0;
  g_timeout_add(milliseconds, on_timeout, &is_over);
  wait_for(&is_over);
}

static int
compare(const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static void
report(const char *what, double *times, int n)
{
  qsort(times, (size_t) n, sizeof *times, compare);
  printf("%-34s %8.1f %8.1f %8.1f %8.1f\n", what, times[n / 2], times[(n * 95) / 100], times[0],
         times[n - 1]);
}

/* Letters come and go in the middle of the sentence, a tenth of a second apart. */
static void
type(const char *what, int rounds)
{
  static double times[MAX_ROUNDS];
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(regard_text_card_get_view(window->source));
  for (int i = 0; i < rounds; i++) {
    GtkTextIter at, next;
    gtk_text_buffer_get_iter_at_offset(buffer, &at, 10 + (i / 2) % 60);
    next = at;
    gtk_text_iter_forward_char(&next);
    shown_before = regard_selection_get_capture(regard_window_get_selection(window));
    painted = 0;
    asked = g_get_monotonic_time();
    if (i % 2 == 0)
      gtk_text_buffer_insert(buffer, &at, "s", -1);
    else
      gtk_text_buffer_delete(buffer, &at, &next);
    wait_for(&painted);
    times[i] = (double) (painted - asked) / 1e3;
    asked = 0;
    rest(100);
  }
  report(what, times, rounds);
}

static void
hover(const char *what, int rounds)
{
  static double times[MAX_ROUNDS];
  RegardSelection *selection = regard_window_get_selection(window);
  shown_before = NULL; /* any frame counts */
  RegardMatrix *matrix = regard_selection_get_matrix(selection);
  for (int i = 0; i < rounds; i++) {
    painted = 0;
    asked = g_get_monotonic_time();
    regard_selection_set_hover(selection, (RegardCell){(i * 7) % (int) matrix->rows,
                                                       (i * 5) % (int) matrix->cols});
    wait_for(&painted);
    times[i] = (double) (painted - asked) / 1e3;
    asked = 0;
    rest(20);
  }
  report(what, times, rounds);
}

static void
settle(void)
{
  while (regard_window_is_busy(window))
    g_main_context_iteration(NULL, TRUE);
  rest(200);
}

static double
peak_rss_mb(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double) usage.ru_maxrss / 1024;
}

int
main(int argc, char **argv)
{
  int rounds = argc > 2 ? atoi(argv[2]) : 60;
  if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf(stderr, "usage: bench-window MODEL-DIR [ROUNDS]\n");
    return 2;
  }
  gint64 start = g_get_monotonic_time();
  g_setenv("REGARD_MODEL_DIR", argv[1], TRUE);
  g_setenv("GSETTINGS_BACKEND", "memory", TRUE);
  if (!gtk_init_check()) {
    fprintf(stderr, "bench-window: no display\n");
    return 1;
  }
  g_autoptr(RegardApplication) application = regard_application_new();
  g_application_set_flags(G_APPLICATION(application), G_APPLICATION_NON_UNIQUE);
  if (!g_application_register(G_APPLICATION(application), NULL, NULL))
    return 1;
  GSettings *settings = regard_application_get_settings(application);
  window = regard_window_new(GTK_APPLICATION(application), settings);
  regard_window_open_first_model(window);
  regard_window_set_text(window, SENTENCE);
  gtk_window_present(GTK_WINDOW(window));
  GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(window));
  g_signal_connect(clock, "after-paint", G_CALLBACK(on_after_paint), NULL);
  asked = start;
  wait_for(&painted);
  printf("%-34s %8.1f\n", "start to the first pictures", (double) (painted - start) / 1e3);
  asked = 0;
  settle();
  printf("%-34s %8.1f\n", "memory then, MB", peak_rss_mb());

  printf("%-34s %8s %8s %8s %8s\n", "milliseconds", "median", "p95", "least", "most");
  g_settings_set_uint(settings, "beam-size", 1);
  settle();
  type("key to pictures, 20 words, greedy", rounds);
  g_settings_set_uint(settings, "beam-size", 4);
  settle();
  type("key to pictures, 20 words, beam 4", rounds);
  hover("hover to picture, 20 words", rounds);
  printf("%-34s %8.1f\n", "peak memory, MB", peak_rss_mb());
  return 0;
}
