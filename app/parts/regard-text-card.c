/* regard-text-card.c — a text on a card: title, the text itself, and room for its pieces.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GtkTextBuffer counts characters, the engine bytes; the tokens of the current sentence are
 * converted once, when the sentence is set.
 */
#include "parts/regard-text-card.h"

#include "base/regard-signals.h"
#include "base/regard-template.h"

#include "document/regard-sentences.h"
#include <adwaita.h>
#include <gtk/gtk.h>
#include <string.h>

/* ==== Bring a range of a text into sight =========================================================
 *
 * gtk_text_view_scroll_to_iter knows one place; a sentence has two ends.
 */

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

/* Scroll as little as makes characters [begin, end) visible; of a range that is too long for the
 * view its beginning, unless the caret is in it and has the keyboard: then the caret's line. The
 * first line in sight is whole where the text goes on below. Lines must have been measured. */
static void
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

/* ==== The card ================================================================================ */

/* Character range of a token in the buffer; equal for tokens without text. */
typedef struct {
  int begin, end;
} Span;

struct _RegardTextCard {
  GtkWidget parent_instance;
  GtkWidget *box, *header, *title_box;
  GtkLabel *title;
  GtkTextView *view;
  GtkTextBuffer *buffer;
  GtkTextTag *lit_tag, *other_tag, *later_tag, *copied_tag;
  GArray *spans; /* of Span */
  Span sentence; /* the current one; empty: none */
  guint scroll_idle;
  int lit, hovered, reached;
  gboolean is_setting; /* the program changes the text, not the person */
};

static void buildable_init(GtkBuildableIface *iface);
G_DEFINE_FINAL_TYPE_WITH_CODE(RegardTextCard, regard_text_card, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(GTK_TYPE_BUILDABLE, buildable_init))

enum { PROP_TITLE = 1, PROP_EDITABLE, N_PROPS };
static GParamSpec *props[N_PROPS];
/* ---- Offsets ------------------------------------------------------------------------------- */

static gsize
byte_offset(RegardTextCard *self, const GtkTextIter *iter)
{
  GtkTextIter start;
  gtk_text_buffer_get_start_iter(self->buffer, &start);
  g_autofree char *before = gtk_text_buffer_get_text(self->buffer, &start, iter, TRUE);
  return strlen(before);
}

static void
iter_at_byte(RegardTextCard *self, GtkTextIter *iter, gsize at)
{
  g_autofree char *text = regard_text_card_dup_text(self);
  gsize length = strlen(text);
  gtk_text_buffer_get_iter_at_offset(self->buffer, iter,
                                     (int) g_utf8_strlen(text, (gssize) MIN(at, length)));
}

char *
regard_text_card_dup_text(RegardTextCard *self)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(self->buffer, &start, &end);
  return gtk_text_buffer_get_text(self->buffer, &start, &end, TRUE);
}

gsize
regard_text_card_get_caret(RegardTextCard *self)
{
  GtkTextIter iter;
  gtk_text_buffer_get_iter_at_mark(self->buffer, &iter, gtk_text_buffer_get_insert(self->buffer));
  return byte_offset(self, &iter);
}

void
regard_text_card_set_caret(RegardTextCard *self, gsize at)
{
  GtkTextIter iter;
  iter_at_byte(self, &iter, at);
  gtk_text_buffer_place_cursor(self->buffer, &iter);
  gtk_text_view_scroll_mark_onscreen(self->view, gtk_text_buffer_get_insert(self->buffer));
}

GtkTextView *
regard_text_card_get_view(RegardTextCard *self)
{
  return self->view;
}

/* Put a widget below the text. */
static void
regard_text_card_append(RegardTextCard *self, GtkWidget *widget)
{
  gtk_box_append(GTK_BOX(self->box), widget);
}

RegardTokenStrip *
regard_text_card_add_strip(RegardTextCard *self, RegardSide side)
{
  GtkWidget *strip = regard_token_strip_new(side);
  gtk_widget_add_css_class(strip, "token-strip");
  regard_text_card_append(self, strip);
  return REGARD_TOKEN_STRIP(strip);
}

