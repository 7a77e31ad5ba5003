"""The lint's own test: small trees, each breaking one rule once, and one that breaks none."""

import tempfile
from pathlib import Path

# A marker in two pieces, so that this file passes the lint it tests.
OPEN = "TO" + "DO"

# Everything here is allowed; much of it looks like a violation to a careless search.
CLEAN = {
    "src/base/text.hpp": "#pragma once\n#include <string>\n#include <fmt/format.h>\n",
    "src/base/text.cpp": '#include "base/text.hpp"\n'
                         "// getenv(\"HOME\") and std::cout are only named here\n"
                         "/* exit(1);\n   using namespace std; */\n"
                         'const char* a = "std::cerr << getenv()";\n'
                         'const char* b = R"x(exit(1) " std::cout)x";\n'
                         "const int c = 1'000'000; const char d = '\"';\n"
                         "// `fs::remove_all(` after the odd quotes\n",
    "src/sys/file.cpp": "#include <unistd.h>\n#include <openssl/evp.h>\n"
                        "void f() { fs::remove_all(p); getenv(n); ::_exit(1); }\n"
                        "auto t = std::chrono::system_clock::now();\n",
    "src/net/downloader.cpp": '#include <curl/curl.h>\n#include "sys/file.hpp"\n'
                              "void g() { sys::rename(a, b); host.exit(3); on_exit(4); }\n",
    "src/store/store.cpp": "#include <nlohmann/json.hpp>\n#include \"model/version.hpp\"\n"
                           "bool here() { return fs::exists(p); }\n"
                           "auto at = fs::last_write_time(p);\n"
                           "auto cwd = fs::current_path();\n",
    "src/cli/run.cpp": '#include <CLI/CLI.hpp>\n#include <toml++/toml.h>\n'
                       '#include "install/plan.hpp"\nvoid p() { std::cout << 1; }\n',
    "src/catalog/index.cpp": '#include "embedded/manifests.hpp"\n',
    "src/cli/CMakeLists.txt": "cudaenv_layer(cli SOURCES run.cpp LAYERS cli_light commands install base)\n",
    "src/main.cpp": '#include "cli/run.hpp"\n#include "net/downloader.hpp"\n',
    "tests/unit/a_test.cpp": f"// {OPEN}(#12) is tied to an issue\n",
}

