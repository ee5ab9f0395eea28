package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.embedded.EmbeddedCluster;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.world.Dump;
import io.policyscheduler.cmd.world.WatchedResource;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The embedded cluster as deciders see it. What has not changed since the last look is not read again. Belongs to one thread. */
final class StoreWorld {
    private static final Logger LOG = LoggerFactory.getLogger(StoreWorld.class);

    private final EmbeddedCluster cluster;
    private final FeatureGates gates;
    /** Keeps annotations of pods: which rules will be tried is not known, and the store has them anyway. */
    private final ObjectReader reader;
    /** By the stored object, which is replaced as a whole when it changes. */
    private Map<ObjectNode, ClusterObject> known = Map.of();

    /** @param gates of the cluster's release */
    StoreWorld(EmbeddedCluster cluster, FeatureGates gates) {
        this.cluster = cluster;
        this.gates = gates;
        this.reader = new ObjectReader(gates, true);
    }

    /** As it is now; an object that has not changed is the same one as in the last look. */
    ClusterSnapshot look() {
        Dump dump = new Dump(gates, warning -> LOG.debug("{}", warning), objects -> {});
        Map<ObjectNode, ClusterObject> seen = new IdentityHashMap<>();
        for (WatchedResource resource : WatchedResource.all()) {
            Optional<ResourceType> type = cluster.catalog().types().stream()
                    .filter(one ->
                            one.group().equals(resource.group()) && one.plural().equals(resource.resource()))
                    .findFirst();
            if (type.isEmpty()) {
                continue;
            }
            for (ObjectNode stored : cluster.list(type.get().qualifiedName())) {
                ClusterObject object = known.get(stored);
                if (object == null) {
                    object = read(stored, resource.objectKind());
                }
                if (object != null) {
                    seen.put(stored, object);
                    dump.add(resource.resource(), object);
                }
            }
        }
        known = seen;
        return dump.world().withRelease(gates.release());
    }

    private @Nullable ClusterObject read(ObjectNode stored, String kind) {
        try (TreeTraversingParser parser = new TreeTraversingParser(stored)) {
            parser.nextToken();
            return reader.read(parser, kind);
        } catch (IOException e) {
            LOG.warn("skipped: {} {}: {}", kind, stored.path("metadata").path("name"), e.getMessage());
            return null;
        }
    }
}
