package dev.sluice.flashsale;

import java.time.Duration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** This process among those that sell. */
@Component
final class Instance {
  private final Duration work;
  private volatile String url = "";

  Instance(SaleProperties settings) {
    this.work = settings.work();
  }

  @EventListener
  void onPort(ServletWebServerInitializedEvent event) {
    url = "http://127.0.0.1:" + event.getWebServer().getPort();
  }

  /** {@return where this instance listens; empty before it does} */
  String url() {
    return url;
  }

  /** The same inside of a callback. */
  void workUninterrupted() {
    try {
      work();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted at work", e);
    }
  }

  /** What a purchase does between its check and its write: payment, stock systems, mail. */
  void work() throws InterruptedException {
    if (!work.isZero()) {
      Thread.sleep(work.toMillis());
    }
  }
}
