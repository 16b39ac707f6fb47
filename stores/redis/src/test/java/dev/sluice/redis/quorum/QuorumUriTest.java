package dev.sluice.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.QuorumOptions;
import dev.sluice.spi.BackendSettings;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuorumUriTest {
  private static final BackendSettings BACKEND = new BackendSettings(Duration.ofSeconds(2));

  @Test
  void readsPlacesRightsAndSettings() {
    QuorumUri read =
        QuorumUri.parse(
            "rediss-quorum://me:secret@a:7001,b,c:7003/2?maxTtl=45s&durable=true&fresh=true",
            BACKEND);

    assertThat(read.nodes()).extracting(RedisURI::getHost).containsExactly("a", "b", "c");
    assertThat(read.nodes()).extracting(RedisURI::getPort).containsExactly(7001, 6379, 7003);
    for (RedisURI node : read.nodes()) {
      assertThat(node.getDatabase()).isEqualTo(2);
      assertThat(node.isSsl()).isTrue();
      RedisCredentials rights =
          node.getCredentialsProvider().resolveCredentials().toFuture().join();
      assertThat(rights.getUsername()).isEqualTo("me");
      assertThat(new String(rights.getPassword())).isEqualTo("secret");
    }
    assertThat(read.settings())
        .isEqualTo(QuorumOptions.of(BACKEND).maxTtl(Duration.ofSeconds(45)).durable().fresh());
  }

  @Test
  void isCarefulUnlessToldOtherwise() {
    assertThat(QuorumUri.parse("redis-quorum://a,b,c,d,e", BACKEND).settings())
        .isEqualTo(QuorumOptions.of(BACKEND));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-quorum://a",
        "redis-quorum://a,b",
        "redis-quorum://a,b,c,d",
        "redis-quorum://a,b,c,d,e,f,g,h,i,j,k",
        "redis-quorum://a,b,",
        "redis-quorum:a,b,c",
        "redis-quorum://a,b,a",
        "redis-quorum://a,b,c:nonsense",
        "redis-quorum://a,b,c?maxTtl=60",
        "redis-quorum://a,b,c?maxTtl=1ms",
        "redis-quorum://a,b,c?durable=yes",
        "redis-quorum://a,b,c?surprise=1",
      })
  void refusesWhatMakesNoSense(String uri) {
    assertThatThrownBy(() -> QuorumUri.parse(uri, BACKEND))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void neverShowsAPassword() {
    assertThatThrownBy(() -> QuorumUri.parse("redis-quorum://me:secret@a,,c", BACKEND))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret")
        .hasMessage("not a Redis quorum URI: 'redis-quorum://***@a,,c'; a host is missing");
  }
}
