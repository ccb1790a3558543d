/* regard-window-stage.c — the window as the stage of lessons: what they show, where what they point
 * at is, and the present view as a lesson would write it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pages and their parts, and places of pictures, are the views' (regard-view.h); controls are found
 * by the names that they were made with. What is to be shown of a translation that is not there yet
 * waits in a queue; the queue is dropped when somebody goes elsewhere.
 */
#include "base/regard-error.h"
#include "base/regard-signals.h"
#include "figures/regard-naming.h"
#include "learn/regard-spotlight.h"
#include "parts/regard-messages.h"
#include "widgets/regard-gtk.h"
#include "window/regard-window-private.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

/* What of a directive is done later; the lesson may be gone by then. */
typedef struct {
  RegardDirectiveType type;
  mt_attention_kind kind;
  guint layer, head;
  RegardLessonToken row, column;
  gint64 number;
  char *text;
} Task;

/* Where somebody was when something was asked for. */
typedef struct {
  char *text, *page;
  RegardHeadRef place;
  gboolean is_place_chosen;
} Whereabouts;

struct _RegardWindowStage {
  GQueue tasks; /* of Task *, that wait */
  Whereabouts asked_at;
  guint idle;
};

static void
task_free(gpointer data)
{
  Task *task = data;
  g_free(task->row.piece);
  g_free(task->column.piece);
  g_free(task->text);
  g_free(task);
}

static gboolean
fail(GError **error, char *message)
{
  g_set_error_literal(error, REGARD_ERROR, REGARD_ERROR_INPUT, message);
  g_free(message);
  return FALSE;
}

/* ==== What is shown ============================================================================
 */

/* ---- A page ------------------------------------------------------------------------------------
 */

/* "positions" and "bench", or NULL. Caller frees. */
static char *
split_page(const char *page, const char **part)
{
  const char *slash = strchr(page, '/');
  *part = slash ? slash + 1 : NULL;
  return slash ? g_strndup(page, (gsize) (slash - page)) : g_strdup(page);
}

static void
go_to_page(RegardWindow *self, const char *page)
{
  const char *part;
  g_autofree char *id = split_page(page, &part);
  adw_view_stack_set_visible_child_name(self->views, id);
}

static gboolean
show_part(RegardWindow *self, const Task *task, GError **error)
{
  const char *part;
  g_autofree char *id = split_page(task->text, &part);
  GtkWidget *page = adw_view_stack_get_child_by_name(self->views, id);
  if (page && regard_view_show_part(REGARD_VIEW(page), part))
    return TRUE;
  return fail(error, g_strdup_printf(_("With this model there is no page %s."), task->text));
}

/* ---- A head, a cell, a step -------------------------------------------------------------------
 */

/* What of a kind there is: of a file what it has, else what the model has. */
static RegardHeadExtent
extent_of(RegardWindow *self, mt_attention_kind kind)
{
  if (regard_document_get_imported_capture(self->document))
    return regard_selection_get_extent(self->selection, kind);
  mt_model *model = regard_document_get_model(self->document);
  if (!model)
    return (RegardHeadExtent){0};
  const mt_config *config = mt_model_config(model);
  const mt_stack stack = regard_naming_rows(kind);
  /* A decoder alone has no source to look at, and an encoder alone no decoder. */
  const gboolean is_there = kind != MT_CROSS || config->n_layers[MT_STACK_ENCODER] > 0;
  return (RegardHeadExtent){0, is_there ? (guint) config->n_layers[stack] : 0, 0,
                            (guint) config->n_heads[stack]};
}

static gboolean
show_head(RegardWindow *self, const Task *task, GError **error)
{
  const RegardHeadExtent there = extent_of(self, task->kind);
  if (task->layer < there.first_layer || task->layer - there.first_layer >= there.n_layers ||
      task->head < there.first_head || task->head - there.first_head >= there.n_heads) {
    g_autofree char *head = regard_naming_head(task->kind, task->layer, task->head);
    return fail(error, g_strdup_printf(_("This model has no head %s: of this kind it has %u layers "
                                         "of %u heads."),
                                       head, there.n_layers, there.n_heads));
  }
  regard_selection_set_combine(self->selection, REGARD_COMBINE_HEAD);
  regard_document_set_place(self->document, (RegardHeadRef){task->kind, task->layer, task->head});
  return TRUE;
}

