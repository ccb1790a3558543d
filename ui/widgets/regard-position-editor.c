/* regard-position-editor.c — position encodings to be moved, swapped, shifted and switched off.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-position-editor.h"

#include "figures/regard-intervention-edit.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "runner/regard-failure.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-permutation-card.h"
#include "widgets/regard-wrap-layout.h"

/* ---- The tokens of a sentence with the position encoding of each ------------------------ */

/* Chips are buttons, so that keyboard and screen readers know them; they stay while the sentence
 * has as many tokens. */

#define DRAG_FROM 8 /* px */

struct _RegardPositionEditorChips {
  GtkWidget parent_instance;
  GPtrArray *chips; /* GtkToggleButton, children of wrap */
  GtkWidget *wrap;
  int cursor, marks[2], dragged, target; /* -1: none */
  gboolean is_setting, is_plain;         /* plain: words for pieces */
};

G_DEFINE_FINAL_TYPE(RegardPositionEditorChips, regard_position_editor_chips, GTK_TYPE_WIDGET)

enum { SWAP_WANTED, CURSOR_CHANGED, MARKS_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

GtkWidget *
regard_position_editor_chips_get_chip(RegardPositionEditorChips *self, guint token)
{
  return token < self->chips->len ? self->chips->pdata[token] : NULL;
}

int
regard_position_editor_chips_get_cursor(RegardPositionEditorChips *self)
{
  return self->cursor;
}

guint
regard_position_editor_chips_get_marks(RegardPositionEditorChips *self, guint marks[2])
{
  guint n = 0;

  for (guint i = 0; i < 2; i++)
    if (self->marks[i] >= 0)
      marks[n++] = (guint) self->marks[i];
  return n;
}

/* ---- Marks -------------------------------------------------------------------------------------
 */

static int
index_of(RegardPositionEditorChips *self, gconstpointer chip)
{
  guint i;

  return g_ptr_array_find(self->chips, chip, &i) ? (int) i : -1;
}

static void
show_marks(RegardPositionEditorChips *self)
{
  self->is_setting = TRUE;
  for (guint i = 0; i < self->chips->len; i++)
    gtk_toggle_button_set_active(self->chips->pdata[i],
                                 (int) i == self->marks[0] || (int) i == self->marks[1]);
  self->is_setting = FALSE;
}

static void
on_toggled(RegardPositionEditorChips *self, GtkToggleButton *chip)
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
on_focus(GtkEventController *controller, RegardPositionEditorChips *self)
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
  if (p->is_zero)
    /* Translators: here and below a token and the position that it stands at */
    return g_strdup_printf(_("%s at position %u: no encoding"), word, i);
  if (p->position != (glong) i)
    return g_strdup_printf(p->interleaves
                               ? _("%s at position %u: encoding of position %ld, interleaved")
                               : _("%s at position %u: encoding of position %ld"),
                           word, i, p->position);
  return g_strdup_printf(p->interleaves ? _("%s at position %u: its own encoding, interleaved")
                                        : _("%s at position %u: its own encoding"),
                         word, i);
}

static void
fill_chip(RegardPositionEditorChips *self, guint i, const mt_tokens *tokens,
          const RegardPositionPlan *plan)
{
  GtkWidget *chip = self->chips->pdata[i], *box = gtk_button_get_child(GTK_BUTTON(chip));
  GtkWidget *word = gtk_widget_get_first_child(box), *place = gtk_widget_get_next_sibling(word);
  char *text = regard_token_display(tokens, i, i == 0 && plan->stack == MT_STACK_DECODER);
  if (self->is_plain)
    regard_plain_text(&text);
  g_autofree char *owned = text, *position = short_text(plan, i),
                  *description = long_text(plan, i, text);

  gtk_label_set_text(GTK_LABEL(word), text);
  gtk_label_set_text(GTK_LABEL(place), position);
  regard_widget_set_name(chip, description);
  if (regard_position_plan_is_own(plan, i))
    gtk_widget_remove_css_class(chip, "changed");
  else
    gtk_widget_add_css_class(chip, "changed");
}

static GtkWidget *
new_chip(RegardPositionEditorChips *self)
{
  GtkWidget *chip = gtk_toggle_button_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *word = gtk_label_new(NULL), *place = gtk_label_new(NULL);
  GtkEventController *focus = gtk_event_controller_focus_new();

  gtk_widget_add_css_class(chip, "bench-chip");
  gtk_widget_add_css_class(place, "bench-place");
  regard_box_append(box, word, place, NULL);
  gtk_button_set_child(GTK_BUTTON(chip), box);
  g_signal_connect_swapped(chip, "toggled", G_CALLBACK(on_toggled), self);
  g_signal_connect(focus, "enter", G_CALLBACK(on_focus), self);
  gtk_widget_add_controller(chip, focus);
  return chip;
}

