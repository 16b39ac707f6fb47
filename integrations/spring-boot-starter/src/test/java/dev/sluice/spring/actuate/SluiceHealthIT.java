package dev.sluice.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.servers.RedisServer;
import dev.sluice.spring.SluiceAutoConfiguration;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class SluiceHealthIT {
  private static final Duration AGES = Duration.ofSeconds(60);
  private static final String[] GOOD = {
    "--maxmemory",
    "1gb",
    "--maxmemory-policy",
    "noeviction",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always"
  };

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SluiceAutoConfiguration.class, SluiceHealthAutoConfiguration.class))
          .withPropertyValues("sluice.request-timeout=10s");

  private static Health health(ApplicationContext context) {
    return context.getBean("sluiceHealthIndicator", HealthIndicator.class).health();
  }

  /** What there is to say of the store, apart from how fast a busy machine answers. */
  private static List<Object> findings(Health health) {
    return health.getDetails().get("findings") instanceof List<?> all
        ? all.stream()
            .<Object>map(one -> ((Map<?, ?>) one).get("id"))
            .filter(id -> !id.equals("slow"))
            .toList()
        : List.of();
  }

  private static String url(RedisServer server) {
    return "sluice.url=redis://:hush@127.0.0.1:" + server.port();
  }

  private static RedisServer start(String... planted) {
    String[] all = Arrays.copyOf(GOOD, GOOD.length + planted.length + 2);
    all[GOOD.length] = "--requirepass";
    all[GOOD.length + 1] = "hush";
    System.arraycopy(planted, 0, all, GOOD.length + 2, planted.length);
    return RedisServer.start(all);
  }

  @Test
  void aGoodStoreIsUp() {
    try (RedisServer server = start()) {
      runner
          .withPropertyValues(url(server))
          .run(
              context -> {
                Health health = health(context);
                assertThat(health.getStatus()).as(health.toString()).isEqualTo(Status.UP);
                assertThat(health.getDetails())
                    .containsEntry("store", "Redis at 127.0.0.1:" + server.port())
                    .containsKey("examined");
                assertThat(findings(health)).isEmpty();
              });
    }
  }

  @Test
  void anErrorIsDownUnlessSettingsSayOtherwise() {
    try (RedisServer server = start("--maxmemory-policy", "allkeys-lru", "--timeout", "60")) {
      runner
          .withPropertyValues(url(server))
          .run(
              context -> {
                Health health = health(context);
                assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                assertThat(findings(health)).containsExactly("eviction-policy", "idle-timeout");
                assertThat(health.toString())
                    .contains("CONFIG SET maxmemory-policy noeviction")
                    .doesNotContain("hush");
              });
      runner
          .withPropertyValues(url(server), "sluice.health.down-on=unreachable")
          .run(context -> assertThat(health(context).getStatus()).isEqualTo(Status.UP));
    }
  }

  @Test
  void aWarningIsUpUnlessSettingsSayOtherwise() {
    try (RedisServer server = start("--timeout", "60")) {
      runner
          .withPropertyValues(url(server))
          .run(
              context -> {
                Health health = health(context);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(findings(health)).containsExactly("idle-timeout");
              });
      runner
          .withPropertyValues(url(server), "sluice.health.down-on=warning")
          .run(context -> assertThat(health(context).getStatus()).isEqualTo(Status.DOWN));
    }
  }

  @Test
  void aStoreThatGoesAwayIsDownAndComesBackUp() {
    try (RedisServer server = RedisServer.start(GOOD)) {
      runner
          .withPropertyValues(
              "sluice.url=redis://127.0.0.1:" + server.port(), "sluice.request-timeout=2s")
          .run(
              context -> {
                await().atMost(AGES).until(() -> health(context).getStatus().equals(Status.UP));
                server.kill();
                await().atMost(AGES).until(() -> health(context).getStatus().equals(Status.DOWN));
                assertThat(health(context).getDetails()).containsKey("error");
                server.restart();
                await().atMost(AGES).until(() -> health(context).getStatus().equals(Status.UP));
              });
    }
  }

  @Test
  void probesDoNotExamineEachTime() {
    try (RedisServer server = RedisServer.start(GOOD)) {
      String url = "sluice.url=redis://127.0.0.1:" + server.port();
      runner
          .withPropertyValues(url)
          .run(
              context -> {
                assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                int first = aclCalls(server);
                assertThat(first).isPositive();
                for (int i = 0; i < 20; i++) {
                  assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                }
                assertThat(aclCalls(server)).isEqualTo(first);
              });
      runner
          .withPropertyValues(url, "sluice.health.examine-every=1ms")
          .run(
              context -> {
                int before = aclCalls(server);
                await()
                    .atMost(AGES)
                    .until(
                        () ->
                            health(context).getStatus().equals(Status.UP)
                                && aclCalls(server) > 3 * before);
              });
    }
  }

  /**
   * Only an examination calls ACL. Redis 6.2 counts all subcommands as one, newer servers count
   * each.
   */
  private static int aclCalls(RedisServer server) {
    Matcher calls =
        Pattern.compile("cmdstat_acl[^:]*:calls=(\\d+)")
            .matcher(String.valueOf(server.call("INFO", "commandstats")));
    return calls.results().mapToInt(one -> Integer.parseInt(one.group(1))).sum();
  }

  @Test
  void theMemoryOfThisJvmIsUpAndSaysWhatItIs() {
    runner.run(
        context -> {
          Health health = health(context);
          assertThat(health.getStatus()).isEqualTo(Status.UP);
          assertThat(findings(health)).containsExactly("one-jvm");
        });
  }

  @Test
  void stepsBackWhereItIsNotWanted() {
    runner
        .withPropertyValues("management.health.sluice.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("sluiceHealthIndicator"));
    runner
        .withPropertyValues("sluice.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("sluiceHealthIndicator"));
    runner
        .withPropertyValues("sluice.health.examine-every=0s")
        .run(context -> assertThat(context).hasFailed());
  }
}
