/* regard-progress.c — how far this person is in the lessons: lessons.json in the user's data
 * folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-progress.h"

#include "base/regard-error.h"
#include "base/regard-json.h"
#include "formats/regard-export.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define FORMAT    "regard-lessons"
#define VERSION   1
#define MOST_KEPT 1000 /* names for files that are kept aside */
/* For the lock, five seconds. */
#define WAIT       10000 /* microseconds */
#define MOST_WAITS 500

/* ---- Notes ----------------------------------------------------------------------------------- */

typedef enum {
  NOTE_RECORD, /* the whole record is this one */
  NOTE_STEP,   /* its step, title and values are those of this one */
  NOTE_ANSWER, /* its one answer is one */
  NOTE_DONE,
  NOTE_FORGET,
} NoteType;

typedef struct {
  NoteType type;
  RegardLessonRecord *record;
} Note;

static void
note_free(gpointer data)
{
  Note *note = data;
  regard_lesson_record_free(note->record);
  g_free(note);
}

static gpointer
note_copy(gconstpointer data, gpointer user)
{
  const Note *note = data;
  Note *copy = g_new0(Note, 1);
  copy->type = note->type;
  copy->record = regard_lesson_record_copy(note->record);
  return copy;
}

static GPtrArray *
records_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify) regard_lesson_record_free);
}

static RegardLessonRecord *
find(const GPtrArray *records, const char *id, guint *at)
{
  for (guint i = 0; i < records->len; i++) {
    RegardLessonRecord *record = records->pdata[i];
    if (strcmp(record->id, id) == 0) {
      *at = i;
      return record;
    }
  }
  return NULL;
}

/* The record of a note, at the end of the list, since it is the last that was touched. */
static RegardLessonRecord *
touch(GPtrArray *records, const RegardLessonRecord *noted)
{
  guint at;
  RegardLessonRecord *record = find(records, noted->id, &at);
  if (record) {
    g_ptr_array_steal_index(records, at);
  } else {
    record = regard_lesson_record_copy(noted);
    g_ptr_array_set_size(record->answers, 0);
    g_ptr_array_set_size(record->values, 0);
  }
  g_free(record->hash);
  record->hash = g_strdup(noted->hash);
  g_ptr_array_add(records, record);
  return record;
}

static void
set_step(RegardLessonRecord *record, const RegardLessonRecord *noted)
{
  g_autoptr(RegardLessonRecord) copy = regard_lesson_record_copy(noted);
  record->step = copy->step;
  g_free(record->title);
  record->title = g_steal_pointer(&copy->title);
  g_ptr_array_unref(record->values);
  record->values = copy->values;
  copy->values = g_ptr_array_new();
}

static void
make_note(GPtrArray *records, const Note *note)
{
  const RegardLessonRecord *noted = note->record;
  RegardLessonRecord *record;
  guint at;
  switch (note->type) {
  case NOTE_RECORD:
    if (find(records, noted->id, &at))
      g_ptr_array_remove_index(records, at);
    g_ptr_array_add(records, regard_lesson_record_copy(noted));
    break;
  case NOTE_STEP:
    set_step(touch(records, noted), noted);
    break;
  case NOTE_ANSWER:
    record = touch(records, noted);
    regard_lesson_record_take(record, regard_answer_copy(noted->answers->pdata[0]));
    break;
  case NOTE_DONE:
    touch(records, noted)->is_done = TRUE;
    break;
  case NOTE_FORGET:
    if (find(records, noted->id, &at))
      g_ptr_array_remove_index(records, at);
    break;
  }
}

/* ---- The file -------------------------------------------------------------------------------- */

/* What a thread is given, and what it made of it. */
typedef struct {
  char *path;
  GPtrArray *notes; /* of Note *; empty: the file is only read */
  char *message;    /* out: NULL, or that something was kept aside */
} Work;

static void
work_clear(gpointer data)
{
  Work *work = data;
  g_free(work->path);
  g_free(work->message);
  g_ptr_array_unref(work->notes);
}

/* Held while a file is read, changed and written, by one process and one thread of it. -1, or not
 * held: the file system knows no locks, or somebody keeps it for longer than a disk takes; then the
 * last one wins. */
static int
lock(const char *path)
{
  g_autofree char *name = g_strconcat(path, ".lock", NULL);
  const int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  for (guint i = 0; fd >= 0 && i < MOST_WAITS && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      break;
    g_usleep(WAIT);
  }
  return fd;
}

static void
unlock(int fd)
{
  if (fd >= 0)
    close(fd);
}

