import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("What wakes the loop")
struct EventLoopTests {
    @Test("A token tells the source and the number it was made of, an app's of any generation too")
    func tokens() throws {
        for number in [0, 1, 4_194_304, AppID(slot: 5, generation: 1 << 30).rawValue] {
            for source in [EventLoop.Source.signals, .memoryMark, .pressure] {
                let token = try #require(EventLoop.Source.of(source.token(number)))
                #expect(token.source == source)
                #expect(token.number == number)
            }
        }
        #expect(EventLoop.Source.of(0) == nil)
        #expect(EventLoop.Source.of(.max) == nil)
    }
}
