package dev.sluice.replay;

import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Generates a log in Common Log Format, reproducibly: for measurements, and for tests of logs that
 * exceed the memory. A few addresses send most of the requests.
 *
 * @since 0.1
 */
public final class SyntheticLog implements ReadableByteChannel {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
  private static final int MAX_LINE_LENGTH = 160;

  private final long lines;
  private final int perSecond;
  private final int keys;
  private long random;
  private long written;
  private byte[] tail = new byte[0];
  private final byte[] line = new byte[MAX_LINE_LENGTH];
  private int length;
  private int sent;
  private boolean open = true;

  /**
   * Describes a log.
   *
   * @param lines how many lines
   * @param perSecond lines of each second
   * @param keys how many addresses, 1 to 16,777,216
   * @param seed of the choice among them
   */
  public SyntheticLog(long lines, int perSecond, int keys, long seed) {
    this.lines = lines;
    this.perSecond = perSecond;
    this.keys = keys;
    this.random = seed * 2 + 1;
  }

  @Override
  public int read(ByteBuffer target) {
    int before = target.position();
    while (target.hasRemaining()) {
      if (sent == length) {
        if (written == lines) {
          return target.position() == before ? -1 : target.position() - before;
        }
        next();
      }
      int count = Math.min(target.remaining(), length - sent);
      target.put(line, sent, count);
      sent += count;
    }
    return target.position() - before;
  }

  private void next() {
    if (written % perSecond == 0) {
      String time = TIME.format(START.plusSeconds(written / perSecond));
      tail =
          (" - - [" + time + "] \"GET /articles/17?page=2 HTTP/1.1\" 200 5316\n")
              .getBytes(StandardCharsets.US_ASCII);
    }
    random = random * 6364136223846793005L + 1442695040888963407L;
    double even = (random >>> 11) * 0x1.0p-53;
    int key = (int) (keys * even * even * even);
    length = 0;
    line[length++] = '1';
    line[length++] = '0';
    for (int shift = 16; shift >= 0; shift -= 8) {
      line[length++] = '.';
      number(key >>> shift & 0xFF);
    }
    System.arraycopy(tail, 0, line, length, tail.length);
    length += tail.length;
    sent = 0;
    written++;
  }

  private void number(int value) {
    if (value >= 100) {
      line[length++] = (byte) ('0' + value / 100);
    }
    if (value >= 10) {
      line[length++] = (byte) ('0' + value / 10 % 10);
    }
    line[length++] = (byte) ('0' + value % 10);
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
  }
}
