import CNcurses
import CurfewTop
import Glibc

/// The terminal, by ncurses: lines out, keys in.
struct CursesScreen {
    let isUnicode: Bool
    private let hasColours: Bool

    /// Nil where it can't be had.
    init?(isUnicode: Bool) {
        guard screen_begin() else { return nil }
        self.isUnicode = isUnicode
        // Source: no-color.org.
        let wish = getenv("NO_COLOR")
        let isUnwanted = wish.map { $0[0] != 0 } ?? false
        hasColours = !isUnwanted && screen_start_colours()
    }

    var layout: TopScreen {
        TopScreen(columns: Int(screen_columns()), rows: Int(screen_rows()), isUnicode: isUnicode)
    }

    func draw(_ lines: [ScreenLine]) {
        screen_erase()
        for (row, line) in lines.enumerated() { draw(line, row: Int32(row)) }
        screen_show()
    }

    /// Each character at its own place: whatever this terminal makes of one, the next is where it belongs.
    private func draw(_ line: ScreenLine, row: Int32) {
        var column = 0
        for part in line.parts {
            let (attributes, colour) = look(part.style)
            for cell in CellText.cells(part.text, isUnicode: isUnicode) {
                let scalars = cell.scalars.map(\.value)
                screen_put(row, Int32(column), scalars, scalars.count, attributes, colour)
                column += cell.width
            }
        }
    }

    private func look(_ style: TextStyle) -> (attributes: Int32, colour: Int32) {
        func coloured(_ colour: screen_colour) -> Int32 { hasColours ? Int32(colour.rawValue) : 0 }
        switch style {
        case .plain: return (0, 0)
        case .bold: return (Int32(SCREEN_BOLD), 0)
        case .faint: return (Int32(SCREEN_DIM), 0)
        case .reverse: return (Int32(SCREEN_REVERSE), 0)
        case .good: return (0, coloured(SCREEN_GREEN))
        case .warning: return (0, coloured(SCREEN_YELLOW))
        case .bad: return (Int32(SCREEN_BOLD), coloured(SCREEN_RED))
        }
    }

    /// All keys that were pressed.
    func keys() -> [TopKey] {
        var keys: [TopKey] = []
        while true {
            let code = screen_key()
            if code == SCREEN_NO_KEY.rawValue { return keys }
            if let key = Self.key(code) { keys.append(key) }
        }
    }

    private static func key(_ code: UInt32) -> TopKey? {
        switch code {
        case SCREEN_KEY_UP.rawValue: return .up
        case SCREEN_KEY_DOWN.rawValue: return .down
        case SCREEN_KEY_PAGE_UP.rawValue: return .pageUp
        case SCREEN_KEY_PAGE_DOWN.rawValue: return .pageDown
        case SCREEN_KEY_HOME.rawValue: return .first
        case SCREEN_KEY_END.rawValue: return .last
        case SCREEN_KEY_BACKSPACE.rawValue, 8, 127: return .backspace
        case SCREEN_KEY_ENTER.rawValue, 10, 13: return .enter
        case 27: return .escape
        default: return Unicode.Scalar(code).map(TopKey.character)
        }
    }

    func resize() { screen_resize() }
    func drawAnew() { screen_draw_anew() }
    func end() { screen_end() }
    func resume() { screen_resume() }
}