/* Renames a file to a name that is free: lessons-1.json. Caller frees the name; NULL: *error. */
static char *
set_aside(const char *path, GError **error)
{
  g_autofree char *base = g_strndup(path, strlen(path) - strlen(".json"));
  for (guint i = 1; i < MOST_KEPT; i++) {
    g_autofree char *kept = g_strdup_printf("%s-%u.json", base, i);
    /* A link and not a renaming, which would put it in the place of another. */
    if (link(path, kept) == 0)
      return unlink(path) == 0 ? g_path_get_basename(kept) : NULL;
    if (errno == EEXIST)
      continue;
    /* Where there are no links. */
    if (!g_file_test(kept, G_FILE_TEST_EXISTS) && g_rename(path, kept) == 0)
      return g_path_get_basename(kept);
    break;
  }
  g_set_error(error, REGARD_ERROR, REGARD_ERROR_IO, _("%s: cannot be renamed: %s."), path,
              g_strerror(errno));
  return NULL;
}

/* NULL: it is not understood, *is_newer or not. */
static GPtrArray *
parse(const mt_bytes *bytes, gboolean *is_newer, GError **error)
{
  json_object *lessons = NULL;
  json_object *root =
      regard_answers_parse_object("lessons.json", FORMAT, (const char *) bytes->data, bytes->size,
                                  is_newer, error);
  if (!root)
    return NULL;
  json_object_object_get_ex(root, "lessons", &lessons);
  GPtrArray *records = regard_lesson_records_read(lessons, error);
  json_object_put(root);
  return records;
}

/* What the file holds. One that is not understood is kept aside. NULL: *error; nothing changed. */
static GPtrArray *
read_file(Work *work, GError **error)
{
  mt_bytes bytes = {0};
  mt_error failure = {0};
  g_autoptr(GError) problem = NULL;
  gboolean is_newer = FALSE;
  if (!g_file_test(work->path, G_FILE_TEST_EXISTS))
    return records_new();
  const gboolean is_read =
      mt_file_read_whole(work->path, REGARD_ANSWERS_MOST_BYTES, false, &bytes, &failure);
  if (!is_read && failure.code != MT_ERROR_FORMAT) {
    regard_error_set_from_mt(error, &failure);
    return NULL;
  }
  GPtrArray *records = is_read ? parse(&bytes, &is_newer, &problem) : NULL;
  mt_bytes_clear(&bytes);
  if (records)
    return records;
  g_autofree char *kept = set_aside(work->path, error);
  if (!kept)
    return NULL;
  g_free(work->message);
  work->message = g_strdup_printf(
      is_newer
          ? _("Your progress in the lessons was written by a later Regard. That file is kept as "
              "“%s”, and a new one was begun.")
          : _("Your progress in the lessons cannot be read. The file is kept as “%s”, and a new "
              "one was begun."),
      kept);
  return records_new();
}

static char *
write_text(const GPtrArray *records)
{
  json_object *root = regard_json_object({"format", json_object_new_string(FORMAT)},
                                         {"version", json_object_new_int(VERSION)},
                                         {"lessons", regard_lesson_records_write(records)});
  char *text = g_strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                                 JSON_C_TO_STRING_SPACED |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(root);
  return text;
}

/* Within the limits: lessons that were not touched for longest go. Caller frees the text. */
static char *
write_within(GPtrArray *records, guint *n_dropped)
{
  char *text;
  *n_dropped = 0;
  while (records->len > REGARD_ANSWERS_MOST_LESSONS) {
    g_ptr_array_remove_index(records, 0);
    (*n_dropped)++;
  }
  while (strlen(text = write_text(records)) > REGARD_ANSWERS_MOST_BYTES && records->len > 1) {
    g_free(text);
    g_ptr_array_remove_index(records, 0);
    (*n_dropped)++;
  }
  return text;
}

static gboolean
write_file(Work *work, GPtrArray *records, GError **error)
{
  guint n_dropped;
  char *text = write_within(records, &n_dropped);
  g_autoptr(GBytes) bytes = g_bytes_new_take(text, strlen(text));
  if (!regard_export_write_bytes(bytes, work->path, error))
    return FALSE;
  if (n_dropped > 0 && !work->message)
    work->message = g_strdup_printf(
        ngettext(
            "There is room for 500 lessons, or a megabyte: what was kept of %u lesson, the one "
            "not opened for longest, is gone.",
            "There is room for 500 lessons, or a megabyte: what was kept of %u lessons, those "
            "not opened for longest, is gone.",
            n_dropped),
        n_dropped);
  return TRUE;
}

