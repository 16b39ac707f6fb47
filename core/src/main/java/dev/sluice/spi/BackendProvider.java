package dev.sluice.spi;

import java.util.List;

/** Opens backends by URI. Found by {@link java.util.ServiceLoader}. */
public interface BackendProvider {

  /** {@return the URI schemes that this provider opens, without the colon: "redis", "rediss"} */
  List<String> schemes();

  /**
   * Opens a backend.
   *
   * @param uri a URI with one of {@link #schemes()}
   * @param settings limits that hold for every backend
   * @return an open backend
   * @throws IllegalArgumentException if the URI does not make sense; the message hides passwords
   * @throws dev.sluice.BackendException if nobody answers there
   */
  Backend open(String uri, BackendSettings settings);
}
