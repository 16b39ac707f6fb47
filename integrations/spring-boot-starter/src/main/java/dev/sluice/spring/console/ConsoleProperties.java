package dev.sluice.spring.console;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the console inside the application, where sluice-console is on the class path.
 *
 * @param enabled Whether the application serves the console.
 * @param path Path of the console, beginning with a slash.
 * @param writes Whether users of the console may release locks by force and change limits.
 * @param token Password of the console, at least 16 printable characters. Default: a token that is
 *     generated and logged at each start.
 * @param report Whether this process shows its figures on every console of its store. While no
 *     console is open, that costs one small read in five seconds.
 * @param process Name of this process on the console. Default: spring.application.name and the name
 *     of the host.
 * @since 0.1
 */
@ConfigurationProperties("sluice.console")
record ConsoleProperties(
    @DefaultValue("false") boolean enabled,
    @DefaultValue("/sluice") String path,
    @DefaultValue("false") boolean writes,
    @Nullable String token,
    @DefaultValue("false") boolean report,
    @Nullable String process) {

  /** {@return the settings without the token} */
  @Override
  public String toString() {
    return "ConsoleProperties[enabled=%s, path=%s, writes=%s, token=%s, report=%s, process=%s]"
        .formatted(enabled, path, writes, token == null ? "none" : "set", report, process);
  }
}
