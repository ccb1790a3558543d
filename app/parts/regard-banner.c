/* regard-banner.c — what went wrong, what was kept, and what to do; above the texts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-banner.h"

#include "base/regard-signals.h"
#include "base/regard-template.h"
#include <string.h>

typedef struct {
  char *title, *detail, *button; /* title NULL: no message */
  double share;
  guint order; /* larger is newer */
} Message;

struct _RegardBanner {
  GtkWidget parent_instance;
  GtkWidget *revealer, *icon, *progress, *button, *close;
  GtkLabel *title, *detail;
  Message messages[REGARD_N_BANNERS];
  guint order;
};

G_DEFINE_FINAL_TYPE(RegardBanner, regard_banner, GTK_TYPE_WIDGET)

static int
newest(RegardBanner *self)
{
  int found = -1;
  for (int i = 0; i < REGARD_N_BANNERS; i++)
    if (self->messages[i].title &&
        (found < 0 || self->messages[i].order > self->messages[found].order))
      found = i;
  return found;
}

static void
update(RegardBanner *self)
{
  int subject = newest(self);
  if (subject >= 0) {
    const Message *m = &self->messages[subject];
    gtk_label_set_text(self->title, m->title);
    gtk_label_set_text(self->detail, m->detail ? m->detail : "");
    gtk_widget_set_visible(GTK_WIDGET(self->detail), m->detail != NULL);
    gtk_widget_set_visible(self->button, m->button != NULL);
    gtk_button_set_label(GTK_BUTTON(self->button), m->button ? m->button : "");
    gtk_widget_set_visible(self->progress, m->share >= 0);
    if (m->share >= 0)
      gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), m->share);
    /* What is under way, or simply so, is no trouble. */
    gboolean must_stay = subject == REGARD_BANNER_LOADING || subject == REGARD_BANNER_CAPTURE ||
                         subject == REGARD_BANNER_REST;
    gboolean is_calm = must_stay || subject == REGARD_BANNER_LANGUAGES;
    gtk_widget_set_visible(self->icon, !is_calm);
    gtk_widget_set_visible(self->close, !must_stay);
    if (is_calm)
      gtk_widget_remove_css_class(GTK_WIDGET(self), "trouble");
    else
      gtk_widget_add_css_class(GTK_WIDGET(self), "trouble");
    gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, m->title,
                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, m->detail ? m->detail : "",
                                   -1);
  }
  gtk_revealer_set_reveal_child(GTK_REVEALER(self->revealer), subject >= 0);
}

static void
message_clear(Message *m)
{
  g_clear_pointer(&m->title, g_free);
  g_clear_pointer(&m->detail, g_free);
  g_clear_pointer(&m->button, g_free);
  m->share = -1;
}

void
regard_banner_show(RegardBanner *self, RegardBannerSubject subject, const char *title,
                   const char *detail, const char *button)
{
  Message *m = &self->messages[subject];
  message_clear(m);
  /* Of an error of the engine the second line is its own words: below what was kept. */
  const char *rest = strchr(title, '\n');
  m->title = rest ? g_strndup(title, (gsize) (rest - title)) : g_strdup(title);
  m->detail = rest && detail ? g_strconcat(detail, rest, NULL) : g_strdup(rest ? rest + 1 : detail);
  m->button = g_strdup(button);
  m->order = ++self->order;
  update(self);
}

void
regard_banner_set_share(RegardBanner *self, RegardBannerSubject subject, double share)
{
  self->messages[subject].share = share;
  update(self);
}

void
regard_banner_clear(RegardBanner *self, RegardBannerSubject subject)
{
  if (!self->messages[subject].title)
    return;
  message_clear(&self->messages[subject]);
  update(self);
}

const char *
regard_banner_get_title(RegardBanner *self, RegardBannerSubject subject)
{
  return self->messages[subject].title;
}

static void
on_button(RegardBanner *self)
{
  int subject = newest(self);
  if (subject >= 0)
    g_signal_emit_by_name(self, "response", subject);
}

static void
on_close(RegardBanner *self)
{
  int subject = newest(self);
  if (subject >= 0)
    regard_banner_clear(self, (RegardBannerSubject) subject);
}

static void
regard_banner_dispose(GObject *object)
{
  g_clear_pointer(&REGARD_BANNER(object)->revealer, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_banner_parent_class)->dispose(object);
}

static void
regard_banner_finalize(GObject *object)
{
  RegardBanner *self = REGARD_BANNER(object);
  for (int i = 0; i < REGARD_N_BANNERS; i++)
    message_clear(&self->messages[i]);
  G_OBJECT_CLASS(regard_banner_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardBanner, name)

static void
regard_banner_class_init(RegardBannerClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(revealer), CHILD(icon),     CHILD(title),
                                                 CHILD(detail),   CHILD(progress), CHILD(button),
                                                 CHILD(close),    {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_banner_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_banner_finalize;
  regard_add_signal(klass, "response", 1, G_TYPE_INT);
  gtk_widget_class_set_css_name(widget_class, "regardbanner");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-banner.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_button);
  gtk_widget_class_bind_template_callback(widget_class, on_close);
}

static void
regard_banner_init(RegardBanner *self)
{
  for (int i = 0; i < REGARD_N_BANNERS; i++)
    self->messages[i].share = -1;
  gtk_widget_init_template(GTK_WIDGET(self));
}
