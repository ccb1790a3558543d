/* regard-dials.c — how the controls below a widget are set, to be set so again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-dials.h"

#define LEFT_OUT "regard-dials-left-out"

typedef struct {
  GWeakRef widget;
  const char *property; /* by which it is set */
  double value;
  guint n; /* rows of a drop-down, else 0 */
} Dial;

struct _RegardDials {
  GPtrArray *dials; /* of Dial * */
};

static void
dial_free(gpointer data)
{
  Dial *dial = data;
  g_weak_ref_clear(&dial->widget);
  g_free(dial);
}

static guint
count_rows(GtkWidget *widget)
{
  GListModel *rows =
      GTK_IS_DROP_DOWN(widget) ? gtk_drop_down_get_model(GTK_DROP_DOWN(widget)) : NULL;
  return rows ? g_list_model_get_n_items(rows) : 0;
}

/* The object that has the property: the value of a scale or spin button is its adjustment's. */
static GObject *
find_object(GtkWidget *widget)
{
  return GTK_IS_RANGE(widget) ? G_OBJECT(gtk_range_get_adjustment(GTK_RANGE(widget)))
         : GTK_IS_SPIN_BUTTON(widget)
             ? G_OBJECT(gtk_spin_button_get_adjustment(GTK_SPIN_BUTTON(widget)))
             : G_OBJECT(widget);
}

static const char *
find_property(GtkWidget *widget)
{
  if (GTK_IS_TOGGLE_BUTTON(widget) || GTK_IS_CHECK_BUTTON(widget))
    return "active";
  if (GTK_IS_DROP_DOWN(widget))
    return "selected";
  return GTK_IS_SCALE(widget) || GTK_IS_SPIN_BUTTON(widget) ? "value" : NULL;
}

static double
get_value(GtkWidget *widget, const char *property)
{
  g_auto(GValue) value = G_VALUE_INIT, number = G_VALUE_INIT;
  g_object_get_property(find_object(widget), property, &value);
  g_value_init(&number, G_TYPE_DOUBLE);
  if (G_VALUE_HOLDS_BOOLEAN(&value))
    return g_value_get_boolean(&value);
  g_value_transform(&value, &number);
  return g_value_get_double(&number);
}

static void
set_value(GtkWidget *widget, const Dial *dial)
{
  if (g_str_equal(dial->property, "active"))
    g_object_set(widget, "active", dial->value > 0, NULL);
  else if (g_str_equal(dial->property, "selected"))
    g_object_set(widget, "selected", (guint) dial->value, NULL);
  else
    g_object_set(find_object(widget), "value", dial->value, NULL);
}

static void
collect(RegardDials *self, GtkWidget *widget)
{
  const char *property = find_property(widget);
  if (g_object_get_data(G_OBJECT(widget), LEFT_OUT))
    return;
  if (property) {
    Dial *dial = g_new0(Dial, 1);
    g_weak_ref_init(&dial->widget, widget);
    dial->property = property;
    dial->value = get_value(widget, property);
    dial->n = count_rows(widget);
    g_ptr_array_add(self->dials, dial);
    return; /* a drop-down has a toggle inside */
  }
  /* The toggle of a menu button says that its menu is open; what is in the menu are dials. */
  GtkWidget *menu = GTK_IS_MENU_BUTTON(widget)
                        ? GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(widget)))
                        : NULL;
  if (menu)
    collect(self, menu);
  if (GTK_IS_MENU_BUTTON(widget))
    return;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    collect(self, child);
}

RegardDials *
regard_dials_take(GtkWidget *root)
{
  RegardDials *self = g_new(RegardDials, 1);
  self->dials = g_ptr_array_new_with_free_func(dial_free);
  collect(self, root);
  return self;
}

void
regard_dials_bring_back(const RegardDials *self)
{
  /* Of a group one is on, and puts the others off: it goes first. */
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < self->dials->len; i++) {
      const Dial *dial = self->dials->pdata[i];
      g_autoptr(GtkWidget) widget = g_weak_ref_get((GWeakRef *) &dial->widget);
      const gboolean is_first = g_str_equal(dial->property, "active") && dial->value > 0;
      if (widget && is_first == (pass == 0) && count_rows(widget) == dial->n &&
          get_value(widget, dial->property) != dial->value)
        set_value(widget, dial);
    }
}

void
regard_dials_free(RegardDials *self)
{
  if (!self)
    return;
  g_ptr_array_unref(self->dials);
  g_free(self);
}

void
regard_dials_leave_out(GtkWidget *widget)
{
  g_object_set_data(G_OBJECT(widget), LEFT_OUT, GINT_TO_POINTER(TRUE));
}
