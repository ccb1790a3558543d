/* regard-command.c — a line for a shell that has regard-cli do what was done in the window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-command.h"

#include "export/regard-sheet-file.h"
#include "figures/regard-ablation.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"

#include <string.h>

/* ---- Words of a shell ------------------------------------------------------------------------ */

/* A word of these alone needs no quotes. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%"

static gboolean
is_control(char byte)
{
  return ((guchar) byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f;
}

/* Within single quotes, which end for a single quote. */
static void
append_quoted(GString *out, char byte)
{
  if (byte == '\'')
    g_string_append(out, "'\\''");
  else
    g_string_append_c(out, byte);
}

char *
regard_command_quote(const char *text)
{
  gboolean has_control = FALSE;
  for (const char *p = text; *p; p++)
    has_control |= is_control(*p);
  if (*text && text[strspn(text, PLAIN)] == '\0')
    return g_strdup(text);
  GString *out = g_string_new(NULL);
  if (!has_control) {
    g_string_append_c(out, '\'');
    for (const char *p = text; *p; p++)
      append_quoted(out, *p);
    g_string_append_c(out, '\'');
    return g_string_free(out, FALSE);
  }
  /* Bytes that do something to a terminal, and to who pastes them, are written as numbers. No text
   * that is translated ends with a line end, which $() would take away. */
  g_string_append(out, "\"$(printf %b '");
  for (const char *p = text; *p; p++)
    if (is_control(*p))
      g_string_append_printf(out, "\\0%03o", (guint) (guchar) *p);
    else if (*p == '\\')
      g_string_append(out, "\\\\");
    else
      append_quoted(out, *p);
  g_string_append(out, "')\"");
  return g_string_free(out, FALSE);
}

char *
regard_command_quote_path(const char *path)
{
  const char *home = g_get_home_dir();
  const gsize n = strlen(home);
  /* Of what is no text nothing can be pasted. */
  g_autofree char *valid =
      g_utf8_validate(path, -1, NULL) ? g_strdup(path) : g_filename_display_name(path);
  if (n > 1 && strncmp(valid, home, n) == 0 && valid[n] == '/') {
    g_autofree char *rest = regard_command_quote(valid + n + 1);
    return g_strconcat("~/", rest, NULL);
  }
  if (*valid != '-')
    return regard_command_quote(valid);
  g_autofree char *local = g_strconcat("./", valid, NULL);
  return regard_command_quote(local);
}

char *
regard_command_open(const char *path)
{
  g_autofree char *word = regard_command_quote_path(path);
  return g_strconcat("regard ", word, NULL);
}

/* ---- Commands -------------------------------------------------------------------------------- */

GString *
regard_command_new(const char *name)
{
  GString *command = g_string_new("regard-cli ");
  g_string_append(command, name);
  g_strdelimit(command->str, "/", ' ');
  return command;
}

void
regard_command_add(GString *command, const char *option, const char *value)
{
  g_autofree char *word = value ? regard_command_quote(value) : NULL;
  g_string_append_printf(command, " --%s", option);
  if (word)
    g_string_append_printf(command, " %s", word);
}

void
regard_command_add_number(GString *command, const char *option, double value)
{
  g_autofree char *number = regard_exact_copy(value);
  regard_command_add(command, option, number);
}

void
regard_command_add_text(GString *command, const char *text)
{
  g_autofree char *word = regard_command_quote(text);
  g_string_append_printf(command, "%s %s", *text == '-' ? " --" : "", word);
}

static void
add_path(GString *command, const char *option, const char *path)
{
  g_autofree char *word = regard_command_quote_path(path);
  g_string_append_printf(command, " %s%s %s", option[1] ? "--" : "-", option, word);
}

/* ---- A state --------------------------------------------------------------------------------- */

static void
add_search(GString *command, const mt_request *search)
{
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    double value;
    if (!field->option || !field->decides || !mt_request_get(search, i, &value))
      continue;
    if (field->type == MT_SEARCH_CHOICE)
      regard_command_add(command, field->option, field->choices[(gsize) value]);
    else
      regard_command_add_number(command, field->option, value);
  }
}

/* The words of these tokens, if the command makes the same tokens of them. Caller frees; NULL: it
 * does not. */
