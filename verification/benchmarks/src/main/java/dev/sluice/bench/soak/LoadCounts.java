package dev.sluice.bench.soak;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts of the load: calls by primitive, failures by kind, broken promises. Thread-safe. */
final class LoadCounts {
  private static final int MAX_KINDS = 200;

  private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
  private final Map<String, String> messages = new ConcurrentHashMap<>();
  private final Map<String, String> broken = new ConcurrentHashMap<>();
  private volatile boolean closed;

  void done(String primitive) {
    calls.computeIfAbsent(primitive, key -> new LongAdder()).increment();
  }

  void failed(String primitive, Throwable cause) {
    String kind = primitive + ": " + cause.getClass().getSimpleName();
    if (!closed && (failures.size() < MAX_KINDS || failures.containsKey(kind))) {
      failures.computeIfAbsent(kind, key -> new LongAdder()).increment();
      messages.computeIfAbsent(kind, key -> String.valueOf(cause.getMessage()));
    }
  }

  /** The first time of each promise is kept. */
  void broke(String promise, String what) {
    if (!closed) {
      broken.putIfAbsent(promise, what);
    }
  }

  /** From now on nothing counts: servers end, and what fails now fails because of that. */
  void close() {
    closed = true;
  }

  long calls() {
    return calls.values().stream().mapToLong(LongAdder::sum).sum();
  }

  long failures() {
    return failures.values().stream().mapToLong(LongAdder::sum).sum();
  }

  Map<String, Long> callsByPrimitive() {
    return sums(calls);
  }

  Map<String, Long> failuresByKind() {
    return sums(failures);
  }

  /** {@return the first message of each kind of failure} */
  Map<String, String> messages() {
    return new TreeMap<>(messages);
  }

  Map<String, String> broken() {
    return new TreeMap<>(broken);
  }

  private static Map<String, Long> sums(Map<String, LongAdder> counts) {
    Map<String, Long> sums = new TreeMap<>();
    counts.forEach((kind, count) -> sums.put(kind, count.sum()));
    return sums;
  }
}
