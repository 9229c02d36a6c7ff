// SPDX-License-Identifier: MIT
//
// xrt::xclbin, as strict about the header as XRT.
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "xdna/double/binaries.hpp"
#include "xdna/double/device.hpp"

// What binaries.cpp writes.
static_assert(sizeof(axlf) == 496);
static_assert(offsetof(axlf, m_header) + offsetof(axlf_header, m_length) == 304);
static_assert(offsetof(axlf, m_header) + offsetof(axlf_header, uuid) == 416);

namespace xrt {

using xrt_double::control;

class xclbin_impl {
 public:
    explicit xclbin_impl(std::span<const char> bytes) : counted_("xclbin") {
        if (bytes.size() < sizeof(axlf))
            throw std::runtime_error("xclbin: buffer too small to contain header");
        axlf header;
        std::memcpy(&header, bytes.data(), sizeof header);
        if (std::strncmp(header.m_magic, "xclbin2", 7) != 0)
            throw std::runtime_error("Invalid xclbin");
        if (header.m_header.m_length != bytes.size())
            throw std::runtime_error("xclbin: m_length does not match buffer size");
        const auto known = xrt_double::spec_of(std::as_bytes(bytes));
        if (!known) throw std::runtime_error("XRT double: not an xclbin for the double");
        spec = *known;
        id = uuid(header.m_header.uuid);
    }

    xdna::Spec spec;
    uuid id;

 private:
    xrt_double::Counted counted_;
};

static std::shared_ptr<xclbin_impl> parse(std::span<const char> bytes) {
    control().enter("xclbin");
    return std::make_shared<xclbin_impl>(bytes);
}

xclbin::xclbin(const std::string_view& data) : detail::pimpl<xclbin_impl>(parse(data)) {}
uuid xclbin::get_uuid() const {
    return handle->id;
}
uuid device::register_xclbin(const xclbin& file) {
    control().enter("register_xclbin");
    handle->enroll(file.get_handle()->id, file.get_handle()->spec);
    return file.get_handle()->id;
}

}  // namespace xrt
