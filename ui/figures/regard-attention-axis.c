/* regard-attention-axis.c — the rows or the columns of attention: tokens grouped into words, and
 * what they are called.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-attention-private.h"
#include "figures/regard-words.h"
#include <string.h>

/* Groups of tokens; *n of them. Without merge each token is its own. */
static RegardTokenGroup *
group_tokens(const mt_tokens *tokens, gboolean merge, guint *n)
{
  guint count = (guint) mt_tokens_count(tokens);
  g_autofree guint *begins = merge ? regard_words_find(tokens, n) : NULL;
  if (!merge)
    *n = count;
  RegardTokenGroup *groups = g_new0(RegardTokenGroup, MAX(*n, 1));
  for (guint g = 0; g < *n; g++) {
    guint first = merge ? begins[g] : g, end = merge ? begins[g + 1] : g + 1;
    groups[g] = (RegardTokenGroup){first, end - first, mt_tokens_get(tokens, first)->is_special};
  }
  return groups;
}

/* The word or piece of a group for people (display) or for files. Only the decoder's input begins
 * with a start token. */
static char *
group_text(const mt_tokens *tokens, RegardTokenGroup group, gboolean merge, gboolean display,
           gboolean starts)
{
  if (group.n == 1 && (!merge || group.special)) {
    const mt_token *token = mt_tokens_get(tokens, group.first);
    return display ? regard_token_display(tokens, group.first, starts && group.first == 0)
                   : g_strdup(token->piece ? token->piece : "");
  }
  const mt_word_mark mark = mt_tokens_word_mark(tokens);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < group.n; i++) {
    const mt_token *token = mt_tokens_get(tokens, group.first + i);
    g_autofree char *shown = display ? regard_piece_display(tokens, group.first + i) : NULL;
    const char *part = shown ? shown : token->piece ? token->piece : "";
    /* BERT's mark of a word that goes on. */
    gboolean goes_on =
        display && i > 0 && mark == MT_WORD_MARK_HASHES && g_str_has_prefix(part, "##") && part[2];
    g_string_append(text, goes_on ? part + 2 : part);
  }
  const char *begins = mark == MT_WORD_MARK_LOWER_BAR ? "▁" : mark == MT_WORD_MARK_SPACE ? "Ġ" : "";
  if (display && g_str_has_prefix(text->str, begins) && text->len > strlen(begins))
    g_string_erase(text, 0, (gssize) strlen(begins));
  return g_string_free(text, FALSE);
}

/* The word (or piece) that token i of a list belongs to, for the grey half of a decoder row. */
static char *
word_around(const mt_tokens *tokens, guint i, gboolean merge, gboolean starts)
{
  guint n;
  g_autofree RegardTokenGroup *groups = group_tokens(tokens, merge, &n);
  for (guint g = 0; g < n; g++)
    if (i >= groups[g].first && i < groups[g].first + groups[g].n)
      return group_text(tokens, groups[g], merge, TRUE, starts);
  return NULL;
}

/* Right-to-left words on both sides of an arrow would swap places; left-to-right marks keep the
 * order "in → out" and are left out where they are not needed. */
static gboolean
is_right_to_left(const char *text)
{
  for (const char *p = text; p && *p; p = g_utf8_next_char(p)) {
    GUnicodeScript script = g_unichar_get_script(g_utf8_get_char(p));
    if (script == G_UNICODE_SCRIPT_ARABIC || script == G_UNICODE_SCRIPT_HEBREW ||
        script == G_UNICODE_SCRIPT_SYRIAC || script == G_UNICODE_SCRIPT_THAANA ||
        script == G_UNICODE_SCRIPT_NKO)
      return TRUE;
  }
  return FALSE;
}

static void
fill_other(RegardLabel *label, const mt_capture *capture, const RegardMatrixSpec *spec)
{
  const gboolean by_output = spec->label_by == REGARD_LABEL_BY_OUTPUT;
  if (by_output)
    label->other =
        word_around(mt_capture_decoder_input(capture), label->first_token, spec->merge_words, TRUE);
  else
    label->other = word_around(mt_capture_output(capture), label->first_token + label->n_tokens - 1,
                               spec->merge_words, FALSE);
  if (!label->other)
    return;
  const char *mark =
      is_right_to_left(label->other) || is_right_to_left(label->text) ? "\u200e" : "";
  if (by_output)
    label->prefix = g_strdup_printf("%s%s → %s", label->other, mark, mark);
  else
    label->suffix = g_strdup_printf("%s → %s%s", mark, mark, label->other);
}

static void
fill_label(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardAttentionAxis *axis = data;
  const RegardTokenGroup group = axis->groups[i];
  const gboolean merge = axis->spec->merge_words;
  label->text = group_text(axis->tokens, group, merge, TRUE, axis->starts);
  label->piece = group_text(axis->tokens, group, merge, FALSE, axis->starts);
  label->first_token = group.first;
  label->n_tokens = group.n;
  label->special = group.special;
  if (axis->has_other)
    fill_other(label, axis->capture, axis->spec);
}

void
regard_attention_axis_group(RegardAttentionAxis *axis)
{
  guint n, kept = 0;
  axis->groups = group_tokens(axis->tokens, axis->spec->merge_words, &n);
  for (guint i = 0; i < n; i++)
    if (!axis->spec->hide_special || !axis->groups[i].special)
      axis->groups[kept++] = axis->groups[i];
  axis->n = kept;
}

void
regard_attention_axis_copy(RegardAttentionAxis *axis, RegardLabel *labels, guint n)
{
  axis->groups = g_new(RegardTokenGroup, MAX(n, 1));
  for (guint i = 0; i < n; i++)
    axis->groups[i] =
        (RegardTokenGroup){labels[i].first_token, labels[i].n_tokens, labels[i].special};
  axis->n = n;
  axis->labels = labels;
}

RegardAxis
regard_attention_axis_named(const RegardAttentionAxis *axis, const char *title)
{
  return (RegardAxis){
      .n = axis->n, .title = title, .label = fill_label, .data = axis, .labels = axis->labels};
}
