package dev.sluice.flashsale;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.scheduling.annotation.EnableScheduling;

/** One instance of the sale. {@link Demo} starts one or several of them. */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
@EnableScheduling
public class FlashSaleApplication {

  /**
   * Starts the demo.
   *
   * @param args see {@link DemoOptions}
   */
  public static void main(String[] args) {
    Demo.main(args);
  }
}