void
regard_text_card_set_text(RegardTextCard *self, const char *text)
{
  g_autofree char *old = regard_text_card_dup_text(self);
  if (g_str_equal(old, text))
    return;
  /* Characters both have at the front and at the back. */
  const char *a = old, *b = text;
  int front = 0;
  while (*a && g_utf8_get_char(a) == g_utf8_get_char(b)) {
    a = g_utf8_next_char(a), b = g_utf8_next_char(b);
    front++;
  }
  const char *a_end = old + strlen(old), *b_end = text + strlen(text);
  int back = 0;
  while (a_end > a && b_end > b) {
    const char *a_last = g_utf8_prev_char(a_end), *b_last = g_utf8_prev_char(b_end);
    if (g_utf8_get_char(a_last) != g_utf8_get_char(b_last))
      break;
    a_end = a_last, b_end = b_last;
    back++;
  }

  self->is_setting = TRUE;
  GtkTextIter start, end;
  gtk_text_buffer_get_iter_at_offset(self->buffer, &start, front);
  gtk_text_buffer_get_iter_at_offset(self->buffer, &end,
                                     gtk_text_buffer_get_char_count(self->buffer) - back);
  gtk_text_buffer_delete(self->buffer, &start, &end);
  gtk_text_buffer_insert(self->buffer, &start, b, (int) (b_end - b));
  self->is_setting = FALSE;
}

/* ---- The current sentence ------------------------------------------------------------------ */

static void
clear_tag(RegardTextCard *self, GtkTextTag *tag)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(self->buffer, &start, &end);
  gtk_text_buffer_remove_tag(self->buffer, tag, &start, &end);
}

static void
set_hovered(RegardTextCard *self, int token)
{
  if (self->hovered == token)
    return;
  self->hovered = token;
  g_signal_emit_by_name(self, "hover", token);
}

/* GtkTextView measures lines after a change and before it is painted; scrolling comes then. */
static gboolean
on_scroll_idle(gpointer data)
{
  RegardTextCard *self = data;
  self->scroll_idle = 0;
  if (self->sentence.end > self->sentence.begin)
    regard_text_scroll_to_range(self->view, self->sentence.begin, self->sentence.end);
  return G_SOURCE_REMOVE;
}

/* Again when there is more or less room than before, or more lines are measured. */
static void
queue_scroll(RegardTextCard *self)
{
  if (!self->scroll_idle)
    self->scroll_idle = g_idle_add_full(GTK_PRIORITY_RESIZE + 2, on_scroll_idle, self, NULL);
}

static void
update_reached(RegardTextCard *self)
{
  clear_tag(self, self->later_tag);
  const int n = self->reached;
  if (n < 0 || n > (int) self->spans->len)
    return;
  GtkTextIter start, end;
  gtk_text_buffer_get_iter_at_offset(self->buffer, &start,
                                     n ? g_array_index(self->spans, Span, n - 1).end
                                       : self->sentence.begin);
  gtk_text_buffer_get_iter_at_offset(self->buffer, &end, self->sentence.end);
  if (gtk_text_iter_compare(&start, &end) < 0)
    gtk_text_buffer_apply_tag(self->buffer, self->later_tag, &start, &end);
}

void
regard_text_card_set_reached(RegardTextCard *self, int n)
{
  if (self->reached == n)
    return;
  self->reached = n;
  update_reached(self);
  if (n > 0 && n <= (int) self->spans->len) {
    const Span span = g_array_index(self->spans, Span, n - 1);
    regard_text_scroll_to_range(self->view, span.begin, span.end);
  }
}

void
regard_text_card_set_sentence(RegardTextCard *self, gsize begin, gsize end, const mt_tokens *tokens,
                              gboolean dim_others)
{
  int lit = self->lit;
  regard_text_card_set_lit(self, -1);
  g_array_set_size(self->spans, 0);
  clear_tag(self, self->other_tag);
  clear_tag(self, self->later_tag);
  self->sentence = (Span){0, 0};

  g_autofree char *text = regard_text_card_dup_text(self);
  gsize length = strlen(text);
  if (!tokens || begin > end || end > length)
    return;
  int first = (int) g_utf8_strlen(text, (gssize) begin);
  int n_chars = (int) g_utf8_strlen(text + begin, (gssize) (end - begin));
  for (size_t i = 0; i < mt_tokens_count(tokens); i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    gsize from = MIN(token->begin, end - begin), to = MIN(token->end, end - begin);
    /* A piece's own leading space is not part of the word. */
    while (from < to && g_ascii_isspace(text[begin + from]))
      from++;
    Span span;
    span.begin = first + (int) g_utf8_strlen(text + begin, (gssize) from);
    span.end = span.begin + (int) g_utf8_strlen(text + begin + from, (gssize) (to - from));
    g_array_append_val(self->spans, span);
  }
  if (dim_others) {
    GtkTextIter start, stop;
    gtk_text_buffer_get_start_iter(self->buffer, &start);
    gtk_text_buffer_get_iter_at_offset(self->buffer, &stop, first);
    gtk_text_buffer_apply_tag(self->buffer, self->other_tag, &start, &stop);
    gtk_text_buffer_get_iter_at_offset(self->buffer, &start, first + n_chars);
    gtk_text_buffer_get_end_iter(self->buffer, &stop);
    gtk_text_buffer_apply_tag(self->buffer, self->other_tag, &start, &stop);
  }
  self->sentence = (Span){first, first + n_chars};
  queue_scroll(self);
  regard_text_card_set_lit(self, lit);
  update_reached(self);
}

