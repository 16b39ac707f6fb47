package dev.sluice.spring.console;

import dev.sluice.Sluice;
import dev.sluice.console.Console;
import dev.sluice.console.FleetReporter;
import dev.sluice.spring.SluiceAutoConfiguration;
import dev.sluice.spring.internal.Opening;
import dev.sluice.spring.internal.SettingException;
import jakarta.servlet.Servlet;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Serves the console under {@code /sluice} of a servlet application if {@code
 * sluice.console.enabled} is set. Shows this process on every console of its store if {@code
 * sluice.console.report} is set.
 *
 * @since 0.1
 */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnClass(Console.class)
@ConditionalOnBean(Sluice.class)
@EnableConfigurationProperties(ConsoleProperties.class)
public final class ConsoleAutoConfiguration {
  private static final Log LOG = LogFactory.getLog(ConsoleAutoConfiguration.class);

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnProperty(prefix = "sluice.console", name = "report")
  FleetReporter sluiceFleetReporter(
      Sluice sluice, ConsoleProperties properties, Environment environment) {
    String process = properties.process();
    if (process == null || process.isBlank()) {
      process = environment.getProperty("spring.application.name", "application") + "@" + host();
    }
    try {
      return FleetReporter.start(sluice, process);
    } catch (IllegalArgumentException e) {
      throw new SettingException("sluice.console.process", String.valueOf(e.getMessage()));
    } catch (UnsupportedOperationException e) {
      throw new SettingException("sluice.console.report", String.valueOf(e.getMessage()));
    }
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  @ConditionalOnClass(Servlet.class)
  @ConditionalOnProperty(prefix = "sluice.console", name = "enabled")
  static class Pages {

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Console sluiceConsole(
        Sluice sluice, ConsoleProperties properties, ConfigurableBeanFactory beans) {
      Console.Builder builder = Console.builder(sluice).writes(properties.writes());
      String token = properties.token();
      if (token != null && !token.isEmpty()) {
        try {
          builder.token(token);
        } catch (IllegalArgumentException e) {
          throw new SettingException("sluice.console.token", String.valueOf(e.getMessage()));
        }
      }
      Console console = Opening.with(beans.getBeanClassLoader(), builder::build);
      console
          .madeToken()
          .ifPresent(
              made ->
                  LOG.warn(
                      "sluice.console.token is not set: for this run, the console at "
                          + properties.path()
                          + " asks for the token "
                          + made));
      return console;
    }

    @Bean
    ServletRegistrationBean<ConsoleServlet> sluiceConsoleServlet(
        Console console, ConsoleProperties properties) {
      String path = properties.path();
      if (!path.matches("(/[\\w.~-]+)+")) {
        throw new SettingException(
            "sluice.console.path",
            "must be words of letters, digits, '.', '~', '_' and '-' behind slashes: '"
                + path
                + "'");
      }
      return new ServletRegistrationBean<>(new ConsoleServlet(console), path + "/*");
    }
  }
}
