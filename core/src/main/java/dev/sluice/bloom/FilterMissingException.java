package dev.sluice.bloom;

import dev.sluice.SluiceException;
import org.jspecify.annotations.Nullable;

/**
 * A filter, or the partition that an element belongs to, is not in the store: never created,
 * deleted, expired or evicted. What was in it is not known any more, so it is not made anew
 * silently: delete what is left, create it and add everything, or rebuild it. Until then every
 * element that belongs there "might be contained".
 */
public final class FilterMissingException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which filter, and what is missing
   * @param cause where it was noticed, or null
   */
  public FilterMissingException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
