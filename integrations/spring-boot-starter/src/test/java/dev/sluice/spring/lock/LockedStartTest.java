package dev.sluice.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.internal.SettingFailureAnalyzer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Annotations that cannot work end the start, and locks stand outside of transactions. */
@ExtendWith(OutputCaptureExtension.class)
class LockedStartTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PropertyPlaceholderAutoConfiguration.class,
                  SluiceAutoConfiguration.class,
                  LockAutoConfiguration.class))
          .withPropertyValues("sluice.store=memory");

  static Stream<Arguments> whatCannotWork() {
    return Stream.of(
        Arguments.of(Nameless.class, "name or key must be set"),
        Arguments.of(
            MisspeltParameter.class,
            "key has no variable #usr: there are a0, p0, root, this, user"),
        Arguments.of(BadExpression.class, "key '#user.' is not an expression: "),
        Arguments.of(NoPlaceholder.class, "Could not resolve placeholder 'nothing.fills.this'"),
        Arguments.of(
            NoDuration.class, "waitUpTo must be a duration such as 500ms, 2s or PT2S: 'soon'"),
        Arguments.of(NegativeWait.class, "waitUpTo must not be negative: -1s"),
        Arguments.of(ShortTtl.class, "ttl must be at least 10ms: PT0.009S"),
        Arguments.of(FixedWithMaxHold.class, "maxHold bounds renewals, and renewed is false"),
        Arguments.of(NoSuchFallback.class, "fallback 'instead' must be a method of NoSuchFallback"),
        Arguments.of(OtherResult.class, "fallback 'instead' must be a method of OtherResult"),
        Arguments.of(SkipAndFallback.class, "busy = SKIP and a fallback exclude each other"),
        Arguments.of(WrongToken.class, "@LeaseToken is for a long, not for a String"),
        Arguments.of(Reactive.class, "released before a reactive result is there"),
        Arguments.of(PlainFuture.class, "return a CompletableFuture"),
        Arguments.of(OwnStage.class, "return CompletionStage or CompletableFuture"),
        Arguments.of(InBackground.class, "released before the work is done"),
        Arguments.of(Unreachable.class, "a private, final or static method is out of a proxy's"));
  }

  @ParameterizedTest
  @MethodSource("whatCannotWork")
  void whatCannotWorkEndsTheStart(Class<?> type, String message) {
    runner
        .withBean(type)
        .run(
            context -> {
              FailureAnalysis analysis =
                  new SettingFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis).isNotNull();
              assertThat(analysis.getDescription())
                  .startsWith("@Locked at " + type.getSimpleName() + ".run: ")
                  .contains(message);
            });
  }

  @Test
  void nothingIsLockedWhereSluiceIsOff() {
    runner
        .withPropertyValues("sluice.enabled=false")
        .withBean(Nameless.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void theLockIsTakenBeforeTheTransactionBeginsAndGivenBackAfterItEnds(CapturedOutput output) {
    runner
        .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
        .withUserConfiguration(Transactions.class)
        .run(
            context -> {
              context.getBean(Booked.class).book();
              assertThat(context.getBean(WatchingTransactions.class).seen)
                  .containsExactly("begin: held", "commit: held");
              assertThat(context.getBean(Sluice.class).inspect().lock("book").holder()).isEmpty();
              assertThat(output).doesNotContain("is called inside a transaction");
            });
  }

  @Test
  void aTransactionOfTheCallerOutlivesTheLockWhichIsSaidOnce(CapturedOutput output) {
    runner
        .withUserConfiguration(Transactions.class)
        .run(
            context -> {
              WatchingTransactions transactions = context.getBean(WatchingTransactions.class);
              Booked booked = context.getBean(Booked.class);
              for (int i = 0; i < 3; i++) {
                new TransactionTemplate(transactions).executeWithoutResult(status -> booked.book());
              }
              assertThat(transactions.seen).contains("commit: free");
              assertThat(output.getAll().split("@Locked at Booked.book is called inside a", -1))
                  .hasSize(2);
            });
  }

  static class Nameless {
    @Locked
    public void run() {}
  }

  static class MisspeltParameter {
    @Locked(name = "x", key = "#usr")
    public void run(String user) {}
  }

  static class BadExpression {
    @Locked(name = "x", key = "#user.")
    public void run(String user) {}
  }

  static class NoPlaceholder {
    @Locked(name = "${nothing.fills.this}")
    public void run() {}
  }

  static class NoDuration {
    @Locked(name = "x", waitUpTo = "soon")
    public void run() {}
  }

  static class NegativeWait {
    @Locked(name = "x", waitUpTo = "-1s")
    public void run() {}
  }

  static class ShortTtl {
    @Locked(name = "x", ttl = "9ms")
    public void run() {}
  }

  static class FixedWithMaxHold {
    @Locked(name = "x", renewed = false, maxHold = "1m")
    public void run() {}
  }

  static class NoSuchFallback {
    @Locked(name = "x", fallback = "instead")
    public void run(String text) {}

    void instead(int number) {}
  }

  static class OtherResult {
    @Locked(name = "x", fallback = "instead")
    public String run() {
      return "";
    }

    Object instead() {
      return "";
    }
  }

  static class SkipAndFallback {
    @Locked(name = "x", fallback = "instead", busy = Locked.Busy.SKIP)
    public void run() {}

    void instead() {}
  }

  static class WrongToken {
    @Locked(name = "x")
    public void run(@LeaseToken String token) {}
  }

  static class Reactive {
    @Locked(name = "x")
    public Flow.Publisher<String> run() {
      return subscriber -> {};
    }
  }

  static class PlainFuture {
    @Locked(name = "x")
    public Future<String> run() {
      return CompletableFuture.completedFuture("");
    }
  }

  static class OwnStage {
    static class Stage extends CompletableFuture<String> {}

    @Locked(name = "x")
    public Stage run() {
      return new Stage();
    }
  }

  static class InBackground {
    @Async
    @Locked(name = "x")
    public void run() {}
  }

  static class Unreachable {
    @Locked(name = "x")
    public final void run() {}
  }

  static class Booked {
    @Transactional
    @Locked(name = "book")
    public void book() {}
  }

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement
  static class Transactions {
    @Bean
    Booked booked() {
      return new Booked();
    }

    @Bean
    PlatformTransactionManager transactions(Sluice sluice) {
      return new WatchingTransactions(sluice);
    }
  }

  static class WatchingTransactions extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1L;
    final transient List<String> seen = new ArrayList<>();
    private final transient Sluice sluice;
    private boolean active;

    WatchingTransactions(Sluice sluice) {
      this.sluice = sluice;
    }

    private void see(String what) {
      boolean held = sluice.inspect().lock("book").holder().isPresent();
      seen.add(what + ": " + (held ? "held" : "free"));
    }

    @Override
    protected Object doGetTransaction() {
      return this;
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
      return active;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
      active = true;
      see("begin");
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
      active = false;
      see("commit");
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
      active = false;
    }
  }
}
