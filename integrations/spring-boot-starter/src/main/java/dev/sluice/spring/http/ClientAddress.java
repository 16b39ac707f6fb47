package dev.sluice.spring.http;

import dev.sluice.spring.SluiceProperties.Http.AddressHeader;
import dev.sluice.spring.internal.IpAddresses;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The client address of a request, read from a header that a proxy wrote. Anybody can write into
 * the header, so it is read from the right, the end that the application's proxy wrote, and only
 * while the writer is a trusted proxy.
 */
final class ClientAddress {
  private final TrustedProxies proxies;
  private final AddressHeader header;
  private final int ipv6Prefix;

  /**
   * @param ipv6Prefix bits of an IPv6 address that make one client, 1 to 128
   */
  ClientAddress(TrustedProxies proxies, AddressHeader header, int ipv6Prefix) {
    if (ipv6Prefix < 1 || ipv6Prefix > 128) {
      throw new IllegalArgumentException("must be 1 to 128: " + ipv6Prefix);
    }
    this.proxies = proxies;
    this.header = header;
    this.ipv6Prefix = ipv6Prefix;
  }

  /** {@return the name of the header that trusted proxies write} */
  String header() {
    return header == AddressHeader.FORWARDED ? "Forwarded" : "X-Forwarded-For";
  }

  /**
   * {@return the request without the wrappers of filters} Spring's {@code ForwardedHeaderFilter},
   * for one, gives as the remote address what the client wrote, and hides the header.
   */
  static HttpServletRequest asReceived(HttpServletRequest request) {
    HttpServletRequest received = request;
    while (received instanceof HttpServletRequestWrapper wrapper
        && wrapper.getRequest() instanceof HttpServletRequest inner) {
      received = inner;
    }
    return received;
  }

  /**
   * Finds the client.
   *
   * @param peer address at the other end of the connection
   * @param hops all values of the header, joined by commas; empty if there are none
   * @return its address, or its network with an IPv6 prefix below 128
   */
  String of(String peer, String hops) {
    int zone = peer.indexOf('%');
    InetAddress client = IpAddresses.parse(zone < 0 ? peer : peer.substring(0, zone));
    if (client == null) {
      return "unknown";
    }
    int end = hops.length();
    while (end > 0 && proxies.contains(client)) {
      int start = startOfLast(hops, end);
      InetAddress next = node(hops.substring(start, end).strip());
      if (next == null) {
        break; // hidden or garbled: the proxy that wrote it is the last one we know
      }
      client = next;
      end = start - 1;
    }
    return text(client);
  }

  /**
   * Parsed from the right, so that an open quotation mark of a client hides nothing that the
   * trusted proxy added after it.
   */
  private static int startOfLast(String hops, int end) {
    boolean quoted = false;
    for (int i = end - 1; i >= 0; i--) {
      char c = hops.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        return i + 1;
      }
    }
    return 0;
  }

  private @Nullable InetAddress node(String hop) {
    if (header == AddressHeader.X_FORWARDED_FOR) {
      return IpAddresses.parseNode(hop);
    }
    for (String pair : hop.split(";")) {
      int equals = pair.indexOf('=');
      if (equals > 0 && pair.substring(0, equals).strip().toLowerCase(Locale.ROOT).equals("for")) {
        String value = pair.substring(equals + 1).strip();
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return IpAddresses.parseNode(quoted ? value.substring(1, value.length() - 1) : value);
      }
    }
    return null;
  }

  private String text(InetAddress client) {
    byte[] bytes = client.getAddress();
    if (bytes.length == 4 || ipv6Prefix == 128) {
      return client.getHostAddress();
    }
    try {
      return InetAddress.getByAddress(IpAddresses.network(bytes, ipv6Prefix)).getHostAddress()
          + "/"
          + ipv6Prefix;
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // 16 bytes are an address
    }
  }
}
