package dev.sluice.redis.connection;

import dev.sluice.text.Secrets;
import io.lettuce.core.SslOptions;
import java.io.File;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings of a URI, as PEM files: {@code ca} has the authorities to trust instead of the
 * JVM's, and {@code cert} and {@code key} identify the client to a server that requires it. The
 * name of the server is checked in any case.
 */
public final class Tls {
  private Tls() {}

  /**
   * Reads the parameters.
   *
   * @return how to connect; null if the URI says nothing
   * @throws IllegalArgumentException if they do not make sense
   */
  public static @Nullable SslOptions of(String uri) {
    Map<String, String> parameters = parameters(uri);
    File authorities = file(parameters, "ca");
    File certificate = file(parameters, "cert");
    File key = file(parameters, "key");
    if (authorities == null && certificate == null && key == null) {
      return null;
    }
    if (!uri.startsWith("rediss")) {
      throw new IllegalArgumentException(
          "ca, cert and key are for TLS: rediss:// in place of redis://");
    }
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException("cert and key go together");
    }
    SslOptions.Builder options = SslOptions.builder().jdkSslProvider();
    if (authorities != null) {
      options.trustManager(authorities);
    }
    if (certificate != null && key != null) {
      options.keyManager(certificate, key, new char[0]);
    }
    return options.build();
  }

  private static @Nullable File file(Map<String, String> parameters, String name) {
    String path = parameters.get(name);
    if (path == null) {
      return null;
    }
    File file = new File(path);
    if (!file.canRead()) {
      throw new IllegalArgumentException(
          name + ": there is no file '" + path + "' that can be read");
    }
    return file;
  }

  /** The URI without its parameters. */
  static String without(String uri) {
    String query = query(uri);
    return query == null ? uri : uri.substring(0, uri.length() - query.length() - 1);
  }

  private static @Nullable String query(String uri) {
    try {
      return URI.create(uri).getRawQuery();
    } catch (IllegalArgumentException e) {
      // its text quotes the URI with the password, so neither it nor its exception is passed on
      throw new IllegalArgumentException(
          "not a Redis URI: '"
              + Secrets.mask(uri)
              + "'; what is no letter or digit in a user, a password or an option must be"
              + " percent-encoded");
    }
  }

  public static Map<String, String> parameters(String uri) {
    Map<String, String> parameters = new HashMap<>();
    String query = query(uri);
    if (query == null) {
      return parameters;
    }
    for (String one : query.split("&")) {
      int is = one.indexOf('=');
      if (is > 0) {
        parameters.put(
            one.substring(0, is), URLDecoder.decode(one.substring(is + 1), StandardCharsets.UTF_8));
      }
    }
    return parameters;
  }
}
