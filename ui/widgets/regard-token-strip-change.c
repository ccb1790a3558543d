/* regard-token-strip-change.c — pieces of the source that are hidden, replaced or zeroed in the
 * model: what is drawn, what is said, and how it is done.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-change-edit.h"
#include "figures/regard-visible.h"
#include "widgets/regard-figure-menu.h"
#include "widgets/regard-piece-chooser.h"
#include "widgets/regard-token-strip-private.h"

#include <glib/gi18n.h>
#include <math.h>

static mt_model *
get_model(RegardTokenStrip *self)
{
  mt_model *model = regard_selection_get_pass_model(self->selection);
  return model ? model : regard_selection_get_model(self->selection);
}

/* ---- What is seen ------------------------------------------------------------------------------
 */

void
regard_token_strip_load_change(RegardTokenStrip *self, guint i)
{
  const mt_changes *changes = mt_capture_changes(regard_selection_get_capture(self->selection));
  RegardChip *c = &g_array_index(self->chips, RegardChip, i);
  mt_change_row row;

  if (!regard_changes_of_source(changes, i, &row))
    return;
  if (g_str_equal(row.how, "hide"))
    c->change = REGARD_CHIP_HIDDEN;
  else if (g_str_equal(row.how, "zero"))
    c->change = REGARD_CHIP_ZEROED;
  else {
    mt_model *model = get_model(self);
    const char *piece =
        model ? mt_model_piece(model, MT_STACK_ENCODER, (int32_t) row.numbers[0]) : NULL;
    c->change = REGARD_CHIP_REPLACED;
    c->before = c->text;
    c->text = piece ? regard_visible(piece) : g_strdup_printf("№ %.0f", row.numbers[0]);
  }
}

static gboolean
is_of_tokens(const mt_copies *copies, const mt_tokens *tokens)
{
  const mt_tokens *own = copies->tokens;
  gboolean is = mt_tokens_count(own) == mt_tokens_count(tokens);
  for (gsize i = 0; is && i < mt_tokens_count(own); i++)
    is = mt_tokens_get(own, i)->id == mt_tokens_get(tokens, i)->id;
  return is;
}

void
regard_token_strip_load_copies(RegardTokenStrip *self, const mt_tokens *tokens)
{
  if (!self->copies || !tokens || !is_of_tokens(self->copies, tokens))
    return;
  for (gsize i = 0; i < self->copies->n; i++) {
    const mt_copied *copied = &self->copies->copied[i];
    const char *text = mt_tokens_text(self->copies->tokens);
    g_autofree char *word = g_strndup(text + copied->begin, copied->end - copied->begin);
    gsize t = copied->first;

    while (!mt_token_is_unknown(mt_tokens_get(tokens, t)))
      t++;
    RegardChip *c = &g_array_index(self->chips, RegardChip, t);
    c->change = REGARD_CHIP_COPIED;
    c->before = c->text;
    c->text = regard_visible(word);
  }
}

char *
regard_token_strip_describe_change(const RegardChip *chip)
{
  switch (chip->change) {
  case REGARD_CHIP_HIDDEN:
    return g_strdup(_("hidden from the model"));
  case REGARD_CHIP_REPLACED:
    return g_strdup_printf(_("replaced by %s"), chip->text);
  case REGARD_CHIP_ZEROED:
    return g_strdup(_("its embedding is zero"));
  case REGARD_CHIP_COPIED:
    return g_strdup_printf(_("%s copied from the source"), chip->text);
  case REGARD_CHIP_AS_IS:
    break;
  }
  return NULL;
}

static void
draw_line(RegardTokenStrip *self, GtkSnapshot *snapshot, double y, double width)
{
  gtk_snapshot_append_color(snapshot, &self->theme.mark,
                            &GRAPHENE_RECT_INIT(3, (float) floor(y), (float) width - 6, 1.5f));
}

