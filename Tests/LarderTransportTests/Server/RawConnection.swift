// RawConnection: one accepted connection; every call blocks its thread.

import Foundation
import Synchronization

/// One accepted connection; every call blocks its thread.
final class RawConnection: Sendable {
    private let descriptor: Int32
    private let isClosed = Mutex(false)
    /// Bytes read beyond the last request.
    private let pending = Mutex<[UInt8]>([])

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { finish() }

    func finish() {
        let wasOpen = isClosed.withLock { closed in
            defer { closed = true }
            return !closed
        }
        if wasOpen { close(descriptor) }
    }

    /// Closes with a reset instead of an orderly end.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        finish()
    }

    /// Sends all of `bytes`; false when the client has gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { buffer in
                unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Whether the socket takes more bytes, or has not done so for a while.
    func isWritable(within milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&wanted, 1, milliseconds) > 0
    }

    func readToEnd() {
        while !read().isEmpty {}
    }

    /// The next whole request; `nil` when the client has gone.
    func readRequest() -> RawRequest? {
        var bytes = pending.withLock { $0 }
        while true {
            if let request = Self.parse(&bytes) {
                pending.withLock { $0 = bytes }
                return request
            }
            let more = read()
            if more.isEmpty { return nil }
            bytes += more
        }
    }

    private func read() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        return Array(buffer.prefix(max(0, count)))
    }

    private static func parse(_ bytes: inout [UInt8]) -> RawRequest? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in head.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count - end.upperBound >= length else { return nil }
        let body = Array(bytes[end.upperBound...].prefix(length))
        bytes.removeFirst(end.upperBound + length)
        return RawRequest(line: head.first.map(String.init) ?? "", fields: fields, body: body)
    }
}

/// The bytes of a whole response.
func response(_ status: String = "200 OK", fields: [String] = [], body: String = "") -> [UInt8] {
    Array(
        (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields + ["", body]).joined(separator: "\r\n")
            .utf8)
}
