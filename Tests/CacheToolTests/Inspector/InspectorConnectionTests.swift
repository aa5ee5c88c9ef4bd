// Proves what the inspector's server answers before a page is made, and that the tool explains a port that is in use.

import Foundation
import LarderFormat
import LarderStore
import Testing

@testable import cachetool

#if Server
@Suite struct `The inspector's connections` {
    /// Sends bytes to the inspector's port, and returns what comes back until the connection ends.
    private func exchange(_ port: Int, _ text: String) async throws -> String {
        let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '%b' \"$1\" >&3; timeout 10 cat <&3"
        return try await run("/usr/bin/env", ["bash", "-c", script, "bash", text]).text
    }

    /// Runs a program on a thread of its own: the server needs those that tests share.
    private func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try Tool.run(program, arguments) }) }
        }
    }

    private func serving(
        now: @escaping @Sendable () -> Int64 = { InspectedStore.now },
        _ body: (_ port: Int, InspectedStore) async throws -> Void
    ) async throws {
        let inspected = try await InspectedStore(allowsChanges: true)
        let (store, path) = (inspected.store, inspected.sample.path)
        let server = InspectorServer { port in
            Inspector(store: store, path: path, token: "secret", port: port, allowsChanges: true, now: now)
        }
        try await server.serve(port: 0) { address in
            let port = try #require(address.split(separator: "/")[1].split(separator: ":").last.flatMap { Int($0) })
            try await body(port, inspected)
        }
    }

    @Test func `are refused when they name two hosts`() async throws {
        try await serving { port, _ in
            let host = "Host: 127.0.0.1:\(port)\\r\\n"
            let request = "GET /secret/ HTTP/1.1\\r\\n\(host)Connection: close\\r\\n"
            let one = try await exchange(port, request + "\\r\\n")
            let two = try await exchange(port, request + "Host: elsewhere.test\\r\\n\\r\\n")
            #expect(one.hasPrefix("HTTP/1.1 200") && two.hasPrefix("HTTP/1.1 400"), "\(two)")
        }
    }

    @Test func `are refused without the token before a body is read`() async throws {
        try await serving { port, _ in
            let head = "POST /wrong/drop HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\nConnection: close\\r\\n"
            // The body never comes.
            let answer = try await exchange(port, head + "Content-Length: 60000\\r\\n\\r\\n")
            #expect(answer.hasPrefix("HTTP/1.1 403"), "\(answer)")
        }
    }

    @Test func `are answered while pages take long`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let time: @Sendable () -> Int64 = {
            gate.wait()
            gate.signal()
            return InspectedStore.now
        }
        try await serving(now: time) { port, _ in
            let end = " HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\nConnection: close\\r\\n\\r\\n"
            async let slow = (exchange(port, "GET /secret/\(end)"), exchange(port, "GET /secret/sync\(end)"))
            async let third = exchange(port, "GET /secret/outbox\(end)")
            let quick = try await exchange(port, "GET /secret/commit\(end)")
            gate.signal()
            let pages = try await [slow.0, slow.1, third]
            #expect(quick.hasPrefix("HTTP/1.1 200") && pages.allSatisfy { $0.hasPrefix("HTTP/1.1 200") })
        }
    }

    @Test func `show no store that was removed or replaced`() async throws {
        let inspected = try await InspectedStore()
        let path = inspected.sample.path
        #expect(inspected.get(.overview).status == 200)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        #expect(inspected.get(.overview).status == 410)
        try FileManager.default.copyItem(atPath: path + ".old", toPath: path)
        #expect(inspected.get(.overview).status == 410)
        #expect(inspected.get(.overview).text.contains("was removed or replaced"))
        try FileManager.default.removeItem(atPath: path + ".old")
    }

    @Test func `need a port that no other program has`() async throws {
        try await serving { port, inspected in
            let outcome = try await run(Tool.path, ["inspect", inspected.sample.path, "--port", "\(port)"])
            #expect(outcome.status == ExitStatus.system.rawValue)
            #expect(outcome.errorOutput.contains("Port \(port) is in use"), "\(outcome.errorOutput)")
        }
    }
}
#endif
