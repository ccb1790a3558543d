/* regard-talk.c — a talk, its file, and how it is edited.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A talk is edited by its text: the lesson is written, read as one that nobody else knows, changed,
 * written and read again. So no edit leads to what could not be read from the file.
 */
#include "talk/regard-talk.h"

#include "base/regard-error.h"
#include "figures/regard-png.h"
#include <glib/gi18n.h>
#include <string.h>

#define MOST_STATES  99
#define MOST_STATE   ((gsize) 256 << 20)
#define MOST_PICTURE ((gsize) 8 << 20)
#define MOST_BYTES   ((gsize) 1 << 30)
/* Of a picture, in pixels. */
#define MOST_SIDE  4096
#define MOST_TITLE 120

static const char description[] = "talk.md";
static const char front[] = "---\nregard-lesson: 1\nid: talk\ntitle: Talk\nmodel: any\n---\n";

gboolean
regard_talk_has_ending(const char *path)
{
  g_autofree char *lower = g_ascii_strdown(path, -1);
  return g_str_has_suffix(lower, REGARD_TALK_ENDING);
}

/* ---- Life ------------------------------------------------------------------------------------ */

RegardTalk *
regard_talk_new(void)
{
  RegardTalk *talk = g_new0(RegardTalk, 1);
  talk->ref_count = 1;
  talk->files =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  return talk;
}

RegardTalk *
regard_talk_new_from_lesson(RegardLesson *lesson)
{
  RegardTalk *talk = regard_talk_new();
  talk->lesson = regard_lesson_ref(lesson);
  return talk;
}

RegardTalk *
regard_talk_ref(RegardTalk *talk)
{
  g_atomic_int_inc(&talk->ref_count);
  return talk;
}

void
regard_talk_unref(RegardTalk *talk)
{
  if (!talk || !g_atomic_int_dec_and_test(&talk->ref_count))
    return;
  regard_lesson_unref(talk->lesson);
  g_hash_table_unref(talk->files);
  g_free(talk);
}

/* ---- Slides ---------------------------------------------------------------------------------- */

guint
regard_talk_n_slides(const RegardTalk *talk)
{
  return talk->lesson ? talk->lesson->steps->len : 0;
}

const RegardLessonStep *
regard_talk_slide(const RegardTalk *talk, guint slide)
{
  return talk->lesson->steps->pdata[slide];
}

static char *
join(const GPtrArray *paragraphs)
{
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < paragraphs->len; i++)
    g_string_append_printf(out, "%s%s", i ? "\n\n" : "", (const char *) paragraphs->pdata[i]);
  return g_string_free(out, FALSE);
}

char *
regard_talk_dup_notes(const RegardLessonStep *slide)
{
  return join(slide->notes);
}

char *
regard_talk_dup_text(const RegardLessonStep *slide)
{
  return join(slide->paragraphs);
}

/* "03.png" of "03.regard". Caller frees. */
static char *
picture_of(const char *state)
{
  return g_strdup_printf("%.2s.png", state);
}

GBytes *
regard_talk_get_state(const RegardTalk *talk, guint slide)
{
  const RegardDirective *state = regard_lesson_find_state(regard_talk_slide(talk, slide));
  return state ? g_hash_table_lookup(talk->files, state->text) : NULL;
}

static RegardSession *
parse_state(GBytes *bytes, const char *name, GError **error)
{
  gsize n;
  const void *data = g_bytes_get_data(bytes, &n);
  return regard_session_parse(data, n, name, error);
}

RegardSession *
regard_talk_parse_state(const RegardTalk *talk, guint slide, GError **error)
{
  const RegardDirective *state = regard_lesson_find_state(regard_talk_slide(talk, slide));
  GBytes *bytes = state ? g_hash_table_lookup(talk->files, state->text) : NULL;
  if (bytes)
    return parse_state(bytes, state->text, error);
  g_set_error_literal(error, REGARD_ERROR, REGARD_ERROR_INPUT,
                      _("This slide has no state: it was not recorded."));
  return NULL;
}

cairo_surface_t *
regard_talk_create_picture(const RegardTalk *talk, guint slide)
{
  const RegardDirective *state = regard_lesson_find_state(regard_talk_slide(talk, slide));
  g_autofree char *name = state ? picture_of(state->text) : NULL;
  GBytes *bytes = name ? g_hash_table_lookup(talk->files, name) : NULL;
  gsize n = 0;
  const guint8 *data = bytes ? g_bytes_get_data(bytes, &n) : NULL;
  guint32 width, height;
  return regard_png_get_size(data, n, &width, &height) && width <= MOST_SIDE && height <= MOST_SIDE
             ? regard_png_read(data, n)
             : NULL;
}

