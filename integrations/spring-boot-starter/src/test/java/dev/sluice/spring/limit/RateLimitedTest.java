package dev.sluice.spring.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.RateLimitedException;
import dev.sluice.spring.HeldStore;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.internal.SettingFailureAnalyzer;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

class RateLimitedTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SluiceAutoConfiguration.class, RateLimitAutoConfiguration.class))
          .withPropertyValues("sluice.limiters.two.limits=fixed-window 2/1d");

  @Test
  void aMethodRunsUntilItsKeyIsSpentAndThenThrows() {
    runner
        .withBean(Mail.class)
        .run(
            context -> {
              Mail mail = context.getBean(Mail.class);
              assertThat(mail.send(new User("ann"), "1")).isEqualTo("sent 1");
              assertThat(mail.send(new User("ann"), "2")).isEqualTo("sent 2");

              RateLimitedException refused =
                  catchThrowableOfType(
                      RateLimitedException.class, () -> mail.send(new User("ann"), "3"));

              assertThat(refused.limiter()).isEqualTo("two");
              assertThat(refused.decision().allowed()).isFalse();
              assertThat(refused.decision().retryAfter()).isPositive();
              assertThat(refused).hasMessageNotContaining("ann");
              assertThat(mail.send(new User("bob"), "4")).isEqualTo("sent 4");
              assertThat(mail.sent()).containsExactly("1", "2", "4");
            });
  }

  @Test
  void aFallbackAnswersWithOrWithoutTheDecision() {
    runner
        .withBean(Mail.class)
        .run(
            context -> {
              Mail mail = context.getBean(Mail.class);
              assertThat(mail.heavy("1")).isEqualTo("heavy 1");
              assertThat(mail.heavy("2")).isEqualTo("2 refused by 1");
              assertThat(mail.plain("3")).isEqualTo("plain 3");
              assertThat(mail.plain("4")).isEqualTo("plain 4");
              assertThat(mail.plain("5")).isEqualTo("5 later");
            });
  }

  @Test
  void expressionsSeeBeansAndTheTarget() {
    runner
        .withBean(Mail.class)
        .withBean("tenants", Tenants.class)
        .run(
            context -> {
              Mail mail = context.getBean(Mail.class);
              Tenants tenants = context.getBean(Tenants.class);
              mail.ofTenant();
              mail.ofTenant();
              assertThatThrownBy(mail::ofTenant).isInstanceOf(RateLimitedException.class);
              tenants.now = "other";
              mail.ofTenant();
            });
  }

  @Test
  void aKeyThatIsNullIsAnError() {
    runner
        .withBean(Mail.class)
        .run(
            context ->
                assertThatThrownBy(() -> context.getBean(Mail.class).send(new User(null), "x"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("@RateLimited at Mail.send: key '#user.name' is null"));
  }

  @Test
  void asynchronousMethodsAnswerThroughTheirStage() {
    runner
        .withBean(Mail.class)
        .run(
            context -> {
              Mail mail = context.getBean(Mail.class);
              assertThat(mail.later("k").toCompletableFuture().get()).isEqualTo("later k");
              mail.later("k").toCompletableFuture().get();

              CompletionStage<String> refused = mail.later("k");

              assertThatThrownBy(() -> refused.toCompletableFuture().get())
                  .isInstanceOf(ExecutionException.class)
                  .hasCauseInstanceOf(RateLimitedException.class);
              assertThat(mail.laterOr("k").get()).isEqualTo("instead of k");
              assertThatThrownBy(() -> mail.laterBroken("b").get())
                  .hasRootCauseMessage("broken inside");
            });
  }

  @Test
  void anAsynchronousMethodDoesNotWaitForTheStoreAndRunsOnTheTaskExecutor() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    runner
        .withPropertyValues("sluice.limiters.two.deadline=1m")
        .withBean(Mail.class)
        .withBean(
            "applicationTaskExecutor",
            ExecutorService.class,
            () -> Executors.newSingleThreadExecutor(task -> new Thread(task, "the-executor")))
        .withBean(Sluice.class, () -> Sluice.builder().backend(HeldStore.until(gate)).build())
        .run(
            context -> {
              Mail mail = context.getBean(Mail.class);
              CompletableFuture<String> thread = mail.laterThread("k");
              assertThat(thread).isNotDone();

              gate.complete(null);

              assertThat(thread.get(30, TimeUnit.SECONDS)).isEqualTo("the-executor");
            });
  }

  @Test
  void aClientThatIsMadeFromAnInterfaceIsLimitedToo() {
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
              assertThat(remote.ask("k")).isEqualTo("asked k");
              remote.ask("k");
              assertThatThrownBy(() -> remote.ask("k")).isInstanceOf(RateLimitedException.class);
              assertThat(remote.ask("other")).isEqualTo("asked other");
            });
  }

  interface Remote {
    @RateLimited(limiter = "two", key = "#question")
    String ask(String question);
  }

  @Test
  void aRefusedCallOpensNoTransaction() {
    runner
        .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
        .withUserConfiguration(Transactions.class)
        .run(
            context -> {
              Booked booked = context.getBean(Booked.class);
              CountingTransactions transactions = context.getBean(CountingTransactions.class);
              booked.book();
              booked.book();
              assertThatThrownBy(booked::book).isInstanceOf(RateLimitedException.class);
              assertThat(transactions.begun).hasValue(2);
            });
  }

  static Stream<Arguments> whatCannotWork() {
    return Stream.of(
        Arguments.of(
            NoSuchLimiter.class,
            "no limiter 'three' under sluice.limiters; configured limiters: two"),
        Arguments.of(BadExpression.class, "key '#user.' is not an expression: "),
        Arguments.of(
            MisspeltParameter.class,
            "key has no variable #usr: there are a0, p0, root, this, user"),
        Arguments.of(NoSuchFallback.class, "fallback 'instead' must be a method of NoSuchFallback"),
        Arguments.of(OtherResult.class, "fallback 'instead' must be a method of OtherResult"),
        Arguments.of(TooDear.class, "must be 1 to 2, what 'two' admits in one call: 3"),
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
                  .startsWith("@RateLimited at " + type.getSimpleName() + ".run: ")
                  .contains(message);
            });
  }

  record User(String name) {}

  static class Tenants {
    String now = "first";

    public String current() {
      return now;
    }
  }

  static class Mail {
    private final List<String> sent = new ArrayList<>();

    List<String> sent() {
      return sent;
    }

    @RateLimited(limiter = "two", key = "#user.name")
    public String send(User user, String text) {
      sent.add(text);
      return "sent " + text;
    }

    @RateLimited(limiter = "two", key = "'heavy'", permits = 2, fallback = "tooHeavy")
    public String heavy(String text) {
      return "heavy " + text;
    }

    @SuppressWarnings("unused") // by name
    private String tooHeavy(String text, Decision decision) {
      return text + " refused by " + decision.refusedBy().orElseThrow();
    }

    @RateLimited(limiter = "two", key = "'plain'", fallback = "instead")
    public String plain(String text) {
      return "plain " + text;
    }

    String instead(String text) {
      return text + " later";
    }

    @RateLimited(limiter = "two", key = "@tenants.current()")
    public void ofTenant() {}

    @RateLimited(limiter = "two", key = "#p0")
    public CompletionStage<String> later(String key) {
      return CompletableFuture.completedFuture("later " + key);
    }

    @RateLimited(limiter = "two", key = "#key", fallback = "laterInstead")
    public CompletableFuture<String> laterOr(String key) {
      return CompletableFuture.completedFuture("later " + key);
    }

    CompletableFuture<String> laterInstead(String key) {
      return CompletableFuture.completedFuture("instead of " + key);
    }

    @RateLimited(limiter = "two", key = "#key")
    public CompletableFuture<String> laterBroken(String key) {
      throw new IllegalStateException("broken inside");
    }

    @RateLimited(limiter = "two", key = "#key")
    public CompletableFuture<String> laterThread(String key) {
      return CompletableFuture.completedFuture(Thread.currentThread().getName());
    }
  }

  static class NoSuchLimiter {
    @RateLimited(limiter = "three", key = "'k'")
    public void run() {}
  }

  static class BadExpression {
    @RateLimited(limiter = "two", key = "#user.")
    public void run(User user) {}
  }

  static class MisspeltParameter {
    @RateLimited(limiter = "two", key = "'x' + #usr.name")
    public void run(User user) {}
  }

  static class NoSuchFallback {
    @RateLimited(limiter = "two", key = "'k'", fallback = "instead")
    public String run(String text) {
      return text;
    }

    String instead(int number) {
      return "" + number;
    }
  }

  static class OtherResult {
    @RateLimited(limiter = "two", key = "'k'", fallback = "instead")
    public String run(String text) {
      return text;
    }

    Object instead(String text) {
      return text;
    }
  }

  static class TooDear {
    @RateLimited(limiter = "two", key = "'k'", permits = 3)
    public void run() {}
  }

  static class Unreachable {
    @RateLimited(limiter = "two", key = "'k'")
    public final void run() {}
  }

  static class Booked {
    @Transactional
    @RateLimited(limiter = "two", key = "'book'")
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
    PlatformTransactionManager transactions() {
      return new CountingTransactions();
    }
  }

  static class CountingTransactions extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1L;
    final transient AtomicInteger begun = new AtomicInteger();

    @Override
    protected Object doGetTransaction() {
      return this;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
      begun.incrementAndGet();
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {}

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}
  }
}
