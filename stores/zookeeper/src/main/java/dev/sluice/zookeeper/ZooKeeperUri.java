package dev.sluice.zookeeper;

import dev.sluice.spi.Namespace;
import dev.sluice.text.Secrets;
import java.io.File;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a URI: {@code
 * zookeeper://[user:password@]host[:port],host[:port][/chroot][?tls=true&
 * ca=FILE&identity=FILE&sessionTimeout=10s&namespace=shop]}.
 *
 * @param servers "host:port,host:port", as the driver wants it
 * @param chroot "" or "/" and names
 * @param user null unless there is a password
 */
record ZooKeeperUri(
    String servers,
    String chroot,
    @Nullable String user,
    @Nullable String password,
    @Nullable Duration sessionTimeout,
    boolean tls,
    @Nullable File authorities,
    @Nullable File identity,
    @Nullable String namespace) {

  private static final Pattern HOST =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])(?::([0-9]{1,5}))?");
  private static final Pattern TIME = Pattern.compile("([0-9]{1,7})(ms|s)");

  /** The start of the query; a pasted password may contain a "?" too. */
  private static final Pattern KNOWN = Pattern.compile("\\?(sessionTimeout|tls|ca|identity)=");

  private static final String EXPECTED =
      "zookeeper://[user:password@]host[:port],host[:port][/chroot]"
          + "[?sessionTimeout=10s&tls=true&ca=FILE&identity=FILE&namespace=NAME]";

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException if it does not make sense; the message hides the password
   */
  static ZooKeeperUri parse(String whole) {
    String namespace = Namespace.of(whole);
    String uri = Namespace.without(whole);
    int start = uri.indexOf("://");
    if (start < 0 || !uri.substring(0, start).toLowerCase(Locale.ROOT).equals("zookeeper")) {
      throw wrong(uri, "it must begin with zookeeper://");
    }
    String rest = uri.substring(start + 3);
    Matcher known = KNOWN.matcher(rest);
    int at = rest.lastIndexOf('@', known.find() ? known.start() : rest.length());
    String credentials = at < 0 ? null : rest.substring(0, at);
    rest = rest.substring(at + 1);
    int question = rest.indexOf('?');
    String query = question < 0 ? "" : rest.substring(question + 1);
    rest = question < 0 ? rest : rest.substring(0, question);
    int slash = rest.indexOf('/');
    String chroot = slash < 0 ? "" : rest.substring(slash);
    String servers = servers(uri, slash < 0 ? rest : rest.substring(0, slash));
    String user = null;
    String password = null;
    if (credentials != null) {
      int colon = credentials.indexOf(':');
      if (colon < 1 || colon == credentials.length() - 1) {
        throw wrong(uri, "user and password go together, as user:password@");
      }
      user = decode(credentials.substring(0, colon));
      password = decode(credentials.substring(colon + 1));
    }
    Query read = new Query(uri, query);
    return new ZooKeeperUri(
        servers,
        checkChroot(chroot.endsWith("/") ? chroot.substring(0, chroot.length() - 1) : chroot),
        user,
        password,
        read.sessionTimeout,
        read.tls,
        read.authorities,
        read.identity,
        namespace);
  }

  @Override
  public String toString() {
    return "zookeeper://" + (user == null ? "" : "***@") + servers + chroot;
  }

  private static String servers(String uri, String list) {
    List<String> servers = new ArrayList<>();
    for (String one : list.split(",", -1)) {
      Matcher host = HOST.matcher(one.strip());
      if (!host.matches()) {
        throw wrong(uri, "'" + one + "' is not host[:port]");
      }
      int port = host.group(2) == null ? 2181 : Integer.parseInt(host.group(2));
      if (port < 1 || port > 65535) {
        throw wrong(uri, "a port is 1 to 65535: " + port);
      }
      servers.add(host.group(1) + ":" + port);
    }
    return String.join(",", servers);
  }

  /**
   * Checks the path of all nodes.
   *
   * @throws IllegalArgumentException if it is none
   */
  static String checkChroot(String chroot) {
    if (chroot.isEmpty()) {
      return chroot;
    }
    boolean good = chroot.startsWith("/") && chroot.length() <= 512;
    for (String part : chroot.substring(1).split("/", -1)) {
      good = good && part.matches("[A-Za-z0-9_.:=~+-]+") && !part.matches("\\.{1,2}");
    }
    if (!good || chroot.equals("/zookeeper") || chroot.startsWith("/zookeeper/")) {
      throw new IllegalArgumentException(
          "chroot must be a path of at most 512 letters, digits and _.:=~+- in parts, and not"
              + " /zookeeper: '"
              + chroot
              + "'");
    }
    return chroot;
  }

  private static final class Query {
    private @Nullable Duration sessionTimeout;
    private boolean tls;
    private @Nullable File authorities;
    private @Nullable File identity;

    Query(String uri, String query) {
      for (String one : query.isEmpty() ? new String[0] : query.split("&", -1)) {
        int is = one.indexOf('=');
        String name = is < 0 ? one : one.substring(0, is);
        String value = is < 0 ? "" : decode(one.substring(is + 1));
        switch (name) {
          case "sessionTimeout" -> sessionTimeout = time(uri, value);
          case "tls" -> {
            if (!value.equals("true") && !value.equals("false")) {
              throw wrong(uri, "tls is true or false");
            }
            tls = value.equals("true");
          }
          case "ca" -> authorities = file(uri, name, value);
          case "identity" -> identity = file(uri, name, value);
          default ->
              throw wrong(
                  uri, "there is no '" + name + "': sessionTimeout, tls, ca, identity, namespace");
        }
      }
      if (!tls && (authorities != null || identity != null)) {
        throw wrong(uri, "ca and identity are for TLS, with tls=true");
      }
    }

    private static Duration time(String uri, String value) {
      Matcher time = TIME.matcher(value);
      if (!time.matches()) {
        throw wrong(uri, "sessionTimeout is a number of ms or s, such as 10s");
      }
      long number = Long.parseLong(time.group(1));
      return time.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
    }

    private static File file(String uri, String name, String value) {
      File file = new File(value);
      if (!file.isFile() || !file.canRead()) {
        throw wrong(uri, name + ": there is no file '" + value + "' that can be read");
      }
      return file;
    }
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text; // people paste passwords as they are
    }
  }

  private static IllegalArgumentException wrong(String uri, String why) {
    return new IllegalArgumentException(
        "not a ZooKeeper URI: '" + Secrets.mask(uri) + "'; " + why + "; expected " + EXPECTED);
  }
}
