/* test-score.c — regard-train score as a user meets it; test-scores.c has the numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <string.h>

static char *
write_text(const char *name, const char *text)
{
  char *path = cli_scratch_path(name);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  return path;
}

static json_object *
member(json_object *object, const char *key)
{
  json_object *value;
  if (!json_object_object_get_ex(object, key, &value))
    g_error("there is no %s", key);
  return value;
}

static int64_t
get(json_object *object, const char *key)
{
  return json_object_get_int64(member(object, key));
}

static void
test_score(void)
{
  g_autofree char *h =
      write_text("h.txt", "Ich habe zwei Hunde .\nDer Hund schläft heute nicht.\n");
  g_autofree char *r = write_text("r.txt", "Ich habe zwei Hunde.\nDer Hund schläft heute nicht.\n");
  g_autofree char *one = write_text("one.txt", "Ich\n");
  g_autoptr(CliRun) a = cli_run_ok(NULL, "score", h, r, NULL);
  g_assert_nonnull(strstr(a->out, "BLEU   100.00  nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|"));
  g_assert_nonnull(strstr(a->out, "chrF2  100.00  nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|"));
  g_assert_nonnull(strstr(a->out, "2 sentences"));
  g_autoptr(CliRun) b =
      cli_run_ok("Ich habe Hunde.\nDer Hund schläft nicht.\n", "score", "--json", "-", r, NULL);
  g_autoptr(json_object) answer = cli_assert_json(b->out);
  g_assert_cmpint(get(answer, "sentences"), ==, 2);
  g_assert_cmpint(get(answer, "tokens"), ==, 9);
  g_assert_cmpint(get(answer, "reference_tokens"), ==, 11);
  double bleu = json_object_get_double(member(answer, "bleu"));
  g_assert_true(bleu > 0 && bleu < 100);
  g_autoptr(CliRun) c = cli_run(NULL, "score", h, one, NULL);
  cli_assert_status(c, 1);
  g_assert_nonnull(strstr(c->err, "expected as many lines as in"));
  g_autoptr(CliRun) d = cli_run(NULL, "score", h, NULL);
  cli_assert_status(d, 2);
  g_autoptr(CliRun) e = cli_run(NULL, "score", h, "/nowhere", NULL);
  cli_assert_status(e, 1);
}

TESTS()
{
  g_test_add_func("/score", test_score);
}
