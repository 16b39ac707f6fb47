package dev.sluice;

import dev.sluice.spi.BackendProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The backends on the class path, by the schemes of their URIs. */
final class Providers {
  private final List<BackendProvider> all = new ArrayList<>();

  Providers() {
    ServiceLoader.load(BackendProvider.class).forEach(all::add);
  }

  /**
   * Finds the provider that opens a URI.
   *
   * @throws IllegalArgumentException if there is none; the message names the providers, and shows
   *     nothing of the URI but its scheme
   */
  BackendProvider of(String uri) {
    int colon = uri.indexOf(':');
    String scheme = colon < 1 ? "" : uri.substring(0, colon).toLowerCase(Locale.ROOT);
    List<String> known = new ArrayList<>();
    for (BackendProvider provider : all) {
      if (provider.schemes().contains(scheme)) {
        return provider;
      }
      known.addAll(provider.schemes());
    }
    String problem =
        scheme.isEmpty()
            ? "uri must start with a scheme"
            : "no backend for a URI that starts with '" + scheme + ":'";
    String module = module(scheme);
    throw new IllegalArgumentException(
        problem
            + (module == null ? "" : ": add dev.sluice:" + module)
            + "; the class path has "
            + String.join(", ", known));
  }

  /** The module of the project that opens such a URI. */
  private static @Nullable String module(String scheme) {
    if (scheme.startsWith("redis")) {
      return "sluice-redis";
    }
    return switch (scheme) {
      case "jdbc" -> "sluice-jdbc";
      case "zookeeper" -> "sluice-zookeeper";
      default -> null;
    };
  }
}
