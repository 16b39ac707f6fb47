package dev.sluice.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.guard.FencingToken;
import dev.sluice.limit.RateLimitedException;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.limit.RateLimitAutoConfiguration;
import dev.sluice.spring.limit.RateLimited;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.ScheduledTaskHolder;

class LockedTest {
  private static final Duration AGES = Duration.ofSeconds(30);

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SluiceAutoConfiguration.class,
                  RateLimitAutoConfiguration.class,
                  LockAutoConfiguration.class))
          .withPropertyValues(
              "sluice.store=memory",
              "sluice.limiters.one.limits=fixed-window 1/1d",
              "shop.wait=0s",
              "shop.name=eu")
          .withBean(Shop.class);

  private static Lease take(Sluice sluice, String name) throws InterruptedException {
    return sluice.lock(name).acquire(Duration.ZERO);
  }

  // ---- taking it ----

  @Test
  void aMethodRunsUnderItsLockAndGivesItBack() {
    runner.run(
        context -> {
          Sluice sluice = context.getBean(Sluice.class);
          Shop shop = context.getBean(Shop.class);

          assertThat(shop.holder(sluice, "7")).isPresent();

          assertThat(sluice.inspect().lock("stock/7").holder()).isEmpty();
          assertThatThrownBy(() -> shop.fails(new IllegalStateException("inside")))
              .isInstanceOf(IllegalStateException.class)
              .hasMessage("inside");
          assertThat(sluice.inspect().lock("fails").holder()).isEmpty();
        });
  }

  @Test
  void anotherHolderOfTheSameKeyIsInTheWayAndOfAnotherKeyIsNot() {
    runner.run(
        context -> {
          Sluice sluice = context.getBean(Sluice.class);
          Shop shop = context.getBean(Shop.class);
          try (Lease lease = take(sluice, "stock/7")) {
            assertThatThrownBy(() -> shop.holder(sluice, "7"))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("stock/7");
            assertThat(shop.holder(sluice, "8")).isPresent();
          }
          assertThat(shop.holder(sluice, "7")).isPresent();
        });
  }

  @Test
  void aCallWaitsForItsTurn() {
    runner
        .withPropertyValues("sluice.store=", "sluice.url=memory:locked-test")
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              try (Sluice other = Sluice.connect("memory:locked-test")) {
                Lease lease = take(other, "patient");
                CompletableFuture<String> call = CompletableFuture.supplyAsync(shop::patient);
                await()
                    .atMost(AGES)
                    .until(() -> !other.inspect().lock("patient").waiters().isEmpty());
                assertThat(call).isNotDone();

                lease.release();

                assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("served");
              }
            });
  }

  @Test
  void namesKeysAndTimesMayBePlaceholdersAndExpressions() {
    runner
        .withBean("tenants", Tenants.class)
        .run(
            context -> {
              Sluice sluice = context.getBean(Sluice.class);
              Shop shop = context.getBean(Shop.class);
              try (Lease lease = take(sluice, "eu/nightly/acme")) {
                assertThatThrownBy(shop::nightly).isInstanceOf(LockTimeoutException.class);
              }
              shop.nightly();
              assertThatThrownBy(() -> shop.byKey(null)).hasMessageContaining("'#key' is null");
              assertThatThrownBy(() -> shop.byKey("")).hasMessageContaining("key is empty");
            });
  }

  @Test
  void aThreadThatIsInterruptedStopsWaiting() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          Thread.currentThread().interrupt();
          try {
            assertThatThrownBy(shop::patient)
                .isInstanceOf(SluiceException.class)
                .hasMessageContaining("interrupted while waiting for lock 'patient'");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
          } finally {
            Thread.interrupted();
          }
        });
  }

  @Test
  void aClassMayBeLockedWithEveryPublicMethod() {
    runner
        .withBean(Ledger.class)
        .run(
            context -> {
              Ledger ledger = context.getBean(Ledger.class);
              try (Lease lease = take(context.getBean(Sluice.class), "ledger")) {
                assertThatThrownBy(ledger::book).isInstanceOf(LockTimeoutException.class);
                assertThat(ledger.own()).isEqualTo("own");
                assertThat(ledger.toString()).isEqualTo("a ledger");
              }
              assertThat(ledger.book()).isEqualTo("booked");
            });
  }

  @Test
  void aClientThatIsMadeFromAnInterfaceIsLockedToo() {
    runner
        .withBean(
            Remote.class,
            () ->
                (Remote)
                    Proxy.newProxyInstance(
                        Remote.class.getClassLoader(),
                        new Class<?>[] {Remote.class},
                        (proxy, method, arguments) -> "asked " + arguments[0]))
        .run(
            context -> {
              Remote remote = context.getBean(Remote.class);
              assertThat(remote.ask("q")).isEqualTo("asked q");
              try (Lease lease = take(context.getBean(Sluice.class), "remote/q")) {
                assertThatThrownBy(() -> remote.ask("q")).isInstanceOf(LockTimeoutException.class);
              }
            });
  }

  @Test
  void tasksOfTheSchedulerAreLockedToo() {
    runner
        .withUserConfiguration(Scheduling.class)
        .withBean(Nightly.class)
        .run(
            context -> {
              Nightly nightly = context.getBean(Nightly.class);
              Runnable task =
                  context
                      .getBean(ScheduledTaskHolder.class)
                      .getScheduledTasks()
                      .iterator()
                      .next()
                      .getTask()
                      .getRunnable();
              try (Lease lease = take(context.getBean(Sluice.class), "report")) {
                task.run();
                assertThat(nightly.runs()).isZero();
              }
              task.run();
              assertThat(nightly.runs()).isEqualTo(1);
            });
  }

  @Test
  void whoIsRefusedAPermitDoesNotWaitForTheLock() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          shop.limited();
          try (Lease lease = take(context.getBean(Sluice.class), "limited")) {
            assertThatThrownBy(shop::limited).isInstanceOf(RateLimitedException.class);
          }
        });
  }

  // ---- what the method gets ----

  @Test
  void theMethodGetsTheLeaseAndItsToken() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          Given first = shop.given("a", null, null, 0, "b");
          Given second = shop.given("a", first.lease, first.token, 99, "b");

          assertThat(first.text).isEqualTo("ab");
          assertThat(first.state).isEqualTo(LeaseState.HELD);
          assertThat(first.number).isEqualTo(first.lease.token()).isPositive();
          assertThat(first.token).isEqualTo(FencingToken.of(first.lease));
          assertThat(first.lease.state()).isEqualTo(LeaseState.RELEASED);
          assertThat(second.number).isGreaterThan(first.number);
          assertThat(second.lease).isNotSameAs(first.lease);
        });
  }

  @Test
  void aLeaseThatIsLostMeanwhileIsAnErrorUnlessTheMethodHasOne() {
    runner.run(
        context -> {
          Sluice sluice = context.getBean(Sluice.class);
          Shop shop = context.getBean(Shop.class);
          assertThatThrownBy(() -> shop.during(() -> sluice.lock("during").forceRelease()))
              .isInstanceOf(LeaseLostException.class)
              .hasMessageContaining("lock 'during' was lost before @Locked at Shop.during ended");
          assertThatThrownBy(
                  () ->
                      shop.during(
                          () -> {
                            sluice.lock("during").forceRelease();
                            throw new IllegalStateException("its own");
                          }))
              .isInstanceOf(IllegalStateException.class);
          assertThat(shop.releases(null)).isEqualTo("given back early");
        });
  }

  // ---- whose wait is over ----

  @Test
  void aSkippedCallReturnsNothing() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          assertThat(shop.skipped()).isEqualTo("ran");
          try (Lease lease = take(context.getBean(Sluice.class), "skip")) {
            assertThat(shop.skipped()).isNull();
            assertThat(shop.skippedNumber()).isZero();
            assertThat(shop.skippedAnswer()).isFalse();
            assertThat(shop.skippedMaybe()).isEmpty();
            shop.skippedTask();
            assertThat(shop.skippedLater().get(30, TimeUnit.SECONDS)).isEmpty();
          }
        });
  }

  @Test
  void aFallbackAnswersInstead() {
    runner.run(
        context -> {
          Shop shop = context.getBean(Shop.class);
          assertThat(shop.orElse("tea", null, 0)).isEqualTo("tea sold");
          try (Lease lease = take(context.getBean(Sluice.class), "orElse")) {
            assertThat(shop.orElse("tea", lease, 5)).isEqualTo("tea later");
            assertThat(shop.orElseAll("tea", lease, 5)).isEqualTo("tea null 0");
            assertThat(shop.orElseLater("tea").get(30, TimeUnit.SECONDS)).isEqualTo("tea later");
          }
        });
  }

  // ---- stages ----

  @Test
  void aStageHoldsTheLockUntilItCompletes() {
    runner.run(
        context -> {
          Sluice sluice = context.getBean(Sluice.class);
          Shop shop = context.getBean(Shop.class);
          CompletableFuture<String> work = new CompletableFuture<>();

          CompletableFuture<String> answer = shop.later(work);
          await().atMost(AGES).until(() -> shop.begun().contains(work));
          assertThat(sluice.inspect().lock("later").holder()).isPresent();
          assertThat(answer).isNotDone();
          work.complete("done");

          assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("done");
          assertThat(sluice.inspect().lock("later").holder()).isEmpty();
          assertThatThrownBy(
                  () ->
                      shop.later(
                              CompletableFuture.failedFuture(new IllegalStateException("inside")))
                          .get(30, TimeUnit.SECONDS))
              .hasCauseInstanceOf(IllegalStateException.class);
          assertThatThrownBy(() -> shop.later(null).get(30, TimeUnit.SECONDS))
              .hasCauseInstanceOf(NullPointerException.class);
          assertThat(sluice.inspect().lock("later").holder()).isEmpty();
        });
  }

  @Test
  void aStageIsRefusedThroughItselfAndTellsOfALoss() {
    runner.run(
        context -> {
          Sluice sluice = context.getBean(Sluice.class);
          Shop shop = context.getBean(Shop.class);
          try (Lease lease = take(sluice, "later")) {
            assertThatThrownBy(
                    () ->
                        shop.later(CompletableFuture.completedFuture("x"))
                            .get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockTimeoutException.class);
          }
          CompletableFuture<String> work = new CompletableFuture<>();
          CompletableFuture<String> answer = shop.later(work);
          await().atMost(AGES).until(() -> shop.begun().contains(work));
          sluice.lock("later").forceRelease();
          work.complete("too late");
          assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS))
              .hasCauseInstanceOf(LeaseLostException.class);
        });
  }

  @Test
  void cancellingEndsTheWait() {
    runner
        .withPropertyValues("shop.wait=1h")
        .run(
            context -> {
              Sluice sluice = context.getBean(Sluice.class);
              Shop shop = context.getBean(Shop.class);
              CompletableFuture<String> work = new CompletableFuture<>();
              Lease lease = take(sluice, "later");

              CompletableFuture<String> answer = shop.later(work);
              answer.cancel(true);
              lease.release();

              try (Lease mine = sluice.lock("later").acquire(AGES)) {
                assertThat(shop.begun()).doesNotContain(work);
              }
            });
  }

  @Test
  void aLockIsGivenBackWhenTheExecutorRefuses() {
    runner
        .withBean(
            "applicationTaskExecutor",
            Executor.class,
            () ->
                task -> {
                  throw new RejectedExecutionException("full");
                })
        .run(
            context -> {
              Shop shop = context.getBean(Shop.class);
              assertThatThrownBy(
                      () ->
                          shop.later(CompletableFuture.completedFuture("x"))
                              .get(30, TimeUnit.SECONDS))
                  .hasCauseInstanceOf(RejectedExecutionException.class);
              context.getBean(Sluice.class).lock("later").acquire(AGES).close();
            });
  }

  // ---- beans ----

  record Given(String text, Lease lease, FencingToken token, long number, LeaseState state) {}

  static class Tenants {
    public String current() {
      return "acme";
    }
  }

  interface Remote {
    @Locked(name = "remote", key = "#question", waitUpTo = "0s")
    String ask(String question);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableScheduling
  static class Scheduling {}

  static class Nightly {
    private final AtomicInteger runs = new AtomicInteger();

    int runs() {
      return runs.get();
    }

    @Scheduled(cron = "0 0 3 1 1 *")
    @Locked(name = "report", waitUpTo = "0s", busy = Locked.Busy.SKIP)
    public void report() {
      runs.incrementAndGet();
    }
  }

  @Locked(name = "ledger", waitUpTo = "0s")
  static class Ledger {
    public String book() {
      return "booked";
    }

    @Locked(name = "own")
    public String own() {
      return "own";
    }

    @Override
    public String toString() {
      return "a ledger";
    }
  }

  static class Shop {
    private final List<CompletableFuture<String>> begun = new CopyOnWriteArrayList<>();

    List<CompletableFuture<String>> begun() {
      return begun;
    }

    @Locked(name = "stock", key = "#id", waitUpTo = "0s", maxHold = "1m")
    public Optional<?> holder(Sluice sluice, String id) {
      return sluice.inspect().lock("stock/" + id).holder();
    }

    @Locked(name = "fails", ttl = "1s", renewed = false)
    public void fails(RuntimeException failure) {
      throw failure;
    }

    @Locked(name = "patient", waitUpTo = "PT1H")
    public String patient() {
      return "served";
    }

    @Locked(name = "${shop.name}/nightly", key = "@tenants.current()", waitUpTo = "${shop.wait}")
    public void nightly() {}

    @Locked(key = "#key")
    public void byKey(String key) {}

    @Locked(name = "limited", waitUpTo = "0s")
    @RateLimited(limiter = "one", key = "'all'")
    public void limited() {}

    @Locked(name = "given")
    public Given given(
        String before, Lease lease, FencingToken token, @LeaseToken long number, String after) {
      return new Given(before + after, lease, token, number, lease.state());
    }

    @Locked(name = "during")
    public void during(Runnable task) {
      task.run();
    }

    @Locked(name = "releases")
    public String releases(Lease lease) {
      lease.release();
      return "given back early";
    }

    @Locked(name = "skip", waitUpTo = "0s", busy = Locked.Busy.SKIP)
    public String skipped() {
      return "ran";
    }

    @Locked(name = "skip", waitUpTo = "0s", busy = Locked.Busy.SKIP)
    public int skippedNumber() {
      return 7;
    }

    @Locked(name = "skip", waitUpTo = "0s", busy = Locked.Busy.SKIP)
    public boolean skippedAnswer() {
      return true;
    }

    @Locked(name = "skip", waitUpTo = "0s", busy = Locked.Busy.SKIP)
    public Optional<String> skippedMaybe() {
      return Optional.of("ran");
    }

    @Locked(name = "skip", waitUpTo = "0s", busy = Locked.Busy.SKIP)
    public void skippedTask() {
      throw new IllegalStateException("ran");
    }

    @Locked(name = "skip", waitUpTo = "0s", busy = Locked.Busy.SKIP)
    public CompletableFuture<Optional<String>> skippedLater() {
      return CompletableFuture.completedFuture(Optional.of("ran"));
    }

    @Locked(name = "orElse", waitUpTo = "0s", fallback = "instead")
    public String orElse(String product, Lease lease, @LeaseToken long token) {
      return product + " sold";
    }

    @SuppressWarnings("unused") // by name
    private String instead(String product) {
      return product + " later";
    }

    @Locked(name = "orElse", waitUpTo = "0s", fallback = "insteadOfAll")
    public String orElseAll(String product, Lease lease, @LeaseToken long token) {
      return product + " sold";
    }

    String insteadOfAll(String product, Lease lease, long token) {
      return product + " " + lease + " " + token;
    }

    @Locked(name = "orElse", waitUpTo = "0s", fallback = "insteadLater")
    public CompletableFuture<String> orElseLater(String product) {
      return CompletableFuture.completedFuture(product + " sold");
    }

    CompletableFuture<String> insteadLater(String product) {
      return CompletableFuture.completedFuture(product + " later");
    }

    @Locked(name = "later", waitUpTo = "${shop.wait}")
    public CompletableFuture<String> later(CompletableFuture<String> work) {
      begun.add(Objects.requireNonNull(work));
      return work;
    }
  }
}
