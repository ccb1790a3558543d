/* regard-view-measure.c — is it so in general: panes that each ask a question of a whole text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page is a title, the note of the pane that is seen, and a switcher. Whatever else it is asked
 * (pictures, names, keys) it asks that pane. Which pane is seen is the action "measure.pane", so a
 * button, a key or another part of the program can choose it.
 */
#include "figures/regard-language.h"
#include "views/regard-view.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-wrap-layout.h"

#define REGARD_TYPE_VIEW_MEASURE (regard_view_measure_get_type())
G_DECLARE_FINAL_TYPE(RegardViewMeasure, regard_view_measure, REGARD, VIEW_MEASURE, RegardView)

struct _RegardViewMeasure {
  RegardView parent_instance;

  GtkWidget *stack;
};

enum { PROP_0, PROP_PANE, N_PROPS };
static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE(RegardViewMeasure, regard_view_measure, REGARD_TYPE_VIEW)

static RegardView *
get_pane(RegardViewMeasure *self)
{
  return REGARD_VIEW(gtk_stack_get_visible_child(GTK_STACK(self->stack)));
}

/* ---- Which pane is seen -----------------------------------------------------------------------
 */

static void
show_note(RegardViewMeasure *self)
{
  regard_view_set_note(REGARD_VIEW(self), regard_view_get_note(get_pane(self)));
}

static void
on_pane(RegardViewMeasure *self)
{
  show_note(self);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_PANE]);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
on_choices(RegardViewMeasure *self, RegardView *pane)
{
  if (pane == get_pane(self))
    regard_view_choices_changed(REGARD_VIEW(self));
}

/* So many panes on; it ends at the first and the last. */
static void
step_pane(RegardViewMeasure *self, int by)
{
  guint n, at = 0;
  const RegardViewInfo *panes = regard_measure_panes(&n);

  while (at + 1 < n &&
         !g_str_equal(panes[at].id, gtk_stack_get_visible_child_name(GTK_STACK(self->stack))))
    at++;
  gtk_stack_set_visible_child_name(GTK_STACK(self->stack),
                                   panes[CLAMP((int) at + by, 0, (int) n - 1)].id);
}

static void
get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  RegardViewMeasure *self = REGARD_VIEW_MEASURE(object);

  g_value_set_string(value, gtk_stack_get_visible_child_name(GTK_STACK(self->stack)));
}

static void
set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  RegardViewMeasure *self = REGARD_VIEW_MEASURE(object);
  const char *pane = g_value_get_string(value);

  if (pane && gtk_stack_get_child_by_name(GTK_STACK(self->stack), pane))
    gtk_stack_set_visible_child_name(GTK_STACK(self->stack), pane);
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static void
set_selection(RegardView *view, RegardSelection *s)
{
  RegardViewMeasure *self = REGARD_VIEW_MEASURE(view);

  for (GtkWidget *pane = gtk_widget_get_first_child(self->stack); pane;
       pane = gtk_widget_get_next_sibling(pane))
    regard_view_set_selection(REGARD_VIEW(pane), s);
}

static RegardView *
get_inner(RegardView *view)
{
  return get_pane(REGARD_VIEW_MEASURE(view));
}

static gboolean
show_part(RegardView *view, const char *part)
{
  GtkStack *stack = GTK_STACK(REGARD_VIEW_MEASURE(view)->stack);

  if (part && gtk_stack_get_child_by_name(stack, part))
    gtk_stack_set_visible_child_name(stack, part);
  else
    return !part;
  return TRUE;
}

static const char *
get_part(RegardView *view)
{
  return gtk_stack_get_visible_child_name(GTK_STACK(REGARD_VIEW_MEASURE(view)->stack));
}

