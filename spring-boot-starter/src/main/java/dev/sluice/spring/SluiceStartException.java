package dev.sluice.spring;

import java.util.regex.Pattern;

/** The bean could not be made from the settings under {@code sluice.*}; the cause says why. */
final class SluiceStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final Pattern USER_INFO = Pattern.compile("//[^/?#]*@");

  private final String url;

  SluiceStartException(String url, Exception cause) {
    super("No Sluice client for '" + withoutSecrets(url) + "': " + cause.getMessage(), cause);
    this.url = withoutSecrets(url);
  }

  String url() {
    return url;
  }

  private static String withoutSecrets(String url) {
    return USER_INFO.matcher(url).replaceFirst("//***@");
  }
}