void
regard_position_editor_chips_set(RegardPositionEditorChips *self, const mt_tokens *tokens,
                                 const RegardPositionPlan *plan)
{
  const guint n = tokens ? (guint) mt_tokens_count(tokens) : 0;

  g_return_if_fail(n == 0 || plan->n >= n);
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
chip_at(RegardPositionEditorChips *self, double x, double y)
{
  GtkWidget *found = gtk_widget_pick(self->wrap, x, y, GTK_PICK_DEFAULT);
  GtkWidget *chip = found ? gtk_widget_get_ancestor(found, GTK_TYPE_TOGGLE_BUTTON) : NULL;

  return chip ? index_of(self, chip) : -1;
}

/* Which chip is held, and over which it is. */
static void
show_drag(RegardPositionEditorChips *self, int dragged, int target)
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
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, RegardPositionEditorChips *self)
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
on_drag_end(GtkGestureDrag *gesture, double dx, double dy, RegardPositionEditorChips *self)
{
  const int from = self->dragged, to = self->target;

  show_drag(self, -1, -1);
  if (from >= 0 && to >= 0)
    g_signal_emit(self, signals[SWAP_WANTED], 0, (guint) from, (guint) to);
}

static void
on_drag_cancel(RegardPositionEditorChips *self)
{
  show_drag(self, -1, -1);
}

/* ---- The widget --------------------------------------------------------------------------------
 */

static void
chips_dispose(GObject *object)
{
  RegardPositionEditorChips *self = REGARD_POSITION_EDITOR_CHIPS(object);

  g_ptr_array_set_size(self->chips, 0);
  g_clear_pointer(&self->wrap, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_position_editor_chips_parent_class)->dispose(object);
}

static void
chips_finalize(GObject *object)
{
  g_ptr_array_unref(REGARD_POSITION_EDITOR_CHIPS(object)->chips);
  G_OBJECT_CLASS(regard_position_editor_chips_parent_class)->finalize(object);
}

static void
regard_position_editor_chips_class_init(RegardPositionEditorChipsClass *klass)
{
  const GType type = G_TYPE_FROM_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = chips_dispose;
  G_OBJECT_CLASS(klass)->finalize = chips_finalize;
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
regard_position_editor_chips_init(RegardPositionEditorChips *self)
{
  GtkGesture *drag = gtk_gesture_drag_new();

  self->chips = g_ptr_array_new();
  self->cursor = self->marks[0] = self->marks[1] = self->dragged = self->target = -1;
  self->wrap = regard_wrap_new(4);
  regard_accessible_set_label(self->wrap, _("Tokens and their position encodings"));
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(drag), "drag");
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(drag), GTK_PHASE_CAPTURE);
  g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), self);
  g_signal_connect(drag, "drag-end", G_CALLBACK(on_drag_end), self);
  g_signal_connect_swapped(drag, "cancel", G_CALLBACK(on_drag_cancel), self);
  gtk_widget_add_controller(self->wrap, GTK_EVENT_CONTROLLER(drag));
  gtk_widget_set_parent(self->wrap, GTK_WIDGET(self));
}

GtkWidget *
regard_position_editor_chips_new(void)
{
  return g_object_new(REGARD_TYPE_POSITION_EDITOR_CHIPS, NULL);
}

/* ---- The bench --------------------------------------------------------------------------------
 */

struct _RegardPositionEditor {
  GtkWidget parent_instance;
  RegardSelection *selection;
  mt_stack stack;
  mt_interventions
      *interventions;       /* as they are wanted now, which may be more than the capture has */
  RegardPositionPlan *plan; /* what they say; NULL: no sentence, or no model */
  gboolean following;       /* the program presses the buttons */

  GtkWidget *box, *controls, *off, *layout, *spin, *swap, *reset, *chips, *card, *hint;
};

G_DEFINE_FINAL_TYPE(RegardPositionEditor, regard_position_editor, GTK_TYPE_WIDGET)

/* ---- What there is -----------------------------------------------------------------------------
 */

static const mt_tokens *
tokens_of(RegardPositionEditor *self)
{
  const mt_capture *capture = regard_selection_get_capture(self->selection);

  if (!capture)
    return NULL;
  return self->stack == MT_STACK_ENCODER ? mt_capture_source(capture)
                                         : mt_capture_decoder_input(capture);
}

/* NULL: no model has computed what is shown, so none can compute it otherwise; or it is the
 * reference, which stays what it was. */
