package dev.sluice.bench.watch;

import dev.sluice.Sluice;
import dev.sluice.console.ConsoleServer;
import java.util.concurrent.CountDownLatch;

/** A process with the console of a store. */
final class WatchedConsole {
  private WatchedConsole() {}

  /**
   * Prints the console's address and runs until it is killed.
   *
   * @param args the store
   */
  public static void main(String[] args) throws Exception {
    try (Sluice sluice = Sluice.connect(args[0]);
        ConsoleServer server = ConsoleServer.start(sluice, 0)) {
      System.out.println(server.uri());
      new CountDownLatch(1).await();
    }
  }
}
