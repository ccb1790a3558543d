/* regard-text-scroll.c — bring a range of a text into sight.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gtk_text_view_scroll_to_iter knows one place; a sentence has two ends.
 */
#include "parts/regard-text-scroll.h"

typedef struct {
  int top, bottom; /* in the widget */
} Lines;

/* The lines that a place is on. */
static Lines
lines_at(GtkTextView *view, const GtkTextIter *iter)
{
  GdkRectangle place;
  int x, y;
  gtk_text_view_get_iter_location(view, iter, &place);
  gtk_text_view_buffer_to_window_coords(view, GTK_TEXT_WINDOW_WIDGET, place.x, place.y, &x, &y);
  return (Lines){y, y + place.height};
}

/* By how much lines have to go up; of those too high for the room the first one counts. */
static int
distance(Lines lines, int room)
{
  return MIN(lines.top, MAX(lines.bottom - room, 0));
}

/* What is still missing until the first line is not cut, after going up by so much. */
static int
rest_of_first_line(GtkTextView *view, int by)
{
  int x, y;
  GtkTextIter iter;
  gtk_text_view_window_to_buffer_coords(view, GTK_TEXT_WINDOW_WIDGET, 0, by, &x, &y);
  gtk_text_view_get_iter_at_location(view, &iter, 0, MAX(y, 0));
  Lines first = lines_at(view, &iter);
  return first.top < by && first.bottom > by ? first.bottom - by : 0;
}

void
regard_text_scroll_to_range(GtkTextView *view, int begin, int end)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(view);
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(view));
  int room = gtk_widget_get_height(GTK_WIDGET(view));
  GtkTextIter first, last, caret;
  gtk_text_buffer_get_iter_at_offset(buffer, &first, begin);
  gtk_text_buffer_get_iter_at_offset(buffer, &last, end);
  gtk_text_buffer_get_iter_at_mark(buffer, &caret, gtk_text_buffer_get_insert(buffer));
  Lines range = {lines_at(view, &first).top, lines_at(view, &last).bottom};

  int by = distance(range, room);
  if (gtk_text_view_get_editable(view) && gtk_widget_has_focus(GTK_WIDGET(view))) {
    Lines at = lines_at(view, &caret);
    by += distance((Lines){at.top - by, at.bottom - by}, room);
  }
  if (by > 0)
    by += rest_of_first_line(view, by);
  if (by != 0)
    gtk_adjustment_set_value(adjustment, gtk_adjustment_get_value(adjustment) + by);
}
