package dev.sluice.spring;

/** A setting or an annotation that cannot work. Ends the start of the application. */
final class SettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /**
   * @param place the property, or the class and method of the annotation
   * @param problem what is wrong with it
   */
  SettingException(String place, String problem) {
    super(place + ": " + problem);
  }
}
