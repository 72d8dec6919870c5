// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "swift-client",
    dependencies: [
        // In a package of your own: .package(url: …, from: …).
        .package(name: "curfew-supervisor", path: "../..")
    ],
    targets: [
        .target(
            name: "Uploading",
            dependencies: [.product(name: "CurfewClient", package: "curfew-supervisor")]),
        .executableTarget(name: "uploader", dependencies: ["Uploading"]),
        .executableTarget(
            name: "indexer",
            dependencies: [.product(name: "CurfewClient", package: "curfew-supervisor")]),
        .testTarget(
            name: "UploadingTests",
            dependencies: ["Uploading", .product(name: "CurfewClientTestKit", package: "curfew-supervisor")]),
    ]
)
