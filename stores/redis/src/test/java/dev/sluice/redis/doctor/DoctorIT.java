package dev.sluice.redis.doctor;

import static dev.sluice.redis.doctor.DoctorFixture.assertFinds;
import static dev.sluice.redis.doctor.DoctorFixture.examine;
import static dev.sluice.redis.doctor.DoctorFixture.good;
import static dev.sluice.redis.doctor.DoctorFixture.userOf;
import static dev.sluice.redis.doctor.DoctorFixture.userWith;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.Doctor;
import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.Sluice;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.inventory.Sale;
import dev.sluice.limit.Limit;
import dev.sluice.lock.Lease;
import dev.sluice.redis.PatientClient;
import dev.sluice.redis.ShiftedClock;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.TcpProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each misconfiguration of one server is found, and it alone; nothing is found at a good one. */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoctorIT {
  private static final Duration AGES = Duration.ofSeconds(60);

  private final RedisBinary binary;

  DoctorIT(RedisBinary binary) {
    this.binary = binary;
  }

  private List<Finding> examineWith(String... planted) {
    try (RedisServer server = good(binary, planted)) {
      return examine(server.uri());
    }
  }

  private static void assertSeverity(List<Finding> findings, Severity severity) {
    assertThat(findings).extracting(Finding::severity).containsOnly(severity);
  }

  private static String info(RedisServer server, String section) {
    return String.valueOf(server.call("INFO", section));
  }

  @Test
  void theDocumentedSetUpIsGoodAlsoWhileItIsUsed() throws Exception {
    try (RedisServer server = good(binary);
        Sluice sluice = PatientClient.connect(server.uri())) {
      assertThat(examine(server.uri())).isEmpty();
      try (Lease lease = sluice.lock("x").acquire(AGES)) {
        sluice.rateLimiter("api", Limit.tokenBucket(10, Duration.ofMinutes(1))).tryAcquire("u");
        sluice
            .rateLimiter("slow", Limit.leakyQueue(1, Duration.ofMinutes(1)).places(9))
            .tryAcquire("u");
        sluice.throttle().clThrottle("k", 5, 7, 60, 1);
        sluice.bloomFilter("ids", Funnel.utf8(), BloomSpec.of(1000, 0.01)).create();
        sluice.inventory("sku").open(Sale.epoch(1).total(5).hold(AGES).drained());
        sluice.inventory("sku").claim("ann", 1, "r");
        assertThat(lease.token()).isPositive();
        assertThat((long) server.call("DBSIZE")).isGreaterThan(4);
        assertThat(examine(server.uri())).isEmpty();
        assertThat(sluice.diagnose()).isEmpty();
      }
      assertThat(examine(userOf(server))).isEmpty();
    }
  }

  @Test
  void leavesNothingBehind() {
    try (RedisServer server = good(binary)) {
      String unchanged = "rdb_changes_since_last_save:0\r\n";
      assertThat(info(server, "persistence")).contains(unchanged);
      examine(server.uri());
      assertThat(server.call("DBSIZE")).isEqualTo(0L);
      assertThat(info(server, "persistence")).contains(unchanged);
      server.call("SET", "x", "y");
      assertThat(info(server, "persistence")).doesNotContain(unchanged);
    }
  }

  @Test
  void aSubscriptionThatIsDroppedOnceIsTriedAgain() {
    RedisException dropped = new RedisException("not connected");
    try (RedisServer server = good(binary);
        RedisClient client = RedisClient.create(server.uri())) {
      AtomicInteger tries = new AtomicInteger();
      StatefulRedisConnection<String, String> connection = client.connect(StringCodec.UTF8);
      assertThat(
              new NodeExam(
                      "here",
                      connection,
                      KeySpace.PLAIN,
                      () ->
                          tries.incrementAndGet() == 1
                              ? CompletableFuture.failedFuture(dropped)
                              : CompletableFuture.completedFuture(null),
                      AGES)
                  .run()
                  .silent)
          .isNull();
      assertThat(tries).hasValue(2);
      assertThat(
              new NodeExam(
                      "here",
                      connection,
                      KeySpace.PLAIN,
                      () -> CompletableFuture.failedFuture(dropped),
                      AGES)
                  .run()
                  .silent)
          .isEqualTo("'SUBSCRIBE' was not answered: not connected");
    }
  }

  @Test
  void eviction() {
    List<Finding> now = examineWith("--maxmemory-policy", "allkeys-lru");
    assertFinds(now, RedisFinding.EVICTION_POLICY);
    assertSeverity(now, Severity.ERROR);
    assertThat(now.get(0).fix()).isEqualTo("CONFIG SET maxmemory-policy noeviction");
    List<Finding> later = examineWith("--maxmemory-policy", "volatile-ttl", "--maxmemory", "0");
    assertFinds(later, RedisFinding.EVICTION_POLICY, RedisFinding.NO_MEMORY_LIMIT);
    assertThat(later.get(0).severity()).isEqualTo(Severity.WARNING);
  }

  @Test
  void memory() {
    List<Finding> endless = examineWith("--maxmemory", "0");
    assertFinds(endless, RedisFinding.NO_MEMORY_LIMIT);
    assertSeverity(endless, Severity.INFO);
    try (RedisServer server = good(binary, "--maxmemory", "20mb")) {
      server.call("SETRANGE", "other", "18000000", "x");
      assertFinds(examine(server.uri()), RedisFinding.MEMORY_NEARLY_FULL);
    }
  }

  @Test
  void persistence() {
    assertFinds(examineWith("--appendonly", "no"), RedisFinding.NO_PERSISTENCE);
    assertFinds(
        examineWith("--appendonly", "no", "--save", "900", "1"), RedisFinding.SNAPSHOTS_ONLY);
    List<Finding> no = examineWith("--appendfsync", "no");
    assertFinds(no, RedisFinding.FSYNC);
    assertSeverity(no, Severity.WARNING);
    List<Finding> second = examineWith("--appendfsync", "everysec");
    assertFinds(second, RedisFinding.FSYNC);
    assertSeverity(second, Severity.INFO);
  }

  @Test
  void writesThatFail() throws Exception {
    try (RedisServer server = good(binary)) {
      Files.createDirectory(server.folder().resolve("dump.rdb")); // no file can take its place
      server.call("BGSAVE");
      await()
          .atMost(AGES)
          .until(() -> info(server, "persistence").contains("rdb_last_bgsave_status:err"));
      assertFinds(examine(server.uri()), RedisFinding.WRITE_ERRORS);
    }
  }

  @Test
  void replication() {
    try (RedisServer master = good(binary);
        RedisServer replica = good(binary)) {
      follow(replica, master);
      assertFinds(examine(master.uri()), RedisFinding.MIN_REPLICAS, RedisFinding.REPLICAS_UNASKED);
      String asking = master.uri() + "?replicas=1";
      assertFinds(examine(asking), RedisFinding.MIN_REPLICAS);
      List<Finding> follower = examine(replica.uri());
      assertFinds(follower, RedisFinding.REPLICA);
      assertThat(follower.get(0).what()).endsWith(" 127.0.0.1:" + master.port());
      replica.call("CONFIG", "SET", "replica-read-only", "no");
      assertFinds(examine(replica.uri()), RedisFinding.REPLICA, RedisFinding.WRITABLE_REPLICA);
      master.call("CONFIG", "SET", "min-replicas-to-write", "1");
      assertThat(examine(asking)).isEmpty();
      replica.kill();
      await().atMost(AGES).until(() -> info(master, "replication").contains("connected_slaves:0"));
      assertFinds(examine(master.uri()), RedisFinding.TOO_FEW_REPLICAS);
    }
  }

  static void follow(RedisServer replica, RedisServer master) {
    replica.call("REPLICAOF", "127.0.0.1", "" + master.port());
    await().atMost(AGES).until(() -> info(replica, "replication").contains("link_status:up"));
    await().atMost(AGES).until(() -> info(master, "replication").contains("state=online"));
  }

  @Test
  void aSentinelAlone() {
    try (RedisServer master = good(binary);
        RedisServer sentinel = RedisServer.start(binary, "--sentinel")) {
      sentinel.call("SENTINEL", "MONITOR", "main", "127.0.0.1", "" + master.port(), "1");
      List<Finding> findings = examine("redis-sentinel://127.0.0.1:" + sentinel.port() + "/#main");
      assertFinds(findings, RedisFinding.FEW_SENTINELS, RedisFinding.NO_REPLICA);
    }
  }

  @Test
  void cluster() {
    try (RedisServer node = good(binary, "--cluster-enabled", "yes")) {
      assertFinds(examine(node.uri()), RedisFinding.CLUSTER_NODE, RedisFinding.CLUSTER_SLOTS);
      String uri = "redis-cluster://127.0.0.1:" + node.port();
      List<Finding> nothing = examine(uri);
      assertFinds(nothing, RedisFinding.CLUSTER_SLOTS);
      assertThat(nothing.get(0).what()).isEqualTo("no server of the cluster has a slot");
      slots(node, 0, 16_000);
      List<Finding> holes = examine(uri);
      assertFinds(holes, RedisFinding.CLUSTER_SLOTS, RedisFinding.NO_REPLICA);
      assertThat(holes.get(0).what()).contains("of 16384 slots 16000 are assigned");
      slots(node, 16_000, 16_384);
      await()
          .atMost(AGES)
          .until(() -> node.call("CLUSTER", "INFO").toString().contains("state:ok"));
      assertFinds(examine(uri), RedisFinding.NO_REPLICA);
      assertFinds(examine(node.uri()), RedisFinding.CLUSTER_NODE);
    }
  }

  @Test
  void eachServerOfAClusterIsExamined() {
    try (RedisCluster cluster = RedisCluster.start(binary, 3, 0)) {
      RedisServer first = cluster.masters().get(0);
      String uri = "redis-cluster://127.0.0.1:" + first.port();
      RedisServer one = cluster.masters().get(1);
      one.call("CONFIG", "SET", "timeout", "60");
      assertThat(examine(uri))
          .filteredOn(finding -> finding.id().equals(RedisFinding.IDLE_TIMEOUT.id()))
          .singleElement()
          .extracting(Finding::where)
          .isEqualTo("Redis Cluster node 127.0.0.1:" + one.port());
      assertThat(examine(uri).stream().map(Finding::where).distinct()).hasSize(3);
      one.kill();
      List<Finding> without = Doctor.examine(List.of(uri), Duration.ofSeconds(2));
      assertThat(without)
          .filteredOn(finding -> finding.id().equals("unreachable"))
          .singleElement()
          .extracting(Finding::where)
          .isEqualTo("Redis Cluster node 127.0.0.1:" + one.port());
    }
  }

  private static void slots(RedisServer node, int from, int to) {
    node.call(
        Stream.concat(
                Stream.of("CLUSTER", "ADDSLOTS"),
                IntStream.range(from, to).mapToObj(Integer::toString))
            .toArray(String[]::new));
  }

  @Test
  void connections() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try (RedisServer server = good(binary, "--maxclients", "20")) {
      for (int i = 0; i < 17; i++) {
        idle.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
      }
      await().atMost(AGES).until(() -> info(server, "clients").contains("connected_clients:18"));
      assertFinds(examine(server.uri()), RedisFinding.CLIENTS_NEARLY_FULL);
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
    assertFinds(examineWith("--timeout", "60"), RedisFinding.IDLE_TIMEOUT);
  }

  @Test
  void aServerThatIsBusyWithLongCommands() throws Exception {
    AtomicBoolean enough = new AtomicBoolean();
    AtomicInteger running = new AtomicInteger();
    List<Thread> others = new ArrayList<>();
    try (RedisServer server = good(binary)) {
      String spin =
          "local t=redis.call('TIME') local e=t[1]*1000000+t[2]+60000 "
              + "repeat t=redis.call('TIME') until t[1]*1000000+t[2]>e return 1";
      for (int i = 0; i < 3; i++) { // one of them always waits for its turn
        Thread other =
            new Thread(
                () -> {
                  while (!enough.get()) {
                    server.call("EVAL", spin, "0");
                    running.incrementAndGet();
                  }
                });
        other.start();
        others.add(other);
      }
      try {
        await().atMost(AGES).until(() -> running.get() > 3);
        List<Finding> findings = examine(server.uri());
        assertFinds(findings, RedisFinding.SLOW);
        assertThat(findings.get(0).what()).contains("in the median");
      } finally {
        enough.set(true);
        for (Thread other : others) {
          other.join(TimeUnit.SECONDS.toMillis(30));
        }
      }
    }
  }

  @Test
  void aClockThatIsAhead() {
    ShiftedClock clock = new ShiftedClock(binary);
    clock.set(Duration.ofSeconds(90));
    try (RedisServer server = good(clock.program())) {
      List<Finding> findings = examine(server.uri());
      assertFinds(findings, RedisFinding.CLOCK);
      assertThat(findings.get(0).what())
          .matches("its clock is at least (8\\d|90)\\.\\d s ahead of ours");
      clock.set(Duration.ofSeconds(-90));
      assertThat(examine(server.uri()).get(0).what()).contains("s behind ours");
    }
  }

  @Test
  void openToOthers() {
    // 192.0.2.1 is nobody's, so that nothing is bound but the loopback
    String[] outside = {"--bind", "127.0.0.1", "-192.0.2.1"};
    assertThat(examineWith(outside)).as("in protected mode").isEmpty();
    List<Finding> open = examineWith(with(outside, "--protected-mode", "no"));
    assertFinds(open, RedisFinding.NO_PASSWORD, RedisFinding.NO_TLS);
    try (RedisServer server = good(binary, with(outside, "--requirepass", "hush"))) {
      List<Finding> plain = examine("redis://:hush@127.0.0.1:" + server.port());
      assertFinds(plain, RedisFinding.NO_TLS);
      assertThat(plain.toString()).doesNotContain("hush");
    }
  }

  private static String[] with(String[] some, String... more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void rights() {
    try (RedisServer server = good(binary)) {
      List<Finding> lacking = examine(userOf(server, "-zcount", "-xadd"));
      assertFinds(lacking, RedisFinding.RIGHTS);
      assertThat(lacking.get(0).what())
          .isEqualTo(
              "user 'sluice' lacks rights: limits need zcount; caches need xadd; stocks need xadd");
      assertThat(lacking.get(0).fix()).isEqualTo("ACL SETUSER sluice +xadd +zcount");
      server.call(lacking.get(0).fix().split(" "));
      assertThat(examine("redis://sluice:secret@127.0.0.1:" + server.port())).isEmpty();

      List<Finding> mute = examine(userOf(server, "-publish"));
      assertFinds(mute, RedisFinding.MESSAGES);
      assertThat(mute.get(0).what()).endsWith("it lacks +publish");
      List<Finding> deaf = examine(userOf(server, "resetchannels"));
      assertFinds(deaf, RedisFinding.MESSAGES);
      server.call(deaf.get(0).fix().split(" "));
      assertThat(examine("redis://sluice:secret@127.0.0.1:" + server.port())).isEmpty();

      List<Finding> elsewhere = examine(userOf(server, "resetkeys", "~other:*"));
      assertFinds(elsewhere, RedisFinding.RIGHTS);
      assertThat(elsewhere.get(0).fix()).isEqualTo("ACL SETUSER sluice ~sl:*");
      List<Finding> none = examine(userOf(server, "-evalsha", "-eval"));
      assertFinds(none, RedisFinding.RIGHTS);
      assertThat(none.get(0).fix()).isEqualTo("ACL SETUSER sluice +evalsha +eval");
      List<Finding> blind = examine(userWith(server, AclIT.documentedRules()));
      assertFinds(blind, RedisFinding.NOT_TOLD);
    }
  }

  @Test
  void rightsForSomeThingsOnlyAreNoMistake() {
    try (RedisServer server = good(binary)) {
      List<String> withoutBloomFilters = new ArrayList<>();
      for (String right : Rights.Part.BLOOM.own) {
        withoutBloomFilters.add("-" + right);
      }
      List<Finding> part = examine(userOf(server, withoutBloomFilters.toArray(String[]::new)));
      assertFinds(part, RedisFinding.RIGHTS_OF_PART);
      assertThat(part.get(0).what()).isEqualTo("user 'sluice' has no rights for Bloom filters");
    }
  }

  @Test
  void aCommandThatWasTakenOut() {
    List<Finding> findings = examineWith("--rename-command", "EVALSHA", "");
    assertFinds(findings, RedisFinding.RIGHTS);
    assertThat(findings.get(0).what()).endsWith("evalsha");
    assertFinds(examineWith("--rename-command", "CONFIG", ""), RedisFinding.NOT_TOLD);
  }

  @Test
  void theCommandsOfTheDocumentAreThoseThatAreTried() {
    List<String> documented =
        AclIT.documentedRules().stream()
            .filter(rule -> rule.startsWith("+"))
            .map(rule -> rule.substring(1))
            .toList();
    Set<String> tried = new Rights(KeySpace.PLAIN).harmless().keySet();
    List<String> known = new ArrayList<>(tried);
    known.addAll(Rights.CONNECTION);
    known.addAll(List.of("subscribe", "unsubscribe"));
    assertThat(known).containsExactlyInAnyOrderElementsOf(documented);
    for (Rights.Part part : Rights.Part.values()) {
      assertThat(tried).as(part.words).containsAll(part.all);
    }
  }

  @Test
  void keysThatStayForEver() {
    try (RedisServer server = good(binary);
        Sluice sluice = PatientClient.connect(server.uri())) {
      sluice.lock("x").tryAcquire().orElseThrow().close();
      server.call("PERSIST", "sl:{x}:lock");
      List<Finding> findings = examine(server.uri());
      assertFinds(findings, RedisFinding.KEYS_WITHOUT_EXPIRY);
      assertThat(findings.get(0).what()).startsWith("1: sl:{x}:lock (of all ");
    }
  }

  @Test
  void foreignData() {
    try (RedisServer server = good(binary)) {
      server.call("SADD", "sl:{x}:lock", "a");
      server.call("SET", "sl:{x}:queue", "a", "EX", "100");
      server.call("SET", "sluggish", "not under our prefix");
      List<Finding> findings = examine(server.uri());
      assertFinds(findings, RedisFinding.FOREIGN_DATA);
      assertThat(findings.get(0).what())
          .contains("2: ", "sl:{x}:lock (set)", "sl:{x}:queue (string)");
    }
  }

  @Test
  void manyKeysAreLookedAtInPart() {
    try (RedisServer server = good(binary)) {
      server.call(
          "EVAL", "for i=1,30000 do redis.call('SET','sl:{'..i..'}:throttle','1') end", "0");
      List<Finding> findings = examine(server.uri());
      assertFinds(findings, RedisFinding.KEYS_WITHOUT_EXPIRY);
      assertThat(findings.get(0).what())
          .matches("1\\d{3}, such as .* \\(of the first 1\\d{3} keys\\)");
    }
  }

  @Test
  void theModuleThatIsNotNeeded(@TempDir Path folder) throws Exception {
    Path source = folder.resolve("cell.c");
    try (InputStream text = DoctorIT.class.getResourceAsStream("cell.c")) {
      Files.copy(requireNonNull(text), source);
    }
    Path module = folder.resolve("cell.so");
    assumeTrue(ShiftedClock.compiles(source, module), ShiftedClock.NO_COMPILER);
    List<Finding> findings = examineWith("--loadmodule", module.toString());
    assertFinds(findings, RedisFinding.REDIS_CELL);
    assertThat(findings.get(0).what())
        .isEqualTo("module redis-cell is loaded; Sluice does not use it");
    assertSeverity(findings, Severity.INFO);
  }

  @Test
  void oldVersions() {
    assertThat(Stream.of("2.8.0", "5.0.14", "6.0.16").allMatch(NodeChecks::isOld)).isTrue();
    assertThat(Stream.of("6.2.0", "7.0.15", "8.2", "255.255.255", "?").noneMatch(NodeChecks::isOld))
        .isTrue();
  }

  @Test
  void nobodyThere() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    List<Finding> dead = examine("redis://bob:hush@127.0.0.1:" + port);
    assertThat(dead).singleElement().extracting(Finding::id).isEqualTo("unreachable");
    assertThat(dead.get(0).what()).contains("Connection refused").doesNotContain("hush");
    try (RedisServer server = good(binary, "--requirepass", "hush")) {
      List<Finding> locked = examine(server.uri());
      assertThat(locked).singleElement().extracting(Finding::id).isEqualTo("unreachable");
      assertThat(locked.get(0).what()).contains("a password is required");
      List<Finding> wrong = examine("redis://:guess@127.0.0.1:" + server.port());
      assertThat(wrong.toString()).contains("WRONGPASS").doesNotContain("guess");
    }
  }

  @Test
  void aServerThatHangsIsAFindingAndNoHang() {
    try (RedisServer server = good(binary)) {
      server.pause();
      List<Finding> findings = Doctor.examine(List.of(server.uri()), Duration.ofMillis(300));
      assertThat(findings).singleElement().extracting(Finding::id).isEqualTo("unreachable");
      server.resume();
    }
  }

  @Test
  void aServerThatFallsSilentMeanwhile() {
    try (RedisServer server = good(binary);
        TcpProxy proxy = new TcpProxy(server.port());
        Sluice sluice =
            Sluice.builder()
                .uri("redis://127.0.0.1:" + proxy.port())
                .requestTimeout(Duration.ofMillis(500))
                .build()) {
      proxy.holdReplies(true);
      List<Finding> findings = sluice.diagnose();
      assertFinds(findings, RedisFinding.SILENT);
      assertThat(findings.get(0).what()).isEqualTo("it did not answer 'INFO' within 500ms");
      proxy.holdReplies(false);
    }
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    assertThatThrownBy(() -> examine("redis://bob:hush@host:port"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("hush");
    assertThatThrownBy(() -> examine()).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> examine("pigeon://roof")).isInstanceOf(IllegalArgumentException.class);
  }
}
