package dev.sluice.spring.lock;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.text.Names;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/** Acquires the lock before the method runs, and releases it afterwards. */
final class LockedInterceptor implements MethodInterceptor {
  private static final Log LOG = LogFactory.getLog(Locked.class);
  private static final String EXECUTOR = "applicationTaskExecutor";
  private static final boolean TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          LockedInterceptor.class.getClassLoader());

  private final BeanFactory beans;
  private final SingletonSupplier<Sluice> sluice;
  private final Map<MethodClassKey, LockedCall> calls = new ConcurrentHashMap<>();

  LockedInterceptor(BeanFactory beans) {
    this.beans = beans;
    this.sluice = SingletonSupplier.of(() -> beans.getBean(Sluice.class));
  }

  /** {@return the annotation of a method or its class; null if there is none} */
  static @Nullable Locked annotation(Method method, Class<?> type) {
    Method specific = specific(method, type);
    Locked own = AnnotatedElementUtils.findMergedAnnotation(specific, Locked.class);
    boolean byClass =
        Modifier.isPublic(specific.getModifiers())
            && !Modifier.isStatic(specific.getModifiers())
            && !specific.isSynthetic()
            && !ReflectionUtils.isObjectMethod(specific);
    return own != null || !byClass
        ? own
        : AnnotatedElementUtils.findMergedAnnotation(type, Locked.class);
  }

  /** A proxy of an interface has the names of its parameters there only. */
  private static Method specific(Method method, Class<?> type) {
    return Proxy.isProxyClass(type) ? method : AopUtils.getMostSpecificMethod(method, type);
  }

  /**
   * {@return the annotation's settings of a method}
   *
   * @throws SettingException if that cannot work
   */
  LockedCall call(Method method, Class<?> type) {
    Method specific = specific(method, type);
    return calls.computeIfAbsent(
        new MethodClassKey(specific, type),
        key -> {
          Locked annotation = annotation(specific, type);
          if (annotation == null) {
            throw new IllegalStateException("no @Locked at " + specific);
          }
          return new LockedCall(annotation, specific, type, beans);
        });
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    if (target == null) {
      return invocation.proceed();
    }
    LockedCall call = call(invocation.getMethod(), AopUtils.getTargetClass(target));
    if (TRANSACTIONS) {
      warnOfTransaction(call);
    }
    DistributedLock lock = call.lock(sluice.obtain(), target, invocation.getArguments());
    ProxyMethodInvocation proxied = (ProxyMethodInvocation) invocation;
    return call.async ? later(call, lock, target, proxied) : now(call, lock, target, proxied);
  }

  private static void warnOfTransaction(LockedCall call) {
    if (TransactionSynchronizationManager.isActualTransactionActive()
        && call.warned.compareAndSet(false, true)) {
      LOG.warn(
          call.place
              + " is called inside a transaction, which commits after the lock is released:"
              + " other transactions may read the old data. Take the lock outside: put @Locked on the"
              + " method that begins the transaction, or on its caller");
    }
  }

  private static @Nullable Object now(
      LockedCall call, DistributedLock lock, Object target, ProxyMethodInvocation invocation)
      throws Throwable {
    Lease lease;
    try {
      lease = lock.acquire(call.wait);
    } catch (LockTimeoutException e) {
      return call.refused(target, invocation.getArguments(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the method need not declare it
      throw new SluiceException(
          "interrupted while waiting for lock " + Names.quoted(lock.name()), e);
    }
    boolean returned = false;
    try {
      invocation.setArguments(call.with(lease, invocation.getArguments()));
      Object result = invocation.proceed();
      returned = true;
      return result;
    } finally {
      end(call, lease, returned);
    }
  }

  private static void end(LockedCall call, Lease lease, boolean returned) {
    boolean byMethod = lease.state() == LeaseState.RELEASED;
    if (!lease.release() && returned && !byMethod) {
      throw call.lost(lease);
    }
  }

  private CompletableFuture<@Nullable Object> later(
      LockedCall call, DistributedLock lock, Object target, ProxyMethodInvocation invocation) {
    @Nullable Object[] arguments = invocation.getArguments();
    ProxyMethodInvocation later =
        (ProxyMethodInvocation) invocation.invocableClone(arguments.clone());
    CompletableFuture<Lease> asked = lock.async().acquire(call.wait).toCompletableFuture();
    CompletableFuture<CompletionStage<@Nullable Object>> begun =
        asked.handleAsync(
            (lease, failure) ->
                failure == null
                    ? run(call, lease, later)
                    : notRun(call, target, arguments, failure),
            executor());
    begun.whenComplete(
        (stage, rejected) -> {
          if (rejected != null) { // by the executor: otherwise the lock is never released
            asked.thenAccept(Lease::releaseAsync);
          }
        });
    CompletableFuture<@Nullable Object> answer = begun.thenCompose(stage -> stage);
    answer.whenComplete(
        (result, failure) -> {
          if (answer.isCancelled()) {
            asked.cancel(false); // ends the wait; a method that runs already runs on
          }
        });
    return answer;
  }

  private Executor executor() {
    return beans.containsBean(EXECUTOR)
        ? beans.getBean(EXECUTOR, Executor.class)
        : ForkJoinPool.commonPool();
  }

  private static CompletionStage<@Nullable Object> run(
      LockedCall call, Lease lease, ProxyMethodInvocation invocation) {
    CompletionStage<@Nullable Object> stage;
    try {
      invocation.setArguments(call.with(lease, invocation.getArguments()));
      stage = asStage(invocation.proceed());
    } catch (Throwable e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return stage
        .handle((result, failure) -> endLater(call, lease, result, failure))
        .thenCompose(ended -> ended);
  }

  private static CompletionStage<@Nullable Object> endLater(
      LockedCall call, Lease lease, @Nullable Object result, @Nullable Throwable failure) {
    boolean byMethod = lease.state() == LeaseState.RELEASED;
    return lease
        .releaseAsync()
        .thenCompose(
            ours -> {
              if (failure != null) {
                return CompletableFuture.failedFuture(unwrapped(failure));
              }
              return ours || byMethod
                  ? CompletableFuture.completedFuture(result)
                  : CompletableFuture.failedFuture(call.lost(lease));
            });
  }

  private static CompletionStage<@Nullable Object> notRun(
      LockedCall call, Object target, @Nullable Object[] arguments, Throwable failure) {
    Throwable reason = unwrapped(failure);
    try {
      return reason instanceof LockTimeoutException busy
          ? asStage(call.refused(target, arguments, busy))
          : CompletableFuture.failedFuture(reason);
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  @SuppressWarnings("unchecked") // the call is asynchronous: the method and its fallback agree
  private static CompletionStage<@Nullable Object> asStage(@Nullable Object stage) {
    return stage == null
        ? CompletableFuture.completedFuture(null)
        : (CompletionStage<@Nullable Object>) stage;
  }
}
