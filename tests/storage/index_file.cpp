// The container of saved indexes: what was written comes back, and everything else is refused.

#include "storage/index_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <functional>
#include <numeric>

#include <rtindex/error.hpp>

#include "support/index_bytes.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

class IndexFile : public testing::Test {
 protected:
  IndexFile() {
    Stored stored;
    FileWriter writer(stored);
    writer.number("rows", 1000);
    writer.text("spec", "rx:native@cpu");
    FileWriter part = writer.part("part");
    part.small_array("levels", std::vector<std::uint64_t>{7, 8, 9});
    Array<std::uint32_t> large(5000);
    std::iota(large.begin(), large.end(), 0U);
    part.array("large", std::move(large));
    part.array("nothing", Array<std::uint64_t>());
    write_index_file(path_, stored);
  }

  // The Error that opening gives, after a change to the file; "" where there is none.
  std::string error_after(const std::function<void(IndexBytes&)>& change,
                          Verify verify = Verify::quick) const {
    IndexBytes file(path_);
    change(file);
    const std::string changed = folder_.file("changed.rtindex");
    file.write(changed);
    try {
      static_cast<void>(read_index_file(changed, verify));
      return "";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(changed), std::string::npos) << error.what();
      return error.what();
    }
  }

  static testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
  }

  TemporaryFolder folder_{TemporaryFolder::Medium::memory};
  std::string path_ = folder_.file("a.rtindex");
};

TEST_F(IndexFile, GivesBackWhatWasWritten) {
  for (const Verify verify : {Verify::quick, Verify::full}) {
    const Stored stored = read_index_file(path_, verify);
    const FileReader reader(stored);
    EXPECT_EQ(reader.number("rows"), 1000U);
    EXPECT_EQ(reader.text("spec"), "rx:native@cpu");
    const FileReader part = reader.part("part");
    EXPECT_EQ(part.small_array<std::uint64_t>("levels"), (std::vector<std::uint64_t>{7, 8, 9}));
    const auto large = part.array<std::uint32_t>("large", 5000);
    EXPECT_EQ(large[4999], 4999U);
    EXPECT_EQ(part.array<std::uint64_t>("nothing").size(), 0U);
    EXPECT_TRUE(part.has("large"));
    EXPECT_FALSE(part.has("small"));
  }
  EXPECT_EQ(folder_.count_files(), 1U);
}

TEST_F(IndexFile, ArraysOutliveTheReader) {
  Array<std::uint32_t> large;
  {
    const Stored stored = read_index_file(path_, Verify::quick);
    large = FileReader(stored).part("part").array<std::uint32_t>("large", 5000);
  }
  std::filesystem::remove(path_);
  EXPECT_EQ(std::as_const(large)[1234], 1234U);
}

TEST_F(IndexFile, ReaderRefusesWhatMakesNoSense) {
  const Stored stored = read_index_file(path_, Verify::quick);
  const FileReader reader(stored);
  const FileReader part = reader.part("part");
  EXPECT_THROW(static_cast<void>(reader.number("spec")), Error);
  EXPECT_THROW(static_cast<void>(reader.number("rows", 999)), Error);
  EXPECT_THROW(static_cast<void>(reader.flag("rows")), Error);
  EXPECT_THROW(static_cast<void>(reader.text("rows")), Error);
  EXPECT_THROW(static_cast<void>(part.array<std::uint32_t>("none", 1)), Error);
  EXPECT_THROW(static_cast<void>(part.array<std::uint32_t>("large", 4999)), Error);
  EXPECT_THROW(static_cast<void>(part.array<std::uint32_t>("large", 1U << 31)), Error);
  EXPECT_THROW(static_cast<void>(part.array<std::uint64_t>("large", 5000)), Error);
  EXPECT_THROW(static_cast<void>(part.array<std::array<char, 3>>("large")), Error);
  EXPECT_THROW(static_cast<void>(part.small_array<std::uint32_t>("large")), Error);
}

