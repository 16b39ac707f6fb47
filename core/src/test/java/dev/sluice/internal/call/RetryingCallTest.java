package dev.sluice.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import org.junit.jupiter.api.Test;

class RetryingCallTest {

  @Test
  void whatATryBeforeMayHaveDoneIsNotCalledUndone() {
    BackendException last =
        new BackendException("the store did not answer; nothing was done", null);
    assertThat(RetryingCall.noAnswer(true, last))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageStartingWith("no answer to an earlier attempt, so it may have been executed");
    assertThat(RetryingCall.noAnswer(false, last)).isSameAs(last);
  }
}