void
regard_text_card_show_tokens(RegardTextCard *self, const mt_tokens *tokens)
{
  const char *text = tokens ? mt_tokens_text(tokens) : "";
  regard_text_card_set_text(self, text);
  regard_text_card_set_caret(self, 0); /* long ones are read from their beginning */
  regard_text_card_set_sentence(self, 0, strlen(text), tokens, FALSE);
}

void
regard_text_card_set_lit(RegardTextCard *self, int token)
{
  if (self->lit == token)
    return;
  clear_tag(self, self->lit_tag);
  self->lit = token;
  if (token < 0 || token >= (int) self->spans->len)
    return;
  Span span = g_array_index(self->spans, Span, token);
  GtkTextIter start, end;
  gtk_text_buffer_get_iter_at_offset(self->buffer, &start, span.begin);
  gtk_text_buffer_get_iter_at_offset(self->buffer, &end, span.end);
  gtk_text_buffer_apply_tag(self->buffer, self->lit_tag, &start, &end);
}

/* ---- Events -------------------------------------------------------------------------------- */

static void
on_motion(GtkEventControllerMotion *controller, double x, double y, RegardTextCard *self)
{
  int bx, by, token = -1;
  GtkTextIter iter;
  gtk_text_view_window_to_buffer_coords(self->view, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx,
                                        &by);
  if (gtk_text_view_get_iter_at_position(self->view, &iter, NULL, bx, by)) {
    int at = gtk_text_iter_get_offset(&iter);
    for (guint i = 0; i < self->spans->len; i++) {
      Span span = g_array_index(self->spans, Span, i);
      if (at >= span.begin && at < span.end)
        token = (int) i;
    }
  }
  set_hovered(self, token);
}

static void
on_leave(GtkEventControllerMotion *controller, RegardTextCard *self)
{
  set_hovered(self, -1);
}

static void
on_changed(GtkTextBuffer *buffer, RegardTextCard *self)
{
  /* The spans are those of the text before. */
  g_array_set_size(self->spans, 0);
  if (!self->is_setting)
    g_signal_emit_by_name(self, "changed");
}

static void
on_cursor(GtkTextBuffer *buffer, GParamSpec *pspec, RegardTextCard *self)
{
  if (!self->is_setting)
    g_signal_emit_by_name(self, "caret", (guint) regard_text_card_get_caret(self));
}

void
regard_text_card_set_copied(RegardTextCard *self, const GArray *ranges)
{
  g_autofree char *text = regard_text_card_dup_text(self);
  const gsize length = strlen(text);
  clear_tag(self, self->copied_tag);
  for (guint i = 0; ranges && i < ranges->len; i++) {
    const RegardSentence *range = &g_array_index(ranges, RegardSentence, i);
    GtkTextIter start, end;
    if (range->end > length)
      return;
    gtk_text_buffer_get_iter_at_offset(self->buffer, &start,
                                       (int) g_utf8_strlen(text, (gssize) range->begin));
    gtk_text_buffer_get_iter_at_offset(self->buffer, &end,
                                       (int) g_utf8_strlen(text, (gssize) range->end));
    gtk_text_buffer_apply_tag(self->buffer, self->copied_tag, &start, &end);
  }
}

/* Text tags take colours, not CSS: follow the theme by hand. */
static void
update_colors(RegardTextCard *self)
{
  if (!self->lit_tag)
    return;
  GtkStyleContext *context = gtk_widget_get_style_context(GTK_WIDGET(self->view));
  GdkRGBA accent, text;
  gtk_style_context_get_color(context, &text);
  if (!gtk_style_context_lookup_color(context, "accent_bg_color", &accent))
    accent = text;
  gboolean is_contrast = adw_style_manager_get_high_contrast(adw_style_manager_get_default());
  accent.alpha = is_contrast ? 0.5f : 0.3f;
  text.alpha *= is_contrast ? 0.8f : 0.55f;
  g_object_set(self->lit_tag, "background-rgba", &accent, NULL);
  g_object_set(self->other_tag, "foreground-rgba", &text, NULL);
  text.alpha *= is_contrast ? 0.9f : 0.75f;
  g_object_set(self->later_tag, "foreground-rgba", &text, NULL);
}

static void
regard_text_card_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_text_card_parent_class)->css_changed(widget, change);
  update_colors(REGARD_TEXT_CARD(widget));
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_text_card_add_child(GtkBuildable *buildable, GtkBuilder *builder, GObject *child,
                           const char *type)
{
  RegardTextCard *self = REGARD_TEXT_CARD(buildable);
  if (!self->box) /* the template's own child comes first */
    gtk_widget_set_parent(GTK_WIDGET(child), GTK_WIDGET(self));
  else if (g_strcmp0(type, "title") == 0)
    gtk_box_append(GTK_BOX(self->title_box), GTK_WIDGET(child));
  else if (g_strcmp0(type, "header") == 0)
    gtk_box_append(GTK_BOX(self->header), GTK_WIDGET(child));
  else
    regard_text_card_append(self, GTK_WIDGET(child));
}

