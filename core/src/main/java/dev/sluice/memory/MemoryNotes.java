package dev.sluice.memory;

import dev.sluice.spi.NoteBackend;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Notes in this JVM. Safe for use by many threads. */
final class MemoryNotes implements NoteBackend {
  private record Note(String text, long expiresAt) {}

  private final LongSupplier clock;
  // guarded by this
  private final Map<String, TreeMap<String, Note>> boards = new HashMap<>();

  MemoryNotes(LongSupplier clockMicros) {
    this.clock = clockMicros;
  }

  @Override
  public synchronized CompletionStage<Boolean> put(
      String board, String name, String text, long ttlMicros) {
    NoteBackend.check(board, name, text, ttlMicros);
    TreeMap<String, Note> notes = live(board);
    if (notes.size() >= MAX_NOTES && !notes.containsKey(name)) {
      return CompletableFuture.completedFuture(false);
    }
    notes.put(name, new Note(text, clock.getAsLong() + ttlMicros));
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public synchronized CompletionStage<Boolean> replace(
      String board, String name, @Nullable String expected, String text) {
    NoteBackend.check(board, name, text);
    TreeMap<String, Note> notes = live(board);
    Note present = notes.get(name);
    boolean same = Objects.equals(present == null ? null : present.text, expected);
    if (same) {
      notes.put(name, new Note(text, Long.MAX_VALUE));
    }
    return CompletableFuture.completedFuture(same);
  }

  @Override
  public synchronized CompletionStage<Map<String, String>> all(String board) {
    Map<String, String> texts = new TreeMap<>();
    live(NoteBackend.checkBoard(board)).forEach((name, note) -> texts.put(name, note.text));
    return CompletableFuture.completedFuture(texts);
  }

  synchronized void clear() {
    boards.clear();
  }

  private TreeMap<String, Note> live(String board) {
    TreeMap<String, Note> notes = boards.computeIfAbsent(board, b -> new TreeMap<>());
    long now = clock.getAsLong();
    notes.values().removeIf(note -> note.expiresAt <= now);
    return notes;
  }
}
