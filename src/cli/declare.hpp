#pragma once

#include "cli/session.hpp"

namespace cudaenv::cli {

// Each declares one command's options and sets the session's action.
void declare_install(CLI::App& app, Session& session);
void declare_uninstall(CLI::App& app, Session& session);
void declare_list(CLI::App& app, Session& session);
void declare_default(CLI::App& app, Session& session);
void declare_which(CLI::App& app, Session& session);
void declare_prefix(CLI::App& app, Session& session);
void declare_exec(CLI::App& app, Session& session);
void declare_verify(CLI::App& app, Session& session);
void declare_diagnose(CLI::App& app, Session& session);
void declare_gpu(CLI::App& app, Session& session);
void declare_gc(CLI::App& app, Session& session);
void declare_sync(CLI::App& app, Session& session);
void declare_lock(CLI::App& app, Session& session);
void declare_bench(CLI::App& app, Session& session);
void declare_selftest(CLI::App& app, Session& session);
void declare_update(CLI::App& app, Session& session);
void declare_use(CLI::App& app, Session& session);
void declare_deactivate(CLI::App& app, Session& session);
void declare_current(CLI::App& app, Session& session);
void declare_local(CLI::App& app, Session& session);
void declare_check(CLI::App& app, Session& session);
void declare_compat(CLI::App& app, Session& session);
void declare_doctor(CLI::App& app, Session& session);
void declare_explain(CLI::App& app, Session& session);
void declare_env(CLI::App& app, Session& session);
void declare_init(CLI::App& app, Session& session);
void declare_hook(CLI::App& app, Session& session);
void declare_completions(CLI::App& app, Session& session);
void declare_complete(CLI::App& app, Session& session);
// `list` in the full program, which can ask the network.
void declare_list_remote(CLI::App& app, Session& session);

}  // namespace cudaenv::cli