static char *
spell(const mt_model *model, const int32_t *ids, gsize n)
{
  g_autoptr(mt_tokens) tokens =
      model ? mt_model_detokenize(model, MT_STACK_DECODER, ids, n, NULL) : NULL;
  const char *words = tokens ? mt_tokens_text(tokens) : "";
  g_autoptr(mt_tokens) again = *words ? mt_constraints_cut(model, words, NULL) : NULL;
  if (!again || mt_tokens_count(again) != n)
    return NULL;
  for (gsize i = 0; i < n; i++)
    if (mt_tokens_get(again, i)->id != ids[i])
      return NULL;
  return g_strdup(words);
}

/* FALSE: an option has words, and these tokens are none. */
static gboolean
add_constraints(GString *command, const mt_model *model, const mt_constraints *constraints)
{
  gsize n_prefix, n_forbidden, n_terms;
  const int32_t *prefix = mt_constraints_prefix(constraints, &n_prefix);
  const mt_forbidden *forbidden = mt_constraints_forbidden(constraints, &n_forbidden);
  const mt_term *terms = mt_constraints_terms(constraints, &n_terms);
  if (n_prefix) {
    g_autofree char *words = spell(model, prefix, n_prefix);
    if (!words)
      return FALSE;
    regard_command_add(command, "prefix", words);
  }
  for (gsize i = 0; i < n_terms; i++) {
    g_autofree char *words = spell(model, terms[i].ids, terms[i].n);
    if (!words)
      return FALSE;
    regard_command_add(command, "force", words);
  }
  for (gsize i = 0; i < n_forbidden; i++) {
    g_autofree char *words = spell(model, forbidden[i].ids, forbidden[i].n);
    if (!words)
      return FALSE;
    /* A colon in front says that no number of a step is. */
    g_autofree char *value = forbidden[i].step == MT_EVERY_STEP
                                 ? g_strconcat(":", words, NULL)
                                 : g_strdup_printf("%zu:%s", forbidden[i].step + 1, words);
    regard_command_add(command, "forbid", value);
  }
  return TRUE;
}

static gboolean
has_word(const char *line, const char *word)
{
  g_auto(GStrv) words = g_strsplit_set(line, " \n", -1);
  return g_strv_contains((const char *const *) words, word);
}

static gboolean
add_changes(GString *command, const mt_interventions *interventions, char **why)
{
  if (mt_interventions_count(interventions) == 0)
    return TRUE;
  g_auto(GStrv) lines = g_strsplit(mt_interventions_text(interventions), "\n", -1);
  for (char **line = lines; *line; line++) {
    if (has_word(*line, "patch")) { /* of another run, and which one the list does not say */
      *why =
          g_strdup(_("a change called patch copies another run, which a command has to be told"));
      return FALSE;
    }
    regard_command_add(command, "change", *line);
  }
  return TRUE;
}

static gboolean
add_task(GString *command, const mt_request *search, char **why)
{
  if (*search->task && search->has_task_prefix) {
    *why = g_strdup(_("a command takes a task or words before the text, not both"));
    return FALSE;
  }
  if (search->has_task_prefix && !*search->task_prefix) {
    *why = g_strdup(_("a command cannot ask for no words before the text"));
    return FALSE;
  }
  if (*search->task || search->has_task_prefix)
    regard_command_add(command, "task", *search->task ? search->task : search->task_prefix);
  return TRUE;
}

static gboolean
add_model(GString *command, const RegardSnapshot *state, RegardCommandTakes takes, char **why)
{
  const mt_request *search = &state->search;
  if (!state->model) {
    *why = g_strdup(_("no model ran"));
    return FALSE;
  }
  if (*state->model)
    add_path(command, "model", state->model);
  if (*search->source_language)
    regard_command_add(command, "from", search->source_language);
  if (*search->language)
    regard_command_add(command, "to", search->language);
  if (state->precision != MT_PRECISION_STORED) {
    if (!(takes & REGARD_COMMAND_PRECISION)) {
      *why = g_strdup(_("the command computes with the weights as they are stored"));
      return FALSE;
    }
    regard_command_add(command, "precision", mt_precision_name(state->precision));
  }
  return add_task(command, search, why);
}

