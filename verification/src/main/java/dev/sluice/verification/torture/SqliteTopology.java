package dev.sluice.verification.torture;

import dev.sluice.servers.ClockShim;
import dev.sluice.servers.TemporaryFolders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One SQLite file. Its server is every client, so the clients have one clock, that of the machine,
 * which is moved for all of them together.
 */
final class SqliteTopology implements FaultyServers {
  private static final Duration MAX_OUTAGE = Duration.ofSeconds(3);
  private static final int MAX_HOLD_MILLIS = 2500;

  private final Path folder;
  private final Path file;
  private final ForeignClient foreign;
  private final @Nullable ClockShim clock;
  private Duration highestAhead = Duration.ZERO;

  SqliteTopology(@Nullable ClockShim clock) {
    this.clock = clock;
    try {
      this.folder = Files.createTempDirectory("sluice-sqlite");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.file = folder.resolve("torture.db");
    this.foreign = new ForeignClient("jdbc:sqlite:" + file + "?busy_timeout=2000");
  }

  @Override
  public String uri() {
    return "jdbc:sqlite:" + file;
  }

  @Override
  public String describe() {
    return "one SQLite file";
  }

  @Override
  public @Nullable ClockShim machineClock() {
    return clock;
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>();
    faults.add(new Fault("stranger writes", 6, (random, notes) -> write(random)));
    faults.add(new Fault("stranger reads", 3, (random, notes) -> read(random)));
    faults.add(new Fault("log emptied", 2, (random, notes) -> checkpoint()));
    faults.add(new Fault("locks deleted", 4, (random, notes) -> deleteLocks(notes)));
    ClockShim own = clock;
    if (own != null) {
      faults.add(new Fault("clock stepped", 2, (random, notes) -> step(own, random, notes)));
      faults.add(new Fault("clock fast", 3, (random, notes) -> runFast(own, random, notes)));
    }
    return faults;
  }

  private String write(RandomGenerator random) throws InterruptedException {
    int millis = random.nextInt(50, MAX_HOLD_MILLIS);
    return foreign.hold(millis, "BEGIN IMMEDIATE")
        ? "a stranger had the file for " + millis + " ms"
        : "";
  }

  /** While a client reads an old state, the log cannot start again. */
  private String read(RandomGenerator random) throws InterruptedException {
    int millis = random.nextInt(50, MAX_HOLD_MILLIS);
    return foreign.hold(millis, "BEGIN", "SELECT count(*) FROM sqlite_schema")
        ? "a stranger read for " + millis + " ms"
        : "";
  }

  private String checkpoint() {
    try {
      foreign.ask("PRAGMA wal_checkpoint(TRUNCATE)");
      return "the log was emptied";
    } catch (IllegalStateException e) {
      return ""; // another client holds a lock
    }
  }

  /** Only while no token is further ahead of the clock than can be waited for. */
  private String deleteLocks(Fault.Notes notes) throws InterruptedException {
    Duration lead = Node.LEAD.plus(highestAhead);
    return lead.compareTo(MAX_OUTAGE) > 0
        ? ""
        : foreign.deleteLocks(lead, notes, "BEGIN IMMEDIATE");
  }

  /** And back: in the end the file is looked at by a process with the right time. */
  private String step(ClockShim clock, RandomGenerator random, Fault.Notes notes)
      throws InterruptedException {
    boolean far = random.nextInt(6) == 0;
    long millis = far ? 3_600_000 : random.nextLong(1, 800);
    long by = random.nextInt(far ? 10 : 2) == 0 ? millis : -millis;
    step(clock, Duration.ofMillis(by), notes);
    ServerFaults.pass(random.nextLong(1500));
    step(clock, Duration.ofMillis(-by), notes);
    return "clock " + (by > 0 ? "+" : "") + by + " ms, and back";
  }

  private void step(ClockShim clock, Duration by, Fault.Notes notes) {
    notes.stepped(by.toNanos());
    move(clock, by);
    notes.stepped(by.toNanos());
  }

  private void move(ClockShim clock, Duration by) {
    clock.set(clock.ahead().plus(by));
    highestAhead = highestAhead.compareTo(clock.ahead()) > 0 ? highestAhead : clock.ahead();
  }

  /** Eight parts in a thousand too fast, which the margin of 1 % must cover; and back. */
  private String runFast(ClockShim clock, RandomGenerator random, Fault.Notes notes)
      throws InterruptedException {
    ServerFaults.runFast(random, by -> move(clock, by));
    step(clock, clock.ahead().negated(), notes);
    return "clock 0.8 % fast, and back";
  }

  @Override
  public void heal() {}

  /** Rows go when their time has come, and there is nothing else. */
  @Override
  public List<String> leftovers() {
    return List.of();
  }

  @Override
  public void close() {
    TemporaryFolders.delete(folder);
  }
}
