package example;

import dev.sluice.spring.lock.LeaseToken;
import dev.sluice.spring.lock.Locked;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class Shop {
  @Locked(name = "stock", key = "#product")
  public String sell(String product, @LeaseToken long token) {
    return product + " sold with token " + token;
  }

  public static void main(String[] arguments) {
    System.out.println(
        SpringApplication.run(Shop.class, arguments).getBean(Shop.class).sell("tea", 0));
  }
}
