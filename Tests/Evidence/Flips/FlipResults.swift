// FlipResults: what the checks of damaged files count, in memory that a child shares with its parent.

import Glibc

/// What a check does with a damaged file.
enum FlipPhase: Int, CaseIterable {
    case verify, get, list, dump, sync, write
}

/// How a check ended.
enum FlipOutcome: Int, CaseIterable {
    /// As without damage; of a verify, that it found nothing.
    case right
    /// With a typed error; of a verify, that it found something.
    case refused
    /// With another answer, and without an error.
    case wrong
    /// The process was ended by a signal.
    case dead
    /// It did not end.
    case hung
}

/// The figures of a run, and what its child is at.
@safe
struct FlipResults {
    private static let size = 4096
    /// Owned by the process for its life; a child that was forked shares the pages.
    private let words: UnsafeMutablePointer<Int>

    init() throws {
        let bytes = Self.size * MemoryLayout<Int>.stride
        let map = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let map = unsafe map, unsafe map != MAP_FAILED else { throw ToolFailure("no memory to share") }
        unsafe words = map.bindMemory(to: Int.self, capacity: Self.size)
    }

    subscript(word: Int) -> Int {
        get { unsafe words[word] }
        nonmutating set { unsafe words[word] = newValue }
    }

    /// The state that the child is at, and its phase.
    var state: Int {
        get { self[0] }
        nonmutating set { self[0] = newValue }
    }
    var phase: Int {
        get { self[1] }
        nonmutating set { self[1] = newValue }
    }
    /// What verify made of the state: whether it found nothing.
    var isVerified: Bool {
        get { self[2] == 1 }
        nonmutating set { self[2] = newValue ? 1 : 0 }
    }
    var findings: Int {
        get { self[3] }
        nonmutating set { self[3] = newValue }
    }

    /// The word that counts an outcome. Wrong answers, deaths and hangs are counted apart where a check of the same file
    /// finds damage.
    private func place(_ isClean: Bool, _ phase: FlipPhase, _ outcome: FlipOutcome) -> Int {
        100 + ((isClean ? 1 : 0) * 8 + phase.rawValue) * 8 + outcome.rawValue
    }

    func count(_ isClean: Bool, _ phase: FlipPhase, _ outcome: FlipOutcome) {
        self[place(isClean, phase, outcome)] += 1
    }

    func total(_ isClean: Bool, _ phase: FlipPhase, _ outcome: FlipOutcome) -> Int {
        self[place(isClean, phase, outcome)]
    }

    /// The content after changes of an undamaged file, from the child that made them.
    func expected(syncs: Bool) -> FlipCheck.Content {
        let (start, count) = (place(syncs), TableDigests.count)
        let words = (0..<2 * count).map { UInt64(bitPattern: Int64(self[start + $0])) }
        return FlipCheck.Content(raw: Array(words[..<count]), final: Array(words[count...]))
    }

    func expect(_ content: FlipCheck.Content, syncs: Bool) {
        for (number, value) in (content.raw + content.final).enumerated() {
            self[place(syncs) + number] = Int(Int64(bitPattern: value))
        }
    }

    private func place(_ syncs: Bool) -> Int { syncs ? 300 : 400 }
}
