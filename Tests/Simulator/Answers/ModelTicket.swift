// ModelTicket: readable tokens and cursors. Clients must not look inside.

/// Tokens and cursors: texts that say what they stand for, so that traces can be read. Clients must not look inside.
package enum ModelTicket {
    /// A token: `t-<era>-<sequence>-<hash of the filter>`.
    struct Token: Hashable {
        let timeline: Int
        let sequence: Int64
        let filterHash: UInt64

        init(timeline: Int, sequence: Int64, filter: ModelFilter) {
            self.timeline = timeline
            self.sequence = sequence
            filterHash = filter.hash
        }

        init?(_ text: String) {
            let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard parts.count == 4, parts[0].elementsEqual("t".utf8), let timeline = Int(Substring(parts[1])),
                let sequence = Int64(Substring(parts[2])), let hash = UInt64(Substring(parts[3]), radix: 16)
            else { return nil }
            (self.timeline, self.sequence, filterHash) = (timeline, sequence, hash)
        }

        var text: String { "t-\(timeline)-\(sequence)-\(String(filterHash, radix: 16))" }
    }

    /// A cursor: `c-<b or i>-<era>-<bound>-<position>-<per_page>-<filter>`.
    struct Cursor: Hashable {
        let isBootstrap: Bool
        let timeline: Int
        let bound: Int64
        /// The number of the last change handed out, or how many resources were gone through.
        let position: Int64
        let perPage: Int
        let filter: ModelFilter

        init(
            isBootstrap: Bool, timeline: Int, bound: Int64, position: Int64, perPage: Int, filter: ModelFilter
        ) {
            self.isBootstrap = isBootstrap
            self.timeline = timeline
            self.bound = bound
            self.position = position
            self.perPage = perPage
            self.filter = filter
        }

        init?(_ text: String) {
            let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard parts.count == 7, parts[0].elementsEqual("c".utf8), let timeline = Int(Substring(parts[2])),
                let bound = Int64(Substring(parts[3])), let position = Int64(Substring(parts[4])),
                let perPage = Int(Substring(parts[5])), let filter = ModelFilter(String(Substring(parts[6])))
            else { return nil }
            self.init(
                isBootstrap: parts[1].elementsEqual("b".utf8), timeline: timeline, bound: bound, position: position,
                perPage: perPage, filter: filter)
        }

        var text: String {
            "c-\(isBootstrap ? "b" : "i")-\(timeline)-\(bound)-\(position)-\(perPage)-\(filter.text)"
        }
    }

    /// The number of the last change that a token stands for; `nil` for a text that is no token.
    package static func sequence(ofToken text: String) -> Int64? { Token(text)?.sequence }

    /// The era in which a token was given; `nil` for a text that is no token.
    package static func timeline(ofToken text: String) -> Int? { Token(text)?.timeline }

    /// Whether a token stands for nothing after `sequence`; `nil` for a text that is no token.
    package static func isToken(_ text: String, atOrBefore sequence: Int64) -> Bool? {
        Token(text).map { $0.sequence <= sequence }
    }
}
