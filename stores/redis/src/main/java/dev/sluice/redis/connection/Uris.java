package dev.sluice.redis.connection;

import dev.sluice.redis.ReplicaPolicy;
import dev.sluice.text.Names;
import dev.sluice.text.Secrets;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Parses URIs, and masks their passwords in messages. */
public final class Uris {
  private Uris() {}

  /**
   * Reads {@code redis://} and {@code redis-sentinel://}, and the same with {@code rediss} for TLS.
   *
   * @throws IllegalArgumentException if it does not make sense; the message shows the URI without
   *     its password
   */
  public static RedisURI parse(String uri, Duration timeout) {
    return parse(uri, uri, timeout);
  }

  /** A component of a URI; messages show the whole URI with its secrets masked. */
  public static RedisURI parse(String uri, String whole, Duration timeout) {
    RedisURI parsed;
    try {
      parsed = RedisURI.create(uri);
    } catch (RuntimeException e) {
      // the driver's text may quote the password, so neither it nor its exception is passed on
      throw new IllegalArgumentException(
          "not a Redis URI: '"
              + Secrets.mask(whole)
              + "'; expected redis://[user:password@]host[:port][/database], or"
              + " redis-sentinel://host[:port],host[:port]/#master, or the same with rediss for"
              + " TLS");
    }
    boolean portLeftInHost = parsed.getHost() != null && parsed.getHost().indexOf(':') >= 0;
    if (portLeftInHost && !parsed.getHost().startsWith("[")) {
      throw new IllegalArgumentException(
          "not a Redis URI: '" + Secrets.mask(whole) + "'; the port is not a number");
    }
    String master = parsed.getSentinelMasterId();
    if (master != null && master.indexOf('@') >= 0) { // what follows a "#" in a password
      throw new IllegalArgumentException(
          "not a Redis URI: '"
              + Secrets.mask(whole)
              + "'; the name of a master has no @, and a # in a password is written %23");
    }
    checkOptions(uri, whole, OPTIONS);
    parsed.setTimeout(timeout);
    return parsed;
  }

  private static final List<String> OPTIONS =
      List.of(
          "timeout",
          "database",
          "clientName",
          "libraryName",
          "libraryVersion",
          "sentinelMasterId",
          "verifyPeer",
          "ca",
          "cert",
          "key",
          "replicas",
          "replicaTimeout",
          "namespace");

  private static final List<String> CLUSTER_OPTIONS =
      List.of("verifyPeer", "ca", "cert", "key", "replicas", "replicaTimeout", "namespace");

  /** Refuses an unknown option, which would otherwise seem to be in effect. */
  private static void checkOptions(String uri, String whole, List<String> known) {
    int query = uri.indexOf('?', uri.lastIndexOf('@') + 1); // a password may have a ? too
    if (query < 0) {
      return;
    }
    String options = uri.substring(query + 1).split("#", 2)[0];
    for (String option : options.split("&")) {
      String name = option.split("=", 2)[0];
      if (!name.isEmpty() && known.stream().noneMatch(name::equalsIgnoreCase)) {
        throw new IllegalArgumentException(
            "a Redis URI has no option "
                + Names.quoted(name)
                + (isCluster(whole) ? " for a cluster: '" : ": '")
                + Secrets.mask(whole)
                + "'; there are "
                + String.join(", ", known.subList(0, known.size() - 1))
                + " and namespace");
      }
    }
  }

