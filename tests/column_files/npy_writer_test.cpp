#include "column_files/npy_writer.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <vector>

#include "column_files/npy_reader.hpp"
#include "scratch.hpp"

namespace rtindex {
namespace {

using testing::error_of;

class NpyWriterTest : public testing::Scratch {
 protected:
  template <class T>
  void expect_round_trip(const std::vector<T>& elements, Type type) const {
    write_npy(path("a.npy"), std::span<const T>(elements));
    const LoadedColumn column = read_npy(path("a.npy"));
    EXPECT_EQ(column.type(), type);
    ASSERT_EQ(column.size(), elements.size());
    const char* bytes = static_cast<const char*>(column.view().data());
    EXPECT_EQ(
        std::string(bytes, elements.size() * sizeof(T)),
        std::string(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)));
    EXPECT_EQ(files(), 1U) << "nothing temporary stays";
  }
};

TEST_F(NpyWriterTest, RoundTrips) {
  expect_round_trip<std::uint32_t>({0, 1, 4294967295}, Type::u32);
  expect_round_trip<std::uint64_t>({~std::uint64_t{0}, 5}, Type::u64);
  expect_round_trip<std::int64_t>({-5, 5}, Type::i64);
  expect_round_trip<double>({0.5, -1e300}, Type::f64);
  expect_round_trip<double>({}, Type::f64);
  const std::array<bool, 3> flags = {true, false, true};
  write_npy(path("a.npy"), std::span<const bool>(flags));
  EXPECT_EQ(read_npy(path("a.npy")).type(), Type::boolean);
}

TEST_F(NpyWriterTest, TheHeaderIsWhatNumPyWrites) {
  const std::vector<std::uint32_t> elements = {1, 2, 3};
  write_npy(path("a.npy"), std::span<const std::uint32_t>(elements));
  const std::string bytes = read(path("a.npy"));
  ASSERT_EQ(bytes.size(), 128 + 12U);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 58), "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), } ");
  EXPECT_EQ(bytes[127], '\n');
}

TEST_F(NpyWriterTest, PiecesBecomeOneArray) {
  NpyWriter writer(path("a.npy"), npy_descr<std::int64_t>());
  const std::vector<std::int64_t> piece(1000, -7);
  for (int i = 0; i < 100; ++i) writer.append(std::span<const std::int64_t>(piece));
  EXPECT_FALSE(std::filesystem::exists(path("a.npy")));
  writer.commit();
  EXPECT_EQ(read_npy(path("a.npy")).size(), 100'000U);
}

TEST_F(NpyWriterTest, LeavesNoFileWithoutACommit) {
  {
    NpyWriter writer(path("a.npy"), npy_descr<double>());
    const std::vector<double> piece(1000, 0.5);
    writer.append(std::span<const double>(piece));
    EXPECT_FALSE(std::filesystem::exists(path("a.npy")));
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(NpyWriterTest, AnOldFileIsReplacedOnlyByCommit) {
  write("a.npy", "old");
  { const NpyWriter abandoned(path("a.npy"), npy_descr<double>()); }
  EXPECT_EQ(read(path("a.npy")), "old");
  NpyWriter writer(path("a.npy"), npy_descr<double>());
  EXPECT_EQ(read(path("a.npy")), "old");
  writer.commit();
  EXPECT_EQ(read_npy(path("a.npy")).size(), 0U);
  EXPECT_EQ(files(), 1U);
}

TEST_F(NpyWriterTest, FollowsALinkToItsFile) {
  write("real.npy", "old");
  std::filesystem::create_symlink(path("real.npy"), path("link.npy"));
  NpyWriter(path("link.npy"), npy_descr<double>()).commit();
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(read_npy(path("real.npy")).size(), 0U);
}

TEST_F(NpyWriterTest, CreatesFilesWithDefaultPermissions) {
  const mode_t mask = umask(022);
  NpyWriter(path("a.npy"), npy_descr<double>()).commit();
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat(path("a.npy").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST_F(NpyWriterTest, KeepsPrivatePermissions) {
  write("a.npy", "old");
  ASSERT_EQ(chmod(path("a.npy").c_str(), 0600), 0);
  NpyWriter(path("a.npy"), npy_descr<double>()).commit();
  struct stat status {};
  ASSERT_EQ(stat(path("a.npy").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(NpyWriterTest, RejectsPathsThatCannotBeWritten) {
  auto error_message = [](const std::string& file) {
    return error_of([&] { AtomicFile::require_writable(file); });
  };
  EXPECT_SAYS(error_message(path("none/a.npy")), "does not exist; create it first");
  EXPECT_SAYS(error_message(path("")), "is a folder");
  EXPECT_SAYS(error_message("/dev/null"), "device or pipe");
  EXPECT_SAYS(error_message(""), "empty name");
  EXPECT_SAYS(error_of([&] { const AtomicFile file(path("none/a.npy")); }), "does not exist");
}

TEST_F(NpyWriterTest, ReportsAFullDiskAndLeavesNoFile) {
  // A limit on file sizes simulates a full disk.
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit small{.rlim_cur = 4096, .rlim_max = old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::vector<double> elements(10'000, 0.5);
  const std::string sentence =
      error_of([&] { write_npy(path("a.npy"), std::span<const double>(elements)); });
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_SAYS(sentence, "cannot be written");
  EXPECT_SAYS(sentence, "free some space");
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace rtindex
