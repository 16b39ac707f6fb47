import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import java.time.Duration;

/** Takes a lock on the store whose URL is the argument, or in memory. */
public class FirstLock {
  public static void main(String[] args) throws Exception {
    String url = args.length > 0 ? args[0] : "memory:";
    try (Sluice sluice = Sluice.connect(url);
        Lease lease = sluice.lock("first").acquire(Duration.ofSeconds(5))) {
      System.out.println("first lock, token " + lease.token());
    }
  }
}
