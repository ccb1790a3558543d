/* regard-bench.c — position encodings to be moved, swapped, shifted and switched off.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-bench.h"

#include "figures/regard-position-plan.h"
#include "widgets/regard-bench-chips.h"
#include "widgets/regard-order-card.h"
#include "widgets/regard-wrap-layout.h"
#include <glib/gi18n.h>

struct _RegardBench {
  GtkWidget parent_instance;
  RegardSelection *selection;
  mt_stack stack;
  mt_changes *changes;      /* as they are wanted now, which may be more than the capture has */
  RegardPositionPlan *plan; /* what they say; NULL: no sentence, or no model */
  gboolean following;       /* the program presses the buttons */

  GtkWidget *box, *controls, *off, *layout, *spin, *swap, *reset, *chips, *card, *hint;
};

G_DEFINE_FINAL_TYPE(RegardBench, regard_bench, GTK_TYPE_WIDGET)

/* ---- What there is -----------------------------------------------------------------------------
 */

static const mt_tokens *
tokens_of(RegardBench *self)
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
config_of(RegardBench *self)
{
  mt_model *model = regard_selection_get_pass_model(self->selection);
  mt_capture *a, *b;
  const gboolean is_reference = regard_selection_get_pair(self->selection, &a, &b) &&
                                regard_selection_get_capture(self->selection) == a;

  return model && !is_reference ? mt_model_config(model) : NULL;
}

/* Positions that are computed go on without end, and a plan is of all that a text can have. */
static gboolean
is_of_all(RegardBench *self)
{
  return config_of(self)->position_kind != MT_POSITIONS_LEARNED;
}

static void
follow_cursor(RegardBench *self)
{
  const int cursor = regard_bench_chips_get_cursor(REGARD_BENCH_CHIPS(self->chips));
  const gboolean has = self->plan && cursor >= 0 && cursor < (int) self->plan->n;
  guint marks[2];

  self->following = TRUE;
  gtk_widget_set_sensitive(self->spin, has);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->spin),
                            has ? (double) self->plan->tokens[cursor].position : 0);
  gtk_widget_set_sensitive(self->swap, regard_bench_chips_get_marks(REGARD_BENCH_CHIPS(self->chips),
                                                                    marks) == 2);
  self->following = FALSE;
}

static void
show(RegardBench *self)
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
  regard_bench_chips_set(REGARD_BENCH_CHIPS(self->chips), tokens, self->plan);
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
read_plan(RegardBench *self)
{
  const mt_config *config = config_of(self);
  const mt_tokens *tokens = config ? tokens_of(self) : NULL;
  const guint n = tokens ? (guint) mt_tokens_count(tokens) : 0;

  g_clear_pointer(&self->plan, regard_position_plan_free);
  if (n > 0)
    self->plan =
        regard_position_plan_new(self->changes, self->stack,
                                 is_of_all(self) ? MAX(n, (guint) config->max_positions) : n);
  show(self);
}

/* What is shown, unless more is wanted already, and on its way. */
static void
load(RegardBench *self)
{
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_changes *now = capture ? mt_capture_changes(capture) : NULL;

  if (!gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  if (!regard_selection_get_stale(self->selection)) {
    mt_changes_unref(self->changes);
    /* Reference count apart, they are not changed. */
    self->changes = now ? mt_changes_ref((mt_changes *) now) : NULL;
  }
  read_plan(self);
}

/* ---- What a person does ------------------------------------------------------------------------
 */

/* The plan was edited: that is what is wanted. */
static void
want(RegardBench *self)
{
  mt_error error = {0};
  mt_changes *changes =
      regard_position_plan_apply(self->plan, self->changes, is_of_all(self), &error);

  if (!changes) { /* more lines than there may be */
    read_plan(self);
    gtk_label_set_text(GTK_LABEL(self->hint), error.message);
    gtk_widget_set_visible(self->hint, TRUE);
    return;
  }
  mt_changes_unref(self->changes);
  self->changes = changes;
  show(self);
  regard_selection_want_changes(self->selection, changes);
}

static void
on_off(RegardBench *self)
{
  if (self->following || !self->plan)
    return;
  regard_position_plan_set_all_off(self->plan,
                                   gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->off)));
  want(self);
}

static void
on_layout(RegardBench *self)
{
  if (self->following || !self->plan)
    return;
  regard_position_plan_interleave(self->plan,
                                  gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->layout)));
  want(self);
}

static void
shift_all(RegardBench *self, int by)
{
  if (!self->plan)
    return;
  regard_position_plan_shift_all(self->plan, by);
  want(self);
}

static void
on_back(RegardBench *self)
{
  shift_all(self, -1);
}

static void
on_forth(RegardBench *self)
{
  shift_all(self, 1);
}

static void
on_reset(RegardBench *self)
{
  if (!self->plan)
    return;
  regard_position_plan_reset(self->plan);
  want(self);
}

static void
on_position(RegardBench *self)
{
  const int cursor = regard_bench_chips_get_cursor(REGARD_BENCH_CHIPS(self->chips));

  if (self->following || !self->plan || cursor < 0)
    return;
  regard_position_plan_set(self->plan, (guint) cursor,
                           gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(self->spin)));
  want(self);
}

static void
on_swap_wanted(RegardBench *self, guint a, guint b)
{
  if (!self->plan)
    return;
  regard_position_plan_swap(self->plan, a, b);
  want(self);
}

