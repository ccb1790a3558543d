/* test-cli-align.c — regard-cli align: links of files, in every form, against a gold file, and what
 * is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

#define DOGS  "I have two dogs.\tIch habe zwei Hunde.\n"
#define HOUSE "My brother bought an old house.\tMein Bruder hat ein altes Haus gekauft.\n"

/* ---- Links ----------------------------------------------------------------------------------- */

static void
test_files(void)
{
  g_autoptr(CliRun) piped = cli_run_ok(DOGS "\n" HOUSE, "align", "--recipe", "of=2", NULL);
  g_assert_cmpstr(piped->err, ==, "");
  g_auto(GStrv) lines = g_strsplit(piped->out, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, 4);
  g_assert_true(g_str_has_suffix(lines[0], "-3")); /* a link of the last word */
  g_assert_cmpstr(lines[1], ==, "");
  g_assert_true(g_str_has_suffix(lines[2], "-6"));

  g_autofree char *pairs = cli_scratch_file("pairs.tsv", DOGS "\n" HOUSE);
  g_autofree char *sources =
      cli_scratch_file("a.en", "I have two dogs.\n\nMy brother bought an old house.\n");
  g_autofree char *targets =
      cli_scratch_file("a.de", "Ich habe zwei Hunde.\n\nMein Bruder hat ein altes Haus gekauft.\n");
  g_autoptr(CliRun) one = cli_run(NULL, "align", "--recipe", "of=2", pairs, NULL);
  g_autoptr(CliRun) two = cli_run(NULL, "align", "--recipe", "of=2", sources, targets, NULL);
  g_assert_cmpstr(one->out, ==, piped->out);
  g_assert_cmpstr(two->out, ==, piped->out);

  /* From 1 every number is one more. */
  g_autoptr(CliRun) from_one = cli_run(DOGS, "align", "--recipe", "of=2", "--base", "1", NULL);
  int a, b, c, d;
  g_assert_cmpint(sscanf(lines[0], "%d-%d", &a, &b), ==, 2);
  g_assert_cmpint(sscanf(from_one->out, "%d-%d", &c, &d), ==, 2);
  g_assert_true(c == a + 1 && d == b + 1);
}

/* An open layer is chosen by all that came, and said; a line without a tab is translated. */
static void
test_open(void)
{
  g_autoptr(CliRun) open = cli_run_ok(DOGS HOUSE, "align", NULL);
  const char *layer = strstr(open->err, "norms, layer ");
  g_assert_nonnull(layer);
  g_assert_nonnull(strstr(open->err, "highest mean norm, chosen without gold"));
  g_assert_nonnull(strstr(open->err, "by the first 2 pairs"));
  g_autofree char *recipe = g_strdup_printf("of=%c", layer[strlen("norms, layer ")]);
  g_autoptr(CliRun) named = cli_run(DOGS HOUSE, "align", "--recipe", recipe, NULL);
  g_assert_cmpstr(named->out, ==, open->out);
  g_assert_cmpstr(named->err, ==, "");

  g_autoptr(CliRun) translated = cli_run("I have two dogs.\n", "align", "--recipe", recipe, NULL);
  g_autoptr(CliRun) given = cli_run(DOGS, "align", "--recipe", recipe, NULL);
  g_autofree char *want = g_strconcat("Ich habe zwei Hunde.\t", given->out, NULL);
  g_assert_cmpstr(translated->out, ==, want);
}

/* JSON, CSV and text say the same. */
static void
test_forms(void)
{
  g_autoptr(CliRun) text = cli_run(HOUSE, "align", "--recipe", "of=3", NULL);
  g_autoptr(CliRun) json = cli_run(HOUSE, "align", "--recipe", "of=3", "--json", NULL);
  g_autoptr(CliRun) csv = cli_run(HOUSE, "align", "--recipe", "of=3", "--csv", NULL);
  g_autoptr(json_object) object = cli_assert_json(json->out);
  json_object *links = cli_json_member(object, "links");
  g_autoptr(GString) from_json = g_string_new(NULL), from_csv = g_string_new(NULL);
  g_auto(GStrv) rows = g_strsplit(csv->out, "\n", -1);
  g_assert_cmpstr(rows[0], ==, "line,source,target,source_word,target_word,weight");
  g_assert_cmpuint(g_strv_length(rows), ==, json_object_array_length(links) + 2);
  for (size_t i = 0; i < json_object_array_length(links); i++) {
    json_object *link = json_object_array_get_idx(links, i);
    const int source = json_object_get_int(cli_json_member(link, "source")),
              target = json_object_get_int(cli_json_member(link, "target"));
    const double weight = json_object_get_double(cli_json_member(link, "weight"));
    int line, s, t;
    g_assert_true(weight > 0 && weight <= 1);
    g_string_append_printf(from_json, "%s%d-%d", i ? " " : "", source, target);
    g_assert_cmpint(sscanf(rows[i + 1], "%d,%d,%d,", &line, &s, &t), ==, 3);
    g_assert_cmpint(line, ==, 1);
    g_string_append_printf(from_csv, "%s%d-%d", i ? " " : "", s, t);
    const char *word = json_object_get_string(
        json_object_array_get_idx(cli_json_member(object, "target_words"), (size_t) target));
    g_autofree char *quoted = g_strdup_printf("\"%s\"", word);
    g_assert_nonnull(strstr(rows[i + 1], quoted));
  }
  g_string_append_c(from_json, '\n');
  g_string_append_c(from_csv, '\n');
  g_assert_cmpstr(from_json->str, ==, text->out);
  g_assert_cmpstr(from_csv->str, ==, text->out);
  /* The recipe that is printed is understood. */
  const char *recipe = json_object_to_json_string(cli_json_member(object, "recipe"));
  g_autoptr(CliRun) again = cli_run(HOUSE, "align", "--recipe", recipe, NULL);
  g_assert_cmpstr(again->out, ==, text->out);
}

