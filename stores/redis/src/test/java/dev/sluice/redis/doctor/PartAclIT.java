package dev.sluice.redis.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.inventory.LedgerEntry;
import dev.sluice.lock.Lease;
import dev.sluice.redis.OpenedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.verbs.RedisCaches;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheValue;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.spi.InventoryBackend.Verdict;
import dev.sluice.spi.SaleTerms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Users with the documented rights for one part do all of that part. */
@EachRedis
class PartAclIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final BloomSpec BLOOM = BloomSpec.of(1000, 0.01);

  private final RedisServer server;

  PartAclIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void empty() {
    server.call("FLUSHALL");
  }

  @AfterEach
  void dropUser() {
    server.call("ACL", "DELUSER", "sluice");
  }

  private static List<String> words(Pattern pattern) {
    try {
      Matcher found = pattern.matcher(Files.readString(SourceTree.path("docs/operations.md")));
      assertThat(found.find()).as(pattern.pattern()).isTrue();
      return new ArrayList<>(Arrays.asList(found.group(1).replace("`", "").trim().split(" ")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> rules(Rights.Part part) {
    return words(Pattern.compile("(?mi)^\\| " + part.words + " \\| (`\\+.*`) \\|$"));
  }

  private static List<String> rulesOf(Rights.Part part) {
    List<String> all = words(Pattern.compile("All need `(reset on >secret [^`]*)`"));
    all.add("&sl:inbox:*");
    all.addAll(rules(part));
    return all;
  }

  private String user(Rights.Part part) {
    return DoctorFixture.userWith(server, rulesOf(part));
  }

  private RedisBackend backend(Rights.Part part) {
    return OpenedRedis.connect(user(part), new BackendSettings(AGES));
  }

  private Sluice connect(Rights.Part part) {
    return Sluice.builder().uri(user(part)).requestTimeout(AGES).build();
  }

  @Test
  void theTableHasWhatTheDoctorAsksFor() {
    for (Rights.Part part : Rights.Part.values()) {
      Set<String> granted = new LinkedHashSet<>();
      rules(part).forEach(rule -> granted.add(rule.substring(1)));
      granted.add("type");
      granted.removeAll(Rights.MESSAGES);
      granted.removeAll(Rights.LISTS);
      Set<String> asked = new LinkedHashSet<>(part.all);
      asked.add("type");
      assertThat(granted).as(part.words).isEqualTo(asked);
      List<Finding> findings = DoctorFixture.examine(user(part));
      assertThat(findings)
          .extracting(Finding::id)
          .contains(RedisFinding.RIGHTS_OF_PART.id())
          .doesNotContain(RedisFinding.RIGHTS.id());
    }
  }

  @Test
  void locks() throws Exception {
    try (Sluice one = connect(Rights.Part.LOCKS);
        Sluice two = Sluice.builder().uri(server.uri()).requestTimeout(AGES).build();
        Sluice three = Sluice.builder().uri(server.uri()).requestTimeout(AGES).build()) {
      for (Sluice other : List.of(two, three)) { // take turns: queue, tickets, tombstones
        Lease lease = one.lock("x").acquire(AGES);
        CompletableFuture<Lease> next = other.lock("x").async().acquire(AGES).toCompletableFuture();
        await().atMost(AGES).until(() -> one.inspect().lock("x").waiters().size() == 1);
        lease.close();
        Lease held = next.get(30, TimeUnit.SECONDS);
        CompletableFuture<Lease> back = one.lock("x").async().acquire(AGES).toCompletableFuture();
        await().atMost(AGES).until(() -> other.inspect().lock("x").waiters().size() == 1);
        held.close();
        try (Lease again = back.get(30, TimeUnit.SECONDS)) {
          assertThat(again.renew(AGES)).isTrue();
        }
      }
    }
    try (RedisBackend backend = backend(Rights.Part.LOCKS)) {
      for (int i = 0; i < 70; i++) { // enough clients for the sweep of tombstones
        get(backend.locks().acquire(AclIT.request("c" + i)));
        get(backend.locks().release(new GrantAttempt.Id("y", "c" + i, 1), 0));
      }
    }
  }

  @Test
  void semaphoresAndReadWriteLocks() throws Exception {
    try (Sluice sluice = connect(Rights.Part.LOCKS)) {
      try (Lease one = sluice.semaphore("s", 1).acquire(AGES)) {
        assertThat(one.token()).isPositive();
        assertThat(sluice.semaphore("s", 1).tryAcquire()).isEmpty();
      }
      try (Lease reader = sluice.readWriteLock("rw").readLock().acquire(AGES)) {
        assertThat(reader.renew(AGES)).isTrue();
        CompletableFuture<Lease> writer =
            sluice.readWriteLock("rw").writeLock().async().acquire(AGES).toCompletableFuture();
        reader.close();
        writer.get(30, TimeUnit.SECONDS).close();
      }
    }
  }

  @Test
  void limits() {
    try (RedisBackend backend = backend(Rights.Part.LIMITS)) {
      LimitAclIT.calls().values().forEach(call -> get(call.apply(backend.limits())));
    }
  }

  @Test
  void caches() {
    try (RedisBackend backend = backend(Rights.Part.CACHES)) {
      get(backend.caches().listenForLoads("a", key -> {}));
      CacheAclIT.calls().values().forEach(call -> get(call.apply(backend.caches())));
      backend.caches().unlistenForLoads("a");
    }
  }

  @Test
  void bloomFilters() {
    BloomSpec spec = BloomSpec.of(1000, 0.01);
    try (Sluice sluice = connect(Rights.Part.BLOOM)) {
      BloomFilter<String> one = sluice.bloomFilter("one", Funnel.utf8(), spec);
      BloomFilter<String> two = sluice.bloomFilter("two", Funnel.utf8(), spec);
      one.create();
      two.create();
      one.add("a");
      two.addAll(List.of("b", "c"));
      assertThat(one.mightContain("a")).isTrue();
      assertThat(two.mightContain("a")).isFalse();
      one.union(two);
      assertThat(one.mightContain("c")).isTrue();
      assertThat(one.info().orElseThrow().bitsSet()).isPositive();
      one.expire(Duration.ofHours(1));
      one.rebuild(spec, () -> Stream.of("d"));
      assertThat(one.mightContain("d")).isTrue();
      one.clear();
      one.delete();
      assertThat(two.mightContain("b")).isTrue();
    }
  }

  @Test
  void latches() {
    try (RedisBackend backend = backend(Rights.Part.LOCKS)) {
      latchCalls().forEach(call -> get(call.apply(backend)));
    }
  }

  @Test
  void inventory() {
    try (RedisBackend backend = backend(Rights.Part.INVENTORY)) {
      stockCalls().forEach(call -> get(call.apply(backend.inventories())));
      assertThat(get(backend.inventories().names(10))).containsExactly("x");
    }
  }

  @Test
  void eachRightIsNeeded() {
    for (Rights.Part part : Rights.Part.values()) {
      List<String> rules = rules(part);
      rules.removeAll(
          List.of("+publish", "+subscribe", "+unsubscribe", "+scan")); // can be done without
      rules.addAll(List.of("+evalsha", "+eval"));
      for (String rule : rules) {
        server.call("FLUSHALL");
        server.call("SCRIPT", "FLUSH");
        List<String> fewer = rulesOf(part);
        fewer.add(rule.replace('+', '-'));
        String uri = DoctorFixture.userWith(server, fewer);
        try (RedisBackend backend = OpenedRedis.connect(uri, new BackendSettings(AGES))) {
          assertThat(calls(part))
              .as(part.words + " with " + rule.replace('+', '-'))
              .anyMatch(call -> isRefused(call, backend));
        }
      }
    }
  }

  private static boolean isRefused(
      Function<RedisBackend, CompletionStage<?>> call, RedisBackend backend) {
    try {
      get(call.apply(backend));
      return false;
    } catch (CompletionException | BackendException e) {
      Throwable failure = e instanceof BackendException ? e : e.getCause();
      assertThat(failure).isInstanceOf(BackendException.class);
      assertThat(failure.getMessage()).containsAnyOf("NOPERM", "can't run this command");
      return true;
    }
  }

  private static List<Function<RedisBackend, CompletionStage<?>>> calls(Rights.Part part) {
    List<Function<RedisBackend, CompletionStage<?>>> calls = new ArrayList<>();
    switch (part) {
      case LOCKS -> {
        calls.addAll(lockCalls());
        calls.addAll(permitCalls());
        calls.addAll(latchCalls());
      }
      case LIMITS -> {
        LimitAclIT.calls().values().forEach(call -> calls.add(b -> call.apply(b.limits())));
        calls.add(PartAclIT::turnsCome);
      }
      case CACHES -> {
        CacheAclIT.calls().values().forEach(call -> calls.add(b -> call.apply(b.caches())));
        CacheValue large = new CacheValue(new byte[RedisCaches.LONG + 1], 3_600_000_000L, 0);
        calls.add(b -> b.caches().put(new CacheKey("c", "large"), large));
      }
      case INVENTORY -> stockCalls().forEach(call -> calls.add(b -> call.apply(b.inventories())));
      case BLOOM -> bloomCalls().forEach(call -> calls.add(b -> over(b, call)));
    }
    return calls;
  }

  /** One queues and is handed over to; then enough clients for the sweep of tombstones. */
  private static List<Function<RedisBackend, CompletionStage<?>>> lockCalls() {
    List<Function<RedisBackend, CompletionStage<?>>> calls = new ArrayList<>();
    calls.add(b -> b.locks().acquire(AclIT.request("a")));
    calls.add(b -> b.locks().acquire(AclIT.request("b")));
    calls.add(b -> b.locks().inspect("y"));
    calls.add(b -> b.locks().release(new GrantAttempt.Id("y", "a", 1), 0));
    calls.add(b -> b.locks().acquire(AclIT.request("b")));
    calls.add(b -> b.locks().force().orElseThrow().force("y", 0));
    for (int i = 0; i < 70; i++) {
      String client = "c" + i;
      calls.add(b -> b.locks().acquire(AclIT.request(client)));
      calls.add(b -> b.locks().release(new GrantAttempt.Id("y", client, 1), 0));
    }
    return calls;
  }

  /** Turns in a queue are forgotten when they have come; the last one lasts, so the key stays. */
  private static CompletionStage<?> turnsCome(RedisBackend backend) {
    get(backend.limits().enter(AclIT.turn(1, 1)));
    get(backend.limits().enter(AclIT.turn(2, 1)));
    get(backend.limits().enter(AclIT.turn(3, 36_000))); // an hour
    await().atMost(AGES).until(() -> get(backend.limits().enter(AclIT.turn(4, 0))).waiting() == 0);
    return backend.limits().enter(AclIT.turn(5, 1));
  }

  private static GrantRequest permit(String client) {
    return new GrantRequest("s", client, 1, 10_000_000, 1, 1, 1, false, 1, true);
  }

  private static List<Function<RedisBackend, CompletionStage<?>>> permitCalls() {
    return List.of(
        b -> b.permits().acquire(permit("a")),
        b -> b.permits().acquire(permit("b")),
        b -> b.permits().renew(new GrantAttempt.Id("s", "a", 1), 10_000_000),
        b -> b.permits().inspect("s"),
        b -> b.permits().release(new GrantAttempt.Id("s", "a", 1), 0),
        b -> b.permits().acquire(permit("b")),
        b -> b.permits().resize().orElseThrow().resize("s", 2),
        b -> b.permits().release(new GrantAttempt.Id("s", "b", 1), 0));
  }

  private static List<Function<RedisBackend, CompletionStage<?>>> latchCalls() {
    return List.of(
        b -> b.latches().trySet("l", "a", 1, 2, 10_000_000),
        b -> b.latches().look("l", "b"),
        b -> b.latches().countDown("l", "a", 2, 1),
        b -> b.latches().countDown("l", "b", 1, 1),
        b -> b.latches().trySet("l", "b", 2, 1, 10_000_000));
  }

  /** Each verb of stock, so that every command is called that may be. */
  static List<Function<InventoryBackend, CompletionStage<?>>> stockCalls() {
    long hour = 3_600_000_000L;
    SaleTerms terms = new SaleTerms(1, 9, hour, true, 0, Long.MAX_VALUE / 1000);
    List<ClaimRequest> requests =
        Stream.of("a", "b", "c").map(who -> new ClaimRequest(who, 1, "r")).toList();
    return List.of(
        s -> s.open("x", terms),
        s -> s.open("x", terms),
        s -> s.claim("x", requests),
        s -> s.look("x"),
        s -> s.take("x", "one", 1, hour),
        s -> s.take("x", "two", 9, 0),
        s -> s.settle("x", "two", marks(s, "a"), Verdict.WRITTEN, ""),
        s -> s.settle("x", "two", marks(s, "b"), Verdict.DEAD_LETTER, "why"),
        s -> s.settle("x", "two", marks(s, "c"), Verdict.REJECTED, ""),
        s -> s.deadLetters("x", 10),
        s -> s.page("x", "", 10),
        s -> s.expire("x", 10),
        s -> s.resize("x", 1, 20),
        s -> s.close("x", 1),
        s -> s.confirm("x", marks(s, "a").get(0)),
        s -> s.cancel("x", marks(s, "b").get(0)),
        s -> s.requeue("x", marks(s, "a")),
        s ->
            s.restore(
                "x",
                1,
                List.of(LedgerEntry.claimId(7).epoch(1).claimant("d").quantity(1).requestId("r"))));
  }

  private static List<ClaimMark> marks(InventoryBackend stocks, String claimant) {
    ClaimRow row = get(stocks.find("x", claimant));
    return List.of(new ClaimMark(claimant, row == null ? 1 : row.id()));
  }

  private static CompletionStage<?> over(RedisBackend backend, Consumer<Sluice> call) {
    try (Sluice sluice = Sluice.builder().backend(backend).build()) {
      call.accept(sluice);
      return CompletableFuture.completedFuture(null);
    }
  }

  private static BloomFilter<String> filter(Sluice sluice, String name) {
    return sluice.bloomFilter(name, Funnel.utf8(), BLOOM);
  }

  private static List<Consumer<Sluice>> bloomCalls() {
    return List.of(
        s -> filter(s, "one").create(),
        s -> filter(s, "two").create(),
        s -> filter(s, "one").add("a"),
        s -> filter(s, "two").addAll(List.of("b", "c")),
        s -> filter(s, "one").mightContain("a"),
        s -> filter(s, "one").union(filter(s, "two")),
        s -> filter(s, "one").info(),
        s -> filter(s, "one").expire(Duration.ofHours(1)),
        s -> filter(s, "one").rebuild(BLOOM, () -> Stream.of("d")),
        s -> filter(s, "one").clear(),
        s -> filter(s, "one").delete());
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
