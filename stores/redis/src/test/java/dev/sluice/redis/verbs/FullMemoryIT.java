package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.ReadWriteOrder;
import dev.sluice.redis.PatientClient;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server whose memory is full: what is held goes on, and nothing new begins. */
@EachRedis
class FullMemoryIT {
  private static final LockOptions LONG = LockOptions.fixed(Duration.ofSeconds(60));
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisServer server;

  FullMemoryIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void empty() {
    server.call("FLUSHALL");
  }

  @AfterEach
  void makeRoom() {
    server.call("CONFIG", "SET", "maxmemory", "0");
  }

  @Test
  void leasesAreRenewedAndGivenBack() {
    try (Sluice a = PatientClient.connect(server.uri());
        Sluice b = PatientClient.connect(server.uri());
        Sluice c = PatientClient.connect(server.uri())) {
      List<Lease> leases = new ArrayList<>();
      for (Sluice client : List.of(b, c, a)) { // the store remembers how each of them ended
        leases.forEach(Lease::close);
        leases.clear();
        DistributedReadWriteLock readWrite =
            client.readWriteLock("rw", LONG, ReadWriteOrder.WRITERS_FIRST);
        leases.add(client.lock("alone", LONG).tryAcquire().orElseThrow());
        leases.add(client.lock("awaited", LONG).tryAcquire().orElseThrow());
        leases.add(client.semaphore("permits", 3, LONG).tryAcquire(2).orElseThrow());
        leases.add(readWrite.writeLock().tryAcquire().orElseThrow());
      }
      b.lock("awaited", LONG).async().acquire(PATIENCE);
      b.readWriteLock("rw", LONG, ReadWriteOrder.WRITERS_FIRST)
          .readLock()
          .async()
          .acquire(PATIENCE);
      await().atMost(PATIENCE).until(() -> !c.inspect().lock("awaited").waiters().isEmpty());
      await().atMost(PATIENCE).until(() -> !c.readWriteLock("rw").info().waiters().isEmpty());
      server.call("CONFIG", "SET", "maxmemory", "1");

      assertThatThrownBy(() -> c.lock("new", LONG).tryAcquire())
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("OOM");
      for (Lease lease : leases) {
        assertThat(lease.renew(Duration.ofMinutes(2))).as("%s is renewed", lease).isTrue();
        assertThat(lease.release()).as("%s is released", lease).isTrue();
      }
      assertThat(c.inspect().lock("alone").holder()).isEmpty();
      assertThat(c.inspect().lock("awaited").holder())
          .map(h -> h.client())
          .isNotEqualTo(a.clientId());
    }
  }
}
