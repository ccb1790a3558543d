/* regard-gtk.c — what GTK 4.8 lacks and several widgets need.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-gtk.h"

#include "figures/regard-language.h"

/* ---- Names of buttons for a screen reader, and tooltips out of their way --------------------- */

#define NAME "regard-name" /* of a widget whose tooltip says more than that */

/* Newer GTK says of buttons and drop-downs that they are labelled by what they show, which goes
 * before a name that they were given. Those that were given one are not. */
static void
prefer_own_name(GtkWidget *widget)
{
  if (gtk_test_accessible_has_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL))
    gtk_accessible_reset_relation(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

static void
set_name(GtkWidget *outer, const char *name)
{
  GtkWidget *button = gtk_widget_get_first_child(outer);
  regard_accessible_set_label(button, name);
  prefer_own_name(button);
}

static void
name_drop_down(GtkDropDown *drop_down)
{
  GObject *item = gtk_drop_down_get_selected_item(drop_down);
  const char *own = g_object_get_data(G_OBJECT(drop_down), NAME);
  const char *what = own ? own : gtk_widget_get_tooltip_text(GTK_WIDGET(drop_down));
  const char *chosen =
      GTK_IS_STRING_OBJECT(item) ? gtk_string_object_get_string(GTK_STRING_OBJECT(item)) : "";
  g_autofree char *name = g_strdup_printf(_("%s: %s"), what, chosen);
  prefer_own_name(GTK_WIDGET(drop_down));
  set_name(GTK_WIDGET(drop_down), name);
}

/* A tooltip would lie on the list that its button has opened. */
static void
hide_tooltip_while_open(GtkWidget *widget, GtkWidget *button)
{
  if (GTK_IS_TOGGLE_BUTTON(button))
    g_object_bind_property(button, "active", widget, "has-tooltip",
                           G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
}

/* "_Fold" is called Fold. */
static void
name_without_mnemonic(GtkWidget *button, const char *label)
{
  g_autoptr(GString) name = g_string_new(label);
  g_string_replace(name, "_", "", 1);
  regard_accessible_set_label(button, name->str);
}

static void
silence(GtkAccessible *accessible)
{
  if (!gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL))
    gtk_accessible_update_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL, "", -1);
}

static void
silence_pages(GtkStack *stack)
{
  g_autoptr(GListModel) pages = G_LIST_MODEL(gtk_stack_get_pages(stack));
  for (guint i = 0; i < g_list_model_get_n_items(pages); i++) {
    g_autoptr(GtkAccessible) page = g_list_model_get_item(pages, i);
    silence(page);
  }
}

void
regard_accessible_name_inner_buttons(GtkWidget *root)
{
  const char *what = gtk_widget_get_tooltip_text(root);
  /* The name of "_Save" has the mnemonic's sign, what it is labelled by has not. */
  if (GTK_IS_BUTTON(root) && !gtk_button_get_use_underline(GTK_BUTTON(root)))
    prefer_own_name(root);
  if (GTK_IS_STACK(root))
    silence_pages(GTK_STACK(root));
  if (GTK_IS_MENU_BUTTON(root) || GTK_IS_LIST_BOX(root) || GTK_IS_LIST_VIEW(root))
    silence(GTK_ACCESSIBLE(root));
  if (GTK_IS_CHECK_BUTTON(root) && gtk_check_button_get_use_underline(GTK_CHECK_BUTTON(root)))
    name_without_mnemonic(root, gtk_check_button_get_label(GTK_CHECK_BUTTON(root)));
  else if (what && GTK_IS_DROP_DOWN(root)) {
    name_drop_down(GTK_DROP_DOWN(root));
    g_signal_connect(root, "notify::selected-item", G_CALLBACK(name_drop_down), NULL);
    hide_tooltip_while_open(root, gtk_widget_get_first_child(root));
  } else if (what && GTK_IS_MENU_BUTTON(root)) {
    if (!gtk_menu_button_get_label(GTK_MENU_BUTTON(root)))
      set_name(root, what);
    hide_tooltip_while_open(root, gtk_widget_get_first_child(root));
  } else
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child))
      regard_accessible_name_inner_buttons(child);
}

