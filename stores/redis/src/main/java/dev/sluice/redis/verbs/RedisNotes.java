package dev.sluice.redis.verbs;

import dev.sluice.redis.command.Reply;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.command.ScriptCall;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.spi.NoteBackend;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The notes of a Redis backend: a hash for each board. Safe for use by many threads. */
public final class RedisNotes implements NoteBackend {
  private static final int NO_NOTE = -1;

  private final ScriptRunner scripts;
  private final String open;
  private final Script put;
  private final Script replace;
  private final Script all;

  public RedisNotes(ScriptRunner scripts, KeySpace space, UnaryOperator<String> change) {
    this.scripts = scripts;
    this.open = space.open();
    this.put = Script.load("note/note_put", change);
    this.replace = Script.load("note/note_replace", change);
    this.all = Script.load("note/note_all", change);
  }

  private CallKeys keys(String board) {
    return new CallKeys(board, List.of(open + board + "}:notes"));
  }

  @Override
  public CompletionStage<Boolean> put(String board, String name, String text, long ttlMicros) {
    NoteBackend.check(board, name, text, ttlMicros);
    return scripts.run(
        put,
        keys(board),
        new long[] {ttlMicros, MAX_NOTES},
        name.getBytes(StandardCharsets.UTF_8),
        new ScriptCall.Payload(new byte[0], text.getBytes(StandardCharsets.UTF_8)),
        Reply::new,
        reply -> reply.number(0) == 1);
  }

  @Override
  public CompletionStage<Boolean> replace(
      String board, String name, @Nullable String expected, String text) {
    NoteBackend.check(board, name, text);
    byte[] before = expected == null ? new byte[0] : expected.getBytes(StandardCharsets.UTF_8);
    return scripts.run(
        replace,
        keys(board),
        new long[] {expected == null ? NO_NOTE : before.length},
        name.getBytes(StandardCharsets.UTF_8),
        new ScriptCall.Payload(before, text.getBytes(StandardCharsets.UTF_8)),
        Reply::new,
        reply -> reply.number(0) == 1);
  }

  @Override
  public CompletionStage<Map<String, String>> all(String board) {
    return scripts.run(
        all,
        keys(NoteBackend.checkBoard(board)),
        new long[0],
        null,
        reply -> {
          Map<String, String> notes = new LinkedHashMap<>();
          List<String> words = reply.words();
          for (int i = 0; i + 1 < words.size(); i += 2) {
            notes.put(words.get(i), words.get(i + 1));
          }
          return notes;
        });
  }
}
