// swift-tools-version: 6.0
// The core and its tests alone, for `make lives`: built with optimisation, which the whole package's tests aren't worth.
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "lives",
    targets: [
        .target(name: "CurfewCore", swiftSettings: settings),
        .testTarget(name: "CurfewCoreTests", dependencies: ["CurfewCore"], swiftSettings: settings),
    ])
