package dev.sluice.spring;

import dev.sluice.spi.Secrets;

/** The bean could not be made from the settings under {@code sluice.*}; the cause says why. */
final class SluiceStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String url;

  SluiceStartException(String url, Exception cause) {
    super("No Sluice client for '" + Secrets.mask(url) + "': " + cause.getMessage(), cause);
    this.url = Secrets.mask(url);
  }

  String url() {
    return url;
  }
}
