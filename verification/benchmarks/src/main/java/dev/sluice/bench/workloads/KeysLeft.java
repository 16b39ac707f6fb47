package dev.sluice.bench.workloads;

import static dev.sluice.bench.report.Metric.BYTES;
import static dev.sluice.bench.report.Metric.KEYS;
import static dev.sluice.bench.report.Metric.KEY_LENGTH;
import static dev.sluice.bench.report.Metric.TTL_SECONDS;

import dev.sluice.bench.report.Sample;
import dev.sluice.bench.run.Server;
import java.util.List;

/**
 * The keys that names have left on a server.
 *
 * @param longestMillis when the last one is due to expire
 * @param forever whether one of them never expires
 */
record KeysLeft(int keys, long bytes, long length, long longestMillis, boolean forever, int names) {
  static KeysLeft of(Server server, String pattern, int names) {
    List<String> keys = server.keys(pattern);
    long longest = 0;
    long bytes = 0;
    long length = 0;
    boolean forever = false;
    for (String key : keys) {
      bytes += server.bytes(key);
      length += key.length();
      long left = server.ttlMillis(key);
      longest = Math.max(longest, left);
      forever |= left == -1;
    }
    return new KeysLeft(keys.size(), bytes, length, longest, forever, names);
  }

  /** {@return how many keys of each name are still there, expired ones apart} */
  static double later(Server server, String pattern, int names) {
    List<String> keys = server.keys(pattern);
    keys.removeIf(key -> server.ttlMillis(key) == -2);
    return keys.size() / (double) names;
  }

  Sample sample() {
    return new Sample()
        .put(KEYS, keys / (double) names)
        .put(KEY_LENGTH, length / (double) Math.max(1, keys))
        .put(BYTES, bytes / (double) names)
        .put(TTL_SECONDS, forever ? Double.POSITIVE_INFINITY : longestMillis / 1e3);
  }
}
