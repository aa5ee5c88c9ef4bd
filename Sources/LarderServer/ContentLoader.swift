internal import LarderFormat
public import LarderJSON

/// The reason a line of content was refused.
public enum LoadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line is no JSON object.
    case invalidJSON(line: Int, JSONError)
    /// A member is missing or of the wrong kind.
    case invalidMember(line: Int, name: String)
    /// The line has a member that rows do not have.
    case unknownMember(line: Int, name: String)
    /// Type or key are neither given nor found in `data` by the group's rules.
    case unnamedRow(line: Int)
    /// The row itself was refused.
    case refused(line: Int, OriginError)

    /// One line that names the place, never the content.
    public var description: String {
        switch self {
        case .invalidJSON(let line, let problem): "line \(line): no JSON object: \(problem)"
        case .invalidMember(let line, let name): "line \(line): \(name) is missing or of the wrong kind"
        case .unknownMember(let line, let name): "line \(line): \(name) is no member of a row"
        case .unnamedRow(let line): "line \(line): record_type or record_key is missing"
        case .refused(let line, let error): "line \(line): \(error)"
        }
    }
}

/// Collects rows, one by one or from JSON lines, and stores them in an origin resource by resource.
///
/// One line is one row:
/// `{"group":"translations","resource_id":19,"record_type":"translation","record_key":"85108","data":{"id":85108,…}}`.
/// The bytes of `data` are kept unchanged. `record_type` and `record_key` may be omitted where the group's rules derive
/// them. Empty lines are skipped. The origin does not change before ``commit()``.
public struct ContentLoader {
    private let origin: any EditableOrigin
    private var rules: [String: GroupRules] = [:]
    private var order: [Origin.ResourceID] = []
    private var rows: [Origin.ResourceID: [Origin.Row]] = [:]
    /// The number of lines read so far.
    public private(set) var lines = 0

    /// Creates a loader for `origin`.
    public init(into origin: any EditableOrigin) {
        self.origin = origin
    }

    /// Collects one row.
    public mutating func add(_ row: Origin.Row, to resource: Origin.ResourceID) {
        if rows[resource] == nil { order.append(resource) }
        rows[resource, default: []].append(row)
    }

    /// Collects an empty resource, so that it exists even if no row follows.
    public mutating func add(_ resource: Origin.ResourceID) {
        guard rows[resource] == nil else { return }
        order.append(resource)
        rows[resource] = []
    }

    /// Collects the rows of a whole text of JSON lines.
    ///
    /// - Throws: As ``add(jsonLine:)``; the rows of the lines before it stay collected.
    public mutating func add(jsonLines text: [UInt8]) async throws {
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            try await add(jsonLine: Array(line))
        }
    }

    /// Collects the row of one line, given without its line feed.
    ///
    /// - Throws: ``LoadError/invalidJSON(line:_:)``, ``LoadError/invalidMember(line:name:)`` and
    ///   ``LoadError/unknownMember(line:name:)`` for the line; ``LoadError/unnamedRow(line:)``;
    ///   ``LoadError/refused(line:_:)`` with the ``OriginError`` for the name or the row; ``OriginProblem`` where the rules
    ///   of a group cannot be read.
    public mutating func add(jsonLine line: [UInt8]) async throws {
        lines += 1
        guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
        let members: JSONMembers
        do throws(JSONError) {
            members = try JSONMembers(line.rawSpan.bytes)
        } catch {
            throw LoadError.invalidJSON(line: lines, error)
        }
        let parts = try parts(of: members)
        let group = parts.resource.group
        let rules = if let known = rules[group] { known } else { try await origin.rules(of: group) }
        self.rules[group] = rules
        do throws(OriginError) {
            try parts.resource.validate()
            if let key = try rules.rowKey(type: parts.type, key: parts.key, body: parts.data) {
                let row = Origin.Row(key, body: parts.data)
                _ = try rules.wireBody(of: row)
                return add(row, to: parts.resource)
            }
        } catch {
            throw LoadError.refused(line: lines, error)
        }
        throw LoadError.unnamedRow(line: lines)
    }

    /// Stores everything collected in the origin: creates a new resource, replaces the rows of an existing one. The
    /// loader is empty afterwards.
    ///
    /// - Returns: The number of rows; two rows with one name count as two.
    /// - Throws: ``OriginError`` for the first resource refused. Resources before it are stored, and the loader keeps
    ///   everything.
    @discardableResult
    public mutating func commit() async throws -> Int {
        var count = 0
        for resource in order {
            let rows = rows[resource] ?? []
            count += rows.count
            do {
                try await origin.createResource(resource, rows: rows)
            } catch OriginError.resourceExists {
                try await origin.replaceRows(of: resource, with: rows)
            }
        }
        order = []
        rows = [:]
        return count
    }
}

extension ContentLoader {
    private struct Parts {
        let resource: Origin.ResourceID
        let type: String?
        let key: String?
        let data: [UInt8]
    }

    private func parts(of members: JSONMembers) throws(LoadError) -> Parts {
        for member in members.members {
            let name = String(decoding: member.name, as: UTF8.self)
            guard ["group", "resource_id", "record_type", "record_key", "data"].contains(name) else {
                throw .unknownMember(line: lines, name: name)
            }
        }
        func text(_ name: String) throws(LoadError) -> String? {
            guard let member = members[name] else { return nil }
            guard let text = member.decoded?.text else {
                throw .invalidMember(line: lines, name: name)
            }
            return text
        }
        guard let group = try text("group") else { throw .invalidMember(line: lines, name: "group") }
        guard case .integer(let id)? = members["resource_id"]?.decoded else {
            throw .invalidMember(line: lines, name: "resource_id")
        }
        guard let data = members["data"]?.value, data.first == UInt8(ascii: "{") else {
            throw .invalidMember(line: lines, name: "data")
        }
        return Parts(
            resource: Origin.ResourceID(group, id), type: try text("record_type"), key: try text("record_key"),
            data: data)
    }
}