/* ---- The file -------------------------------------------------------------------------------- */

typedef struct {
  mt_archive_rule rules[1 + 2 * MOST_STATES];
  char names[2 * MOST_STATES][16];
} Rules;

static void
make_rules(Rules *rules)
{
  rules->rules[0] = (mt_archive_rule){description, REGARD_LESSON_MOST_BYTES};
  for (guint i = 0; i < MOST_STATES; i++) {
    g_snprintf(rules->names[2 * i], sizeof rules->names[0], "%02u.regard", i + 1);
    g_snprintf(rules->names[2 * i + 1], sizeof rules->names[0], "%02u.png", i + 1);
    rules->rules[1 + 2 * i] = (mt_archive_rule){rules->names[2 * i], MOST_STATE};
    rules->rules[2 + 2 * i] = (mt_archive_rule){rules->names[2 * i + 1], MOST_PICTURE};
  }
}

static gboolean
take_file(RegardTalk *talk, const mt_archive *archive, const char *name)
{
  gsize n;
  const unsigned char *bytes = mt_archive_get(archive, name, &n);
  if (bytes)
    g_hash_table_replace(talk->files, g_strdup(name), g_bytes_new(bytes, n));
  return bytes != NULL;
}

/* What slides name is there, and is what it says. */
static gboolean
read_states(RegardTalk *talk, const mt_archive *archive, const char *label, GError **error)
{
  for (guint i = 0; i < regard_talk_n_slides(talk); i++) {
    const RegardLessonStep *slide = regard_talk_slide(talk, i);
    const RegardDirective *state = regard_lesson_find_state(slide);
    if (!state || g_hash_table_contains(talk->files, state->text))
      continue;
    if (!take_file(talk, archive, state->text)) {
      g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT,
                  _("%s/talk.md, line %u: expected “%s” in the file, found none."), label,
                  state->line, state->text);
      return FALSE;
    }
    g_autofree char *picture = picture_of(state->text);
    g_autofree char *name = g_strdup_printf("%s/%s", label, state->text);
    take_file(talk, archive, picture);
    g_autoptr(RegardSession) session =
        parse_state(g_hash_table_lookup(talk->files, state->text), name, error);
    if (!session)
      return FALSE;
  }
  return TRUE;
}

RegardTalk *
regard_talk_read(const char *path, GError **error)
{
  g_autofree Rules *rules = g_new(Rules, 1);
  mt_error failure = {0};
  make_rules(rules);
  mt_archive *archive = mt_archive_read(path, "a talk of Regard", rules->rules,
                                        G_N_ELEMENTS(rules->rules), MOST_BYTES, &failure);
  if (!archive) {
    regard_error_set_from_mt(error, &failure);
    return NULL;
  }
  g_autofree char *base = g_path_get_basename(path);
  g_autofree char *label = g_utf8_make_valid(base, -1);
  g_autofree char *name = g_strdup_printf("%s/%s", label, description);
  g_autoptr(RegardTalk) talk = regard_talk_new();
  gsize n;
  const unsigned char *bytes = mt_archive_get(archive, description, &n);
  talk->lesson = regard_lesson_parse(name, (const char *) bytes, n, &failure);
  if (!talk->lesson)
    regard_error_set_from_mt(error, &failure);
  const gboolean is_good = talk->lesson && read_states(talk, archive, label, error);
  mt_archive_free(archive);
  return is_good ? g_steal_pointer(&talk) : NULL;
}

gboolean
regard_talk_write(const RegardTalk *talk, const char *path, GError **error)
{
  if (!talk->lesson) {
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_INPUT,
                _("%s: cannot be written: the talk has no slide yet."), path);
    return FALSE;
  }
  g_autofree char *text = regard_lesson_write(talk->lesson);
  g_autoptr(GArray) files = g_array_new(FALSE, TRUE, sizeof(mt_archive_file));
  const mt_archive_file first = {.name = description,
                                 .data = text,
                                 .size = strlen(text),
                                 .deflate = true};
  g_array_append_val(files, first);
  for (guint i = 1; i <= MOST_STATES; i++) {
    char names[2][16];
    g_snprintf(names[0], sizeof names[0], "%02u.regard", i);
    g_snprintf(names[1], sizeof names[1], "%02u.png", i);
    for (guint k = 0; k < 2; k++) {
      gpointer name, bytes;
      if (!g_hash_table_lookup_extended(talk->files, names[k], &name, &bytes))
        continue;
      mt_archive_file file = {.name = name};
      file.data = g_bytes_get_data(bytes, &file.size);
      g_array_append_val(files, file);
    }
  }
  mt_error failure = {0};
  return mt_archive_write(path, (const mt_archive_file *) (gpointer) files->data, files->len,
                          &failure) ||
         regard_error_set_from_mt(error, &failure);
}