/* Words of another tokenisation, and a model of the other direction: here the same model. */
static void
test_words_and_both(void)
{
  g_autofree char *pairs = cli_scratch_file("dogs.tsv", DOGS);
  g_autofree char *words =
      cli_scratch_file("dogs.words", "I have two dogs .\tIch habe zwei Hunde .\n");
  g_autofree char *model = cli_source_path("tests/data/frozen/en-de");
  g_autoptr(CliRun) divided =
      cli_run_ok(NULL, "align", "--recipe", "of=2", "--words", words, pairs, NULL);
  g_assert_nonnull(strstr(divided->out, "-4"));
  g_autoptr(CliRun) both = cli_run_ok(DOGS, "align", "--reverse-model", model, "--recipe",
                                      "of=2 symmetry=intersection", NULL);
  g_autoptr(CliRun) one = cli_run(DOGS, "align", "--recipe", "of=2", NULL);
  g_auto(GStrv) few = g_strsplit(g_strchomp(both->out), " ", -1);
  for (guint i = 0; few[i] && *few[i]; i++)
    g_assert_nonnull(strstr(one->out, few[i]));
}

/* A bad line is named, and the others are done. */
static void
test_bad_lines(void)
{
  g_autoptr(CliRun) run =
      cli_run_refused(1, "-:2: ", DOGS "\xff\tx\n" DOGS, "align", "--recipe", "of=2", NULL);
  g_auto(GStrv) lines = g_strsplit(run->out, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, 4);
  g_assert_cmpstr(lines[0], ==, lines[2]);
  g_assert_cmpstr(lines[1], ==, "");
  g_autofree char *sources = cli_scratch_file("b.en", "One.\nTwo.\n");
  g_autofree char *targets = cli_scratch_file("b.de", "Eins.\n");
  cli_refuses(1, "has fewer lines", NULL, "align", "--recipe", "of=2", sources, targets, NULL);
  cli_refuses(1, "has more lines", NULL, "align", "--recipe", "of=2", targets, sources, NULL);
  cli_refuses(1, "cannot open '/nowhere'", NULL, "align", "/nowhere", NULL);
}

/* ---- Gold ------------------------------------------------------------------------------------ */

