#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "support/temp_dir.hpp"

namespace {

// Tells TempDir whether the case that is running has failed, so that its files are kept.
struct FailureWatch : doctest::IReporter {
  explicit FailureWatch(const doctest::ContextOptions&) {}
  void test_case_start(const doctest::TestCaseData&) override {
    cudaenv::test::case_failed() = false;
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {
    cudaenv::test::case_failed() = true;
  }
  void log_assert(const doctest::AssertData& data) override {
    if (data.m_failed) cudaenv::test::case_failed() = true;
  }
  void log_message(const doctest::MessageData&) override {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("failure_watch", 1, FailureWatch);

}  // namespace
