package dev.sluice.spring.http;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.SluiceException;
import dev.sluice.cache.CacheLoadException;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.lock.NotReplicatedException;
import dev.sluice.spring.internal.ProblemDocument;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers if a controller throws an exception of locks, caches or the store. Answers name no lock
 * and no key. Its place among advices is that of {@link RateLimitedAdvice}.
 */
@ControllerAdvice
@Order(0)
final class FailureAdvice {
  private static final Log LOG = LogFactory.getLog(FailureAdvice.class);

  @ExceptionHandler(LockTimeoutException.class)
  void held(HttpServletResponse response) throws IOException {
    write(response, 409, "Conflict", "another holder has the lock");
  }

  @ExceptionHandler({
    BackendException.class,
    NotReplicatedException.class,
    CacheLoadException.class
  })
  void unavailable(SluiceException failure, HttpServletResponse response) throws IOException {
    LOG.warn("Answered 503: " + failure.getMessage());
    write(
        response,
        503,
        "Service Unavailable",
        failure instanceof OutcomeUnknownException
            ? "the store did not answer: it is unknown whether the request took effect"
            : "the store cannot be used at present");
  }

  @ExceptionHandler(LeaseLostException.class)
  void lost(LeaseLostException failure, HttpServletResponse response) throws IOException {
    LOG.warn("Answered 500: " + failure.getMessage());
    write(
        response,
        500,
        "Internal Server Error",
        "the lock was lost meanwhile: the request may have taken effect");
  }

  private static void write(HttpServletResponse response, int status, String title, String detail)
      throws IOException {
    new ProblemDocument(ProblemDocument.BLANK, title, status)
        .with("detail", detail)
        .write(response);
  }
}