/* ---- Editing --------------------------------------------------------------------------------- */

/* What a person may type anywhere, as one line that a lesson takes: signs that command are spaces.
 * Caller frees. */
static char *
as_line(const char *text, gsize most)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autoptr(GString) line = g_string_new(NULL);
  for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    const gboolean commands =
        g_unichar_iscntrl(c) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    if (line->len + 6 > most)
      break;
    if (!commands)
      g_string_append_unichar(line, c);
    else if (line->len && line->str[line->len - 1] != ' ')
      g_string_append_c(line, ' ');
  }
  return g_strstrip(g_strdup(line->str));
}

static char *
as_title(const char *text)
{
  g_autofree char *title = as_line(text, MOST_TITLE);
  return *title ? g_steal_pointer(&title) : g_strdup(_("Slide"));
}

static RegardLesson *
parse(const char *text, GError **error)
{
  mt_error failure = {0};
  RegardLesson *lesson = regard_lesson_parse(description, text, strlen(text), &failure);
  if (!lesson)
    regard_error_set_from_mt(error, &failure);
  return lesson;
}

/* The lesson once more, for who changes it; NULL with an error. */
static RegardLesson *
copy_lesson(const RegardTalk *talk, GError **error)
{
  g_autofree char *text = regard_lesson_write(talk->lesson);
  return parse(text, error);
}

/* lesson: changed, and taken; NULL: there is none any more. */
static RegardTalk *
settle(const RegardTalk *talk, RegardLesson *lesson, GError **error)
{
  g_autoptr(RegardTalk) edited = regard_talk_new();
  g_autofree char *text = lesson ? regard_lesson_write(lesson) : NULL;
  regard_lesson_unref(lesson);
  if (text && !(edited->lesson = parse(text, error)))
    return NULL;
  for (guint i = 0; i < regard_talk_n_slides(edited); i++) {
    const RegardDirective *state = regard_lesson_find_state(regard_talk_slide(edited, i));
    for (guint k = 0; state && k < 2; k++) {
      g_autofree char *name = k ? picture_of(state->text) : g_strdup(state->text);
      GBytes *bytes = g_hash_table_lookup(talk->files, name);
      if (bytes)
        g_hash_table_replace(edited->files, g_strdup(name), g_bytes_ref(bytes));
    }
  }
  return g_steal_pointer(&edited);
}

/* A name that no state has; FALSE: all are taken. */
static gboolean
find_name(const RegardTalk *talk, char name[16])
{
  for (guint i = 1; i <= MOST_STATES; i++) {
    g_snprintf(name, 16, "%02u.regard", i);
    if (!g_hash_table_contains(talk->files, name))
      return TRUE;
  }
  return FALSE;
}

RegardTalk *
regard_talk_record(const RegardTalk *talk, guint at, const char *title, const char *directives,
                   GBytes *session, GBytes *picture, GError **error)
{
  char name[16];
  if (regard_talk_n_slides(talk) >= REGARD_LESSON_MOST_STEPS || !find_name(talk, name)) {
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_INPUT,
                _("A talk has at most %d slides, and this one has them."),
                REGARD_LESSON_MOST_STEPS);
    return NULL;
  }
  if (g_bytes_get_size(session) > MOST_STATE) {
    g_autofree char *most = g_format_size(MOST_STATE);
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_INPUT,
                _("A slide takes at most %s, and the attention of this text takes more. Record a "
                  "shorter text."),
                most);
    return NULL;
  }
  g_autofree char *line = as_title(title);
  g_autofree char *text = g_strdup_printf("%s\n## %s\n\n```regard\nstate %s\n%s```\n", front, line,
                                          name, directives ? directives : "");
  RegardLesson *added = parse(text, error);
  if (added && talk->lesson) {
    RegardLesson *lesson = copy_lesson(talk, error);
    if (lesson)
      g_ptr_array_insert(lesson->steps, (int) MIN(at, lesson->steps->len),
                         g_ptr_array_steal_index(added->steps, 0));
    regard_lesson_unref(added);
    added = lesson;
  }
  if (!added)
    return NULL;
  /* It is kept below its name before it is asked for. */
  g_autoptr(RegardTalk) with = regard_talk_new();
  GHashTableIter files;
  gpointer key, bytes;
  g_hash_table_iter_init(&files, talk->files);
  while (g_hash_table_iter_next(&files, &key, &bytes))
    g_hash_table_replace(with->files, g_strdup(key), g_bytes_ref(bytes));
  g_hash_table_replace(with->files, g_strdup(name), g_bytes_ref(session));
  if (picture && g_bytes_get_size(picture) <= MOST_PICTURE)
    g_hash_table_replace(with->files, picture_of(name), g_bytes_ref(picture));
  return settle(with, added, error);
}