gboolean
regard_command_add_state(GString *command, const RegardSnapshot *state, const mt_model *model,
                         const char *sentence, RegardCommandTakes takes, char **why)
{
  const char *given = regard_snapshot_get_given(state, sentence);
  const mt_constraints *constraints =
      given ? NULL : regard_snapshot_get_constraints(state, sentence);
  if (!add_model(command, state, takes, why))
    return FALSE;
  if (!(takes & REGARD_COMMAND_NO_SEARCH)) {
    if (!given)
      add_search(command, &state->search);
    if (!add_constraints(command, model, constraints)) {
      *why = g_strdup(_("a command takes words, and the pieces that were chosen are none"));
      return FALSE;
    }
  }
  if (!(takes & REGARD_COMMAND_NO_CHANGES) &&
      !add_changes(command, state->search.interventions, why))
    return FALSE;
  if (given && !(takes & REGARD_COMMAND_TARGET)) {
    *why = g_strdup(_("the command cannot be given a translation"));
    return FALSE;
  }
  if (given)
    regard_command_add(command, "target", given);
  return TRUE;
}

char *
regard_command_dup_sentence(const RegardSnapshot *state)
{
  const RegardResultSentence *active = state->result ? regard_result_active(state->result) : NULL;
  return active ? g_strndup(state->result->text + active->begin, active->end - active->begin)
                : NULL;
}

/* What is shown is what a command finds. */
static gboolean
is_best(const RegardSnapshot *state, char **why)
{
  const RegardResultSentence *active = state->result ? regard_result_active(state->result) : NULL;
  if (active && active->translation && !active->chosen)
    return TRUE;
  *why = g_strdup(active && active->chosen
                      ? _("another hypothesis than the best was shown, which a command takes")
                      : _("there was no translation"));
  return FALSE;
}

GString *
regard_command_of_sentence(const char *name, const RegardSnapshot *state, RegardCommandTakes takes,
                           char **why)
{
  g_autofree char *sentence = regard_command_dup_sentence(state);
  if (!is_best(state, why))
    return NULL;
  GString *command = regard_command_new(name);
  if (regard_command_add_state(command, state, state->result->model, sentence, takes, why))
    return command;
  g_string_free(command, TRUE);
  return NULL;
}

/* ---- What leaves -------------------------------------------------------------------------------
 */

/* Size, font and what is left out, where they are not as a command has them by itself. */
static void
add_size(GString *command, const RegardFigureStyle *style, const RegardExportOptions *options,
         const RegardExportOptions *usual)
{
  static const struct {
    RegardFigureElements part;
    const char *option;
  } parts[] = {{REGARD_PART_TITLE, "no-title"},
               {REGARD_PART_NUMBERS, "no-numbers"},
               {REGARD_PART_MODEL, "no-model"}};
  if (style->dark)
    regard_command_add(command, "dark", NULL);
  if (options->width_mm != usual->width_mm)
    regard_command_add_number(command, "width", options->width_mm);
  if (options->font_pt != usual->font_pt)
    regard_command_add_number(command, "font", options->font_pt);
  if (options->height_mm > 0)
    regard_command_add_number(command, "height", options->height_mm);
  if (options->dpi != usual->dpi)
    regard_command_add_number(command, "dpi", options->dpi);
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
    if (options->left_out & parts[i].part)
      regard_command_add(command, parts[i].option, NULL);
}

static void
add_options(GString *command, const RegardFigure *figure, const RegardExportFormat *format,
            const RegardExportOptions *options)
{
  RegardExportOptions usual = REGARD_EXPORT_OPTIONS_INIT;
  if (!g_str_equal(format->id, "png"))
    usual.dpi = options->dpi;
  if (format->is_picture)
    add_size(command, &figure->style, options, &usual);
}

static void
add_output(GString *command, const RegardExportFormat *format, const char *path)
{
  if (!path) {
    g_string_append(command, " -o -");
    regard_command_add(command, "format", format->id);
    return;
  }
  add_path(command, "o", path);
  if (!regard_sheet_has_ending(path) && regard_export_format_find(path) != format)
    regard_command_add(command, "format", format->id);
}

