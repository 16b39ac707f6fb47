package dev.sluice.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {

  @Test
  void showsWhatATerminalWouldObey() {
    assertThat(Text.visible("a\u001b[2Jb\r\nc\td\u0000\u007f\u009b31m"))
        .isEqualTo("a\\u001b[2Jb\\u000d\\nc\\td\\u0000\\u007f\\u009b31m");
  }

  @Test
  void showsWhatHidesOrTurnsText() {
    assertThat(Text.visible("a\u202eb\u200bc\u2028d\ud800e"))
        .isEqualTo("a\\u202eb\\u200bc\\u2028d\\ud800e");
  }

  @Test
  void leavesLettersOfAllScriptsAlone() {
    assertThat(Text.visible("orders/42 é 锁 😀")).isEqualTo("orders/42 é 锁 😀");
  }

  @Test
  void differentNamesStayDifferent() {
    List<String> names = List.of("a\nb", "a\\nb", "a\\\nb", "a\\\\nb", "a\rb", "a\\u000ab");
    Set<String> shown = new HashSet<>();
    names.forEach(name -> shown.add(Text.visible(name)));
    assertThat(shown).hasSameSizeAs(names);
  }

  @ParameterizedTest
  @CsvSource({
    "no answer from redis://:secret@host:1, no answer from redis://***@host:1",
    "rediss://user:p@ss/w:rd@host/0 is down, rediss://***@host/0 is down",
    "cannot read redis://user:p w@host, cannot read redis://***@host",
    "redis://a:p@b and redis://c:q@d, redis://***@d",
    "redis://host:6379 is down, redis://host:6379 is down",
    "mail a@b, mail a@b",
    "see 1.redis://u:p@h, see 1.redis://***@h",
    "see a:b://u:p@h, see a:b://***@h",
    "1://a@b then c://u:p@h, 1://a@b then c://***@h",
    "not 'redis://h?x'; expected redis://[user:password@]host, not 'redis://h?x'; expected redis://[user:password@]host",
    "not 'c://u:p@h'; expected c://[user:password@]host, not 'c://***@h'; expected c://[user:password@]host",
    "c://u:[user:password@]p@h, c://***@h"
  })
  void leavesPasswordsOut(String message, String shown) {
    assertThat(Text.withoutSecrets(message)).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "1", "a:", "a:/", "1a.", "://"})
  void aLongerMessageCostsNoMoreThanItsLength(String part) {
    assertThat(work(part.repeat(20_000))).isLessThan(3 * work(part.repeat(10_000)));
  }

  /** How many characters a search looks at. */
  private static long work(String message) {
    AtomicLong looks = new AtomicLong();
    CharSequence counted =
        new CharSequence() {
          @Override
          public int length() {
            return message.length();
          }

          @Override
          public char charAt(int index) {
            looks.incrementAndGet();
            return message.charAt(index);
          }

          @Override
          public CharSequence subSequence(int start, int end) {
            return message.subSequence(start, end);
          }
        };
    assertThat(Text.urlFrom(counted)).isNegative();
    return looks.get();
  }
}
