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
   * The server's wall clock minus our monotonic one, in microseconds: at least, at most. Monotonic,
   * so that servers are comparable despite steps of the local clock.
   */
  record Clock(long low, long high) {}

  /** Round trips of a command that does nothing. */
  record Latency(long medianNanos, long worstNanos) {}

  final String where;

  /** Fields of INFO; empty if it was refused. */
  final Map<String, String> info = new HashMap<>();

  boolean cell;

  /** Settings, those of {@link NodeExam#SETTINGS} that were told. */
  final Map<String, String> config = new HashMap<>();

  final Map<String, String> cluster = new HashMap<>();

  /** What the server refused to tell. */
  final Set<String> untold = new TreeSet<>();

  /** Who we are at the server; null if it was refused. */
  @Nullable String user;

  /** Whether the default user needs no password; false where it was not told. */
  boolean open;

  /** Whether the URL goes to another machine; false where that is not known. */
  boolean far;

  boolean tls;
  boolean verified = true;

  /** The URL is one of a cluster. */
  boolean forCluster;

  /** Grants count without any replica, where a fail-over may lose them. */
  boolean replicasUnasked;

  /** The URL says that the server keeps every answered write. */
  boolean saysDurable;

  /** Sentinels that the URL names; -1 if it is not about Sentinel. */
  int sentinels = -1;

  final KeySpace space;
  final Rights rights;
  final KeyReport keys = new KeyReport();
  @Nullable Clock clock;
  @Nullable Latency latency;

  /** Why the server could not be asked. */
  @Nullable String unreachable;

  /** The question that was not answered, and how; the rest was not asked. */
  @Nullable String silent;

  NodeFacts(String where, KeySpace space) {
    this.where = where;
    this.space = space;
    this.rights = new Rights(space);
  }

  /** Of a server that cannot be asked. */
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

  /** A number of INFO; -1 if it is not there. */
  long number(String field) {
    return parse(info(field));
  }

  /** A number among the settings; -1 if it was not told. */
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
