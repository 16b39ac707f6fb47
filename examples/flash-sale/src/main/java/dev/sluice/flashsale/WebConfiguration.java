package dev.sluice.flashsale;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The page loads nothing from elsewhere, and the browser holds it to that. */
@Configuration(proxyBeanMethods = false)
final class WebConfiguration implements WebMvcConfigurer {

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
