// Proves that a wrong configuration and a full disk are clear errors, after which nothing is half done.

#if Postgres
import Foundation
import LarderPostgres
import LarderServer
import PostgresCluster
import Testing

@Suite struct `A configuration of the environment` {
    @Test func `has a default for what is not set`() throws {
        #expect(try PostgresConfiguration(environment: [:]) == PostgresConfiguration(""))
        let variables = [
            "LARDER_DATABASE": "host=db", "LARDER_DATABASE_CONNECTIONS": "3", "LARDER_DATABASE_PATIENCE": "7",
            "LARDER_DATABASE_STATEMENT_LIMIT": "900",
        ]
        #expect(
            try PostgresConfiguration(environment: variables)
                == PostgresConfiguration("host=db", connections: 3, patience: .seconds(7), statementLimit: 900))
    }

    @Test(arguments: ["", "x", "0", "-1", "1.5", "99999999999999999999"])
    func `names the variable that is wrong`(value: String) {
        let error = #expect(throws: PostgresError.self) {
            try PostgresConfiguration(environment: ["LARDER_DATABASE_CONNECTIONS": value])
        }
        #expect(
            error?.description
                == "LARDER_DATABASE_CONNECTIONS is \"\(value)\", and has to be a number of 1 to 1000.")
    }
}

@Suite struct `A database of another encoding` {
    /// What initdb makes where no locale is set; it cannot have the letters that JSON names by their numbers.
    @Test(arguments: ["SQL_ASCII", "LATIN1"])
    func `is refused with the encoding and what to do, and nothing is made in it`(encoding: String) async throws {
        let cluster = try await PostgresCluster.shared
        let database = "encoding_\(encoding.lowercased())"
        try await cluster.psql(
            "CREATE DATABASE \(database) ENCODING '\(encoding)' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
            database: "postgres")
        let pool = PostgresPool(PostgresConfiguration(cluster.connection(database), connections: 1))
        let error = await #expect(throws: PostgresError.self) { try await PostgresOrigin.open(pool, now: { 0 }) }
        #expect(
            error?.description
                == "The database has the encoding \(encoding): create one with ENCODING 'UTF8' TEMPLATE template0.")
        await #expect(throws: PostgresError.self) { try await PostgresIdempotencyStore.open(pool) }
        let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'larder'"
        #expect(try await cluster.psql(schemas, database: database).hasPrefix("0"))
        pool.close()
    }
}

@Suite(.serialized) struct `A database whose disk is full` {
    private static let isMountable = getuid() == 0 && FileManager.default.fileExists(atPath: "/bin/mount")

    private func run(_ arguments: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// The rows are in a tablespace of 24 MB: the disk of the log is not full, as PostgreSQL would end then.
    @Test(.enabled(if: isMountable, "only root can mount a small disk"))
    func `refuses writes with 503, keeps nothing of them, and goes on when there is space`() async throws {
        let cluster = try await PostgresCluster.start()
        let folder = FileManager.default.temporaryDirectory.path + "/larder-full-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard try run("/bin/mount", "-t", "tmpfs", "-o", "size=24m,mode=777", "tmpfs", folder) else {
            print("not tested: this machine does not allow to mount a disk")
            return
        }
        defer {
            try? cluster.stop()
            _ = try? run("/bin/umount", "-l", folder)
            try? FileManager.default.removeItem(atPath: folder)
        }
        _ = try run("/bin/chown", "postgres", folder)
        try await cluster.psql("CREATE TABLESPACE small LOCATION '\(folder)'", database: "postgres")
        try await cluster.psql("CREATE DATABASE small TABLESPACE small", database: "postgres")
        let pool = PostgresPool(PostgresConfiguration(cluster.connection("small"), connections: 2))
        let origin = try await PostgresOrigin.open(pool, groups: GroupTable([:]), now: { 0 })
        let resource = Origin.ResourceID("things", 1)
        try await origin.createResource(resource, rows: [])
        let text = String((0..<20_000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
        var stored = 0
        var problem: OriginProblem?
        while problem == nil, stored < 2000 {
            let row = Origin.Row(type: "thing", key: "\(stored)", "{\"text\":\"\(text)\(stored)\"}")
            do {
                try await origin.putRow(row, in: resource)
                stored += 1
            } catch let error as OriginProblem {
                problem = error
            }
        }
        #expect(problem?.status == 503)
        #expect(problem?.retryAfter == 1)
        #expect(try await origin.sequence == Int64(stored) + 1)
        #expect(try await origin.rows(of: resource)?.count == stored)
        #expect(try await origin.page(OriginQuery(parsing: "resources=things:*&bootstrap=true")).token != nil)
        #expect(try run("/bin/mount", "-o", "remount,size=64m", folder))
        #expect(
            try await origin.putRow(Origin.Row(type: "thing", key: "more", "{}"), in: resource) == Int64(stored) + 2)
        pool.close()
    }
}
#endif