static void
buildable_init(GtkBuildableIface *iface)
{
  iface->add_child = regard_text_card_add_child;
}

static void
regard_text_card_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  RegardTextCard *self = REGARD_TEXT_CARD(object);
  switch (id) {
  case PROP_TITLE:
    g_value_set_string(value, gtk_label_get_text(self->title));
    break;
  case PROP_EDITABLE:
    g_value_set_boolean(value, gtk_text_view_get_editable(self->view));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
regard_text_card_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  RegardTextCard *self = REGARD_TEXT_CARD(object);
  switch (id) {
  case PROP_TITLE:
    gtk_label_set_text(self->title, g_value_get_string(value));
    gtk_accessible_update_property(GTK_ACCESSIBLE(self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   g_value_get_string(value), -1);
    break;
  case PROP_EDITABLE:
    gtk_text_view_set_editable(self->view, g_value_get_boolean(value));
    /* Not once it has been shown: GTK 4.8 stops blinking only where the focus is, and ends the
     * program over a blinking cursor that may not be seen. */
    if (!gtk_widget_get_realized(GTK_WIDGET(self->view)))
      gtk_text_view_set_cursor_visible(self->view, g_value_get_boolean(value));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
regard_text_card_dispose(GObject *object)
{
  RegardTextCard *self = REGARD_TEXT_CARD(object);
  g_clear_handle_id(&self->scroll_idle, g_source_remove);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_text_card_parent_class)->dispose(object);
}

static void
regard_text_card_finalize(GObject *object)
{
  RegardTextCard *self = REGARD_TEXT_CARD(object);
  g_array_unref(self->spans);
  g_object_unref(self->buffer);
  G_OBJECT_CLASS(regard_text_card_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardTextCard, name)

static void
regard_text_card_class_init(RegardTextCardClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(box),   CHILD(header), CHILD(title_box),
                                                 CHILD(title), CHILD(view),   {NULL, 0}};
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  object_class->get_property = regard_text_card_get_property;
  object_class->set_property = regard_text_card_set_property;
  object_class->dispose = regard_text_card_dispose;
  object_class->finalize = regard_text_card_finalize;
  widget_class->css_changed = regard_text_card_css_changed;

  props[PROP_TITLE] =
      g_param_spec_string("title", NULL, NULL, "", G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  props[PROP_EDITABLE] = g_param_spec_boolean("editable", NULL, NULL, TRUE,
                                              G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, props);
  regard_add_signal(klass, "changed", 0);
  regard_add_signal(klass, "caret", 1, G_TYPE_UINT);
  regard_add_signal(klass, "hover", 1, G_TYPE_INT);

  gtk_widget_class_set_css_name(widget_class, "textcard");
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-text-card.ui", children);
}

static void
regard_text_card_init(RegardTextCard *self)
{
  self->spans = g_array_new(FALSE, FALSE, sizeof(Span));
  self->lit = self->hovered = self->reached = -1;
  gtk_widget_init_template(GTK_WIDGET(self));
  self->buffer = g_object_ref(gtk_text_view_get_buffer(self->view));
  gtk_text_buffer_set_enable_undo(self->buffer, FALSE); /* the document's goes further */
  self->other_tag = gtk_text_buffer_create_tag(self->buffer, "other", NULL);
  self->later_tag = gtk_text_buffer_create_tag(self->buffer, "later", NULL);
  self->copied_tag =
      gtk_text_buffer_create_tag(self->buffer, "copied", "underline", PANGO_UNDERLINE_DOUBLE, NULL);
  self->lit_tag = gtk_text_buffer_create_tag(self->buffer, "lit", NULL);
  g_signal_connect(self->buffer, "changed", G_CALLBACK(on_changed), self);
  g_signal_connect(self->buffer, "notify::cursor-position", G_CALLBACK(on_cursor), self);

  GtkAdjustment *room = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(self->view));
  regard_observe(room, self, queue_scroll, "notify::page-size", "notify::upper");
  GtkEventController *motion = gtk_event_controller_motion_new();
  gtk_event_controller_set_name(motion, "motion");
  g_signal_connect(motion, "motion", G_CALLBACK(on_motion), self);
  g_signal_connect(motion, "leave", G_CALLBACK(on_leave), self);
  gtk_widget_add_controller(GTK_WIDGET(self->view), motion);
  update_colors(self);
}
