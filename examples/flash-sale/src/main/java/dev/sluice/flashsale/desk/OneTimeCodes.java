package dev.sluice.flashsale.desk;

import dev.sluice.Sluice;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * One-time codes by text message, on Redis. A code has six digits, lives for five minutes, and is
 * deleted after the first right try or the third wrong one. Redis has neither codes nor phone
 * numbers, only HMACs of them, and nothing is logged. Safe for use by many threads.
 */
public final class OneTimeCodes implements AutoCloseable {
  /** How long a code is valid. */
  public static final Duration LIFE = Duration.ofMinutes(5);

  /** Tries that a code has. */
  public static final int TRIES = 3;

  private static final String ALGORITHM = "HmacSHA256";
  private static final int CODES = 1_000_000;
  private static final Pattern PHONE = Pattern.compile("\\+?[0-9]{5,15}");
  private static final String CHECK = Scripts.read("check_code.lua");

  private final SecureRandom random = new SecureRandom();
  private final SecretKeySpec secret;
  private final RateLimiter sends;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  /**
   * Connects to a Redis.
   *
   * @param sluice limits the messages: one a minute and five an hour for each phone
   * @param url where the codes are
   * @param secret the key of the HMACs, the same at all instances
   * @param timeout longest wait for an answer of Redis
   */
  public OneTimeCodes(Sluice sluice, String url, byte[] secret, Duration timeout) {
    this.secret = new SecretKeySpec(secret, ALGORITHM);
    this.sends =
        sluice.rateLimiter(
            "flash-sale/codes",
            RateLimiterOptions.of(
                    Limit.slidingLog(1, Duration.ofMinutes(1)).name("minute"),
                    Limit.slidingLog(5, Duration.ofHours(1)).name("hour"))
                .deadline(timeout));
    client = RedisClient.create(RedisURI.create(url));
    client.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .build());
    connection = client.connect();
    connection.setTimeout(timeout);
  }

  /**
   * The result of a request for a code.
   *
   * @param sent whether there is a new code; an earlier one is void then
   * @param retryAfter zero if it was sent, else the shortest wait before the next request
   */
  public record Sent(boolean sent, Duration retryAfter) {}

  /**
   * The result of an attempt to use a code.
   *
   * @param passed whether it was the code, which is used up now
   * @param triesLeft 0 to 2; at 0 there is no code, and a new one must be sent
   */
  public record Checked(boolean passed, int triesLeft) {}

  /**
   * Makes a code for a phone, unless the limit refuses.
   *
   * @param phone 5 to 15 digits, with or without a plus in front
   * @param message sends the code to the phone; called once at most, before this returns
   * @throws IllegalArgumentException if that is no phone number
   * @throws IllegalStateException if the store is unreachable; no message was sent
   */
  public Sent send(String phone, Consumer<String> message) {
    String id = id(phone);
    Decision decision = sends.tryAcquire(id);
    if (decision.source() == Decision.Source.FALLBACK) {
      throw new IllegalStateException("the limit of messages is unreachable; no code was sent");
    }
    if (!decision.allowed()) {
      return new Sent(false, decision.retryAfter());
    }
    String code = String.format(Locale.ROOT, "%06d", random.nextInt(CODES));
    String kept = TRIES + " " + hmac("code", phone, code);
    try {
      connection.sync().set(key(id), kept, SetArgs.Builder.px(LIFE.toMillis()));
    } catch (RedisException e) {
      throw new IllegalStateException("the code can't be stored, and was not sent", e);
    }
    message.accept(code);
    return new Sent(true, Duration.ZERO);
  }

  /**
   * Compares what was typed with the code of a phone, and consumes the code or a try: one step at
   * the server, so of two who type the right code one passes.
   *
   * @throws IllegalArgumentException if that is no phone number
   * @throws IllegalStateException if Redis doesn't answer; the code may be used up
   */
  public Checked check(String phone, String typed) {
    try {
      Long left =
          connection
              .sync()
              .eval(
                  CHECK,
                  ScriptOutputType.INTEGER,
                  new String[] {key(id(phone))},
                  hmac("code", phone, typed));
      return new Checked(left == -1, (int) Math.max(0, left));
    } catch (RedisException e) {
      throw new IllegalStateException("the code can't be checked; request another one", e);
    }
  }

  /** Replaces the phone number in keys, because many people can read them. */
  private String id(String phone) {
    if (!PHONE.matcher(phone).matches()) {
      throw new IllegalArgumentException("phone must be 5 to 15 digits, with or without a plus");
    }
    return hmac("phone", phone, "");
  }

  private static String key(String id) {
    return "flash-sale:{" + id + "}:code";
  }

  /** With its purpose in front, as the key is that of the sale tokens too; a phone has no colon. */
  private String hmac(String purpose, String phone, String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      String words = purpose + ":" + phone + ":" + text;
      byte[] bits = mac.doFinal(words.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
