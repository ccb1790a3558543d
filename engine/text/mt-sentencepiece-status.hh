/* mt-sentencepiece-status.hh — what a status of SentencePiece says, whichever class its release has for it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <string>

/* Up to SentencePiece 0.2.0 a status is a class of its own. */
template <typename Status>
auto
mt_spm_message_of(const Status &status, int) -> decltype(std::string(status.error_message()))
{
  return status.error_message();
}

/* Since then it is Abseil's. */
template <typename Status>
std::string
mt_spm_message_of(const Status &status, long)
{
  return std::string(status.message());
}

template <typename Status>
std::string
mt_spm_message(const Status &status)
{
  return mt_spm_message_of(status, 0);
}