/* "4.1,5.5" or "encoder 2.3,cross 4.1" of a figure of chosen heads. Caller frees. */
static char *
list_heads(RegardFigure *figure, gboolean *has_kinds)
{
  GString *list = g_string_new(NULL);
  RegardFigureGroup group;
  regard_figure_group(figure, 0, &group);
  const guint n = regard_figure_n_matrices(figure);
  *has_kinds = group.n < n;
  for (guint i = 0; i < n; i++) {
    g_autoptr(GString) place = g_string_new(NULL);
    figure->klass->append_place(figure, i, place); /* "cross,4,1" */
    g_auto(GStrv) parts = g_strsplit(place->str, ",", 3);
    g_string_append_printf(list, "%s%s%s%s.%s", i ? "," : "", *has_kinds ? parts[0] : "",
                           *has_kinds ? " " : "", parts[1], parts[2]);
  }
  return g_string_free(list, FALSE);
}

/* Which heads; FALSE and *why: attend has no option for it. */
static gboolean
add_heads(GString *command, RegardFigure *figure, const RegardAttention *from, RegardScope scope,
          char **why)
{
  const RegardMatrixSpec *spec = &from->spec;
  g_autofree char *layer =
      g_strdup_printf("%u", regard_naming_layer(from->capture, spec->kind, spec->layer));
  g_autofree char *head =
      g_strdup_printf("%u", regard_naming_head_number(from->capture, spec->kind, spec->head));
  gboolean has_kinds = FALSE;
  g_autofree char *list = scope == REGARD_SCOPE_CHOSEN ? list_heads(figure, &has_kinds) : NULL;
  regard_command_add(command, "kind",
                     scope == REGARD_SCOPE_ALL || has_kinds ? "all" : regard_kind_id(spec->kind));
  switch (scope) {
  case REGARD_SCOPE_HEAD:
    if (spec->combine == REGARD_COMBINE_CHOSEN && from->chosen) {
      *why = g_strdup(_("the command draws each of chosen heads, not their mean"));
      return FALSE;
    }
    regard_command_add(command, "layer", layer);
    regard_command_add(command, "head",
                       spec->combine == REGARD_COMBINE_MEAN  ? "mean"
                       : spec->combine == REGARD_COMBINE_MAX ? "max"
                                                             : head);
    return TRUE;
  case REGARD_SCOPE_LAYER:
    regard_command_add(command, "layer", layer);
    break;
  case REGARD_SCOPE_CHOSEN:
    regard_command_add(command, "head", list);
    return TRUE;
  default:
    break;
  }
  regard_command_add(command, "head", "all");
  return TRUE;
}

static void
clear_look(RegardAttentionLook *look)
{
  mt_capture_unref(look->capture);
  g_free((guint8 *) look->spec.chosen);
  g_free(look->rows);
  g_free(look->cols);
}

/* What is there of a figure that attend cannot make; NULL: nothing. */
static char *
find_problem(const RegardFigure *figure, const RegardAttentionLook *look,
             const RegardExportFormat *format)
{
  if (look->form == REGARD_FORM_LINES)
    return g_strdup(_("the command draws matrices, not lines"));
  if (look->has_received)
    return g_strdup(_("the command does not measure what each key receives"));
  if (!format->is_picture)
    return NULL;
  if (figure->style.pinned_row >= 0 || figure->style.pinned_col >= 0)
    return g_strdup(_("the command marks no cell"));
  if (figure->style.is_plain || look->spec.is_plain)
    return g_strdup(_("the command has no plain words for pieces"));
  return NULL;
}

/* Whose attention it is: the text's, or a file's. */
static GString *
begin_attend(const RegardCommandSource *source, const mt_capture *capture, char **why)
{
  const RegardResult *result = source->state->result;
  if (capture == source->opened) {
    if (!source->opened_path) {
      *why = g_strdup(_("it is not known where the file of attention is"));
      return NULL;
    }
    GString *command = regard_command_new("attend");
    add_path(command, "capture", source->opened_path);
    return command;
  }
  if (!result || capture != result->capture) {
    *why = g_strdup(mt_capture_difference_a(capture)
                        ? _("what two states differ by is not told by one command line")
                        : _("the picture was not of the translation that stood there"));
    return NULL;
  }
  GString *command =
      regard_command_of_sentence("attend", source->state,
                                 REGARD_COMMAND_PRECISION | REGARD_COMMAND_TARGET, why);
  if (command && mt_capture_is_recorded(capture))
    regard_command_add(command, "as-searched", NULL);
  return command;
}

