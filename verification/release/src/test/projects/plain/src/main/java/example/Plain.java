package example;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import java.time.Duration;

public class Plain {
  public static void main(String[] arguments) throws Exception {
    try (Sluice sluice = Sluice.connect("memory:");
        Lease lease = sluice.lock("seat", LockOptions.defaults()).acquire(Duration.ofSeconds(5))) {
      System.out.println("plain program holds a lock with token " + lease.token());
    }
  }
}
