package io.policyscheduler.cmd.live;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.VolumeAssumer;
import io.policyscheduler.predicates.volume.AssumedBindings;
import io.policyscheduler.predicates.volume.VolumeBinder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Speaks for a pod's volumes when its node is chosen, so that the next pod sees them taken. */
final class VolumeReservation implements VolumeAssumer {
    private final VolumeBinder binder;
    private final ClusterState cluster;
    private final VolumeWriter writer;
    private final Duration timeout;

    VolumeReservation(VolumeBinder binder, ClusterState cluster, VolumeWriter writer, Duration timeout) {
        this.binder = binder;
        this.cluster = cluster;
        this.writer = writer;
        this.timeout = timeout;
    }

    @Override
    public Assumed assume(PodInfo pod, String node) {
        NodeInfo info = cluster.node(node);
        if (info == null) {
            return Assumed.NOTHING;
        }
        AssumedBindings bindings = binder.assume(cluster, pod, info);
        if (bindings.allBound()) {
            return Assumed.NOTHING;
        }
        AtomicBoolean ended = new AtomicBoolean();
        return new Assumed() {
            @Override
            public void bind(Consumer<String> done) {
                writer.write(pod, bindings, timeout, ended, done);
            }

            @Override
            public void undo() {
                ended.set(true);
                bindings.undo(cluster);
            }
        };
    }
}
