package dev.sluice.spring.internal;

import java.util.function.Supplier;

/**
 * A setting or an annotation that is invalid. Ends the start of the application.
 *
 * @since 0.1
 */
public final class SettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /**
   * @param place the property, or the class and method of the annotation
   * @param problem what is wrong with it
   */
  public SettingException(String place, String problem) {
    super(place + ": " + problem);
  }

  /**
   * Evaluates a setting.
   *
   * @param place the property
   * @throws SettingException that names the property, if it cannot be
   */
  public static <T> T at(String place, Supplier<T> value) {
    try {
      return value.get();
    } catch (RuntimeException e) { // a pattern's exception is no IllegalArgumentException
      throw new SettingException(place, String.valueOf(e.getMessage()));
    }
  }
}
