package dev.sluice.redis.connection;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.resource.ClientResources;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The driver's cluster client, which never forgets the configured servers. */
final class RememberingClusterClient extends RedisClusterClient {
  /*
   * The driver asks the servers that it knows, and believes the view that has most of them. A
   * server that was removed from the cluster knows only itself. If it is the only one that answers
   * for a moment, the driver knows nothing else from then on, and asks no other server. So a view
   * without slots is not accepted in place of one that has them, which makes the driver ask the
   * seeds; and while slots have no master that once had one, the seeds are asked beside the
   * servers that are known.
   */
  private final List<RedisURI> seeds;

  /** The most slots that had a master. */
  private volatile int mostServed;

  RememberingClusterClient(ClientResources resources, List<RedisURI> seeds) {
    super(resources, seeds);
    this.seeds = List.copyOf(seeds);
  }

  @Override
  protected Iterable<RedisURI> getTopologyRefreshSource() {
    Iterable<RedisURI> known = super.getTopologyRefreshSource();
    if (known == getInitialUris() || served(getPartitions()) >= mostServed) {
      return known;
    }
    List<RedisURI> all = new ArrayList<>(seeds);
    known.forEach(
        server -> {
          if (seeds.stream().noneMatch(seed -> isSame(seed, server))) {
            all.add(server);
          }
        });
    return all;
  }

  private static boolean isSame(RedisURI seed, RedisURI server) {
    return seed.getPort() == server.getPort() && seed.getHost().equals(server.getHost());
  }

  @Override
  protected Partitions determinePartitions(
      @Nullable Partitions current, Map<RedisURI, Partitions> views) {
    int most = views.values().stream().mapToInt(view -> served(view)).max().orElse(0);
    if (most == 0 && current != null && served(current) > 0) {
      throw new RedisException("no server that answered knows the owner of a slot");
    }
    Map<RedisURI, Partitions> fullest = new LinkedHashMap<>(views);
    fullest.values().removeIf(view -> served(view) < most);
    mostServed = Math.max(mostServed, most);
    return super.determinePartitions(current, fullest);
  }

  /** The number of slots that have a master. */
  private static int served(Partitions view) {
    int slots = 0;
    for (RedisClusterNode node : view) {
      slots += node.getSlots().size();
    }
    return slots;
  }
}
