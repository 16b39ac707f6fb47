package dev.sluice.spring.actuate;

import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.Sluice;
import dev.sluice.spring.SluiceProperties.Health.DownOn;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports whether the store answers, by one round trip for each probe, and the last findings of the
 * doctor. No secret is among the details.
 */
final class SluiceHealthIndicator extends AbstractHealthIndicator {
  private static final String PROBE = "sluice:health";

  private final Sluice sluice;
  private final Checkup checkup;
  private final DownOn downOn;

  SluiceHealthIndicator(Sluice sluice, Checkup checkup, DownOn downOn) {
    super("The store of Sluice does not answer");
    this.sluice = sluice;
    this.checkup = checkup;
    this.downOn = downOn;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) throws InterruptedException {
    health.withDetail("store", sluice.describe());
    sluice.inspect().lock(PROBE); // a failure is DOWN, by the parent
    health.up();
    Checkup.Result result = checkup.latest();
    if (result == null) {
      return;
    }
    if (result.findings().stream().anyMatch(this::isDown)) {
      health.down();
    }
    health.withDetail("examined", result.at().toString());
    if (!result.findings().isEmpty()) {
      health.withDetail(
          "findings", result.findings().stream().map(SluiceHealthIndicator::fields).toList());
    }
  }

  private boolean isDown(Finding finding) {
    return switch (downOn) {
      case UNREACHABLE -> false;
      case ERROR -> finding.severity() == Severity.ERROR;
      case WARNING -> finding.severity() != Severity.INFO;
    };
  }

  private static Map<String, String> fields(Finding finding) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
    fields.put("id", finding.id());
    fields.put("what", finding.what());
    fields.put("fix", finding.fix());
    return fields;
  }
}
