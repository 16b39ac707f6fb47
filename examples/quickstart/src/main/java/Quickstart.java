import dev.sluice.Sluice;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import java.time.Duration;

public class Quickstart {
  static int balance = 100;

  public static void main(String[] args) throws Exception {
    MemoryGuard guard = MemoryGuard.create(); // keeps the highest token
    LockOptions oneSecond = LockOptions.fixed(Duration.ofSeconds(1));
    try (Sluice sluice = Sluice.connect("memory:")) {
      DistributedLock lock = sluice.lock("account/7", oneSecond);
      Lease a = lock.acquire(Duration.ofSeconds(5)); // waits up to 5 s
      int readByA = guard.access(a, () -> balance);
      // A pauses here. B waits until the lease of A expires.
      Lease b = lock.acquire(Duration.ofSeconds(5));
      int readByB = guard.access(b, () -> balance);
      guard.access(b, () -> balance = readByB + 10);
      b.close();
      try { // A resumes
        guard.access(a, () -> balance = readByA + 5);
      } catch (StaleTokenException e) {
        System.out.println("A is refused: " + e.getMessage());
      }
      System.out.println("balance: " + balance);
    }
  }
}
