package dev.sluice.verification.torture;

import dev.sluice.memory.MemoryBackend;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Held;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Our own library in one process: several clients over one store in memory, each with its own
 * connection, which loses, holds, repeats and delays what passes now and then.
 */
final class MemoryClient implements LockClient {
  private static final int CLIENTS = 4;
  private static final int MAX_SPOILT_MILLIS = 300;

  private final List<FlakyBackend> lines = new ArrayList<>();
  private final List<SluiceClient> clients = new ArrayList<>();
  private final AtomicInteger next = new AtomicInteger();

  /** Each worker is a caller of one of the clients. */
  private final ThreadLocal<SluiceClient> mine =
      ThreadLocal.withInitial(() -> clients.get(next.getAndIncrement() % CLIENTS));

  private final SplittableRandom random;
  private final Thread scheduler = new Thread(this::blow, "sluice-torture-lines");
  private volatile boolean closed;

  MemoryClient(PlantedFault plant, long seed) {
    this.random = new SplittableRandom(seed);
    long wall = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    long start = System.nanoTime();
    MemoryBackend store = new MemoryBackend(() -> wall + (System.nanoTime() - start) / 1000);
    for (int i = 0; i < CLIENTS; i++) {
      FlakyBackend line = new FlakyBackend(store);
      lines.add(line);
      clients.add(new SluiceClient(plant, uri -> line));
    }
    scheduler.setDaemon(true);
  }

  @Override
  public String word() {
    return SluiceClient.WORD;
  }

  @Override
  public void open(String uri, Duration ttl) {
    clients.forEach(client -> client.open(uri, ttl));
    scheduler.start();
  }

  @Override
  public @Nullable Hold acquire(String name, Terms terms, Duration wait) throws Exception {
    return mine.get().acquire(name, terms, wait);
  }

  private void blow() {
    try {
      while (!closed) {
        TimeUnit.MILLISECONDS.sleep(random.nextInt(20, 200));
        spoil(lines.get(random.nextInt(CLIENTS)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void spoil(FlakyBackend line) throws InterruptedException {
    Fault[] ways = Fault.values();
    line.setAll(ways[random.nextInt(ways.length)]).losesMessages(random.nextInt(3) == 0);
    TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_SPOILT_MILLIS));
    line.setAll(Fault.NONE).losesMessages(false);
    boolean late = random.nextBoolean();
    List<Held> held = new ArrayList<>();
    while (line.heldCalls() > 0) {
      held.add(line.takeHeld());
    }
    if (late) { // callers have given up when it arrives
      held.forEach(Held::timeOut);
      TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_SPOILT_MILLIS));
    }
    held.forEach(Held::deliver);
    line.forgetHistory();
  }

  @Override
  public void close() {
    closed = true;
    lines.forEach(FlakyBackend::heal);
    clients.forEach(SluiceClient::close);
  }
}
