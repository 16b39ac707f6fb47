package dev.sluice.redis.quorum;

import dev.sluice.redis.QuorumOptions;
import dev.sluice.redis.connection.Uris;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import dev.sluice.text.Secrets;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of {@code
 * redis-quorum://user:password@a:6379,b,c/0?maxTtl=60s&durable=true&fresh=true}.
 *
 * @param nodes where the nodes are, in the order given
 * @param settings the settings of the quorum
 */
public record QuorumUri(List<RedisURI> nodes, QuorumOptions settings) {
  private static final String PLAIN = "redis-quorum://";
  private static final String TLS = "rediss-quorum://";
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

  /** The start of the query; a pasted password may contain a "?" too. */
  private static final Pattern KNOWN = Pattern.compile("\\?(maxTtl|durable|fresh|ca|cert|key)=");

  private static final Pattern SETTINGS = Pattern.compile("([?&])(?:maxTtl|durable|fresh)=[^&#]*");

  static final int MIN_NODES = 3;
  static final int MAX_NODES = 9;

  public static boolean isQuorum(String uri) {
    String scheme = uri.toLowerCase(Locale.ROOT);
    return scheme.startsWith("redis-quorum:") || scheme.startsWith("rediss-quorum:");
  }

  /** Returns a URI without the options of a quorum. */
  public static String withoutSettings(String uri) {
    return Uris.without(SETTINGS, uri);
  }

  /**
   * Reads a URI.
   *
   * @throws IllegalArgumentException if it does not make sense; the message hides the password
   */
  public static QuorumUri parse(String whole, BackendSettings defaults) {
    BackendSettings settings = defaults.forUri(whole);
    String uri = Namespace.without(whole);
    String lower = uri.toLowerCase(Locale.ROOT);
    String start = lower.startsWith(TLS) ? TLS : PLAIN;
    if (!lower.startsWith(start)) {
      throw refuse(uri, "expected redis-quorum://host[:port],host[:port],host[:port][/database]");
    }
    String rest = uri.substring(start.length());
    Matcher known = KNOWN.matcher(rest);
    int at = rest.lastIndexOf('@', known.find() ? known.start() : rest.length());
    int question = rest.indexOf('?', at + 1);
    String query = question < 0 ? "" : rest.substring(question + 1);
    String target = question < 0 ? rest : rest.substring(0, question);
    String user = target.substring(0, at + 1);
    int slash = target.indexOf('/', at + 1);
    String database = slash < 0 ? "" : target.substring(slash);
    String hosts = slash < 0 ? target.substring(at + 1) : target.substring(at + 1, slash);
    List<RedisURI> nodes = new ArrayList<>();
    String scheme = start.equals(TLS) ? "rediss://" : "redis://";
    for (String host : hosts.split(",", -1)) {
      if (host.isBlank()) {
        throw refuse(uri, "a host is missing");
      }
      nodes.add(
          Uris.parse(scheme + user + host.strip() + database, uri, settings.requestTimeout()));
    }
    checkNodes(nodes);
    return new QuorumUri(List.copyOf(nodes), read(uri, query, QuorumOptions.of(settings)));
  }

  public static void checkNodes(List<RedisURI> nodes) {
    if (nodes.size() < MIN_NODES || nodes.size() > MAX_NODES || nodes.size() % 2 == 0) {
      throw new IllegalArgumentException(
          "a quorum has 3, 5, 7 or 9 nodes, of which a majority decides: " + nodes.size());
    }
    List<String> places = nodes.stream().map(Uris::describe).toList();
    for (String place : places) {
      if (places.indexOf(place) != places.lastIndexOf(place)) {
        throw new IllegalArgumentException("a quorum has each node once: " + place);
      }
    }
  }

  private static QuorumOptions read(String uri, String query, QuorumOptions defaults) {
    QuorumOptions settings = defaults;
    for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      String value = pair.substring(equals + 1);
      settings =
          switch (equals < 0 ? pair : pair.substring(0, equals)) {
            case "maxTtl" -> settings.maxTtl(time(uri, value));
            case "durable" -> truth(uri, value) ? settings.durable() : settings;
            case "fresh" -> truth(uri, value) ? settings.fresh() : settings;
            case "ca", "cert", "key" -> settings; // see Tls
            default ->
                throw refuse(
                    uri, "unknown '" + pair + "'; there are maxTtl, durable, fresh and namespace");
          };
    }
    return settings;
  }

  private static Duration time(String uri, String text) {
    Matcher found = TIME.matcher(text);
    if (!found.matches()) {
      throw refuse(uri, "maxTtl must be a time such as 60s or 500ms: '" + text + "'");
    }
    long count = Long.parseLong(found.group(1));
    return switch (found.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      default -> Duration.ofHours(count);
    };
  }

  private static boolean truth(String uri, String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw refuse(uri, "expected true or false: '" + text + "'");
    }
    return text.equals("true");
  }

  private static IllegalArgumentException refuse(String uri, String why) {
    return new IllegalArgumentException(
        "not a Redis quorum URI: '" + Secrets.mask(uri) + "'; " + why);
  }
}
