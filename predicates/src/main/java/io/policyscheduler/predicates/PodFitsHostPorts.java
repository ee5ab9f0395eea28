package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.resource.HostPort;
import java.util.ArrayList;
import java.util.List;

/**
 * The host ports of the pod's regular containers are free on the node. Mirrors {@code PodFitsHostPorts} of
 * {@code predicates.go}, which is registered under two names.
 */
public final class PodFitsHostPorts implements Predicate {
    /** The usual name. */
    public static final String NAME = "PodFitsHostPorts";
    /** The deprecated name. */
    public static final String OLD_NAME = "PodFitsPorts";

    private static final Verdict TAKEN = Verdict.unfit(FailureReasons.HOST_PORTS);

    private final String name;

    /** Creates the predicate with a name. */
    public PodFitsHostPorts(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodFilter start(PodContext context) {
        List<HostPort> requested = requestedBy(context.pod());
        return requested.isEmpty() ? PodFilter.FITS_ALL : new Filter(requested);
    }

    private record Filter(List<HostPort> basis) implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            for (int i = 0; i < basis.size(); i++) {
                if (node.portConflict(basis.get(i))) {
                    return TAKEN;
                }
            }
            return Verdict.FITS;
        }
    }

    private static List<HostPort> requestedBy(PodInfo pod) {
        List<HostPort> requested = new ArrayList<>(0);
        for (Container container : pod.spec().containers()) {
            if (!container.init()) {
                requested.addAll(container.hostPorts());
            }
        }
        return requested;
    }
}