static RegardViewLine
line_of(const RegardLessonToken *token)
{
  return (RegardViewLine){token->number, token->piece};
}

/* "row 3", "row “dog”". Caller frees. */
static char *
say_line(const RegardLessonToken *token, gboolean is_column)
{
  if (token->piece)
    return g_strdup_printf(is_column ? _("column “%s”") : _("row “%s”"), token->piece);
  return g_strdup_printf(is_column ? _("column %u") : _("row %u"), token->number);
}

static gboolean
show_cell(RegardWindow *self, const Task *task, GError **error)
{
  const RegardViewPlace place = {.type = REGARD_VIEW_PLACE_CELL,
                                 .row = line_of(&task->row),
                                 .column = line_of(&task->column)};
  RegardCell cell;
  if (!regard_view_find_cell(regard_window_get_page(self), &place,
                             regard_selection_get_matrix(self->selection), &cell)) {
    g_autofree char *row = say_line(&task->row, FALSE), *column = say_line(&task->column, TRUE);
    return fail(error, g_strdup_printf(_("The matrix that is shown has no %s, %s."), row, column));
  }
  regard_selection_set_pin(self->selection, cell);
  return TRUE;
}

/* Of the page's own, or of the translation. */
static gboolean
show_step(RegardWindow *self, const Task *task, GError **error)
{
  RegardView *page = regard_window_get_page(self);
  const guint n_own = page ? regard_view_count_steps(page) : 0;
  if (n_own)
    return regard_view_set_step(page, (guint) task->number) ||
           fail(error, g_strdup_printf(_("There is no step %" PRId64 ": this page has %u."),
                                       task->number, n_own));
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_tokens *output = capture ? mt_capture_output(capture) : NULL;
  const guint n = output ? (guint) mt_tokens_count(output) : 0;
  if (task->number > n)
    return fail(
        error,
        g_strdup_printf(ngettext("There is no step %" PRId64 ": the translation has %u step.",
                                 "There is no step %" PRId64 ": the translation has %u steps.", n),
                        task->number, n));
  regard_selection_set_step(self->selection, (int) task->number - 1);
  return TRUE;
}

/* ---- Comparing --------------------------------------------------------------------------------
 */

static gboolean
keep_reference(RegardWindow *self, const Task *task, GError **error)
{
  if (!regard_selection_get_capture(self->selection) ||
      regard_document_get_imported_capture(self->document))
    return fail(error, g_strdup(_("There is no translation to keep and to compare with.")));
  regard_document_keep_reference(self->document);
  return TRUE;
}

static gboolean
compare(RegardWindow *self, const Task *task, GError **error)
{
  if (!regard_document_can_compare(self->document))
    return fail(error, g_strdup(_("There is nothing to compare with: nothing was kept, and nothing "
                                  "is changed.")));
  regard_document_set_compare(self->document, REGARD_COMPARE_DIFFERENCE);
  return TRUE;
}

/* ---- What waits --------------------------------------------------------------------------------
 */

/* What is done later, and what it waits for: the model that is on its way, or the translation. */
static const struct {
  RegardDirectiveType type;
  gboolean needs_translation;
  gboolean (*run)(RegardWindow *self, const Task *task, GError **error);
} tasks[] = {
    {REGARD_DIRECTIVE_PAGE, FALSE, show_part}, /* its part, if the model has it */
    {REGARD_DIRECTIVE_HEAD, FALSE, show_head}, /* if the model has it */
    {REGARD_DIRECTIVE_CELL, TRUE, show_cell},           {REGARD_DIRECTIVE_STEP, TRUE, show_step},
    {REGARD_DIRECTIVE_REFERENCE, TRUE, keep_reference}, {REGARD_DIRECTIVE_COMPARE, TRUE, compare},
};

static int
find_task(RegardDirectiveType type)
{
  for (guint i = 0; i < G_N_ELEMENTS(tasks); i++)
    if (tasks[i].type == type)
      return (int) i;
  return -1;
}

/* A document that is opened next, or typed, answers when it is no longer busy. */
static gboolean
is_ready(RegardWindow *self, gboolean needs_translation)
{
  if (regard_document_get_imported_capture(self->document))
    return TRUE;
  if (regard_document_is_opening(self->document) || !regard_document_get_model(self->document))
    return FALSE;
  const RegardResult *result = regard_document_get_result(self->document);
  return !needs_translation ||
         (!regard_document_is_busy(self->document) && result &&
          g_str_equal(result->text, regard_document_get_text(self->document)));
}

