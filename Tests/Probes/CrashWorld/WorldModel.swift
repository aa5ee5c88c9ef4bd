// WorldModel: what a client must see of each resource after each change.

public import LarderFormat

/// What a client has to see of each resource after each change.
public struct WorldModel: Sendable {
    private enum Event: Sendable {
        case replaced(version: Int)
        case put(key: Int, version: Int)
        case deleted(key: Int)
        case hidden
        case published
    }

    /// The rows of a resource after one change: all of one version, but for some.
    public struct Rows: Sendable {
        fileprivate var version = 0
        fileprivate var count = 0
        /// Version by key; nil where the row is gone.
        fileprivate var exceptions: [Int: Int?] = [:]

        /// The version of a row, or nil when there is none.
        public func version(of key: Int) -> Int? {
            if let exception = exceptions[key] { return exception }
            return (1...count).contains(key) ? version : nil
        }

        /// How many rows there are.
        public var rowCount: Int {
            exceptions.reduce(count) { sum, exception in
                let was = (1...count).contains(exception.key)
                return sum + (exception.value == nil ? 0 : 1) - (was ? 1 : 0)
            }
        }
    }

    private var events: [ResourceKey: [(sequence: Int64, event: Event)]] = [:]

    /// The history of a server without content.
    public init() {}

    /// Whether the resource is hidden after all changes.
    public func isHidden(_ resource: ResourceKey) -> Bool { !isPublic(resource, at: .max) }

    /// Whether the resource is public after the change `sequence`.
    public func isPublic(_ resource: ResourceKey, at sequence: Int64) -> Bool {
        let last = events[resource, default: []].last { entry in
            switch entry.event {
            case .hidden, .published: entry.sequence <= sequence
            default: false
            }
        }
        guard case .published? = last?.event else { return false }
        return true
    }

    /// Whether the resource is hidden by a change after `sequence`: a snapshot requested because of an earlier one may
    /// already be gone then, and its absence hides the resource at that earlier change.
    public func isHidden(_ resource: ResourceKey, after sequence: Int64) -> Bool {
        events[resource, default: []].contains { entry in
            guard case .hidden = entry.event else { return false }
            return entry.sequence > sequence
        }
    }

    /// The latest change at or below `sequence` that rows of the resource have to contain; 0 when there is none.
    public func lastChange(of resource: ResourceKey, upTo sequence: Int64) -> Int64 {
        events[resource, default: []].last { $0.sequence <= sequence }?.sequence ?? 0
    }

    /// The rows of a resource after the change `sequence`.
    public func rows(of content: World.Content, at sequence: Int64) -> Rows {
        var rows = Rows()
        for (number, event) in events[content.key, default: []] where number <= sequence {
            switch event {
            case .replaced(let version): rows = Rows(version: version, count: content.count)
            case .put(let key, let version): rows.exceptions[key] = .some(version)
            case .deleted(let key): rows.exceptions[key] = .some(nil)
            case .hidden, .published: break
            }
        }
        return rows
    }

    /// The resources that a filter covers and that are public after the change `sequence`.
    public func covered(by filter: String, at sequence: Int64) -> [World.Content] {
        World.contents.filter { content in
            guard isPublic(content.key, at: sequence) else { return false }
            return filter.split(separator: ";").contains { part in
                let sides = part.split(separator: ":")
                guard sides.count == 2, sides[0] == content.key.group else { return false }
                return sides[1] == "*" || sides[1].split(separator: ",").contains("\(content.key.id)")
            }
        }
    }

    mutating func record(_ command: WorldCommand, number: Int, sequence: Int64?) {
        guard let sequence else { return }
        func add(_ content: World.Content, _ event: Event) {
            events[content.key, default: []].append((sequence, event))
        }
        switch command {
        case .create(let content):
            add(content, .published)
            add(content, .replaced(version: number))
        case .replace(let content): add(content, .replaced(version: number))
        case .put(let content, let key): add(content, .put(key: key, version: number))
        case .delete(let content, let key): add(content, .deleted(key: key))
        case .hide(let content): add(content, .hidden)
        case .publish(let content): add(content, .published)
        case .touch, .invalidateTokens: break
        }
    }
}
