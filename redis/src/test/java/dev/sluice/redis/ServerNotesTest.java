package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ServerNotesTest {
  private static final List<Object> CELL =
      List.of("name", "redis-cell", "ver", 303L, "path", "/lib/cell.so", "args", List.of());
  private static final List<Object> OTHER = List.of("name", "bf", "ver", 20L, "path", "redis-cell");

  @Test
  void redisCellIsNotedWhereverItStands() {
    String note = "module redis-cell is loaded; Sluice does not use it";
    assertThat(ServerNotes.of(List.of(CELL))).containsExactly(note);
    assertThat(ServerNotes.of(List.of(OTHER, CELL))).containsExactly(note);
    assertThat(ServerNotes.of(List.of(List.of("ver", 303L, "name", "redis-cell"))))
        .containsExactly(note);
  }

  @Test
  void nothingElseIs() {
    assertThat(ServerNotes.of(List.of())).isEmpty();
    assertThat(ServerNotes.of(List.of(OTHER, "redis-cell", List.of("name")))).isEmpty();
  }
}
