import CurfewWire
import Testing

@testable import CurfewCommand

@Suite("What advancing a clock has brought")
struct AdvanceVerbTests {
    @Test("As JSON: what passed, what is left, the state, and each event without the request's number")
    func json() throws {
        let supervisor = ScriptedSupervisor([
            "event id=1 name=stateDidChange number=4 app=a from=background to=suspended",
            "event id=1 name=didPost number=5 app=a info.x=1", "ok id=1 seconds=597.500 left=2.500 state=suspended",
        ])
        var client = supervisor.client()
        let answer = try client.request(Message("advance", [Field("id", "1"), Field("seconds", "600")]))
        #expect(
            AdvanceVerb.json(answer).text == #"""
                {"seconds":597.5,"left":2.5,"state":"suspended","events":[\#
                {"name":"stateDidChange","number":4,"app":"a","from":"background","to":"suspended"},\#
                {"name":"didPost","number":5,"app":"a","info":{"x":"1"}}]}
                """#)
    }

    @Test("Where nothing happened there are no events")
    func nothing() throws {
        let answer = ControlClient.Answer(final: Message("ok", [Field("seconds", "1.000"), Field("left", "0.000")]))
        #expect(AdvanceVerb.json(answer).text == #"{"seconds":1.0,"left":0.0,"state":"","events":[]}"#)
    }
}
