package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.algorithm.Verdict;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Container;
import io.policyscheduler.engine.cluster.object.PodInfo;
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
    /** The name of the first releases. */
    public static final String OLD_NAME = "PodFitsPorts";

    private static final Verdict TAKEN = Verdict.unfit(FailureReasons.HOST_PORTS);

    private final String name;

    /** Registers as {@code name}. */
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
        HostPort[] wanted = wantedBy(context.pod());
        return wanted.length == 0 ? PodFilter.FITS_ALL : node -> check(wanted, node);
    }

    private static Verdict check(HostPort[] wanted, NodeInfo node) {
        for (HostPort port : wanted) {
            if (node.portConflict(port)) {
                return TAKEN;
            }
        }
        return Verdict.FITS;
    }

    private static HostPort[] wantedBy(PodInfo pod) {
        List<HostPort> wanted = new ArrayList<>(0);
        for (Container container : pod.spec().containers()) {
            if (!container.init()) {
                wanted.addAll(container.hostPorts());
            }
        }
        return wanted.toArray(HostPort[]::new);
    }
}