static const mt_config *
config_of(RegardPositionEditor *self)
{
  mt_model *model = regard_selection_get_pass_model(self->selection);
  mt_capture *a, *b;
  const gboolean is_reference = regard_selection_get_pair(self->selection, &a, &b) &&
                                regard_selection_get_capture(self->selection) == a;

  return model && !is_reference ? mt_model_config(model) : NULL;
}

/* Positions that are computed go on without end, and a plan is of all that a text can have. */
static gboolean
is_of_all(RegardPositionEditor *self)
{
  return config_of(self)->position_kind != MT_POSITIONS_LEARNED;
}

static void
follow_cursor(RegardPositionEditor *self)
{
  const int cursor =
      regard_position_editor_chips_get_cursor(REGARD_POSITION_EDITOR_CHIPS(self->chips));
  const gboolean has = self->plan && cursor >= 0 && cursor < (int) self->plan->n;
  guint marks[2];

  self->following = TRUE;
  gtk_widget_set_sensitive(self->spin, has);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->spin),
                            has ? (double) self->plan->tokens[cursor].position : 0);
  gtk_widget_set_sensitive(self->swap, regard_position_editor_chips_get_marks(
                                           REGARD_POSITION_EDITOR_CHIPS(self->chips), marks) == 2);
  self->following = FALSE;
}

static void
show(RegardPositionEditor *self)
{
  const mt_tokens *tokens = self->plan ? tokens_of(self) : NULL;
  const guint n = tokens ? (guint) mt_tokens_count(tokens) : 0;
  gboolean is_own = TRUE;

  gtk_widget_set_visible(self->controls, n > 0);
  gtk_widget_set_visible(self->card, n > 0 && self->stack == MT_STACK_ENCODER);
  gtk_label_set_text(
      GTK_LABEL(self->hint),
      n > 0 ? ""
            : _("Tokens can be moved in a translation of now: not in a file, in A, or in "
                "B − A."));
  gtk_widget_set_visible(self->hint, n == 0);
  REGARD_POSITION_EDITOR_CHIPS(self->chips)->is_plain =
      self->selection && regard_selection_get_simple(self->selection);
  regard_position_editor_chips_set(REGARD_POSITION_EDITOR_CHIPS(self->chips), tokens, self->plan);
  for (guint i = 0; self->plan && i < self->plan->n; i++)
    is_own = is_own && regard_position_plan_is_own(self->plan, i);
  self->following = TRUE;
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->off),
                               n > 0 && regard_position_plan_is_off(self->plan, n));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->layout),
                               n > 0 && regard_position_plan_interleaves(self->plan));
  gtk_widget_set_visible(self->layout,
                         n > 0 && config_of(self)->position_kind == MT_POSITIONS_SINUSOIDAL_HALVES);
  gtk_widget_set_sensitive(self->reset, !is_own);
  self->following = FALSE;
  follow_cursor(self);
}

static void
read_plan(RegardPositionEditor *self)
{
  const mt_config *config = config_of(self);
  const mt_tokens *tokens = config ? tokens_of(self) : NULL;
  const guint n = tokens ? (guint) mt_tokens_count(tokens) : 0;

  g_clear_pointer(&self->plan, regard_position_plan_free);
  if (n > 0)
    self->plan =
        regard_position_plan_new(self->interventions, self->stack,
                                 is_of_all(self) ? MAX(n, (guint) config->max_positions) : n);
  show(self);
}

/* What is shown, unless more is wanted already, and on its way. */
static void
load(RegardPositionEditor *self)
{
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_interventions *now = capture ? mt_capture_interventions(capture) : NULL;

  if (!gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  if (!regard_selection_get_stale(self->selection)) {
    mt_interventions_unref(self->interventions);
    /* Reference count apart, they are not changed. */
    self->interventions = now ? mt_interventions_ref((mt_interventions *) now) : NULL;
  }
  read_plan(self);
}

/* ---- What a person does ------------------------------------------------------------------------
 */

/* The plan was edited: that is what is wanted. */
static void
want(RegardPositionEditor *self)
{
  mt_error error = {0};
  mt_interventions *interventions =
      regard_position_plan_apply(self->plan, self->interventions, is_of_all(self), &error);

  if (!interventions) { /* more lines than there may be */
    g_autofree char *said = regard_failure_say(&error);

    read_plan(self);
    gtk_label_set_text(GTK_LABEL(self->hint), said);
    gtk_widget_set_visible(self->hint, TRUE);
    return;
  }
  mt_interventions_unref(self->interventions);
  self->interventions = interventions;
  show(self);
  regard_selection_want_interventions(self->selection, interventions);
}

static void
on_off(RegardPositionEditor *self)
{
  if (self->following || !self->plan)
    return;
  regard_position_plan_set_all_off(self->plan,
                                   gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->off)));
  want(self);
}