static void
forget_whereabouts(Whereabouts *at)
{
  g_clear_pointer(&at->text, g_free);
  g_clear_pointer(&at->page, g_free);
}

static void
note_whereabouts(RegardWindow *self)
{
  Whereabouts *at = &self->stage->asked_at;
  forget_whereabouts(at);
  at->text = g_strdup(regard_document_get_text(self->document));
  at->page = g_strdup(adw_view_stack_get_visible_child_name(self->views));
  at->place = *regard_document_get_place(self->document);
  at->is_place_chosen = regard_document_is_place_chosen(self->document);
}

/* That another model begins at another head is nobody's going there. */
static gboolean
went_elsewhere(RegardWindow *self)
{
  const Whereabouts *at = &self->stage->asked_at;
  const RegardHeadRef *place = regard_document_get_place(self->document);
  const gboolean is_elsewhere = place->kind != at->place.kind || place->layer != at->place.layer ||
                                place->head != at->place.head;
  return !g_str_equal(at->text, regard_document_get_text(self->document)) ||
         g_strcmp0(at->page, adw_view_stack_get_visible_child_name(self->views)) != 0 ||
         (is_elsewhere && regard_document_is_place_chosen(self->document));
}

static void
drop_tasks(RegardWindow *self)
{
  g_queue_clear_full(&self->stage->tasks, task_free);
  g_clear_handle_id(&self->stage->idle, g_source_remove);
}

static gboolean
on_idle(gpointer data)
{
  RegardWindow *self = data;
  struct _RegardWindowStage *stage = self->stage;
  stage->idle = 0;
  if (went_elsewhere(self))
    drop_tasks(self);
  while (!g_queue_is_empty(&stage->tasks)) {
    const int i = find_task(((Task *) g_queue_peek_head(&stage->tasks))->type);
    if (!is_ready(self, tasks[i].needs_translation))
      break;
    Task *task = g_queue_pop_head(&stage->tasks);
    g_autoptr(GError) error = NULL;
    if (!tasks[i].run(self, task, &error))
      g_signal_emit_by_name(self, "lacks", error);
    task_free(task);
    note_whereabouts(self);
  }
  return G_SOURCE_REMOVE;
}

/* Below what tells everybody else of it, and the frames that make room for it. */
static void
update(RegardWindow *self)
{
  if (self->stage && !g_queue_is_empty(&self->stage->tasks) && !self->stage->idle)
    self->stage->idle = g_idle_add_full(G_PRIORITY_LOW, on_idle, self, NULL);
}

static RegardLessonToken
copy_token(const RegardLessonToken *token)
{
  return (RegardLessonToken){token->number, g_strdup(token->piece)};
}

/* At once, if what it needs is there and nothing waits before it. */
static gboolean
run(RegardWindow *self, const RegardDirective *d, GError **error)
{
  const int i = find_task(d->type);
  Task *task = g_new(Task, 1);
  *task = (Task){
      d->type,   d->kind,          d->layer, d->head, copy_token(&d->row), copy_token(&d->column),
      d->number, g_strdup(d->text)};
  if (!g_queue_is_empty(&self->stage->tasks) || !is_ready(self, tasks[i].needs_translation)) {
    g_queue_push_tail(&self->stage->tasks, task);
    return TRUE;
  }
  const gboolean ok = tasks[i].run(self, task, error);
  task_free(task);
  return ok;
}

/* ---- All of it --------------------------------------------------------------------------------
 */

static void
show_form(RegardWindow *self, const char *form)
{
  for (guint i = 0; i < REGARD_N_FORMS; i++)
    if (g_str_equal(regard_form_ids[i], form))
      regard_selection_set_form(self->selection, (RegardForm) i);
}

/* Panes that directives name, and what they are in the settings. */
static const struct {
  const char *name, *key;
} panes_named[] = {
    {"heads", "show-heads"},
    {"details", "show-details"},
    {"received", "show-received"},
};

