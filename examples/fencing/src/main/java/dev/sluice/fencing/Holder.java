package dev.sluice.fencing;

import dev.sluice.Sluice;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LockOptions;
import dev.sluice.redis.RedisGuard;
import dev.sluice.redis.RedisSection;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One process of the scene: takes the lock, reads the balance and writes it, each on a line of its
 * input; answers with a line. Ends with its input.
 */
final class Holder implements AutoCloseable {
  static final String ACCOUNT = "account/7";
  static final String BALANCE = RedisGuard.keyOf(ACCOUNT, "balance");

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Sluice sluice;
  private final RedisClient client;
  private final RedisCommands<String, String> redis;
  private final RedisGuard guard;
  private final boolean guarded;
  private final Duration ttl;

  private Holder(String uri, boolean guarded, Duration ttl) {
    this.sluice = Sluice.connect(uri);
    this.client = RedisClient.create(uri);
    var connection = client.connect();
    this.redis = connection.sync();
    this.guard = RedisGuard.create(connection.async(), PATIENCE);
    this.guarded = guarded;
    this.ttl = ttl;
  }

  /** Arguments: URI of the server, whether to use the guard, TTL of the lease in milliseconds. */
  public static void main(String[] args) throws Exception {
    try (Holder holder =
            new Holder(
                args[0],
                Boolean.parseBoolean(args[1]),
                Duration.ofMillis(Long.parseLong(args[2])));
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      holder.warmUp();
      say("ready");
      holder.serve(in);
    }
    System.exit(0); // the driver's threads take their time
  }

  /** A first request loads classes for longer than a short lease lasts. */
  private void warmUp() throws InterruptedException {
    String name = "warm-up/" + sluice.clientId();
    try (Lease lease = sluice.lock(name).acquire(PATIENCE)) {
      guard.section(lease).get(RedisGuard.keyOf(name, "x"));
      redis.get(RedisGuard.keyOf(name, "x"));
    }
  }

  private void serve(BufferedReader in) throws IOException, InterruptedException {
    while (in.readLine() != null) { // enter
      try (Lease lease = enter()) {
        String amount = in.readLine();
        if (amount == null) {
          return;
        }
        write(lease, amount);
      }
    }
  }

  /** Takes the lock and reads; on a slow machine a short lease may end before it was read. */
  private Lease enter() throws InterruptedException {
    while (true) {
      Lease lease = sluice.lock(ACCOUNT, LockOptions.fixed(ttl)).acquire(PATIENCE);
      try {
        String balance = guarded ? section(lease).get(BALANCE) : redis.get(BALANCE);
        lease.checkHeld();
        say(
            "entered "
                + FencingToken.of(lease)
                + " "
                + lease.remaining().toMillis()
                + " "
                + balance);
        return lease;
      } catch (LeaseLostException | StaleTokenException e) {
        lease.close();
      }
    }
  }

  /** What follows a look at the lease in any program: nothing can come between, it seems. */
  private void write(Lease lease, String balance) {
    try {
      if (guarded) {
        section(lease).set(BALANCE, balance);
      } else {
        redis.set(BALANCE, balance);
      }
      say("wrote " + balance);
    } catch (StaleTokenException e) {
      say("refused " + e.refused() + " " + e.highest());
    }
  }

  private RedisSection section(Lease lease) {
    return guard.section(lease);
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  @Override
  public void close() {
    sluice.close();
    client.shutdown();
  }
}
