/// The record `meta` ("waits"): the times until which no requests may be sent to servers.
///
/// FORMAT.md, "meta". At most ``Limits/serverWaits`` servers.
package struct ServerWaitsRecord: TupleRecord, Hashable, Sendable {
    /// The wait that one server requested.
    package struct Wait: Hashable, Sendable {
        /// Scheme and authority of the server, in lower case.
        package var server: String
        /// The end of the wait, in milliseconds since 1970-01-01 UTC.
        package var until: Int64
        /// When the wait was requested, likewise.
        package var recordedAt: Int64

        /// A wait of these parts.
        package init(server: String, until: Int64, notedAt: Int64) {
            self.server = server
            self.until = until
            self.recordedAt = notedAt
        }
    }

    /// The waits; no two are of the same server.
    package var waits: [Wait] = []

    /// A record without waits.
    package init() {}

    /// A record of these waits.
    package init(waits: [Wait]) {
        self.waits = waits
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.list(&waits, of: Wait(server: "", until: 0, notedAt: 0)) { coder, wait in
            coder.text(&wait.server)
            coder.integer(&wait.until)
            coder.integer(&wait.recordedAt)
        }
    }

    /// The key, ("waits").
    package static var key: [UInt8] { TupleWriter.bytes { $0.append(text: "waits") } }
}