TEST_F(IndexFile, ForeignFilesAreRefused) {
  const auto foreign = [&](const std::string& bytes) {
    return error_after([&](IndexBytes& file) { file.bytes = bytes; });
  };
  EXPECT_TRUE(has(foreign(""), "is not an index file"));
  EXPECT_TRUE(has(foreign("{}"), "is not an index file"));
  EXPECT_TRUE(has(foreign(std::string(10000, 'x')), "is not an index file"));
  EXPECT_TRUE(has(foreign(std::string(10000, '\0')), "rtindex build"));
  // What a transfer as text makes of the line ends.
  EXPECT_TRUE(
      has(error_after([](IndexBytes& file) { file.bytes.erase(5, 1); }), "is not an index file"));
}

TEST_F(IndexFile, TruncatedFilesAreRefused) {
  const std::size_t size = IndexBytes(path_).bytes.size();
  for (const std::size_t kept : {std::size_t{8}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                 std::size_t{500}, size / 2, size - 1})
    EXPECT_TRUE(has(error_after([&](IndexBytes& file) { file.bytes.resize(kept); }), "is damaged"))
        << kept;
  EXPECT_TRUE(has(error_after([](IndexBytes& file) { file.bytes += '\0'; }), "was written with"));
}

TEST_F(IndexFile, NewerVersionsAndOtherByteOrdersAreRefused) {
  EXPECT_TRUE(has(error_after([](IndexBytes& file) {
                    file.put<std::uint32_t>(IndexBytes::version_at, 4);
                    file.seal_prelude();
                  }),
                  "update rtindex"));
  EXPECT_TRUE(has(error_after([](IndexBytes& file) {
                    file.put<std::uint32_t>(IndexBytes::version_at, 0);
                    file.seal_prelude();
                  }),
                  "is damaged"));
  EXPECT_TRUE(has(error_after([](IndexBytes& file) {
                    file.put<std::uint32_t>(IndexBytes::byte_order_at, 0x04030201);
                  }),
                  "other byte order"));
  EXPECT_TRUE(has(
      error_after([](IndexBytes& file) { file.put<std::uint32_t>(IndexBytes::byte_order_at, 7); }),
      "is damaged"));
}

TEST_F(IndexFile, EveryFlippedBitOfPreludeHeaderAndSmallSectionsIsSeen) {
  const IndexBytes whole(path_);
  const std::size_t checked = IndexBytes::header_at + whole.header().size();
  for (std::size_t at = 0; at < checked; ++at)
    EXPECT_NE(error_after([&](IndexBytes& file) {
                file.bytes[at] = static_cast<char>(file.bytes[at] ^ 1 << (at % 8));
              }),
              "")
        << "byte " << at;
  for (const IndexBytes::Section& section : whole.sections())
    for (std::size_t at = 0; section.small && at < section.bytes; ++at)
      EXPECT_TRUE(has(error_after([&](IndexBytes& file) { file.bytes[section.offset + at] ^= 4; }),
                      section.name));
}

TEST_F(IndexFile, PayloadIsComparedOnlyOnDemand) {
  std::size_t offset = 0;
  for (const IndexBytes::Section& section : IndexBytes(path_).sections())
    if (section.name == "part.large") offset = section.offset;
  const auto spoil = [&](IndexBytes& file) { file.bytes[offset + 10000] ^= 1; };
  EXPECT_EQ(error_after(spoil), "");
  EXPECT_TRUE(has(error_after(spoil, Verify::full), "checksum of section part.large"));
}

