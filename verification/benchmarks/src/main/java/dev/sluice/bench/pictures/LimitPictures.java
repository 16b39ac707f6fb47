package dev.sluice.bench.pictures;

import dev.sluice.bench.report.MarkdownTable;
import dev.sluice.limit.Limit;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Pictures of docs/limit-algorithms.md: the same calls through every algorithm, ten a second. */
public final class LimitPictures {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private record Subject(String file, String title, Limit limit) {}

  private static final List<Subject> SUBJECTS =
      List.of(
          new Subject("fixed-window", "Fixed window", Limit.fixedWindow(10, SECOND)),
          new Subject("sliding-log", "Sliding log", Limit.slidingLog(10, SECOND)),
          new Subject("sliding-window", "Sliding window", Limit.slidingWindow(10, SECOND)),
          new Subject(
              "token-bucket", "Token bucket, leaky bucket, GCRA", Limit.tokenBucket(10, SECOND)),
          new Subject("expiring-window", "Expiring window", Limit.expiringWindow(10, SECOND)),
          new Subject("leaky-queue", "Leaky queue", Limit.leakyQueue(10, SECOND).places(10)));

  private LimitPictures() {}

  /** {@return each picture by the name of its file} */
  public static Map<String, String> draw() {
    Map<String, String> pictures = new LinkedHashMap<>();
    for (Subject subject : SUBJECTS) {
      pictures.put(
          subject.file() + ".svg", AdmissionPicture.draw(subject.title(), subject.limit()));
    }
    return pictures;
  }

  /** {@return the numbers of all pictures, in Markdown} */
  public static String table() {
    MarkdownTable table = new MarkdownTable("limit", "admitted", "most within one second", "from");
    for (Subject subject : SUBJECTS) {
      Trace trace = Trace.of(subject.limit());
      table.row(
          "`" + subject.limit() + "`",
          trace.admitted().size() + " of " + Trace.calls().size(),
          "" + trace.worst().count(),
          trace.worst().start() / 1000 + " ms");
    }
    return table.toString();
  }
}