void
regard_accessible_set_label(GtkWidget *widget, const char *label)
{
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void
regard_widget_set_name(GtkWidget *widget, const char *name)
{
  gtk_widget_set_tooltip_text(widget, name);
  regard_accessible_set_label(widget, name);
}

void
regard_widget_explain(GtkWidget *widget, const char *name, const char *tooltip)
{
  regard_accessible_set_label(widget, name);
  gtk_widget_set_tooltip_text(widget, tooltip);
  g_object_set_data_full(G_OBJECT(widget), NAME, g_strdup(name), g_free);
}

void
regard_widget_set_pale(GtkWidget *widget, gboolean is_pale)
{
  if (is_pale)
    gtk_widget_add_css_class(widget, "regard-pale");
  else
    gtk_widget_remove_css_class(widget, "regard-pale");
}

/* ---- What is said ------------------------------------------------------------------------ */

#if !GTK_CHECK_VERSION(4, 14, 0)
/* Of a window: what is to be said, and the timeout until then, which goes with the window. */
#define PENDING "regard-pending"
#define TIMEOUT "regard-pending-timeout"
/* What comes of one deed is said in one go. */
#define GATHERING_MS 400
/* Nobody hears of a window that is not in front, as below a dialog that is about to go; so often is
 * looked again. */
#define MOST_LOOKS 12
#define LOOKS      "regard-pending-looks"

/* It hears of every change, and is told what there was before it asks. */
static void
say_before(GtkWidget *widget, GtkAccessibleProperty property, const char *text, const char *then)
{
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), property, text, -1);
  if (then)
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), property, then, -1);
  else
    gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), property);
}

static void
remove_timeout(gpointer id)
{
  g_source_remove(GPOINTER_TO_UINT(id));
}

static gboolean
say(gpointer data)
{
  GtkWindow *window = data;
  const guint looks = GPOINTER_TO_UINT(g_object_get_data(data, LOOKS));
  if (!gtk_window_is_active(window) && looks < MOST_LOOKS) {
    g_object_set_data(data, LOOKS, GUINT_TO_POINTER(looks + 1));
    return G_SOURCE_CONTINUE;
  }
  g_object_set_data(data, LOOKS, NULL);
  g_autofree char *text = g_object_steal_data(data, PENDING);
  g_object_steal_data(data, TIMEOUT);
  GtkWidget *focus = gtk_window_get_focus(window);
  /* A description that comes back would be said again, and so is a name: that is the shorter one.
   */
  if (focus &&
      !gtk_test_accessible_has_property(GTK_ACCESSIBLE(focus), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION))
    say_before(focus, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, NULL);
  else
    say_before(GTK_WIDGET(window), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
               gtk_window_get_title(window));
  return G_SOURCE_REMOVE;
}
#endif

