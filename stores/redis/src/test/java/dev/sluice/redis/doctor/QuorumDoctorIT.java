package dev.sluice.redis.doctor;

import static dev.sluice.redis.doctor.DoctorFixture.assertFinds;
import static dev.sluice.redis.doctor.DoctorFixture.examine;
import static dev.sluice.redis.doctor.DoctorFixture.good;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Doctor;
import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.redis.ShiftedClock;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Problems between the members of a quorum are found, and three healthy members have none. */
@EachRedis
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumDoctorIT {
  private final RedisBinary binary;
  private RedisServer a;
  private RedisServer b;
  private RedisServer c;

  QuorumDoctorIT(RedisBinary binary) {
    this.binary = binary;
  }

  @BeforeEach
  void start() {
    a = good(binary);
    b = good(binary);
    c = good(binary);
  }

  @AfterEach
  void stop() {
    a.close();
    b.close();
    c.close();
  }

  private String hosts() {
    return "127.0.0.1:" + a.port() + ",127.0.0.1:" + b.port() + ",127.0.0.1:" + c.port();
  }

  @Test
  void threeGoodServersAreAGoodQuorum() {
    assertThat(examine(a.uri(), b.uri(), c.uri())).isEmpty();
    assertThat(examine("redis-quorum://" + hosts())).isEmpty();
  }

  @Test
  void aQuorumInUseIsExaminedToo() {
    try (Sluice sluice =
        Sluice.builder()
            .uri("redis-quorum://" + hosts() + "?fresh=true")
            .requestTimeout(DoctorFixture.TIMEOUT)
            .build()) {
      sluice.lock("x").tryAcquire().orElseThrow().close();
      assertThat(sluice.diagnose()).isEmpty();
      b.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      assertFinds(sluice.diagnose(), RedisFinding.EVICTION_POLICY);
      b.kill();
      assertThat(sluice.diagnose())
          .singleElement()
          .extracting(Finding::id)
          .isEqualTo("unreachable");
    }
  }

  @Test
  void theSameServerTwice() {
    List<Finding> findings = examine(a.uri(), b.uri(), "redis://localhost:" + a.port());
    assertFinds(findings, RedisFinding.SAME_SERVER);
    assertThat(findings.get(0).where()).isEqualTo("Redis at localhost:" + a.port());
    assertThat(findings.get(0).what()).endsWith("Redis at 127.0.0.1:" + a.port());
  }

  @Test
  void membersThatAreReplicasOfOneAnother() {
    a.call("CONFIG", "SET", "min-replicas-to-write", "1");
    DoctorIT.follow(c, a);
    List<Finding> findings = examine("redis-quorum://" + hosts());
    assertFinds(findings, RedisFinding.SAME_DATA, RedisFinding.REPLICA);
    a.call("CONFIG", "SET", "min-replicas-to-write", "2");
    DoctorIT.follow(b, a);
    assertFinds(
        examine(a.uri(), b.uri(), c.uri()),
        RedisFinding.SAME_DATA,
        RedisFinding.SAME_DATA,
        RedisFinding.SAME_DATA,
        RedisFinding.REPLICA,
        RedisFinding.REPLICA);
  }

  @Test
  void theWrongNumber() {
    assertFinds(examine(a.uri(), b.uri()), RedisFinding.TOO_FEW_NODES);
    try (RedisServer d = good(binary)) {
      List<Finding> four = examine(a.uri(), b.uri(), c.uri(), d.uri());
      assertFinds(four, RedisFinding.EVEN_COUNT);
      assertThat(four.get(0).what()).isEqualTo("4 servers survive 1 failures, as 3 do");
    }
  }

  @Test
  void clocksThatAreApart() {
    ShiftedClock clock = new ShiftedClock(binary);
    clock.set(Duration.ofMillis(600));
    try (RedisServer ahead = good(clock.program())) {
      List<Finding> findings = examine(a.uri(), ahead.uri(), c.uri());
      assertFinds(findings, RedisFinding.CLOCKS_APART);
      assertThat(findings.get(0).what())
          .startsWith("the clock of Redis at 127.0.0.1:" + ahead.port() + " is at least 0.");
    }
  }

  @Test
  void membersThatAreDownOrHang() {
    b.kill();
    List<Finding> one = examine(a.uri(), b.uri(), c.uri());
    assertThat(one).singleElement().extracting(Finding::id).isEqualTo("unreachable");
    assertThat(one.get(0).where()).isEqualTo("Redis at 127.0.0.1:" + b.port());
    c.pause();
    List<Finding> two = Doctor.examine(List.of(a.uri(), b.uri(), c.uri()), Duration.ofSeconds(1));
    c.resume();
    assertThat(two)
        .extracting(Finding::id)
        .containsExactlyInAnyOrder("unreachable", "unreachable", RedisFinding.NO_MAJORITY.id());
  }

  @Test
  void theClaimToKeepEveryAnsweredWrite() {
    String uri = "redis-quorum://" + hosts() + "?maxTtl=60s&durable=true";
    assertThat(examine(uri)).isEmpty();
    b.call("CONFIG", "SET", "appendfsync", "everysec");
    List<Finding> findings = examine(uri);
    assertFinds(findings, RedisFinding.NOT_DURABLE, RedisFinding.FSYNC);
    assertThat(findings).extracting(Finding::where).containsOnly("Redis at 127.0.0.1:" + b.port());
  }

  @Test
  void oneUriForManyIsSplitWithItsUserAndItsParameters() {
    assertThat(RedisDoctor.split("redis://a,b:1, c"))
        .containsExactly("redis://a", "redis://b:1", "redis://c");
    assertThat(RedisDoctor.split("rediss://u:p@w,d@a:1,b:2/0?ca=x,y"))
        .containsExactly("rediss://u:p@w,d@a:1/0?ca=x,y", "rediss://u:p@w,d@b:2/0?ca=x,y");
  }
}