static void
show_panes(RegardWindow *self, const char *panes)
{
  if (self->is_presenting) {
    regard_window_present_parts(self, (strstr(panes, "heads") ? REGARD_WINDOW_HEADS : 0) |
                                          (strstr(panes, "details") ? REGARD_WINDOW_DETAILS : 0) |
                                          (strstr(panes, "received") ? REGARD_WINDOW_RECEIVED : 0));
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS(panes_named); i++)
    g_settings_set_boolean(self->settings, panes_named[i].key,
                           strstr(panes, panes_named[i].name) != NULL);
}

static gboolean
show(RegardStage *stage, const RegardDirective *directive, GError **error)
{
  RegardWindow *self = REGARD_WINDOW(stage);
  gboolean ok = TRUE;
  if (directive->type == REGARD_DIRECTIVE_STATE)
    return regard_window_show_state(self, directive, error);
  if (!g_queue_is_empty(&self->stage->tasks) && went_elsewhere(self))
    drop_tasks(self);
  if (directive->type == REGARD_DIRECTIVE_PAGE)
    go_to_page(self, directive->text);
  if (directive->type == REGARD_DIRECTIVE_FORM)
    show_form(self, directive->text);
  else if (directive->type == REGARD_DIRECTIVE_PANES)
    show_panes(self, directive->text);
  else if (find_task(directive->type) >= 0)
    ok = run(self, directive, error);
  note_whereabouts(self);
  update(self);
  return ok;
}

/* ==== Where something is =======================================================================
 */

/* The first widget of that name that is seen, by what it was made as. */
static GtkWidget *
find_named(GtkWidget *widget, const char *name)
{
  if (!gtk_widget_get_mapped(widget))
    return NULL;
  if (g_str_equal(gtk_widget_get_name(widget), name))
    return widget;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_named(child, name);
  return found;
}

static GtkWidget *
find_control(RegardWindow *self, const char *id)
{
  return find_named(GTK_WIDGET(self), id);
}

/* The button of a page: a switcher has one for each, in their order. */
static GtkWidget *
find_button(GtkWidget *widget, guint *n)
{
  if (GTK_IS_TOGGLE_BUTTON(widget))
    return (*n)-- == 0 ? widget : NULL;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_button(child, n);
  return found;
}

static guint
number_of_page(const char *page)
{
  const char *part;
  g_autofree char *id = split_page(page, &part);
  guint n, i = 0;
  const RegardViewInfo *views = regard_view_registry(&n);
  while (i < n && !g_str_equal(views[i].id, id))
    i++;
  return i;
}

static GtkWidget *
find_tab(RegardWindow *self, const char *page)
{
  const char *part;
  g_autofree char *id = split_page(page, &part);
  guint i = number_of_page(page);
  /* Who is there already has nowhere to go. */
  if (g_strcmp0(adw_view_stack_get_visible_child_name(self->views), id) == 0)
    return NULL;
  GtkWidget *switcher = adw_squeezer_get_visible_child(ADW_SQUEEZER(self->switcher));
  return switcher ? find_button(switcher, &i) : NULL;
}

static gboolean
place_of(const RegardDirective *point, RegardViewPlace *place)
{
  *place = (RegardViewPlace){.has_kind = point->has_kind,
                             .kind = point->kind,
                             .layer = point->layer,
                             .head = point->head,
                             .row = line_of(&point->row),
                             .column = line_of(&point->column)};
  switch (point->target->place) {
  case REGARD_PLACE_KIND:
    place->type = REGARD_VIEW_PLACE_HEADS;
    return TRUE;
  case REGARD_PLACE_HEAD:
    place->type = REGARD_VIEW_PLACE_HEAD;
    return TRUE;
  case REGARD_PLACE_LINE:
    /* Both have one number, or one name. */
    if (g_str_equal(point->target->name, "column")) {
      place->column = place->row;
      place->row = (RegardViewLine){0};
    }
    place->type = REGARD_VIEW_PLACE_CELL;
    return TRUE;
  case REGARD_PLACE_CELL:
    place->type = REGARD_VIEW_PLACE_CELL;
    return TRUE;
  case REGARD_PLACE_NONE:
    place->type = g_str_equal(point->target->name, "received") ? REGARD_VIEW_PLACE_RECEIVED
                                                               : REGARD_VIEW_PLACE_PICTURE;
    return place->type == REGARD_VIEW_PLACE_RECEIVED || g_str_equal(point->target->name, "matrix");
  case REGARD_PLACE_PAGE:
  case REGARD_PLACE_CONTROL:
    break;
  }
  return FALSE;
}