static void
add_style(GString *command, const RegardFigure *figure, const RegardMatrixSpec *spec,
          const RegardExportFormat *format)
{
  if (spec->merge_words)
    regard_command_add(command, "words", NULL);
  if (spec->hide_special)
    regard_command_add(command, "hide-special", NULL);
  if (spec->label_by != REGARD_LABEL_BY_OUTPUT)
    regard_command_add(command, "label-by", regard_label_by_ids[spec->label_by]);
  if (figure->style.scale != REGARD_SCALE_LINEAR)
    regard_command_add(command, "scale", regard_scale_info(figure->style.scale)->id);
  if (format->is_picture && figure->style.colormap)
    regard_command_add(command, "colormap", figure->style.colormap->id);
}

/* The text, or a file, behind the options. */
static char *
end(GString *command, const char *text)
{
  if (text)
    regard_command_add_text(command, text);
  return g_string_free(command, FALSE);
}

static char *
of_attention(const RegardCommandSource *source, RegardFigure *figure, RegardScope scope,
             const RegardAttention *from, const RegardExportFormat *format,
             const RegardExportOptions *options, const char *path, char **why)
{
  GString *command = begin_attend(source, from->capture, why);
  g_autofree char *sentence =
      from->capture == source->opened ? NULL : regard_command_dup_sentence(source->state);
  if (!command || !add_heads(command, figure, from, scope, why)) {
    if (command)
      g_string_free(command, TRUE);
    return NULL;
  }
  add_style(command, figure, &from->spec, format);
  add_options(command, figure, format, options);
  add_output(command, format, path);
  return end(command, sentence);
}

static char *
of_effects(const RegardCommandSource *source, RegardFigure *figure,
           const RegardExportFormat *format, const RegardExportOptions *options, const char *path,
           char **why)
{
  const RegardAblation *effects = figure->subject;
  GString *command = effects->foil ? NULL
                                   : regard_command_of_sentence("effects", source->state,
                                                                REGARD_COMMAND_TARGET, why);
  g_autofree char *sentence = regard_command_dup_sentence(source->state);
  if (effects->foil)
    *why = g_strdup(_("the picture is set against another piece"));
  if (!command)
    return NULL;
  regard_command_add(command, "with", mt_ablation_kind_name(effects->with));
  add_options(command, figure, format, options);
  add_output(command, format, path);
  return end(command, sentence);
}

char *
regard_command_of_figure(const RegardCommandSource *source, RegardFigure *figure,
                         const char *picture, const RegardExportFormat *format,
                         const RegardExportOptions *options, const char *path, char **why)
{
  RegardAttentionLook look = {0};
  RegardFigureGroup group;
  if (path && !g_utf8_validate(path, -1, NULL)) {
    *why = g_strdup(_("the name of the file is no text"));
    return NULL;
  }
  if (g_strcmp0(picture, "effects") == 0)
    return of_effects(source, figure, format, options, path, why);
  const RegardAttention *from = regard_matrix_get_attention(regard_figure_matrix(figure, 0));
  if (!from) {
    *why = g_strdup(_("this picture is of the window alone, or its command is another one"));
    return NULL;
  }
  regard_figure_group(figure, 0, &group);
  RegardScope scope = REGARD_SCOPE_CHOSEN; /* of several kinds, where there is no look */
  if (figure->klass->tell_attention && figure->klass->tell_attention(figure, &look)) {
    *why = find_problem(figure, &look, format);
    scope = look.scope;
    clear_look(&look);
  } else if (!group.is_choice)
    *why = g_strdup(_("this picture is of the window alone, or its command is another one"));
  return *why ? NULL : of_attention(source, figure, scope, from, format, options, path, why);
}

/* A picture of which nothing but the colours counts: its size is that of the figure. */
char *
regard_command_of_panel(const RegardCommandSource *source, RegardFigure *figure,
                        const char *picture, const char *path, char **why)
{
  static const RegardExportOptions usual = REGARD_EXPORT_OPTIONS_INIT;
  return regard_command_of_figure(source, figure, picture, regard_export_format_find("svg"), &usual,
                                  path, why);
}

/* ---- Animations --------------------------------------------------------------------------------
 */

