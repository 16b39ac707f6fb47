package dev.sluice.flashsale;

import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** What visitors of the product page call, and who attacks it. */
@RestController
final class CatalogueController {
  private final Catalogue catalogue;

  CatalogueController(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  @GetMapping("/product/{id}")
  ResponseEntity<Catalogue.Product> product(@PathVariable long id) {
    return ResponseEntity.of(catalogue.find(id));
  }

  /** Asks for ids that do not exist, through the cache or past it. */
  @PostMapping("/product/absent")
  Catalogue.Absent absent(
      @RequestParam(defaultValue = "2000") int ids,
      @RequestParam(defaultValue = "true") boolean guarded) {
    return catalogue.askForAbsent(ids, guarded);
  }

  @ExceptionHandler(IllegalArgumentException.class)
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  Map<String, String> wrong(IllegalArgumentException e) {
    return Map.of("answer", "error", "reason", String.valueOf(e.getMessage()));
  }
}