/* A target that is a widget of the window. */
static GtkWidget *
find_widget(RegardWindow *self, const RegardDirective *point)
{
  const struct {
    const char *name;
    gpointer widget;
  } parts[] = {
      {"source", regard_source_pane_get_card(self->source)},
      {"translation", regard_target_pane_get_card(self->target)},
      {"source-pieces", regard_source_pane_get_strip(self->source)},
      {"translation-pieces", regard_target_pane_get_strip(self->target)},
      {"changes", regard_selection_get_simple(self->selection) ? GTK_WIDGET(self->simple_bar)
                                                               : GTK_WIDGET(self->changes_bar)},
  };
  if (point->target->place == REGARD_PLACE_PAGE)
    return find_tab(self, point->text);
  if (point->target->place == REGARD_PLACE_CONTROL)
    return find_control(self, point->text);
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
    if (g_str_equal(parts[i].name, point->target->name))
      return parts[i].widget;
  return NULL;
}

/* The widget that a target is, or is a part of, and where in it. NULL: it is not on the screen. */
static GtkWidget *
find(RegardWindow *self, const RegardDirective *point, graphene_rect_t *rect)
{
  RegardViewPlace place;
  if (place_of(point, &place)) {
    RegardView *view = regard_window_get_view(self);
    return view ? regard_view_locate(view, &place, rect) : NULL;
  }
  /* With its border, which is outside of where its content begins. */
  GtkWidget *widget = find_widget(self, point);
  return widget && gtk_widget_compute_bounds(widget, widget, rect) ? widget : NULL;
}

static gboolean
locate(RegardStage *stage, const RegardDirective *point, graphene_rect_t *bounds)
{
  RegardWindow *self = REGARD_WINDOW(stage);
  GtkWidget *widget = find(self, point, bounds);
  graphene_matrix_t transform;
  if (!widget || !regard_widget_clip_to_seen(widget, bounds) ||
      !gtk_widget_compute_transform(widget, GTK_WIDGET(self), &transform))
    return FALSE;
  graphene_matrix_transform_bounds(&transform, bounds, bounds);
  return TRUE;
}

static gboolean
reveal(RegardStage *stage, const RegardDirective *point)
{
  graphene_rect_t rect;
  GtkWidget *widget = find(REGARD_WINDOW(stage), point, &rect);
  if (!widget || !gtk_widget_get_mapped(widget) || rect.size.width < 1 || rect.size.height < 1)
    return FALSE;
  regard_widget_scroll_to(widget, &rect);
  return TRUE;
}

static gboolean
focus(RegardStage *stage, const RegardDirective *point)
{
  RegardWindow *self = REGARD_WINDOW(stage);
  graphene_rect_t rect;
  GtkWidget *widget = find(self, point, &rect);
  if (!widget || !gtk_widget_get_mapped(widget))
    return FALSE;
  if (REGARD_IS_TEXT_CARD(widget))
    widget = GTK_WIDGET(regard_text_card_get_view(REGARD_TEXT_CARD(widget)));
  return (gtk_widget_get_focusable(widget) && gtk_widget_grab_focus(widget)) ||
         gtk_widget_child_focus(widget, GTK_DIR_TAB_FORWARD);
}

/* ==== In words =================================================================================
 */

static char *
say_part(const char *name)
{
  static const struct {
    const char *name, *said;
  } parts[] = {
      {"source", N_("the source")},
      {"translation", N_("the translation")},
      {"source-pieces", N_("the pieces of the source")},
      {"translation-pieces", N_("the pieces of the translation")},
      {"matrix", N_("the picture")},
      {"received", N_("what each key receives")},
      {"changes", N_("what is changed in the model")},
  };
  guint i = 0;
  while (!g_str_equal(parts[i].name, name))
    i++;
  return g_strdup(_(parts[i].said));
}

