package dev.sluice.redis.command;

import dev.sluice.OutcomeUnknownException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The reply of a script: a flat list of integers, and of words if the script sends any. */
public final class Reply extends CommandOutput<String, String, Reply> {
  private long[] numbers = new long[5];
  private int count;
  private List<String> words = List.of();
  private final String verb;
  private final @Nullable Function<ByteBuffer, ?> parser;
  private @Nullable Object parsed;

  /**
   * Creates an empty reply.
   *
   * @param verb what was asked, for the text of a failure
   */
  public Reply(String verb) {
    this(verb, null);
  }

  private Reply(String verb, @Nullable Function<ByteBuffer, ?> parser) {
    super(StringCodec.UTF8, null);
    this.verb = verb;
    this.parser = parser;
  }

  /** Creates a reply that expects binary data. */
  public static Reply ofBytes(String verb) {
    return new Reply(verb, Reply::copy);
  }

  /**
   * Creates a reply that expects binary data, and passes it to one reader.
   *
   * @param parser must not throw: the rest of the stream would not be understood
   */
  public static Reply parsing(String verb, Function<ByteBuffer, ?> parser) {
    return new Reply(verb, parser);
  }

  /** Creates a reply to a retry of the request. */
  Reply empty() {
    return new Reply(verb, parser);
  }

  private static byte[] copy(ByteBuffer word) {
    byte[] bytes = new byte[word.remaining()];
    word.get(bytes);
    return bytes;
  }

  @Override
  public void set(long integer) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = integer;
  }

  @Override
  public void set(ByteBuffer word) {
    if (parser != null) {
      parsed = word == null ? null : parser.apply(word);
      return;
    }
    if (words.isEmpty()) {
      words = new ArrayList<>();
    }
    words.add(word == null ? "" : StandardCharsets.UTF_8.decode(word).toString());
  }

  @Override
  public void multi(int size) {
    // a flat list: nothing to open
  }

  public long number(int index) {
    if (index >= count) {
      throw new OutcomeUnknownException( // something was carried out, or something else was asked
          "'"
              + verb
              + "' was answered with "
              + count
              + " numbers; number "
              + (index + 1)
              + " is missing",
          null);
    }
    return numbers[index];
  }

  public byte[] bytes() {
    return parsed instanceof byte[] bytes ? bytes : new byte[0];
  }

  /** The parsed reply; null if there were no bytes. */
  @Nullable
  public Object parsed() {
    return parsed;
  }

  public int count() {
    return count;
  }

  public List<String> words() {
    return words;
  }
}
