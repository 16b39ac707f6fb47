package dev.sluice.redis.doctor;

import dev.sluice.redis.keys.KeySpace;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Replies and measurements of one server; filled by {@link NodeExam}. */
public final class NodeFacts {
  /**
   * The range of the server's wall clock minus the local monotonic one, in microseconds. Monotonic,
   * so that servers are comparable despite steps of the local clock.
   */
  record Clock(long low, long high) {}

  /** Round trips of a command without an effect. */
  record Latency(long medianNanos, long worstNanos) {}

  final String where;

  /** Fields of INFO; empty if it was refused. */
  final Map<String, String> info = new HashMap<>();

  boolean cell;

  /** The settings among {@link NodeExam#SETTINGS} that the server returned. */
  final Map<String, String> config = new HashMap<>();

  final Map<String, String> cluster = new HashMap<>();

  /** The commands that the server refused. */
  final Set<String> untold = new TreeSet<>();

  /** The user at the server; null if it was refused. */
  @Nullable String user;

  /** Whether the default user needs no password; false if that is unknown. */
  boolean open;

  /** Whether the URL leads to another machine; false if that is unknown. */
  boolean far;

  boolean tls;
  boolean verified = true;

  /** The URL names a cluster. */
  boolean forCluster;

  /** Grants count without a replica, so a fail-over may lose them. */
  boolean replicasUnasked;

  /** The URL declares that the server keeps every answered write. */
  boolean saysDurable;

  /** The number of Sentinels in the URL; -1 without Sentinel. */
  int sentinels = -1;

  final KeySpace space;
  final Rights rights;
  final KeyReport keys = new KeyReport();
  @Nullable Clock clock;
  @Nullable Latency latency;

  /** The reason why the server could not be examined. */
  @Nullable String unreachable;

  /** The command without an answer, and its failure; later ones were not sent. */
  @Nullable String silent;

  NodeFacts(String where, KeySpace space) {
    this.where = where;
    this.space = space;
    this.rights = new Rights(space);
  }

  /** The facts of a server that cannot be examined. */
  static NodeFacts unreachable(String where, @Nullable Throwable why) {
    NodeFacts facts = new NodeFacts(where, KeySpace.PLAIN);
    Throwable cause =
        why instanceof CompletionException && why.getCause() != null ? why.getCause() : why;
    facts.unreachable = cause == null ? "no connection" : String.valueOf(cause.getMessage());
    return facts;
  }

  String info(String field) {
    return info.getOrDefault(field, "");
  }

  /** A number of INFO; -1 if it is missing. */
  long number(String field) {
    return parse(info(field));
  }

  /** A number among the settings; -1 if it is unknown. */
  long setting(String name) {
    return parse(config.getOrDefault(name, ""));
  }

  private static long parse(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  boolean isReplica() {
    return info("role").equals("slave");
  }
}
