package dev.sluice.spring.console;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the console inside the application, where sluice-console is on the class path.
 *
 * @param enabled Whether the console answers in this application.
 * @param path Where it answers, beginning with a slash.
 * @param writes Whether people may release locks by force and change limits.
 * @param token What people must know to look, at least 16 printable characters. If not set, a token
 *     is made for this run and logged at the start.
 * @param report Whether this process shows its figures on every console of its store. While nobody
 *     watches, that costs one small read in five seconds.
 * @param process What people call this process. spring.application.name and the host's name unless
 *     set.
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
