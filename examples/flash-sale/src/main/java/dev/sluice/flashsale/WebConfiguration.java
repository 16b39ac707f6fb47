package dev.sluice.flashsale;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The page loads nothing from elsewhere, and the browser holds it to that. */
@Configuration(proxyBeanMethods = false)
final class WebConfiguration implements WebMvcConfigurer {

  /**
   * Where the web server decides how many buyers are served: no dispatcher, no thread that waits.
   */
  @Bean
  ServletRegistrationBean<ClaimServlet> claims(LimitedStock stock, Sales sales) {
    return fast(new ClaimServlet(stock, sales), "/sale/" + LimitedStock.STRATEGY);
  }

  /** The least that this server does for a request: what the sale is measured against. */
  @Bean
  ServletRegistrationBean<NothingServlet> nothing() {
    return fast(new NothingServlet(), "/nothing");
  }

  private static <T extends HttpServlet> ServletRegistrationBean<T> fast(T servlet, String path) {
    ServletRegistrationBean<T> bean = new ServletRegistrationBean<>(servlet, path);
    bean.setName(servlet.getClass().getSimpleName());
    bean.setAsyncSupported(true);
    bean.setLoadOnStartup(1);
    return bean;
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(
        new HandlerInterceptor() {
          @Override
          public boolean preHandle(
              HttpServletRequest request, HttpServletResponse response, Object handler) {
            response.setHeader(
                "Content-Security-Policy", "default-src 'self'; img-src 'self' data:");
            response.setHeader("X-Content-Type-Options", "nosniff");
            return true;
          }
        });
  }
}
