package dev.sluice.bench.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.baomidou.lock.annotation.Lock4j;
import com.baomidou.lock.executor.AbstractLockExecutor;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.spring.lock.LockAutoConfiguration;
import dev.sluice.spring.lock.Locked;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A method with the annotations of lock4j and of Sluice runs under both locks, Sluice's first. */
class BothLocksTest {

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    AopAutoConfiguration.class,
    LockAutoConfiguration.class,
    com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration.class
  })
  static class Application {
    @Bean(destroyMethod = "close")
    Sluice sluice() {
      return Sluice.connect("memory:");
    }

    @Bean
    FormerLocks formerLocks(Sluice sluice) {
      return new FormerLocks(sluice);
    }

    @Bean
    Accounts accounts() {
      return new Accounts();
    }
  }

  static class Accounts {
    @Lock4j(name = "account", keys = "#p0", acquireTimeout = 3000, expire = 30000)
    @Locked(name = "account", key = "#p0", waitUpTo = "3s", ttl = "30s")
    public void withdraw(long id, Runnable work) {
      work.run();
    }
  }

  /** Locks of lock4j that note whether Sluice's lock is held. */
  static final class FormerLocks extends AbstractLockExecutor<String> {
    final List<String> calls = new CopyOnWriteArrayList<>();
    private final Sluice sluice;

    FormerLocks(Sluice sluice) {
      this.sluice = sluice;
    }

    @Override
    public String acquire(String key, String value, long expire, long wait) {
      calls.add("acquire, Sluice's lock is " + sluiceLock());
      return key;
    }

    @Override
    public boolean releaseLock(String key, String value, String instance) {
      calls.add("release, Sluice's lock is " + sluiceLock());
      return true;
    }

    private String sluiceLock() {
      try (Lease lease = sluice.lock("account/7").tryAcquire().orElse(null)) {
        return lease == null ? "held" : "free";
      }
    }
  }

  @Test
  void sluicesLockIsOutsideThatOfLock4j() {
    try (AnnotationConfigApplicationContext app =
        new AnnotationConfigApplicationContext(Application.class)) {
      List<String> calls = app.getBean(FormerLocks.class).calls;

      app.getBean(Accounts.class).withdraw(7, () -> calls.add("work"));

      assertThat(calls)
          .containsExactly(
              "acquire, Sluice's lock is held", "work", "release, Sluice's lock is held");
    }
  }
}
