package dev.sluice.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

class NamesTest {
  /** Few characters, so that random names come close to each other; most need an escape. */
  private static final String[] ALPHABET = {
    "{", "}", "%", "7", "B", "b", "D", "2", "5", "\0", "\r", "\n", "\u0085", "\u007f", "é", "😀",
    " "
  };

  @Test
  void encodesWhatIsNotSafeInAKey() {
    assertThat(Names.encode("orders/42")).isEqualTo("orders/42");
    assertThat(Names.encode("{a}%")).isEqualTo("%7Ba%7D%25");
    assertThat(Names.encode("\r\n\0\u007f")).isEqualTo("%0D%0A%00%7F");
    assertThat(Names.encode("\u0085")).isEqualTo("%C2%85");
    assertThat(Names.encode("é😀 ")).isEqualTo("é😀 ");
  }

  @Test
  void encodingIsInjectiveAndComesBack() {
    Random random = new Random(42);
    String last = "";
    for (int i = 0; i < 1_000_000; i++) {
      String name = randomName(random);
      String encoded = Names.encode(name);
      assertThat(Names.decode(encoded).equals(name)).as(name).isTrue();
      assertThat(encoded.equals(Names.encode(last))).isEqualTo(name.equals(last));
      last = name;
    }
  }

  private static String randomName(Random random) {
    StringBuilder name = new StringBuilder();
    for (int n = 1 + random.nextInt(4); n > 0; n--) {
      name.append(ALPHABET[random.nextInt(ALPHABET.length)]);
    }
    return name.toString();
  }

  @Test
  void quotedTextStaysOnItsLine() {
    assertThat(Names.quoted("it's {a}\\ é")).isEqualTo("'it's {a}\\ é'");
    assertThat(Names.quoted("a\nINFO b\u001b[2J\u2028"))
        .isEqualTo("'a\\u000aINFO b\\u001b[2J\\u2028'");
  }

  @Test
  void decodeRefusesABrokenEscape() {
    for (String broken : new String[] {"%", "%7", "a%7", "%GG", "%-1"}) {
      assertThatThrownBy(() -> Names.decode(broken))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("broken percent escape in '%s'", broken);
    }
  }
}
