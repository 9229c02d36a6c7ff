// SPDX-License-Identifier: MIT
//
// Compilers that do what they should not.
#include "xdna/store/compiler.hpp"

#include <csignal>
#include <format>
#include <thread>

#include <linux/landlock.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <unistd.h>

#include "xdna-store/fake_compiler.hpp"
#include "xdna-store/kernels.hpp"
#include "xdna/store/has_slots.hpp"

namespace {

using xdna::Compiler;
using xdna::Spec;
using xdna::StoreCode;
using xdna::Toolchain;
using xdna_store_test::kSpec;
using xdna_store_test::Scratch;
using namespace std::chrono_literals;

// One compiler and the place it works in.
class Bench {
 public:
    explicit Bench(const std::string& body, xdna::ProcessLimits limits = {}) {
        std::filesystem::create_directory(scratch / "place");
        compiler.emplace(write_compiler(scratch, body), scratch / "place", limits, stop.value(),
                         [this](const std::string& line) { log += line + '\n'; });
    }
    ~Bench() {
        CHECK(std::filesystem::is_empty(scratch / "place"));
        // Nothing that was started is left, not even as a zombie.
        CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    }
    [[nodiscard]] auto compile(const Spec& spec = kSpec) const {
        return compiler->compile(spec, kToolchain);
    }
    // The code of the failure; 0 if there was none.
    [[nodiscard]] std::int64_t code() const {
        const auto compiled = compile();
        if (compiled) return 0;
        const auto& [error, why] = compiled.error();
        CHECK(error.domain == xdna::kErrorDomain);
        CHECK(why != "");
        CHECK(why.find('/') == std::string::npos);
        return error.code;
    }
    [[nodiscard]] std::string why() const { return compile().error().why; }

    static inline const Toolchain kToolchain{.versions = R"({"fake":"1"})", .helper = ""};

