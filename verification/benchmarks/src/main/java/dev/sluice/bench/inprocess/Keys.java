package dev.sluice.bench.inprocess;

import java.util.List;
import java.util.stream.IntStream;

/** Keys in turn, made beforehand. For one thread. */
final class Keys {
  static final int COUNT = 1024;

  private final String[] all;
  private int last;

  Keys(String prefix) {
    all = IntStream.range(0, COUNT).mapToObj(i -> prefix + (100_000 + i)).toArray(String[]::new);
  }

  String next() {
    last = last + 1 & COUNT - 1;
    return all[last];
  }

  List<String> all() {
    return List.of(all);
  }
}
