// LoopbackServer: serves an origin over HTTP/1.1 on 127.0.0.1.

import Foundation
import LarderServer
import Synchronization

/// Serves an origin over HTTP/1.1 on 127.0.0.1, one request per connection, at most a hundred.
final class LoopbackServer: Sendable {
    let origin = Origin(secret: TokenSecret(1, 2), now: { 1_700_000_000_000 })
    let port: UInt16
    /// The heads of the requests so far.
    let requests = Mutex<[String]>([])
    private let listener: Int32
    /// Whether snapshots begin and never end.
    private let isStalling: Bool
    /// Signalled with every request.
    let arrival = DispatchSemaphore(value: 0)

    init(isStalling: Bool = false) throws {
        self.isStalling = isStalling
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, size) = (listener, length)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 ? getsockname(listener, pointer, &length) : -1
            }
        }
        guard code == 0, listen(listener, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [weak self] in
            for _ in 0..<100 {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                self.serve(connection)
            }
        }.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var url: String { "http://127.0.0.1:\(port)/content" }

    private func serve(_ connection: Int32) {
        var head: [UInt8] = []
        while !head.ends(with: "\r\n\r\n".utf8), head.count < 65_536 {
            var byte: UInt8 = 0
            guard unsafe read(connection, &byte, 1) == 1 else { break }
            head.append(byte)
        }
        let text = String(decoding: head, as: UTF8.self)
        requests.withLock { $0.append(text) }
        let target = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let (status, body) = answer(target)
        let isStalled = isStalling && !target.contains("/sync?")
        let length = isStalled ? body.count + 1_000_000 : body.count
        let answer = "HTTP/1.1 \(status) .\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n"
        send(Array(answer.utf8) + body, connection)
        // A stalled connection stays open; the process's end closes it.
        if !isStalled { close(connection) }
        if isStalled || !isStalling { arrival.signal() }
    }

    private func answer(_ target: String) -> (status: Int, body: [UInt8]) {
        let prefix = "/content/api/v4/resources/"
        guard target.hasPrefix(prefix) else { return (404, []) }
        let path = target.dropFirst(prefix.count)
        do throws(OriginProblem) {
            if path.hasPrefix("sync?") {
                return (200, try origin.page(OriginQuery(parsing: String(path.dropFirst(5)))).body)
            }
            let parts = path.split(separator: "/")
            guard parts.count == 3, let id = Int64(parts[2]) else { return (404, []) }
            return (200, Array(try origin.snapshot(of: Origin.ResourceID(String(parts[1]), id)).joined()))
        } catch {
            return (error.status, error.body)
        }
    }

    private func send(_ bytes: [UInt8], _ connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Foundation.send(
                    connection, buffer.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate func ends(with suffix: some Collection<UInt8>) -> Bool {
        count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
    }
}
