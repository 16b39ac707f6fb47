package dev.sluice.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a script answered: integers, and words where it sends any. One flat list. */
final class Reply extends CommandOutput<String, String, Reply> {
  private long[] numbers = new long[5];
  private int count;
  private List<String> words = List.of();
  private final String verb;

  /**
   * Waits to be filled.
   *
   * @param verb what was asked, for the text of a failure
   */
  Reply(String verb) {
    super(StringCodec.UTF8, null);
    this.verb = verb;
  }

  @Override
  public void set(long integer) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = integer;
  }

  @Override
  public void set(ByteBuffer bytes) {
    if (words.isEmpty()) {
      words = new ArrayList<>();
    }
    words.add(bytes == null ? "" : StandardCharsets.UTF_8.decode(bytes).toString());
  }

  @Override
  public void multi(int size) {
    // a flat list: nothing to open
  }

  long number(int index) {
    if (index >= count) {
      throw new IllegalStateException(
          "'"
              + verb
              + "' was answered with "
              + count
              + " numbers; number "
              + (index + 1)
              + " is missing");
    }
    return numbers[index];
  }

  int count() {
    return count;
  }

  List<String> words() {
    return words;
  }
}
