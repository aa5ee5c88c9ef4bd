// Proves that the tool shows a file that an app's diagnostics() has made, as of the time when it was made.

import Foundation
import LarderFormat
import LarderStore
import Testing

@testable import cachetool

@Suite(.serialized) struct `A diagnostic file` {
    private let directory = TemporaryDirectory()
    private var file: String { directory.path + "/words.larder" }

    /// Makes the file of the sample store.
    private func make() async throws {
        let inspected = try await InspectedStore()
        try inspected.store.writeDiagnostics(
            to: directory.path + "/copy", facts: [("Sync", "network offline\n<b>a:*</b>")])
        try inspected.store.close()
        try FileManager.default.moveItem(atPath: directory.path + "/copy/data.mdb", toPath: file)
    }

    @Test func `is shown by every page, without rows`() async throws {
        try await make()
        let store = try StoreArgument.open(DiagnosticFile.directory(of: file))
        defer { try? store.close() }
        let diagnostics = try #require(try store.read { view in try view.diagnostics() })
        let inspector = Inspector(
            store: store, path: file, token: "secret", port: 8080, allowsChanges: false, diagnostics: diagnostics)
        for page in InspectorPage.allCases where ![.row, .write, .response, .resource].contains(page) {
            let target = "/secret/\(InspectorLink(page).target.dropFirst(page == .overview ? 1 : 2))"
            let response = inspector.respond(to: InspectorRequest(target: target, host: "127.0.0.1:8080"))
            #expect(response.status == 200, "\(page)")
            #expect(!response.text.contains("bookmarks/") && response.text.contains("diagnostic copy"))
        }
        let overview = inspector.respond(to: InspectorRequest(target: "/secret/", host: "127.0.0.1:8080")).text
        #expect(overview.contains("network offline\n&lt;b&gt;a:*&lt;/b&gt;") && overview.contains("304"))
    }

    @Test func `is read by the other verbs, and leaves nothing behind`() async throws {
        try await make()
        let before = try temporaryCopies()
        let doctor = try Tool.run("doctor", file)
        #expect(doctor.text.contains("503") || doctor.status != 70, "\(doctor.text)\(doctor.errorOutput)")
        let stat = try Tool.run("stat", file, "--json")
        #expect(try stat.objects().first?["rows"] as? Int == 304)
        #expect(try Tool.run("verify", file).status == 0)
        let dump = try Tool.run("dump", file).text
        #expect(dump.contains("\"fileSize\"") && !dump.contains("bookmarks"), "\(dump.prefix(3_000))")
        #expect(try Tool.run("outbox", "list", file).text.contains("verse.edit"))
        #expect(try temporaryCopies().subtracting(before).isEmpty)
    }

    @Test func `is not changed by a verb that writes`() async throws {
        try await make()
        let before = try Data(contentsOf: URL(filePath: file))
        #expect(try Tool.run("outbox", "drop", file, InspectedStore.failed.description).status != 0)
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
    }

    @Test func `that is none is refused with a reason`() throws {
        try Data("no store".utf8).write(to: URL(filePath: file))
        let outcome = try Tool.run("stat", file)
        #expect(outcome.status != 0 && !outcome.errorOutput.isEmpty, "\(outcome.errorOutput)")
    }

    private func temporaryCopies() throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
        return Set(names.filter { $0.hasPrefix("cachetool-") })
    }
}