/* Frames show what the state says: these are its tokens. */
static gboolean
is_of_state(const RegardSnapshot *state, const mt_tokens *source, const mt_tokens *output,
            char **why)
{
  const RegardResultSentence *active = state->result ? regard_result_active(state->result) : NULL;
  const mt_hypothesis *h =
      active ? regard_result_hypothesis(state->result, (guint) state->result->active) : NULL;
  if (h && active->translation &&
      g_str_equal(mt_tokens_text(source),
                  mt_tokens_text(mt_translation_source(active->translation))) &&
      g_str_equal(mt_tokens_text(output), mt_tokens_text(h->tokens)))
    return TRUE;
  *why = g_strdup(_("the picture was not of the translation that stood there"));
  return FALSE;
}

static void
add_place(GString *command, mt_attention_kind kind, guint layer, int head)
{
  regard_command_add(command, "kind", regard_kind_id(kind));
  regard_command_add_number(command, "layer", layer);
  if (head > 0)
    regard_command_add_number(command, "head", head);
}

static GString *
of_steps(const RegardSnapshot *state, const RegardFramesAbout *about, char **why)
{
  const RegardSteps *steps = about->subject;
  const RegardStepsOptions *look = about->look;
  const mt_translation *translation = steps->translation;
  GString *command =
      is_of_state(state, mt_translation_source(translation),
                  mt_translation_hypothesis(translation, steps->hypothesis)->tokens, why)
          ? regard_command_of_sentence(about->kind == REGARD_FRAMES_TREE ? "animate/beam"
                                                                         : "animate/steps",
                                       state, REGARD_COMMAND_PRECISION, why)
          : NULL;
  if (!command)
    return NULL;
  if (about->kind == REGARD_FRAMES_TREE) {
    if (((const RegardTreeOptions *) about->look)->held_only)
      regard_command_add(command, "held-only", NULL);
    return command;
  }
  regard_command_add_number(command, "top", look->top);
  add_place(command, look->kind, look->layer + 1, look->head + 1);
  return command;
}

static GString *
of_inside(const RegardSnapshot *state, const RegardFramesAbout *about, char **why)
{
  const RegardWalkthrough *in = about->subject;
  const RegardWalkthroughOptions *look = about->look;
  GString *command =
      is_of_state(state, mt_trace_source(in->trace), mt_trace_output(in->trace), why)
          ? regard_command_of_sentence("animate/inside", state, REGARD_COMMAND_TARGET, why)
          : NULL;
  if (!command)
    return NULL;
  add_place(command, in->kind, in->layer + 1, (int) in->head + 1);
  regard_command_add_number(command, "query", in->query + 1);
  regard_command_add_number(command, "key", in->key + 1);
  if (look->all_rows)
    regard_command_add(command, "all-rows", NULL);
  if (look->maps)
    regard_command_add(command, "weights", NULL);
  return command;
}

static GString *
of_training(const RegardSnapshot *state, const RegardFramesAbout *about, char **why)
{
  const RegardAttention *from = regard_matrix_get_attention(about->subject);
  const RegardMatrixSpec *spec = &from->spec;
  if (spec->combine == REGARD_COMBINE_CHOSEN || spec->combine == REGARD_COMBINE_MAX ||
      spec->merge_words || spec->hide_special || spec->label_by != REGARD_LABEL_BY_OUTPUT) {
    *why = g_strdup(_("the command shows one head or the mean of a layer, token by token"));
    return NULL;
  }
  if (!is_of_state(state, mt_capture_source(from->capture), mt_capture_output(from->capture), why))
    return NULL;
  GString *command =
      regard_command_of_sentence("animate/training", state, REGARD_COMMAND_TARGET, why);
  if (!command)
    return NULL;
  add_place(command, spec->kind, regard_naming_layer(from->capture, spec->kind, spec->layer),
            spec->combine == REGARD_COMBINE_MEAN
                ? 0
                : (int) regard_naming_head_number(from->capture, spec->kind, spec->head));
  if (about->style->scale != REGARD_SCALE_LINEAR)
    regard_command_add(command, "scale", regard_scale_info(about->style->scale)->id);
  return command;
}

