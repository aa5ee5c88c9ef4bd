#if Server
import Foundation
import LarderFormat
import LarderStore
import LarderSync
import LarderServer

extension Walkthrough {
    /// Fills the origin with Debian's word lists and code tables.
    func fillOrigin() async throws {
        screen.heading("A server with real content")
        let clock = ContinuousClock()
        var words = 0
        var codes = 0
        let time = try await clock.measure {
            var loader = ContentLoader(into: origin)
            words = try WordNet().load(into: &loader)
            codes = try ISOCodes().load(into: &loader)
            _ = try await loader.commit()
        }
        screen.line(
            "\(Figures.count(words)) WordNet synsets and \(Figures.count(codes)) ISO codes in \(Figures.time(time))")
    }

    /// Syncs everything into an empty store.
    func bootstrap(_ store: Store, _ baseURL: String) async throws {
        screen.heading("Bootstrap: everything into one file")
        let start = ContinuousClock.now
        let report = try await makeSync(store, baseURL).sync(ResourceFilter(Self.filter))
        let time = start.duration(to: .now)
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        screen.line(
            "\(report.snapshots) resources, \(Figures.count(report.snapshotRows)) rows in \(Figures.time(time))")
        screen.addRow("rows", Figures.count(report.snapshotRows))
        screen.addRow("bytes over the wire", Figures.bytes(report.snapshotBytes))
        screen.addRow("rows per second", Figures.count(Int(Double(report.snapshotRows) / seconds)))
    }

    /// Edits rows on the server and syncs only those.
    func syncEdits(_ store: Store, _ baseURL: String) async throws {
        screen.heading("Edits on the server, synced by difference")
        let nouns = Origin.ResourceID("wordnet", 1)
        let editedRows = try store.read { view in try view.rows(in: .type("synset", of: Self.nouns), limit: 12) }
        for row in editedRows.prefix(10) {
            let text = #"{"edited":true,"gloss":"changed on the server"}"#
            _ = try origin.putRow(Origin.Row(type: "synset", key: row.key.key, text), in: nouns)
        }
        for row in editedRows.suffix(2) { _ = try origin.deleteRow(Origin.RowKey("synset", row.key.key), in: nouns) }
        let start = ContinuousClock.now
        let report = try await makeSync(store, baseURL).sync(ResourceFilter(Self.filter))
        screen.line(
            "\(report.rowsChanged) rows changed on the server and here, in \(Figures.time(start.duration(to: .now)))")
        guard report.kind == .incremental, report.rowsChanged == 12, report.snapshots == 0 else {
            throw DemoError("the edits did not come as 12 row changes")
        }
        screen.addRow("incremental sync of 12 edits", Figures.time(start.duration(to: .now)))
    }

    /// Replaces every noun on the server with a new edition.
    func publishEdition(_ edition: Int) throws {
        let nouns = Origin.ResourceID("wordnet", 1)
        let rows = (origin.rows(of: nouns) ?? []).map { row in
            Origin.Row(type: row.key.type, key: row.key.key, "{\"edition\":\(edition),\"key\":\"\(row.key.key)\"}")
        }
        _ = try origin.replaceRows(of: nouns, with: rows)
    }
}
#endif
