package dev.sluice.flashsale.desk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.flashsale.desk.Showcase.Leader;
import dev.sluice.flashsale.desk.Showcase.View;
import dev.sluice.inventory.Claim;
import dev.sluice.inventory.ClaimState;
import dev.sluice.servers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ShowcaseIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static RedisServer redis;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  /** Waits until all is shown. */
  private static Showcase open() {
    return new Showcase(redis.uri(), AGES, AGES);
  }

  private static List<Claim> orders(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> new Claim(1, i, "b" + i, 1, "r", ClaimState.HELD, Instant.EPOCH, 1))
        .toList();
  }

  @Test
  void showsEachOrderOnceInTheTypesMadeForIt() {
    showsEachOrderOnce(open());
    assertThat(redis.call("TYPE", "flash-sale:{s}:product")).isEqualTo("hash");
    assertThat(redis.call("TYPE", "flash-sale:{s}:stock")).isEqualTo("string");
    assertThat(redis.call("TYPE", "flash-sale:{s}:buyers")).isEqualTo("set");
    assertThat(redis.call("TYPE", "flash-sale:{s}:recent")).isEqualTo("list");
    assertThat(redis.call("TYPE", "flash-sale:{s}:leaders")).isEqualTo("zset");
    for (String what : List.of("product", "stock", "buyers", "recent", "leaders")) {
      assertThat((Long) redis.call("TTL", "flash-sale:{s}:" + what)).as(what).isPositive();
    }
  }

  @Test
  void theBoardOfASaleFollowsEachBatch() {
    try (Showcase showcase = open()) {
      showcase.show("live", orders(0, 3));
      List<Leader> early = showcase.look("live", 0).leaders();
      assertThat(early.stream().mapToLong(Leader::orders).sum()).isEqualTo(3);
      Leader last = early.get(early.size() - 1);
      List<Claim> rush =
          orders(3, 500).stream()
              .filter(order -> Showcase.town(order.claimant()).equals(last.town()))
              .toList();
      showcase.show("live", rush);
      assertThat(showcase.look("live", 0).leaders().get(0))
          .isEqualTo(new Leader(last.town(), last.orders() + rush.size()));
    }
  }

  @Test
  void ordersAreShownAlsoIfRedisAnswersAfterTheDrainWentOn() {
    try (Showcase showcase = new Showcase(redis.uri(), AGES, Duration.ofMillis(1));
        Showcase visitor = open()) {
      visitor.open("late", Map.of("name", "gate"), 100);
      redis.call("CLIENT", "PAUSE", "200", "WRITE");
      showcase.show("late", orders(0, 15));

      await()
          .untilAsserted(
              () -> assertThat(visitor.look("late", 0).recent()).startsWith("b14", "b13"));
      assertThat(visitor.look("late", 0).stock()).isEqualTo(85);
      await().until(() -> (Long) redis.call("TTL", "flash-sale:{late}:buyers") > 0);
    }
  }

  @Test
  void commonBuyersAreThoseOfBothSales() {
    try (Showcase showcase = open()) {
      showcase.show("first", orders(0, 40));
      showcase.show("second", orders(37, 60));
      assertThat(showcase.common("first", "second"))
          .isEqualTo(new Showcase.Common(3, List.of("b37", "b38", "b39")));
      assertThat(showcase.common("second", "first").count()).isEqualTo(3);
      Showcase.Common all = showcase.common("first", "first");
      assertThat(all.count()).isEqualTo(40);
      assertThat(all.some()).as("a page of them").hasSize(Showcase.PAGE).doesNotHaveDuplicates();
      assertThat(showcase.common("first", "never")).isEqualTo(new Showcase.Common(0, List.of()));
    }
  }

  private static void showsEachOrderOnce(Showcase showcase) {
    try (showcase) {
      showcase.open("s", Map.of("name", "gate"), 100);
      showcase.show("s", orders(0, 15));
      showcase.show("s", orders(10, 25)); // some come twice
      showcase.open("s", Map.of("name", "gate"), 100); // as the next instance does

      View view = showcase.look("s", 0);
      assertThat(view.product()).containsEntry("name", "gate");
      assertThat(view.stock()).isEqualTo(75);
      assertThat(view.buyers()).isEqualTo(25);
      assertThat(view.recent()).hasSize(10).startsWith("b24", "b23");
      assertThat(showcase.look("s", 2).recent()).containsExactly("b4", "b3", "b2", "b1", "b0");
      assertThat(view.leaders())
          .extracting(Leader::orders)
          .isSortedAccordingTo((a, b) -> Long.compare(b, a));
      assertThat(view.leaders().stream().mapToLong(Leader::orders).sum()).isEqualTo(25);
      assertThat(showcase.look("other", 0).buyers()).isZero();
    }
  }
}
