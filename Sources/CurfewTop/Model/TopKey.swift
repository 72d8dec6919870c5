/// A key, as far as it means something here.
public enum TopKey: Sendable, Equatable {
    case character(Unicode.Scalar)
    case up, down, pageUp, pageDown, first, last, enter, escape, backspace
}
