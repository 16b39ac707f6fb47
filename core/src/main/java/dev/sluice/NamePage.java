package dev.sluice;

import java.util.List;

/**
 * A page of the names that a store knows.
 *
 * @param names at most as many as were asked for, sorted
 * @param more whether the store knows further names; a larger limit lists them
 * @since 0.1
 */
public record NamePage(List<String> names, boolean more) {

  /** Copies the list. */
  public NamePage {
    names = List.copyOf(names);
  }
}
