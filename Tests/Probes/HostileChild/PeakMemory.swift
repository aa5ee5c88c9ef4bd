// PeakMemory: the peak memory of a process since a point in time.

import Foundation

/// The peak memory of a process since a point in time.
struct PeakMemory {
    private let start: Int

    /// Begins to measure. What was taken and given back before does not count. Linux: `/proc/[pid]/clear_refs`.
    init() {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        start = Self.peak() ?? 0
    }

    /// The kibibytes in memory at the peak since, beyond those at the start; -1 where the system does not report them.
    func growth() -> Int {
        Self.peak().map { max(0, $0 - start) } ?? -1
    }

    /// The number of kibibytes of the store's data file in memory: clean pages, which the system can drop at any time.
    static func storePages() -> Int {
        // Read to its end: the file has no size by which a read could be sized.
        guard let bytes = try? FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd() else { return 0 }
        var (sum, isStore) = (0, false)
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words.first?.contains("-") == true { isStore = line.hasSuffix("/data.mdb") }
            if isStore, words.first == "Rss:" { sum += Int(words[1]) ?? 0 }
        }
        return sum
    }

    /// The peak of resident memory in kibibytes, that of mapped files included.
    private static func peak() -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
}