void
regard_announce(GtkWidget *widget, const char *text)
{
#if GTK_CHECK_VERSION(4, 14, 0)
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  gtk_accessible_announce(GTK_ACCESSIBLE(widget), text,
                          GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
  G_GNUC_END_IGNORE_DEPRECATIONS
#else
  GtkRoot *root = gtk_widget_get_root(widget);
  if (!GTK_IS_WINDOW(root))
    return;
  g_autofree char *before = g_object_steal_data(G_OBJECT(root), PENDING);
  g_object_set_data_full(G_OBJECT(root), PENDING,
                         before ? g_strdup_printf("%s\n%s", before, text) : g_strdup(text), g_free);
  if (!before)
    g_object_set_data_full(G_OBJECT(root), TIMEOUT,
                           GUINT_TO_POINTER(g_timeout_add(GATHERING_MS, say, root)),
                           remove_timeout);
#endif
}

/* ---- Making widgets --------------------------------------------------------------------- */

GtkWidget *
regard_label_new(const char *text, RegardLabelFlags flags, const char *css_class)
{
  GtkWidget *label = gtk_label_new(text);

  if (flags & REGARD_LABEL_START)
    gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_wrap(GTK_LABEL(label), (flags & REGARD_LABEL_WRAP) != 0);
  if (flags & REGARD_LABEL_ELLIPSIZE)
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  if (css_class)
    gtk_widget_add_css_class(label, css_class);
  return label;
}

void
regard_box_append(GtkWidget *box, ...)
{
  va_list children;
  GtkWidget *child;

  va_start(children, box);
  while ((child = va_arg(children, GtkWidget *)))
    gtk_widget_insert_before(child, box, NULL);
  va_end(children);
}

static void
set_up_chosen(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *name = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_ELLIPSIZE, NULL);
  gtk_label_set_width_chars(GTK_LABEL(name), 10);
  gtk_list_item_set_child(item, name);
}

static void
bind_chosen(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)),
                     gtk_string_object_get_string(gtk_list_item_get_item(item)));
}

void
regard_drop_down_let_shrink(GtkDropDown *drop_down)
{
  /* GTK's own, which makes the rows and marks the one that is chosen. */
  g_autoptr(GtkListItemFactory) rows = g_object_ref(gtk_drop_down_get_factory(drop_down));
  g_autoptr(GtkListItemFactory) chosen = gtk_signal_list_item_factory_new();
  g_signal_connect(chosen, "setup", G_CALLBACK(set_up_chosen), NULL);
  g_signal_connect(chosen, "bind", G_CALLBACK(bind_chosen), NULL);
  gtk_drop_down_set_factory(drop_down, chosen);
  gtk_drop_down_set_list_factory(drop_down, rows);
}

/* ---- What of a widget is seen ------------------------------------------------------------ */

/* A rectangle of one widget in the coordinates of another one around it. */
static gboolean
translate(GtkWidget *from, GtkWidget *to, const graphene_rect_t *rect, graphene_rect_t *out)
{
  graphene_matrix_t transform;
  gboolean ok = gtk_widget_compute_transform(from, to, &transform);

  if (ok)
    graphene_matrix_transform_bounds(&transform, rect, out);
  return ok;
}

/* Pixels around what is scrolled to. */
#define SCROLL_MARGIN 12

static void
scroll_along(GtkAdjustment *adjustment, double begin, double end)
{
  if (end - begin + 2 * SCROLL_MARGIN > gtk_adjustment_get_page_size(adjustment))
    gtk_adjustment_set_value(adjustment, begin - SCROLL_MARGIN);
  else
    gtk_adjustment_clamp_page(adjustment, begin - SCROLL_MARGIN, end + SCROLL_MARGIN);
}

void
regard_widget_scroll_to(GtkWidget *widget, const graphene_rect_t *rect)
{
  for (GtkWidget *at = gtk_widget_get_ancestor(widget, GTK_TYPE_VIEWPORT); at;
       at = gtk_widget_get_ancestor(gtk_widget_get_parent(at), GTK_TYPE_VIEWPORT)) {
    GtkWidget *content = gtk_viewport_get_child(GTK_VIEWPORT(at));
    graphene_rect_t r;

    if (!content || !translate(widget, content, rect, &r))
      continue;
    scroll_along(gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(at)), graphene_rect_get_y(&r),
                 graphene_rect_get_y(&r) + graphene_rect_get_height(&r));
    scroll_along(gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(at)), graphene_rect_get_x(&r),
                 graphene_rect_get_x(&r) + graphene_rect_get_width(&r));
  }
}

