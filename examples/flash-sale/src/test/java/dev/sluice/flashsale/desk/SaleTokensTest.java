package dev.sluice.flashsale.desk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SaleTokensTest {
  private static final byte[] KEY = "sixteen bytes or more".getBytes(StandardCharsets.UTF_8);
  private static final Instant NOW = Instant.parse("2026-11-11T00:04:00Z");

  private static SaleTokens at(Instant moment) {
    return new SaleTokens(KEY, Clock.fixed(moment, ZoneOffset.UTC));
  }

  @Test
  void letsThisBuyerIntoThisSaleAtEveryInstanceWithTheKey() {
    String token = at(NOW).issue("ann", "sale-1");

    assertThat(at(NOW).isValid(token, "ann", "sale-1")).isTrue();
    assertThat(at(NOW).isValid(token, "bob", "sale-1")).as("lent").isFalse();
    assertThat(at(NOW).isValid(token, "ann", "sale-2")).as("another sale").isFalse();
    byte[] other = SaleTokens.newKey().getBytes(StandardCharsets.UTF_8);
    assertThat(
            new SaleTokens(other, Clock.fixed(NOW, ZoneOffset.UTC)).isValid(token, "ann", "sale-1"))
        .as("another key")
        .isFalse();
  }

  @Test
  void sameLettersInOtherPlacesAreAnotherToken() {
    String token = at(NOW).issue("ann1", "sale");

    assertThat(at(NOW).isValid(token, "ann", "1sale")).isFalse();
  }

  @Test
  void endsAfterTheNextWindow() {
    String token = at(NOW).issue("ann", "sale");

    assertThat(at(NOW.plus(Duration.ofMinutes(5))).isValid(token, "ann", "sale")).isTrue();
    assertThat(at(NOW.plus(Duration.ofMinutes(10))).isValid(token, "ann", "sale")).isFalse();
    assertThat(at(NOW.minus(Duration.ofMinutes(5))).isValid(token, "ann", "sale")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "5", "5.", "x.y", ".abc", "99999999999999999999.abc"})
  void whatIsNoTokenIsRefused(String token) {
    assertThat(at(NOW).isValid(token, "ann", "sale")).isFalse();
  }

  @Test
  void aTokenWithAnotherSignatureIsRefused() {
    String token = at(NOW).issue("ann", "sale");
    char last = token.charAt(token.length() - 2);

    String forged =
        token.substring(0, token.length() - 2)
            + (last == 'A' ? 'B' : 'A')
            + token.substring(token.length() - 1);

    assertThat(at(NOW).isValid(forged, "ann", "sale")).isFalse();
  }

  @Test
  void aShortKeyIsRefused() {
    assertThatThrownBy(() -> new SaleTokens(new byte[15], Clock.systemUTC()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the key of sale tokens must have at least 16 bytes: 15");
  }
}
