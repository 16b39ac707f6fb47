package dev.sluice.flashsale;

import dev.sluice.Sluice;
import dev.sluice.flashsale.desk.OneTimeCodes;
import dev.sluice.flashsale.desk.OneTimeCodes.Checked;
import dev.sluice.flashsale.desk.OneTimeCodes.Sent;
import jakarta.annotation.PreDestroy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** One-time codes for a phone, where the store is a Redis. */
@RestController
final class CodeController {
  private final @Nullable OneTimeCodes codes;

  CodeController(
      Sluice sluice,
      SaleProperties settings,
      Ledger ledger,
      @Value("${sluice.url:memory:}") String store) {
    this.codes =
        LimitedStock.isOneRedis(store)
            ? new OneTimeCodes(
                sluice, store, LimitedStock.key(settings, ledger), settings.redisTimeout())
            : null;
  }

  private OneTimeCodes codes() {
    if (codes == null) {
      throw new ResponseStatusException(
          HttpStatus.NOT_FOUND, "one-time codes need a Redis: --url redis://HOST:PORT");
    }
    return codes;
  }

  /** Sends a code. This sample has no gateway for messages, so the answer has what it would say. */
  @PostMapping("/code/send")
  ResponseEntity<Map<String, Object>> send(@RequestParam String phone) {
    AtomicReference<String> message = new AtomicReference<>();
    Sent sent = codes().send(phone, message::set);
    if (!sent.sent()) {
      long seconds = sent.retryAfter().plusMillis(999).toSeconds();
      return ResponseEntity.status(HttpStatus.TOO_MANY_REQUESTS)
          .header(HttpHeaders.RETRY_AFTER, "" + seconds)
          .body(Map.of("answer", "limited", "seconds", seconds));
    }
    return ResponseEntity.ok()
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .body(Map.of("answer", "sent", "message", message.get()));
  }

  /** Compares a code, and uses it up. */
  @PostMapping("/code/check")
  Map<String, Object> check(@RequestParam String phone, @RequestParam String code) {
    Checked checked = codes().check(phone, code);
    Map<String, Object> reply = new LinkedHashMap<>();
    reply.put("answer", checked.passed() ? "passed" : checked.triesLeft() > 0 ? "wrong" : "gone");
    reply.put("left", checked.triesLeft());
    return reply;
  }

  @PreDestroy
  void close() {
    if (codes != null) {
      codes.close();
    }
  }
}