static gboolean
handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardViewMeasure *self = REGARD_VIEW_MEASURE(view);
  RegardViewClass *pane_class = REGARD_VIEW_GET_CLASS(get_pane(self));

  if ((state & gtk_accelerator_get_default_mod_mask()) == GDK_CONTROL_MASK &&
      (keyval == GDK_KEY_Page_Down || keyval == GDK_KEY_Page_Up)) {
    step_pane(self, keyval == GDK_KEY_Page_Down ? 1 : -1);
    return TRUE;
  }
  return pane_class->handle_key && pane_class->handle_key(get_pane(self), keyval, state);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
build_switcher(void)
{
  guint n;
  const RegardViewInfo *panes = regard_measure_panes(&n);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_name(box, "measure-panes");
  gtk_widget_add_css_class(box, "linked");
  gtk_widget_add_css_class(box, "measure-panes");
  gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
  regard_accessible_set_label(box, _("What is measured (Ctrl+Page Up, Ctrl+Page Down)"));
  for (guint i = 0; i < n; i++) {
    GtkWidget *button = gtk_toggle_button_new_with_label(_(panes[i].title));

    gtk_widget_set_tooltip_text(button, _(panes[i].about));
    gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "s", panes[i].id);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "measure.pane");
    gtk_box_append(GTK_BOX(box), button);
  }
  return box;
}

static void
add_panes(RegardViewMeasure *self)
{
  guint n;
  const RegardViewInfo *panes = regard_measure_panes(&n);

  for (guint i = 0; i < n; i++) {
    GtkWidget *pane = g_object_new(panes[i].get_type(), NULL);
    g_autofree char *name = g_strconcat("measure/", panes[i].id, NULL);

    gtk_widget_set_name(pane, name); /* by which help knows it */

    g_signal_connect_swapped(pane, "choices-changed", G_CALLBACK(on_choices), self);
    g_signal_connect_swapped(pane, "note-changed", G_CALLBACK(show_note), self);
    gtk_stack_add_named(GTK_STACK(self->stack), pane, panes[i].id);
  }
}

static void
regard_view_measure_init(RegardViewMeasure *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *line = regard_wrap_new(10);

  regard_wrap_append(line, regard_view_new_title(_("Over Many Sentences")));
  regard_wrap_append(line, regard_view_new_note(REGARD_VIEW(self)));
  regard_wrap_append(line, build_switcher());
  regard_wrap_append(line, regard_view_new_help(REGARD_VIEW(self)));
  self->stack = gtk_stack_new();
  gtk_stack_set_vhomogeneous(GTK_STACK(self->stack), FALSE);
  gtk_stack_set_hhomogeneous(GTK_STACK(self->stack), FALSE);
  gtk_widget_set_vexpand(self->stack, TRUE);
  add_panes(self);
  g_signal_connect_swapped(self->stack, "notify::visible-child", G_CALLBACK(on_pane), self);
  regard_box_append(box, line, self->stack, NULL);
  gtk_widget_add_css_class(box, "regard-picture");
  gtk_widget_set_parent(box, GTK_WIDGET(self));
  show_note(self);
}

static void
dispose(GObject *object)
{
  RegardViewMeasure *self = REGARD_VIEW_MEASURE(object);

  /* Panes that are taken out make others visible: nobody follows that any more. */
  if (self->stack) {
    g_signal_handlers_disconnect_by_data(self->stack, self);
    for (GtkWidget *pane = gtk_widget_get_first_child(self->stack); pane;
         pane = gtk_widget_get_next_sibling(pane))
      g_signal_handlers_disconnect_by_data(pane, self);
    self->stack = NULL;
  }
  G_OBJECT_CLASS(regard_view_measure_parent_class)->dispose(object);
}

static void
regard_view_measure_class_init(RegardViewMeasureClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);

  object_class->dispose = dispose;
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  props[PROP_PANE] =
      g_param_spec_string("pane", NULL, NULL, NULL,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, props);
  view_class->set_selection = set_selection;
  view_class->get_inner = get_inner;
  view_class->handle_key = handle_key;
  view_class->show_part = show_part;
  view_class->get_part = get_part;
  gtk_widget_class_install_property_action(GTK_WIDGET_CLASS(klass), "measure.pane", "pane");
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "measureview");
}
