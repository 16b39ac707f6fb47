package dev.sluice.spi;

import dev.sluice.text.Names;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Boards for short-lived notes between processes: figures, requests. Every note has a name, and
 * expires when its time is over. A board is for people who watch, not for decisions: a note may be
 * lost with the store's data. No call blocks; failures are those of {@link GrantBackend}.
 *
 * @since 0.1
 */
public interface NoteBackend {

  /** The most bytes of one note, in UTF-8. */
  int MAX_BYTES = 16 * 1024;

  /** The most notes that a board returns. */
  int MAX_NOTES = 256;

  /** The longest life of a note, in microseconds: an hour. */
  long MAX_TTL_MICROS = 3_600_000_000L;

  /**
   * Writes a note, and replaces the one of the same name.
   *
   * @param board which board, 1 to 11 lowercase letters
   * @param name of the note, 1 to 512 bytes of UTF-8
   * @param text at most {@link #MAX_BYTES} in UTF-8
   * @param ttlMicros its life, 1 to {@link #MAX_TTL_MICROS}
   * @return false if the board is full and nothing was left
   */
  CompletionStage<Boolean> put(String board, String name, String text, long ttlMicros);

  /**
   * Writes a permanent note atomically, if the present one is the expected one. A board has notes
   * that are kept, or notes with a life, not both.
   *
   * @param board which board, 1 to 11 lowercase letters
   * @param name of the note, 1 to 512 bytes of UTF-8
   * @param expected the text that the note must have; null if there must be none
   * @param text at most {@link #MAX_BYTES} in UTF-8
   * @return false if the note has another text and nothing was written
   */
  CompletionStage<Boolean> replace(
      String board, String name, @Nullable String expected, String text);

  /**
   * Reads a board.
   *
   * @param board which board
   * @return notes whose time is not over, by name; at most {@link #MAX_NOTES}
   */
  CompletionStage<Map<String, String>> all(String board);

  /**
   * Checks the name of a board.
   *
   * @param board which board
   * @return the same
   * @throws IllegalArgumentException if it breaks its rule
   */
  static String checkBoard(String board) {
    boolean fits = !board.isEmpty() && board.length() <= 11;
    for (int i = 0; fits && i < board.length(); i++) {
      fits = board.charAt(i) >= 'a' && board.charAt(i) <= 'z';
    }
    if (!fits) {
      throw new IllegalArgumentException(
          "board must be 1 to 11 lowercase letters: '" + board + "'");
    }
    return board;
  }

  /**
   * Checks a note before it is written.
   *
   * @param board which board
   * @param name of the note
   * @param text of the note
   * @param ttlMicros its life
   * @throws IllegalArgumentException if one of them breaks its rule
   */
  static void check(String board, String name, String text, long ttlMicros) {
    check(board, name, text);
    if (ttlMicros < 1 || ttlMicros > MAX_TTL_MICROS) {
      throw new IllegalArgumentException("a note must live 1us to 1h: " + ttlMicros + "us");
    }
  }

  /**
   * Checks a permanent note before it is written.
   *
   * @param board which board
   * @param name of the note
   * @param text of the note
   * @throws IllegalArgumentException if one of them breaks its rule
   */
  static void check(String board, String name, String text) {
    checkBoard(board);
    Names.check(name);
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a note must be at most " + MAX_BYTES + " bytes: " + bytes);
    }
  }
}
