package dev.sluice.spring;

import dev.sluice.BackendException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in words what is wrong with the settings under {@code sluice.*}, in place of a trace. */
final class SluiceFailureAnalyzer extends AbstractFailureAnalyzer<SluiceStartException> {
  private static final Pattern LOCAL_REDIS =
      Pattern.compile("^redis://(?:[^@/]*@)?(?:localhost|127\\.0\\.0\\.1)(?::(\\d+))?(?:/|$)");

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SluiceStartException failure) {
    Throwable cause = failure.getCause();
    return cause instanceof BackendException
        ? unreachable(failure, cause)
        : new FailureAnalysis(
            failure.getMessage(),
            "Correct the settings under sluice.*; sluice.url names a store that a module on the"
                + " class path opens, such as memory: or redis://localhost:6379 (sluice-redis).",
            failure);
  }

  private static FailureAnalysis unreachable(SluiceStartException failure, Throwable cause) {
    Matcher redis = LOCAL_REDIS.matcher(failure.url());
    String start =
        redis.find()
            ? "Start it (redis-server --port "
                + (redis.group(1) == null ? 6379 : redis.group(1))
                + "), "
            : "Start it, ";
    return new FailureAnalysis(
        "No store answers at %s: %s".formatted(failure.url(), cause.getMessage()),
        start
            + "point sluice.url at one that runs, or set sluice.url=memory: to try without a server"
            + " (one JVM only).",
        failure);
  }
}
