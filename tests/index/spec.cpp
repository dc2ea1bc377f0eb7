#include <rtindex/spec.hpp>

#include <gtest/gtest.h>

#include <rtindex/error.hpp>

#include "kinds/registry.hpp"

namespace rtindex {
namespace {

std::string error_message(const std::string& text) {
  try {
    return "accepted as " + Spec(text).text();
  } catch (const Error& error) {
    return error.what();
  }
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Spec, IsAutoByDefault) {
  EXPECT_EQ(Spec().text(), "auto");
  EXPECT_EQ(Spec("auto"), Spec());
  EXPECT_EQ(Spec().tracer(), "");
  EXPECT_EQ(Spec().device(), "");
  EXPECT_EQ(Spec().device_number(), 0);
}

TEST(Spec, HasParts) {
  const Spec spec("rx:native@cuda3,threads=2,cell=8");
  EXPECT_EQ(spec.kind(), "rx");
  EXPECT_EQ(spec.tracer(), "native");
  EXPECT_EQ(spec.device(), "cuda");
  EXPECT_EQ(spec.device_number(), 3);
  EXPECT_EQ(spec.option("threads", "all"), "2");
  EXPECT_EQ(spec.option("mode", "3d"), "3d");
}

TEST(Spec, TextParsesToTheSame) {
  const char* const with_all_options =
      "rx:embree@cpu,mode=3d,bits=23+23+18,scale=2^-3,primitive=sphere,point=zero,range=offset,"
      "compact=on,update=refit,row_rays=all,threads=2";
  for (const std::string text :
       {"auto", "rx", "rx:embree", "rx:optix", "rx:native@cpu", "rx:native@cuda", "sorted",
        "sorted@cuda2", "btree@cpu", "hash", "rx@cpu", "auto,threads=1", with_all_options}) {
    const Spec spec(text);
    EXPECT_EQ(Spec(spec.text()), spec) << text;
    EXPECT_EQ(Spec(spec.text()).text(), spec.text()) << text;
  }
}

TEST(Spec, OptionsComeOutInOneOrder) {
  EXPECT_EQ(Spec("rx,threads=2,mode=naive").text(), Spec("rx,mode=naive,threads=2").text());
  EXPECT_EQ(Spec("rx@cpu0").text(), "rx@cpu");
  EXPECT_EQ(Spec("rx@cuda0"), Spec("rx@cuda"));
}

TEST(Spec, WithAndAtLeaveTheOriginalAlone) {
  const Spec spec("rx");
  EXPECT_EQ(spec.with("mode", "naive").text(), "rx,mode=naive");
  EXPECT_EQ(spec.at("embree", "cpu").text(), "rx:embree@cpu");
  EXPECT_EQ(spec.text(), "rx");
  EXPECT_EQ(spec.with("mode", "naive").with("mode", "3d").text(), "rx,mode=3d");
  EXPECT_THROW(static_cast<void>(spec.with("mode", "2d")), Error);
  EXPECT_THROW(static_cast<void>(spec.with("nothing", "2d")), Error);
}

TEST(Spec, NamesTheChoicesForAnUnknownWord) {
  EXPECT_TRUE(says(error_message("bvh"), "auto, rx, sorted, btree, hash")) << error_message("bvh");
  EXPECT_TRUE(says(error_message("rx:vulkan"), "native, embree, optix"))
      << error_message("rx:vulkan");
  EXPECT_TRUE(says(error_message("rx@tpu"), "cpu, cuda")) << error_message("rx@tpu");
  EXPECT_TRUE(says(error_message("rx,colour=red"), "primitive")) << error_message("rx,colour=red");
  EXPECT_TRUE(says(error_message("rx,mode=4d"), "naive | extended | 3d"))
      << error_message("rx,mode=4d");
}

TEST(Spec, RejectsOtherText) {
  for (const std::string text : {"",
                                 " rx",
                                 "rx ",
                                 "RX",
                                 "rx:",
                                 "rx:@cpu",
                                 "rx@",
                                 ":embree",
                                 "@cpu",
                                 "rx@cpu1",
                                 "rx@cuda-1",
                                 "rx@cuda1x",
                                 "rx@cuda99999999999999999999",
                                 "rx@1",
                                 "sorted:embree",
                                 "hash:native",
                                 "auto:embree",
                                 "rx,",
                                 "rx,,",
                                 "rx,mode",
                                 "rx,mode=",
                                 "rx,=naive",
                                 "rx,mode=naive,",
                                 "rx,mode=naive,mode=3d",
                                 "rx,bits=",
                                 "rx,threads=",
                                 "rx,scale=",
                                 "rx,Mode=3d",
                                 "rx,mode=3D",
                                 "rx,mode= 3d",
                                 ",",
                                 "rx:embree:native",
                                 "rx@cpu@cuda",
                                 "rx;mode=3d"})
    EXPECT_FALSE(says(error_message(text), "accepted as"))
        << "'" << text << "' was " << error_message(text);
}

TEST(Spec, ErrorsQuoteTheText) {
  EXPECT_TRUE(says(error_message("rx:vulkan,mode=3d"), "rx:vulkan,mode=3d"));
  EXPECT_TRUE(says(error_message("rx,mode"), "kind[:tracer][@device[N]]"));
}

TEST(Spec, EveryOptionIsExplained) {
  EXPECT_GE(spec_options().size(), 10U);
  for (const OptionHelp& option : spec_options()) {
    EXPECT_FALSE(option.name.empty());
    EXPECT_FALSE(option.choices.empty()) << option.name;
    EXPECT_FALSE(option.meaning.empty()) << option.name;
  }
}

TEST(Spec, SaysWhichValuesAreExpected) {
  EXPECT_TRUE(says(error_message("rx,cell=0"), "invalid cell=0: expected 1 to 16"))
      << error_message("rx,cell=0");
  for (const std::string text : {"threads=0",
                                 "threads=4097",
                                 "threads=two",
                                 "threads=-1",
                                 "threads=1.5",
                                 "cell=17",
                                 "cell=",
                                 "group=3",
                                 "group=64",
                                 "group=0",
                                 "load=0",
                                 "load=1",
                                 "load=nan",
                                 "bucket=0",
                                 "bucket=1073741825",
                                 "bucket=99999999999999999999",
                                 "drop=64",
                                 "drop=-1",
                                 "split=0",
                                 "scale=3",
                                 "scale=2^31",
                                 "scale=2^-31",
                                 "scale=2^x",
                                 "bits=24+1+1",
                                 "bits=1+1",
                                 "bits=1+1+1+1",
                                 "bits=0+0+0",
                                 "bits=23+23+23",
                                 "bits=23+2147483647+18",
                                 "bits=a+b+c",
                                 "order=yes",
                                 "mode="})
    EXPECT_TRUE(says(error_message("rx," + text), "expected "))
        << text << ": " << error_message("rx," + text);
  for (const std::string text :
       {"threads=all", "threads=4096", "cell=1", "cell=16", "group=1", "group=32", "load=0.05",
        "load=0.95", "bucket=1", "bucket=1073741824", "drop=0", "drop=63", "drop=auto",
        "split=4294967295", "scale=2^30", "scale=2^-30", "bits=23+23+18", "bits=0+0+1"})
    EXPECT_TRUE(says(error_message("rx," + text), "accepted as"))
        << text << ": " << error_message("rx," + text);
}

// The spec with the defaults that its kind declares, whether it is available here or not.
Spec with_defaults_of_kind(const Spec& spec) {
  for (const Kind& kind : kinds())
    if (kind.matches(spec)) return with_defaults(spec, kind.name(), kind.options);
  throw Error("no kind of " + spec.text());
}

TEST(SpecOptions, HaveTheDefaultsOfTheKind) {
  const auto complete = [](const char* text) { return with_defaults_of_kind(text).text(); };
  EXPECT_EQ(complete("btree@cuda"), "btree@cuda,gather=auto,group=1,delta=auto");
  EXPECT_EQ(complete("hash@cuda,group=32"), "hash@cuda,group=32,load=0.8,delta=auto");
  EXPECT_EQ(complete("rx:native@cuda"), "rx:native@cuda,gather=auto,cell=12,delta=auto");
  EXPECT_EQ(complete("sorted@cpu"), "sorted@cpu,order=auto,threads=all,delta=auto");
  EXPECT_THROW(complete("btree@cuda,group=32"), Error);
  EXPECT_THROW(complete("sorted@cpu,gather=on"), Error);
  EXPECT_THROW(complete("sorted@cuda,order=on"), Error);
  EXPECT_THROW(complete("rx:optix@cuda,bucket=16,order=on"), Error);
}

TEST(SpecOptions, ThatNeedOrExcludeOthers) {
  const auto is_accepted = [&](const std::string& options) {
    try {
      static_cast<void>(with_defaults_of_kind("rx:embree@cpu," + options));
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  EXPECT_TRUE(is_accepted("bucket=16,drop=3,order=on"));
  EXPECT_FALSE(is_accepted("drop=3"));
  EXPECT_FALSE(is_accepted("order=on"));
  EXPECT_FALSE(is_accepted("bucket=16,point=zero"));
  EXPECT_TRUE(is_accepted("bits=1+2+3"));
  EXPECT_TRUE(is_accepted("bits=1+2+3,mode=3d"));
  EXPECT_FALSE(is_accepted("bits=1+2+3,mode=naive"));
  const Spec plain = with_defaults_of_kind("rx:embree@cpu");
  EXPECT_TRUE(plain.options().contains("point"));
  EXPECT_FALSE(plain.options().contains("drop"));
  const Spec bucketed = with_defaults_of_kind("rx:embree@cpu,bucket=16");
  EXPECT_FALSE(bucketed.options().contains("point"));
  EXPECT_TRUE(bucketed.options().contains("drop"));
}

// Builds with and without CUDA and Embree print specs and their help alike.
TEST(SpecOptions, AreListedInOneOrder) {
  std::vector<std::string> names;
  for (const OptionHelp& option : spec_options()) names.push_back(option.name);
  const std::vector<std::string> expected = {"mode",  "bits",    "scale",   "primitive", "point",
                                             "range", "compact", "update",  "row_rays",  "bucket",
                                             "drop",  "split",   "order",   "gather",    "group",
                                             "cell",  "load",    "threads", "delta"};
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace rtindex
