package dev.sluice.console.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The data that is sent after a change. */
class ChangesTest {
  private static Map<String, Object> row(String name, int waiting) {
    return Map.of("name", name, "waiting", waiting, "policy", "gcra 1/s");
  }

  @Test
  void whatIsTheSameIsNotSent() {
    assertThat(Changes.between(Map.of("a", 1, "b", "x"), Map.of("a", 1, "b", "x"))).isEmpty();
    assertThat(Changes.between(Map.of("a", 1, "b", 2.0), Map.of("a", 1, "b", 3.0, "c", "new")))
        .isEqualTo(Map.of("b", 3.0, "c", "new"));
    assertThat(Changes.between(Map.of("a", 1, "b", 2), Map.of("a", 1)))
        .isEqualTo(Map.of("-", List.of("b")));
    assertThat(Changes.between(Map.of("s", Map.of("x", 1, "y", 2)), Map.of("s", Map.of("x", 3))))
        .isEqualTo(Map.of("s", Map.of("-", List.of("y"), "x", 3)));
  }

  @Test
  void ofRowsOnlyChangedFieldsAreSent() {
    assertThat(
            Changes.between(
                Map.of("locks", List.of(row("a", 1), row("b", 2))),
                Map.of("locks", List.of(row("a", 1), row("b", 3)))))
        .isEqualTo(Map.of("locks", Map.of("rows", Map.of("b", Map.of("waiting", 3)))));
  }

  @Test
  void anotherOrderIsSentWithTheRowsThatAreNew() {
    assertThat(
            Changes.between(
                Map.of("locks", List.of(row("a", 1), row("b", 2))),
                Map.of("locks", List.of(row("c", 9), row("a", 1)))))
        .isEqualTo(
            Map.of("locks", Map.of("order", List.of("c", "a"), "rows", Map.of("c", row("c", 9)))));
  }

  @Test
  void rowsWithoutNamesOfTheirOwnAreSentWhole() {
    List<Map<String, Object>> twice = List.of(row("a", 1), row("a", 2));
    assertThat(Changes.between(Map.of("l", List.of(row("a", 1))), Map.of("l", twice)))
        .isEqualTo(Map.of("l", twice));
    assertThat(Changes.between(Map.of("l", List.of("x")), Map.of("l", List.of("y"))))
        .isEqualTo(Map.of("l", List.of("y")));
  }
}
