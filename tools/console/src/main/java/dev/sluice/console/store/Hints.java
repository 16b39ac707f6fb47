package dev.sluice.console.store;

import dev.sluice.Finding;
import dev.sluice.text.Secrets;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Commands to copy: each runs in a shell unchanged, on the displayed store. */
public final class Hints {
  private static final Pattern SETTING = Pattern.compile("CONFIG SET [\\w-]+ [\\w-]+");
  private static final Pattern SERVER = Pattern.compile("(?:.* )?([\\w.-]+):(\\d{1,5})");

  private final String store;
  private final boolean tls;

  /**
   * Commands for a store.
   *
   * @param url its address; where it is unknown, or holds a secret, commands take it from the
   *     variable SLUICE_URL, and fail without it rather than reach another store
   */
  public Hints(@Nullable String url) {
    this.store = url == null || !Secrets.mask(url).equals(url) ? "\"$SLUICE_URL\"" : word(url);
    this.tls = url != null && url.startsWith("rediss");
  }

  /** The command line of Sluice: a command, the store, and the arguments. */
  public String sluice(String command, String... words) {
    return "sluice " + command + " --url " + store + " " + words(words);
  }

  /** The command that fixes a finding, if it is safe to run without further decisions. */
  Optional<String> fix(Finding finding) {
    if (finding.id().equals(WaitCircles.ID)) {
      return Optional.of(finding.fix());
    }
    Matcher server = SERVER.matcher(finding.where());
    if (!SETTING.matcher(finding.fix()).matches() || !server.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        words("redis-cli", "-h", server.group(1), "-p", server.group(2))
            + (tls ? " --tls " : " ")
            + finding.fix());
  }

  private static String words(String... words) {
    return Arrays.stream(words).map(Hints::word).collect(Collectors.joining(" "));
  }

  /** Quotes one word, with any characters. */
  private static String word(String text) {
    return text.matches("[\\w./:@%+=,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