static void
test_gold(void)
{
  g_autofree char *gold = cli_source_path("tests/data/gold/en-de.tsv");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "align", "--gold", gold, "--vary", "of,row", "--json",
                                     "--samples", "50", NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  json_object *list = cli_json_member(object, "ranking");
  g_assert_cmpint(json_object_get_int(cli_json_member(object, "sentences")), ==, 60);
  g_assert_cmpint(json_object_get_int(cli_json_member(object, "sure")), ==, 489);
  const size_t n = json_object_array_length(list);
  g_assert_cmpint(json_object_get_int(cli_json_member(object, "recipes")), ==, (int) n);
  double last = 0;
  guint n_chosen = 0;
  for (size_t i = 0; i < n; i++) {
    json_object *row = json_object_array_get_idx(list, i);
    const double aer = json_object_get_double(cli_json_member(row, "aer"));
    const double links = json_object_get_double(cli_json_member(row, "links")),
                 sure = json_object_get_double(cli_json_member(row, "links_sure")),
                 possible = json_object_get_double(cli_json_member(row, "links_possible"));
    g_assert_cmpfloat_with_epsilon(aer, 1 - (sure + possible) / (links + 489), 1e-9);
    g_assert_cmpfloat(aer, >=, last);
    g_assert_cmpfloat(json_object_get_double(cli_json_member(row, "low")), <=, aer);
    g_assert_cmpfloat(json_object_get_double(cli_json_member(row, "high")), >=, aer);
    n_chosen += json_object_get_boolean(cli_json_member(row, "layer_chosen"));
    last = aer;
  }
  g_assert_cmpuint(n_chosen, ==, 2); /* input row and output row */

  /* As CSV, and as a list with its end. */
  g_autoptr(CliRun) csv =
      cli_run(NULL, "align", "--gold", gold, "--vary", "of,row", "--csv", "--samples", "50", NULL);
  g_auto(GStrv) rows = g_strsplit(csv->out, "\n", -1);
  g_assert_cmpuint(g_strv_length(rows), ==, n + 2);
  g_assert_true(g_str_has_prefix(rows[0], "rank,aer,low,high,precision,recall,links,"));
  g_autoptr(CliRun) text = cli_run(NULL, "align", "--gold", gold, "--vary", "row", "--top", "1",
                                   "--samples", "50", NULL);
  g_assert_nonnull(strstr(text->out, "60 sentences, 489 sure and 160 further possible links"));
  g_assert_nonnull(strstr(text->out, "and 1 others"));
  g_assert_nonnull(strstr(text->out, "all: norms, "));
}

/* Its own links against itself are right; files may be apart. */
static void
test_own_links(void)
{
  g_autofree char *pairs = cli_scratch_file("c.tsv", DOGS HOUSE);
  g_autoptr(CliRun) links = cli_run(NULL, "align", "--recipe", "of=2", "--base", "1", pairs, NULL);
  g_autofree char *gold = cli_scratch_file("c.talp", links->out);
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "align", "--recipe", "of=2", "--gold", gold, "--gold-format", "talp",
                 "--gold-base", "1", "--json", pairs, NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  json_object *row = json_object_array_get_idx(cli_json_member(object, "ranking"), 0);
  g_assert_cmpfloat(json_object_get_double(cli_json_member(row, "aer")), ==, 0);
  g_assert_cmpstr(json_object_get_string(cli_json_member(object, "format")), ==, "talp");
  g_autofree char *wrong = cli_scratch_file("wrong.txt", "0-0\n1-2 3--4\n");
  cli_refuses(1, "wrong.txt, line 2: expected links such as 0-0 or 1p2", NULL, "align", "--gold",
              wrong, pairs, NULL);
  g_autofree char *beyond = cli_scratch_file("beyond.txt", "0-0\n17-2\n");
  cli_refuses(1, "beyond.txt, line 2: the link 17-2, counted from 0, of sentence 2", NULL, "align",
              "--gold", beyond, pairs, NULL);
}

static void
test_usage(void)
{
  static const struct {
    const char *arguments[6];
    const char *says;
  } cases[] = {
      {{"--recipe", "of=1.x"}, "--recipe: of: expected a layer"},
      {{"--recipe", "of=99"}, "--recipe: There is no layer 99"},
      {{"--recipe", "{\"of\": 4}"}, "--recipe: of: expected a text"},
      {{"--recipe", "symmetry=union"}, "links of both directions want --reverse-model"},
      {{"--grid"}, "want --gold"},
      {{"--vary", "of"}, "want --gold"},
      {{"--gold", "x", "--vary", "lines"}, "--vary wants some of matrix, of, row"},
      {{"--json", "--csv"}, "two answers"},
      {{"--reverse-to", "deu"}, "--reverse-to wants --reverse-model"},
      {{"--reverse-from", "en"}, "--reverse-from wants --reverse-model"},
      {{"--reverse-task", "x"}, "--reverse-task wants --reverse-model"},
      {{"a", "b", "c"}, "one FILE wanted, or two side by side, found 3"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const char *const *a = cases[i].arguments;
    cli_refuses(2, cases[i].says, "", "align", a[0], a[1], a[2], a[3], a[4], NULL);
  }
  g_autofree char *links = cli_scratch_file("links.txt", "0-0\n");
  cli_refuses(2, "links.txt has no texts: FILE is missing", NULL, "align", "--gold", links, NULL);
}

TESTS()
{
  g_test_add_func("/cli-align/files", test_files);
  g_test_add_func("/cli-align/open", test_open);
  g_test_add_func("/cli-align/forms", test_forms);
  g_test_add_func("/cli-align/words-and-both", test_words_and_both);
  g_test_add_func("/cli-align/bad-lines", test_bad_lines);
  g_test_add_func("/cli-align/gold", test_gold);
  g_test_add_func("/cli-align/own-links", test_own_links);
  g_test_add_func("/cli-align/usage", test_usage);
}
