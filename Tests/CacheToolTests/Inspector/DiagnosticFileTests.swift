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

    /// A change of a temporary copy would be lost.
    @Test(arguments: [true, false])
    func `is refused by every verb that writes, and unchanged`(isDiagnostic: Bool) async throws {
        if isDiagnostic {
            try await make()
        } else {
            let inspected = try await InspectedStore()
            try inspected.store.close()
            try FileManager.default.copyItem(atPath: inspected.sample.path + "/data.mdb", toPath: file)
        }
        let before = try Data(contentsOf: URL(filePath: file))
        let id = InspectedStore.failed.description
        for arguments in [
            ["outbox", "drop", file, id, "--yes"], ["outbox", "retry", file, id], ["pin", file, "translations/19"],
            ["evict", file, "translations/19"], ["compact", file], ["inspect", file, "--allow-changes"],
            ["sync", file, "http://127.0.0.1:9", "translations:19"],
        ] {
            let outcome = try Tool.run(Tool.path, arguments)
            #expect(outcome.status == ExitStatus.system.rawValue, "\(arguments): \(outcome.errorOutput)")
            #expect(outcome.errorOutput.contains("is a file: name the directory of a store"))
        }
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
    }

    @Test func `removes the copies of processes that were killed, and says what is wrong with TMPDIR`() async throws {
        try await make()
        // The process has ended, so its number names none.
        let killed = FileManager.default.temporaryDirectory.appending(
            path: "cachetool-copy-0.new-\(try endedProcess())")
        try FileManager.default.createDirectory(at: killed, withIntermediateDirectories: false)
        let outcome = try Tool.run("stat", file)
        #expect(outcome.status == 0 && outcome.errorOutput.contains("a diagnostic copy of"), "\(outcome.errorOutput)")
        #expect(!FileManager.default.fileExists(atPath: killed.path))
        let refused = try Tool.run("/usr/bin/env", ["TMPDIR=/nonexistent", Tool.path, "stat", file])
        #expect(refused.status == ExitStatus.system.rawValue && refused.errorOutput.contains("set TMPDIR"))
    }

    private func endedProcess() throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        return process.processIdentifier
    }

    @Test func `is no pipe, which would never end`() throws {
        try #require(unsafe mkfifo(file, 0o600) == 0)
        let outcome = try Tool.run("stat", file)
        #expect(outcome.status == ExitStatus.system.rawValue)
        #expect(outcome.errorOutput.contains("neither a directory nor a regular file"))
    }

    @Test(arguments: ["", "no store", "no store, and longer than what LMDB has at its beginning"])
    func `that is none is refused with what to do`(content: String) throws {
        try Data(content.utf8).write(to: URL(filePath: file))
        let outcome = try Tool.run("stat", file)
        #expect(outcome.status == ExitStatus.system.rawValue)
        #expect(outcome.errorOutput.contains("is no store, or its first page is lost: name a store's"))
    }

    private func temporaryCopies() throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
        return Set(names.filter { $0.hasPrefix("cachetool-") })
    }
}
