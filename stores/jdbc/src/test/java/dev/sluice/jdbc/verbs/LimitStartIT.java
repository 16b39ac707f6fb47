package dev.sluice.jdbc.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.jdbc.Database;
import dev.sluice.jdbc.Databases;
import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.memory.ManualTime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first decisions of a process, whose connection takes longer than a decision may. */
@Timeout(60)
class LimitStartIT {
  private static final Duration LONG = Duration.ofSeconds(10);

  private final ManualTime time = new ManualTime();
  private final Database database = Databases.empty(Dialect.H2);
  private volatile CountDownLatch asked = new CountDownLatch(0);
  private volatile CountDownLatch open = new CountDownLatch(0);
  private volatile boolean broken;
  private Sluice sluice;
  private RateLimiter limiter;

  @BeforeEach
  void connect() {
    DataSource source = database.source();
    DataSource slow =
        (DataSource)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  asked.countDown();
                  open.await();
                  if (broken) {
                    throw new SQLException("no connection", "08001");
                  }
                  try {
                    return method.invoke(source, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    JdbcBackend backend =
        JdbcBackend.builder()
            .dataSource(slow)
            .createTables(true)
            .requestTimeout(Duration.ofMinutes(1))
            .build();
    sluice = Sluice.builder().backend(backend).time(time, time).build();
    limiter = sluice.rateLimiter("api", Limit.tokenBucket(2, Duration.ofHours(1)));
  }

  @AfterEach
  void close() {
    open.countDown();
    sluice.close();
    database.close();
  }

  /** The next connection is not given before {@link #open} is counted down. */
  private void hold() {
    asked = new CountDownLatch(1);
    open = new CountDownLatch(1);
  }

  private CompletableFuture<Decision> ask() {
    return limiter.async().tryAcquire("user", 1).toCompletableFuture();
  }

  private static Decision answer(CompletableFuture<Decision> asked) throws Exception {
    return asked.get(60, TimeUnit.SECONDS);
  }

  @Test
  void callsThatWaitForTheFirstConnectionAreDecidedByTheStore() throws Exception {
    hold();
    CompletableFuture<Decision> first = ask();
    CompletableFuture<Decision> second = ask();
    CompletableFuture<Decision> third = ask();
    asked.await();
    time.advance(LONG);
    open.countDown();
    assertThat(answer(first).allowed()).isTrue();
    assertThat(answer(first).source()).isEqualTo(Decision.Source.STORE);
    assertThat(answer(second).allowed()).isTrue();
    assertThat(answer(third).allowed()).isFalse();
    assertThat(answer(third).source()).isEqualTo(Decision.Source.STORE);
  }

  @Test
  void afterTheFirstAnswerTheDeadlineHolds() throws Exception {
    assertThat(answer(ask()).allowed()).isTrue();
    hold();
    CompletableFuture<Decision> late = ask();
    asked.await();
    time.advance(LONG);
    assertThat(answer(late).source()).isEqualTo(Decision.Source.FALLBACK);
  }

  @Test
  void afterAFirstFailureTheDeadlineHolds() throws Exception {
    broken = true;
    assertThat(answer(ask()).source()).isEqualTo(Decision.Source.FALLBACK);
    broken = false;
    hold();
    CompletableFuture<Decision> late = ask();
    asked.await();
    time.advance(LONG);
    assertThat(answer(late).source()).isEqualTo(Decision.Source.FALLBACK);
  }
}
