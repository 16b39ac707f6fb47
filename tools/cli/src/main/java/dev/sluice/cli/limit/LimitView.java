package dev.sluice.cli.limit;

import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Text;
import dev.sluice.limit.Decision;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.jr.ob.JSON;

/** Formats a decision as a line and as JSON. The names of the JSON fields are a promise. */
final class LimitView {
  private LimitView() {}

  static String line(Decision decision) {
    StringBuilder out = new StringBuilder(decision.allowed() ? "allowed" : "refused");
    decision.refusedBy().ifPresent(tier -> out.append(" by tier ").append(Text.visible(tier)));
    out.append("; ").append(decision.remaining()).append(" of ").append(decision.limit());
    out.append(" left");
    if (!decision.allowed()) {
      out.append("; retry in ").append(DurationText.brief(up(decision.retryAfter())));
    }
    if (!decision.resetAfter().isZero()) {
      out.append("; full again in ").append(DurationText.brief(up(decision.resetAfter())));
    }
    return out.toString();
  }

  static String json(String name, String key, Decision decision) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("key", key);
    fields.put("allowed", decision.allowed());
    fields.put("limit", decision.limit());
    fields.put("remaining", decision.remaining());
    fields.put("retryAfterMillis", up(decision.retryAfter()).toMillis());
    fields.put("resetAfterMillis", up(decision.resetAfter()).toMillis());
    decision.refusedBy().ifPresent(tier -> fields.put("refusedBy", tier));
    return Text.visibleJson(JSON.std.asString(fields));
  }

  /** Rounds up to whole milliseconds, so that a caller that waits this long is not too early. */
  private static Duration up(Duration time) {
    return Duration.ofMillis(time.plusNanos(999_999).toMillis());
  }
}
