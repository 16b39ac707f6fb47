package dev.sluice.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Masks the secrets of a URI for messages and logs.
 *
 * @since 0.1
 */
public final class Secrets {
  /** {@code redis://}, {@code jdbc:mysql://}; other slashes may belong to a password. */
  private static final Pattern SCHEME = Pattern.compile("(?:[A-Za-z][A-Za-z0-9+.-]*:){1,2}//");

  /**
   * The name of an option, with an equals sign. No two begin at one place, so a search is linear.
   */
  private static final Pattern OPTION = Pattern.compile("[?&;#(,]([^=?&;#(,]*+)=(?!\\*{3})");

  /** Matches the name of an option that may hold a user or a secret. */
  private static final Pattern SECRET =
      Pattern.compile("user|pass|pwd|secret|token|credential|key", Pattern.CASE_INSENSITIVE);

  private Secrets() {}

  /**
   * Masks possible secrets in a URI with three asterisks: the user information, which is everything
   * between {@code //}, or the scheme's colon without {@code //}, and the last {@code @}; and all
   * from the first option whose name contains a user, a password, a secret, a token, a credential
   * or a key. A fragment is masked too, except for Redis Sentinel, whose URIs name the master
   * there. People paste passwords without encoding them, so one may hold {@code /}, {@code ?},
   * {@code #}, {@code @}, {@code &} and blanks; what a strict parser would take for path, query or
   * fragment is hidden as well.
   *
   * @param uri a URI, or a text that was meant as one
   * @return the URI without a user and a password; unchanged if it has no {@code @}, no such option
   *     and no fragment
   */
  public static String mask(String uri) {
    String shown = withoutUser(uri);
    int secret = secretFrom(shown);
    int fragment = fragmentFrom(shown);
    int from = secret < 0 || fragment >= 0 && fragment < secret ? fragment : secret;
    return from < 0 ? shown : shown.substring(0, from) + "***";
  }

  /** Returns the index of a fragment that may be secret, or -1. */
  private static int fragmentFrom(String uri) {
    Matcher scheme = SCHEME.matcher(uri);
    if (!scheme.lookingAt() || scheme.group().contains("-sentinel:")) {
      return -1;
    }
    int hash = uri.indexOf('#', scheme.end());
    return hash < 0 ? -1 : hash + 1;
  }

  /** The start of the value of the first secret option, or -1. */
  static int secretFrom(CharSequence uri) {
    Matcher option = OPTION.matcher(uri);
    Matcher secret = SECRET.matcher(uri);
    while (option.find()) {
      if (secret.region(option.start(1), option.end(1)).find()) {
        return option.end();
      }
    }
    return -1;
  }

  private static String withoutUser(String uri) {
    int at = uri.lastIndexOf('@');
    if (at < 0) {
      return uri;
    }
    Matcher scheme = SCHEME.matcher(uri);
    int start = scheme.lookingAt() ? scheme.end() : uri.indexOf(':') + 1;
    // a pair of slashes, or the only colon, behind the last @ is none of the scheme's
    return start > at
        ? "***" + uri.substring(at)
        : uri.substring(0, start) + "***" + uri.substring(at);
  }
}
