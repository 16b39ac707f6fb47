package dev.sluice.spring.http;

import dev.sluice.spring.internal.IpAddresses;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/** The networks whose headers about the client are trusted. */
final class TrustedProxies {
  private final List<Network> networks;

  private record Network(byte[] address, int bits) {
    boolean contains(byte[] other) {
      return other.length == address.length
          && Arrays.equals(IpAddresses.network(other, bits), address);
    }
  }

  /**
   * @param texts addresses, or networks such as {@code 10.0.0.0/8} and {@code fd00::/8}
   * @throws IllegalArgumentException if one of them is neither
   */
  TrustedProxies(List<String> texts) {
    this.networks = texts.stream().map(TrustedProxies::network).toList();
  }

  boolean contains(InetAddress address) {
    byte[] bytes = address.getAddress();
    return networks.stream().anyMatch(network -> network.contains(bytes));
  }

  private static Network network(String text) {
    int slash = text.indexOf('/');
    InetAddress address = IpAddresses.parse(slash < 0 ? text : text.substring(0, slash));
    String prefix = slash < 0 ? "" : text.substring(slash + 1);
    if (address == null || slash >= 0 && !prefix.matches("\\d{1,3}")) {
      throw new IllegalArgumentException(
          "must be an address or a network such as 10.0.0.0/8 or fd00::/8: '" + text + "'");
    }
    byte[] bytes = address.getAddress();
    int bits = slash < 0 ? 8 * bytes.length : Integer.parseInt(prefix);
    if (bits > 8 * bytes.length) {
      throw new IllegalArgumentException(
          "prefix must be 0 to " + 8 * bytes.length + ": '" + text + "'");
    }
    if (!Arrays.equals(IpAddresses.network(bytes, bits), bytes)) {
      throw new IllegalArgumentException(
          "address has bits beyond its prefix of " + bits + ": '" + text + "'");
    }
    return new Network(bytes, bits);
  }
}
