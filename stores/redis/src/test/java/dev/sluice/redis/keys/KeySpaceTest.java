package dev.sluice.redis.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.servers.Fuzz;
import dev.sluice.spi.BloomPart;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.Namespace;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** No key of one namespace is a key of another one, or of none. */
class KeySpaceTest {
  private static final String[] LETTERS = {"s", "l", "sl", "a", "z", "0", "9", "-", "--"};

  private static @Nullable String namespace(Fuzz fuzz) {
    StringBuilder text = new StringBuilder();
    for (int i = fuzz.below(4); i >= 0; i--) {
      text.append(fuzz.pick(LETTERS));
    }
    try {
      return Namespace.check(text.toString());
    } catch (IllegalArgumentException e) {
      return null; // as good as any other: plain keys are what nobody may meet
    }
  }

  private static String name(Fuzz fuzz) {
    String text = fuzz.pick("sl:{x}", "x", "a:sl:{x}:lock", "x}:lock", "one", "") + fuzz.text(3);
    try {
      return Names.check(text);
    } catch (IllegalArgumentException e) {
      return "x";
    }
  }

  /** Keys of every kind, each with what it is about. */
  private static List<CallKeys> keys(KeySpace space, String name, String other) {
    List<CallKeys> all = new ArrayList<>();
    all.add(LockKeys.ofLocks(space).of(name));
    all.add(LockKeys.ofPermits(space).of(name));
    all.add(LockKeys.ofStocks(space).of(name));
    all.add(new QuorumKeys(space).of(name));
    LimitKeys limits = new LimitKeys(space);
    List<LimitRule> rules =
        LimitRule.of(List.of(Limit.gcra(1, Duration.ofHours(1))), 0, CarryOver.KEEP, 0);
    all.add(limits.tiers(name, other, rules));
    all.add(limits.queue(name, other));
    all.add(limits.throttle(name));
    CacheKeys caches = new CacheKeys(space);
    CacheKey key = new CacheKey(name, other);
    all.add(caches.of(key).both());
    all.add(caches.withParked(key, "1"));
    all.add(caches.log(name));
    all.add(caches.versionAndTag(name, other));
    all.add(new BloomKeys(space).both(name, 3));
    all.add(new BloomKeys(space).merging(new BloomPart(name, 0, false)));
    return all;
  }

  @Test
  void keysOfTwoNamespacesNeverMeet() {
    Map<String, KeySpace> ownerOf = new HashMap<>();
    Fuzz.each(
        300,
        fuzz -> {
          KeySpace space = KeySpace.of(namespace(fuzz));
          String name = name(fuzz);
          String other = name(fuzz);
          List<CallKeys> keys = keys(space, name, other);
          List<CallKeys> plain = keys(KeySpace.PLAIN, name, other);
          for (int i = 0; i < keys.size(); i++) {
            for (int j = 1; j <= keys.get(i).count; j++) {
              String key = keys.get(i).key(j);
              assertThat(key).startsWith(space.start());
              assertThat(ownerOf.putIfAbsent(key, space)).isIn(null, space);
              assertThat(key).isEqualTo(space.start() + plain.get(i).key(j).substring(3));
            }
            assertThat(keys.get(i).slot()).isEqualTo(plain.get(i).slot());
          }
        });
  }

  @Test
  void noRuleOfAnAclMatchesTheKeysOfAnotherNamespace() {
    Fuzz.each(
        300,
        fuzz -> {
          KeySpace one = KeySpace.of(namespace(fuzz));
          KeySpace other = KeySpace.of(namespace(fuzz));
          if (!one.equals(other)) {
            assertThat(one.open() + "x}:lock").doesNotStartWith(other.start());
            assertThat(one.inbox()).doesNotStartWith(other.start());
          }
          assertThat(one.keyRule()).isEqualTo("~" + one.start() + "*").matches("~[a-z0-9:-]+\\*");
          assertThat(one.channelRule()).isEqualTo("&" + one.inbox() + "*");
        });
  }

  @Test
  void aCacheIsClearedInItsOwnNamespace() {
    CacheKeys shop = new CacheKeys(KeySpace.of("shop"));
    CacheKeys plain = new CacheKeys(KeySpace.PLAIN);
    assertThat(shop.pattern("c")).isEqualTo("shop:sl:{c:*}:[cg]");
    assertThat(shop.parseKey("shop:sl:{c:k}:c")).isEqualTo(new CacheKey("c", "k"));
    assertThat(shop.parseKey("sl:{c:k}:c")).isNull();
    assertThat(plain.parseKey("shop:sl:{c:k}:c")).isNull();
  }
}
