// FaultVerb: what is run while calls to the system fail.

/// What is run while calls to the system fail: an operation of an open store, a call that needs none, or a verb of
/// cachetool.
enum FaultVerb: Hashable {
    case create, open, read, verify, salvage, destroy
    case operation(Operation)
    case tool([String])

    var name: String {
        switch self {
        case .operation(let operation): operation.rawValue
        case .tool(let words): "tool-\(words[0])"
        default: "\(self)"
        }
    }

    /// All verbs; those of cachetool only where there is one.
    static func all(hasTool: Bool) -> [FaultVerb] {
        let tool: [FaultVerb] = [
            .tool(["verify", "ROOT/store"]), .tool(["get", "ROOT/store", "translations/1", "translation", "7"]),
            .tool(["list", "ROOT/store", "translations/1"]), .tool(["dump", "ROOT/store", "--output", "ROOT/dump"]),
            .tool(["load", "BASE.dump", "ROOT/loaded"]), .tool(["salvage", "ROOT/store", "--to", "ROOT/saved"]),
            .tool(["compact", "ROOT/store"]), .tool(["stat", "ROOT/store"]),
        ]
        return [.create, .open, .read, .verify, .salvage, .destroy] + Operation.allCases.map { .operation($0) }
            + (hasTool ? tool : [])
    }

    init?(name: String, hasTool: Bool) {
        guard let verb = Self.all(hasTool: hasTool).first(where: { $0.name == name }) else { return nil }
        self = verb
    }
}

/// A kind of calls to the system, and how they fail.
struct FaultKind {
    let name: String
    let errors: [Int32]
    let modes: [String]

    static let all = [
        FaultKind(name: "open", errors: [5, 24], modes: ["once", "on"]),
        FaultKind(name: "write", errors: [5, 28], modes: ["once", "on", "short"]),
        FaultKind(name: "sync", errors: [5, 28], modes: ["once", "on"]),
        FaultKind(name: "truncate", errors: [28], modes: ["once", "on"]),
        FaultKind(name: "rename", errors: [5, 28], modes: ["once"]),
        FaultKind(name: "mkdir", errors: [28], modes: ["once", "on"]),
        FaultKind(name: "unlink", errors: [5], modes: ["once", "on"]),
        FaultKind(name: "read", errors: [5], modes: ["once", "on"]),
        FaultKind(name: "mmap", errors: [12], modes: ["once", "on"]),
        FaultKind(name: "malloc", errors: [12], modes: ["once", "on"]),
        FaultKind(name: "flock", errors: [5, 37], modes: ["once"]),
        FaultKind(name: "fcntl", errors: [37], modes: ["once"]),
        FaultKind(name: "stat", errors: [5], modes: ["once", "on"]),
    ]
}
