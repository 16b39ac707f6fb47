package dev.sluice.spi;

import dev.sluice.text.Names;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rule for namespaces, and the option of a URI that sets one: {@code
 * redis://host?namespace=shop-staging}. Clients of one store see only what has their own namespace.
 *
 * @since 0.1
 */
public final class Namespace {
  /** The prefix of Redis keys without a namespace. */
  private static final String RESERVED = "sl";

  private static final Pattern RULE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?");

  /** H2 separates options by semicolons. */
  private static final Pattern OPTION = Pattern.compile("(?i)([?&;])namespace=([^?&;#]*)([&;]?)");

  private Namespace() {}

  /**
   * Checks a namespace: 1 to 32 lower-case letters, digits and hyphens, as in a DNS label. So it
   * can be part of a key, of a rule in an ACL, of a path and of the name of a table, and two of
   * them differ in all of these.
   *
   * @param namespace the namespace
   * @return the namespace
   * @throws IllegalArgumentException if it breaks the rule
   */
  public static String check(String namespace) {
    if (namespace == null) {
      throw new IllegalArgumentException("namespace must not be null");
    }
    if (!RULE.matcher(namespace).matches() || namespace.equals(RESERVED)) {
      throw new IllegalArgumentException(
          "namespace must be 1 to 32 of a-z, 0-9 and '-', with no '-' at an end, and not 'sl': "
              + shown(namespace));
    }
    return namespace;
  }

  /** The text after the name of an option may be the rest of a password, up to the at sign. */
  private static String shown(String namespace) {
    return namespace.indexOf('@') >= 0
        ? "'***'"
        : namespace.length() <= 64
            ? Names.quoted(namespace)
            : Names.quoted(namespace.substring(0, 64)) + "... of " + namespace.length();
  }

  /**
   * Reads the option {@code namespace} of a URI.
   *
   * @param uri a URI of any store
   * @return the namespace; null if the URI names none
   * @throws IllegalArgumentException if it breaks the rule, or there are two
   */
  public static @Nullable String of(String uri) {
    Matcher found = OPTION.matcher(uri);
    if (!found.find()) {
      return null;
    }
    String namespace = check(found.group(2));
    if (found.find(found.start(3))) {
      throw new IllegalArgumentException(
          "a URI must name one namespace at most: "
              + shown(namespace)
              + ", "
              + shown(found.group(2)));
    }
    return namespace;
  }

  /**
   * Returns a URI without the option, for a driver.
   *
   * @param uri a URI of any store
   * @return the rest of it
   */
  public static String without(String uri) {
    return OPTION
        .matcher(uri)
        .replaceFirst(
            found ->
                found.group(1).equals("?") ? found.group(3).isEmpty() ? "" : "?" : found.group(3));
  }

  /**
   * Appends a namespace to the description of a store.
   *
   * @param namespace null: none
   * @return {@code " in namespace shop"}, or nothing
   */
  public static String suffix(@Nullable String namespace) {
    return namespace == null ? "" : " in namespace " + namespace;
  }
}
