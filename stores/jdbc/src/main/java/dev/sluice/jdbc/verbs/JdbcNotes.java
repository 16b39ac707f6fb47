package dev.sluice.jdbc.verbs;

import dev.sluice.ForeignDataException;
import dev.sluice.jdbc.rows.Rows;
import dev.sluice.spi.NoteBackend;
import dev.sluice.state.StoredForm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The notes of a SQL backend: a row for each. Safe for use by many threads. */
public final class JdbcNotes implements NoteBackend {
  private static final int FORM = 1;

  /** A note with its name, because a row stores the hash of a long name. */
  private static final class Note {
    String name;
    String text = "";
    long expiresAt;

    Note(String name) {
      this.name = name;
    }
  }

  private static final Rows.Codec<Note> CODEC =
      new Rows.Codec<>() {
        @Override
        public Note empty(String name) {
          return new Note(name);
        }

        @Override
        public byte[] write(Note note) {
          return StoredForm.write(
              out -> {
                out.writeByte(FORM);
                out.writeLong(note.expiresAt);
                out.writeUTF(note.name);
                out.write(note.text.getBytes(StandardCharsets.UTF_8));
              });
        }

        @Override
        public Note read(String name, byte[] bytes) {
          return StoredForm.read(
              bytes,
              in -> {
                int form = in.readUnsignedByte();
                if (form != FORM) {
                  throw new ForeignDataException("holds form " + form + " of a note", null);
                }
                long expiresAt = in.readLong();
                Note note = new Note(in.readUTF());
                note.expiresAt = expiresAt;
                note.text = rest(bytes, note.name, in);
                return note;
              });
        }

        @Override
        public long forgetAt(Note note) {
          return note.expiresAt;
        }
      };

  private final Rows rows;

  public JdbcNotes(Rows rows) {
    this.rows = rows;
  }

  private static String rest(byte[] bytes, String name, java.io.DataInput in) throws IOException {
    byte[] text = new byte[bytes.length - 1 - Long.BYTES - utfBytes(name)];
    in.readFully(text);
    return new String(text, StandardCharsets.UTF_8);
  }

  private static int utfBytes(String name) {
    return StoredForm.write(out -> out.writeUTF(name)).length;
  }

  private static String kind(String board) {
    return "note-" + board;
  }

  /** The number of rows is not stored; a reader reads at most that many. */
  @Override
  public CompletionStage<Boolean> put(String board, String name, String text, long ttlMicros) {
    NoteBackend.check(board, name, text, ttlMicros);
    return rows.decide(
        kind(board),
        name,
        CODEC,
        (now, note, post) -> {
          note.text = text;
          note.expiresAt = now + ttlMicros;
          return true;
        });
  }

  @Override
  public CompletionStage<Boolean> replace(
      String board, String name, @Nullable String expected, String text) {
    NoteBackend.check(board, name, text);
    return rows.decide(
        kind(board),
        name,
        CODEC,
        (now, note, post) -> {
          boolean same = Objects.equals(note.expiresAt > now ? note.text : null, expected);
          if (same) {
            note.text = text;
            note.expiresAt = Long.MAX_VALUE;
          }
          return same;
        });
  }

  @Override
  public CompletionStage<Map<String, String>> all(String board) {
    return rows.all(kind(NoteBackend.checkBoard(board)), CODEC, MAX_NOTES)
        .thenApply(
            notes -> {
              Map<String, String> texts = new LinkedHashMap<>();
              notes.values().forEach(note -> texts.put(note.name, note.text));
              return texts;
            });
  }
}
