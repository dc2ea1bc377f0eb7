// The container of saved indexes: what was written comes back, and everything else is rejected.

#include "file/index_file.hpp"

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
    writer.number("keys", 990);
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

TEST_F(IndexFile, RoundTrips) {
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

TEST_F(IndexFile, ReaderRejectsInvalidContent) {
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

TEST_F(IndexFile, RejectsForeignFiles) {
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

TEST_F(IndexFile, RejectsTruncatedFiles) {
  const std::size_t size = IndexBytes(path_).bytes.size();
  for (const std::size_t kept : {std::size_t{8}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                 std::size_t{500}, size / 2, size - 1})
    EXPECT_TRUE(has(error_after([&](IndexBytes& file) { file.bytes.resize(kept); }), "is damaged"))
        << kept;
  EXPECT_TRUE(has(error_after([](IndexBytes& file) { file.bytes += '\0'; }), "was written with"));
}

TEST_F(IndexFile, RejectsOtherVersionsAndByteOrders) {
  for (const std::uint32_t version : {0U, 2U, 3U, ~0U})
    EXPECT_TRUE(has(error_after([&](IndexBytes& file) {
                      file.put<std::uint32_t>(IndexBytes::version_at, version);
                      file.seal_prelude();
                    }),
                    "has format version " + std::to_string(version)));
  EXPECT_TRUE(has(error_after([](IndexBytes& file) {
                    file.put<std::uint32_t>(IndexBytes::byte_order_at, 0x04030201);
                  }),
                  "other byte order"));
  EXPECT_TRUE(has(
      error_after([](IndexBytes& file) { file.put<std::uint32_t>(IndexBytes::byte_order_at, 7); }),
      "is damaged"));
}

TEST_F(IndexFile, DetectsEveryFlippedBitOfPreludeHeaderAndSmallSections) {
  const IndexBytes whole(path_);
  const std::size_t checked = IndexBytes::header_at + whole.header_bytes().size();
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

TEST_F(IndexFile, VerifiesPayloadOnlyOnRequest) {
  std::size_t offset = 0;
  for (const IndexBytes::Section& section : IndexBytes(path_).sections())
    if (section.name == "part.large") offset = section.offset;
  const auto spoil = [&](IndexBytes& file) { file.bytes[offset + 10000] ^= 1; };
  EXPECT_EQ(error_after(spoil), "");
  EXPECT_TRUE(has(error_after(spoil, Verify::full), "checksum of section part.large"));
}

TEST_F(IndexFile, RejectsUnreadableHeaders) {
  const auto with_header = [&](const std::string& header) {
    return error_after([&](IndexBytes& file) { file.set_header(header); });
  };
  const std::string whole = IndexBytes(path_).header_bytes();
  EXPECT_EQ(with_header(whole), "");
  EXPECT_TRUE(has(with_header(whole + '\0'), "its header is invalid: it is too long"));
  for (std::size_t kept = 0; kept < whole.size(); ++kept)
    EXPECT_TRUE(has(with_header(whole.substr(0, kept)), "its header is invalid: it is too short"));
  // The header begins with the count of its numbers and the length of the first name.
  for (const std::size_t at : {0, 8})
    for (const std::uint64_t claimed : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
      std::string changed = whole;
      changed.replace(at, 8, reinterpret_cast<const char*>(&claimed), 8);
      EXPECT_TRUE(has(with_header(changed), "its header is invalid: it is too short"));
    }
  std::string repeated = whole;
  repeated.replace(repeated.find("keys"), 4, "rows");
  EXPECT_TRUE(has(with_header(repeated), "its header is invalid: a name appears twice"));
  std::string foreign = whole;
  foreign[foreign.find("native")] = '\xff';
  EXPECT_TRUE(has(with_header(foreign), "its header is invalid: a text is not UTF-8"));
}

TEST_F(IndexFile, RejectsImpossibleSectionTables) {
  using Section = IndexBytes::Section;
  // Changes the section part.large, the first one, or part.levels, which follows.
  const auto edited = [&](std::size_t section, const std::function<void(Section&)>& change) {
    return error_after([&](IndexBytes& file) {
      FileHeader header = file.header();
      change(header.sections[section]);
      file.set_header(header);
    });
  };
  const auto with_bytes = [&](std::uint64_t bytes) {
    return edited(0, [&](Section& section) { section.bytes = bytes; });
  };
  const auto with_offset = [&](std::uint64_t offset) {
    return edited(1, [&](Section& section) { section.offset = offset; });
  };
  EXPECT_TRUE(has(with_bytes(~std::uint64_t{0}), "beyond the end"));
  EXPECT_TRUE(has(with_bytes(200000), "beyond the end"));
  EXPECT_TRUE(has(with_bytes(20480), "overlaps"));
  EXPECT_TRUE(has(edited(1, [](Section& section) { section.name = "part.large"; }), "twice"));
  EXPECT_TRUE(has(with_offset(4096), "overlaps"));
  EXPECT_TRUE(has(with_offset(0), "overlaps"));
  EXPECT_TRUE(has(with_offset(IndexBytes(path_).sections()[1].offset + 1), "is not aligned"));
  EXPECT_TRUE(has(with_offset(~std::uint64_t{0} - 4095), "beyond the end"));
  EXPECT_TRUE(has(error_after([](IndexBytes& file) {
                    file.put<std::uint64_t>(IndexBytes::header_bytes_at, 1U << 30);
                    file.seal_prelude();
                  }),
                  "larger than the file"));
}

TEST_F(IndexFile, NamesFilesThatCannotBeOpened) {
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

TEST_F(IndexFile, AFailedWriteKeepsTheOldFileAndLeavesNoOther) {
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