char *
regard_command_of_frames(const RegardSnapshot *state, const RegardFrames *frames,
                         const RegardAnimationFormat *format, const RegardExportOptions *options,
                         const char *path, char **why)
{
  static GString *(*const makers[])(const RegardSnapshot *, const RegardFramesAbout *, char **) = {
      [REGARD_FRAMES_STEPS] = of_steps,
      [REGARD_FRAMES_TREE] = of_steps,
      [REGARD_FRAMES_INSIDE] = of_inside,
      [REGARD_FRAMES_MATRICES] = of_training,
  };
  const RegardFramesAbout about = regard_frames_get_about(frames);
  RegardExportOptions usual = REGARD_ANIMATION_OPTIONS_INIT;
  if (about.kind == REGARD_FRAMES_TREE)
    usual.width_mm = 0; /* what the tree needs */
  if (!format->has_pixels)
    usual.dpi = options->dpi;
  GString *command = makers[about.kind](state, &about, why);
  g_autofree char *sentence = regard_command_dup_sentence(state);
  if (!command)
    return NULL;
  if (about.style->colormap &&
      (about.kind == REGARD_FRAMES_INSIDE || about.kind == REGARD_FRAMES_MATRICES))
    regard_command_add(command, "colormap", about.style->colormap->id);
  add_size(command, about.style, options, &usual);
  add_path(command, "o", path);
  return end(command, sentence);
}

char *
regard_command_of_sheet(const char *sheet, const RegardExportFormat *format,
                        const RegardExportOptions *options, const char *path)
{
  static const RegardExportOptions usual = REGARD_EXPORT_OPTIONS_INIT;
  GString *command = regard_command_new("figure");
  g_autofree char *word = regard_command_quote_path(sheet);
  g_string_append_printf(command, " %s", word);
  if (options->dpi != usual.dpi && g_str_equal(format->id, "png"))
    regard_command_add_number(command, "dpi", options->dpi);
  add_path(command, "o", path);
  return g_string_free(command, FALSE);
}

/* ---- Comparing ---------------------------------------------------------------------------------
 */

/* Asked of the same tokens. */
static gboolean
is_asked_alike(const mt_request *a, const mt_request *b)
{
  return g_strcmp0(a->source_language, b->source_language) == 0 &&
         g_strcmp0(a->language, b->language) == 0 && g_strcmp0(a->task, b->task) == 0 &&
         a->has_task_prefix == b->has_task_prefix &&
         (!a->has_task_prefix || g_strcmp0(a->task_prefix, b->task_prefix) == 0);
}

/* What of two kept states a command cannot compare; NULL: nothing. */
static char *
find_difference(const RegardSnapshot *a, const RegardSnapshot *b)
{
  const char *changes = mt_interventions_text(a->search.interventions);
  g_autofree char *of_a = regard_command_dup_sentence(a), *of_b = regard_command_dup_sentence(b);
  if (g_strcmp0(of_a, of_b) != 0 || !is_asked_alike(&a->search, &b->search))
    return g_strdup(_("the command compares two models that read the same"));
  if (g_strcmp0(a->model, b->model) != 0 && (!a->model || !*a->model))
    return g_strdup(_("the command cannot be told of the bundled model as a reference"));
  if (changes && (has_word(changes, "patch") || has_word(changes, "mean")))
    return g_strdup(_("the command cannot be told of a reference with such changes"));
  return NULL;
}

char *
regard_command_of_comparison(const RegardSnapshot *a, const RegardSnapshot *b, char **why)
{
  const RegardSnapshot *words = a ? a : b;
  g_autofree char *sentence = regard_command_dup_sentence(words);
  if (!is_best(words, why) || (a && (*why = find_difference(a, b))))
    return NULL;
  if (words->precision != MT_PRECISION_STORED || b->precision != MT_PRECISION_STORED) {
    *why = g_strdup(_("the command computes with the weights as they are stored"));
    return NULL;
  }
  /* As A was searched for, in the model of B. */
  g_autoptr(RegardSnapshot) both = regard_snapshot_copy(words);
  GString *command = regard_command_new("compare");
  g_free(both->model);
  both->model = g_strdup(b->model);
  if (!regard_command_add_state(command, both, words->result->model, sentence,
                                REGARD_COMMAND_TARGET | REGARD_COMMAND_NO_CHANGES, why) ||
      !add_changes(command, b->search.interventions, why)) {
    g_string_free(command, TRUE);
    return NULL;
  }
  if (a) {
    const gboolean has_changes = mt_interventions_count(a->search.interventions) > 0;
    regard_command_add(command, "reference",
                       has_changes ? mt_interventions_text(a->search.interventions) : "none");
    if (g_strcmp0(a->model, b->model) != 0)
      add_path(command, "reference-model", a->model);
  }
  return end(command, sentence);
}
