package dev.sluice.flashsale;

import dev.sluice.SluiceException;
import io.lettuce.core.RedisException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.server.ResponseStatusException;

/** The body of a response to a request that cannot be answered. */
@RestControllerAdvice
final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  @ExceptionHandler
  ResponseEntity<Map<String, String>> told(ResponseStatusException e) {
    return ResponseEntity.status(e.getStatusCode()).body(error(e.getReason()));
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  Map<String, String> noNumber(MethodArgumentTypeMismatchException e) {
    return error(e.getPropertyName() + " must be a whole number: " + e.getValue());
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  Map<String, String> wrong(IllegalArgumentException e) {
    return error(e.getMessage());
  }

  /** The store or the database is in trouble: nothing was sold by this request. */
  @ExceptionHandler({
    SluiceException.class,
    RedisException.class,
    DataAccessException.class,
    TransactionException.class,
    IllegalStateException.class
  })
  @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
  Map<String, String> broken(Exception e) {
    LOG.debug("A request failed", e);
    return error(e.getMessage());
  }

  private static Map<String, String> error(@Nullable String reason) {
    return Map.of("answer", "error", "reason", String.valueOf(reason));
  }
}
