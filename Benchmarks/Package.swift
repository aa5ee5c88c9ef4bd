// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "larder-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "larder", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CRawLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CRawSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .executableTarget(
            name: "larder-bench",
            dependencies: [
                "CRawLMDB", "CRawSQLite",
                .product(name: "LarderStore", package: "larder"),
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
