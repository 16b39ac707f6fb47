package dev.sluice.spring.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.Decision;
import dev.sluice.limit.Decision.Source;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Outage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.json.JsonParserFactory;

class RateLimitFieldsTest {
  private static final List<Limit> TWO =
      limits("token-bucket 10/s burst 20 name user", "sliding-window 1000/1h");

  private static List<Limit> limits(String... texts) {
    return Stream.of(texts).map(Limit::parse).toList();
  }

  private static Decision allowed(long limit, long remaining, Duration reset) {
    return new Decision(
        true, limit, remaining, Duration.ZERO, reset, Optional.empty(), Source.STORE);
  }

  private static Decision refused(String tier, Duration retry, Source source) {
    return new Decision(false, 20, 0, retry, Duration.ofMinutes(1), Optional.of(tier), source);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "999999999, 1", "1000000000, 1", "1000000001, 2", "59999999999, 60"})
  void retryAfterIsRoundedUpAndNeverZero(long nanos, long seconds) {
    assertThat(RateLimitFields.retryAfter(refused("1", Duration.ofNanos(nanos), Source.STORE)))
        .isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({
    "fixed-window 100/10s,          q=100;w=10",
    "sliding-window 5/1500ms,       q=5;w=2",
    "sliding-log 5/500ms,           q=5", // the field has no fractions of a second
    "token-bucket 10/s burst 20,    q=20;w=2",
    "token-bucket 10/s burst 25,    q=25;w=3",
    "gcra 100/s burst 1,            q=1",
    "leaky-bucket 1/1d,             q=1;w=86400",
    "token-bucket 1000000/s burst 1000000000, q=1000000000;w=1000"
  })
  void policyNamesQuotaAndWindow(String limit, String item) {
    assertThat(RateLimitFields.policies("api", limits(limit))).containsExactly("\"api\";" + item);
  }

  @Test
  void everyTierIsAPolicyOfItsOwn() {
    assertThat(RateLimitFields.policies("api", TWO))
        .containsExactly("\"api/user\";q=20;w=2", "\"api/2\";q=1000;w=3600");
  }

  @Test
  void aQueueHasNoQuota() {
    List<Limit> queue = limits("leaky-queue 5/s places 10");

    assertThat(RateLimitFields.policies("api", queue)).isEmpty();
    assertThat(RateLimitFields.state("api", queue, allowed(10, 3, Duration.ZERO))).isEmpty();
  }

  @Test
  void stateIsThatOfTheTierThatDecided() {
    assertThat(RateLimitFields.state("api", TWO, allowed(1000, 7, Duration.ofMillis(2001))))
        .isEqualTo("\"api/2\";r=7;t=3");
    assertThat(RateLimitFields.state("api", TWO, allowed(20, 20, Duration.ZERO)))
        .isEqualTo("\"api/user\";r=20;t=0");
    assertThat(
            RateLimitFields.state("api", TWO, refused("2", Duration.ofMillis(1500), Source.MEMO)))
        .as("the moment that Retry-After names")
        .isEqualTo("\"api/2\";r=0;t=2");
  }

  @Test
  void stateIsLeftOutRatherThanGuessed() {
    List<Limit> alike = limits("fixed-window 20/s", "fixed-window 20/1h");

    assertThat(RateLimitFields.state("api", alike, allowed(20, 3, Duration.ZERO))).isEmpty();
    assertThat(RateLimitFields.state("api", TWO, refused("gone", Duration.ZERO, Source.STORE)))
        .isEmpty();
    assertThat(RateLimitFields.state("api", TWO, refused("2", Duration.ZERO, Source.FALLBACK)))
        .isEmpty();
  }

  @Test
  void namesAreQuotedForWhereTheyGo() {
    List<Limit> one = limits("fixed-window 20/s");
    String odd = "a\"b\\c\u00e4\n";

    assertThat(RateLimitFields.policies(odd, one)).containsExactly("\"a\\\"b\\\\c__\";q=20;w=1");
    assertThat(parsed(odd, one, Source.STORE))
        .containsEntry("type", "https://iana.org/assignments/http-problem-types#quota-exceeded")
        .containsEntry("violated-policies", List.of(odd));
    String odder = "\u0000\u001f\u007f\u2028\t/</\ud83d\ude00";
    assertThat(parsed(odder, one, Source.STORE)).containsEntry("violated-policies", List.of(odder));
    assertThat(parsed("a\ud83db", one, Source.STORE))
        .as("half a character has no form in UTF-8")
        .containsEntry("violated-policies", List.of("a?b"));
  }

  private static Map<String, Object> parsed(String limiter, List<Limit> tiers, Source source) {
    return parsed(limiter, tiers, source, Outage.Kind.LOCAL_SHARE);
  }

  private static Map<String, Object> parsed(
      String limiter, List<Limit> tiers, Source source, Outage.Kind outage) {
    byte[] problem =
        TooManyRequests.problem(limiter, tiers, refused("1", Duration.ofSeconds(1), source), outage)
            .toJson();
    return JsonParserFactory.getJsonParser().parseMap(new String(problem, UTF_8));
  }

  @Test
  void noQuotaIsSaidToBeExceededWhileNobodyCounts() {
    assertThat(parsed("api", TWO, Source.FALLBACK))
        .containsEntry("type", "about:blank")
        .containsEntry("title", "Too Many Requests")
        .containsEntry("status", 429)
        .doesNotContainKey("violated-policies");
    assertThat(parsed("api", TWO, Source.FALLBACK, Outage.Kind.CLOSED))
        .containsEntry("type", "about:blank")
        .containsEntry("title", "Service Unavailable")
        .containsEntry("status", 503)
        .doesNotContainKey("violated-policies");
  }
}
