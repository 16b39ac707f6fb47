package dev.sluice.spring.internal;

import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The path of a rule for HTTP requests.
 *
 * @since 0.1
 */
public final class RulePath {
  private RulePath() {}

  /**
   * Reads a path.
   *
   * @throws SettingException if it is none
   */
  public static PathPattern of(String setting, String text) {
    return SettingException.at(
        setting,
        () -> {
          if (!text.startsWith("/")) {
            throw new IllegalArgumentException("must start with '/': '" + text + "'");
          }
          return PathPatternParser.defaultInstance.parse(text);
        });
  }
}
