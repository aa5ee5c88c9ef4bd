// Proves that a filter's last runs are stored with their times, counts and shortened errors.

import LarderFormat
import LarderStore
import Testing

@Suite struct `The stored attempts of a filter` {
    let directory = TemporaryStore()

    private func editFilter(_ store: Store, _ edit: @escaping @Sendable (inout FilterState) -> Void) async throws {
        try await store.write { transaction in try transaction.updateFilter("translations:*", edit) }
    }

    private func state(_ store: Store) throws -> FilterState {
        try #require(try store.read { view in try view.filters() }.first)
    }

    @Test func `are empty for a filter that was never run`() async throws {
        let store = try directory.open()
        try await editFilter(store) { _ in }
        let state = try state(store)
        #expect(state.lastRunAt == nil && state.nextRunAt == nil && state.lastError == nil)
        #expect(state.failures == 0 && state.resyncs == 0 && state.resyncedAt == nil)
        #expect(state.run == 0 && state.pagesDone == 0)
        try store.close()
    }

    @Test func `survive a close of the store`() async throws {
        let first = try directory.open()
        try await editFilter(first) {
            $0.lastRunAt = 10
            $0.nextRunAt = 70
            $0.failures = 3
            $0.lastError = "no route to the server"
            $0.resyncs = 2
            $0.resyncedAt = 9
            $0.run = 4
            $0.pagesDone = 5
        }
        try first.close()
        let store = try directory.open()
        let state = try state(store)
        #expect(state.lastRunAt == 10 && state.nextRunAt == 70 && state.failures == 3)
        #expect(state.lastError == "no route to the server")
        #expect(state.resyncs == 2 && state.resyncedAt == 9 && state.run == 4 && state.pagesDone == 5)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test(
        arguments: [
            ("two\nlines\r\n", "two lines  "), ("\u{1B}[2Jgone\u{9B}", " [2Jgone "), ("a\u{2028}b\0c", "a b c"),
            ("", nil), ("\n\n", nil), ("größer", "größer"),
        ] as [(String, String?)])
    func `have an error of one line without control characters`(text: String, expected: String?) async throws {
        let store = try directory.open()
        try await editFilter(store) { $0.lastError = text }
        #expect(try state(store).lastError == expected)
        try store.close()
    }

    @Test(
        arguments: [
            ("x", 600), ("é", 300), ("€", 300), ("😀", 200), ("x", 512), ("\u{9B}", 600),
        ] as [(String, Int)])
    func `cut a long error between code points`(piece: String, count: Int) async throws {
        let store = try directory.open()
        try await editFilter(store) { $0.lastError = "!" + String(repeating: piece, count: count) }
        let text = try #require(try state(store).lastError)
        #expect(text.utf8.count <= Limits.errorText)
        #expect(text.utf8.count > Limits.errorText - piece.utf8.count)
        #expect(("!" + String(repeating: piece == "\u{9B}" ? " " : piece, count: count)).hasPrefix(text))
        try store.close()
    }
}
