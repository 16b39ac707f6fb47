package dev.sluice.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {

  @ParameterizedTest
  @ValueSource(strings = {"p/x", "p?x", "p#x", "p@x", "p//x", "p:x", "p x", "p'x", "p%40x", "px"})
  void hidesAPasswordWhateverItHolds(String password) {
    assertThat(Secrets.mask("redis://user:" + password + "@host:6379/0"))
        .isEqualTo("redis://***@host:6379/0");
    assertThat(Secrets.mask("redis://:" + password + "@host")).isEqualTo("redis://***@host");
    assertThat(Secrets.mask("redis-sentinel://" + password + "@a:1,b:2/0#main"))
        .isEqualTo("redis-sentinel://***@a:1,b:2/0#main");
  }

  @ParameterizedTest
  @CsvSource({
    "redis:user:secret@host, redis:***@host",
    "user:secret@host,       user:***@host",
    "secret@host,            ***@host",
    "secret@host//,          ***@host//",
    "secret@host:1,          ***@host:1"
  })
  void hidesItInWhatIsHardlyAUri(String uri, String shown) {
    assertThat(Secrets.mask(uri)).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://h/db?user=u&password=p, jdbc:postgresql://h/db?user=***",
    "jdbc:postgresql://h/db?ssl=true&password=p&q, jdbc:postgresql://h/db?ssl=true&password=***",
    "jdbc:h2:tcp://h/db;MODE=x;PASSWORD=p, jdbc:h2:tcp://h/db;MODE=x;PASSWORD=***",
    "jdbc:mysql://address=(host=h)(password=p)/db, jdbc:mysql://address=(host=h)(password=***",
    "redis://h?password=p, redis://h?password=***",
    "redis://u:p@h/0?sslPassphrase=p#x, redis://***@h/0?sslPassphrase=***",
    "zookeeper://h/shop?keyStorePassword=p, zookeeper://h/shop?keyStorePassword=***",
    "redis://h#access-token=p, redis://h#***",
    "redis://u:p@h/0#p, redis://***@h/0#***"
  })
  void hidesOptionsThatMayBeSecret(String uri, String shown) {
    assertThat(Secrets.mask(uri)).isEqualTo(shown);
    assertThat(Secrets.mask(shown)).as("masked again").isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "?user", "?", "?user=***", "?a=", "?userx?"})
  void aLongerUriCostsNoMoreThanItsLength(String part) {
    assertThat(work("?" + part.repeat(20_000))).isLessThan(3 * work("?" + part.repeat(10_000)));
  }

  /** How many characters a search looks at. */
  private static long work(String uri) {
    AtomicLong looks = new AtomicLong();
    assertThat(Secrets.secretFrom(new Counted(uri, looks))).isNegative();
    return looks.get();
  }

  private record Counted(String text, AtomicLong looks) implements CharSequence {
    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      looks.incrementAndGet();
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new Counted(text.substring(start, end), looks);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  @Test
  void leavesTheRestAlone() {
    assertThat(Secrets.mask("redis://host:6379/0?timeout=2s"))
        .isEqualTo("redis://host:6379/0?timeout=2s");
    assertThat(Secrets.mask("memory:orders")).isEqualTo("memory:orders");
    assertThat(Secrets.mask("")).isEmpty();
  }
}
