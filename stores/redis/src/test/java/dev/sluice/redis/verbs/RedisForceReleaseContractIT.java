package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.lock.ForceRelease;
import dev.sluice.text.Names;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Redis, on each server of this machine: a lock is taken from its holder. */
@EachRedis
class RedisForceReleaseContractIT extends ContractFixture implements ForceRelease {
  private final RedisServer server;

  RedisForceReleaseContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }

  @Test
  void aMessageThatIsNotTrueChangesNothing() {
    Sluice a = client();
    Lease lease = take(a, LockOptions.fixed(Duration.ofSeconds(20)));
    long left = lease.remaining().toNanos();
    long asked = scriptCalls();
    until(
        "the store is asked",
        () -> {
          server.call("PUBLISH", "sl:inbox:" + a.clientId(), "taken " + Names.encode(NAME));
          return scriptCalls() > asked;
        });

    assertThat(lease.renew(LockOptions.MIN_TTL)).isTrue(); // answered after what was asked before
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    assertThat(lease.remaining().toNanos()).as("never longer").isLessThanOrEqualTo(left);
  }

  private long scriptCalls() {
    return String.valueOf(server.call("INFO", "commandstats"))
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+),.*", "$1")))
        .sum();
  }
}
