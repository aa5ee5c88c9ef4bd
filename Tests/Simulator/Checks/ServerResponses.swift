// ServerResponses: the responses that a commit may be based on, and the open requests.

internal import LarderFormat

/// What the server has answered, as far as a commit may follow from it, and what is being asked.
struct ServerResponses {
    /// The last page that came of a filter.
    struct Page {
        /// The server's era when it was asked for.
        let timeline: Int
        let next: String?
        let token: String?
    }

    /// The last answer to a snapshot request.
    struct Snapshot {
        /// The server's era when it was asked for.
        let timeline: Int
        let isMissing: Bool
    }

    var pages: [String: Page] = [:]
    var copies: [ResourceKey: Snapshot] = [:]
    /// The filters of which a page was answered 410 since their last run asked for its first one.
    private(set) var rejected: Set<String> = []
    /// What is asked for now.
    private var openRequests: Set<String> = []

    /// A process begins with nothing asked for.
    mutating func reset() {
        pages = [:]
        copies = [:]
        openRequests = []
        rejected = []
    }

    /// One page of a filter, and one snapshot of a resource, is requested at a time.
    mutating func open(_ open: OpenExchange) throws {
        if let request = open.request, let text = request.filter?.text {
            if case .cursor = request.kind {} else { rejected.remove(text) }
        }
        if case .snapshot(let id) = open.request?.kind { copies[ResourceKey(id.group, id.id)] = nil }
        guard let name = name(of: open) else { return }
        if !openRequests.insert(name).inserted {
            throw Violation(.oneRunAtATime, "\(name) is asked for twice at a time")
        }
    }

    /// Notes the status of an answer to the request of a page.
    mutating func record(_ status: Int?, ofPageOf text: String) {
        if status == 410 { rejected.insert(text) }
    }

    mutating func close(_ open: OpenExchange) {
        if let name = name(of: open) { openRequests.remove(name) }
    }

    private func name(of open: OpenExchange) -> String? {
        if case .snapshot(let id) = open.request?.kind { return "\(id)" }
        return open.request?.filter?.text
    }

    /// Whether a run that covers a resource has last asked a server of another era.
    func isOfOtherTimeline(_ resource: ResourceKey, than timeline: Int?) -> Bool {
        pages.contains { text, page in
            page.timeline != timeline && ModelFilter(text)?.covers(ModelServer.ResourceID(resource)) == true
        }
    }
}
