// The program of Tools/evidence/threads: rounds on new stores, plain and encrypted in turns, for a number of seconds.

import Foundation

@main struct ThreadRounds {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let seconds = Int(arguments[2]) else { fatalError("DIRECTORY SECONDS FAULT") }
        if arguments[3] == "1" { raceOnPurpose() }
        let end = ContinuousClock.now + .seconds(seconds)
        var rounds = 0
        repeat {
            let round = ThreadRound(path: arguments[1] + "/store", isEncrypted: rounds % 2 == 1, steps: 48)
            try await round.run()
            rounds += 1
        } while ContinuousClock.now < end
        print("threads: rounds=\(rounds)")
    }

    /// A race that the sanitizer must report: two threads change a number without a lock.
    private static func raceOnPurpose() {
        final class Unprotected: @unchecked Sendable { var count = 0 }
        let (shared, done) = (Unprotected(), DispatchSemaphore(value: 0))
        for _ in 0..<2 {
            Thread.detachNewThread {
                for _ in 0..<100 {
                    shared.count += 1
                    usleep(10)
                }
                done.signal()
            }
        }
        for _ in 0..<2 { done.wait() }
        print("raced to \(shared.count)")
    }
}
