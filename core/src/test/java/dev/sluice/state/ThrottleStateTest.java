package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.ThrottleReply;
import dev.sluice.spi.ThrottleRequest;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ThrottleStateTest {
  private static final long EPOCH = 1_767_225_600_000_000L;

  @Test
  void answersEveryVector() throws Exception {
    Map<String, String> states = new HashMap<>();
    int checked = 0;
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(getClass().getResourceAsStream("cl-throttle.csv")),
                StandardCharsets.UTF_8))) {
      List<String> lines = in.lines().skip(1).toList();
      for (String line : lines) {
        String[] f = line.split(",");
        long now = EPOCH + new BigDecimal(f[6]).movePointRight(6).longValueExact();
        ThrottleRequest request =
            ThrottleRequest.of(
                Long.parseLong(f[2]),
                Long.parseLong(f[3]),
                Long.parseLong(f[4]),
                Long.parseLong(f[5]));
        ThrottleState.Step step = ThrottleState.decide(now, states.get(f[1]), request);
        states.put(f[1], step.stored());
        assertThat(step.reply())
            .as(line)
            .isEqualTo(
                new ThrottleReply(
                    Integer.parseInt(f[7]),
                    Long.parseLong(f[8]),
                    Long.parseLong(f[9]),
                    Long.parseLong(f[10]),
                    Long.parseLong(f[11])));
        checked++;
      }
    }
    assertThat(checked).isGreaterThan(50);
  }
}
