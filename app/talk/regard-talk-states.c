/* regard-talk-states.c — the states of a talk that is given.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "talk/regard-talk-states.h"

#include "base/regard-signals.h"
#include "runner/regard-work.h"

/* As many are kept as lie around the slide that is shown. */
#define MOST_READY 3

/* Where a model is that was looked for and not found; "" is the bundled one. */
#define NOWHERE "\n"

typedef struct {
  guint slide;
  RegardSessionOpening opening;
} Ready;

struct _RegardTalkStates {
  GObject parent_instance;
  RegardTalk *talk;
  RegardDocument *document;
  char **recent;
  GPtrArray *ready;  /* of Ready *, the newest last */
  GHashTable *known; /* models by their files, to where they are, or NOWHERE */
  RegardWork *reading;
  int wanted;    /* slide whose state is to be shown when it is ready; -1: none */
  int preparing; /* slide that is to be made ready next; -1: none */
};

G_DEFINE_FINAL_TYPE(RegardTalkStates, regard_talk_states, G_TYPE_OBJECT)

static void
ready_free(gpointer data)
{
  Ready *ready = data;
  regard_session_opening_clear(&ready->opening);
  g_free(ready);
}

static const Ready *
find(RegardTalkStates *self, guint slide)
{
  for (guint i = 0; i < self->ready->len; i++)
    if (((const Ready *) self->ready->pdata[i])->slide == slide)
      return self->ready->pdata[i];
  return NULL;
}

/* ---- In a task ------------------------------------------------------------------------------- */

typedef struct {
  RegardTalk *talk;
  guint slide;
  char **recent, **first;
  GHashTable *known; /* a copy */
} Reading;

static void
reading_clear(gpointer data)
{
  Reading *reading = data;
  regard_talk_unref(reading->talk);
  g_strfreev(reading->recent);
  g_strfreev(reading->first);
  g_hash_table_unref(reading->known);
}

/* All sums of its files. Caller frees; NULL: it names none. */
static char *
dup_key(const RegardModelIdentity *model)
{
  if (!model || model->files->len == 0)
    return NULL;
  GString *key = g_string_new(NULL);
  for (guint i = 0; i < model->files->len; i++)
    g_string_append(key, g_array_index(model->files, RegardModelFile, i).sha256);
  return g_string_free(key, FALSE);
}

/* Files of a model are read once in a talk, however many slides are of it. */
static gboolean
find_known(const Reading *reading, RegardSessionOpening *opening)
{
  const RegardModelIdentity *models[] = {opening->session->model, opening->session->other_model};
  const char *found[REGARD_SESSION_N_MODELS] = {NULL};
  for (guint i = 0; i < REGARD_SESSION_N_MODELS; i++) {
    g_autofree char *key = dup_key(models[i]);
    if (key && !(found[i] = g_hash_table_lookup(reading->known, key)))
      return FALSE;
  }
  for (guint i = 0; i < REGARD_SESSION_N_MODELS; i++)
    opening->found[i] = g_strcmp0(found[i], NOWHERE) == 0 ? NULL : g_strdup(found[i]);
  return TRUE;
}

static gpointer
read_state(RegardRun *run, mt_error *failure)
{
  Reading *reading = regard_run_get_params(run);
  GError *error = NULL;
  Ready *ready = g_new0(Ready, 1);
  ready->slide = reading->slide;
  ready->opening.session = regard_talk_parse_state(reading->talk, reading->slide, &error);
  if (!ready->opening.session) {
    regard_run_take_error(run, error);
    g_free(ready);
    return NULL;
  }
  ready->opening.path = g_strdup("");
  ready->opening.recent = g_strdupv(reading->recent);
  ready->opening.first = g_strdupv(reading->first);
  if (!find_known(reading, &ready->opening))
    regard_session_opening_find(&ready->opening);
  return ready;
}

static const RegardTask read_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(Reading),
    .compute = read_state,
    .clear_params = reading_clear,
    .free_result = ready_free,
};

/* ---- What is ready --------------------------------------------------------------------------- */

static void start(RegardTalkStates *self, guint slide);

static void
note_models(RegardTalkStates *self, const RegardSessionOpening *opening)
{
  const RegardModelIdentity *models[] = {opening->session->model, opening->session->other_model};
  for (guint i = 0; i < REGARD_SESSION_N_MODELS; i++) {
    char *key = dup_key(models[i]);
    if (key)
      g_hash_table_replace(self->known, key,
                           g_strdup(opening->found[i] ? opening->found[i] : NOWHERE));
  }
}