gboolean
regard_widget_clip_to_seen(GtkWidget *widget, graphene_rect_t *rect)
{
  if (!gtk_widget_get_mapped(widget))
    return FALSE;
  for (GtkWidget *at = widget; at; at = gtk_widget_get_parent(at)) {
    graphene_rect_t bounds;

    if (gtk_widget_get_overflow(at) != GTK_OVERFLOW_HIDDEN && !GTK_IS_ROOT(at))
      continue;
    if (!gtk_widget_compute_bounds(at, widget, &bounds) ||
        !graphene_rect_intersection(rect, &bounds, rect))
      return FALSE;
  }
  return rect->size.width >= 1 && rect->size.height >= 1;
}

/* ---- Signals ---------------------------------------------------------------------------- */

void
regard_connect(gpointer source, const char *signal, GCallback handler, gpointer data)
{
  g_signal_connect_object(source, signal, handler, data, G_CONNECT_SWAPPED);
}

guint
regard_signal_new(gpointer klass, const char *name, guint n, ...)
{
  va_list types;

  va_start(types, n);
  const guint id = g_signal_new_valist(name, G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, NULL,
                                       NULL, NULL, NULL, G_TYPE_NONE, n, types);
  va_end(types);
  return id;
}

/* ---- Numbers that are typed into spin buttons ------------------------------------------- */

/* What is no number puts back what stood there: GTK itself would take it for the least. */
static int
on_input(GtkSpinButton *spin, double *value)
{
  if (!regard_number_parse(gtk_editable_get_text(GTK_EDITABLE(spin)), value))
    *value = gtk_spin_button_get_value(spin);
  return TRUE;
}

/* As GTK does it, but for the point. */
static gboolean
on_output(GtkSpinButton *spin)
{
  g_autofree char *text = regard_strdup_printf("%.*f", (int) gtk_spin_button_get_digits(spin),
                                               gtk_spin_button_get_value(spin));
  if (!g_str_equal(text, gtk_editable_get_text(GTK_EDITABLE(spin))))
    gtk_editable_set_text(GTK_EDITABLE(spin), text);
  return TRUE;
}

void
regard_spin_take_comma(GtkSpinButton *spin)
{
  /* Else the comma is dropped as it is typed, and 0,5 becomes 5. */
  gtk_spin_button_set_numeric(spin, FALSE);
  g_signal_connect(spin, "input", G_CALLBACK(on_input), NULL);
  g_signal_connect(spin, "output", G_CALLBACK(on_output), NULL);
  on_output(spin);
}

GdkMonitor *
regard_widget_get_monitor(GtkWidget *widget)
{
  GtkNative *native = gtk_widget_get_native(widget);
  GdkSurface *surface = native ? gtk_native_get_surface(native) : NULL;
  return surface ? gdk_display_get_monitor_at_surface(gdk_surface_get_display(surface), surface)
                 : NULL;
}

/* ---- A file, chosen by the desktop's own dialog ------------------------------------------ */

#define ACTION "regard-action"

static void
on_chosen(GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    if (path)
      gtk_widget_activate_action(widget, g_object_get_data(G_OBJECT(dialog), ACTION), "s", path);
  }
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
}

void
regard_chooser_show(GtkFileChooserNative *dialog, GtkWidget *widget, const char *action)
{
  g_object_set_data_full(G_OBJECT(dialog), ACTION, g_strdup(action), g_free);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_chosen), widget, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

void
regard_choose_file(GtkWidget *widget, const char *title, const char *accept, const char *files,
                   const char *suffix, gboolean with_all, const char *action)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(title, GTK_WINDOW(gtk_widget_get_root(widget)),
                                  GTK_FILE_CHOOSER_ACTION_OPEN, accept, _("_Cancel"));
  if (suffix) {
    g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
    gtk_file_filter_set_name(filter, files);
    gtk_file_filter_add_suffix(filter, suffix);
    gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
  }
  if (with_all) {
    g_autoptr(GtkFileFilter) all = gtk_file_filter_new();
    gtk_file_filter_set_name(all, _("All Files"));
    gtk_file_filter_add_pattern(all, "*");
    gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), all);
  }
  regard_chooser_show(dialog, widget, action);
}

