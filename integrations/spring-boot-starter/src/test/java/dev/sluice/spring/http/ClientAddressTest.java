package dev.sluice.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.SluiceProperties.Http.AddressHeader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressTest {
  private static final TrustedProxies PROXIES =
      new TrustedProxies(List.of("10.0.0.0/8", "127.0.0.1", "fd00::/8"));

  private static String forwardedFor(String peer, String hops) {
    return new ClientAddress(PROXIES, AddressHeader.X_FORWARDED_FOR, 128).of(peer, hops);
  }

  private static String forwarded(String peer, String hops) {
    return new ClientAddress(PROXIES, AddressHeader.FORWARDED, 128).of(peer, hops);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a stranger's header says nothing      | 203.0.113.9 | 198.51.100.1            |"
            + " 203.0.113.9",
        "no header                             | 10.0.0.1    | ''                      | 10.0.0.1",
        "one proxy                             | 10.0.0.1    | 198.51.100.1            |"
            + " 198.51.100.1",
        "what the client wrote itself          | 10.0.0.1    | 1.2.3.4, 198.51.100.1   |"
            + " 198.51.100.1",
        "two proxies                           | 10.0.0.1    | 198.51.100.1,10.0.0.2   |"
            + " 198.51.100.1",
        "the client is a proxy of ours         | 10.0.0.1    | 10.0.0.3, 10.0.0.2      | 10.0.0.3",
        "a client that calls itself a proxy    | 10.0.0.1    | 10.9.9.9, 198.51.100.1  |"
            + " 198.51.100.1",
        "with a port                           | 10.0.0.1    | 198.51.100.1:4711       |"
            + " 198.51.100.1",
        "an empty hop                          | 10.0.0.1    | '198.51.100.1, '        | 10.0.0.1",
        "garbage from a proxy                  | 10.0.0.1    | 198.51.100.1, unknown   | 10.0.0.1",
        "a name is not looked up               | 10.0.0.1    | localhost               | 10.0.0.1",
        "octets above 255                      | 10.0.0.1    | 300.1.1.1               | 10.0.0.1",
        "octal is no way to write an address   | 10.0.0.1    | 010.1.1.1               | 10.0.0.1",
        "an open quotation mark hides nothing  | 10.0.0.1    | '\"1.2.3.4, 198.51.100.1' |"
            + " 198.51.100.1",
        "IPv6                                  | fd00::1     | 2001:db8::7             |"
            + " 2001:db8:0:0:0:0:0:7",
        "IPv6 in brackets                      | fd00::1     | [2001:db8::7]:443       |"
            + " 2001:db8:0:0:0:0:0:7",
        "IPv4 inside IPv6                      | ::ffff:10.0.0.1 | ::ffff:198.51.100.1 |"
            + " 198.51.100.1",
        "a zone                                | fe80::1%eth0 | 198.51.100.1           |"
            + " fe80:0:0:0:0:0:0:1",
        "no address at all                     | ''          | 198.51.100.1            | unknown"
      })
  void readsForwardedForFromTheRight(String what, String peer, String hops, String client) {
    assertThat(forwardedFor(peer, hops)).as(what).isEqualTo(client);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "one hop            | for=198.51.100.1;proto=https                      | 198.51.100.1",
        "any case, any place| proto=https; For=198.51.100.1                     | 198.51.100.1",
        "quoted with port   | for=\"198.51.100.1:4711\"                         | 198.51.100.1",
        "IPv6               | for=\"[2001:db8::7]:4711\"                        |"
            + " 2001:db8:0:0:0:0:0:7",
        "two proxies        | for=1.2.3.4, for=198.51.100.1, for=10.0.0.2       | 198.51.100.1",
        "hidden             | for=198.51.100.1, for=_secret                     | 10.0.0.1",
        "no for             | for=198.51.100.1, proto=http                      | 10.0.0.1",
        "comma in a value   | for=1.2.3.4, for=198.51.100.1;host=\"a,b\"        | 198.51.100.1",
        "open quotation mark| for=1.2.3.4;by=\", for=198.51.100.1               | 198.51.100.1"
      })
  void readsForwardedFromTheRight(String what, String hops, String client) {
    assertThat(forwarded("10.0.0.1", hops)).as(what).isEqualTo(client);
  }

  @Test
  void aNetworkOfIpv6IsOneClientIfConfigured() {
    ClientAddress addresses = new ClientAddress(PROXIES, AddressHeader.X_FORWARDED_FOR, 64);

    assertThat(addresses.of("2001:db8:1:2:3::4", ""))
        .isEqualTo("2001:db8:1:2:0:0:0:0/64")
        .isEqualTo(addresses.of("2001:db8:1:2:ffff::9", ""))
        .isNotEqualTo(addresses.of("2001:db8:1:3::4", ""));
    assertThat(addresses.of("198.51.100.1", "")).isEqualTo("198.51.100.1");
  }

  @Test
  void aPrefixMayEndInsideAByte() throws Exception {
    TrustedProxies half = new TrustedProxies(List.of("10.16.0.0/12"));

    assertThat(half.contains(java.net.InetAddress.getByName("10.31.255.255"))).isTrue();
    assertThat(half.contains(java.net.InetAddress.getByName("10.32.0.0"))).isFalse();
    assertThat(half.contains(java.net.InetAddress.getByName("::1"))).isFalse();
    assertThat(
            new TrustedProxies(List.of("0.0.0.0/0"))
                .contains(java.net.InetAddress.getByName("203.0.113.1")))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "proxy.example",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/",
        "fd00::/129",
        "1.2"
      })
  void refusesWhatIsNoNetwork(String text) {
    assertThatThrownBy(() -> new TrustedProxies(List.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void refusesANetworkThatMayBeATypingError() {
    assertThatThrownBy(() -> new TrustedProxies(List.of("10.0.0.1/8")))
        .hasMessage("address has bits beyond its prefix of 8: '10.0.0.1/8'");
  }
}
