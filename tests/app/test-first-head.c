/* test-first-head.c — which head of a model is looked at first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "models/regard-first-head.h"
#include "suite.h"

#define WEIGHTS        "\"matrix\": \"weights\", \"row\": \"output\""
#define LINE(of, aer)  "{\"recipe\": {\"of\": \"" of "\", " WEIGHTS "}, \"aer\": " aer "}"
#define FILE_OF(lines) "{\"model\": \"en-de\", \"ranking\": [" lines "]}"

static mt_model *model;
static char *folder, *path;

static void
start(void)
{
  model = app_test_open(app_test_model_dir());
  folder = app_test_folder();
  path = g_build_filename(folder, REGARD_ALIGNMENT_FILE, NULL);
}

static void
end(void)
{
  app_test_remove(folder);
  g_clear_pointer(&folder, g_free);
  g_clear_pointer(&path, g_free);
  g_clear_pointer(&model, mt_model_unref);
}

static gboolean
read_text(const char *text, RegardFirstHead *first, mt_error *error)
{
  *error = (mt_error){0};
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  return regard_first_head_read(first, path, model, error);
}

/* The least error of those that are one head, read as the pictures are labelled, in any order. */
static void
test_least(void)
{
  start();
  mt_error error;
  RegardFirstHead first = {99, 99};
  g_assert_true(read_text(
      FILE_OF(LINE("5", "0.1") ", " LINE("2.6", "0.4") ", " LINE(
          "5.5", "0.2") ", "
                        "{\"recipe\": {\"of\": \"1.1\", \"matrix\": \"weights\", \"row\": "
                        "\"input\"}, \"aer\": 0}, "
                        "{\"recipe\": {\"of\": \"1.2\", \"row\": \"output\"}, \"aer\": 0}, " LINE(
                            "3.1+4.1", "0") ", " LINE("6.8", "0.21")),
      &first, &error));
  g_assert_cmpuint(first.layer, ==, 4);
  g_assert_cmpuint(first.head, ==, 4);
  end();
}

/* The file is named, and what was found; the head that was there stays. */
static void
test_wrong_files(void)
{
  start();
  static const struct {
    const char *text, *said;
  } files[] = {
      {"", "alignment.json"},
      {"[]", "expected a JSON object"},
      {"{}", "model"},
      {"{\"model\": \"fr-en\", \"ranking\": []}", "of “fr-en”, not of “en-de”"},
      {"{\"model\": \"en-de\"}", "“ranking”: expected a list"},
      {FILE_OF(""), "expected a head"},
      {FILE_OF("3"), "expected objects"},
      {FILE_OF("{\"aer\": 0.5}"), "recipe"},
      {FILE_OF("{\"recipe\": {\"of\": \"5.5\", " WEIGHTS "}}"), "aer"},
      {FILE_OF(LINE("5.5", "1.5")), "aer"},
      {FILE_OF(LINE("five", "0.5")), "five"},
      {FILE_OF(LINE("7.1", "0.5")), "head 7.1, which this model does not have"},
      {FILE_OF(LINE("1.9", "0.5")), "head 1.9, which this model does not have"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    RegardFirstHead first = {77, 78};
    mt_error error;
    g_assert_false(read_text(files[i].text, &first, &error));
    if (!strstr(error.message, files[i].said) || !strstr(error.message, "alignment.json"))
      g_error("of %s was said: %s", files[i].text, error.message);
    g_assert_true(first.layer == 77 && first.head == 78);
  }
  end();
}

/* No file; the bundled model has one, and its head is the one that the card names. */
static void
test_found(void)
{
  start();
  mt_error error = {0};
  RegardFirstHead first = regard_first_head_usual(model);
  g_assert_true(first.layer == 3 && first.head == 0);
  g_assert_false(regard_first_head_read(&first, "/nowhere/alignment.json", model, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  error = (mt_error){0};
  regard_first_head_read(&first, REGARD_SOURCE_ROOT "/models/en-de/" REGARD_ALIGNMENT_FILE, model,
                         &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_true(first.layer == 4 && first.head == 4);
  end();
}

TESTS()
{
  g_test_add_func("/first-head/least", test_least);
  g_test_add_func("/first-head/wrong-files", test_wrong_files);
  g_test_add_func("/first-head/found", test_found);
}
