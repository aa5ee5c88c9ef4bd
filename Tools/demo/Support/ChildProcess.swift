import Foundation

/// Runs another program to its end.
enum ChildProcess {
    struct Outcome {
        let status: Int32
        let wasKilled: Bool
    }

    /// Runs `executable`, which inherits standard output.
    static func run(_ executable: String, _ arguments: [String]) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                continuation.resume(
                    returning: Outcome(
                        status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal))
            }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