void
regard_token_strip_draw_change(RegardTokenStrip *self, const RegardChip *chip,
                               GtkSnapshot *snapshot)
{
  const double w = chip->rect.size.width, h = chip->rect.size.height, dashes[] = {3, 2.5};
  cairo_t *cr;

  switch (chip->change) {
  case REGARD_CHIP_HIDDEN:
    draw_line(self, snapshot, h / 2, w);
    return;
  case REGARD_CHIP_REPLACED:
    draw_line(self, snapshot, h - 5, w);
    draw_line(self, snapshot, h - 2, w);
    return;
  case REGARD_CHIP_ZEROED:
    cr = gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float) w, (float) h));
    gdk_cairo_set_source_rgba(cr, &self->theme.mark);
    cairo_set_line_width(cr, 1.5);
    cairo_set_dash(cr, dashes, G_N_ELEMENTS(dashes), 0);
    cairo_rectangle(cr, 1, 1, w - 2, h - 2);
    cairo_stroke(cr);
    cairo_destroy(cr);
    return;
  case REGARD_CHIP_COPIED:
    for (double x = 4; x + 2 <= w - 3; x += 4)
      gtk_snapshot_append_color(snapshot, &self->theme.mark,
                                &GRAPHENE_RECT_INIT((float) x, (float) floor(h - 4), 2, 2));
    return;
  case REGARD_CHIP_AS_IS:
    return;
  }
}

/* ---- What is done ------------------------------------------------------------------------------
 */

gboolean
regard_token_strip_switch(RegardTokenStrip *self, int token, const char *how)
{
  g_autofree char *line = g_strdup_printf("source %d %s", token + 1, how);
  return self->side == REGARD_SIDE_SOURCE && token >= 0 &&
         gtk_widget_activate_action(GTK_WIDGET(self), "win.toggle-change", "s", line);
}

static void
on_chosen(RegardPieceChooser *chooser, int id, RegardTokenStrip *self)
{
  const int token = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(chooser), "token"));
  g_autofree char *line = g_strdup_printf("source %d piece %d", token + 1, id);
  gtk_widget_activate_action(GTK_WIDGET(self), "win.make-change", "s", line);
  gtk_widget_grab_focus(GTK_WIDGET(self));
}

void
regard_token_strip_replace(RegardTokenStrip *self, int token)
{
  graphene_rect_t rect;
  mt_model *model = self->selection ? get_model(self) : NULL;
  if (!model || !regard_token_strip_get_chip(self, token, &rect))
    return;
  RegardChip *c = &g_array_index(self->chips, RegardChip, token);
  RegardPieceChooser *chooser =
      regard_piece_chooser_open(GTK_WIDGET(self), &rect, model, c->before ? c->before : c->text);
  g_object_set_data(G_OBJECT(chooser), "token", GINT_TO_POINTER(token));
  g_signal_connect_object(chooser, "chosen", G_CALLBACK(on_chosen), self, 0);
}

static void
replace(GSimpleAction *action, GVariant *parameter, gpointer strip)
{
  regard_token_strip_replace(strip, g_variant_get_int32(parameter));
}

void
regard_token_strip_add_actions(RegardTokenStrip *self)
{
  const GActionEntry entries[] = {{"replace", replace, "i", NULL, NULL, {0}}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), self);
  gtk_widget_insert_action_group(GTK_WIDGET(self), "pieces", G_ACTION_GROUP(group));
}

static void
append(GMenu *menu, const char *label, const char *action, int token, const char *how)
{
  g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
  g_autofree char *line = g_strdup_printf("source %d %s", token + 1, how);
  g_menu_item_set_action_and_target(item, action, "s", line);
  g_menu_append_item(menu, item);
}

void
regard_token_strip_open_menu(RegardTokenStrip *self, int token, double x, double y)
{
  const RegardChip *c = &g_array_index(self->chips, RegardChip, token);
  g_autoptr(GMenu) menu = g_menu_new();
  g_autofree char *another = g_strdup_printf("pieces.replace(%d)", token);

  if (c->change != REGARD_CHIP_HIDDEN)
    append(menu, _("_Hide from the Model"), "win.make-change", token, "hide");
  g_menu_append(menu, _("_Replace by Another Piece…"), another);
  if (c->change != REGARD_CHIP_ZEROED)
    append(menu, _("_Zero Its Embedding"), "win.make-change", token, "zero");
  if (c->change != REGARD_CHIP_AS_IS)
    append(menu, _("_As in the Text Again"), "win.restore-change", token, "hide");
  regard_menu_popup_at(GTK_WIDGET(self), x, y, G_MENU_MODEL(menu));
}
