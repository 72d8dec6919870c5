// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "curfew-supervisor",
    products: [
        .executable(name: "curfew", targets: ["curfew"]),
        .executable(name: "curfew-help", targets: ["curfew-help"]),
        .executable(name: "curfew-timeline", targets: ["curfew-timeline"]),
        .executable(name: "curfew-top", targets: ["curfew-top"]),
        .executable(name: "curfew-test", targets: ["curfew-test"]),
        .executable(name: "curfew-apps", targets: ["curfew-apps"]),
        .executable(name: "curfew-serve", targets: ["curfew-serve"]),
        .library(name: "CurfewClient", targets: ["CurfewClient"]),
        .library(name: "CurfewClientTestKit", targets: ["CurfewClientTestKit"]),
        .library(name: "CurfewTesting", targets: ["CurfewTesting"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibcap", pkgConfig: "libcap",
            providers: [.apt(["libcap-dev"]), .yum(["libcap-devel"])]),
        .target(name: "CCurfew", dependencies: ["CLibcap"], cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "CurfewCore", swiftSettings: settings),
        .target(name: "CurfewWire", swiftSettings: settings),
        .target(name: "CurfewClient", dependencies: ["CurfewWire"], swiftSettings: settings),
        .target(name: "CurfewClientTestKit", dependencies: ["CurfewClient"], swiftSettings: settings),
        .target(name: "CurfewLinux", dependencies: ["CCurfew"], swiftSettings: settings),
        .target(
            name: "CurfewEngine", dependencies: ["CCurfew", "CurfewCore", "CurfewWire", "CurfewLinux"],
            swiftSettings: settings),
        // What a server keeps: SQLite, on a thread of its own.
        .target(
            name: "CurfewStore",
            dependencies: [
                "CCurfew", "CurfewLinux", "CurfewWire", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .target(
            name: "CurfewCommand",
            dependencies: ["CCurfew", "CurfewCore", "CurfewWire", "CurfewLinux", "CurfewEngine"],
            swiftSettings: settings),
        .target(
            name: "CurfewArguments",
            dependencies: [
                "CurfewCommand", "CurfewCore", "CurfewWire", "CurfewEngine", "CurfewLinux", "CurfewScenario",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .executableTarget(name: "curfew", dependencies: ["CCurfew", "CurfewCommand"]),
        .executableTarget(
            name: "curfew-help", dependencies: ["CurfewArguments", "CurfewCommand"], swiftSettings: settings),
        // The server of many apps: what it is made of, and its executable.
        .target(
            name: "CurfewServe",
            dependencies: [
                "CurfewCommand", "CurfewCore", "CurfewEngine", "CurfewLinux", "CurfewManifest", "CurfewStore",
            ],
            swiftSettings: settings),
        .executableTarget(name: "curfew-serve", dependencies: ["CCurfew", "CurfewServe"]),
        // Scenarios: the language, what is reported of them; and pictures of a run.
        .target(name: "CurfewScenario", dependencies: ["CurfewWire"], swiftSettings: settings),
        .target(name: "CurfewTestReports", dependencies: ["CurfewWire"], swiftSettings: settings),
        .target(
            name: "CurfewScenarioRun",
            dependencies: ["CCurfew", "CurfewLinux", "CurfewScenario", "CurfewTestReports", "CurfewWire"],
            swiftSettings: settings),
        // Scenarios in Swift Testing.
        .target(
            name: "CurfewTesting", dependencies: ["CCurfew", "CurfewScenario", "CurfewScenarioRun", "CurfewWire"],
            swiftSettings: settings),
        .executableTarget(
            name: "curfew-test",
            dependencies: [
                "CCurfew", "CurfewArguments", "CurfewCommand", "CurfewCore", "CurfewEngine", "CurfewLinux",
                "CurfewScenario",
                "CurfewScenarioRun", "CurfewTestReports", "CurfewWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .target(name: "CurfewTimeline", dependencies: ["CurfewWire"], swiftSettings: settings),
        .executableTarget(
            name: "curfew-timeline",
            dependencies: [
                "CCurfew", "CurfewTimeline", "CurfewCommand", "CurfewCore", "CurfewEngine", "CurfewLinux", "CurfewWire",
            ],
            swiftSettings: settings),
        // What apps of a server are: manifests and desktop entries.
        .target(
            name: "CurfewManifest",
            dependencies: [
                "CCurfew", "CurfewCommand", "CurfewCore", "CurfewEngine", "CurfewLinux", "CurfewWire",
                .product(name: "TOMLKit", package: "TOMLKit"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "curfew-apps",
            dependencies: ["CurfewCommand", "CurfewCore", "CurfewManifest", "CurfewWire"],
            swiftSettings: settings),
        // Every app of the user on one screen. ncurses' headers and libraries stand where the compiler looks; the module map
        // names what is linked.
        .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"]), .yum(["ncurses-devel"])]),
        .target(name: "CurfewTop", dependencies: ["CurfewWire"], swiftSettings: settings),
        .executableTarget(
            name: "curfew-top",
            dependencies: [
                "CCurfew", "CNcurses", "CurfewTop", "CurfewCommand", "CurfewEngine", "CurfewLinux", "CurfewWire",
            ],
            swiftSettings: settings),
        // Not for users: draws docs/states.md, and measures one step of the core.
        .executableTarget(name: "curfew-states", dependencies: ["CurfewCore"], swiftSettings: settings),
        .executableTarget(
            name: "core-step", dependencies: ["CurfewCore"], path: "Tests/Bench/CoreStep", swiftSettings: settings),
        // What the store's tests kill, or let run into a full disk.
        .executableTarget(
            name: "store-worker", dependencies: ["CurfewLinux", "CurfewStore"], path: "Tests/StoreWorker",
            swiftSettings: settings),
        .testTarget(name: "CurfewCoreTests", dependencies: ["CurfewCore"], swiftSettings: settings),
        .testTarget(name: "CurfewWireTests", dependencies: ["CurfewWire"], swiftSettings: settings),
        .testTarget(
            name: "CurfewClientTests", dependencies: ["CurfewClient", "CurfewClientTestKit", "CurfewWire"],
            swiftSettings: settings),
        .testTarget(name: "CurfewLinuxTests", dependencies: ["CurfewLinux", "CCurfew"], swiftSettings: settings),
        .testTarget(
            name: "CurfewEngineTests",
            dependencies: ["CurfewEngine", "CurfewCore", "CurfewWire", "CurfewLinux", "CCurfew"],
            swiftSettings: settings),
        .testTarget(
            name: "CurfewStoreTests",
            dependencies: ["CurfewLinux", "CurfewStore", .product(name: "GRDB", package: "GRDB.swift")],
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "CurfewScenarioTests", dependencies: ["CurfewScenario", "CurfewCore", "CurfewWire"],
            swiftSettings: settings),
        .testTarget(
            name: "CurfewScenarioRunTests",
            dependencies: ["CurfewLinux", "CurfewScenarioRun", "CurfewScenario", "CurfewTestReports", "CurfewWire"],
            swiftSettings: settings),
        .testTarget(
            name: "CurfewTestingTests", dependencies: ["CurfewTesting", "CurfewScenarioRun", "CurfewWire"],
            swiftSettings: settings),
        .testTarget(
            name: "CurfewTestReportsTests", dependencies: ["CurfewScenario", "CurfewTestReports", "CurfewWire"],
            swiftSettings: settings),
        .testTarget(
            name: "CurfewManifestTests",
            dependencies: ["CurfewCommand", "CurfewCore", "CurfewEngine", "CurfewLinux", "CurfewManifest"],
            swiftSettings: settings),
        .testTarget(
            name: "CurfewServeTests",
            dependencies: ["CurfewCore", "CurfewEngine", "CurfewLinux", "CurfewManifest", "CurfewServe"],
            swiftSettings: settings),
        .testTarget(
            name: "CurfewTimelineTests", dependencies: ["CurfewTimeline", "CurfewWire"], exclude: ["Samples"],
            swiftSettings: settings),
        .testTarget(
            name: "CurfewTopTests", dependencies: ["CurfewTop", "CurfewWire"], exclude: ["Screens"],
            swiftSettings: settings),
        .testTarget(
            name: "CurfewCommandTests",
            dependencies: [
                "CCurfew", "CurfewCommand", "CurfewArguments", "CurfewCore", "CurfewEngine", "CurfewLinux",
                "CurfewWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
    ]
)
