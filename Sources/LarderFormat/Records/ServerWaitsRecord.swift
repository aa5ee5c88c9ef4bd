/// The record `meta` ("waits"): until when servers asked to be left alone.
///
/// FORMAT.md, "meta". At most ``Limits/serverWaits`` servers.
package struct ServerWaitsRecord: Hashable, Sendable {
    /// What one server asked for.
    package struct Wait: Hashable, Sendable {
        /// Scheme and authority of the server, in lower case.
        package var server: String
        /// Until when, in milliseconds since 1970-01-01 UTC.
        package var until: Int64
        /// When it was asked for, likewise.
        package var notedAt: Int64

        /// A wait of these parts.
        package init(server: String, until: Int64, notedAt: Int64) {
            self.server = server
            self.until = until
            self.notedAt = notedAt
        }
    }

    /// The waits; no two are of the same server.
    package var waits: [Wait]

    /// A record of these waits.
    package init(waits: [Wait] = []) {
        self.waits = waits
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        let list = try reader.bytes()
        var listReader = TupleReader(list.rawSpan)
        waits = []
        while !listReader.isAtEnd {
            waits.append(
                Wait(
                    server: try listReader.text(), until: try listReader.integer(), notedAt: try listReader.integer()))
        }
    }

    /// The body.
    package func encode() -> [UInt8] {
        var list = TupleWriter()
        for wait in waits {
            list.append(text: wait.server)
            list.append(integer: wait.until)
            list.append(integer: wait.notedAt)
        }
        var writer = TupleWriter()
        writer.append(bytes: list.bytes)
        return writer.bytes
    }

    /// The key, ("waits").
    package static var key: [UInt8] {
        var writer = TupleWriter()
        writer.append(text: "waits")
        return writer.bytes
    }
}
