/* regard-bench-chips.c — the tokens of a sentence with the position encoding of each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chips are buttons, so that keyboard and screen readers know them; they stay while the sentence
 * has as many tokens.
 */
#include "widgets/regard-bench-chips.h"

#include "figures/regard-naming.h"
#include "widgets/regard-wrap-layout.h"
#include <glib/gi18n.h>

#define DRAG_FROM 8 /* px */

struct _RegardBenchChips {
  GtkWidget parent_instance;
  GPtrArray *chips; /* GtkToggleButton, children of wrap */
  GtkWidget *wrap;
  int cursor, marks[2], dragged, target; /* -1: none */
  gboolean is_setting;
};

G_DEFINE_FINAL_TYPE(RegardBenchChips, regard_bench_chips, GTK_TYPE_WIDGET)

enum { SWAP_WANTED, CURSOR_CHANGED, MARKS_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

GtkWidget *
regard_bench_chips_get_chip(RegardBenchChips *self, guint token)
{
  g_return_val_if_fail(REGARD_IS_BENCH_CHIPS(self), NULL);
  return token < self->chips->len ? self->chips->pdata[token] : NULL;
}

int
regard_bench_chips_get_cursor(RegardBenchChips *self)
{
  g_return_val_if_fail(REGARD_IS_BENCH_CHIPS(self), -1);
  return self->cursor;
}

guint
regard_bench_chips_get_marks(RegardBenchChips *self, guint marks[2])
{
  guint n = 0;

  g_return_val_if_fail(REGARD_IS_BENCH_CHIPS(self), 0);
  for (guint i = 0; i < 2; i++)
    if (self->marks[i] >= 0)
      marks[n++] = (guint) self->marks[i];
  return n;
}

/* ---- Marks -------------------------------------------------------------------------------------
 */

static int
index_of(RegardBenchChips *self, gconstpointer chip)
{
  guint i;

  return g_ptr_array_find(self->chips, chip, &i) ? (int) i : -1;
}

static void
show_marks(RegardBenchChips *self)
{
  self->is_setting = TRUE;
  for (guint i = 0; i < self->chips->len; i++)
    gtk_toggle_button_set_active(self->chips->pdata[i],
                                 (int) i == self->marks[0] || (int) i == self->marks[1]);
  self->is_setting = FALSE;
}

static void
on_toggled(RegardBenchChips *self, GtkToggleButton *chip)
{
  const int i = index_of(self, chip);

  if (self->is_setting || i < 0)
    return;
  if (!gtk_toggle_button_get_active(chip)) {
    if (self->marks[0] == i)
      self->marks[0] = self->marks[1];
    self->marks[1] = -1;
  } else if (self->marks[0] < 0)
    self->marks[0] = i;
  else {
    if (self->marks[1] >= 0)
      self->marks[0] = self->marks[1];
    self->marks[1] = i;
  }
  show_marks(self);
  g_signal_emit(self, signals[MARKS_CHANGED], 0);
}

static void
on_focus(GtkEventController *controller, RegardBenchChips *self)
{
  self->cursor = index_of(self, gtk_event_controller_get_widget(controller));
  g_signal_emit(self, signals[CURSOR_CHANGED], 0);
}

/* ---- What a chip says --------------------------------------------------------------------------
 */

/* "5", "3 → 7", "off". */
static char *
short_text(const RegardPositionPlan *plan, guint i)
{
  const mt_position_change *p = &plan->tokens[i];

  if (p->is_zero)
    return g_strdup(_("off"));
  if (p->position != (glong) i)
    return g_strdup_printf("%u → %s%ld", i, p->position < 0 ? "−" : "", ABS(p->position));
  return g_strdup_printf("%u", i);
}

static char *
long_text(const RegardPositionPlan *plan, guint i, const char *word)
{
  const mt_position_change *p = &plan->tokens[i];
  const char *layout = p->interleaves && !p->is_zero ? _(", interleaved") : "";

  if (p->is_zero)
    return g_strdup_printf(_("%s at position %u: no encoding"), word, i);
  if (p->position != (glong) i)
    return g_strdup_printf(_("%s at position %u: encoding of position %ld%s"), word, i, p->position,
                           layout);
  return g_strdup_printf(_("%s at position %u: its own encoding%s"), word, i, layout);
}

static void
fill_chip(RegardBenchChips *self, guint i, const mt_tokens *tokens, const RegardPositionPlan *plan)
{
  GtkWidget *chip = self->chips->pdata[i], *box = gtk_button_get_child(GTK_BUTTON(chip));
  GtkWidget *word = gtk_widget_get_first_child(box), *place = gtk_widget_get_next_sibling(word);
  g_autofree char *text =
      regard_token_display(tokens, i, i == 0 && plan->stack == MT_STACK_DECODER);
  g_autofree char *position = short_text(plan, i), *description = long_text(plan, i, text);

  gtk_label_set_text(GTK_LABEL(word), text);
  gtk_label_set_text(GTK_LABEL(place), position);
  gtk_widget_set_tooltip_text(chip, description);
  gtk_accessible_update_property(GTK_ACCESSIBLE(chip), GTK_ACCESSIBLE_PROPERTY_LABEL, description,
                                 -1);
  if (regard_position_plan_is_own(plan, i))
    gtk_widget_remove_css_class(chip, "changed");
  else
    gtk_widget_add_css_class(chip, "changed");
}

static GtkWidget *
new_chip(RegardBenchChips *self)
{
  GtkWidget *chip = gtk_toggle_button_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *word = gtk_label_new(NULL), *place = gtk_label_new(NULL);
  GtkEventController *focus = gtk_event_controller_focus_new();

  gtk_widget_add_css_class(chip, "bench-chip");
  gtk_widget_add_css_class(place, "bench-place");
  gtk_box_append(GTK_BOX(box), word);
  gtk_box_append(GTK_BOX(box), place);
  gtk_button_set_child(GTK_BUTTON(chip), box);
  g_signal_connect_swapped(chip, "toggled", G_CALLBACK(on_toggled), self);
  g_signal_connect(focus, "enter", G_CALLBACK(on_focus), self);
  gtk_widget_add_controller(chip, focus);
  return chip;
}

void
regard_bench_chips_set(RegardBenchChips *self, const mt_tokens *tokens,
                       const RegardPositionPlan *plan)
{
  const guint n = tokens ? (guint) mt_tokens_count(tokens) : 0;

  g_return_if_fail(REGARD_IS_BENCH_CHIPS(self) && (n == 0 || plan->n >= n));
  if (n != self->chips->len) {
    self->cursor = self->marks[0] = self->marks[1] = -1;
    show_marks(self);
  }
  while (self->chips->len > n) {
    gtk_box_remove(GTK_BOX(self->wrap), self->chips->pdata[self->chips->len - 1]);
    g_ptr_array_remove_index(self->chips, self->chips->len - 1);
  }
  while (self->chips->len < n) {
    GtkWidget *chip = new_chip(self);

    g_ptr_array_add(self->chips, chip);
    regard_wrap_append(self->wrap, chip);
  }
  for (guint i = 0; i < n; i++)
    fill_chip(self, i, tokens, plan);
}

/* ---- Dragging ----------------------------------------------------------------------------------
 */

static int
chip_at(RegardBenchChips *self, double x, double y)
{
  GtkWidget *found = gtk_widget_pick(self->wrap, x, y, GTK_PICK_DEFAULT);
  GtkWidget *chip = found ? gtk_widget_get_ancestor(found, GTK_TYPE_TOGGLE_BUTTON) : NULL;

  return chip ? index_of(self, chip) : -1;
}

/* Which chip is held, and over which it is. */
static void
show_drag(RegardBenchChips *self, int dragged, int target)
{
  const int old[] = {self->dragged, self->target}, new[] = {dragged, target};
  static const char *const classes[] = {"dragged", "drop-here"};

  for (guint i = 0; i < 2; i++) {
    if (old[i] >= 0 && old[i] < (int) self->chips->len)
      gtk_widget_remove_css_class(self->chips->pdata[old[i]], classes[i]);
    if (new[i] >= 0)
      gtk_widget_add_css_class(self->chips->pdata[new[i]], classes[i]);
  }
  self->dragged = dragged;
  self->target = target;
}

static void
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, RegardBenchChips *self)
{
  double x, y;
  int from, to;

  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  from = chip_at(self, x, y);
  if (from < 0 || (self->dragged < 0 && ABS(dx) + ABS(dy) < DRAG_FROM))
    return;
  to = chip_at(self, x + dx, y + dy);
  gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  show_drag(self, from, to == from ? -1 : to);
}

