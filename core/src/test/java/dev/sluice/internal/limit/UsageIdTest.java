package dev.sluice.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spi.LimitRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageIdTest {
  private static final UsageId ID =
      new UsageId("Ab_-9-17", 4000, 1_700_000_000_000_000L, 600_000_000, 123);

  private static UsageId read(String text) {
    return UsageId.of("model", "tenant/7", text);
  }

  /** Applications keep these values, so a later version must read them. */
  @Test
  void hasTheFormThatApplicationsKeep() {
    String text = "Ab_-9-17.334.gqll7vatq8.9x82yo.3f.1po1gc3";
    assertThat(ID.text("model", "tenant/7")).isEqualTo(text);
    assertThat(read(text)).isEqualTo(ID);
  }

  @Test
  void isReadAgain() {
    UsageId longest =
        new UsageId("a".repeat(64), LimitRule.MAX_COST, 1L << 52, 86_400_000_000L, (1L << 32) - 1);
    UsageId shortest = new UsageId("a", 1, 0, 0, 0);
    for (UsageId id : new UsageId[] {longest, shortest}) {
      String text = id.text("model", "tenant/7");
      assertThat(read(text)).isEqualTo(id);
      assertThat(text).hasSizeLessThanOrEqualTo(128);
    }
  }

  @Test
  void isRefusedWhereACharacterDiffers() {
    String text = ID.text("model", "tenant/7");
    for (int i = 0; i < text.length(); i++) {
      for (char c : new char[] {'0', 'a', 'Z', '.', ' ', ':', 'ä'}) {
        if (text.charAt(i) != c) {
          assertRefused(text.substring(0, i) + c + text.substring(i + 1));
        }
      }
      assertRefused(text.substring(0, i));
      assertRefused(text.substring(i + 1));
    }
  }

  @Test
  void isRefusedForAnotherLimiterOrKey() {
    String text = ID.text("model", "tenant/7");
    assertThatThrownBy(() -> UsageId.of("mode", "ltenant/7", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "usage id does not belong to rate limiter 'mode' and key 'ltenant/7': '" + text + "'");
    assertThatThrownBy(() -> UsageId.of("model", "tenant/8", text))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "a.1.1.1.1", "a.1.1.1.1.1.1", "a.zzzzzzzzzzzz.1.1.1.1", "\n"})
  void isRefusedWithoutItsForm(String text) {
    assertRefused(text);
  }

  /** A sum that is right does not make a wrong number safe. */
  @Test
  void isRefusedOutOfRange() {
    assertRefused(new UsageId("a", 0, 1, 1, 1).text("model", "tenant/7"));
    assertRefused(new UsageId("a", LimitRule.MAX_COST + 1, 1, 1, 1).text("model", "tenant/7"));
    assertRefused(new UsageId("a", 1, (1L << 52) + 1, 1, 1).text("model", "tenant/7"));
    assertRefused(new UsageId("a", 1, 1, 86_400_000_001L, 1).text("model", "tenant/7"));
  }

  private static void assertRefused(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
