// SPDX-License-Identifier: GPL-3.0-or-later
// A main program for fuzz targets where libFuzzer is not at hand: runs every given file, then deterministic mutations
// of them (same seed, same inputs). Takes libFuzzer's own options, so that one command line serves both.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

using Bytes = std::vector<std::uint8_t>;

struct Options {
    std::uint64_t runs = 20000;
    std::uint64_t seed = 1;
    std::size_t maxLength = 1U << 16U;
    unsigned totalSeconds = 0;
    unsigned inputSeconds = 25;
    std::string artifactPrefix;
    std::vector<std::string> paths;
};

// What the handlers need is reachable without allocation.
const Bytes *currentInput = nullptr;
std::array<char, 4096> artifactPath{};

void keepInput()
{
    if (!currentInput) {
        return;
    }
    const int file = ::open(artifactPath.data(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (file >= 0) {
        std::size_t done = 0;
        while (done < currentInput->size()) {
            const auto n = ::write(file, currentInput->data() + done, currentInput->size() - done);
            if (n <= 0) {
                break;
            }
            done += static_cast<std::size_t>(n);
        }
        ::close(file);
    }
    constexpr std::string_view words = "\nfuzz: the input that did it is in ";
    [[maybe_unused]] auto written = ::write(STDERR_FILENO, words.data(), words.size());
    written = ::write(STDERR_FILENO, artifactPath.data(), std::strlen(artifactPath.data()));
    written = ::write(STDERR_FILENO, "\n", 1);
    currentInput = nullptr;
}

extern "C" void onSignal(int signal)
{
    if (signal == SIGALRM) {
        constexpr std::string_view words = "fuzz: one input took too long\n";
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words.data(), words.size());
    }
    keepInput();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// splitmix64: small, and the same everywhere, unlike the standard distributions.
class Random {
public:
    explicit Random(std::uint64_t seed)
        : m_state(seed)
    {
    }
    std::uint64_t next()
    {
        m_state += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }
    std::size_t below(std::size_t bound) { return bound ? static_cast<std::size_t>(next() % bound) : 0; }

private:
    std::uint64_t m_state;
};

Bytes mutated(const std::vector<Bytes> &seeds, Random &random, std::size_t maxLength)
{
    // Bytes that decoders branch on: lengths, msgpack markers, JSON's and Python's quotes and brackets, UTF-8 edges.
    constexpr std::array<std::uint8_t, 40> telling{0x00, 0x01, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x91, 0x9f, 0xa0, 0xbf,
        0xc0, 0xc1, 0xc4, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcf, 0xd3, 0xd4, 0xd8, 0xd9, 0xdb, 0xdc, 0xdd, 0xde, 0xdf,
        0xe0, 0xed, 0xf4, 0xff, '"', '{', '}', '[', ']', '\\', '-'};
    Bytes bytes = seeds[random.below(seeds.size())];
    const std::size_t edits = 1 + random.below(4);
    for (std::size_t edit = 0; edit < edits; ++edit) {
        const std::size_t at = random.below(bytes.size());
        const auto offset = static_cast<std::ptrdiff_t>(at);
        switch (random.below(bytes.empty() ? 2 : 9)) {
        case 0:
            bytes.insert(bytes.begin() + offset, static_cast<std::uint8_t>(random.next()));
            break;
        case 1:
            bytes.insert(bytes.begin() + offset, 1 + random.below(8), telling[random.below(telling.size())]);
            break;
        case 2:
            bytes[at] ^= static_cast<std::uint8_t>(1U << random.below(8));
            break;
        case 3:
            bytes[at] = telling[random.below(telling.size())];
            break;
        case 4:
            bytes[at] = static_cast<std::uint8_t>(random.next());
            break;
        case 5:
            bytes.resize(at);
            break;
        case 6: {
            const auto length = static_cast<std::ptrdiff_t>(std::min(bytes.size() - at, 1 + random.below(16)));
            bytes.erase(bytes.begin() + offset, bytes.begin() + offset + length);
            break;
        }
        case 7: {
            // A part of this or another input, once or often: repeats find quadratic behaviour and nesting limits.
            const Bytes other = seeds[random.below(seeds.size())];
            const std::size_t from = random.below(other.size());
            const std::size_t length = std::min(other.size() - from, 1 + random.below(64));
            const std::size_t times = random.below(16) == 0 ? 1 + random.below(2048) : 1;
            Bytes part;
            for (std::size_t i = 0; i < times && part.size() < maxLength; ++i) {
                part.insert(part.end(), other.begin() + static_cast<std::ptrdiff_t>(from),
                    other.begin() + static_cast<std::ptrdiff_t>(from + length));
            }
            bytes.insert(bytes.begin() + offset, part.begin(), part.end());
            break;
        }
        default:
            // A number of 1, 2, 4 or 8 bytes set to an edge value, as lengths and offsets are stored.
            {
                const std::size_t width = std::size_t{1} << random.below(4);
                constexpr std::array<std::uint64_t, 6> edges{
                    0, 0x7fffffffffffffffULL, 0xffffffffffffffffULL, 0x80000000ULL, 0x7fffffffULL, 0x10000ULL};
                const std::uint64_t value = edges[random.below(edges.size())];
                for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i) {
                    bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * (width - 1 - i)));
                }
            }
        }
    }
    if (bytes.size() > maxLength) {
        bytes.resize(maxLength);
    }
    return bytes;
}

