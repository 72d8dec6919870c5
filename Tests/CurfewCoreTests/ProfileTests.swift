import CurfewCore
import Testing

@Suite("Profiles and policies")
struct ProfileTests {
    @Test(
        "Each profile's numbers",
        arguments: [
            (Profile.ios4, [600, 5, 5, 5, 20, 30, 600]), (.ios5, [600, 10, 10, 5, 20, 30, 600]),
            (.ios7, [180, 5, 5, 5, 20, 30, 600]), (.ios13, [30, 4, 5, 5, 20, 30, 600]),
        ] as [(Profile, [Int64])])
    func numbers(profile: Profile, seconds: [Int64]) {
        let policy = Policy(profile: profile)
        let spans = [
            policy.backgroundBudget, policy.expirationLead, policy.enterBackgroundLimit, policy.terminateLimit,
            policy.launchLimit, policy.wakeLimit, policy.processingLimit,
        ]
        #expect(spans == seconds.map { .seconds($0) })
    }

    @Test("A profile sets no grace, time limit, memory limit, nor anything else")
    func defaults() {
        let policy = Policy(profile: .ios4)
        #expect(policy.grace == nil)
        #expect(policy.timeLimit == .infinite)
        #expect(policy.memory == nil)
        #expect(!policy.requiresHello)
        #expect(!policy.waitsForTree)
        #expect(policy.terminateSuspended == .kill)
        #expect(Policy.maximumOpenTasks == 1000)
    }

    @Test("The profiles' names")
    func names() {
        #expect(Profile.allCases.map(\.rawValue) == ["ios4", "ios5", "ios7", "ios13"])
        #expect(TerminateSuspended.allCases.map(\.rawValue) == ["kill", "wake"])
    }

    @Test("iOS 13: warned at 26 s, killed at 30 s")
    func ios13() {
        let scenario = Scenario.inBackground(Policy(profile: .ios13), tasks: "one")
        #expect(scenario.run(.seconds(26)) == ["note a warned tasks 1"])
        #expect(scenario.run(.milliseconds(3_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).count == 2)
    }

    @Test("iOS 5: ten seconds to acknowledge didEnterBackground")
    func ios5() {
        let scenario = Scenario.aware(Policy(profile: .ios5))
        scenario.home()
        #expect(scenario.run(.milliseconds(9_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).count == 2)
    }

    @Test("--time-scale divides every duration, explicit ones too")
    func timeScale() {
        let policy = Policy.with {
            $0.grace = .seconds(6)
            $0.timeLimit = .seconds(3_600)
        }
        let scaled = policy.scaled(by: 60)
        #expect(scaled.backgroundBudget == .seconds(10))
        #expect(scaled.expirationLead == Span(nanoseconds: 83_333_333))
        #expect(scaled.enterBackgroundLimit == Span(nanoseconds: 83_333_333))
        #expect(scaled.terminateLimit == Span(nanoseconds: 83_333_333))
        #expect(scaled.launchLimit == Span(nanoseconds: 333_333_333))
        #expect(scaled.wakeLimit == .milliseconds(500))
        #expect(scaled.processingLimit == .seconds(10))
        #expect(scaled.grace == .milliseconds(100))
        #expect(scaled.timeLimit == .seconds(60))
    }

    @Test("--time-scale leaves what isn't a duration")
    func timeScaleLeaves() {
        let policy = Policy.with {
            $0.memory = MemoryPolicy(fatalLimit: 600, isEnforcedByKernel: false)
            $0.requiresHello = true
            $0.waitsForTree = true
            $0.terminateSuspended = .wake
        }
        let scaled = policy.scaled(by: 60)
        #expect(scaled.memory == policy.memory)
        #expect(scaled.requiresHello && scaled.waitsForTree && scaled.terminateSuspended == .wake)
        #expect(scaled.grace == nil)
        #expect(scaled.timeLimit == .infinite)
    }

    @Test("A time scale of one changes nothing")
    func timeScaleOne() {
        for profile in Profile.allCases {
            #expect(Policy(profile: profile).scaled(by: 1) == Policy(profile: profile))
        }
    }

    @Test("A scaled span stays infinite, stays zero, and otherwise never becomes either")
    func scaledSpans() {
        #expect(Span.infinite.scaled(by: 60) == .infinite)
        #expect(Span.zero.scaled(by: 60) == .zero)
        #expect(Span(nanoseconds: 1).scaled(by: 1e12) == Span(nanoseconds: 1))
        #expect(Span.seconds(1).scaled(by: 0.5) == .seconds(2))
        #expect(Span.seconds(1_000_000).scaled(by: 1e-12) == .infinite)
    }
}
