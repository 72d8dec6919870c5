import Testing

/// Whole lives, as text. `performed` runs the commands and puts the real effects below each.
@Suite("Transcripts")
struct TranscriptTests {
    @Test("A transcript comes out as it was written", arguments: Transcript.allCases)
    func transcript(_ transcript: Transcript) {
        #expect(performed(transcript.text) == transcript.text)
    }

    @Test("A row of the foreground comes out as it was written", arguments: RowTranscript.allCases)
    func row(_ transcript: RowTranscript) {
        #expect(performed(transcript.text) == transcript.text)
    }

    @Test("A row that wakes or ends an app comes out as it was written", arguments: EndRowTranscript.allCases)
    func endRow(_ transcript: EndRowTranscript) {
        #expect(performed(transcript.text) == transcript.text)
    }

    @Test("A wrong transcript doesn't")
    func wrong() {
        #expect(performed("launch a\n    nothing") == "launch a\n    a notRunning -> active")
    }
}
