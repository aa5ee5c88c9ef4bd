// Proves that `cachetool inspect` serves its pages over HTTP on 127.0.0.1 alone, and ends when it is interrupted.
#if Server
import Foundation
import Testing

@testable import cachetool

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct `The verb inspect` {
    @Test func `prints an address, answers it, and ends cleanly`() async throws {
        let sample = try await SampleStore()
        let tool = try WatchedTool(["inspect", sample.path])
        let address = try #require(URL(string: try tool.line()))
        #expect(address.host() == "127.0.0.1" && address.path().count == 34)
        let (page, response) = try await URLSession.shared.data(from: address)
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 200 && String(decoding: page, as: UTF8.self).contains("translations:19"))
        for (name, value) in InspectorResponse.fields { #expect(http.value(forHTTPHeaderField: name) == value) }
        let root = try #require(URL(string: "/", relativeTo: address))
        let (refusal, refused) = try await URLSession.shared.data(from: root)
        #expect(
            (refused as? HTTPURLResponse)?.statusCode == 403 && !String(decoding: refusal, as: UTF8.self).contains("19")
        )
        var form = URLRequest(url: address.appending(path: "drop"))
        form.httpMethod = "POST"
        form.httpBody = Data(repeating: 0x61, count: 1 << 20)
        let (_, long) = try await URLSession.shared.data(for: form)
        #expect((400...499).contains((long as? HTTPURLResponse)?.statusCode ?? 0))
        #expect(tool.interrupt() == ExitStatus.ok.rawValue)
    }

    @Test func `refuses what it cannot do`() throws {
        #expect(try Tool.run("inspect", "/nowhere/store").status == ExitStatus.system.rawValue)
        #expect(try Tool.run("inspect", "/tmp", "--port", "70000").status == ExitStatus.usage.rawValue)
    }
}
#endif
