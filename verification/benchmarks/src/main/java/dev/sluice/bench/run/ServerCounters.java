package dev.sluice.bench.run;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The counts of a server since it started.
 *
 * @param calls executions by command, those inside of scripts included
 * @param micros time in them by command; that of a script contains its commands
 * @param cpuSeconds CPU time of the server
 */
public record ServerCounters(Map<String, Long> calls, Map<String, Long> micros, double cpuSeconds) {
  /**
   * What the harness itself sends, and the heartbeats of idle connections, Redisson's above all.
   */
  private static final Set<String> NOT_COUNTED = Set.of("info", "monitor", "ping");

  static ServerCounters parse(String commandStats, String cpu) {
    Map<String, Long> calls = new HashMap<>();
    Map<String, Long> micros = new HashMap<>();
    commandStats
        .lines()
        .filter(line -> line.startsWith("cmdstat_"))
        .forEach(
            line -> {
              String command = line.substring("cmdstat_".length(), line.indexOf(":calls="));
              calls.put(command, number(line, ":calls="));
              micros.put(command, number(line, ",usec="));
            });
    double seconds =
        cpu.lines()
            .filter(line -> line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:"))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1).trim()))
            .sum();
    return new ServerCounters(Map.copyOf(calls), Map.copyOf(micros), seconds);
  }

  /** {@return both together} */
  ServerCounters plus(ServerCounters other) {
    Map<String, Long> allCalls = new HashMap<>(calls);
    other.calls.forEach((command, count) -> allCalls.merge(command, count, Long::sum));
    Map<String, Long> allMicros = new HashMap<>(micros);
    other.micros.forEach((command, time) -> allMicros.merge(command, time, Long::sum));
    return new ServerCounters(
        Map.copyOf(allCalls), Map.copyOf(allMicros), cpuSeconds + other.cpuSeconds);
  }

  private static long number(String line, String field) {
    int from = line.indexOf(field) + field.length();
    int to = line.indexOf(',', from);
    return Long.parseLong(to < 0 ? line.substring(from).trim() : line.substring(from, to));
  }

  /**
   * {@return executions of all commands since an earlier moment, pings and the harness's own apart}
   */
  public long executedSince(ServerCounters earlier) {
    return calls.entrySet().stream()
        .filter(call -> counts(call.getKey()))
        .mapToLong(call -> call.getValue() - earlier.calls(call.getKey()))
        .sum();
  }

  /** {@return executions of some commands since an earlier moment} */
  public long since(ServerCounters earlier, String... commands) {
    long sum = 0;
    for (String command : commands) {
      sum += calls(command) - earlier.calls(command);
    }
    return sum;
  }

  /** {@return microseconds that the server spent in some commands since an earlier moment} */
  public long microsSince(ServerCounters earlier, String... commands) {
    long sum = 0;
    for (String command : commands) {
      sum += micros.getOrDefault(command, 0L) - earlier.micros.getOrDefault(command, 0L);
    }
    return sum;
  }

  static boolean counts(String command) {
    return !NOT_COUNTED.contains(command);
  }

  private long calls(String command) {
    return calls.getOrDefault(command, 0L);
  }
}