static void
on_drag_end(GtkGestureDrag *gesture, double dx, double dy, RegardBenchChips *self)
{
  const int from = self->dragged, to = self->target;

  show_drag(self, -1, -1);
  if (from >= 0 && to >= 0)
    g_signal_emit(self, signals[SWAP_WANTED], 0, (guint) from, (guint) to);
}

static void
on_drag_cancel(RegardBenchChips *self)
{
  show_drag(self, -1, -1);
}

/* ---- The widget --------------------------------------------------------------------------------
 */

static void
regard_bench_chips_dispose(GObject *object)
{
  RegardBenchChips *self = REGARD_BENCH_CHIPS(object);

  g_ptr_array_set_size(self->chips, 0);
  g_clear_pointer(&self->wrap, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_bench_chips_parent_class)->dispose(object);
}

static void
regard_bench_chips_finalize(GObject *object)
{
  g_ptr_array_unref(REGARD_BENCH_CHIPS(object)->chips);
  G_OBJECT_CLASS(regard_bench_chips_parent_class)->finalize(object);
}

static void
regard_bench_chips_class_init(RegardBenchChipsClass *klass)
{
  const GType type = G_TYPE_FROM_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_bench_chips_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_bench_chips_finalize;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "benchchips");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
  signals[SWAP_WANTED] = g_signal_new("swap-wanted", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                      G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_UINT);
  signals[CURSOR_CHANGED] =
      g_signal_new("cursor-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MARKS_CHANGED] =
      g_signal_new("marks-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
regard_bench_chips_init(RegardBenchChips *self)
{
  GtkGesture *drag = gtk_gesture_drag_new();

  self->chips = g_ptr_array_new();
  self->cursor = self->marks[0] = self->marks[1] = self->dragged = self->target = -1;
  self->wrap = regard_wrap_new(4);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->wrap), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Tokens and their position encodings"), -1);
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(drag), "drag");
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(drag), GTK_PHASE_CAPTURE);
  g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), self);
  g_signal_connect(drag, "drag-end", G_CALLBACK(on_drag_end), self);
  g_signal_connect_swapped(drag, "cancel", G_CALLBACK(on_drag_cancel), self);
  gtk_widget_add_controller(self->wrap, GTK_EVENT_CONTROLLER(drag));
  gtk_widget_set_parent(self->wrap, GTK_WIDGET(self));
}

GtkWidget *
regard_bench_chips_new(void)
{
  return g_object_new(REGARD_TYPE_BENCH_CHIPS, NULL);
}
