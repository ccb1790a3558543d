/* regard-view-layers-decided.c — the page Layers: where words are decided, by single states of a
 * reference run that are copied into the run that is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hundreds of passes, so they are made only while somebody looks, and not for every letter that is
 * typed. They give log p of every token: another token is another picture at once.
 */
#include "runner/regard-analysis.h"
#include "views/regard-view-layers-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* Who types on need not wait for states. */
#define START_AFTER_MS 180

/* ---- Showing it ------------------------------------------------------------------------------ */

static void
show_message(RegardViewLayers *self, const char *text)
{
  self->decided_stands = FALSE;
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->area), NULL);
  gtk_label_set_text(GTK_LABEL(self->decided_message), text);
  gtk_stack_set_visible_child(GTK_STACK(self->stack), self->decided_message);
  gtk_label_set_text(GTK_LABEL(self->status), "");
}

/* Why there is no picture, or how far it is. Caller frees. */
static char *
explain(RegardViewLayers *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const char *why = regard_selection_get_why_no_pair(s);
  mt_capture *a, *b;

  if (self->decided)
    return g_strdup_printf(
        _("Both runs say the same: log p is −%.4f nats, and nothing is lost that "
          "could come back."),
        fabs(self->decided->a));
  if (self->decided_error)
    return g_strdup(self->decided_error);
  if (why)
    return g_strdup_printf(_("This and the reference cannot be compared: %s"), why);
  if (regard_selection_get_pair(s, &a, &b) && regard_work_get_share(self->deciding) >= 0)
    return g_strdup_printf(_("Copying states of the reference run … %.0f %%"),
                           floor(100 * regard_work_get_share(self->deciding)));
  if (regard_selection_is_pair_coming(s))
    return g_strdup(_("Computing the reference run …"));
  return g_strdup(_("Change something in the model, or keep a reference (Ctrl+R) and change the "
                    "text: then this says how much of what was lost comes back with each single "
                    "state of the reference run, and so where each word is decided."));
}

/* What is looked at, and what was lost of it. */
static void
show_note(RegardViewLayers *self)
{
  const RegardPatching *p = self->decided;
  g_autofree char *word =
      p->token < 0 ? g_strdup(_("All words (click a column of the decoder for one)"))
                   : g_strdup_printf(_("%s, token %d"), p->target_texts[p->token], p->token + 1);
  g_autofree char *note =
      regard_patching_has_loss(p)
          ? g_strdup_printf(_("%s: log p −%.3f in the reference run, −%.3f without"), word,
                            fabs(p->a), fabs(p->b))
          : g_strdup_printf(_("%s: nothing of it is lost"), word);

  gtk_label_set_text(GTK_LABEL(self->note), note);
}

void
regard_view_layers_show_decided(RegardViewLayers *self)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  if (!self->decided && self->decided_stands && regard_work_get_share(self->deciding) == 0)
    return; /* what comes next may be there soon */
  /* Of one token nothing may be lost, and of another much: there is something to click. */
  if (!self->decided || (self->decided->token < 0 && !regard_patching_has_loss(self->decided))) {
    g_autofree char *text = explain(self);

    show_message(self, text);
    return;
  }
  style.colormap = regard_selection_get_colormap(regard_view_get_selection(REGARD_VIEW(self)));
  style.dark = regard_figure_area_is_dark(REGARD_FIGURE_AREA(self->area));
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL; /* the page says both */
  show_note(self);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->area),
                                regard_figure_new_patching(self->decided, &style));
  gtk_stack_set_visible_child(GTK_STACK(self->stack), self->scroller);
  self->decided_stands = TRUE;
  regard_view_layers_show_status(self);
}

RegardFigure *
regard_view_layers_new_decided(RegardViewLayers *self, const RegardFigureStyle *given)
{
  RegardFigureStyle style = *given;

  style.colormap = regard_selection_get_colormap(regard_view_get_selection(REGARD_VIEW(self)));
  return self->decided ? regard_figure_new_patching(self->decided, &style) : NULL;
}

static void
look_at(RegardViewLayers *self, int token)
{
  RegardPatching *old = self->decided;

  if (!old || token == old->token)
    return;
  self->decided = regard_patching_new_of_token(old, token);
  regard_patching_unref(old);
  regard_view_layers_show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
follow_token(RegardViewLayers *self)
{
  look_at(self, regard_selection_get_pair_token(regard_view_get_selection(REGARD_VIEW(self))));
}

void
regard_view_layers_activate_decided(RegardViewLayers *self, const RegardSpot *spot)
{
  if (self->decided && spot->part == REGARD_PATCHED_DECODER_STREAM)
    look_at(self, spot->col == self->decided->token ? -1 : spot->col);
}

/* ---- Computing it ---------------------------------------------------------------------------- */

static void
forget(RegardViewLayers *self)
{
  g_clear_pointer(&self->decided, regard_patching_unref);
  g_clear_pointer(&self->decided_error, g_free);
}

void
regard_view_layers_clear_decided(RegardViewLayers *self)
{
  g_clear_object(&self->deciding);
  forget(self);
}

static void
on_work(RegardViewLayers *self)
{
  if (self->wants_pair)
    regard_view_layers_show_decided(self);
}

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  g_autoptr(GError) error = NULL;

  self->decided = regard_run_finish(run, &error);
  self->decided_error = error ? g_strdup(error->message) : NULL;
  follow_token(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
start(gpointer owner)
{
  RegardViewLayers *self = owner;
  RegardPass *a, *b;

  if (!regard_selection_get_pair_passes(regard_view_get_selection(REGARD_VIEW(self)), &a, &b))
    return;
  regard_pass_ref(b);
  regard_work_run(self->deciding, &regard_analysis_patching, a, &b, on_computed);
}

/* What is there now is not of what is compared. */
static void
begin_anew(RegardViewLayers *self)
{
  if (!self->wants_pair)
    return;
  forget(self);
  regard_work_wait(self->deciding, START_AFTER_MS, start);
  regard_view_choices_changed(REGARD_VIEW(self));
}

void
regard_view_layers_follow_decided(RegardViewLayers *self, gboolean is_mapped)
{
  const gboolean wants = is_mapped && self->shown_page == SHOW_DECIDED;
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (wants == self->wants_pair || !s)
    return;
  self->wants_pair = wants;
  self->decided_stands = FALSE;
  forget(self);
  regard_work_drop(self->deciding);
  regard_selection_set_wants_pair(s, wants);
  begin_anew(self);
}

void
regard_view_layers_connect_decided(RegardViewLayers *self, RegardSelection *s)
{
  self->deciding = regard_work_new(self);
  g_signal_connect_object(self->deciding, "changed", G_CALLBACK(on_work), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "pair-changed", G_CALLBACK(begin_anew), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "pin-changed", G_CALLBACK(follow_token), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "notify::step", G_CALLBACK(follow_token), self, G_CONNECT_SWAPPED);
}