/* ---- What the secondary button opens on a figure ---------------------------------------- */

static gboolean
on_closed_idle(gpointer popover)
{
  if (gtk_widget_get_parent(popover))
    gtk_widget_unparent(popover);
  g_object_unref(popover);
  return G_SOURCE_REMOVE;
}

/* The action that was chosen is still to be done. */
static void
on_closed(GtkWidget *popover)
{
  g_idle_add(on_closed_idle, g_object_ref(popover));
}

void
regard_popover_attach(GtkWidget *popover, GtkWidget *widget)
{
  gtk_widget_set_parent(popover, widget);
  g_signal_connect(popover, "closed", G_CALLBACK(on_closed), NULL);
  regard_connect(widget, "destroy", G_CALLBACK(gtk_widget_unparent), popover);
}

void
regard_menu_popup_at(GtkWidget *widget, double x, double y, GMenuModel *menu)
{
  GtkWidget *popover = gtk_popover_menu_new_from_model(menu);

  gtk_popover_set_has_arrow(GTK_POPOVER(popover), FALSE);
  gtk_popover_set_pointing_to(GTK_POPOVER(popover), &(GdkRectangle){(int) x, (int) y, 1, 1});
  gtk_widget_set_halign(popover, GTK_ALIGN_START);
  regard_popover_attach(popover, widget);
  gtk_popover_popup(GTK_POPOVER(popover));
}

void
regard_figure_menu_popup(GtkWidget *figure, double x, double y, GMenuModel *first,
                         gboolean has_number)
{
  g_autoptr(GMenu) menu = g_menu_new();

  if (first)
    g_menu_append_section(menu, NULL, first);
  if (has_number)
    g_menu_append(menu, _("Copy _This Number"), "figure.copy-spot");
  g_menu_append(menu, _("_Copy Picture"), "win.copy");
  g_menu_append(menu, _("Copy _Values (CSV)"), "win.copy-values");
  g_menu_append(menu, _("Copy C_aption"), "win.copy-caption");
  g_menu_append(menu, _("_Export…"), "win.export");
  regard_menu_popup_at(figure, x, y, G_MENU_MODEL(menu));
}

/* ---- Pointer and keyboard ---------------------------------------------------------------------
 */

static GtkEventController *
add(GtkWidget *widget, gpointer controller, const char *name)
{
  gtk_event_controller_set_name(controller, name);
  gtk_widget_add_controller(widget, controller);
  return controller;
}

static void
hear(GtkWidget *widget, GtkEventController *controller, const char *signal, GCallback handler)
{
  if (handler)
    g_signal_connect_swapped(controller, signal, handler, widget);
}

void
regard_widget_listen(GtkWidget *widget, const RegardInput *input)
{
  GtkEventController *it;

  if (input->motion) {
    it = add(widget, gtk_event_controller_motion_new(), "motion");
    hear(widget, it, "enter", input->motion);
    hear(widget, it, "motion", input->motion);
    hear(widget, it, "leave", input->leave);
  }
  if (input->pressed) {
    it = add(widget, gtk_gesture_click_new(), "click");
    hear(widget, it, "pressed", input->pressed);
    hear(widget, it, "released", input->released);
  }
  if (input->secondary) {
    it = add(widget, gtk_gesture_click_new(), "secondary");
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(it), GDK_BUTTON_SECONDARY);
    hear(widget, it, "pressed", input->secondary);
  }
  if (input->drag_begin) {
    it = add(widget, gtk_gesture_drag_new(), "drag");
    hear(widget, it, "drag-begin", input->drag_begin);
    hear(widget, it, "drag-update", input->drag_update);
    hear(widget, it, "drag-end", input->drag_end);
  }
  if (input->scroll)
    hear(widget, add(widget, gtk_event_controller_scroll_new(input->axes), "scroll"), "scroll",
         input->scroll);
  if (input->key)
    hear(widget, add(widget, gtk_event_controller_key_new(), "keys"), "key-pressed", input->key);
  if (input->focus_in) {
    it = add(widget, gtk_event_controller_focus_new(), "focus");
    hear(widget, it, "enter", input->focus_in);
    hear(widget, it, "leave", input->focus_out);
  }
}

