import Foundation
import LarderFormat
import LarderStore
import Logging

/// A directory in memory for the stores of a target.
///
/// `LARDER_FUZZ_WORK` names the directory that it is made in, which `Tools/fuzz` removes.
struct StoreDirectory {
    let path: String

    init() {
        path = (ProcessInfo.processInfo.environment["LARDER_FUZZ_WORK"] ?? "/dev/shm") + "/stores-\(getpid())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Returns the path of a store after the removal of what is there.
    func clear(_ name: String) -> String {
        let store = "\(path)/\(name)"
        try? FileManager.default.removeItem(atPath: store)
        return store
    }
}

extension HostServices {
    /// A host whose clocks stand still.
    static let fuzz = HostServices(
        now: { 1_700_000_000_000 }, elapsed: { .zero }, sleepUntil: { _ in try await Task.sleep(for: .seconds(3600)) },
        makeID: {
            var generator = SystemRandomNumberGenerator()
            return UUIDBytes.random(using: &generator)
        }, logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
}

extension Store {
    /// Everything that a check of the whole store finds.
    func findings() throws -> [Finding] {
        var findings: [Finding] = []
        _ = try verify { findings.append($0) }
        return findings
    }
}

/// Runs `body` and returns its result, or the error that a store may report; ends the process at any other error.
func typed<Result>(_ body: () throws -> Result) -> Result? {
    do {
        return try body()
    } catch let error where isTyped(error) {
        return nil
    } catch {
        fatalError("an error without a type: \(error)")
    }
}
