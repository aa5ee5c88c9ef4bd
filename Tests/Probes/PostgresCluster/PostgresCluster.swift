// PostgresCluster: a PostgreSQL server of Debian's package, in a directory of its own, for the tests of one process.

#if os(Linux)
import Dispatch
import Foundation
import Synchronization

/// A PostgreSQL server that ends, and whose files are removed, when this process ends, however it ends.
///
/// It listens on 127.0.0.1 only. `fsync` is off: tests kill its processes, not the machine.
public final class PostgresCluster: Sendable {
    /// Why there is no server.
    public enum Failure: Error {
        case notInstalled
        case notStarted(log: String)
    }

    private static let starting = Task.detached { try await start() }

    /// The server that the suites of a process share; each test has a database of its own.
    public static var shared: PostgresCluster { get async throws { try await starting.value } }

    /// The port of 127.0.0.1 that it listens to.
    public let port: Int
    private let directory: String
    private let lastDatabase = Atomic<Int>(0)
    /// The server ends when this is closed.
    private let life: Pipe

    /// Makes a cluster and starts its server.
    ///
    /// - Parameter settings: further lines of `postgresql.conf`.
    public static func start(settings: [String] = []) async throws -> PostgresCluster {
        try await blocking { try PostgresCluster(settings: settings, primary: nil) }
    }

    /// Makes a standby of this server, which replays its changes.
    public func startStandby() async throws -> PostgresCluster {
        try await Self.blocking { try PostgresCluster(settings: [], primary: self.port) }
    }

    private init(settings: [String], primary: Int?) throws {
        guard let programs = Self.programs else { throw Failure.notInstalled }
        directory = FileManager.default.temporaryDirectory.path + "/larder-postgres-\(UUID().uuidString)"
        port = try Self.freePort()
        let lines = [
            "listen_addresses = '127.0.0.1'", "port = \(port)", "unix_socket_directories = '\(directory)'",
            "fsync = off",
            "max_connections = 200", "log_min_messages = fatal",
        ]
        let settings = (lines + settings).joined(separator: "\n")
        let script = """
            set -e
            trap 'rm -rf "$1"' EXIT
            # The server refuses root.
            as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi; }
            mkdir -m 755 "$1"
            if [ "$(id -u)" = 0 ]; then chown postgres "$1"; fi
            cd "$1"
            if [ -z "$4" ]; then
                as "$2/initdb" -D "$1/data" -A trust -U postgres -E UTF8 --locale C.UTF-8 --no-sync > initdb.log
            else
                as "$2/pg_basebackup" -D "$1/data" -d "host=127.0.0.1 port=$4 user=postgres" -R --no-sync -c fast
            fi
            printf '%s\\n' "$3" >> "$1/data/postgresql.conf"
            set +e
            touch "$1/run"
            # Started again whenever it has ended, except while it is to stand still.
            (while [ -e "$1/run" ]; do
                if [ ! -e "$1/still" ]; then as "$2/postgres" -D "$1/data" >> "$1/log" 2>&1; fi
                sleep 0.05
            done) &
            cat > /dev/null
            rm -f "$1/run"
            while kill -0 $! 2> /dev/null; do
                if [ -s "$1/data/postmaster.pid" ]; then kill -QUIT "$(head -1 "$1/data/postmaster.pid")"; fi
                sleep 0.05
            done
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, "sh", directory, programs, settings, primary.map { "\($0)" } ?? ""]
        life = Pipe()
        process.standardInput = life
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try waitUntilAnswering()
    }

    /// Runs work that blocks on a thread of its own: there is a thread for each core only that all tests share.
    private static func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
        }
    }

    deinit { try? life.fileHandleForWriting.close() }

    /// The newest version that is installed: the directory of its programs.
    private static var programs: String? {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.max().map { "\(root)/\($0)/bin" }
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The address is one of the family AF_INET, of its own length, during both calls.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw Failure.notStarted(log: "no port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Waits until the server accepts connections, at most 20 seconds.
    public func waitUntilReady() async throws { try await Self.blocking { try self.waitUntilAnswering() } }

    private func waitUntilAnswering() throws {
        for _ in 0..<200 {
            let ready = try SpawnedProgram.runBlocking(
                "/usr/bin/pg_isready", ["-q", "-d", localConnection("postgres")])
            if ready.status == 0 { return }
            usleep(100_000)
        }
        throw Failure.notStarted(log: (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? "")
    }

    /// Runs statements with `psql`, and returns their output without alignment.
    @discardableResult
    public func psql(_ sql: String, database: String) async throws -> String {
        try await Self.blocking { try self.run(sql, database: database) }
    }

    private func run(_ sql: String, database: String) throws -> String {
        let psql = try SpawnedProgram.runBlocking(
            "/usr/bin/psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", localConnection(database), "-c", sql])
        guard psql.status == 0 else { throw Failure.notStarted(log: sql) }
        return psql.output
    }

    /// Returns libpq's settings for a database.
    public func connection(_ database: String) -> String {
        "host=127.0.0.1 port=\(port) user=postgres dbname=\(database) connect_timeout=5"
    }

    /// Returns libpq's settings for a database by a socket of the file system, which a thread reaches in any network
    /// namespace.
    public func localConnection(_ database: String) -> String {
        "host=\(directory) port=\(port) user=postgres dbname=\(database) connect_timeout=5"
    }

    /// Makes an empty database, and returns its name.
    public func makeDatabase() async throws -> String {
        let name = "test\(lastDatabase.wrappingAdd(1, ordering: .relaxed).newValue)"
        try await psql("CREATE DATABASE \(name)", database: "postgres")
        return name
    }

    /// Ends the server as a crash does, and leaves it so.
    public func stop() throws {
        try Data().write(to: URL(fileURLWithPath: directory + "/still"))
        try kill()
    }

    /// Starts a server that was stopped.
    public func start() throws { try FileManager.default.removeItem(atPath: directory + "/still") }

    /// Ends the server as a crash does; it is started again at once.
    public func kill() throws {
        let file = try String(contentsOfFile: directory + "/data/postmaster.pid", encoding: .utf8)
        guard let line = file.split(separator: "\n").first, let process = Int32(line) else {
            throw Failure.notStarted(log: file)
        }
        // Immediate shutdown: every process of the server ends without writing anything.
        Foundation.kill(process, SIGQUIT)
    }
}
#endif
