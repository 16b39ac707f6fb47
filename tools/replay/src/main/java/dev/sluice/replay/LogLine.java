package dev.sluice.replay;

/** The fields of a parsed line; overwritten by each line. */
final class LogLine {
  /** Microseconds since the epoch. */
  long time;

  byte[] key = new byte[0];
  int keyFrom;
  int keyTo;

  void key(byte[] bytes, int from, int to) {
    key = bytes;
    keyFrom = from;
    keyTo = to;
  }

  long hash() {
    return Words.hash(key, keyFrom, keyTo);
  }
}
