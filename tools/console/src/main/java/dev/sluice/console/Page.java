package dev.sluice.console;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The pages, and which series their charts show. */
enum Page {
  OVERVIEW("locks.", "limits.", "caches."),
  LOCKS("locks."),
  LIMITERS("limits.", "limiter."),
  FILTERS(),
  CACHES("caches.", "cache."),
  INVENTORY("inventory.", "stock."),
  EVENTS();

  final List<String> series;

  Page(String... series) {
    this.series = List.of(series);
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The page of a name, or null. */
  static @Nullable Page of(@Nullable String name) {
    for (Page page : values()) {
      if (page.word().equals(name)) {
        return page;
      }
    }
    return null;
  }
}
