/* regard-sheet-caption.c — one caption for all panels of a sheet.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A panel's caption is a list of sentences. What every panel says is said once, at the end; the
 * rest stands behind the panel's letter. Where panels are of several texts, what those of one text
 * have in common is said once, too, behind all their letters.
 */
#include "figures/regard-language.h"
#include "figures/regard-sheet.h"
#include "figures/regard-words.h"

#include <string.h>

const char *const regard_caption_ids[] = {"plain", "latex", "markdown", NULL};

/* ---- Languages for text ----------------------------------------------------------------------
 */

typedef struct {
  gunichar from;
  const char *to;
} Escape;

static const Escape latex[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'~', "\\textasciitilde{}"},
    {'^', "\\textasciicircum{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {0x2581, "\\_"}, /* ▁, the mark of a word's beginning */
    {0x2192, "$\\rightarrow$"},
    {0x2190, "$\\leftarrow$"},
    {0x21b5, "$\\hookleftarrow$"},
    {0x23ce, "$\\hookleftarrow$"},
    {0x2212, "$-$"},
    {0x00d7, "$\\times$"},
    {0x00b7, "$\\cdot$"},
    {0x221a, "$\\surd$"},
    {0x2264, "$\\le$"},
    {0x2265, "$\\ge$"},
    {0x221e, "$\\infty$"},
    {0x2026, "\\ldots{}"},
    {0x201c, "``"},
    {0x201d, "''"},
    {0x2018, "`"},
    {0x2019, "'"},
    {0x2013, "--"},
    {0x2014, "---"},
    {0x00a0, "~"},
    {0, NULL},
};
static const Escape markdown[] = {
    {'\\', "\\\\"}, {'*', "\\*"},  {'_', "\\_"},   {'`', "\\`"}, {'[', "\\["}, {']', "\\]"},
    {'<', "&lt;"},  {'>', "&gt;"}, {'&', "&amp;"}, {'#', "\\#"}, {'|', "\\|"}, {0, NULL},
};

static const Escape *const escapes[REGARD_N_CAPTIONS] = {
    [REGARD_CAPTION_LATEX] = latex,
    [REGARD_CAPTION_MARKDOWN] = markdown,
};

static char *
escape(const char *text, RegardCaptionForm form)
{
  const Escape *table = escapes[form];
  if (!table)
    return g_strdup(text);
  GString *out = g_string_new(NULL);
  for (const char *at = text; *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    const Escape *found = table;
    while (found->to && found->from != c)
      found++;
    if (found->to)
      g_string_append(out, found->to);
    else
      g_string_append_unichar(out, c);
  }
  return g_string_free(out, FALSE);
}

static char *
name_panel(const RegardSheet *sheet, char letter, RegardCaptionForm form)
{
  static const char *const bold[REGARD_N_CAPTIONS] = {"%s", "\\textbf{%s}", "**%s**"};
  g_autofree char *shown = regard_sheet_dup_letter(sheet, letter);
  const char *format = sheet->bold ? bold[form] : "%s";
  GString *name = g_string_new(format);
  g_string_replace(name, "%s", shown, 1);
  return g_string_free(name, FALSE);
}

/* ---- What is shared --------------------------------------------------------------------------
 */

/* The first sentence says what a picture is, and is always its own. */
static gboolean
is_shared(RegardFigure *figure, guint n, const char *sentence)
{
  for (guint i = 0; i < n; i++) {
    char **sentences = regard_sheet_panel_caption(figure, i);
    if (!sentences[0] || !g_strv_contains((const char *const *) sentences + 1, sentence))
      return FALSE;
  }
  return n > 1;
}

/* A bit for each panel that says it, behind its first sentence. */
static guint32
who_says(RegardFigure *figure, guint n, const char *sentence)
{
  guint32 panels = 0;
  for (guint i = 0; i < n; i++) {
    char **sentences = regard_sheet_panel_caption(figure, i);
    if (sentences[0] && g_strv_contains((const char *const *) sentences + 1, sentence))
      panels |= 1u << i;
  }
  return panels;
}

/* Whether several panels, but not all, say it where there are several texts; *panels: which. */
static gboolean
is_said_by_some(RegardFigure *figure, guint n, const char *sentence, guint32 *panels)
{
  const RegardSheet *sheet = regard_figure_get_sheet(figure);
  *panels = who_says(figure, n, sentence);
  return sheet->letters != REGARD_LETTERS_NONE && regard_sheet_has_sentences(sheet) &&
         (*panels & (*panels - 1)) != 0 && !is_shared(figure, n, sentence);
}

