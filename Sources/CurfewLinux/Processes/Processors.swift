import CCurfew

/// The machine's processors.
public enum Processors {
    /// How many this process may run on at once.
    public static var count: Int { Int(curfew_processor_count()) }
}