/* All that a thread does. What is in the file then, or NULL with an error. */
static GPtrArray *
do_work(Work *work, GError **error)
{
  g_autofree char *folder = g_path_get_dirname(work->path);
  if (work->notes->len > 0 && g_mkdir_with_parents(folder, 0700) != 0) {
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_IO, _("%s: cannot be made: %s."), folder,
                g_strerror(errno));
    return NULL;
  }
  /* Nobody locks a file that is not there. */
  const int fd = g_file_test(folder, G_FILE_TEST_IS_DIR) ? lock(work->path) : -1;
  g_autoptr(GPtrArray) records = read_file(work, error);
  gboolean ok = records != NULL;
  for (guint i = 0; ok && i < work->notes->len; i++)
    make_note(records, work->notes->pdata[i]);
  if (ok && work->notes->len > 0)
    ok = write_file(work, records, error);
  unlock(fd);
  return ok ? g_steal_pointer(&records) : NULL;
}

static gpointer
compute(RegardRun *run, mt_error *error)
{
  GError *failure = NULL;
  GPtrArray *records = do_work(regard_run_get_params(run), &failure);
  if (!records)
    regard_run_take_error(run, failure);
  return records;
}

static void
free_records(gpointer records)
{
  g_ptr_array_unref(records);
}

static const RegardTask working = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(Work),
    .compute = compute,
    .clear_params = work_clear,
    .free_result = free_records,
};

/* ---- The object ------------------------------------------------------------------------------ */

struct _RegardProgress {
  GObject parent_instance;
  char *path;
  gboolean is_loaded;
  GPtrArray *records;
  GPtrArray *notes;   /* that no thread has been given yet */
  GPtrArray *pending; /* that the run writes; NULL: none runs */
  RegardRun *run;     /* NULL: none */
  char *message;
};

G_DEFINE_FINAL_TYPE(RegardProgress, regard_progress, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void start(RegardProgress *self);

static GPtrArray *
notes_new(void)
{
  return g_ptr_array_new_with_free_func(note_free);
}

static GPtrArray *
notes_copy(const GPtrArray *notes)
{
  GPtrArray *copy = g_ptr_array_copy((GPtrArray *) notes, (GCopyFunc) note_copy, NULL);
  g_ptr_array_set_free_func(copy, note_free);
  return copy;
}

static void
set_message(RegardProgress *self, const char *message)
{
  g_free(self->message);
  self->message = g_strdup(message);
}

/* What is in the file, and what was noted meanwhile. */
static void
take_records(RegardProgress *self, GPtrArray *records)
{
  g_ptr_array_unref(self->records);
  self->records = records;
  for (guint i = 0; i < self->notes->len; i++)
    make_note(self->records, self->notes->pdata[i]);
}

/* What could not be written is tried once more with what is noted next. */
static void
put_back(RegardProgress *self, GPtrArray *notes)
{
  for (guint i = 0; i < self->notes->len; i++)
    g_ptr_array_add(notes, note_copy(self->notes->pdata[i], NULL));
  g_ptr_array_unref(self->notes);
  self->notes = notes;
}

static void
on_done(gpointer data, RegardRun *run)
{
  RegardProgress *self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) pending = g_steal_pointer(&self->pending);
  const Work *work = regard_run_get_params(run);
  GPtrArray *records = regard_run_finish(run, &error);
  const gboolean has_more = self->notes->len > 0;
  self->run = NULL;
  self->is_loaded = TRUE;
  if (records) {
    take_records(self, records);
    if (work->message)
      set_message(self, work->message);
    if (has_more)
      start(self);
  } else {
    put_back(self, g_steal_pointer(&pending));
    set_message(self, error->message);
  }
  g_signal_emit(self, signals[CHANGED], 0);
}

/* Reads the file, and writes what was noted; if that happens already, later. */
static void
start(RegardProgress *self)
{
  if (self->run)
    return;
  self->pending = g_steal_pointer(&self->notes);
  self->notes = notes_new();
  const Work work = {.path = g_strdup(self->path), .notes = notes_copy(self->pending)};
  self->run = regard_runner_start(&working, NULL, &work, on_done, self);
}

static void
take_note(RegardProgress *self, NoteType type, RegardLessonRecord *record)
{
  Note *note = g_new0(Note, 1);
  note->type = type;
  note->record = record;
  g_ptr_array_add(self->notes, note);
  make_note(self->records, note);
  start(self);
}

/* Nothing that was noted is lost. */
static void
regard_progress_finalize(GObject *object)
{
  RegardProgress *self = REGARD_PROGRESS(object);
  regard_progress_flush(self, NULL);
  g_ptr_array_unref(self->notes);
  g_ptr_array_unref(self->records);
  g_free(self->path);
  g_free(self->message);
  G_OBJECT_CLASS(regard_progress_parent_class)->finalize(object);
}

