import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("What wakes the loop")
struct EventLoopTests {
    @Test("A token tells the kind and the number it was made of, an app's of any generation too")
    func tokens() throws {
        for number in [0, 1, 4_194_304, AppID(slot: 5, generation: 1 << 30).rawValue] {
            for kind in [EventLoop.Kind.signals, .memoryMark, .pressure] {
                let token = try #require(EventLoop.Kind.of(kind.token(number)))
                #expect(token.kind == kind)
                #expect(token.number == number)
            }
        }
        #expect(EventLoop.Kind.of(0) == nil)
        #expect(EventLoop.Kind.of(.max) == nil)
    }
}
