package dev.sluice.verification.torture;

import dev.sluice.servers.PostgresqlServer;
import dev.sluice.servers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * One PostgreSQL. It does not wait for the disk, and loses nothing by that: what dies here is the
 * server, and not the machine.
 */
final class PostgresqlTopology implements FaultyServers {
  private static final String DATABASE = "torture";
  private static final String LOCK_TABLE = "LOCK TABLE sluice_locks IN ACCESS EXCLUSIVE MODE";
  private static final int MAX_HOLD_MILLIS = 2500;

  private final PostgresqlServer server;
  private final TcpProxy line;
  private final ForeignClient foreign;

  PostgresqlTopology() {
    this.server = PostgresqlServer.start("fsync=off");
    boolean ready = false;
    try {
      server.create(DATABASE);
      this.foreign = new ForeignClient(PostgresqlServer.url(server.port(), DATABASE));
      foreign.makeTables();
      this.line = new TcpProxy(server.port());
      ready = true;
    } finally {
      if (!ready) {
        server.close();
      }
    }
  }

  @Override
  public String uri() {
    return PostgresqlServer.url(line.port(), DATABASE);
  }

  @Override
  public String describe() {
    return "one PostgreSQL";
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>(ServerFaults.ofLine(line, Duration.ofSeconds(3)));
    faults.add(ServerFaults.paused(server::pause, server::resume, Duration.ofMillis(2500)));
    faults.add(ServerFaults.killed(server::crash, server::restart));
    faults.add(new Fault("sessions ended", 4, (random, notes) -> endSessions()));
    faults.add(new Fault("rows locked", 5, (random, notes) -> lockRows(random)));
    faults.add(new Fault("table locked", 1, (random, notes) -> lockTable(random)));
    faults.add(
        new Fault(
            "locks deleted",
            4,
            (random, notes) -> foreign.deleteLocks(Node.LEAD, notes, "BEGIN", LOCK_TABLE)));
    return faults;
  }

  private String endSessions() {
    int ended =
        foreign
            .ask(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()")
            .size();
    return ended == 0 ? "" : ended + " sessions ended by the server";
  }

  private String lockRows(RandomGenerator random) throws InterruptedException {
    int millis = random.nextInt(50, MAX_HOLD_MILLIS);
    return foreign.hold(millis, "BEGIN", "SELECT name FROM sluice_locks FOR UPDATE")
        ? "a stranger locked all rows for " + millis + " ms"
        : "";
  }

  private String lockTable(RandomGenerator random) throws InterruptedException {
    int millis = random.nextInt(50, MAX_HOLD_MILLIS);
    return foreign.hold(millis, "BEGIN", LOCK_TABLE)
        ? "a stranger locked the table for " + millis + " ms"
        : "";
  }

  @Override
  public void heal() {
    ServerFaults.heal(line);
  }

  /** Rows go when their time has come; what a closed client must not leave is a session. */
  @Override
  public List<String> leftovers() {
    return foreign
        .ask(
            "SELECT query FROM pg_stat_activity WHERE datname = current_database()"
                + " AND pid <> pg_backend_pid()")
        .stream()
        .map(query -> "a session is left, its last query: " + query)
        .toList();
  }

  @Override
  public void close() {
    line.close();
    server.close();
  }
}