static void
show(RegardTalkStates *self, const Ready *ready)
{
  g_autoptr(GError) error = NULL;
  self->wanted = -1;
  if (!regard_document_show_session(self->document, &ready->opening, &error))
    g_signal_emit_by_name(self, "failed", error);
}

/* Its translation is made, too, while nobody waits for anything else. */
static void
translate_ahead(RegardTalkStates *self, const Ready *ready)
{
  if (ready->opening.found[REGARD_SESSION_MODEL])
    regard_document_prepare(self->document, ready->opening.session->state,
                            ready->opening.found[REGARD_SESSION_MODEL]);
}

static void
on_read(gpointer owner, RegardRun *run)
{
  RegardTalkStates *self = owner;
  const Reading *reading = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  Ready *ready = regard_run_finish(run, &error);
  if (ready) {
    g_ptr_array_add(self->ready, ready);
    if (self->ready->len > MOST_READY)
      g_ptr_array_remove_index(self->ready, 0);
    note_models(self, &ready->opening);
  }
  if (self->wanted == (int) reading->slide) {
    self->wanted = -1;
    if (ready)
      show(self, ready);
    else
      g_signal_emit_by_name(self, "failed", error);
  } else if (ready && self->preparing == (int) ready->slide)
    translate_ahead(self, ready);
  if (self->preparing == (int) reading->slide)
    self->preparing = -1;
  const int next = self->wanted >= 0 ? self->wanted : self->preparing;
  if (next >= 0 && !regard_work_is_busy(self->reading))
    start(self, (guint) next);
}

static void
start(RegardTalkStates *self, guint slide)
{
  Reading reading = {
      .talk = regard_talk_ref(self->talk),
      .slide = slide,
      .recent = g_strdupv(self->recent),
      .first = regard_document_list_models(self->document),
      .known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
  };
  GHashTableIter known;
  gpointer key, path;
  g_hash_table_iter_init(&known, self->known);
  while (g_hash_table_iter_next(&known, &key, &path))
    g_hash_table_replace(reading.known, g_strdup(key), g_strdup(path));
  regard_work_run(self->reading, &read_task, NULL, &reading, on_read);
}

void
regard_talk_states_show(RegardTalkStates *self, guint slide)
{
  const Ready *ready = find(self, slide);
  if (ready) {
    show(self, ready);
    return;
  }
  self->wanted = (int) slide;
  if (self->preparing != (int) slide || !regard_work_is_busy(self->reading))
    start(self, slide);
}

void
regard_talk_states_prepare(RegardTalkStates *self, guint slide)
{
  const Ready *ready = find(self, slide);
  if (ready) {
    translate_ahead(self, ready);
    return;
  }
  if (!regard_talk_get_state(self->talk, slide))
    return;
  self->preparing = (int) slide;
  if (!regard_work_is_busy(self->reading))
    start(self, slide);
}

void
regard_talk_states_stop(RegardTalkStates *self)
{
  self->wanted = self->preparing = -1;
  regard_work_drop(self->reading);
}

/* ---- The object ------------------------------------------------------------------------------ */

static void
regard_talk_states_finalize(GObject *object)
{
  RegardTalkStates *self = REGARD_TALK_STATES(object);
  g_object_unref(self->reading);
  g_ptr_array_unref(self->ready);
  g_hash_table_unref(self->known);
  g_strfreev(self->recent);
  g_object_unref(self->document);
  regard_talk_unref(self->talk);
  G_OBJECT_CLASS(regard_talk_states_parent_class)->finalize(object);
}

static void
regard_talk_states_class_init(RegardTalkStatesClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_talk_states_finalize;
  regard_add_signal(klass, "failed", 1, G_TYPE_ERROR);
}

static void
regard_talk_states_init(RegardTalkStates *self)
{
  self->ready = g_ptr_array_new_with_free_func(ready_free);
  self->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  self->reading = regard_work_new(self);
  self->wanted = self->preparing = -1;
}

RegardTalkStates *
regard_talk_states_new(RegardTalk *talk, RegardDocument *document, const char *const *recent)
{
  RegardTalkStates *self = g_object_new(REGARD_TYPE_TALK_STATES, NULL);
  self->talk = regard_talk_ref(talk);
  self->document = g_object_ref(document);
  self->recent = g_strdupv((char **) recent);
  return self;
}