static void
on_swap(RegardBench *self)
{
  guint marks[2];

  if (regard_bench_chips_get_marks(REGARD_BENCH_CHIPS(self->chips), marks) == 2)
    on_swap_wanted(self, marks[0], marks[1]);
}

static void
on_marks(RegardBench *self)
{
  guint marks[2];
  const gboolean are_two =
      regard_bench_chips_get_marks(REGARD_BENCH_CHIPS(self->chips), marks) == 2;

  if (self->stack == MT_STACK_ENCODER)
    regard_order_card_set_exchange(REGARD_ORDER_CARD(self->card), are_two ? (int) marks[0] : -1,
                                   are_two ? (int) marks[1] : -1);
  follow_cursor(self);
}

/* Of the token that has the keyboard. */
static gboolean
edit_token(RegardBench *self, guint token, guint keyval)
{
  const mt_position_change *p = &self->plan->tokens[token];

  switch (keyval) {
  case GDK_KEY_Delete:
  case GDK_KEY_KP_Delete:
    regard_position_plan_set_off(self->plan, token, !p->is_zero);
    return TRUE;
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
    regard_position_plan_set(self->plan, token, p->position + 1);
    return TRUE;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
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
regard_bench_handle_key(RegardBench *self, guint keyval, GdkModifierType state)
{
  GtkWidget *focus = gtk_root_get_focus(gtk_widget_get_root(GTK_WIDGET(self)));
  const int cursor = regard_bench_chips_get_cursor(REGARD_BENCH_CHIPS(self->chips));

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
regard_bench_set_stack(RegardBench *self, mt_stack stack)
{
  g_return_if_fail(REGARD_IS_BENCH(self));
  if (stack == self->stack)
    return;
  self->stack = stack;
  regard_bench_chips_set(REGARD_BENCH_CHIPS(self->chips), NULL, NULL); /* marks were of the other */
  if (self->selection)
    load(self);
}

void
regard_bench_set_selection(RegardBench *self, RegardSelection *selection)
{
  static const char *const observed[] = {"notify::capture", "notify::stale"};

  g_return_if_fail(REGARD_IS_BENCH(self) && !self->selection);
  self->selection = g_object_ref(selection);
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(selection, observed[i], G_CALLBACK(load), self, G_CONNECT_SWAPPED);
  regard_order_card_set_selection(REGARD_ORDER_CARD(self->card), selection);
}

static void
regard_bench_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(regard_bench_parent_class)->map(widget);
  load(REGARD_BENCH(widget));
}

static void
regard_bench_dispose(GObject *object)
{
  RegardBench *self = REGARD_BENCH(object);

  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_pointer(&self->plan, regard_position_plan_free);
  g_clear_pointer(&self->changes, mt_changes_unref);
  g_clear_object(&self->selection);
  G_OBJECT_CLASS(regard_bench_parent_class)->dispose(object);
}

static void
regard_bench_class_init(RegardBenchClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_bench_dispose;
  GTK_WIDGET_CLASS(klass)->map = regard_bench_map;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "bench");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
add_button(RegardBench *self, GtkWidget *button, const char *tooltip, GCallback callback)
{
  gtk_widget_set_tooltip_text(button, tooltip);
  g_signal_connect_swapped(button, GTK_IS_TOGGLE_BUTTON(button) ? "toggled" : "clicked", callback,
                           self);
  gtk_box_append(GTK_BOX(self->controls), button);
  return button;
}

static void
build_controls(RegardBench *self)
{
  self->controls = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_set_valign(self->controls, GTK_ALIGN_START);
  self->off = add_button(self, gtk_toggle_button_new_with_label(_("All Off")),
                         _("No encoding is added to any token (0)"), G_CALLBACK(on_off));
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
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->spin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Position of the token"), -1);
  g_signal_connect_swapped(self->spin, "value-changed", G_CALLBACK(on_position), self);
  gtk_box_append(GTK_BOX(self->controls), self->spin);
  self->reset = add_button(self, gtk_button_new_with_label(_("Reset")),
                           _("Every token has its own encoding again"), G_CALLBACK(on_reset));
}

static void
regard_bench_init(RegardBench *self)
{
  GtkWidget *row = regard_wrap_new(12);

  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  build_controls(self);
  self->chips = regard_bench_chips_new();
  self->hint = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->hint), 0);
  gtk_label_set_wrap(GTK_LABEL(self->hint), TRUE);
  gtk_widget_add_css_class(self->hint, "regard-hint");
  self->card = regard_order_card_new();
  g_signal_connect_swapped(self->chips, "swap-wanted", G_CALLBACK(on_swap_wanted), self);
  g_signal_connect_swapped(self->chips, "cursor-changed", G_CALLBACK(follow_cursor), self);
  g_signal_connect_swapped(self->chips, "marks-changed", G_CALLBACK(on_marks), self);
  gtk_box_append(GTK_BOX(self->box), self->chips);
  gtk_box_append(GTK_BOX(self->box), self->hint);
  regard_wrap_append(row, self->controls);
  regard_wrap_append(row, self->card);
  gtk_box_append(GTK_BOX(self->box), row);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
}

GtkWidget *
regard_bench_new(void)
{
  return g_object_new(REGARD_TYPE_BENCH, NULL);
}
