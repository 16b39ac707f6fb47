package dev.sluice.spring.fencing;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the filter that checks fencing tokens of HTTP requests, in servlet applications.
 *
 * @param rules Which requests are checked. The first rule that matches applies.
 * @param order Order of the filter. The default comes after Spring Security and the rate limits, so
 *     that only authorised requests change a guard.
 */
@ConfigurationProperties("sluice.fencing")
record FencingProperties(@DefaultValue List<Rule> rules, @DefaultValue("-80") int order) {

  /**
   * The rules for requests that are checked.
   *
   * @param path Pattern of the path in the application, as in Spring MVC: /accounts/{id}/**.
   * @param resource Name of the guarded resource, with the variables of the path: accounts/{id}.
   *     Default: the path itself.
   * @param guard Name of a bean of type Guard, which the application defines. Default: the only
   *     one.
   * @param required Which requests must carry a token: writes (all but GET, HEAD, OPTIONS and
   *     TRACE), always or never. One that carries a token is checked in any case.
   */
  record Rule(
      @DefaultValue("") String path,
      @DefaultValue("") String resource,
      @DefaultValue("") String guard,
      @DefaultValue("writes") Required required) {}

  /** The requests that must carry a token. */
  enum Required {
    /** All requests except those that only read. */
    WRITES,
    /** All. */
    ALWAYS,
    /** None. */
    NEVER
  }
}
