/* cli-talk.c — regard-cli talk handout: a talk, or a lesson, as a PDF.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"

#include "formats/regard-export.h"
#include "talk/regard-talk-handout.h"

#include <string.h>

typedef struct {
  const char *output;
} Handout;

static const CliOption options[] = {
    {CLI_OPTION_TEXT, "output", 'o', offsetof(Handout, output), "FILE",
     "Write the handout into FILE, a PDF"},
    CLI_OPTIONS_END,
};
static const CliOption no_options[] = {CLI_OPTIONS_END};

/* NULL: why has been reported. */
static RegardTalk *
read_talk(const CliCommand *command, const char *path)
{
  g_autoptr(GError) error = NULL;
  mt_error failure = {0};
  if (!regard_talk_has_ending(path)) {
    g_autoptr(RegardLesson) lesson = regard_lesson_read(path, &failure);
    if (!lesson)
      cli_failed(command, &failure);
    return lesson ? regard_talk_new_from_lesson(lesson) : NULL;
  }
  RegardTalk *talk = regard_talk_read(path, &error);
  if (!talk)
    cli_complain(command, "%s", error->message);
  return talk;
}

static CliStatus
run_handout(const CliCommand *command, gpointer user, GPtrArray *arguments)
{
  const Handout *self = user;
  g_autoptr(GError) error = NULL;
  if (arguments->len != 1)
    return cli_usage(command, "handout wants one FILE%s", REGARD_TALK_ENDING);
  if (!self->output)
    return cli_usage(command, "handout wants -o FILE.pdf");
  g_autoptr(RegardTalk) talk = read_talk(command, arguments->pdata[0]);
  if (!talk)
    return CLI_FAILED;
  g_autoptr(GBytes) pdf = regard_talk_make_handout(talk, &error);
  if (pdf && regard_export_write_bytes(pdf, self->output, &error))
    return CLI_DONE;
  cli_complain(command, "%s", error->message);
  return CLI_FAILED;
}

#define ABOUT                                                                                   \
  .name = "talk", .summary = "Write the handout of a talk",                                     \
  .arguments = "handout FILE.regard-talk -o FILE.pdf",                                          \
  .details = "A talk is what the window records: slides, each a session with a picture of\n"    \
             "it, a text and notes. Its handout is a PDF, a page a slide, with all of these.\n" \
             "A lesson, FILE.lesson.md, is a talk, too, without pictures.\n"

static const CliCommand handout = {
    ABOUT, .second = "handout", .options = options, .size = sizeof(Handout), .run = run_handout,
};
static const CliCommand *const seconds[] = {&handout, NULL};

static CliStatus
run(const CliCommand *command, gpointer user, GPtrArray *arguments)
{
  return cli_usage(command, "expected handout, found %s%s%s", arguments->len ? "'" : "",
                   arguments->len ? (const char *) arguments->pdata[0] : "nothing",
                   arguments->len ? "'" : "");
}

const CliCommand cli_talk = {
    ABOUT, .options = no_options, .size = 1, .run = run, .seconds = seconds,
};