static void
regard_progress_class_init(RegardProgressClass *class)
{
  G_OBJECT_CLASS(class)->finalize = regard_progress_finalize;
  signals[CHANGED] = g_signal_new("changed", REGARD_TYPE_PROGRESS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
}

static void
regard_progress_init(RegardProgress *self)
{
  self->records = records_new();
  self->notes = notes_new();
}

RegardProgress *
regard_progress_new(const char *path)
{
  RegardProgress *self = g_object_new(REGARD_TYPE_PROGRESS, NULL);
  self->path = g_strdup(path);
  start(self);
  return self;
}

RegardProgress *
regard_progress_get_default(void)
{
  static RegardProgress *progress;
  if (!progress) {
    g_autofree char *path = g_build_filename(g_get_user_data_dir(), "regard", "lessons.json", NULL);
    progress = regard_progress_new(path);
  }
  return progress;
}

/* ---- What is known --------------------------------------------------------------------------- */

gboolean
regard_progress_is_loaded(RegardProgress *self)
{
  return self->is_loaded;
}

const char *
regard_progress_get_message(RegardProgress *self)
{
  return self->message;
}

void
regard_progress_clear_message(RegardProgress *self)
{
  g_clear_pointer(&self->message, g_free);
}

const RegardLessonRecord *
regard_progress_get(RegardProgress *self, const char *id)
{
  guint at;
  return find(self->records, id, &at);
}

const GPtrArray *
regard_progress_get_all(RegardProgress *self)
{
  return self->records;
}

gboolean
regard_progress_is_done(RegardProgress *self, const char *id)
{
  const RegardLessonRecord *record = regard_progress_get(self, id);
  return record && record->is_done;
}

/* ---- Noting ---------------------------------------------------------------------------------- */

char *
regard_progress_begin(RegardProgress *self, const RegardLesson *lesson)
{
  const RegardLessonRecord *before = regard_progress_get(self, lesson->id);
  g_autofree char *hash = regard_lesson_hash(lesson);
  if (!before || strcmp(before->hash, hash) == 0)
    return NULL;
  RegardLessonRecord *record = regard_lesson_record_copy(before);
  const guint n = regard_lesson_record_fit(record, lesson);
  take_note(self, NOTE_RECORD, record);
  return n == 0
             ? NULL
             : g_strdup_printf(ngettext("This lesson was changed since you began it: %u of your "
                                        "answers is to a question that it does not ask any more.",
                                        "This lesson was changed since you began it: %u of your "
                                        "answers are to questions that it does not ask any more.",
                                        n),
                               n);
}

void
regard_progress_note_step(RegardProgress *self, const RegardLesson *lesson, guint step,
                          const RegardValue *values, guint n)
{
  RegardLessonRecord *record = regard_lesson_record_new(lesson);
  record->step = step;
  g_free(record->title);
  record->title = g_strdup(((const RegardLessonStep *) lesson->steps->pdata[step])->title);
  regard_lesson_record_set_values(record, lesson, values, n);
  take_note(self, NOTE_STEP, record);
}

void
regard_progress_note_answer(RegardProgress *self, const RegardLesson *lesson, RegardAnswer *answer)
{
  RegardLessonRecord *record = regard_lesson_record_new(lesson);
  regard_lesson_record_take(record, answer);
  take_note(self, NOTE_ANSWER, record);
}

void
regard_progress_note_done(RegardProgress *self, const RegardLesson *lesson)
{
  take_note(self, NOTE_DONE, regard_lesson_record_new(lesson));
}

void
regard_progress_forget(RegardProgress *self, const char *id)
{
  const RegardLessonRecord *record = regard_progress_get(self, id);
  if (record)
    take_note(self, NOTE_FORGET, regard_lesson_record_copy(record));
}

gboolean
regard_progress_flush(RegardProgress *self, GError **error)
{
  if (self->run)
    regard_run_drop(self->run);
  self->run = NULL;
  /* What the run was about to write is written here, if it has been or not: the same note twice is
   * the same. */
  if (self->pending)
    put_back(self, g_steal_pointer(&self->pending));
  if (self->notes->len == 0)
    return TRUE;
  Work work = {.path = g_strdup(self->path), .notes = notes_copy(self->notes)};
  GPtrArray *records = do_work(&work, error);
  if (records) {
    g_ptr_array_set_size(self->notes, 0);
    take_records(self, records);
    self->is_loaded = TRUE;
    if (work.message)
      set_message(self, work.message);
  }
  work_clear(&work);
  return records != NULL;
}