RegardTalk *
regard_talk_move(const RegardTalk *talk, guint from, guint to, GError **error)
{
  RegardLesson *lesson = copy_lesson(talk, error);
  if (!lesson)
    return NULL;
  gpointer step = g_ptr_array_steal_index(lesson->steps, from);
  g_ptr_array_insert(lesson->steps, (int) MIN(to, lesson->steps->len), step);
  return settle(talk, lesson, error);
}

RegardTalk *
regard_talk_remove(const RegardTalk *talk, guint at, GError **error)
{
  if (regard_talk_n_slides(talk) == 1)
    return regard_talk_new();
  RegardLesson *lesson = copy_lesson(talk, error);
  if (!lesson)
    return NULL;
  g_ptr_array_remove_index(lesson->steps, at);
  return settle(talk, lesson, error);
}

/* What would be read as something else than a paragraph. */
static gboolean
begins_as_prose(const char *text, GError **error)
{
  static const char *const marks[] = {"#", ">", "```", "- [ ] "};
  for (guint i = 0; i < G_N_ELEMENTS(marks); i++)
    if (g_str_has_prefix(text, marks[i])) {
      g_set_error(error, REGARD_ERROR, REGARD_ERROR_INPUT,
                  _("A paragraph cannot begin with “%s”, which means something else in a talk."),
                  marks[i]);
      return FALSE;
    }
  return TRUE;
}

/* NULL with an error. */
static GPtrArray *
split(const char *text, gboolean is_prose, GError **error)
{
  g_autoptr(GPtrArray) paragraphs = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autoptr(GString) open = g_string_new(NULL);
  for (guint i = 0; i == 0 || lines[i - 1]; i++) {
    g_autofree char *line = lines[i] ? as_line(lines[i], REGARD_LESSON_MOST_BYTES) : g_strdup("");
    if (*line) {
      g_string_append_printf(open, "%s%s", open->len ? " " : "", line);
      continue;
    }
    if (open->len) {
      if (is_prose && !begins_as_prose(open->str, error))
        return NULL;
      g_ptr_array_add(paragraphs, g_strdup(open->str));
    }
    g_string_truncate(open, 0);
    if (!lines[i])
      break;
  }
  return g_steal_pointer(&paragraphs);
}

RegardTalk *
regard_talk_reword(const RegardTalk *talk, guint at, const char *title, const char *text,
                   const char *notes, GError **error)
{
  g_autoptr(GPtrArray) paragraphs = split(text, TRUE, error);
  g_autoptr(GPtrArray) said = paragraphs ? split(notes, FALSE, error) : NULL;
  RegardLesson *lesson = said ? copy_lesson(talk, error) : NULL;
  if (!lesson)
    return NULL;
  RegardLessonStep *step = lesson->steps->pdata[at];
  g_free(step->title);
  step->title = as_title(title);
  /* What stood before the options stays there, if nothing came or went. */
  if (paragraphs->len != step->paragraphs->len)
    step->n_before_options = paragraphs->len;
  g_ptr_array_unref(step->paragraphs);
  g_ptr_array_unref(step->notes);
  step->paragraphs = g_steal_pointer(&paragraphs);
  step->notes = g_steal_pointer(&said);
  return settle(talk, lesson, error);
}

RegardTalk *
regard_talk_rename(const RegardTalk *talk, const char *title, GError **error)
{
  RegardLesson *lesson = copy_lesson(talk, error);
  if (!lesson)
    return NULL;
  g_free(lesson->title);
  lesson->title = as_title(title);
  return settle(talk, lesson, error);
}
