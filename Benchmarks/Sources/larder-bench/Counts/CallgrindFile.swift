// CallgrindFile: reads a file of callgrind.

import Foundation

/// The content of a file of callgrind. https://valgrind.org/docs/manual/cl-format.html
struct CallgrindFile {
    /// The name that the program gave it.
    var name = ""
    var instructions = 0.0
    /// The calls of each function.
    private(set) var calls: [String: Int] = [:]

    init(path: String) throws {
        var names: [Substring: String] = [:]
        var called = ""
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for line in text.split(separator: "\n") {
            if let trigger = line.suffix(after: "desc: Trigger: Client Request: ") {
                name = String(trigger)
            } else if let total = line.suffix(after: "totals: ") {
                instructions = Double(total) ?? 0
            } else if let function = line.suffix(after: "cfn=") ?? line.suffix(after: "fn=") {
                // "(number) name" at first, then "(number)".
                let parts = function.split(separator: " ", maxSplits: 1)
                if parts.count == 2 { names[parts[0]] = String(parts[1]) }
                if line.first == "c" { called = names[parts[0]] ?? "" }
            } else if let count = line.suffix(after: "calls=") {
                calls[called, default: 0] += count.split(separator: " ").first.flatMap { Int($0) } ?? 0
            }
        }
    }

    /// The calls of functions of these names, whatever library and cycle they are in.
    func calls(of functions: Set<String>) -> Int {
        calls.reduce(0) { sum, call in
            let name = call.key.prefix { $0 != "'" && $0 != "@" }
            return functions.contains(String(name)) ? sum + call.value : sum
        }
    }
}

extension Substring {
    fileprivate func suffix(after prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
