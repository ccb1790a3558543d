/* mt-wrong-file.c — files that are not what their name says: half a download, another format.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-wrong-file.h"

#include "base/mt-error.h"

#include <stdint.h>
#include <string.h>

static bool
starts(const unsigned char *bytes, size_t size, const char *with)
{
  size_t n = strlen(with);
  return size >= n && memcmp(bytes, with, n) == 0;
}

/* What `git clone` leaves without Git LFS: a few lines of text that name the real file. */
static bool
is_lfs_pointer(const unsigned char *bytes, size_t size)
{
  return starts(bytes, size, "version https://git-lfs.github.com/");
}

/* What a download leaves that was answered by a page: "not found", "log in". */
static bool
is_web_page(const unsigned char *bytes, size_t size)
{
  size_t i = 0;
  while (i < size && strchr(" \t\r\n", bytes[i]) && bytes[i])
    i++;
  return i + 1 < size && bytes[i] == '<' && (bytes[i + 1] == '!' || (bytes[i + 1] | 0x20) == 'h');
}

/* The length of a JSON header, and its first brace. */
static bool
is_safetensors(const unsigned char *bytes, size_t size)
{
  uint64_t length = 0;
  for (size_t i = 0; i < 8 && i < size; i++)
    length |= (uint64_t) bytes[i] << (8 * i);
  return size > 8 && length <= size - 8 && bytes[8] == '{';
}

/* The files of torch.save before version 1.6 are pickles in a row; the first is the number
 * 0x1950a86a20f9469cfc6c, whatever the protocol. Before 0.1.10 they were tar archives. */
static bool
is_old_torch(const unsigned char *bytes, size_t size)
{
  static const char magic[] = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  static const char magic_text[] = "L119547037146038801333356L";
  const size_t head = size < 64 ? size : 64;
  return memmem(bytes, head, magic, sizeof magic - 1) ||
         memmem(bytes, head, magic_text, sizeof magic_text - 1) ||
         (size > 262 && memcmp(bytes + 257, "ustar", 5) == 0);
}

const char *
mt_wrong_file_archive(const unsigned char *bytes, size_t size)
{
  static const struct {
    const char *start;
    size_t n;
    const char *what;
  } kinds[] = {
      {"\x1f\x8b", 2, "a gzip archive (.tgz, .tar.gz)"},
      {"\xfd"
       "7zXZ",
       5, "an xz archive (.tar.xz)"},
      {"BZh", 3, "a bzip2 archive (.tar.bz2)"},
      {"\x28\xb5\x2f\xfd", 4, "a Zstandard archive (.tar.zst)"},
      {"7z\xbc\xaf\x27\x1c", 6, "a 7z archive"},
      {"Rar!", 4, "a RAR archive"},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (size >= kinds[i].n && memcmp(bytes, kinds[i].start, kinds[i].n) == 0)
      return kinds[i].what;
  return size > 262 && memcmp(bytes + 257, "ustar", 5) == 0 ? "a tar archive" : NULL;
}

bool
mt_wrong_file_is_known(const unsigned char *bytes, size_t size)
{
  return !is_safetensors(bytes, size) &&
         (is_lfs_pointer(bytes, size) || is_web_page(bytes, size) || is_old_torch(bytes, size) ||
          starts(bytes, size, "PK\3\4") || starts(bytes, size, "\x89HDF"));
}

bool
mt_wrong_file_fail(const char *label, const char *expected, const unsigned char *bytes, size_t size,
                   mt_error *error)
{
  mt_error_code code = MT_ERROR_UNSUPPORTED;
  const char *found;
  if (is_lfs_pointer(bytes, size)) {
    code = MT_ERROR_FORMAT;
    found = "a Git LFS pointer to it (\"git lfs pull\" in the model's folder fetches the file)";
  } else if (is_web_page(bytes, size)) {
    code = MT_ERROR_FORMAT;
    found = "a web page (the download was answered by something else: download it again)";
  } else if (is_old_torch(bytes, size)) {
    found =
        "the older form that torch.save wrote before version 1.6 (load and save it again with a "
        "current PyTorch, or save it as safetensors)";
  } else if (is_safetensors(bytes, size)) {
    found = "a safetensors file (call it model.safetensors)";
  } else if (starts(bytes, size, "PK\3\4")) {
    found = "a zip archive, as PyTorch writes (call it pytorch_model.bin)";
  } else if (starts(bytes, size, "\x89HDF")) {
    found = "an HDF5 file, as TensorFlow writes (save the model as safetensors)";
  } else {
    code = MT_ERROR_FORMAT;
    found = "something else (is the file damaged?)";
  }
  return mt_fail(error, code, "%s: expected %s, found %s.", label, expected, found);
}
