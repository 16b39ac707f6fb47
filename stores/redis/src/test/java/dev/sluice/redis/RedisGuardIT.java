package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.GuardStats;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@EachRedis
class RedisGuardIT {
  private static final FencingToken FIRST = FencingToken.parse("1795210967567668:a.1");
  private static final FencingToken SECOND = FencingToken.parse("1795210967567669:b.1");
  private static final String RESOURCE = "orders/42";
  private static final String STATE = "{orders/42}:state";
  private static final String LINES = "{orders/42}:lines";
  private static final String GUARD = "sl:{orders/42}:guard";

  private final RedisServer server;
  private final RedisClient client;
  private final RedisGuard guard;
  private final RedisSection stale;
  private final RedisSection current;

  RedisGuardIT(RedisServer server) {
    this.server = server;
    server.call("FLUSHALL");
    client = RedisClient.create(server.uri());
    guard = RedisGuard.create(client.connect().async(), Duration.ofSeconds(30));
    stale = guard.section(RESOURCE, FIRST);
    current = guard.section(RESOURCE, SECOND);
  }

  @AfterEach
  void disconnect() {
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }

  @Test
  void theGuardIsOneKeyBesideItsDataAndExpires() {
    stale.set(STATE, "paid");
    assertThat(server.call("GET", GUARD)).isEqualTo(FIRST.toString());
    assertThat((Long) server.call("PTTL", GUARD))
        .isBetween(Duration.ofDays(29).toMillis(), Duration.ofDays(30).toMillis());
    assertThat(SlotHash.getSlot(GUARD)).isEqualTo(SlotHash.getSlot(STATE));
    guard.retention(Duration.ofHours(1)).section(RESOURCE, FIRST).advance();
    assertThat((Long) server.call("PTTL", GUARD)).isLessThanOrEqualTo(3_600_000);
  }

  @Test
  void aStaleHolderReadsAndChangesNothing() {
    stale.set(STATE, "new");
    stale.hset(LINES, Map.of("a", "1", "b", "2"));
    assertThat(current.get(STATE)).isEqualTo("new");
    assertThat(current.hgetall(LINES))
        .containsExactlyInAnyOrderEntriesOf(Map.of("a", "1", "b", "2"));

    refused(() -> stale.get(STATE));
    refused(() -> stale.set(STATE, "old"));
    refused(() -> stale.hset(LINES, Map.of("a", "0")));
    refused(() -> stale.hgetall(LINES));
    refused(() -> stale.del(STATE));
    refused(
        () ->
            stale.eval(
                "return redis.call('SET', KEYS[1], 'old')",
                ScriptOutputType.STATUS,
                List.of(STATE)));
    refused(stale::advance);
    assertThat(server.call("GET", STATE)).isEqualTo("new");
    assertThat(server.call("HGET", LINES, "a")).isEqualTo("1");
    assertThat(guard.stats()).isEqualTo(new GuardStats(4, 7));

    assertThat(current.del(STATE)).isTrue();
    assertThat(current.del(STATE)).isFalse();
    assertThat(current.get(STATE)).isNull();
    assertThat(current.hgetall("{orders/42}:none")).isEmpty();
  }

  private static void refused(Runnable access) {
    assertThatThrownBy(access::run)
        .isInstanceOfSatisfying(
            StaleTokenException.class,
            refusal -> {
              assertThat(refusal.resource()).isEqualTo(RESOURCE);
              assertThat(refusal.refused()).isEqualTo(FIRST);
              assertThat(refusal.highest()).isEqualTo(SECOND);
            });
  }

