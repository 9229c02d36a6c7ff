// SPDX-License-Identifier: MIT
#include "model/generator.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace model {

namespace {

struct Known {
    std::uint32_t label;
    const Object* object;
};

// The opcodes, each as often as it is to be taken.
struct Weight {
    std::uint16_t opcode;
    std::uint32_t weight;
};
constexpr std::array kWeights{
    Weight{0x0001, 1}, Weight{0x0100, 3},  Weight{0x0101, 2}, Weight{0x0200, 12}, Weight{0x0201, 4},
    Weight{0x0202, 8}, Weight{0x0203, 8},  Weight{0x0300, 6}, Weight{0x0301, 2},  Weight{0x0400, 5},
    Weight{0x0401, 2}, Weight{0x0500, 18}, Weight{0x0501, 9}, Weight{0x0502, 4},  Weight{0x0503, 9},
};

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

class Generator {
 public:
    Generator(Choices& choices, const Run& run) : choices_(choices), run_(run) {}

    Step next(std::uint32_t label) {
        Step step{.label = label};
        if (choices_.one_in(120)) {
            step.reset = name_space();
        } else {
            step.opcode = sensible(opcode());
            fill(step);
            if (choices_.one_in(10)) spoil(step);
            step.piece = choices_.any_of<std::uint32_t>({4096, 4096, 16, 7, 1});
        }
        inject(step);
        return step;
    }

 private:
    std::uint16_t opcode() {
        std::uint32_t sum = 0;
        for (const Weight& weight : kWeights)
            sum += weight.weight;
        std::uint32_t left = choices_.below(sum);
        for (const Weight& weight : kWeights) {
            if (left < weight.weight) return weight.opcode;
            left -= weight.weight;
        }
        return 0;
    }

    // What makes the objects that a command needs, where there are none.
    std::uint16_t sensible(std::uint16_t opcode) {
        if (opcode <= 0x0100 || choices_.one_in(10)) return opcode;
        if (live(Kind::Context).label == 0) return 0x0100;
        const bool creates = opcode == 0x0200 || opcode == 0x0300 || opcode == 0x0400;
        if (creates) return opcode;
        if (opcode != kSubmit)
            return live(operand(opcode)).label != 0 ? opcode : sensible(creating(opcode));
        const Known queue = live(Kind::Queue);
        if (queue.label == 0) return 0x0400;
        if (live(Kind::Program, queue.object->context).label == 0) return 0x0300;
        return live(Kind::Buffer, queue.object->context).label != 0 ? opcode : 0x0200;
    }

    // 0x01.. acts on contexts, 0x02.. on buffers and so on; 0x0n00 makes one.
    static Kind operand(std::uint16_t opcode) { return static_cast<Kind>(opcode >> 8); }
    static std::uint16_t creating(std::uint16_t opcode) { return opcode & 0xFF00; }

    std::uint16_t name_space() {
        const std::uint16_t now = run_.model().name_space();
        if (choices_.one_in(8)) return choices_.any_of<std::uint16_t>({0, now, 1, 0xFFFF});
        return static_cast<std::uint16_t>(now + 1);
    }

    // A live object of this kind, of `context` unless that is 0.
    Known live(Kind kind, std::uint64_t context = 0) {
        std::vector<Known> found;
        for (const auto& [label, id] : run_.ids()) {
            const auto object = run_.model().objects().find(id);
            if (object != run_.model().objects().end() && object->second.kind == kind &&
                (context == 0 || object->second.context == context))
                found.push_back({label, &object->second});
        }
        if (found.empty()) return {0, nullptr};
        return found[choices_.below(static_cast<std::uint32_t>(found.size()))];
    }

