package dev.sluice.console.store;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The pages, the initial order of their tables, and the series of their charts. */
public enum Page {
  OVERVIEW("name", false, "locks.", "limits.", "caches."),
  LOCKS("waiting", true, "locks."),
  LIMITERS("okRate", true, "limits.", "limiter."),
  FILTERS("name", false),
  CACHES("name", false, "caches.", "cache."),
  INVENTORY("queued", true, "inventory.", "stock."),
  EVENTS("name", false);

  final String sort;
  final boolean down;
  final List<String> series;

  Page(String sort, boolean down, String... series) {
    this.sort = sort;
    this.down = down;
    this.series = List.of(series);
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The page of a name, or null. */
  public static @Nullable Page of(@Nullable String name) {
    for (Page page : values()) {
      if (page.word().equals(name)) {
        return page;
      }
    }
    return null;
  }
}
