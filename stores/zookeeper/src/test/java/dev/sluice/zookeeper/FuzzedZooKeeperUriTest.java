package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.Fuzz;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random URIs of ensembles with a password, which no message may show. */
@Timeout(60)
class FuzzedZooKeeperUriTest {
  private static final String SECRET = "hunter2";

  @Test
  void aUriIsReadOrRefusedWithoutItsSecret() {
    Fuzz.each(
        1_000,
        fuzz -> {
          String place = fuzz.mutate("a:2181,[::1]:5,c/chroot/x?sessionTimeout=10s&tls=true");
          String uri =
              fuzz.pick("zookeeper://", "zookeeper:", "ZOOKEEPER://")
                  + "user:"
                  + SECRET
                  + fuzz.text(2)
                  + SECRET
                  + "@"
                  + place;
          try {
            assertThat(ZooKeeperUri.parse(uri).toString()).doesNotContain(SECRET);
          } catch (IllegalArgumentException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
              assertThat(cause.getMessage()).as(uri).isNotBlank().doesNotContain(SECRET);
            }
          }
        });
  }
}
