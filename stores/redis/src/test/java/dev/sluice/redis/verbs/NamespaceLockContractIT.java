package dev.sluice.redis.verbs;

import dev.sluice.redis.InTwoNamespaces;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.lock.DelayedRelease;
import dev.sluice.testkit.lock.Exclusion;
import dev.sluice.testkit.lock.Fencing;
import dev.sluice.testkit.lock.GivingUp;
import dev.sluice.testkit.lock.HandOff;
import dev.sluice.testkit.lock.Leases;
import dev.sluice.testkit.lock.OwnGrant;
import dev.sluice.testkit.lock.Queueing;
import dev.sluice.testkit.lock.Reentrancy;
import dev.sluice.testkit.lock.UnknownOutcomes;
import dev.sluice.testkit.lock.Waiting;
import org.junit.jupiter.api.Tag;

/** Two namespaces keep every promise about locks. */
@EachRedis
@Tag("full")
class NamespaceLockContractIT extends InTwoNamespaces
    implements Exclusion,
        Fencing,
        OwnGrant,
        Leases,
        UnknownOutcomes,
        Waiting,
        GivingUp,
        HandOff,
        Reentrancy,
        Queueing,
        DelayedRelease {
  NamespaceLockContractIT(RedisServer server) {
    super(server);
  }
}