/* ---- Keys -------------------------------------------------------------------------------------
 */

guint
regard_plain_key(guint keyval)
{
  static const guint keys[][2] = {
      {GDK_KEY_KP_Left, GDK_KEY_Left},       {GDK_KEY_KP_Right, GDK_KEY_Right},
      {GDK_KEY_KP_Up, GDK_KEY_Up},           {GDK_KEY_KP_Down, GDK_KEY_Down},
      {GDK_KEY_KP_Home, GDK_KEY_Home},       {GDK_KEY_KP_End, GDK_KEY_End},
      {GDK_KEY_KP_Page_Up, GDK_KEY_Page_Up}, {GDK_KEY_KP_Page_Down, GDK_KEY_Page_Down},
      {GDK_KEY_KP_Enter, GDK_KEY_Return},    {GDK_KEY_KP_Delete, GDK_KEY_Delete},
      {GDK_KEY_KP_Add, GDK_KEY_plus},        {GDK_KEY_KP_Subtract, GDK_KEY_minus},
  };

  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    if (keys[i][0] == keyval)
      return keys[i][1];
  return keyval >= GDK_KEY_KP_0 && keyval <= GDK_KEY_KP_9 ? keyval - GDK_KEY_KP_0 + GDK_KEY_0
                                                          : keyval;
}

/* The digit that a key writes with Shift, where it writes keyval without; else keyval. A keyboard
 * may have several layouts: it is asked of the one that keyval is of. */
static guint
find_digit(GtkWidget *widget, guint keycode, guint keyval)
{
  GdkKeymapKey *keys = NULL;
  guint *keyvals = NULL, found = keyval;
  int n = 0;

  if (!gdk_display_map_keycode(gtk_widget_get_display(widget), keycode, &keys, &keyvals, &n))
    return keyval;
  for (int i = 0; i < n; i++)
    for (int k = 0; keys[i].level == 0 && keyvals[i] == keyval && k < n; k++)
      if (keys[k].level == 1 && keys[k].group == keys[i].group &&
          g_unichar_isdigit(gdk_keyval_to_unicode(keyvals[k])))
        found = keyvals[k];
  g_free(keys);
  g_free(keyvals);
  return found;
}

void
regard_key_as_meant(GtkWidget *widget, guint keycode, guint *keyval, GdkModifierType *state)
{
  const gunichar sign = gdk_keyval_to_unicode(*keyval);

  if (g_unichar_isgraph(sign) && !g_unichar_isalpha(sign))
    *state &= ~GDK_SHIFT_MASK;
  if ((*keyval != GDK_KEY_plus && *keyval != GDK_KEY_minus) || (*state & GDK_ALT_MASK))
    *keyval = find_digit(widget, keycode, *keyval);
}

gboolean
regard_key_finds(guint keyval, GdkModifierType state)
{
  state &= gtk_accelerator_get_default_mod_mask();
  return state == GDK_CONTROL_MASK ? keyval == GDK_KEY_f : !state && keyval == GDK_KEY_slash;
}

char *
regard_key_that_finds(void)
{
  GdkKeymapKey *keys = NULL;
  int n = 0;
  gboolean is_near = FALSE;

  /* A number pad has one, too, but not every keyboard has a number pad. */
  if (gdk_display_map_keyval(gdk_display_get_default(), GDK_KEY_slash, &keys, &n))
    for (int i = 0; i < n; i++)
      is_near |= keys[i].level == 0;
  g_free(keys);
  return is_near ? g_strdup("/") : gtk_accelerator_get_label(GDK_KEY_f, GDK_CONTROL_MASK);
}
