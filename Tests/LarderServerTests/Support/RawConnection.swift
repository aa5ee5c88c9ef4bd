// RawConnection: a plain socket that reads only on request, as a slow client does.

#if Server && canImport(Glibc)
import Dispatch
import Glibc

/// A plain socket that reads only on request, as a slow client does.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// Connects to a port of this machine and sends `text`.
    init?(port: UInt16, sending text: String) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var size: Int32 = 4096
        guard descriptor >= 0,
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)) == 0
        else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let bytes = Array(text.utf8)
        let sent = unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, 0) }
        guard connected == 0, sent == bytes.count else { return nil }
    }

    deinit { close(descriptor) }

    /// Waits for up to `count` bytes, on no thread that tasks need; none when the server closed.
    func read(_ count: Int) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.receive(count)) }
        }
    }

    private func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(0, received)))
    }
}
#endif