  private static final Pattern OURS =
      Pattern.compile("(?i)([?&])(replicas|replicaTimeout)=([^&#]*)");
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s)");

  /**
   * Reads {@code ?replicas=1} or {@code ?replicas=all}, with {@code &replicaTimeout=300ms}.
   *
   * @throws IllegalArgumentException if they do not make sense
   */
  public static ReplicaPolicy replicas(String uri) {
    ReplicaPolicy policy = ReplicaPolicy.none();
    Duration timeout = policy.timeout();
    Matcher found = OURS.matcher(uri);
    while (found.find()) {
      String value = found.group(3);
      if (found.group(2).equalsIgnoreCase("replicas")) {
        policy = policy(value);
        continue;
      }
      Matcher time = TIME.matcher(value);
      if (!time.matches()) {
        throw new IllegalArgumentException(
            "replicaTimeout must be a number of ms or s, such as 300ms: " + value);
      }
      long number = Long.parseLong(time.group(1));
      timeout = time.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
    }
    return policy.timeout(timeout);
  }

  /** Parses "none", "all" or a number. */
  static ReplicaPolicy policy(String text) {
    switch (text.toLowerCase(Locale.ROOT)) {
      case "none", "0":
        return ReplicaPolicy.none();
      case "all":
        return ReplicaPolicy.all();
      default:
        try {
          return ReplicaPolicy.atLeast(Integer.parseInt(text));
        } catch (NumberFormatException e) {
          throw new IllegalArgumentException("replicas must be none, all, or a number: " + text);
        }
    }
  }

  /** Returns the URI without the options of {@link #replicas}. */
  public static String withoutReplicas(String uri) {
    return without(OURS, uri);
  }

  /**
   * Returns the URI without the options that match a pattern, each with the separator before it.
   */
  public static String without(Pattern options, String uri) {
    return options
        .matcher(uri)
        .replaceAll("$1")
        .replaceAll("([?&])&+", "$1")
        .replaceAll("[?&](#|$)", "$1");
  }

  public static boolean isCluster(String uri) {
    String scheme = uri.substring(0, Math.max(0, uri.indexOf(':'))).toLowerCase(Locale.ROOT);
    return scheme.equals("redis-cluster") || scheme.equals("rediss-cluster");
  }

  /**
   * Parses {@code redis-cluster://user:password@host:port,host:port} and the same with {@code
   * rediss-cluster}: any of the servers, with one user for all.
   *
   * @throws IllegalArgumentException as {@link #parse}
   */
  public static List<RedisURI> parseCluster(String uri, Duration timeout) {
    checkOptions(uri, uri, CLUSTER_OPTIONS);
    String plain = Tls.without(uri);
    int start = plain.indexOf("://");
    String rest = start < 0 ? "" : plain.substring(start + 3);
    int at = rest.lastIndexOf('@');
    String user = rest.substring(0, at + 1);
    String places = rest.substring(at + 1);
    if (places.endsWith("/")) {
      places = places.substring(0, places.length() - 1);
    }
    if (places.isEmpty() || places.indexOf('/') >= 0 || places.indexOf('?') >= 0) {
      throw new IllegalArgumentException(
          "not a URI of a Redis Cluster: '"
              + Secrets.mask(uri)
              + "'; expected redis-cluster://[user:password@]host[:port],host[:port], or the same"
              + " with rediss-cluster://; a cluster has no database numbers");
    }
    String scheme = uri.toLowerCase(Locale.ROOT).startsWith("rediss") ? "rediss://" : "redis://";
    List<RedisURI> seeds = new ArrayList<>();
    for (String place : places.split(",", -1)) {
      seeds.add(parse(scheme + user + place.strip(), uri, timeout));
    }
    return seeds;
  }

  /** Returns the kind and address: "Redis at localhost:6379". */
  public static String describe(RedisURI uri) {
    String tls = uri.isSsl() ? " with TLS" : "";
    if (uri.getSentinelMasterId() != null) {
      return "Redis master '"
          + uri.getSentinelMasterId()
          + "' by Sentinel at "
          + uri.getSentinels().stream()
              .map(s -> s.getHost() + ":" + s.getPort())
              .collect(Collectors.joining(", ", "", tls));
    }
    String place = uri.getSocket() != null ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
    return "Redis at " + place + tls;
  }

  /** The reason why this store may lose confirmed writes while it runs; null if it does not. */
  public static @Nullable String whyNotStrong(RedisURI uri) {
    return uri.getSentinelMasterId() == null
        ? null
        : describe(uri)
            + " may forget answered invalidations: a fail-over promotes a replica that may lack"
            + " them";
  }
}
