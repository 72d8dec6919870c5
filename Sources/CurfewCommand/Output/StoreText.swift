/// What a server's `store=` says where what is to outlive it can't be written, for people.
enum StoreText {
    /// `word`: as the server sends it. Source: docs/server-database.md, "When it can't be written".
    static func trouble(_ word: String) -> String {
        let why =
            switch word {
            case "full": "the disk is full"
            case "read-only": "it can't be written"
            case "busy": "another program has it open in a transaction"
            case "another-server": "another server uses it"
            default: word
            }
        return "\(why); what is to outlive the server is in memory alone"
    }
}
