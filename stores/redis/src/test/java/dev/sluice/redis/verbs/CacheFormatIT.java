package dev.sluice.redis.verbs;

import static dev.sluice.redis.verbs.VirtualRedis.join;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.keys.StoredValue;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheRequest.Aim;
import dev.sluice.spi.CacheValue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The bytes of caches that docs/stored-formats.md documents, at a real server. */
@EachRedis
class CacheFormatIT {
  private static final long NOW = 1_795_201_234_000_000L; // 0660b9dbda5880
  private static final CacheKey KEY = new CacheKey("c:{d}", "a:b%");
  private static final String START = "sl:{c%3A%7Bd%7D:a:b%25}:";

  private final RedisServer server;

  CacheFormatIT(RedisServer server) {
    this.server = server;
  }

  private static CacheRequest request(String client, long attempt, long lease) {
    return new CacheRequest(KEY, client, attempt, lease, Aim.LOAD);
  }

  @Test
  void everyKeyIsWrittenAsDocumented() {
    try (VirtualRedis redis = new VirtualRedis(server, UnaryOperator.identity())) {
      CacheBackend caches = redis.backend.caches();
      redis.at(NOW);
      join(caches.begin(request("a", 7, 10_000_000)));
      assertThat(join(redis.get(START + "g"))).isEqualTo("L a 7 1795201244000000");
      join(caches.begin(request("b", 1, 10_000_000)));
      assertThat(join(redis.get(START + "g"))).isEqualTo("L a 7 1795201244000000\nW b");
      join(
          caches.fill(
              KEY,
              "a",
              7,
              new CacheValue(
                  "xyz".getBytes(UTF_8), 1_000_000, 0x100, List.of("t", "\u00fc"), NOW)));
      assertThat(hex(join(redis.get(START + "c"))))
          .isEqualTo(
              "534c4301 00 0660b9dbda5880 0660b9dbe99ac0 0660b9dbe99bc0 0660b9dbda5880 0002"
                      .replace(" ", "")
                  + "000174"
                  + "0002c3bc"
                  + "78797a");
      assertThat(join(redis.get(START + "g"))).isNull();
      join(caches.put(KEY, new CacheValue(null, 1_000_000, 0)));
      assertThat(hex(join(redis.get(START + "c"))))
          .isEqualTo(
              "534c4301 01 0660b9dbda5880 0660b9dbe99ac0 0660b9dbe99ac0 00000000000000 0000"
                  .replace(" ", ""));
      join(caches.intend(KEY, "a", 8, 5_000_000));
      assertThat(join(redis.get(START + "g"))).isEqualTo("I a 8 1795201239000000");
      join(caches.invalidateTag("c:{d}", "t:{u}", 1000));
      assertThat(join(redis.get("sl:{c%3A%7Bd%7D}:tags"))).isEqualTo("" + NOW);
      assertThat(join(redis.get("sl:{c%3A%7Bd%7D}:tag:t:%7Bu%7D"))).isEqualTo("" + NOW);
      String place = join(caches.append("c:{d}", "a:b%"));
      assertThat(server.call("XRANGE", "sl:{c%3A%7Bd%7D}:log", "-", "+"))
          .isEqualTo(List.of(List.of(place.split(" ")[0], List.of("k", "a:b%"))));
      assertThat(place).endsWith(" a:b%");
      assertThat((List<?>) server.call("KEYS", "sl:*")).hasSize(4);
    }
  }

  private static String hex(String latin) {
    return HexFormat.of().formatHex(latin.getBytes(ISO_8859_1));
  }

  @Test
  void tagsAreRememberedForTheirTime() {
    server.call("FLUSHALL");
    try (RedisBackend backend =
        OpenedRedis.connect(server.uri(), new BackendSettings(Duration.ofSeconds(20)))) {
      CacheBackend caches = backend.caches();
      join(caches.invalidateTag("c", "long", 3_600_000_000L));
      join(caches.invalidateTag("c", "short", 1_000_000));
      assertThat((long) server.call("PTTL", "sl:{c}:tag:long")).isBetween(3_500_000L, 3_601_000L);
      assertThat((long) server.call("PTTL", "sl:{c}:tag:short")).isBetween(-2L, 2_000L);
      assertThat((long) server.call("PTTL", "sl:{c}:tags")).isBetween(3_500_000L, 3_601_000L);
    }
  }

  @Test
  void aKeyCostsWhatIsDocumented() {
    server.call("FLUSHALL");
    try (RedisBackend backend =
        OpenedRedis.connect(server.uri(), new BackendSettings(Duration.ofSeconds(20)))) {
      CacheBackend caches = backend.caches();
      CacheKey key = new CacheKey("users", "user/1234");
      join(caches.begin(new CacheRequest(key, "AbCdEfGhIjKlMnOpQrStUv", 1, 10_000_000, Aim.LOAD)));
      assertThat((long) server.call("MEMORY", "USAGE", "sl:{users:user/1234}:g"))
          .isLessThanOrEqualTo(136);
      join(caches.put(key, new CacheValue(new byte[35], 60_000_000, 0)));
      assertThat((long) server.call("MEMORY", "USAGE", "sl:{users:user/1234}:c"))
          .isLessThanOrEqualTo(168);
    }
  }

  /** Whatever bytes stand there, they are read or refused, and nothing is read behind their end. */
  @Test
  void noBytesBreakTheReader() {
    SplittableRandom random = new SplittableRandom(5);
    CacheValue value = new CacheValue(new byte[] {1, 2, 3}, 1, 1, List.of("a", "bc"), 9);
    byte[] head = StoredValue.head(value);
    for (int length = 0; length <= head.length; length++) {
      Object read = StoredValue.parse(ByteBuffer.wrap(Arrays.copyOf(head, length)));
      if (length == 0) {
        assertThat(read).isNull();
      } else if (length < head.length) {
        assertThat(read).isInstanceOf(StoredValue.Foreign.class);
      } else {
        assertThat(((StoredValue) read).tags()).containsExactly("a", "bc");
      }
    }
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Arrays.copyOf(head, random.nextInt(60));
      for (int flips = random.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Object read = StoredValue.parse(ByteBuffer.wrap(bytes));
      if (read instanceof StoredValue stored) {
        byte[] rest = stored.bytes();
        assertThat(rest == null ? 0 : rest.length).isLessThan(60);
      }
    }
  }
}
