package io.policyscheduler.cmd.live;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.modern.PluginAlgorithms;
import io.policyscheduler.framework.modern.VolumeBinding;
import io.policyscheduler.predicates.PredicateCatalog;
import io.policyscheduler.predicates.VolumeBinder;
import io.policyscheduler.priorities.PriorityCatalog;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** The built-in algorithms. */
public final class Algorithms {
    private Algorithms() {}

    /** A registry of all predicates and priorities. */
    public static AlgorithmRegistry registry() {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        PredicateCatalog.register(builder);
        PriorityCatalog.register(builder);
        PluginAlgorithms.register(builder);
        return builder.build();
    }

    /** Environment variables of this process; the empty string if unset. */
    public static UnaryOperator<String> environment() {
        return name -> Objects.requireNonNullElse(System.getenv(name), "");
    }

    /** The volume binder of the profile, which is the one that its filter uses. */
    public static final class VolumeBinders {
        private VolumeBinders() {}

        /**
         * With the rules of a release.
         *
         * @param checksBinding whether the profile checks volume binding; otherwise volumes are not bound
         */
        public static VolumeBinder binder(FeatureGates gates, boolean checksBinding) {
            if (!gates.honoursNewerFields()) {
                return new VolumeBinder(gates, checksBinding);
            }
            return new VolumeBinder(VolumeBinding::podVolumes, checksBinding);
        }
    }
}
