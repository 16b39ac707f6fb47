package dev.sluice.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.text.Names;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rule for namespaces, and how URIs of all stores name one. */
class NamespaceTest {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(1));

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "7", "shop", "shop-staging", "sl-1", "0123456789abcdef0123456789abcdef"})
  void whatKeepsTheRule(String namespace) {
    assertThat(Namespace.check(namespace)).isEqualTo(namespace);
    assertThat(Namespace.of("redis://host?namespace=" + namespace)).isEqualTo(namespace);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sl",
        "Shop",
        "-shop",
        "shop-",
        "-",
        "a_b",
        "a.b",
        "a:b",
        "a/b",
        "a b",
        "a*",
        "{a}",
        "a\n",
        "caf\u00e9",
        "0123456789abcdef0123456789abcdef0"
      })
  void whatBreaksIt(String namespace) {
    assertThatThrownBy(() -> Namespace.check(namespace))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "namespace must be 1 to 32 of a-z, 0-9 and '-', with no '-' at an end, and not 'sl': "
                + Names.quoted(namespace));
    assertThatThrownBy(() -> new BackendSettings(Duration.ofSeconds(1), namespace))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void ofALongOneTheMessageShowsTheBeginning() {
    assertThatThrownBy(() -> Namespace.check("a".repeat(100_000)))
        .hasMessageEndingWith(": '" + "a".repeat(64) + "'... of 100000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis://h?namespace=a | redis://h",
        "redis://h/0?namespace=a&replicas=1 | redis://h/0?replicas=1",
        "redis://h?replicas=1&namespace=a | redis://h?replicas=1",
        "redis://h?x=1&namespace=a&replicas=1 | redis://h?x=1&replicas=1",
        "redis-sentinel://h,i/?namespace=a#main | redis-sentinel://h,i/#main",
        "zookeeper://h/path?NameSpace=a | zookeeper://h/path",
        "jdbc:h2:mem:x;namespace=a | jdbc:h2:mem:x",
        "jdbc:h2:mem:x;namespace=a;MODE=MySQL | jdbc:h2:mem:x;MODE=MySQL",
        "jdbc:postgresql://h/db?user=u@v&namespace=a | jdbc:postgresql://h/db?user=u@v",
        "memory:x?namespace=a | memory:x",
      })
  void aUriNamesOne(String uri, String rest) {
    assertThat(Namespace.of(uri)).isEqualTo("a");
    assertThat(Namespace.without(uri)).isEqualTo(rest);
    assertThat(Namespace.of(rest)).isNull();
    assertThat(Namespace.without(rest)).isEqualTo(rest);
    assertThat(SETTINGS.forUri(uri).namespace()).isEqualTo("a");
    assertThat(SETTINGS.forUri(rest)).isEqualTo(SETTINGS);
    assertThat(new BackendSettings(Duration.ofSeconds(1), "b").forUri(uri).namespace())
        .as("what is set comes before the URI")
        .isEqualTo("b");
  }

  @Test
  void twoAreRefused() {
    for (String second : new String[] {"b", "a"}) {
      assertThatThrownBy(() -> Namespace.of("redis://h?namespace=a&x&namespace=" + second))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a URI must name one namespace at most: 'a', '" + second + "'");
    }
    assertThatThrownBy(() -> Namespace.of("redis://h?namespace=a&namespace=b"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theRestOfAPasswordIsNotShown() {
    assertThatThrownBy(() -> Namespace.of("redis://:pass?namespace=word@host"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("word@");
  }
}
