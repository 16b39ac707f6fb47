package dev.sluice.spi;

import dev.sluice.BackendException;
import dev.sluice.Finding;
import dev.sluice.text.Secrets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * Opens backends by URI. Found by {@link java.util.ServiceLoader}.
 *
 * @since 0.1
 */
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
   * @throws dev.sluice.BackendException if no server answers there
   */
  Backend open(String uri, BackendSettings settings);

  /**
   * Examines stores of this kind, for {@link dev.sluice.Doctor}. A store that cannot be reached is
   * a finding, see {@link #unreachable}.
   *
   * @param uris at least one, each with one of {@link #schemes()}
   * @param settings how long one answer may take
   * @return the findings, in any order
   * @throws IllegalArgumentException if a URI does not make sense; the message hides passwords
   */
  default List<Finding> examine(List<String> uris, BackendSettings settings) {
    List<Finding> findings = new ArrayList<>();
    for (String uri : uris) {
      try (Backend backend = open(uri, settings)) {
        findings.addAll(backend.diagnose().toCompletableFuture().join());
      } catch (BackendException | CompletionException e) {
        findings.add(unreachable(Secrets.mask(uri), String.valueOf(e.getMessage())));
      }
    }
    return findings;
  }

  /**
   * {@return the finding that no server answered}
   *
   * @param where the store, without secrets
   * @param what what happened, without secrets
   */
  static Finding unreachable(String where, String what) {
    return new Finding(
        Finding.Severity.ERROR,
        "unreachable",
        where,
        what,
        "every call fails, or is answered by an outage policy",
        "start the server, open the way to it, or correct the URL");
  }
}
