package dev.sluice.spring.fencing;

import dev.sluice.guard.StaleTokenException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers 412 or 409 if a controller throws a {@link StaleTokenException}, for example of a guard
 * in its database. Stands before an advice without an order, which may catch everything.
 */
@ControllerAdvice
@Order(0)
final class FencingAdvice {

  @ExceptionHandler(StaleTokenException.class)
  void refused(StaleTokenException refusal, HttpServletResponse response) throws IOException {
    FencingProblem.write(response, refusal);
  }
}