static void
on_layout(RegardPositionEditor *self)
{
  if (self->following || !self->plan)
    return;
  regard_position_plan_interleave(self->plan,
                                  gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->layout)));
  want(self);
}

static void
shift_all(RegardPositionEditor *self, int by)
{
  if (!self->plan)
    return;
  regard_position_plan_shift_all(self->plan, by);
  want(self);
}

static void
on_back(RegardPositionEditor *self)
{
  shift_all(self, -1);
}

static void
on_forth(RegardPositionEditor *self)
{
  shift_all(self, 1);
}

static void
on_reset(RegardPositionEditor *self)
{
  if (!self->plan)
    return;
  regard_position_plan_reset(self->plan);
  want(self);
}

static void
on_position(RegardPositionEditor *self)
{
  const int cursor =
      regard_position_editor_chips_get_cursor(REGARD_POSITION_EDITOR_CHIPS(self->chips));

  if (self->following || !self->plan || cursor < 0)
    return;
  regard_position_plan_set(self->plan, (guint) cursor,
                           gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(self->spin)));
  want(self);
}

static void
on_swap_wanted(RegardPositionEditor *self, guint a, guint b)
{
  if (!self->plan)
    return;
  regard_position_plan_swap(self->plan, a, b);
  want(self);
}

static void
on_swap(RegardPositionEditor *self)
{
  guint marks[2];

  if (regard_position_editor_chips_get_marks(REGARD_POSITION_EDITOR_CHIPS(self->chips), marks) == 2)
    on_swap_wanted(self, marks[0], marks[1]);
}

static void
on_marks(RegardPositionEditor *self)
{
  guint marks[2];
  const gboolean are_two =
      regard_position_editor_chips_get_marks(REGARD_POSITION_EDITOR_CHIPS(self->chips), marks) == 2;

  if (self->stack == MT_STACK_ENCODER)
    regard_permutation_card_set_exchange(REGARD_PERMUTATION_CARD(self->card),
                                         are_two ? (int) marks[0] : -1,
                                         are_two ? (int) marks[1] : -1);
  follow_cursor(self);
}

/* Of the token that has the keyboard. */
static gboolean
edit_token(RegardPositionEditor *self, guint token, guint keyval)
{
  const mt_position_change *p = &self->plan->tokens[token];

  switch (regard_plain_key(keyval)) {
  case GDK_KEY_Delete:
    regard_position_plan_set_off(self->plan, token, !p->is_zero);
    return TRUE;
  case GDK_KEY_plus:
  case GDK_KEY_equal:
    regard_position_plan_set(self->plan, token, p->position + 1);
    return TRUE;
  case GDK_KEY_minus:
    regard_position_plan_set(self->plan, token, p->position - 1);
    return TRUE;
  case GDK_KEY_BackSpace:
    regard_position_plan_set(self->plan, token, token);
    return TRUE;
  default:
    return FALSE;
  }
}

/* At once, where activating it would show it pressed first. */
static void
flip(GtkWidget *button)
{
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button),
                               !gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(button)));
}

gboolean
regard_position_editor_handle_key(RegardPositionEditor *self, guint keyval, GdkModifierType state)
{
  GtkWidget *focus = gtk_root_get_focus(gtk_widget_get_root(GTK_WIDGET(self)));
  const int cursor =
      regard_position_editor_chips_get_cursor(REGARD_POSITION_EDITOR_CHIPS(self->chips));

  if (!self->plan || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)))
    return FALSE;
  switch (keyval) {
  case GDK_KEY_s:
    on_swap(self);
    return TRUE;
  case GDK_KEY_i:
    if (gtk_widget_get_visible(self->layout))
      flip(self->layout);
    return TRUE;
  case GDK_KEY_0:
    flip(self->off);
    return TRUE;
  default:
    break;
  }
  if (cursor < 0 || !focus || !gtk_widget_is_ancestor(focus, self->chips) ||
      !edit_token(self, (guint) cursor, keyval))
    return FALSE;
  want(self);
  return TRUE;
}

/* ---- The widget --------------------------------------------------------------------------------
 */

void
regard_position_editor_set_stack(RegardPositionEditor *self, mt_stack stack)
{
  if (stack == self->stack)
    return;
  self->stack = stack;
  regard_position_editor_chips_set(REGARD_POSITION_EDITOR_CHIPS(self->chips), NULL,
                                   NULL); /* marks were of the other */
  if (self->selection)
    load(self);
}

