package dev.sluice.spring;

import dev.sluice.BackendException;
import java.util.Locale;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in words what is wrong with the settings under {@code sluice.*}, in place of a trace. */
final class SluiceFailureAnalyzer extends AbstractFailureAnalyzer<SluiceStartException> {

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
    String start =
        failure.url().toLowerCase(Locale.ROOT).startsWith("redis")
            ? "Start it (redis-server --port 6379), "
            : "Start it, ";
    return new FailureAnalysis(
        "No store answers at %s: %s".formatted(failure.url(), cause.getMessage()),
        start
            + "point sluice.url at one that runs, or set sluice.url=memory: to try without a server"
            + " (one JVM only).",
        failure);
  }
}
