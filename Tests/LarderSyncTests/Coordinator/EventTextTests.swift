// Proves that events, errors and waits read as plain sentences, without tokens or the content of rows.

import LarderFormat
import LarderStore
import LarderSync
import LarderTransport
import Testing

/// What a person reads: sentences, without tokens or the content of rows.
@Suite("The text of events", .timeLimit(.minutes(5)))
struct EventTextTests {
    private static let resource = ResourceKey("translations", 19)
    private static let failure = ResourceFailure(
        resource,
        SnapshotFailure(kind: .transient, count: 2, failedAt: 0, reason: "The server is failing (500)."))

    private static let table: [(SyncEvent, String)] = [
        (.began(filter: "a:*", kind: .bootstrap), "Fetching everything that “a:*” names."),
        (.began(filter: "a:*", kind: .incremental), "Fetching the changes of “a:*”."),
        (
            .tokenRejected(filter: "a:*"),
            "The server no longer accepts the token of “a:*”. All of it is fetched again; stored rows stay readable."
        ),
        (.page(number: 1, mutations: 0), "Page 1 has no changes."),
        (.page(number: 2, mutations: 1), "Page 2 has 1 change."),
        (.page(number: 3, mutations: 100), "Page 3 has 100 changes."),
        (
            .snapshot(resource, rows: 1, bytes: 512, totalBytes: 1024),
            "translations/19 is arriving: 1 row, 512 of 1024 bytes."
        ),
        (.snapshot(resource, rows: 9, bytes: 512, totalBytes: nil), "translations/19 is arriving: 9 rows, 512 bytes."),
        (.swapped(resource, rows: 2, bytes: 1, took: .zero), "translations/19 was replaced by a snapshot: 2 rows."),
        (
            .lagging(resource),
            "The snapshot of translations/19 is older than what is known, or not there yet; it is fetched again."
        ),
        (
            .resourceFailed(failure),
            "The snapshot of translations/19 could not be fetched (attempt 2): The server is failing (500)."
        ),
        (.hidden(resource), "translations/19 is not public any more and was hidden."),
        (.swept(resource), "translations/19 is in no filter any more; its rows were removed."),
        (
            .unknownMutation(type: "ROW_FOLD", resource),
            "A change of translations/19 was skipped: this version does not know the type “ROW_FOLD”."
        ),
        (.unknownGroup(resource), "translations/19 was skipped: the configuration names no type for its rows."),
        (.notStored(resource), "A change of translations/19 was recorded; its rows are not in the store."),
        (
            .schemaChanged(resource, from: 1, to: 2),
            "The rows of translations/19 have another shape than before: version 2 in place of 1."
        ),
        (.finished(SyncReport(filter: "a:*", kind: .incremental)), "“a:*” is up to date; nothing had changed."),
        (.finished(SyncReport(filter: "a:*", kind: .bootstrap)), "“a:*” is up to date."),
        (
            .failed(
                filter: "a:*", reason: SyncError.transport(.connectionRefused).description, retryIn: .seconds(90)),
            "Syncing “a:*” failed. The exchange with the server failed: the connection was refused. Next try in 90 s."
        ),
        (
            .slowed(filter: "a:*", rejections: 3, wait: .seconds(7200)),
            "The server has rejected “a:*” 3 times in a row. It is synced only every 2 h now."
        ),
        (.overdue(filter: "a:*"), "“a:*” has not been synced for too long."),
        (.intercepted, "Something other than the server responds: the network may want a sign-in."),
    ]

    @Test(arguments: table)
    func `reads as a plain sentence`(_ row: (SyncEvent, String)) {
        #expect(row.0.description == row.1)
    }

    @Test func `is there for every event`() {
        // A new case does not compile here before it has a line above.
        let kinds = Set(Self.table.map { Self.number($0.0) })
        #expect(kinds == Set(0...17))
    }

    private static func number(_ event: SyncEvent) -> Int {
        switch event {
        case .began: 0
        case .tokenRejected: 1
        case .page: 2
        case .snapshot: 3
        case .swapped: 4
        case .lagging: 5
        case .hidden: 6
        case .swept: 7
        case .unknownMutation: 8
        case .unknownGroup: 9
        case .notStored: 10
        case .schemaChanged: 11
        case .finished: 12
        case .failed: 13
        case .slowed: 14
        case .overdue: 15
        case .intercepted: 16
        case .resourceFailed: 17
        }
    }

    private static let errors: [SyncError] = [
        .transport(.timeout(.head)), .transport(.noConnection(reason: "no route")),
        .transport(.bodyTooLarge(limit: 5)), .transport(.cancelled), .wire(.duplicate(path: "sync"), request: .page),
        .unauthorized(problem), .rateLimited(problem, retryAfter: 5), .rateLimited(problem, retryAfter: nil),
        .unavailable(problem, retryAfter: nil), .refused(problem),
        .refused(ServerProblem(status: 422, code: nil, message: secret)), .endlessResync,
        .inconsistentRun(reason: "two bounds"), .outsideFilter(resource), .laggingSnapshot(resource),
        .wrongSnapshot(resource), .superseded, .offline, .intercepted(status: nil), .intercepted(status: 511),
        .incomplete([failure]), .incomplete([failure, failure, failure, failure]), .serverWait(seconds: 5),
        .laggingServer, .cancelled, .credentials(Anything()), .store(Anything()),
    ]

    private static let secret = "token-of-somebody"
    private static let problem = ServerProblem(status: 422, code: "invalid_request", message: secret)

    /// An error of somebody else's.
    private struct Anything: Error, CustomStringConvertible {
        let description = "it is full"
    }

    @Test(arguments: errors)
    func `of a failure reads as a sentence, without the server's own words`(_ error: SyncError) {
        let text = error.description
        #expect(text.first?.isUppercase == true && text.hasSuffix(".") && !text.hasSuffix(".."), "\(text)")
        for bad in ["Optional", "nil", "  ", " .", " )", "()", Self.secret] { #expect(!text.contains(bad), "\(text)") }
    }

    @Test(arguments: [
        (Duration.zero, "less than a second"), (.milliseconds(999), "less than a second"),
        (.seconds(-5), "less than a second"), (.seconds(1), "1 s"),
        (.seconds(119), "119 s"), (.seconds(120), "2 min"), (.seconds(7199), "119 min"), (.seconds(7200), "2 h"),
        (.seconds(172_799), "47 h"), (.seconds(172_800), "2 days"),
    ])
    func `of a wait is rounded to a readable unit`(_ wait: Duration, _ words: String) {
        let text = SyncEvent.failed(filter: "a:*", reason: "", retryIn: wait).description
        #expect(text.hasSuffix("Next try in \(words)."))
    }
}
