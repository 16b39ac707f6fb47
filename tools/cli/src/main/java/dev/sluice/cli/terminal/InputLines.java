package dev.sluice.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The lines of an input, in batches as they arrive. */
public final class InputLines {
  private static final int MAX_BYTES = 16 << 20;

  private final ReadableByteChannel in;
  private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long number;
  private boolean ended;

  public InputLines(ReadableByteChannel in) {
    this.in = in;
  }

  /** A line that cannot be an element. */
  public static final class BadLine extends Exception {
    private static final long serialVersionUID = 1L;

    BadLine(long number, String problem) {
      super("line " + number + " of the input " + problem);
    }
  }

  /**
   * Waits for input.
   *
   * @return the lines that came, without their ends; none at the end of the input
   * @throws java.nio.channels.ClosedByInterruptException if this thread is interrupted
   */
  public List<String> next() throws IOException, BadLine {
    List<String> lines = new ArrayList<>();
    while (lines.isEmpty() && !ended) {
      buffer.clear();
      if (in.read(buffer) < 0) {
        ended = true;
        if (line.size() > 0) {
          lines.add(take());
        }
      } else {
        split(buffer.flip(), lines);
      }
    }
    return lines;
  }

  private void split(ByteBuffer bytes, List<String> lines) throws BadLine {
    byte[] all = bytes.array();
    int from = 0;
    for (int at = 0; at < bytes.limit(); at++) {
      if (all[at] == '\n') {
        line.write(all, from, at - from);
        lines.add(take());
        from = at + 1;
      }
    }
    line.write(all, from, bytes.limit() - from);
    if (line.size() > MAX_BYTES) {
      throw new BadLine(number + 1, "has more than 16 MiB");
    }
  }

  private String take() throws BadLine {
    number++;
    byte[] bytes = line.toByteArray();
    line.reset();
    int length = bytes.length;
    if (length > 0 && bytes[length - 1] == '\r') {
      length--;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException e) {
      throw new BadLine(number, "is not UTF-8");
    }
  }
}