# (rule, file, text, line)
BROKEN = [
    ("layer", "src/base/a.cpp", '#include <string>\n#include "sys/file.hpp"\n', 2),
    ("layer", "src/model/a.hpp", '#pragma once\n#include "catalog/index.hpp"\n', 2),
    ("layer", "src/catalog/a.cpp", '\n\n#include "sys/file.hpp"\n', 3),
    ("layer", "src/net/a.cpp", '#include "archive/unpack.hpp"\n', 1),
    ("layer", "src/archive/a.cpp", '#include "model/version.hpp"\n', 1),
    ("layer", "src/gpu/a.cpp", '#include "store/store.hpp"\n', 1),
    ("layer", "src/store/a.cpp", '#include "install/plan.hpp"\n', 1),
    ("layer", "src/install/a.cpp", '  #  include "commands/install.hpp"\n', 1),
    ("layer", "src/export/a.cpp", '#include "sys/file.hpp"\n', 1),
    ("layer", "src/commands/a.cpp", '#include "cli/run.hpp"\n', 1),
    ("layer", "src/main.cpp", '#include "store/store.hpp"\n', 1),
    ("layer", "src/misc/a.cpp", "int x;\n", 1),
    ("layer", "src/sys/CMakeLists.txt", "cudaenv_layer(sys\n  SOURCES a.cpp\n  LAYERS base model)\n", 3),
    ("layer", "src/net/a.cpp", '#include "embedded/manifests.hpp"\n', 1),
    ("path", "src/sys/a.cpp", '#include "file.hpp"\n', 1),
    ("path", "src/sys/a.cpp", '#include "../net/downloader.hpp"\n', 1),
    ("library", "src/sys/a.cpp", "#include <curl/curl.h>\n", 1),
    ("library", "src/net/a.cpp", "#include <archive.h>\n", 1),
    ("library", "src/install/a.cpp", "#include <archive_entry.h>\n", 1),
    ("library", "src/commands/a.cpp", "#include <CLI/CLI.hpp>\n", 1),
    ("library", "src/commands/a.cpp", "#include <nlohmann/json.hpp>\n", 1),
    ("library", "src/store/a.cpp", "#include <toml++/toml.h>\n", 1),
    ("library", "src/net/a.cpp", "#include <openssl/ssl.h>\n", 1),
    ("library", "src/sys/a.cpp", "#include <boost/any.hpp>\n", 1),
    ("header", "src/net/a.hpp", "#pragma once\n#include <curl/curl.h>\n", 2),
    ("header", "src/store/a.hpp", "#pragma once\n#include <nlohmann/json.hpp>\n", 2),
    ("header", "src/store/a.hpp", "#include <string>\n", 1),
    ("header", "src/store/a.hpp", "#pragma once\nusing namespace std::literals;\n", 2),
    ("pure", "src/model/a.cpp", "#include <unistd.h>\n", 1),
    ("pure", "src/catalog/a.cpp", "#include <fstream>\n", 1),
    ("pure", "src/compat/a.cpp", "bool b = fs::exists(p);\n", 1),
    ("environment", "src/net/a.cpp", 'auto v = std::getenv("HOME");\n', 1),
    ("stream", "src/install/a.cpp", "void f() {\n  std::cerr << 1;\n}\n", 2),
    ("stream", "src/commands/a.cpp", 'void f() { fmt::print("x"); }\n', 1),
    ("exit", "src/cli/a.cpp", "void f() { std::exit(1); }\n", 1),
    ("exit", "src/install/a.cpp", "void f() { ::_exit(1); }\n", 1),
    ("clock", "src/store/a.cpp", "auto t = std::chrono::system_clock::now();\n", 1),
    ("filesystem", "src/store/a.cpp", "void f() { fs::rename(a, b); }\n", 1),
    ("filesystem", "src/store/a.cpp", "void f() { std::filesystem::create_directories(a); }\n", 1),
    ("filesystem", "src/store/a.cpp", "void f() { fs::current_path(a); }\n", 1),
    ("filesystem", "src/store/a.cpp", "void f() { fs::last_write_time(a, b); }\n", 1),
    ("filesystem", "src/sys/a.cpp", "using std::filesystem::rename;\n", 1),
    ("filesystem", "src/store/a.cpp", "namespace stdfs = std::filesystem;\n", 1),
    ("namespace", "src/sys/a.cpp", "using namespace std;\n", 1),
    ("length", "src/sys/a.cpp", "\n" * 401, 401),
    ("issue", "src/sys/a.cpp", f"int x;  // {OPEN}: later\n", 1),
    ("issue", "tests/unit/a_test.cpp", f"\n// {OPEN}(me)\n", 2),
    ("issue", "cmake/a.cmake", f"# {OPEN}\n", 1),
]


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(check):
    failures = 0

    def expect(title, files, wanted):
        nonlocal failures
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            write(root, files)
            found = [(rule, path, line) for path, line, rule, _ in check(root)]
        if found != wanted:
            failures += 1
            print(f"FAILED {title}: wanted {wanted}, found {found}")

    expect("a tree that keeps every rule", CLEAN, [])
    expect("400 lines are allowed", {"src/sys/a.cpp": "\n" * 400}, [])
    for rule, path, text, line in BROKEN:
        # Beside a clean tree, so that nothing else there is taken for a violation.
        files = {name: body for name, body in CLEAN.items() if name != path}
        expect(f"{rule} in {path}", files | {path: text}, [(rule, path, line)])
    print(f"{len(BROKEN) + 2 - failures} of {len(BROKEN) + 2} cases hold")
    return 1 if failures else 0