    // What a guest could say instead of the id of `known`.
    Word word(const Known& known) {
        if (known.label != 0 && !choices_.one_in(30)) return {.label = known.label};
        switch (choices_.below(5)) {
            case 0:
                return {.value = 0};
            case 1:
                return {.value = 0x0001'0001'0000'0000};
            case 2:
                return {.value = std::uint64_t{choices_.below(4)} << 48 |
                                 std::uint64_t{choices_.below(64)} << 32 | choices_.below(8)};
            case 3:
                return {.value = kMost - choices_.below(2)};
            default:
                break;
        }
        if (run_.ids().empty()) return {.value = 1};
        auto any = run_.ids().begin();
        std::advance(any, choices_.below(static_cast<std::uint32_t>(run_.ids().size())));
        return {.label = any->first};
    }

    Bytes noise(std::uint64_t bytes) {
        Bytes tail(std::min<std::uint64_t>(bytes, 260));
        for (std::byte& byte : tail)
            byte = static_cast<std::byte>(choices_.below(256));
        return tail;
    }

    void fill(Step& step) {
        switch (step.opcode) {
            case 0x0001:
                return;
            case 0x0100:
                step.fields = {{}, {}};
                return;
            case 0x0200:
                return allocate(step);
            case 0x0202:
            case 0x0203:
                return transfer(step);
            case 0x0300:
                return load(step);
            case 0x0400:
                step.fields = {word(live(Kind::Context)), {}, {}};
                return;
            case kSubmit:
                return submit(step);
            default:
                step.fields = {word(live(operand(step.opcode)))};
        }
    }

    void allocate(Step& step) {
        step.fields = {word(live(Kind::Context)),
                       {choices_.any_of<std::uint64_t>({64, 100, 16, 1, 200, 256, 257})},
                       {choices_.any_of<std::uint64_t>({1, 16, 4096, 1ULL << 63})},
                       {1 + choices_.below(3)},
                       {},
                       {choices_.one_in(3) ? 1 + choices_.below(31) : 0x1f},
                       {}};
    }

    // Within `size` bytes, or just not.
    void range(std::uint64_t size, Word& offset, Word& bytes) {
        const auto whole = static_cast<std::uint32_t>(size);
        offset.value = choices_.one_in(3) ? choices_.below(whole + 1) : 0;
        bytes.value = 1 + choices_.below(whole - static_cast<std::uint32_t>(offset.value) + 1);
        if (choices_.one_in(20)) offset.value = choices_.any_of<std::uint64_t>({kMost, 1ULL << 40});
    }

    void transfer(Step& step) {
        const Known buffer = live(Kind::Buffer);
        step.fields = {word(buffer), {}, {}};
        range(buffer.object != nullptr ? buffer.object->contents.size() : 16, step.fields[1],
              step.fields[2]);
        if (step.opcode == 0x0202) step.tail = noise(step.fields[2].value);
    }

    void load(Step& step) {
        const auto bytes = choices_.any_of<std::uint64_t>({1, 24, 5, 160, 161});
        step.fields = {word(live(Kind::Context)),
                       {1 + choices_.below(3)},
                       {},
                       {choices_.below(1000)},
                       {bytes},
                       {choices_.any_of<std::uint64_t>({64, 1, 100, 256, 257, kMost})}};
        step.tail = noise(bytes);
    }

    void submit(Step& step) {
        const Known queue = live(Kind::Queue);
        const std::uint64_t context =
            queue.object != nullptr && !choices_.one_in(20) ? queue.object->context : 0;
        const std::uint32_t bindings = 1 + choices_.below(choices_.one_in(10) ? 6 : 3);
        step.fields = {word(queue),
                       word(live(Kind::Program, context)),
                       {bindings},
                       {},
                       {choices_.one_in(4) ? kMost : 0}};
        const bool descending = choices_.one_in(3);
        for (std::uint32_t i = 0; i < bindings; ++i) {
            const Known buffer = live(Kind::Buffer, context);
            Word offset;
            Word bytes;
            range(buffer.object != nullptr ? buffer.object->contents.size() : 16, offset, bytes);
            const std::uint64_t slot = choices_.one_in(30) ? 0 : descending ? 9 - i : i;
            const Word access{1 + choices_.below(3)};
            step.fields.insert(step.fields.end(),
                               {word(buffer), offset, bytes, Word{slot}, access, Word{}});
        }
    }

    // One thing that is wrong, or unusual.
    void spoil(Step& step) {
        switch (choices_.below(9)) {
            case 0:
                step.cut = 1 + choices_.below(40);
                return;
            case 1: {
                const Bytes more = noise(1 + choices_.below(choices_.one_in(4) ? 260 : 9));
                step.tail.insert(step.tail.end(), more.begin(), more.end());
                return;
            }
            case 2:
                step.flags = static_cast<std::uint16_t>(1U << choices_.below(16));
                return;
            case 3:
                step.request_id = choices_.any_of<std::uint64_t>({0, kMost});
                return;
            case 4:
                step.declared_bytes = choices_.any_of<std::uint32_t>({0, 8, 40, 0xFFFFFFFF});
                return;
            case 5:
                // An opcode that there is not, with a payload that might be something's.
                step.opcode = static_cast<std::uint16_t>(0x0504 + choices_.below(0xF000));
                step.fields.clear();
                return;
            case 6:
                step.room = choices_.below(130);
                return;
            default:
                break;
        }
        if (step.fields.empty()) return;
        Word& field = step.fields[choices_.below(static_cast<std::uint32_t>(step.fields.size()))];
        field = {.value = choices_.any_of<std::uint64_t>({0, 1, 2, 3, 4, 0x20, 0xFFFFFFFF,
                                                          1ULL << 32, 1ULL << 63, kMost, kMost - 15,
                                                          kMost - 23, kMost - 79})};
    }

    ErrorKind error() {
        if (choices_.one_in(40)) return ErrorKind::DeviceLost;
        return choices_.any_of({ErrorKind::Unsupported, ErrorKind::Incompatible,
                                ErrorKind::InvalidArgument, ErrorKind::OutOfBounds, ErrorKind::Busy,
                                ErrorKind::OutOfMemory, ErrorKind::ResourceLimit,
                                ErrorKind::DeadlineExpired, ErrorKind::PermissionDenied,
                                ErrorKind::External});
    }

    void inject(Step& step) {
        const auto add = [&](Op op, std::uint32_t rarity) {
            if (!choices_.one_in(rarity)) return;
            auto action = Action::Error;
            const auto other = static_cast<Action>(choices_.below(kActions));
            // An unknown release is the end of the device: seldom.
            const bool fatal = other == Action::Unknown && op != Op::Submit;
            if (legal(op, other) && (!fatal || choices_.one_in(8))) action = other;
            const std::uint32_t nth = step.reset ? choices_.below(3) : 0;
            const auto cause = has_error(action) ? error() : ErrorKind::External;
            step.injections.push_back({op, action, cause, nth});
        };
        if (step.reset) {
            for (unsigned op = 0; op < kOps; ++op)
                add(static_cast<Op>(op), 24);
            // An event that ends just before it would have been cancelled.
            if (choices_.one_in(3)) {
                const auto nth = choices_.below(3);
                step.injections.push_back({Op::CancelEvent, Action::Error, ErrorKind::Busy, nth});
                if (choices_.one_in(2))
                    step.injections.push_back(
                        {Op::PollEvent, Action::Complete, ErrorKind::External, 1 + 2 * nth});
            }
            return;
        }
        switch (step.opcode) {
            case 0x0100:
                return add(Op::CreateContext, 16);
            case 0x0101:
                return add(Op::DestroyContext, 16);
            case 0x0200:
                add(Op::AllocateBuffer, 8);
                return add(Op::FreeBuffer, 16);
            case 0x0201:
                return add(Op::FreeBuffer, 16);
            case 0x0202:
                return add(Op::WriteBuffer, 16);
            case 0x0203:
                return add(Op::ReadBuffer, 16);
            case 0x0300:
                return add(Op::LoadProgram, 16);
            case 0x0301:
                return add(Op::UnloadProgram, 16);
            case 0x0400:
                return add(Op::CreateQueue, 16);
            case 0x0401:
                return add(Op::DestroyQueue, 16);
            case kSubmit:
                return add(Op::Submit, 10);
            case 0x0501:
                return add(Op::PollEvent, 2);
            case 0x0502:
                return add(Op::CancelEvent, 12);
            case 0x0503:
                add(Op::PollEvent, 2);
                return add(Op::DestroyEvent, 16);
            default:
                return;
        }
    }

    Choices& choices_;
    const Run& run_;
};

}  // namespace

// splitmix64
std::uint32_t Seeded::below(std::uint32_t bound) {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return static_cast<std::uint32_t>((z ^ z >> 31) % bound);
}

Step next_step(Choices& choices, const Run& run, std::uint32_t label) {
    return Generator(choices, run).next(label);
}

}  // namespace model
