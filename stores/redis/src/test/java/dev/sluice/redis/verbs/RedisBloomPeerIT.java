package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.ForeignDataException;
import dev.sluice.MissingDataException;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.bloom.BloomPeerCases;
import org.junit.jupiter.api.Test;

/** Redis behaves as users of another library expect, but for keys that are renamed by hand. */
@EachRedis
class RedisBloomPeerIT extends ContractFixture implements BloomPeerCases {
  private static final BloomSpec SPEC = BloomSpec.of(100_000, 0.03);

  private final RedisServer server;

  RedisBloomPeerIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return RedisStoreUnderTest.inRealTime(server);
  }

  private static String key(String name) {
    return "sl:{" + name + ":0}:bloom";
  }

  @Test
  void aDeletionLeavesNoKey() {
    BloomFilter<String> filter = filter("filter", BloomSpec.of(10_000_000, 0.03));
    filter.create();
    assertThat((Long) server.call("DBSIZE")).isGreaterThan(1L);
    filter.delete();
    assertThat(server.call("DBSIZE")).isEqualTo(0L);
  }

  @Test
  void aFilterThatWasRenamedByHandIsTold() {
    BloomFilter<String> filter = filter("filter", SPEC);
    filter.create();
    filter.add("123");
    server.call("RENAME", key("filter"), key("new_filter"));
    BloomFilter<String> renamed = filter("new_filter", BloomSpec.of(5, 0.5));
    assertThatExceptionOfType(ForeignDataException.class)
        .isThrownBy(renamed::info)
        .withMessageContaining("the header of another Bloom filter");
    assertThat(renamed.mightContain("123")).isTrue();
    assertThat(renamed.mightContain("456")).as("nothing is denied").isTrue();
    assertThat(filter("filter", SPEC).info()).isEmpty();
    assertThat(filter.mightContain("456")).as("unknown, where it was").isTrue();
    assertThatExceptionOfType(MissingDataException.class).isThrownBy(() -> filter.add("456"));
  }

  @Test
  void aFilterTakesNoNameThatAnotherHas() {
    BloomFilter<String> filter = filter("filter", SPEC);
    BloomFilter<String> other = filter("filter2", SPEC);
    filter.create();
    filter.add("123");
    other.create();
    other.add("234");
    assertThat(server.call("RENAMENX", key("filter"), key("filter2"))).isEqualTo(0L);
    assertThat(filter.info().orElseThrow().approximateCount()).isOne();
    assertThat(other.mightContain("123")).isFalse();
    assertThat(server.call("RENAMENX", key("filter"), key("filter3"))).isEqualTo(1L);
    assertThat(filter.info()).isEmpty();
  }

  @Test
  void sizeAndBitsAreEvictedTogether() {
    BloomFilter<String> filter = filter("filter", SPEC);
    filter.create();
    filter.add("123");
    server.call("UNLINK", key("filter"));
    assertThat(server.call("DBSIZE")).isEqualTo(0L);
    assertThat(filter.mightContain("123")).isTrue();
    assertThat(filter.mightContain("456")).isTrue();
  }
}
