package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spi.Backend;
import dev.sluice.spi.NoteBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests of short-lived notes: one process writes a note, and another reads it until it expires.
 *
 * @since 0.1
 */
public interface Notes extends Contract {
  long MINUTE = TimeUnit.MINUTES.toMicros(1);

  /** Two processes. */
  record Processes(Backend one, Backend other) {}

  private Processes processes() {
    return kept(Processes.class, () -> new Processes(connect(), connect()));
  }

  private boolean put(String board, String name, String text, long ttlMicros) {
    return ended(processes().one().notes().put(board, name, text, ttlMicros));
  }

  private Map<String, String> read(String board) {
    return ended(processes().other().notes().all(board));
  }

  @Test
  default void noteIsReadByAnotherProcessAndReplacedByItsName() {
    assertThat(read("report")).isEmpty();
    assertThat(put("report", "a", "first", MINUTE)).isTrue();
    assertThat(put("report", "b {ü} %", "zwei\n\"{}\" 二", MINUTE)).isTrue();
    assertThat(put("report", "a", "second", MINUTE)).isTrue();
    assertThat(read("report")).isEqualTo(Map.of("a", "second", "b {ü} %", "zwei\n\"{}\" 二"));
    assertThat(read("watch")).as("another board").isEmpty();
  }

  @Test
  default void noteIsGoneWhenItsTimeIsOver() {
    put("report", "brief", "x", TimeUnit.MILLISECONDS.toMicros(300));
    put("report", "long", "y", MINUTE);
    within("it has expired", Duration.ofSeconds(2), () -> !read("report").containsKey("brief"));
    assertThat(read("report")).isEqualTo(Map.of("long", "y"));
  }

  private boolean replace(String name, @Nullable String expected, String text) {
    return ended(processes().one().notes().replace("policies", name, expected, text));
  }

  @Test
  default void keptNoteIsReplacedOnlyWhereItIsAsExpected() {
    String longest = "ä".repeat(NoteBackend.MAX_BYTES / 2);
    assertThat(replace("a", "first", "x")).as("there is none").isFalse();
    assertThat(replace("a", null, "first\nline")).isTrue();
    assertThat(replace("a", null, "x")).as("there is one").isFalse();
    assertThat(replace("a", "first", "x")).as("it has another text").isFalse();
    assertThat(replace("b", null, "")).isTrue();
    assertThat(replace("b", null, "x")).as("an empty note is a note").isFalse();
    assertThat(replace("b", "", longest)).isTrue();
    assertThat(replace("b", longest, "short")).isTrue();
    assertThat(read("policies")).isEqualTo(Map.of("a", "first\nline", "b", "short"));
  }

  @Test
  default void ofTwoWritersOfAKeptNoteOneWins() {
    assertThat(replace("a", null, "0")).isTrue();
    NoteBackend one = processes().one().notes();
    NoteBackend other = processes().other().notes();
    for (int round = 0; round < 20; round++) {
      String before = read("policies").get("a");
      CompletionStage<Boolean> first = one.replace("policies", "a", before, round + " one");
      CompletionStage<Boolean> second = other.replace("policies", "a", before, round + " other");
      assertThat(List.of(ended(first), ended(second))).containsExactlyInAnyOrder(true, false);
      assertThat(read("policies")).containsEntry("a", round + (ended(first) ? " one" : " other"));
    }
  }

  @Test
  default void noteMayBeAsLongAsTheRuleSays() {
    String longest = "ä".repeat(NoteBackend.MAX_BYTES / 2);
    String name = "n".repeat(512);
    assertThat(put("report", name, longest, MINUTE)).isTrue();
    assertThat(read("report")).isEqualTo(Map.of(name, longest));
    assertThat(put("report", name, "", MINUTE)).isTrue();
    assertThat(read("report")).isEqualTo(Map.of(name, ""));
  }

  @Test
  default void boardShowsABoundedNumberOfNotes() {
    for (int i = 0; i < NoteBackend.MAX_NOTES + 3; i++) {
      put("report", "process-" + i, "x", MINUTE);
    }
    assertThat(read("report")).hasSize(NoteBackend.MAX_NOTES);
  }

  @Test
  default void whatBreaksARuleIsRefusedAtOnce() {
    NoteBackend notes = processes().one().notes();
    assertThatThrownBy(() -> notes.put("Report!", "a", "x", MINUTE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Report!");
    assertThatThrownBy(() -> notes.all("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> notes.put("report", "", "x", MINUTE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> notes.put("report", "a", "x".repeat(NoteBackend.MAX_BYTES + 1), MINUTE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16385");
    assertThatThrownBy(() -> notes.put("report", "a", "x", 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> notes.put("report", "a", "x", NoteBackend.MAX_TTL_MICROS + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(read("report")).isEmpty();
  }
}
