// ProcessStatus: memory and other values of this process, as Linux reports them.

import Foundation

/// Reads values of this process that Linux reports.
enum ProcessStatus {
    /// The number after `name` in one of the process's files; 0 where there is none.
    static func field(_ name: String, in path: String) -> Int {
        guard let data = FileManager.default.contents(atPath: path) else { return 0 }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where line.hasPrefix(name) {
            let words = line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }
            return words.first.flatMap { Int($0) } ?? 0
        }
        return 0
    }

    /// Bytes of memory that is no file's. proc(5): `RssAnon`.
    static var anonymousBytes: Int { field("RssAnon:", in: "/proc/self/status") << 10 }
}
