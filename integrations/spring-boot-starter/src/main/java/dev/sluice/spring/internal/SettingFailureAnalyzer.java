package dev.sluice.spring.internal;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Describes a wrong setting or annotation, in place of a stack trace.
 *
 * @since 0.1
 */
public final class SettingFailureAnalyzer extends AbstractFailureAnalyzer<SettingException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SettingException failure) {
    return new FailureAnalysis(failure.getMessage(), "Correct it at the place named.", failure);
  }
}