/* "(a), (c), dogs: Source: “I have two dogs.”" of all panels of a set, which begins with i. */
static void
add_some(RegardFigure *figure, guint n, guint32 panels, guint i, const char *letters,
         RegardCaptionForm form, GString *text)
{
  const RegardSheet *sheet = regard_figure_get_sheet(figure);
  char **sentences = regard_sheet_panel_caption(figure, i);
  const RegardPanel *first = NULL;
  gboolean is_of_one = TRUE; /* text, as far as that is known */
  g_autoptr(GString) names = g_string_new(NULL), said = g_string_new(NULL);
  guint at = 0;
  for (const char *letter = letters; *letter; letter++) {
    const RegardPanel *panel = regard_sheet_find(sheet, *letter);
    if (!panel || !(panels & 1u << at++))
      continue;
    g_autofree char *name = name_panel(sheet, *letter, form);
    regard_words_add_item(names, name);
    first = first ? first : panel;
    is_of_one &= !regard_panel_text(panel) ||
                 g_strcmp0(regard_panel_text(first), regard_panel_text(panel)) == 0;
  }
  if (first && first->sentence && is_of_one) {
    g_autofree char *label = escape(first->sentence, form);
    regard_words_add_item(names, label);
  }
  for (guint k = 1; sentences[k]; k++)
    if (who_says(figure, n, sentences[k]) == panels)
      regard_words_take_sentence(said, escape(sentences[k], form));
  /* Translators: letters of panels, and what is true of them: "(a), (c): Source: “…”." */
  regard_words_take_sentence(text, g_strdup_printf(C_("panels", "%s: %s"), names->str, said->str));
}

/* Each set of panels once, with the first of them. */
static void
add_all_some(RegardFigure *figure, guint n, const char *letters, RegardCaptionForm form,
             GString *text)
{
  guint32 done[REGARD_SHEET_MOST_PANELS * 2], panels = 0;
  guint n_done = 0;
  for (guint i = 0; i < n; i++) {
    char **sentences = regard_sheet_panel_caption(figure, i);
    for (guint k = 1; sentences[0] && sentences[k]; k++) {
      gboolean is_done = !is_said_by_some(figure, n, sentences[k], &panels);
      for (guint d = 0; d < n_done; d++)
        is_done |= done[d] == panels;
      if (is_done || n_done == G_N_ELEMENTS(done))
        continue;
      done[n_done++] = panels;
      add_some(figure, n, panels, i, letters, form, text);
    }
  }
}

static void
add_panel(RegardFigure *figure, guint i, guint n, const char *name, RegardCaptionForm form,
          GString *text)
{
  g_autoptr(GString) own = g_string_new(NULL);
  char **sentences = regard_sheet_panel_caption(figure, i);
  guint32 panels;
  for (guint k = 0; sentences[k]; k++)
    if (k == 0 ||
        (!is_shared(figure, n, sentences[k]) && !is_said_by_some(figure, n, sentences[k], &panels)))
      regard_words_take_sentence(own, escape(sentences[k], form));
  if (!*name)
    regard_words_take_sentence(text, g_strdup(own->str));
  else
    /* Translators: the letter of a panel, and what it shows: "(a) Cross-attention." */
    regard_words_take_sentence(text, g_strdup_printf(C_("panel", "%s %s"), name, own->str));
}

char *
regard_sheet_caption(RegardFigure *figure, RegardCaptionForm form)
{
  const RegardSheet *sheet = regard_figure_get_sheet(figure);
  REGARD_IN_LANGUAGE(sheet->is_english ? REGARD_LANGUAGE_ENGLISH : regard_language_get());
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  GString *text = g_string_new(NULL);
  guint n = 0, i = 0;
  while (regard_sheet_panel_caption(figure, n))
    n++;
  regard_mosaic_letters(&sheet->mosaic, letters);
  for (const char *letter = letters; *letter; letter++) {
    if (!regard_sheet_find(sheet, *letter))
      continue;
    g_autofree char *name = n > 1 ? name_panel(sheet, *letter, form) : g_strdup("");
    add_panel(figure, i++, n, name, form, text);
  }
  add_all_some(figure, n, letters, form, text);
  char **first = regard_sheet_panel_caption(figure, 0);
  for (guint k = 1; first && first[0] && first[k]; k++)
    if (is_shared(figure, n, first[k]))
      regard_words_take_sentence(text, escape(first[k], form));
  return g_string_free(text, FALSE);
}
