package dev.sluice.state;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRule;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of counts that docs/stored-formats.md documents. Every backend keeps these. */
class LimitFormatTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final long NOW = 1_795_201_234_000_000L;
  private static final String BORN = "%012x".formatted(NOW / 1000);

  @Test
  void bucketWithoutVersionIsTheTextOfItsArrivalTime() {
    assertThat(text(Limit.gcra(1, MINUTE).burst(10), 1)).isEqualTo("1795201294000000");
    assertThat(text(Limit.tokenBucket(7, MINUTE).burst(10), 1)).isEqualTo("41795201242571428");
  }

  @Test
  void bucketThatTextIsNotEnoughFor() {
    String scale = "00000000000001";
    String step = "00000003938700";
    assertThat(hex(Limit.gcra(1, MINUTE).burst(10), 1, 3, 0))
        .isEqualTo(
            "01" + "0003" + "0660b9dbda5880" + "0000000000000a" + scale + BORN + step + step);
    assertThat(hex(Limit.gcra(1, MINUTE), 1, 0, 1)) // one at once, one promised
        .isEqualTo(
            "01"
                + "0000"
                + "0660b9dbda5880"
                + "00000000000001"
                + scale
                + BORN
                + step
                + "00000007270e00");
    Limit odd = Limit.gcra(997, MINUTE).burst(10);
    assertThat(hex(odd, 1, 0, 0))
        .isEqualTo(
            "01"
                + "0000"
                + "0660b9dbda5880"
                + "0000000000000a"
                + "000000000003e5"
                + BORN
                + step
                + step);
  }

  @Test
  void bucketWithUsesThatAreSettledNotesTheLastPromise() {
    List<LimitRule> rules =
        LimitRule.of(List.of(Limit.gcra(1, MINUTE).burst(10)), 0, CarryOver.KEEP, 0);
    LimitState.Cell[] cells = {new LimitState.Cell()};
    String head = "01" + "0000" + "0660b9dbda5880" + "0000000000000a" + "00000000000001" + BORN;
    LimitRequest begin = new LimitRequest(LimitRequest.Verb.BEGIN, "api", "k", rules, 10, 1, 0, 0);
    LimitState.decide(NOW, begin, cells);
    assertThat(HexFormat.of().formatHex(requireNonNull(cells[0].bytes)))
        .isEqualTo(head + "00000003938700" + "00000023c34600" + "00000000000000");
    LimitRequest reserve =
        new LimitRequest(
            LimitRequest.Verb.TAKE, "api", "k", rules, 1, 1, MINUTE.toMillis() * 1000, 0);
    LimitState.decide(NOW, reserve, cells);
    assertThat(HexFormat.of().formatHex(requireNonNull(cells[0].bytes)))
        .isEqualTo(head + "00000003938700" + "0000002756cd00" + "0660b9df6ddf80");
  }

  @Test
  void windowsKeepTheirStartAndCount() {
    String head = "0000" + "0660b9dbda5880" + "0000000000000a" + "00000003938700" + BORN;
    assertThat(hex(Limit.fixedWindow(10, MINUTE), 3, 0, 0))
        .isEqualTo("02" + head + "0660b9d9d38c00" + "00000000000003");
    assertThat(hex(Limit.expiringWindow(10, MINUTE), 3, 0, 0))
        .isEqualTo("05" + head + "0660b9dbda5880" + "00000000000003");
  }

  @Test
  void logKeepsEveryMoment() {
    assertThat(hex(Limit.slidingLog(10, MINUTE), 3, 0, 0))
        .isEqualTo(
            "03"
                + "0000"
                + "0660b9dbda5880"
                + "0000000000000a"
                + "00000003938700"
                + BORN
                + "00000000000000" // shift
                + "00000000" // first
                + "00000001" // count
                + "0000000003" // sum
                + "0660b9dbda5880"
                + "000003");
  }

  @Test
  void slotsBeginWithTheNewest() {
    assertThat(hex(Limit.slidingWindow(10, MINUTE).slots(3), 3, 0, 0))
        .isEqualTo(
            "04"
                + "0000"
                + "0660b9dbda5880"
                + "0000000000000a"
                + "00000001312d00"
                + BORN
                + "03"
                + "0000000559a13d"
                + "0000000003"
                + "00000000000000000000"
                + "0000000000");
  }

  private static String text(Limit limit, long cost) {
    return new String(bytes(limit, cost, 0, 0), US_ASCII);
  }

  private static String hex(Limit limit, long cost, int version, int promises) {
    return HexFormat.of().formatHex(bytes(limit, cost, version, promises));
  }

  private static byte[] bytes(Limit limit, long cost, int version, int promises) {
    List<LimitRule> rules = LimitRule.of(List.of(limit), version, CarryOver.KEEP, 0);
    LimitState.Cell[] cells = {new LimitState.Cell()};
    for (int i = 0; i <= promises; i++) {
      long wait = Duration.ofHours(1).toSeconds() * 1_000_000;
      LimitRequest request =
          new LimitRequest(LimitRequest.Verb.TAKE, "api", "k", rules, cost, 1, wait, 0);
      assertThat(LimitState.decide(NOW, request, cells).granted()).isEqualTo(1);
    }
    return requireNonNull(cells[0].bytes);
  }
}
