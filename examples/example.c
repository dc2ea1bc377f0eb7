/* rtindex from C: Arrow arrays made by hand go in, Arrow arrays come out.
 *
 *   cc -std=c11 example.c $(pkg-config --cflags --libs rtindex) -o example && ./example
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rtindex/rtindex.h>

/* Ends the program with the message of the call that failed. */
static void check(rtindex_status status) {
  if (status == RTINDEX_STATUS_OK) return;
  fprintf(stderr, "%s: %s\n", rtindex_status_name(status), rtindex_last_error());
  exit(1);
}

/* An Arrow array over memory of this program: releasing it frees nothing. */
static void release_schema(struct ArrowSchema* schema) { schema->release = NULL; }
static void release_array(struct ArrowArray* array) { array->release = NULL; }

static struct ArrowSchema schema_of(const char* format) {
  struct ArrowSchema schema;
  memset(&schema, 0, sizeof schema);
  schema.format = format;
  schema.name = "";
  schema.flags = ARROW_FLAG_NULLABLE;
  schema.release = release_schema;
  return schema;
}

static struct ArrowArray array_of(const void** buffers, int64_t buffer_count, int64_t length) {
  struct ArrowArray array;
  memset(&array, 0, sizeof array);
  array.length = length;
  array.null_count = buffers[0] == NULL ? 0 : -1;
  array.n_buffers = buffer_count;
  array.buffers = buffers;
  array.release = release_array;
  return array;
}

/* A column of the library's interface that borrows an Arrow array. */
static rtindex_column column_of(const struct ArrowSchema* schema, const struct ArrowArray* array) {
  rtindex_column column = {.struct_size = sizeof column, .schema = schema, .array = array};
  return column;
}

static void numbers(void) {
  const int64_t keys[] = {26, 25, 29, 23, 29, 27};
  const uint8_t valid[] = {0x37}; /* row 3 is null */
  const void* key_buffers[] = {valid, keys};
  struct ArrowSchema type = schema_of("l");
  struct ArrowArray key_array = array_of(key_buffers, 2, 6);
  const rtindex_column column = column_of(&type, &key_array);
  rtindex_index* index = NULL;
  check(rtindex_build(&column, "sorted", NULL, &index));

  const int64_t lookups[] = {29, 23, 25};
  const void* lookup_buffers[] = {NULL, lookups};
  struct ArrowArray lookup_array = array_of(lookup_buffers, 2, 3);
  const rtindex_column points = column_of(&type, &lookup_array);
  const rtindex_query query = rtindex_query_equal(&points);
  rtindex_answer_options options = {.struct_size = sizeof options};
  options.answers = RTINDEX_ANSWER_COUNT | RTINDEX_ANSWER_ROWS;
  options.order = RTINDEX_ORDER_ASCENDING;
  struct ArrowArray answers;
  check(rtindex_answer(index, &query, &options, NULL, NULL, &answers));
  const uint32_t* counts = answers.children[0]->buffers[1];
  const int64_t* offsets = answers.children[1]->buffers[1];
  const uint32_t* rows = answers.children[1]->children[0]->buffers[1];
  for (int64_t i = 0; i < answers.length; ++i) {
    printf("key %" PRId64 ": %" PRIu32 " rows:", lookups[i], counts[i]);
    for (int64_t row = offsets[i]; row < offsets[i + 1]; ++row) printf(" %" PRIu32, rows[row]);
    printf("\n");
  }
  answers.release(&answers);
  check(rtindex_free(index));
}

static void strings(void) {
  const char bytes[] = "applebananaapricotcherry";
  const int32_t offsets[] = {0, 5, 11, 18, 24};
  const void* buffers[] = {NULL, offsets, bytes};
  struct ArrowSchema type = schema_of("u");
  struct ArrowArray array = array_of(buffers, 3, 4);
  const rtindex_column column = column_of(&type, &array);
  rtindex_index* index = NULL;
  check(rtindex_build(&column, NULL, NULL, &index));

  /* Without Arrow: memory, its type and its length. */
  const int32_t ends[] = {0, 2};
  const rtindex_column prefix = {.struct_size = sizeof prefix,
                                 .type = RTINDEX_TYPE_STRING,
                                 .count = 1,
                                 .data = "ap",
                                 .offsets = ends,
                                 .offset_bytes = 4};
  const rtindex_query query = rtindex_query_prefix(&prefix);
  uint32_t count = 0;
  const rtindex_outputs outputs = {.struct_size = sizeof outputs, .count = &count};
  check(rtindex_answer_into(index, &query, NULL, NULL, &outputs));
  printf("strings with ap: %" PRIu32 "\n", count);
  check(rtindex_free(index));
}

static void errors(void) {
  const float keys[] = {1.5F};
  const rtindex_column column = {
      .struct_size = sizeof column, .type = RTINDEX_TYPE_FLOAT32, .count = 1, .data = keys};
  rtindex_index* index = NULL;
  const rtindex_status status = rtindex_build(&column, "bplustree", NULL, &index);
  printf("%s: %s\n", rtindex_status_name(status), rtindex_last_error());
}

int main(void) {
  numbers();
  strings();
  errors();
  return 0;
}