  @Test
  void aScriptFindsItsOwnKeysAndArguments() {
    String lua =
        """
        local all = {}
        for i = 1, #KEYS do all[#all + 1] = 'K' .. i .. '=' .. KEYS[i] end
        for i = 1, #ARGV do all[#all + 1] = 'A' .. i .. '=' .. ARGV[i] end
        return all -- and a remark without an end of line\
        """;
    List<String> words =
        stale.eval(lua, ScriptOutputType.MULTI, List.of(STATE, LINES), "x", "", "é");
    assertThat(words).containsExactly("K1=" + STATE, "K2=" + LINES, "A1=x", "A2=", "A3=é");
    List<String> none = stale.eval(lua, ScriptOutputType.MULTI, List.of());
    assertThat(none).isEmpty();
    Long sum =
        stale.eval(
            "return redis.call('INCRBY', KEYS[1], ARGV[1])",
            ScriptOutputType.INTEGER,
            List.of(STATE),
            "5");
    assertThat(sum).isEqualTo(5);
    assertThatThrownBy(() -> stale.eval("#!lua\nreturn 1", ScriptOutputType.INTEGER, List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anAccessIsOneRoundTrip() {
    stale.set(STATE, "1"); // the server learns the script
    long before = calls();
    stale.set(STATE, "2");
    stale.get(STATE);
    assertThat(calls() - before).isEqualTo(2);
  }

  private long calls() {
    Matcher line =
        Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
            .matcher(String.valueOf(server.call("INFO", "commandstats")));
    return line.find() ? Long.parseLong(line.group(1)) : 0;
  }

  @Test
  void aServerThatLostItsScriptsIsToldAgain() {
    stale.set(STATE, "1");
    server.call("SCRIPT", "FLUSH");
    stale.set(STATE, "2");
    assertThat(server.call("GET", STATE)).isEqualTo("2");
  }

  @Test
  void aKeyInAnotherSlotIsMisuseOnASingleServerToo() {
    assertThatThrownBy(() -> stale.set("orders:42:state", "paid"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("put {orders/42} into it");
    assertThat(RedisGuard.keyOf("a{b}%", "n")).isEqualTo("{a%7Bb%7D%25}:n");
    guard.section("a{b}%", FIRST).set(RedisGuard.keyOf("a{b}%", "n"), "1");
    assertThatThrownBy(() -> stale.hset(LINES, Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 3000; i++) {
      many.put("field" + i, "value");
    }
    stale.hset(LINES, many);
    many.put("one more", "");
    assertThatThrownBy(() -> stale.hset(LINES, many)).isInstanceOf(IllegalArgumentException.class);
    assertThat(server.call("HLEN", LINES)).isEqualTo(3000L);
  }

  @Test
  void foreignDataUnderTheGuardsKeyIsReportedAndLeftAlone() {
    server.call("RPUSH", GUARD, "x");
    assertThatThrownBy(() -> stale.set(STATE, "paid"))
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining("'" + GUARD + "' holds a list");
    assertThatThrownBy(() -> guard.check(RESOURCE, FIRST)).isInstanceOf(ForeignDataException.class);
    assertThat(server.call("LLEN", GUARD)).isEqualTo(1L);
    for (String text : List.of("", "x", "5", "5:", "5:ä", "5:a b", "-5:a")) {
      server.call("SET", GUARD, text);
      assertThatThrownBy(() -> stale.set(STATE, "paid"))
          .as(text)
          .isInstanceOf(ForeignDataException.class);
      assertThatThrownBy(() -> guard.check(RESOURCE, FIRST))
          .isInstanceOf(ForeignDataException.class);
      assertThat(server.call("GET", GUARD)).isEqualTo(text);
    }
    assertThat(server.call("EXISTS", STATE)).isEqualTo(0L);
  }

  @Test
  void aValueOfAnotherTypeIsTheCallersBusiness() {
    server.call("RPUSH", STATE, "x");
    assertThatThrownBy(() -> current.get(STATE))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("WRONGTYPE");
    refused(stale::advance); // the guard was raised before
  }

  @Test
  void aSilentServerLeavesTheOutcomeUnknown() {
    RedisGuard impatient = RedisGuard.create(client.connect().async(), Duration.ofMillis(200));
    server.pause();
    try {
      assertThatThrownBy(() -> impatient.section(RESOURCE, FIRST).set(STATE, "paid"))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("within 200ms");
      assertThatThrownBy(() -> impatient.check(RESOURCE, FIRST))
          .isInstanceOf(OutcomeUnknownException.class);
    } finally {
      server.resume();
    }
  }
}
