package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.RedisQuorum;
import dev.sluice.redis.quorum.QuorumUri;
import dev.sluice.servers.Fuzz;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random URIs of stores with a password, which no message may show. */
@Timeout(60)
class FuzzedRedisUriTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final String SECRET = "hunter2";
  private static final String[] SCHEMES = {
    "redis",
    "rediss",
    "redis-sentinel",
    "rediss-sentinel",
    "redis-cluster",
    "rediss-cluster",
    "redis-quorum",
    "REDIS"
  };

  /** As {@link Connector} and {@link RedisQuorum} read it. */
  private static List<RedisURI> read(String uri) {
    Namespace.of(uri);
    if (QuorumUri.isQuorum(uri)) {
      List<RedisURI> nodes = QuorumUri.parse(uri, new BackendSettings(TIMEOUT)).nodes();
      Tls.of(uri);
      return nodes;
    }
    Uris.replicas(uri);
    String plain = Uris.withoutReplicas(uri);
    List<RedisURI> found =
        Uris.isCluster(plain)
            ? Uris.parseCluster(plain, TIMEOUT)
            : List.of(Uris.parse(plain, TIMEOUT));
    Tls.of(plain);
    return found;
  }

  private static void readOrRefused(String uri) {
    try {
      for (RedisURI place : read(uri)) {
        assertThat(Uris.describe(place)).doesNotContain(SECRET);
      }
    } catch (IllegalArgumentException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        assertThat(cause).isInstanceOf(IllegalArgumentException.class);
        assertThat(cause.getMessage()).as(uri).isNotBlank().doesNotContain(SECRET);
      }
    }
  }

  @Test
  void aUriIsReadOrRefusedWithoutItsSecret() {
    Fuzz.each(
        500,
        fuzz -> {
          String secret = fuzz.mutate(SECRET) + fuzz.text(2) + SECRET;
          String place =
              fuzz.mutate(
                  fuzz.pick(
                      "host:6379/0",
                      "a,b:2,c:3?durable=true",
                      "host/0?namespace=shop",
                      "a,b/#master",
                      "[::1]:1"));
          readOrRefused(
              fuzz.pick(SCHEMES)
                  + fuzz.pick("://", "://", ":", "//")
                  + "user:"
                  + secret
                  + "@"
                  + place);
        });
  }

  @Test
  void anyTextIsReadOrRefused() {
    Fuzz.each(
        500,
        fuzz ->
            readOrRefused(
                fuzz.pick(SCHEMES)
                    + ":"
                    + fuzz.mutate("//host:6379,b,c/0?replicas=1&namespace=a&ca=x#m")));
  }

  /** The JDK's own text for a blank in a URI has all of the URI in it. */
  @Test
  void aBlankInThePasswordOfAClusterIsNotShown() {
    readOrRefused("redis-cluster://user:" + SECRET + " " + SECRET + "@host:6379");
    readOrRefused("rediss-cluster://user:" + SECRET + "%" + SECRET + "@host:6379?ca=nothing");
  }

  @Test
  void aQuestionMarkInThePasswordOfAQuorumIsNoBeginningOfOptions() {
    readOrRefused("redis-quorum://user:a?" + SECRET + "@a,b,c");
  }

  @Test
  void whatFollowsAHashInThePasswordIsNoNameOfAMaster() {
    readOrRefused("redis-sentinel://user:a#" + SECRET + "@host");
  }

  @Test
  void aQuestionMarkInThePasswordOfAClusterDoesNotShowWhatIsBeforeIt() {
    readOrRefused("redis-cluster://user:" + SECRET + "?a@b,c");
  }

  @Test
  void aPasswordWithoutSlashesBeforeItIsNotShown() {
    readOrRefused("redis:user:" + SECRET + "@host");
  }
}
