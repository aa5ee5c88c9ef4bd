// SharedRandom: random numbers for tasks that run side by side.

import CrashWorld
import Synchronization

/// Random numbers for tasks that run side by side.
final class SharedRandom: Sendable {
    private let random: Mutex<SplitMix64>

    init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }

    /// Whether the rare case happens this time.
    func happens(onceIn count: Int) -> Bool {
        random.withLock { Int.random(in: 0..<count, using: &$0) == 0 }
    }

    /// Waits for up to so many milliseconds.
    func pause(mostMilliseconds: Int) async {
        let microseconds = random.withLock { Int.random(in: 0...mostMilliseconds * 1000, using: &$0) }
        try? await Task.sleep(for: .microseconds(microseconds))
    }
}
