/// A measured line, thinned to what a picture can show.
enum SampleLine {
    /// Of those within one pixel the first, the least, the most and the last.
    static func thinned(_ samples: [AppRun.Sample], _ scale: TimeScale) -> [AppRun.Sample] {
        guard samples.count > 4 else { return samples }
        var kept: [AppRun.Sample] = []
        var start = 0
        while start < samples.count {
            let column = scale.x(samples[start].time).rounded(.down)
            let end = samples[start...].firstIndex { scale.x($0.time).rounded(.down) != column } ?? samples.count
            let inside = samples[start..<end]
            let picked = [
                inside.startIndex, inside.indices.min { inside[$0].value < inside[$1].value } ?? start,
                inside.indices.max { inside[$0].value < inside[$1].value } ?? start, end - 1,
            ]
            for index in Set(picked).sorted() { kept.append(samples[index]) }
            start = end
        }
        return kept
    }
}
