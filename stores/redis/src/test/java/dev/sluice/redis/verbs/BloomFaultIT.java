package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.MissingDataException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.PatientClient;
import dev.sluice.redis.RedisBackend;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomReply;
import dev.sluice.spi.GrantBackend;
import dev.sluice.testkit.FlakyBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An element whose add was answered is never reported absent, for any fault of its strings at the
 * server. {@code -Dsluice.bloom.operations=1000000} makes the random runs long.
 */
@EachRedis
class BloomFaultIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(5));
  private static final int OPERATIONS = Integer.getInteger("sluice.bloom.operations", 6_000);
  private static final List<BloomSpec> SIZES =
      List.of(
          BloomSpec.of(2_000, 0.01),
          BloomSpec.of(2_000, 0.01).maxPartitionBits(6_500),
          BloomSpec.of(500, 0.05),
          BloomSpec.of(4_000, 0.001));

  private final RedisServer server;

  BloomFaultIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void empty() {
    server.call("FLUSHALL");
  }

  @Test
  void nothingThatWasAddedIsEverDenied() {
    Outcome outcome = run(backend -> backend, OPERATIONS, 0);
    assertThat(outcome.falseNegatives).isZero();
    assertThat(outcome.unanswered).isZero();
  }

  @Test
  void nothingThatWasAddedIsEverDeniedOverABadLine() {
    Outcome outcome = run(backend -> backend, OPERATIONS, 20);
    assertThat(outcome.falseNegatives).isZero();
    assertThat(outcome.unanswered).isGreaterThan(OPERATIONS / 200);
  }

  @Test
  void aClientThatTakesEveryHeaderForItsOwnIsCaught() {
    assertThat(run(BloomFaultIT::believing, 3_000, 0).falseNegatives).isPositive();
  }

  /** The result of a random run. */
  private static final class Outcome {
    int falseNegatives;
    int unanswered;
  }

  /** A backend whose replies always carry the header that the client saw first. */
  private static Backend believing(Backend real) {
    BloomReply[] first = new BloomReply[1];
    BloomBackend trusting =
        (BloomBackend)
            Proxy.newProxyInstance(
                BloomFaultIT.class.getClassLoader(),
                new Class<?>[] {BloomBackend.class},
                (proxy, method, arguments) -> {
                  try {
                    Object result = method.invoke(real.blooms(), arguments);
                    return method.getName().equals("touch")
                        ? ((CompletionStage<?>) result)
                            .thenApply(
                                reply -> {
                                  BloomReply found = (BloomReply) reply;
                                  first[0] = first[0] == null ? found : first[0];
                                  return new BloomReply(
                                      first[0].format(), first[0].epoch(), found.full());
                                })
                        : result;
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    return new Backend() {
      @Override
      public String describe() {
        return real.describe();
      }

      @Override
      public GrantBackend locks() {
        return real.locks();
      }

      @Override
      public BloomBackend blooms() {
        return trusting;
      }

      @Override
      public void close() {
        real.close();
      }
    };
  }

  /** What happens to calls of a bad line. */
  private static final List<FlakyBackend.Fault> FAULTS =
      List.of(
          FlakyBackend.Fault.LOSES_REQUEST,
          FlakyBackend.Fault.LOSES_REPLY,
          FlakyBackend.Fault.REPEATS_REQUEST);

  /**
   * Two processes add and ask while strings are deleted, expire, are evicted and made anew.
   *
   * @param faults calls of a thousand that are lost or repeated on their way
   */
  private Outcome run(Function<Backend, Backend> line, int operations, int faults) {
    SplittableRandom random = new SplittableRandom(20261121);
    Outcome outcome = new Outcome();
    FlakyBackend[] lines = {
      new FlakyBackend(line.apply(OpenedRedis.connect(server.uri(), SETTINGS))),
      new FlakyBackend(line.apply(OpenedRedis.connect(server.uri(), SETTINGS)))
    };
    try (Sluice first = Sluice.builder().backend(lines[0]).build();
        Sluice second = Sluice.builder().backend(lines[1]).build()) {
      List<BloomFilter<Long>> filters = new ArrayList<>();
      for (Sluice client : List.of(first, second)) {
        for (BloomSpec spec : SIZES) {
          filters.add(client.bloomFilter("faults", Funnel.longs(), spec));
        }
      }
      filters.get(0).create();
      Set<Long> added = new HashSet<>();
      List<Long> order = new ArrayList<>();
      for (int i = 0; i < operations; i++) {
        int chosen = random.nextInt(filters.size());
        BloomFilter<Long> filter = filters.get(chosen);
        FlakyBackend flaky = lines[chosen / SIZES.size()];
        if (random.nextInt(1_000) < faults) {
          flaky.next(FlakyBackend.Verb.TOUCH, FAULTS.get(random.nextInt(FAULTS.size())));
        }
        if (random.nextInt(1_000) < faults / 4) {
          flaky.next(FlakyBackend.Verb.TEND, FAULTS.get(random.nextInt(FAULTS.size())));
        }
        boolean anew = order.size() > 3_000;
        try {
          int event = random.nextInt(1_000);
          if (event < 400) {
            add(filter, random.nextLong(1 << 20), added, order);
          } else if (event < 980 && !order.isEmpty()) {
            long element = order.get(random.nextInt(order.size()));
            outcome.falseNegatives += filter.mightContain(element) ? 0 : 1;
          } else if (event < 984) {
            server.call("UNLINK", "sl:{faults:" + random.nextInt(3) + "}:bloom");
          } else if (event < 986) {
            server.call("PEXPIRE", "sl:{faults:" + random.nextInt(3) + "}:bloom", "1");
          } else if (event < 988) {
            server.call("FLUSHALL");
          } else if (event < 990) {
            refill(filter, order);
          } else if (event < 996) {
            rebuild(filter, SIZES.get(random.nextInt(SIZES.size())), order, lines);
          } else {
            anew = true;
          }
          if (anew) {
            order.clear();
            added.clear();
            refill(filter, order);
          }
        } catch (BackendException e) { // no answer: nothing is known of this call
          outcome.unanswered++;
        } catch (HalfFilled e) { // its owner knows that it lacks elements
          outcome.unanswered++;
          Stream.of(lines).forEach(FlakyBackend::heal);
          order.clear();
          added.clear();
          server.call("FLUSHALL"); // waiting for an abandoned creation is another test's
          filter.create();
        }
      }
    }
    return outcome;
  }

  private static void add(
      BloomFilter<Long> filter, long element, Set<Long> added, List<Long> order) {
    try {
      filter.add(element);
      if (added.add(element)) {
        order.add(element);
      }
    } catch (MissingDataException e) {
      assertThat(e).hasMessageContaining("faults");
    }
  }

  /** Between deleting and the last of the elements no answer came. */
  private static final class HalfFilled extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /** Made anew by its owner, who fills it with all there is, as he is told to. */
  private static void refill(BloomFilter<Long> filter, List<Long> order) throws HalfFilled {
    try {
      filter.delete();
      filter.create();
      filter.addAll(order);
    } catch (BackendException e) {
      throw new HalfFilled();
    } catch (MissingDataException e) { // only where the fault is planted
      filter.delete();
    }
  }

  /** Again, where it was broken off: that may leave parts of which nothing is known. */
  private static void rebuild(
      BloomFilter<Long> filter, BloomSpec spec, List<Long> order, FlakyBackend[] lines)
      throws HalfFilled {
    try {
      filter.rebuild(spec, order::stream);
    } catch (BackendException e) {
      Stream.of(lines).forEach(FlakyBackend::heal);
      rebuild(filter, spec, order, lines);
    } catch (IllegalStateException e) { // of a lost filter, and broken off: for some seconds
      assertThat(e).hasMessageContaining("rebuild it later");
      throw new HalfFilled();
    } catch (SluiceException e) { // it was about to expire
      assertThat(e).hasMessageContaining("overtaken");
    }
  }

  @Test
  void anAddIntoNothingLeavesNothingBehind() {
    try (Sluice sluice = PatientClient.connect(server.uri())) {
      BloomFilter<Long> filter = sluice.bloomFilter("gone", Funnel.longs(), SIZES.get(0));
      filter.create();
      server.call("FLUSHALL");
      assertThatExceptionOfType(MissingDataException.class).isThrownBy(() -> filter.add(1L));
      assertThat(server.call("DBSIZE")).isEqualTo(0L);
      assertThat(filter.mightContain(1L)).isTrue();
      assertThat(server.call("DBSIZE")).isEqualTo(0L);
    }
  }

  @Test
  void bitsWithoutAHeaderAreNobodysFilter() {
    server.call("SETBIT", "sl:{bits:0}:bloom", "5000", "1");
    try (Sluice sluice = PatientClient.connect(server.uri())) {
      BloomFilter<Long> filter = sluice.bloomFilter("bits", Funnel.longs(), SIZES.get(0));
      assertThat(filter.mightContain(1L)).isTrue();
      filter.create();
      assertThat(filter.mightContain(1L)).isFalse();
      assertThat(filter.info().orElseThrow().approximateCount()).isZero();
    }
  }

  @Test
  void foreignDataIsToldAndLeftAlone() {
    String key = "sl:{foreign:0}:bloom";
    List<String[]> foreign =
        List.of(
            new String[] {"SET", key, "somebody's"},
            new String[] {"SET", key, "x".repeat(5_000)},
            new String[] {"RPUSH", key, "a", "b"},
            new String[] {"HSET", key, "a", "b"});
    try (Sluice sluice = PatientClient.connect(server.uri())) {
      for (String[] command : foreign) {
        server.call("DEL", key);
        server.call(command);
        Object before = server.call("DUMP", key);
        BloomFilter<Long> filter = sluice.bloomFilter("foreign", Funnel.longs(), SIZES.get(0));
        List<Runnable> calls =
            List.of(
                filter::create,
                () -> filter.add(1L),
                () -> filter.addAll(List.of(1L, 2L)),
                filter::info,
                filter::clear,
                filter::delete,
                () -> filter.expire(Duration.ofHours(1)));
        for (Runnable call : calls) {
          assertThatExceptionOfType(ForeignDataException.class)
              .isThrownBy(call::run)
              .withMessageContaining(key);
        }
        assertThat(filter.mightContain(1L)).isTrue();
        assertThat(filter.mightContainAll(List.of(1L, 2L))).containsExactly(true, true);
        assertThat(server.call("DUMP", key)).isEqualTo(before);
      }
    }
  }

  @Test
  void aChangedByteOfAHeaderIsToldAndDeniesNothing() {
    BloomSpec spread = BloomSpec.of(1_000, 0.01).maxPartitionBits(2_048);
    try (Sluice sluice = PatientClient.connect(server.uri())) {
      BloomFilter<Long> filter = sluice.bloomFilter("byte", Funnel.longs(), spread);
      filter.create();
      filter.add(1L);
      String key = "sl:{byte:0}:bloom";
      for (int at = 0; at < BloomHeader.BYTES; at++) {
        if (at == 5 || at >= 16 && at < 24 || at >= 56) {
          continue; // state, epoch and time change
        }
        String bit = Integer.toString(8 * at + 7);
        long before = (Long) server.call("GETBIT", key, bit);
        server.call("SETBIT", key, bit, Long.toString(1 - before));
        try (Sluice other = PatientClient.connect(server.uri())) {
          BloomFilter<Long> same = other.bloomFilter("byte", Funnel.longs(), spread);
          assertThatExceptionOfType(ForeignDataException.class)
              .as("byte %s", at)
              .isThrownBy(same::info)
              .withMessageContaining(key);
          assertThat(same.mightContain(1L)).as("byte %s", at).isTrue();
        }
        server.call("SETBIT", key, bit, Long.toString(before));
      }
      assertThat(filter.mightContain(1L)).isTrue();
    }
  }

  @Test
  void theBytesOfAnotherFilterAreToldAndDenyNothing() {
    try (Sluice sluice = PatientClient.connect(server.uri())) {
      BloomSpec size = BloomSpec.of(100, 0.03);
      BloomFilter<Long> filter = sluice.bloomFilter("mine", Funnel.longs(), size);
      filter.create();
      filter.add(1L);
      sluice.bloomFilter("yours", Funnel.longs(), size).create();
      server.call("RENAME", "sl:{yours:0}:bloom", "sl:{mine:0}:bloom");
      assertThatExceptionOfType(ForeignDataException.class)
          .isThrownBy(filter::info)
          .withMessageContaining("another Bloom filter");
      assertThat(filter.mightContain(1L)).isTrue();
    }
  }

  @Test
  void aStoreThatDoesNotAnswerIsAFailureAndNotAnAnswer() {
    BackendSettings impatient = new BackendSettings(Duration.ofSeconds(1));
    try (RedisBackend backend = OpenedRedis.connect(server.uri(), impatient);
        Sluice sluice = Sluice.builder().backend(backend).build()) {
      BloomFilter<Long> filter = sluice.bloomFilter("slow", Funnel.longs(), SIZES.get(0));
      filter.create();
      filter.add(1L);
      server.pause();
      try {
        assertThatExceptionOfType(BackendException.class)
            .isThrownBy(() -> filter.mightContain(2L))
            .withMessageStartingWith("Bloom filter 'slow': ");
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> filter.add(2L));
      } finally {
        server.resume();
      }
      await()
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .until(() -> filter.mightContain(1L));
    }
  }

  @Test
  void noCommandOfABulkIsLong() {
    try (Sluice sluice = PatientClient.connect(server.uri())) {
      BloomFilter<Long> filter =
          sluice.bloomFilter("bulk", Funnel.longs(), BloomSpec.of(100_000, 0.01));
      filter.create();
      server.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
      server.call("CONFIG", "SET", "slowlog-max-len", "5000");
      server.call("SLOWLOG", "RESET");
      List<Long> elements = new ArrayList<>();
      for (long i = 0; i < 100_000; i++) {
        elements.add(i);
      }
      filter.addAll(elements);
      assertThat(filter.mightContainAll(elements)).doesNotContain(false);
      long requests = 2 * (100_000 / (4096 / 7) + 1);
      assertThat((Long) server.call("SLOWLOG", "LEN")).isBetween(requests, requests + 10);
      server.call("CONFIG", "SET", "slowlog-log-slower-than", "10000");
    }
  }

  @Test
  void theBytesAtTheServerAreThoseOfTheDocument() {
    try (Sluice sluice = PatientClient.connect(server.uri())) {
      BloomFilter<String> filter =
          sluice.bloomFilter("format", Funnel.utf8(), BloomSpec.of(100, 0.03));
      filter.create();
      filter.add("sluice");
      assertThat(server.call("STRLEN", "sl:{format:0}:bloom")).isEqualTo(64L + 92);
      assertThat((String) server.call("GETRANGE", "sl:{format:0}:bloom", "0", "2"))
          .isEqualTo("SLB");
      assertThat(server.call("BITCOUNT", "sl:{format:0}:bloom", "64", "-1")).isEqualTo(5L);
      assertThat(BloomHeader.BYTES).isEqualTo(64);
    }
  }
}
