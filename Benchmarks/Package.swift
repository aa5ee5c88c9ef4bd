// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "larder-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "larder", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CRawLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CRawSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CRawRocksDB", pkgConfig: "rocksdb", providers: [.apt(["librocksdb-dev"])]),
        .systemLibrary(name: "CRawLevelDB", providers: [.apt(["libleveldb-dev"])]),
        .target(name: "CCounters"),
        .executableTarget(
            name: "larder-bench",
            dependencies: [
                "CCounters", "CRawLMDB", "CRawLevelDB", "CRawRocksDB", "CRawSQLite",
                .product(name: "LarderEngine", package: "larder"),
                .product(name: "LarderFormat", package: "larder"),
                .product(name: "LarderOutbox", package: "larder"),
                .product(name: "LarderHTTP", package: "larder"),
                .product(name: "LarderQuery", package: "larder"),
                .product(name: "LarderStore", package: "larder"),
                .product(name: "LarderSync", package: "larder"),
                .product(name: "LarderTransport", package: "larder"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableExperimentalFeature("Lifetimes"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