static char *
say(RegardStage *stage, const RegardDirective *point)
{
  RegardWindow *self = REGARD_WINDOW(stage);
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  const gboolean is_column = g_str_equal(point->target->name, "column");
  guint n;
  switch (point->target->place) {
  case REGARD_PLACE_NONE:
    break;
  case REGARD_PLACE_KIND:
    return point->has_kind ? g_strdup_printf(_("all heads of this kind: %s"),
                                             regard_naming_kind(capture, point->kind))
                           : g_strdup(_("all heads"));
  case REGARD_PLACE_HEAD:
    return g_strdup_printf(_("%s, layer %u, head %u"), regard_naming_kind(capture, point->kind),
                           point->layer + 1, point->head + 1);
  case REGARD_PLACE_LINE: {
    g_autofree char *line = say_line(&point->row, is_column);
    return g_strdup_printf(_("%s of the matrix"), line);
  }
  case REGARD_PLACE_CELL: {
    g_autofree char *row = say_line(&point->row, FALSE), *column = say_line(&point->column, TRUE);
    return g_strdup_printf(_("%s, %s of the matrix"), row, column);
  }
  case REGARD_PLACE_PAGE:
    return g_strdup_printf(_("the page %s"),
                           _(regard_view_registry(&n)[number_of_page(point->text)].title));
  case REGARD_PLACE_CONTROL:
    return g_strdup(regard_target_say_control(point->text));
  }
  return say_part(point->target->name);
}

/* ==== The present view as directives ===========================================================
 */

static char *
dup_page(RegardStage *stage)
{
  RegardWindow *self = REGARD_WINDOW(stage);
  RegardView *view = regard_window_get_view(self);
  const char *part = view ? regard_view_get_part(view) : NULL;
  const char *id = adw_view_stack_get_visible_child_name(self->views);
  if (!view)
    return NULL;
  return part ? g_strconcat(id, "/", part, NULL) : g_strdup(id);
}

/* Directives are lines, and sentences of lessons short. */
static void
write_text(RegardWindow *self, GString *out)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const RegardResultSentence *active = result ? regard_result_active(result) : NULL;
  g_autofree char *text = g_strstrip(g_strdup(regard_document_get_text(self->document)));
  if ((strchr(text, '\n') || strlen(text) > REGARD_LESSON_MOST_TEXT) && active) {
    g_free(text);
    text = g_strstrip(g_strndup(result->text + active->begin, active->end - active->begin));
  }
  g_strdelimit(text, "\n\r\t", ' ');
  if (*text && strlen(text) <= REGARD_LESSON_MOST_TEXT)
    g_string_append_printf(out, "text %s\n", text);
}

/* By its folder's name, as the list of models knows it; checkpoints of the training that comes with
 * Regard by their steps. The bundled model needs no name. */
static void
write_model(RegardWindow *self, GString *out)
{
  const char *dir = regard_document_get_model_dir(self->document);
  const RegardTraining *training = regard_document_get_training(self->document);
  guint at;
  if (!dir || !*dir)
    return;
  g_autofree char *name = g_path_get_basename(dir);
  if (regard_training_is_bundled(dir) && regard_training_find(training, dir, &at))
    g_string_append_printf(out, "model learning/%" G_GUINT64_FORMAT "\n",
                           g_array_index(training->steps, RegardTrainingStep, at).step);
  else if (regard_lesson_is_model_name(name))
    g_string_append_printf(out, "model %s\n", name);
}

/* A token by its name, unless another one before it has the same, or it has what would end it. */
static void
append_token(GString *out, const mt_tokens *tokens, guint token)
{
  const char *name = tokens && token < mt_tokens_count(tokens)
                         ? regard_naming_token(mt_tokens_get(tokens, token))
                         : "\"";
  gsize found;
  if (!strchr(name, '"') && regard_naming_find_token(tokens, 0, name, &found) && found == token)
    g_string_append_printf(out, " \"%s\"", name);
  else
    g_string_append_printf(out, " %u", token + 1);
}

static void
write_cell(RegardWindow *self, GString *out)
{
  const RegardCell pin = regard_selection_get_pin(self->selection);
  const RegardMatrix *m = regard_selection_get_matrix(self->selection);
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_attention_kind kind = regard_selection_get_kind(self->selection);
  if (!m || pin.row < 0 || pin.col < 0)
    return;
  g_string_append(out, "cell");
  append_token(out,
               kind == MT_ENCODER_SELF ? mt_capture_source(capture) : mt_capture_output(capture),
               m->row_labels[pin.row].first_token);
  append_token(out, mt_capture_columns(capture, kind), m->col_labels[pin.col].first_token);
  g_string_append_c(out, '\n');
}

