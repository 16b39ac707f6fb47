package dev.sluice.servers;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Random input for parsers. Three seeds are the same in every build, one is new each time; a
 * failure names its seed, and {@code -Dsluice.fuzz.seed} repeats it. {@code -Dsluice.fuzz.times}
 * does so many times as much. Not safe for use by several threads.
 */
public final class Fuzz {
  private static final long[] SEEDS = {1, 20_261_122, 0x5EED};
  private static final String SEED = "sluice.fuzz.seed";
  private static final String TIMES = "sluice.fuzz.times";

  /** What parsers trip over: their own separators, numbers at a border, text that is none. */
  private static final String[] PIECES = {
    "",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\0",
    "%",
    "%4",
    "%41",
    "%zz",
    "{",
    "}",
    ":",
    "://",
    "@",
    "/",
    "?",
    "#",
    "&",
    "=",
    ";",
    ",",
    "\"",
    "'",
    "\\",
    "[",
    "]",
    "(",
    ")",
    "-",
    "+",
    ".",
    "..",
    "*",
    "$",
    "-1",
    "0",
    "00",
    "1",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "9007199254740991",
    "9007199254740992",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "1e400",
    "NaN",
    "null",
    "true",
    "1/s",
    "10s",
    "\uD800",
    "\uDC00",
    "\uFEFF",
    "\u202E",
    "é",
    "\uD83D\uDE00",
    "٣",
    "İ",
    "\u0085",
    "\u00A0",
    "ﬁ"
  };

  private final SplittableRandom random;

  private Fuzz(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /**
   * Runs a case many times.
   *
   * @param cases how often with each seed
   * @param body draws its input, and checks what came of it
   */
  public static void each(int cases, Consumer<Fuzz> body) {
    String given = System.getProperty(SEED);
    if (given != null) {
      run(Long.parseLong(given), cases, body);
      return;
    }
    for (long seed : SEEDS) {
      run(seed, cases, body);
    }
    run(System.nanoTime(), cases, body);
  }

  private static void run(long seed, int cases, Consumer<Fuzz> body) {
    Fuzz fuzz = new Fuzz(seed);
    int times = Integer.getInteger(TIMES, 1);
    for (int i = 0; i < cases * times; i++) {
      try {
        body.accept(fuzz);
      } catch (RuntimeException | Error e) {
        String more = times == 1 ? "" : " -D" + TIMES + "=" + times;
        throw new AssertionError("case " + i + " of -D" + SEED + "=" + seed + more + ": " + e, e);
      }
    }
  }

  /** {@return a number from 0 to one less than {@code bound}} */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** {@return any number; often a small one, or one at a border} */
  public long number() {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt(-2, 20);
      case 1 -> 1L << random.nextInt(64);
      case 2 -> (1L << random.nextInt(64)) - 1;
      default -> random.nextLong();
    };
  }

  /** {@return one of these} */
  @SafeVarargs
  public final <T> T pick(T... values) {
    return values[random.nextInt(values.length)];
  }

  /**
   * Any text: letters, borders, control characters, halves of characters.
   *
   * @param most pieces it is made of
   * @return the text, which may be empty
   */
  public String text(int most) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      switch (random.nextInt(4)) {
        case 0 -> text.append(pick(PIECES));
        case 1 -> text.append((char) random.nextInt(0x10000));
        case 2 -> text.appendCodePoint(random.nextInt(Character.MAX_CODE_POINT + 1));
        default -> text.append((char) random.nextInt(' ', 0x7F));
      }
    }
    return text.toString();
  }

  /**
   * A text like another one, with a few places changed.
   *
   * @param text where to begin
   * @return mostly something else
   */
  public String mutate(String text) {
    StringBuilder out = new StringBuilder(text);
    for (int i = random.nextInt(5); i > 0; i--) {
      int from = random.nextInt(out.length() + 1);
      int to = Math.min(out.length(), from + random.nextInt(4));
      switch (random.nextInt(4)) {
        case 0 -> out.delete(from, to);
        case 1 -> out.insert(from, text(2));
        case 2 -> out.insert(from, out.substring(from, to));
        default -> out.replace(from, to, pick(PIECES));
      }
    }
    return out.toString();
  }

  /**
   * Any bytes.
   *
   * @param most how many at most
   * @return the bytes, which may be none
   */
  public byte[] bytes(int most) {
    byte[] bytes = new byte[random.nextInt(most + 1)];
    random.nextBytes(bytes);
    return bytes;
  }

  /**
   * Bytes like others, with a few changed, cut off, or more behind.
   *
   * @param bytes where to begin; not changed
   * @return mostly something else
   */
  public byte[] mutate(byte[] bytes) {
    byte[] out = bytes.clone();
    for (int i = random.nextInt(4); i > 0 && out.length > 0; i--) {
      out[random.nextInt(out.length)] =
          random.nextBoolean() ? (byte) random.nextInt() : pick((byte) 0, (byte) -1, (byte) 127);
    }
    return switch (random.nextInt(4)) {
      case 0 -> Arrays.copyOf(out, random.nextInt(out.length + 1));
      case 1 -> Arrays.copyOf(out, out.length + random.nextInt(9));
      default -> out;
    };
  }
}
