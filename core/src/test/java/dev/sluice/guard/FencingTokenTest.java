package dev.sluice.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FencingTokenTest {

  @Test
  void aLeaseShowsItsTokenAndItsAttempt() throws Exception {
    try (Sluice sluice = Sluice.connect("memory:");
        Lease lease = sluice.lock("x").acquire(Duration.ofSeconds(10))) {
      FencingToken token = FencingToken.of(lease);
      assertThat(token.value()).isEqualTo(lease.token());
      assertThat(token.attempt()).isEqualTo(sluice.clientId() + ".1");
      assertThat(FencingToken.parse(token.toString())).isEqualTo(token);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "5:a.1, 6:b.1, true",
    "5:a.1, 5:a.1, true",
    "5:a.1, 5:a.2, false",
    "5:a.1, 5:A.1, false",
    "5:a.1, 4:a.1, false",
    "9007199254740990:a, 9007199254740991:b, true",
    "9007199254740991:a, 9007199254740990:b, false",
    "10:a, 9:b, false"
  })
  void higherOrTheSameOneAgain(String highest, String next, boolean admitted) {
    assertThat(FencingToken.parse(highest).admits(FencingToken.parse(next))).isEqualTo(admitted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "5:",
        ":a",
        "0:a",
        "-1:a",
        "+1:a",
        "05:a",
        "5 :a",
        " 5:a",
        "5:a ",
        "5:a:b",
        "5:a b",
        "5:ä",
        "٥:a",
        "5:a\n",
        "5,6:a",
        "9007199254740992:a",
        "99999999999999999:a",
        "5:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void anythingElseIsNoToken(String text) {
    assertThatThrownBy(() -> FencingToken.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void bordersOfAToken() {
    assertThat(new FencingToken(1, "-").toString()).isEqualTo("1:-");
    assertThat(FencingToken.parse("9007199254740991:" + "a".repeat(64)).value())
        .isEqualTo((1L << 53) - 1);
    assertThatThrownBy(() -> new FencingToken(0, "a")).hasMessageContaining("1 to 2^53 - 1: 0");
    assertThatThrownBy(() -> new FencingToken(1L << 53, "a")).hasMessageContaining("2^53 - 1");
    assertThatThrownBy(() -> new FencingToken(1, "")).hasMessageContaining("1 to 64");
  }

  @Test
  void aRefusalNamesBothTokensAndTheResource() {
    StaleTokenException late =
        new StaleTokenException(
            "orders/42", FencingToken.parse("17:a.1"), FencingToken.parse("18:b.4"));
    assertThat(late)
        .hasMessage(
            "resource 'orders/42' refused token 17 (attempt a.1): it has seen token 18 (attempt b.4)");
    StaleTokenException twin =
        new StaleTokenException("x", FencingToken.parse("17:a.1"), FencingToken.parse("17:b.4"));
    assertThat(twin)
        .hasMessage(
            "resource 'x' refused token 17 (attempt a.1): another attempt (b.4) has used the same"
                + " token");
  }
}