/* From where a lesson begins, nothing is changed. */
static void
write_changes(RegardWindow *self, GString *out)
{
  const mt_interventions *interventions = regard_document_get_search(self->document)->interventions;
  g_auto(GStrv) lines =
      g_strsplit(interventions ? mt_interventions_text(interventions) : "", "\n", -1);
  g_string_append(out, "changes none\n");
  for (guint i = 0; lines[i]; i++)
    if (*lines[i])
      g_string_append_printf(out, "change %s\n", lines[i]);
}

static void
write_panes(RegardWindow *self, GString *out)
{
  const gsize empty = g_string_append(out, "panes")->len;
  for (guint i = 0; i < G_N_ELEMENTS(panes_named); i++)
    if (g_settings_get_boolean(self->settings, panes_named[i].key))
      g_string_append_printf(out, " %s", panes_named[i].name);
  g_string_append(out, out->len == empty ? " none\n" : "\n");
}

static void
write_step(RegardWindow *self, GString *out)
{
  RegardView *page = regard_window_get_page(self);
  const guint own = page ? regard_view_get_step(page) : 0;
  const int step = regard_selection_get_step(self->selection);
  if (own)
    g_string_append_printf(out, "step %u\n", own);
  else if (step >= 0)
    g_string_append_printf(out, "step %d\n", step + 1);
}

static char *
dup_directives(RegardStage *stage)
{
  RegardWindow *self = REGARD_WINDOW(stage);
  GString *out = g_string_new(NULL);
  g_autofree char *page = dup_page(stage);
  const RegardHeadRef *place = regard_document_get_place(self->document);
  g_autofree char *head = regard_naming_head(place->kind, place->layer, place->head);
  write_model(self, out);
  write_text(self, out);
  write_changes(self, out);
  if (page)
    g_string_append_printf(out, "page %s\n", page);
  g_string_append_printf(out, "head %s\n", head);
  write_cell(self, out);
  write_step(self, out);
  g_string_append_printf(out, "form %s\n",
                         regard_form_ids[regard_selection_get_form(self->selection)]);
  write_panes(self, out);
  return g_string_free(out, FALSE);
}

static void
copy_directives(GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *text = dup_directives(REGARD_STAGE(widget));
  gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
  regard_toast(REGARD_WINDOW(widget)->root, _("This view is copied as directives of a lesson"));
}

/* ==== The stage ================================================================================
 */

static RegardDocument *
get_document(RegardStage *stage)
{
  return REGARD_WINDOW(stage)->document;
}

void
regard_window_stage_init(RegardStageInterface *interface)
{
  interface->get_document = get_document;
  interface->show = show;
  interface->locate = locate;
  interface->reveal = reveal;
  interface->focus = focus;
  interface->say = say;
  interface->dup_page = dup_page;
  interface->dup_directives = dup_directives;
}

void
regard_window_install_stage_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.copy-directives", NULL, copy_directives);
}

/* The ring lies over all that the window has. */
static void
add_spotlight(RegardWindow *self)
{
  AdwApplicationWindow *window = ADW_APPLICATION_WINDOW(self);
  g_autoptr(GtkWidget) content = g_object_ref(adw_application_window_get_content(window));
  GtkWidget *overlay = gtk_overlay_new();
  self->spotlight = REGARD_SPOTLIGHT(regard_spotlight_new(REGARD_STAGE(self)));
  adw_application_window_set_content(window, NULL);
  gtk_overlay_set_child(GTK_OVERLAY(overlay), content);
  gtk_overlay_add_overlay(GTK_OVERLAY(overlay), GTK_WIDGET(self->spotlight));
  adw_application_window_set_content(window, overlay);
}

void
regard_window_observe_stage(RegardWindow *self)
{
  self->stage = g_new0(struct _RegardWindowStage, 1);
  add_spotlight(self);
  regard_observe(self->document, self, update, "changed::model", "changed::loading",
                 "changed::waiting", "changed::result", "changed::foreign", "changed::text");
  regard_observe(self->selection, self, update, "notify::capture");
}

void
regard_window_forget_stage(RegardWindow *self)
{
  if (!self->stage)
    return;
  regard_spotlight_point(self->spotlight, NULL);
  drop_tasks(self);
  forget_whereabouts(&self->stage->asked_at);
  g_clear_pointer(&self->stage, g_free);
}
