// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "larder",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Larder", targets: ["Larder"]),
        .library(name: "LarderObservation", targets: ["LarderObservation"]),
        .library(name: "LarderEngine", targets: ["LarderEngine"]),
        .library(name: "LarderFormat", targets: ["LarderFormat"]),
        .library(name: "LarderStore", targets: ["LarderStore"]),
        .library(name: "LarderEncryption", targets: ["LarderEncryption"]),
        .library(name: "LarderCompression", targets: ["LarderCompression"]),
        .library(name: "LarderSync", targets: ["LarderSync"]),
        .library(name: "LarderHTTP", targets: ["LarderHTTP"]),
        .library(name: "LarderOutbox", targets: ["LarderOutbox"]),
        .library(name: "LarderQuery", targets: ["LarderQuery"]),
        .library(name: "LarderTransport", targets: ["LarderTransport"]),
        .library(name: "LarderURLSession", targets: ["LarderURLSession"]),
        .library(name: "LarderAsyncHTTPClient", targets: ["LarderAsyncHTTPClient"]),
        .library(name: "LarderServer", targets: ["LarderServer"]),
        .library(name: "LarderPostgres", targets: ["LarderPostgres"]),
        .library(name: "LarderTesting", targets: ["LarderTesting"]),
        .executable(name: "cachetool", targets: ["cachetool"]),
    ],
    traits: [
        .trait(
            name: "Server", description: "LarderServer, a content-sync origin on Hummingbird",
            enabledTraits: ["ServiceLifecycle"]),
        .trait(name: "ServiceLifecycle", description: "Caches, coordinators and outboxes as services of that package"),
        .trait(name: "AsyncHTTPClient", description: "The transport adapter on AsyncHTTPClient, the one for Linux"),
        .trait(name: "Encryption", description: "LarderEncryption, encryption of stores with swift-crypto"),
        .trait(name: "Compression", description: "LarderCompression, compression of rows with libzstd"),
        .trait(name: "Postgres", description: "LarderPostgres, the server half on PostgreSQL with libpq"),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    ],
    targets: [
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CLarderSystem"),

        .target(name: "LarderEngine", dependencies: ["CLMDB", "CLarderSystem"]),
        .target(name: "LarderFormat", dependencies: ["CXXHash"]),
        .target(name: "LarderJSON", dependencies: ["LarderFormat"]),
        .target(
            name: "LarderStore",
            dependencies: [
                "LarderEngine", "LarderFormat", "LarderJSON", .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .target(
            name: "LarderEncryption",
            dependencies: [
                "LarderStore",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
            ]),
        .target(
            name: "LarderCompression",
            dependencies: ["LarderStore", .byName(name: "CZstd", condition: .when(traits: ["Compression"]))]),
        .target(
            name: "LarderTransport",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ]),
        .target(
            name: "LarderSync",
            dependencies: [
                "LarderStore", "LarderFormat", "LarderJSON", "LarderTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ]),
        .target(
            name: "LarderHTTP",
            dependencies: [
                "LarderStore", "LarderFormat", "LarderEngine", "LarderTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .target(
            name: "LarderOutbox",
            dependencies: [
                "LarderStore", "LarderFormat", "LarderEngine", "LarderJSON", "LarderTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ]),
        .target(
            name: "LarderQuery",
            dependencies: [
                "CSQLite", "LarderStore", "LarderEngine", "LarderFormat", "LarderJSON",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Larder",
            dependencies: [
                "LarderStore", "LarderFormat", "LarderEngine", "LarderJSON", "LarderSync", "LarderHTTP", "LarderOutbox",
                "LarderQuery", "LarderTransport", "CLarderSystem",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ]),

        .target(
            name: "LarderObservation",
            dependencies: ["Larder", "LarderOutbox", "LarderFormat", "LarderSync"]),

        .target(
            name: "LarderURLSession",
            dependencies: ["LarderHTTP", "LarderTransport", .product(name: "HTTPTypes", package: "swift-http-types")]),
        .target(
            name: "LarderAsyncHTTPClient",
            dependencies: [
                "LarderTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(
                    name: "NIOHTTPCompression", package: "swift-nio-extras",
                    condition: .when(traits: ["AsyncHTTPClient"])),
            ]),
        .target(
            name: "LarderServer",
            dependencies: [
                "LarderEngine", "LarderFormat", "LarderJSON",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Server"])),
            ]),
        .target(
            name: "LarderPostgres",
            dependencies: [
                "LarderServer", "LarderFormat", .byName(name: "CPQ", condition: .when(traits: ["Postgres"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Postgres"])),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Postgres"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
            ]),
        .target(
            name: "LarderTesting",
            dependencies: [
                "Larder", "LarderStore", "LarderFormat", "LarderOutbox", "LarderServer", "LarderTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        .executableTarget(
            name: "cachetool",
            dependencies: [
                "Larder", "LarderStore", "LarderEngine", "LarderFormat", "LarderJSON", "LarderSync", "LarderHTTP",
                "LarderOutbox", "LarderQuery", "LarderTransport", "LarderURLSession", "LarderAsyncHTTPClient",
                "LarderCompression", "LarderEncryption", "LarderServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
            ],
            path: "Tools/cachetool"),
        .executableTarget(
            name: "larder-demo",
            dependencies: [
                "Larder", "LarderStore", "LarderFormat", "LarderJSON", "LarderSync", "LarderTransport", "LarderServer",
                "LarderURLSession",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/demo"),

        .executableTarget(
            name: "larder-simulate",
            dependencies: [
                "LarderSimulator", "LarderTesting", "LarderStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/simulate"),
        .executableTarget(
            name: "larder-fleet",
            dependencies: [
                "Larder", "LarderServer", "LarderPostgres", "LarderSync", "LarderOutbox", "LarderStore", "LarderFormat",
                "LarderTransport", "LarderAsyncHTTPClient", "LarderJSON",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Server"])),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Server"])),
            ],
            path: "Tools/fleet"),

        .executableTarget(
            name: "engine-probe", dependencies: ["LarderEngine", "CLMDB"], path: "Tests/Probes/engine-probe"),
        .testTarget(name: "LarderEngineTests", dependencies: ["LarderEngine", "CLMDB", "engine-probe"]),
        .testTarget(name: "ArchitectureTests"),
        .testTarget(name: "CompileTests", dependencies: ["LarderEngine", "LarderStore"]),
        .testTarget(name: "LarderFormatTests", dependencies: ["LarderFormat"]),
        .testTarget(name: "LarderJSONTests", dependencies: ["LarderJSON"]),
        .target(name: "LMDBCalls", dependencies: ["CLMDB"], path: "Tests/Probes/LMDBCalls"),
        .testTarget(
            name: "LarderStoreTests",
            dependencies: [
                "LarderStore", "LarderCompression", "LarderEncryption", "LarderEngine", "LarderFormat", "LarderJSON",
                "LMDBCalls",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "LarderHTTPTests",
            dependencies: [
                "Larder", "LarderHTTP", "LarderOutbox", "LarderStore", "LarderEngine", "LarderFormat",
                "LarderTransport", "LarderTesting", "LarderURLSession", "LarderAsyncHTTPClient", "HTTPOrigin",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["COVERAGE.md"]),
        .testTarget(
            name: "LarderOutboxTests",
            dependencies: [
                "LarderOutbox", "LarderStore", "LarderEngine", "LarderFormat", "LarderJSON", "LarderTransport",
                "LarderTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            exclude: ["COVERAGE.md"]),
        .testTarget(
            name: "LarderQueryTests",
            dependencies: [
                "LarderQuery", "LarderHTTP", "Larder", "CSQLite", "LarderStore", "LarderEncryption", "LarderEngine",
                "LarderFormat", "LarderJSON", "LarderTesting",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "CacheToolTests",
            dependencies: [
                "cachetool", "Larder", "LarderStore", "LarderEngine", "LarderFormat", "LarderJSON", "LarderOutbox",
                "LarderServer", .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Help"]),
        .executableTarget(
            name: "dictionary",
            dependencies: [
                "Larder", "LarderServer", "LarderSync", "LarderURLSession",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
            ],
            path: "Tools/examples/dictionary", exclude: ["README.md"]),
        .executableTarget(
            name: "edge-cache",
            dependencies: [
                "Larder", "LarderHTTP", "LarderStore", "LarderTransport", "LarderServer", "LarderAsyncHTTPClient",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
            ],
            path: "Tools/examples/edge-cache", exclude: ["README.md"]),
        .executableTarget(
            name: "news-reader",
            dependencies: [
                "Larder", "LarderHTTP", "LarderStore", "LarderTransport", "LarderURLSession",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
            ],
            path: "Tools/examples/news-reader", exclude: ["README.md"]),
        .executableTarget(
            name: "field-visit",
            dependencies: [
                "Larder", "LarderOutbox", "LarderServer", "LarderStore", "LarderSync", "LarderURLSession",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
            ],
            path: "Tools/examples/field-visit", exclude: ["README.md"]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "dictionary", "edge-cache", "field-visit", "news-reader", "cachetool", "Larder",
                "LarderAsyncHTTPClient",
                "LarderOutbox", "LarderServer", "LarderStore", "LarderTesting", "LarderTransport", "LarderURLSession",
                "HTTPOrigin", .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .testTarget(
            name: "LarderTests",
            dependencies: [
                "Larder", "LarderAsyncHTTPClient", "LarderCompression", "LarderEncryption", "LarderEngine",
                "LarderFormat", "LarderHTTP", "LarderJSON", "LarderObservation", "LarderOutbox", "LarderPostgres",
                "LarderQuery", "LarderServer", "LarderStore", "LarderSync", "LarderTesting", "LarderTransport",
                "LarderURLSession", "HTTPOrigin",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .testTarget(
            name: "ReadmeTests",
            dependencies: [
                "Larder", "LarderAsyncHTTPClient", "LarderCompression", "LarderEncryption", "LarderFormat",
                "LarderHTTP", "LarderObservation", "LarderOutbox", "LarderPostgres", "LarderQuery", "LarderServer",
                "LarderStore", "LarderSync", "LarderTesting", "LarderTransport", "LarderURLSession", "HTTPOrigin",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
            ]),
        .testTarget(
            name: "LarderTransportTests",
            dependencies: [
                "LarderTransport", "LarderURLSession", "LarderAsyncHTTPClient", "LarderStore", "LarderTesting",
                "HTTPOrigin",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .target(
            name: "LarderSimulator",
            dependencies: [
                "LarderTesting", "LarderEngine", "LarderStore", "LarderFormat", "LarderSync", "LarderOutbox",
                "LarderTransport", .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Simulator"),
        .testTarget(
            name: "SimulatorTests",
            dependencies: [
                "LarderSimulator", "LarderTesting", "LarderStore", "LarderFormat", "LarderSync", "LarderServer",
            ]),
        .testTarget(
            name: "LarderServerTests",
            dependencies: [
                "LarderServer", "LarderPostgres", "LarderEngine", "LarderFormat", "LarderJSON", "PostgresCluster",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "HummingbirdTesting", package: "hummingbird", condition: .when(traits: ["Server"])),
            ]),
        .target(name: "PostgresCluster", path: "Tests/Probes/PostgresCluster"),
        .executableTarget(
            name: "keyed-node",
            dependencies: [
                "LarderPostgres", "LarderServer", .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
            ],
            path: "Tests/Probes/KeyedNode"),
        .testTarget(
            name: "LarderPostgresTests",
            dependencies: [
                "LarderPostgres", "LarderServer", "PostgresCluster", "keyed-node",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Postgres"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Postgres"])),
            ]),
        .testTarget(
            name: "LarderSyncTests",
            dependencies: [
                "Larder", "LarderSync", "LarderEngine", "LarderStore", "LarderFormat", "LarderJSON", "LarderTransport",
                "LarderTesting", "LarderServer", "LarderPostgres", "PostgresCluster",
                "LarderAsyncHTTPClient", "hostile-child",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            exclude: ["Protocol/COVERAGE.md"]),
        .executableTarget(
            name: "hostile-child",
            dependencies: [
                "Larder", "LarderStore", "LarderFormat", "LarderHTTP", "LarderSync", "LarderTransport",
                "LarderURLSession", "LarderAsyncHTTPClient",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Probes/HostileChild"),

        .target(
            name: "HTTPOrigin",
            dependencies: [
                "LarderServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
            ],
            path: "Tests/Probes/HTTPOrigin"),

        .target(
            name: "CrashWorld",
            dependencies: [
                "Larder", "LarderTesting", "LarderServer", "LarderStore", "LarderFormat", "LarderSync",
                "LarderTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Probes/CrashWorld"),
        .executableTarget(
            name: "crash-child",
            dependencies: [
                "CrashWorld", "Larder", "LarderTesting", "LarderServer", "LarderStore", "LarderFormat", "LarderSync",
                "LarderOutbox", "LarderTransport", "LarderURLSession", "LarderAsyncHTTPClient",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
            ],
            path: "Tests/Probes/CrashChild"),
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "CrashWorld", "crash-child", "Larder", "LarderEngine", "LarderServer", "LarderStore", "LarderFormat",
                "LarderSync", "LarderTransport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

/// One list, applied once, so that no target can drift.
let commonSettings: [SwiftSetting] = [
    .strictMemorySafety(),  // SE-0458
    .treatAllWarnings(as: .error),  // SE-0480
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .enableExperimentalFeature("Lifetimes"),  // docs/DECISIONS.md says why
]
for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + commonSettings
}

// Tests of an optimized library take half the time, and the simulator a third. Only this package's own builds can do so.
if Context.environment["LARDER_OPTIMIZE"] != nil {
    for target in package.targets where target.type == .regular || target.type == .executable {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-O"])]
    }
}
