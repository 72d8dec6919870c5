import Testing

@testable import CurfewScenarioRun

@Suite("What an app has written")
struct OutputLogTests {
    private func log(_ pieces: [UInt8]...) -> OutputLog {
        var log = OutputLog()
        for piece in pieces { log.append(piece) }
        return log
    }

    private func log(_ text: String) -> OutputLog { log(Array(text.utf8)) }

    @Test("A character that comes in pieces is one, whichever way it is cut", arguments: ["é", "€", "😀"])
    func pieces(character: String) {
        let bytes = Array(character.utf8)
        for cut in 0...bytes.count {
            #expect(log(Array("a".utf8) + bytes[..<cut], bytes[cut...] + Array("z".utf8)).text == "a\(character)z")
        }
        #expect(bytes.reduce(into: OutputLog()) { $0.append([$1]) }.text == character)
    }

    @Test("What is no UTF-8 stands as U+FFFD, at the end too, once nothing more can come")
    func rubbish() {
        #expect(log([0xFF, 0x61, 0xC3, 0x28]).text == "\u{fffd}a\u{fffd}(")
        #expect(log([0x80, 0x80, 0x80, 0x80, 0x80]).text.unicodeScalars.allSatisfy { $0 == "\u{fffd}" })
        var cut = log([0x61, 0xF0, 0x9F])
        #expect(cut.text == "a")
        cut.finish()
        #expect(cut.text == "a\u{fffd}")
    }

    @Test("Of whoever writes without end the last is kept, and how much it was in all")
    func bounded() {
        var log = OutputLog()
        // A prime, so that what is dropped ends anywhere, also within a character.
        let piece = [UInt8](repeating: 0x61, count: 65_534) + [0xE2, 0x82, 0xAC]
        for _ in 0..<100 {
            log.append(piece)
            #expect(log.text.utf8.count <= 2 * OutputLog.capacity)
        }
        #expect(log.count == 100 * piece.count)
        #expect(log.text.utf8.count >= OutputLog.capacity && log.dropped > 0)
        log.append(Array("\nlast\n".utf8))
        #expect(log.lastLines(1) == ["last"])
    }

    @Test("A search goes on behind the last match, also when that has been dropped since")
    func searching() throws {
        let number = try Regex("[0-9]+")
        var log = log("1 22 ")
        #expect(log.takeMatch(of: number) == ["1"])
        #expect(log.takeMatch(of: number) == ["22"])
        #expect(log.takeMatch(of: number) == nil)
        for _ in 0..<20 { log.append([UInt8](repeating: 0x61, count: 65_536)) }
        log.append(Array("333".utf8))
        #expect(log.takeMatch(of: number) == ["333"])
        #expect(log.match(of: number) == ["333"])
    }

    @Test("Of a long line the beginning is shown, of an unfinished one the end")
    func lines() {
        #expect(log("").lastLines(3) == [])
        #expect(log("a\n\nb\nc").lastLines(2) == ["b", "c"])
        #expect(log("a\n\nb\nc\n").lastLines(2) == ["b", "c"])
        #expect(log("a\nb").lastLines(1) == ["b"])
        let long = String(repeating: "x", count: 300)
        #expect(log("<\(long)\n").lastLines(1) == ["<" + long.prefix(199) + "…"])
        #expect(log("<\(long)>").lastLines(1) == ["…" + long.suffix(199) + ">"])
    }
}
