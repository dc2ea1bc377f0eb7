/* A program in C that uses the installed package alone. */

#include <stdio.h>

#include <rtindex/rtindex.h>

int main(void) {
  const uint32_t keys[] = {26, 25, 29, 23, 29, 27};
  uint32_t count = 0;
  const rtindex_column column = {
      .struct_size = sizeof column, .type = RTINDEX_TYPE_UINT32, .count = 6, .data = keys};
  const rtindex_column lookup = {
      .struct_size = sizeof lookup, .type = RTINDEX_TYPE_UINT32, .count = 1, .data = keys + 2};
  const rtindex_query query = rtindex_query_equal(&lookup);
  const rtindex_outputs outputs = {.struct_size = sizeof outputs, .count = &count};
  rtindex_index* index = NULL;
  puts(rtindex_build_text());
  if (rtindex_build(&column, NULL, NULL, &index) != RTINDEX_STATUS_OK ||
      rtindex_answer_into(index, &query, NULL, NULL, &outputs) != RTINDEX_STATUS_OK ||
      rtindex_free(index) != RTINDEX_STATUS_OK) {
    puts(rtindex_last_error());
    return 1;
  }
  return count == 2 ? 0 : 1;
}
