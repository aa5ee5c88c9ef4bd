// HostileConnection: one blocking connection of a HostileServer.

import Foundation
import Synchronization

/// One connection of a ``HostileServer``; every call blocks its thread.
final class HostileConnection: Sendable {
    private let descriptor: Int32
    private let state = Mutex((received: [UInt8](), taken: 0))

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Every byte that came in.
    var received: [UInt8] { state.withLock { $0.received } }

    /// Ends the sending side: the client receives the end of the stream.
    func end() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// The path of the next request, which has no body; nil when the client has gone.
    func nextPath() -> String? {
        while true {
            let head = state.withLock { state -> [UInt8]? in
                let rest = state.received[state.taken...]
                guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
                state.taken = end.upperBound
                return Array(rest[..<end.lowerBound])
            }
            if let head {
                let line = String(decoding: head.prefix { $0 != 0x0D }, as: UTF8.self)
                return line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            }
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return nil }
            state.withLock { $0.received += buffer[..<count] }
        }
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

    /// Sends `piece` again and again until `total` bytes are out; false when the client has gone before.
    @discardableResult
    func sendRepeatedly(_ piece: String, total: Int) -> Bool {
        let single = Array(piece.utf8)
        let times = max(1, (64 << 10) / single.count)
        let block = Array(repeatElement(single, count: times).joined())
        for _ in 0...(total / block.count) {
            guard send(block) else { return false }
        }
        return true
    }
}
