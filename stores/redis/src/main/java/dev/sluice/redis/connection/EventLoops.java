package dev.sluice.redis.connection;

import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.socket.SocketChannel;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Promise;
import java.util.concurrent.TimeUnit;

/** The thread of one client's connections, and its name resolver. */
final class EventLoops extends DefaultEventLoopGroupProvider {
  /*
   * A resolver of names on a loop has a UDP socket open there, and it is meant to be closed when
   * the loop ends. But a loop that is shut down while it carries out tasks, without a quiet
   * period, ends before it closes what is open (Netty 4.2, SingleThreadIoEventLoop.run), and once
   * it has ended nothing can be closed on it: the socket stays for the life of the process. The
   * driver does just that when it shuts down on its own loop, as soon as the last connection is
   * closed. So each client has a separate resolver, of the kind that the driver shares by default,
   * and closes it while the loop still runs.
   */
  private final AddressResolverGroup<?> names =
      new DnsAddressResolverGroup(
          new DnsNameResolverBuilder()
              .datagramChannelType(Transports.datagramChannelClass())
              .socketChannelType(Transports.socketChannelClass().asSubclass(SocketChannel.class)));

  /** One thread for commands and messages, so that a request follows a message immediately. */
  EventLoops() {
    super(1);
  }

  AddressResolverGroup<?> names() {
    return names;
  }

  /** A client that shares the loop and continues gets a new resolver when it next needs one. */
  @Override
  public Promise<Boolean> release(
      EventExecutorGroup loops, long quietPeriod, long timeout, TimeUnit unit) {
    names.close();
    return super.release(loops, quietPeriod, timeout, unit);
  }
}
