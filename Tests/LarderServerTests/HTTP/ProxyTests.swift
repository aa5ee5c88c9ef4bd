// Proves that a cache between the clients and the servers answers first syncs, so that these cost the database nothing.

#if Server && Postgres
import Foundation
import LarderPostgres
import LarderServer
import PostgresCluster
import Testing

/// nginx did not start.
private struct ProxyFailure: Error {
    let log: String
}

/// nginx with a cache of snapshots in front of a server, which ends with `body`.
private func withProxy<Value>(
    to address: String, _ body: (_ address: String) async throws -> Value
) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-proxy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Below the ports that the system gives to clients.
    let port = Int.random(in: 10_000..<32_000)
    let user = getuid() == 0 ? "user root;" : ""
    let configuration = """
        \(user)
        daemon off;
        pid \(folder.path)/pid;
        worker_processes 1;
        events { worker_connections 512; }
        http {
            access_log off;
            client_body_temp_path \(folder.path)/body;
            proxy_temp_path \(folder.path)/proxy;
            fastcgi_temp_path \(folder.path)/fastcgi;
            uwsgi_temp_path \(folder.path)/uwsgi;
            scgi_temp_path \(folder.path)/scgi;
            proxy_cache_path \(folder.path)/cache keys_zone=snapshots:1m;
            server {
                listen 127.0.0.1:\(port);
                gzip on;
                gzip_types application/json;
                gzip_proxied any;
                location / { proxy_pass \(address); }
                location /content/api/v4/resources/snapshots/ {
                    proxy_pass \(address);
                    proxy_cache snapshots;
                    proxy_cache_lock on;
                    proxy_force_ranges on;
                    add_header X-Cache-Status $upstream_cache_status always;
                }
            }
        }
        """
    try Data(configuration.utf8).write(to: folder.appending(path: "conf"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
    process.arguments = ["-e", folder.path + "/error", "-c", folder.path + "/conf"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { process.terminate() }
    let proxy = "http://127.0.0.1:\(port)"
    for _ in 0..<600 where process.isRunning {
        if (try? await send("GET", proxy + "/nothing")) != nil { return try await body(proxy) }
        try await Task.sleep(for: .milliseconds(50))
    }
    let log = try? String(contentsOf: folder.appending(path: "error"), encoding: .utf8)
    throw ProxyFailure(log: log ?? "no log")
}

@Suite(.serialized) struct `Servers behind a cache` {
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")

    /// One first sync by hand: the page and its snapshots. Returns the bodies and what the cache said.
    private func bootstrap(_ proxy: String) async throws -> (bodies: [Data], cache: [String?]) {
        let query = "/content/api/v4/resources/sync?resources=things:*&bootstrap=true"
        let page = try await send("GET", proxy + query)
        try #require(page.status == 200)
        let sync = try JSONDecoder().decode(Page.self, from: page.body).sync
        var (bodies, cache): ([Data], [String?]) = ([], [])
        for mutation in sync.mutations {
            let snapshot = try await send("GET", proxy + "/content" + (try #require(mutation.snapshot_url)))
            try #require(snapshot.status == 200)
            #expect(snapshot.fields["cache-control"] == "public, max-age=300")
            let version = try #require(snapshot.object["sync_sequence"] as? Int64)
            #expect(version >= sync.sync_until_sequence)
            // Compressed by the proxy, it is no longer the same byte by byte.
            #expect(snapshot.fields["etag"]?.hasSuffix("\"\(version)\"") == true)
            bodies.append(snapshot.body)
            cache.append(snapshot.fields["x-cache-status"])
        }
        return (bodies, cache)
    }

    @Test(.enabled(if: isInstalled, "nginx is not installed"))
    func `answer a thousand first syncs more without the database, while content changes`() async throws {
        let cluster = try await PostgresCluster.start()
        let pool = PostgresPool(PostgresConfiguration(cluster.connection(try await cluster.makeDatabase())))
        let origin = try await PostgresOrigin.open(
            pool, groups: GroupTable([:]), bootstrapAge: .seconds(3600), now: { sampleTime })
        for id in 1...2 {
            let rows = (1...2000).map { Origin.Row(type: "thing", key: "\($0)", "{\"n\":\($0)}") }
            try await origin.createResource(.init("things", Int64(id)), rows: rows)
        }
        try await OriginServer.run(origin) { base in
            try await withProxy(to: String(base.dropLast("/content".count))) { proxy in
                let first = try await bootstrap(proxy)
                #expect(first.cache == ["MISS", "MISS"])
                try await origin.putRow(Origin.Row(type: "thing", key: "1", "{\"n\":0}"), in: .init("things", 1))
                #expect(try await bootstrap(proxy).bodies == first.bodies)
                try cluster.stop()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 {
                        group.addTask {
                            for _ in 0..<100 {
                                let other = try await bootstrap(proxy)
                                #expect(other.cache == ["HIT", "HIT"])
                                #expect(other.bodies == first.bodies)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                // What the cache does not have is a clear answer.
                let refused = try await send("GET", proxy + "/content/api/v4/resources/snapshots/things/1")
                #expect(refused.status == 503)
                #expect(refused.fields["retry-after"] == "1")
            }
        }
        pool.close()
    }

    @Test(.enabled(if: isInstalled, "nginx is not installed"))
    func `give parts of a snapshot, and compress it`() async throws {
        let cluster = try await PostgresCluster.shared
        let pool = PostgresPool(PostgresConfiguration(cluster.connection(try await cluster.makeDatabase())))
        let origin = try await PostgresOrigin.open(pool, groups: GroupTable([:]), now: { sampleTime })
        let rows = (1...2000).map { Origin.Row(type: "thing", key: "\($0)", "{\"n\":\($0)}") }
        try await origin.createResource(.init("things", 1), rows: rows)
        try await OriginServer.run(origin) { base in
            try await withProxy(to: String(base.dropLast("/content".count))) { proxy in
                let url = proxy + "/content/api/v4/resources/snapshots/things/1?version=1.0"
                let whole = try await send("GET", url, fields: ["Accept-Encoding": "identity"])
                #expect(whole.fields["last-modified"] == "Tue, 05 May 2026 10:05:00 GMT")
                #expect(whole.fields["content-length"] == "\(whole.body.count)")
                let range = ["Accept-Encoding": "identity", "Range": "bytes=10-19", "If-Range": "\"1\""]
                let part = try await send("GET", url, fields: range)
                #expect(part.status == 206)
                #expect(part.body == whole.body.dropFirst(10).prefix(10))
                let same = ["Accept-Encoding": "identity", "If-None-Match": "\"1\""]
                #expect(try await send("GET", url, fields: same).status == 304)
                // URLSession decodes it.
                let packed = try await send("GET", url, fields: ["Accept-Encoding": "gzip"])
                #expect(packed.fields["content-encoding"] == "gzip")
                #expect(packed.body == whole.body)
                #expect(try await send("GET", url.replacing("version=1.0", with: "version=9.0")).status == 503)
            }
        }
        // A URL of another epoch has the content as of now, for no cache.
        try await origin.invalidateTokens()
        let kept = try await origin.snapshot(of: .init("things", 1), version: "1.0")
        #expect(kept.sequence == 1)
        // A cache that all clients share would give it to those without credentials.
        let credentials = OriginConfiguration.Credentials(authToken: "a", clientID: "b")
        let answer = try await OriginServer.run(origin, OriginConfiguration(credentials: credentials)) { base in
            let url = base + "/api/v4/resources/snapshots/things/1?version=1.1"
            return try await send("GET", url, fields: ["x-auth-token": "a", "x-client-id": "b"])
        }
        #expect(answer.fields["cache-control"] == "private, max-age=300")
        pool.close()
    }
}
#endif