bool readNumber(std::string_view argument, std::string_view name, std::uint64_t &into)
{
    if (!argument.starts_with(name)) {
        return false;
    }
    into = std::strtoull(std::string(argument.substr(name.size())).c_str(), nullptr, 10);
    return true;
}

Options parse(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        std::uint64_t number = 0;
        if (readNumber(argument, "-runs=", number)) {
            options.runs = number;
        } else if (readNumber(argument, "-seed=", number)) {
            options.seed = number;
        } else if (readNumber(argument, "-max_len=", number)) {
            options.maxLength = static_cast<std::size_t>(number);
        } else if (readNumber(argument, "-max_total_time=", number)) {
            options.totalSeconds = static_cast<unsigned>(number);
        } else if (readNumber(argument, "-timeout=", number)) {
            options.inputSeconds = static_cast<unsigned>(number);
        } else if (argument.starts_with("-artifact_prefix=")) {
            options.artifactPrefix = argument.substr(std::string_view("-artifact_prefix=").size());
        } else if (!argument.starts_with("-")) {
            options.paths.emplace_back(argument);
        }
    }
    return options;
}

std::vector<std::string> filesOf(const std::vector<std::string> &paths)
{
    std::vector<std::string> files;
    for (const std::string &path : paths) {
        if (std::filesystem::is_directory(path)) {
            for (const auto &entry : std::filesystem::recursive_directory_iterator(path)) {
                if (entry.is_regular_file()) {
                    files.push_back(entry.path().string());
                }
            }
        } else if (std::filesystem::exists(path)) {
            files.push_back(path);
        } else {
            std::fprintf(stderr, "fuzz: no such file: %s\n", path.c_str());
            std::exit(2);
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

void runOne(const Bytes &bytes, unsigned seconds)
{
    // A copy of exactly this size, so that a read behind the end is seen by the sanitizer.
    const Bytes exact(bytes.begin(), bytes.end());
    currentInput = &exact;
    ::alarm(seconds);
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    ::alarm(0);
    currentInput = nullptr;
}

} // namespace

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize) {
        LLVMFuzzerInitialize(&argc, &argv);
    }
    const Options options = parse(argc, argv);
    std::snprintf(artifactPath.data(), artifactPath.size(), "%scrash", options.artifactPrefix.c_str());
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(keepInput);
        std::signal(SIGABRT, onSignal);
        std::signal(SIGALRM, onSignal);
    } else {
        // A stack of their own for the handlers: recursion without end leaves none.
        static std::array<char, 65536> stack;
        stack_t own{};
        own.ss_sp = stack.data();
        own.ss_size = stack.size();
        ::sigaltstack(&own, nullptr);
        struct sigaction action{};
        action.sa_handler = onSignal;
        action.sa_flags = SA_ONSTACK;
        for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) {
            ::sigaction(signal, &action, nullptr);
        }
        // A length prefix must not become an allocation: beyond this, new throws and the uncaught exception is the
        // failure.
        const rlimit limit{2ULL << 30U, 2ULL << 30U};
        ::setrlimit(RLIMIT_AS, &limit);
    }

    std::vector<Bytes> seeds;
    for (const std::string &path : filesOf(options.paths)) {
        std::ifstream file(path, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        runOne(seeds.back(), options.inputSeconds);
    }
    const std::size_t files = seeds.size();
    if (seeds.empty()) {
        seeds.emplace_back();
    }

    const auto begin = std::chrono::steady_clock::now();
    Random random(options.seed);
    std::uint64_t done = 0;
    for (; done < options.runs; ++done) {
        if (options.totalSeconds
            && std::chrono::steady_clock::now() - begin > std::chrono::seconds(options.totalSeconds)) {
            break;
        }
        const Bytes bytes = mutated(seeds, random, options.maxLength);
        runOne(bytes, options.inputSeconds);
        // Some mutations become seeds themselves, so that edits add up; bounded, and decided by the seed alone.
        if (random.below(64) == 0) {
            if (seeds.size() < files + 256) {
                seeds.push_back(bytes);
            } else {
                seeds[files + random.below(256)] = bytes;
            }
        }
    }
    std::printf("fuzz: %zu files and %llu mutations, seed %llu, no crash\n", files,
        static_cast<unsigned long long>(done), static_cast<unsigned long long>(options.seed));
    return 0;
}
