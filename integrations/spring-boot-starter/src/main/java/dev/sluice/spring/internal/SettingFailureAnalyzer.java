package dev.sluice.spring.internal;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says in words which setting or annotation cannot work, in place of a trace.
 *
 * @since 0.1
 */
public final class SettingFailureAnalyzer extends AbstractFailureAnalyzer<SettingException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SettingException failure) {
    return new FailureAnalysis(failure.getMessage(), "Correct it at the place named.", failure);
  }
}