    Scratch scratch;
    std::string log;
    base::UniqueFd stop{::eventfd(0, EFD_CLOEXEC)};
    std::optional<Compiler> compiler;
};

constexpr auto kToolchainMissing = std::to_underlying(StoreCode::ToolchainMissing);
constexpr auto kSpawnFailed = std::to_underlying(StoreCode::SpawnFailed);
constexpr auto kTimeout = std::to_underlying(StoreCode::Timeout);
constexpr auto kHelperFailed = std::to_underlying(StoreCode::HelperFailed);
constexpr auto kBadOutput = std::to_underlying(StoreCode::BadOutput);

TEST_CASE("A compiler makes the kernel that it is asked for") {
    const Bench bench("good()\n");
    for (const Spec& spec : {kSpec, Spec(xdna::Fp8ToBf16{xdna::Fp8::E5M2, 1024})}) {
        const auto binary = bench.compile(spec);
        REQUIRE(binary.has_value());
        CHECK(has_slots(*binary, spec));
        CHECK(binary->entry == "MLIR_AIE");
        CHECK(binary->instructions ==
              std::vector<std::uint32_t>{0x03020100, 0x07060504, 0x0B0A0908});
        const std::string xclbin(reinterpret_cast<const char*>(binary->xclbin.data()),
                                 binary->xclbin.size());
        CHECK(xclbin == "xclbin2 of " + to_text(spec));
    }
}

TEST_CASE("A compiler is told of a spec in numbers and words, as the contract shows it") {
    const Bench bench("print(open('spec.json').read(), end='')\nsys.exit(9)\n");
    REQUIRE(bench.code() == kHelperFailed);
    CHECK(bench.log.find(R"({
  "fields": {
    "a_zero": -2,
    "b_zero": 3,
    "k": 3,
    "m": 2,
    "n": 2
  },
  "input_bytes": [
    8,
    8
  ],
  "kind": "int8-matmul",
  "output_bytes": [
    16
  ],
  "schema": 1,
  "text": "int8-matmul m=2 k=3 n=2 a_zero=-2 b_zero=3"
}
)") != std::string::npos);
}

TEST_CASE("A compiler is measured by its program and what it says its parts are") {
    const Bench bench("good()\n");
    const auto first = bench.compiler->measure();
    REQUIRE(first.has_value());
    CHECK(first->versions == Bench::kToolchain.versions);
    CHECK(first->helper.size() == 64);
    const Bench other("good() # as well\n");
    CHECK(other.compiler->measure()->versions == first->versions);
    CHECK(other.compiler->measure()->helper != first->helper);
}

TEST_CASE("Versions that are none are no measure") {
    for (const char* body : {"", "print('{}')", "print('[1]')", "print('{\"schema\": 1}')",
                             "print('{\"schema\": 2, \"versions\": {\"a\": \"1\"}}')",
                             "print('{\"schema\": 1, \"versions\": {}}')",
                             "print('{\"schema\": 1, \"versions\": {\"a\": 1}}')",
                             "good(); print('.')", "print('[' * 1000000)"}) {
        CAPTURE(body);
        const Bench bench(body);
        const auto measured = bench.compiler->measure();
        REQUIRE_FALSE(measured.has_value());
        CHECK(measured.error().error.code == kBadOutput);
    }
}

TEST_CASE("A toolchain that is missing is told from a compiler that fails") {
    CHECK(Bench("sys.exit(3)\n").code() == kToolchainMissing);
    CHECK(Bench("sys.exit(4)\n").code() == kHelperFailed);
    CHECK(Bench("os.abort()\n").why() == "the compiler was killed by signal 6");
    CHECK(Bench("os.kill(os.getpid(), 40)\n").why() == "the compiler was killed by signal 40");
    const Bench bench("print('a \\x07 bell', file=sys.stderr)\nsys.exit(1)\n");
    CHECK(bench.code() == kHelperFailed);
    CHECK(bench.log.find("a ? bell") != std::string::npos);
}

TEST_CASE("What cannot be started is no compiler") {
    const Bench bench("good()\n");
    std::filesystem::permissions(bench.scratch / "compiler", std::filesystem::perms::owner_read);
    CHECK(bench.code() == kSpawnFailed);
    std::filesystem::remove(bench.scratch / "compiler");
    CHECK(bench.code() == kSpawnFailed);
    CHECK(bench.compiler->measure().error().error.code == kSpawnFailed);
}

TEST_CASE("A compiler that says why there is no kernel is quoted in the log alone") {
    const Bench bench(
        "write('result.json', json.dumps({'schema': 1, 'ok': False,"
        " 'stage': 'compile', 'message': 'at /secret'}))\n");
    const auto compiled = bench.compile();
    REQUIRE_FALSE(compiled.has_value());
    CHECK(compiled.error().error.code == kHelperFailed);
    CHECK(compiled.error().why == "the compiler failed at 'compile'");
    CHECK(bench.log.find("at /secret") != std::string::npos);
}

TEST_CASE("Results that are none are refused") {
    for (const char* body : {
             "pass",
             "make(); os.remove('result.json')",
             "make(); os.remove('kernel.xclbin')",
             "make(); os.remove('instructions.bin')",
             "make(); write('result.json', '')",
             "make(); write('result.json', '[' * 60000)",
             "make(); write('result.json', 'null')",
             "make(schema=2)",
             "make(ok=1)",
             "make(stage='compile', ok=True); write('result.json', '{\"schema\": 1}')",
             "make(stage='/etc/passwd')",
             "make(entry='')",
             "make(entry='x' * 256)",
             "make(entry='a b')",
             "make(entry=7)",
             "make(input_bytes=[8])",
             "make(input_bytes=[8, 8, 8])",
             "make(input_bytes=[8, 12])",
             "make(input_bytes=[8, -8])",
             "make(input_bytes=[8, 8.0])",
             "make(input_bytes=[8, 2**70])",
             "make(input_bytes='8')",
             "make(input_bytes=[8], output_bytes=[8, 16])",
             "make(output_bytes=[])",
             "make(output_bytes=[20])",
             "make(versions={'fake': '2'})",
             "make(versions=None)",
             "make(); write('kernel.xclbin', b'XCLBIN2')",
             "make(); write('kernel.xclbin', b'')",
             "make(); write('instructions.bin', b'')",
             "make(); write('instructions.bin', bytes(10))",
             "make(); os.truncate('kernel.xclbin', 65 << 20)",
             "make(); os.truncate('instructions.bin', 17 << 20)",
             "make(); os.truncate('result.json', 100 << 20)",
             "make(); os.rename('kernel.xclbin', 'x'); os.symlink('x', 'kernel.xclbin')",
             "make(); os.rename('instructions.bin', 'x'); os.symlink('x', 'instructions.bin')",
             "make(); os.rename('result.json', 'x'); os.symlink('x', 'result.json')",
             "make(); os.remove('result.json'); os.mkfifo('result.json')",
             "make(); os.remove('kernel.xclbin'); os.mkdir('kernel.xclbin')",
             "make(); os.remove('kernel.xclbin'); os.symlink('/dev/zero', 'kernel.xclbin')",
         }) {
        CAPTURE(body);
        CHECK(Bench(std::string(body) + '\n').code() == kBadOutput);
    }
    CHECK(Bench("make(stage='compile', ok=False)\n").code() == kHelperFailed);
}

TEST_CASE("A compiler has so much time, whatever it makes of signals") {
    const Bench bench(
        "import signal, time\n"
        "for s in range(1, 65):\n"
        "    if s not in (9, 19, 32, 33): signal.signal(s, signal.SIG_IGN)\n"
        "while True: time.sleep(1000)\n",
        {.time = 300ms});
    CHECK(bench.code() == kTimeout);
}

// Whoever starts them is their subreaper, so waitpid() in ~Bench() knows of all of them.
TEST_CASE("Descendants of a compiler do not outlive it") {
    const char* body =
        "import time\n"
        "for how in range(3):\n"
        "    if os.fork() == 0:\n"
        "        for leave in (os.setsid, lambda: os.setpgid(0, 0)):\n"
        "            try: leave(); print('left', flush=True)\n"
        "            except PermissionError: pass\n"
        "        if how == 1 and os.fork() != 0: os._exit(0)\n"
        "        if how == 2: os.close(1); os.close(2)\n"
        "        while True: time.sleep(1000)\n"
        "print('started', flush=True)\n";
    SUBCASE("when it succeeds") {
        const Bench bench(std::string(body) + "make()\n");
        CHECK(bench.code() == 0);
    }
    SUBCASE("when it fails") {
        const Bench bench(std::string(body) + "sys.exit(1)\n");
        CHECK(bench.code() == kHelperFailed);
        CHECK(bench.log.find("started") != std::string::npos);
        CHECK(bench.log.find("left") == std::string::npos);
    }
    SUBCASE("when it takes too long") {
        const Bench bench(std::string(body) + "while True: time.sleep(1000)\n", {.time = 500ms});
        CHECK(bench.code() == kTimeout);
    }
}

TEST_CASE("A compiler that is at work ends when its store stops") {
    Bench bench("import time\nwhile True: time.sleep(1000)\n");
    std::thread stopper([&] { REQUIRE(::eventfd_write(bench.stop.value(), 1) == 0); });
    CHECK(bench.code() == kHelperFailed);
    stopper.join();
}

TEST_CASE("Of what a compiler says the end is kept") {
    const Bench bench(
        "print('x' * 10_000_000)\nprint('the end')\n"
        "print('y' * 10_000_000, file=sys.stderr)\nsys.exit(1)\n");
    CHECK(bench.code() == kHelperFailed);
    CHECK(bench.log.size() < 10'000);
    CHECK(bench.log.find("the end") != std::string::npos);
    CHECK(bench.log.find("yyyy") != std::string::npos);

    const auto ended = xdna::run({.program = bench.scratch / "compiler",
                                  .arguments = {"x"},
                                  .directory = bench.scratch / "place",
                                  .limits = {.output_bytes = 100}});
    REQUIRE(ended.has_value());
    CHECK(ended->output == std::string(91, 'x') + "\nthe end\n");
    CHECK(ended->errors == std::string(99, 'y') + "\n");
}

TEST_CASE("A compiler writes no more than it may") {
    const std::string kTooMuch = "the compiler wrote more than it may";
    const std::string forever = "import time\nwhile True: time.sleep(1000)\n";
    SUBCASE("into one file") {
        const Bench bench("write('x', bytes(1 << 20))\n", {.file_bytes = 1 << 16});
        CHECK(bench.code() == kHelperFailed);
    }
    SUBCASE("into all files") {
        const Bench bench("for i in range(8): write(str(i), bytes(1 << 20))\n" + forever,
                          {.work_bytes = 4 << 20});
        CHECK(bench.why() == kTooMuch);
    }
    SUBCASE("into files below") {
        const Bench bench(
            "os.mkdir('a'); os.mkdir('a/b')\n"
            "for i in range(8): write(f'a/b/{i}', bytes(1 << 20))\n" +
                forever,
            {.work_bytes = 4 << 20});
        CHECK(bench.why() == kTooMuch);
    }
    SUBCASE("into too many files") {
        const Bench bench("for i in range(200): write(str(i), '')\n" + forever,
                          {.work_files = 100});
        CHECK(bench.why() == kTooMuch);
    }
    SUBCASE("deeper than can be looked at") {
        const Bench bench("for i in range(3000): os.mkdir('d'); os.chdir('d')\n" + forever);
        CHECK(bench.why() == kTooMuch);
    }
}

TEST_CASE("Whatever a compiler leaves is removed") {
    const Bench bench(
        "for i in range(3000): os.mkdir('d'); os.chdir('d'); write('f', 'x')\n"
        "os.chdir(sys.argv[1])\n"
        "os.mkdir('closed'); write('closed/x', 'x'); os.mkdir('closed/below')\n"
        "os.chmod('closed/below', 0); os.chmod('closed', 0)\n"
        "os.symlink('/', 'root'); write('0', '0'); os.mkdir('1')\n"
        "sys.exit(1)\n",
        {.work_bytes = 1ULL << 40, .work_files = 1 << 30});
    CHECK(bench.code() == kHelperFailed);
}

TEST_CASE("A compiler has no network, and no descriptor of who starts it") {
    const base::UniqueFd open(::dup(1));  // without O_CLOEXEC
    const Bench bench(R"(
import socket
def refused(name, call, *errors):
    try: call()
    except (PermissionError, OSError) as error: print(name, error.__class__.__name__)
    else: print(name, 'ALLOWED')
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
    refused(family.name, lambda: socket.socket(family, socket.SOCK_DGRAM))
refused('pair', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
socket.socketpair()
print('fds', sorted(set(os.listdir('/proc/self/fd')) - {'3'}))
print('stdin', len(sys.stdin.read()))
print(sorted(os.environ), os.environ['HOME'] == os.environ['TMPDIR'] == sys.argv[1] == os.getcwd())
print('modes', oct(os.stat('.').st_mode & 0o777), os.getsid(0) == os.getpgid(0) == os.getpid())
sys.exit(1)
)");
    CHECK(bench.code() == kHelperFailed);
    CHECK(bench.log.find("ALLOWED") == std::string::npos);
    for (const char* line :
         {"AF_INET PermissionError\n", "AF_INET6 PermissionError\n", "AF_UNIX PermissionError\n",
          "AF_NETLINK PermissionError\n", "pair PermissionError\n", "fds ['0', '1', '2']\n",
          "stdin 0\n", "['HOME', 'LC_ALL', 'PATH', 'TMPDIR'] True\n", "modes 0o700 True\n"}) {
        CAPTURE(bench.log);
        CHECK(bench.log.find(line) != std::string::npos);
    }
}

TEST_CASE("A compiler changes nothing outside of its directory, where the kernel has Landlock") {
    if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 6) {
        MESSAGE("skipped: this kernel has no Landlock of version 6");
        return;
    }
    const Bench bench(R"(
def refused(name, call):
    try: call()
    except PermissionError: print(name, 'refused')
    else: print(name, 'ALLOWED')
beside = os.path.dirname(sys.argv[0]) + '/'
refused('write', lambda: write(beside + 'compiler', 'x'))
refused('make', lambda: write(beside + 'new', 'x'))
refused('remove', lambda: os.remove(beside + 'compiler'))
refused('signal', lambda: os.kill(os.getppid(), 0))
os.mkdir('a'); write('a/b', 'x'); os.rename('a/b', 'c'); os.remove('c'); os.rmdir('a')
write('/dev/null', 'x')
print('end')
sys.exit(1)
)");
    CHECK(bench.code() == kHelperFailed);
    CHECK(bench.log.find("write refused\nmake refused\nremove refused\nsignal refused\nend\n") !=
          std::string::npos);
}

TEST_CASE("A compiler has so much memory") {
    const Bench bench("x = bytearray(1 << 30)\nmake()\n", {.memory = 512 << 20});
    CHECK(bench.code() == kHelperFailed);
    CHECK(bench.log.find("MemoryError") != std::string::npos);
}

}  // namespace
