package dev.sluice.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import org.junit.jupiter.api.Test;

class AskingTest {

  @Test
  void whatATryBeforeMayHaveDoneIsNotCalledUndone() {
    BackendException last =
        new BackendException("the store did not answer; nothing was done", null);
    assertThat(Asking.noAnswer(true, last))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageStartingWith("no answer to a try before the last, so it may have been done");
    assertThat(Asking.noAnswer(false, last)).isSameAs(last);
  }
}
