package dev.sluice.jdbc;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A process of its own over a file of SQLite: adds to a number in a file, or holds a lock. */
final class SqliteWorker {
  static final Duration TTL = Duration.ofSeconds(5);

  private SqliteWorker() {}

  /**
   * Works, and prints the token of each turn.
   *
   * @param arguments the URL, the file with the number, how many turns; with no turns it takes the
   *     lock and keeps it
   */
  public static void main(String[] arguments) throws Exception {
    int turns = Integer.parseInt(arguments[2]);
    Path number = Path.of(arguments[1]);
    Duration ages = Duration.ofSeconds(60);
    try (Sluice sluice = Sluice.builder().uri(arguments[0]).requestTimeout(ages).build()) {
      if (turns == 0) {
        Lease held = sluice.lock("file", LockOptions.renewing(TTL)).acquire(ages);
        System.out.println(held.token());
        System.in.read();
        return;
      }
      for (int i = 0; i < turns; i++) {
        try (Lease lease = sluice.lock("file").acquire(ages)) {
          long seen = Long.parseLong(Files.readString(number));
          Files.writeString(number, Long.toString(seen + 1));
          System.out.println(lease.token());
        }
      }
    }
  }
}