TEST_F(IndexFile, ImpossibleHeadersAreRefused) {
  const auto edited = [&](const std::string& from, const std::string& to) {
    return error_after([&](IndexBytes& file) { file.edit_header(from, to); });
  };
  EXPECT_TRUE(has(edited("{", "["), "its header is invalid"));
  EXPECT_TRUE(has(edited("\"sections\"", "\"sectiong\""), "its header is invalid"));
  EXPECT_TRUE(has(edited("\"rows\": 1000", "\"rows\": -1"), "its header is invalid"));
  EXPECT_TRUE(has(edited("\"rows\": 1000", "\"rows\": 1.5"), "its header is invalid"));
  EXPECT_TRUE(
      has(edited("\"rows\": 1000", "\"rows\": 18446744073709551616"), "its header is invalid"));
  EXPECT_TRUE(has(edited("\"bytes\": 20000", "\"bytes\": \"20000\""), "its header is invalid"));
  EXPECT_TRUE(
      has(edited(R"("numbers": {)", R"("numbers": [], "numbers": {)"), "its header is invalid"));
  EXPECT_TRUE(has(edited(R"("sections": [)", R"("sections": [[], )"), "its header is invalid"));
  EXPECT_TRUE(has(edited("\"bytes\": 20000", "\"bytes\": 18446744073709551615"), "beyond the end"));
  EXPECT_TRUE(has(edited("\"bytes\": 20000", "\"bytes\": 200000"), "beyond the end"));
  EXPECT_TRUE(has(edited("\"bytes\": 20000", "\"bytes\": 20480"), "overlaps"));
  EXPECT_TRUE(has(edited("\"name\": \"part.levels\"", "\"name\": \"part.large\""), "twice"));
  const std::vector<IndexBytes::Section> sections = IndexBytes(path_).sections();
  const std::string offset = "\"offset\": " + std::to_string(sections[1].offset);
  EXPECT_TRUE(has(edited(offset, "\"offset\": 4096"), "overlaps"));
  EXPECT_TRUE(has(edited(offset, "\"offset\": 0"), "overlaps"));
  EXPECT_TRUE(has(edited(offset, offset + "1"), "is not aligned"));
  EXPECT_TRUE(has(edited(offset, "\"offset\": 18446744073709547520"), "beyond the end"));
  EXPECT_TRUE(has(error_after([](IndexBytes& file) {
                    file.put<std::uint64_t>(IndexBytes::header_bytes_at, 1U << 30);
                    file.seal_prelude();
                  }),
                  "larger than the file"));
}

TEST_F(IndexFile, WhatCannotBeOpenedIsNamed) {
  const auto error_of = [](const std::string& path) -> std::string {
    try {
      static_cast<void>(read_index_file(path, Verify::quick));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_TRUE(has(error_of(folder_.file("none")), "does not exist"));
  EXPECT_TRUE(has(error_of(folder_.path().string()), "is a folder"));
  EXPECT_TRUE(has(error_of("/dev/null"), "device or pipe"));
  EXPECT_TRUE(has(error_of(""), "empty name"));
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(has(error_of(pipe), "device or pipe"));
}

TEST_F(IndexFile, AFailedWriteLeavesNothingBehindAndTheOldFileWhole) {
  const std::string before = IndexBytes(path_).bytes;
  Stored stored;
  FileWriter(stored).array("large", Array<std::uint64_t>(100000));
  // A limit on file sizes stands for a full disk.
  struct rlimit old {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 65536, old.rlim_max };
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_index_file(path_, stored), Error);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(IndexBytes(path_).bytes, before);
  EXPECT_EQ(folder_.count_files(), 1U);
  EXPECT_THROW(write_index_file(folder_.file("no/such/folder"), stored), Error);
  EXPECT_THROW(write_index_file(folder_.path().string(), stored), Error);
  EXPECT_THROW(write_index_file("/dev/null", stored), Error);
  EXPECT_THROW(write_index_file("", stored), Error);
}

TEST_F(IndexFile, WritingFollowsALink) {
  const std::string link = folder_.file("link.rtindex");
  std::filesystem::create_symlink(path_, link);
  Stored stored;
  FileWriter(stored).number("rows", 5);
  write_index_file(link, stored);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  const Stored read = read_index_file(path_, Verify::full);
  EXPECT_EQ(FileReader(read).number("rows"), 5U);
}

}  // namespace
}  // namespace rtindex::test
