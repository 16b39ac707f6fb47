package dev.sluice.spring.internal;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Describes why there is no {@code Sluice} bean and how to fix it, in place of a stack trace.
 *
 * @since 0.1
 */
public final class SluiceFailureAnalyzer extends AbstractFailureAnalyzer<SluiceStartException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SluiceStartException failure) {
    return new FailureAnalysis(failure.getMessage(), failure.action(), failure);
  }
}