void
regard_position_editor_set_selection(RegardPositionEditor *self, RegardSelection *selection)
{
  static const char *const observed[] = {"notify::capture", "notify::stale", "notify::simple"};

  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    regard_connect(selection, observed[i], G_CALLBACK(load), self);
  regard_permutation_card_set_selection(REGARD_PERMUTATION_CARD(self->card), selection);
}

static void
map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(regard_position_editor_parent_class)->map(widget);
  load(REGARD_POSITION_EDITOR(widget));
}

static void
dispose(GObject *object)
{
  RegardPositionEditor *self = REGARD_POSITION_EDITOR(object);

  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_pointer(&self->plan, regard_position_plan_free);
  g_clear_pointer(&self->interventions, mt_interventions_unref);
  g_clear_object(&self->selection);
  G_OBJECT_CLASS(regard_position_editor_parent_class)->dispose(object);
}

static void
regard_position_editor_class_init(RegardPositionEditorClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = dispose;
  GTK_WIDGET_CLASS(klass)->map = map;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "bench");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
add_button(RegardPositionEditor *self, GtkWidget *button, const char *tooltip, GCallback callback)
{
  gtk_widget_set_tooltip_text(button, tooltip);
  g_signal_connect_swapped(button, GTK_IS_TOGGLE_BUTTON(button) ? "toggled" : "clicked", callback,
                           self);
  gtk_box_append(GTK_BOX(self->controls), button);
  return button;
}

static void
build_controls(RegardPositionEditor *self)
{
  self->controls = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_set_name(self->controls, "bench-buttons");
  gtk_widget_set_valign(self->controls, GTK_ALIGN_START);
  self->off = add_button(self, gtk_toggle_button_new_with_label(_("All Off")),
                         _("No encoding is added to any token (0)"), G_CALLBACK(on_off));
  gtk_widget_set_name(self->off, "all-off");
  add_button(self, gtk_button_new_with_label(_("All −1")),
             _("Every token gets the encoding of the position before"), G_CALLBACK(on_back));
  add_button(self, gtk_button_new_with_label(_("All +1")),
             _("Every token gets the encoding of the next position"), G_CALLBACK(on_forth));
  self->layout = add_button(self, gtk_toggle_button_new_with_label(_("Interleaved")),
                            _("Sines and cosines in turns, as in the paper, instead of in halves, "
                              "as the model has learned them (I)"),
                            G_CALLBACK(on_layout));
  self->swap =
      add_button(self, gtk_button_new_with_label(_("Swap")),
                 _("The two marked tokens exchange their encodings (S)"), G_CALLBACK(on_swap));
  self->spin = gtk_spin_button_new_with_range(-100000, 100000, 1);
  gtk_editable_set_width_chars(GTK_EDITABLE(self->spin), 5);
  gtk_widget_set_tooltip_text(self->spin,
                              _("Of the token that was chosen last: the position whose encoding it "
                                "gets"));
  regard_accessible_set_label(self->spin, _("Position of the token"));
  g_signal_connect_swapped(self->spin, "value-changed", G_CALLBACK(on_position), self);
  gtk_box_append(GTK_BOX(self->controls), self->spin);
  self->reset = add_button(self, gtk_button_new_with_label(_("Reset")),
                           _("Every token has its own encoding again"), G_CALLBACK(on_reset));
}

static void
regard_position_editor_init(RegardPositionEditor *self)
{
  GtkWidget *row = regard_wrap_new(12);

  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  build_controls(self);
  gtk_widget_set_name(self->layout, "interleaved");
  gtk_widget_set_name(self->swap, "swap");
  gtk_widget_set_name(self->reset, "reset-positions");
  self->chips = regard_position_editor_chips_new();
  gtk_widget_set_name(self->chips, "chips");
  self->hint = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "regard-hint");
  self->card = regard_permutation_card_new();
  gtk_widget_set_name(self->card, "order");
  g_signal_connect_swapped(self->chips, "swap-wanted", G_CALLBACK(on_swap_wanted), self);
  g_signal_connect_swapped(self->chips, "cursor-changed", G_CALLBACK(follow_cursor), self);
  g_signal_connect_swapped(self->chips, "marks-changed", G_CALLBACK(on_marks), self);
  regard_box_append(self->box, self->chips, self->hint, NULL);
  regard_box_append(row, self->controls, self->card, NULL);
  gtk_box_append(GTK_BOX(self->box), row);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
  gtk_widget_set_name(GTK_WIDGET(self), "positions/bench");
}

GtkWidget *
regard_position_editor_new(void)
{
  return g_object_new(REGARD_TYPE_POSITION_EDITOR, NULL);
}
