package dev.sluice.spring.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses addresses from text. Names are never looked up.
 *
 * @since 0.1
 */
public final class IpAddresses {
  private static final String OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  private static final Pattern V4 = Pattern.compile("(" + OCTET + "\\.){3}" + OCTET);
  private static final Pattern V6 = Pattern.compile("(?=.*:)[0-9a-fA-F:][0-9a-fA-F:.]{1,44}");
  private static final Pattern PORT = Pattern.compile("\\d{1,5}");

  private IpAddresses() {}

  /** {@return the address, with an IPv4 address inside an IPv6 one as IPv4; null if it is none} */
  public static @Nullable InetAddress parse(String text) {
    if (!V4.matcher(text).matches() && !V6.matcher(text).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(text); // a literal by its form: nothing is looked up
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Parses as {@link #parse}, with a port or brackets as proxies write them. */
  public static @Nullable InetAddress parseNode(String text) {
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      return end < 0 || !isPort(text.substring(end + 1)) ? null : parse(text.substring(1, end));
    }
    int colon = text.indexOf(':');
    boolean port = colon > 0 && colon == text.lastIndexOf(':') && isPort(text.substring(colon));
    return parse(port ? text.substring(0, colon) : text);
  }

  private static boolean isPort(String text) {
    return text.isEmpty() || text.startsWith(":") && PORT.matcher(text.substring(1)).matches();
  }

  /** {@return the first bits of an address, the others zero} */
  public static byte[] network(byte[] address, int bits) {
    byte[] network = address.clone();
    for (int i = 0; i < network.length; i++) {
      int kept = Math.max(0, Math.min(8, bits - 8 * i));
      network[i] &= (byte) (0xFF << (8 - kept));
    }
    return network;
  }
}
