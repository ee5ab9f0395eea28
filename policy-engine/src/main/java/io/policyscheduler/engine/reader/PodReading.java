package io.policyscheduler.engine.reader;

import com.google.common.collect.Sets;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.reader.ObjectReader.InternCache;
import io.policyscheduler.engine.reader.PodReader.PodFields;
import io.policyscheduler.engine.reader.PodSpecReader.SpecCache;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The options of a reader of pods: the fields that it ignores, the annotations that it keeps, and the receiver of unknown fields. */
final class PodReading {
    /** The maximum number of reported fields; a stream of generated names must not exhaust memory. */
    private static final int MAX_UNKNOWN = 1000;

    private final boolean countsOverhead;
    private final boolean sumsRoundedAmounts;
    private final boolean keepsAnnotations;
    private final boolean keepsGroups;
    private final Set<NewerField> ignoredFields;
    private final Arithmetic arithmetic;
    private final InternCache<PodSpec> specs = new InternCache<>(1 << 12);
    private final SpecCache specCache = new SpecCache();
    private final Set<String> unknown = new HashSet<>();
    private final Consumer<String> onUnknown;

    /**
     * @param keepsGroups whether an API server has kept {@code spec.schedulingGroup}, which it drops without the gate
     *     GenericWorkload
     * @param onUnknown receives the path of each unknown field once
     */
    PodReading(FeatureGates gates, boolean keepsAnnotations, boolean keepsGroups, Consumer<String> onUnknown) {
        this(gates, keepsAnnotations, keepsGroups, Set.of(), onUnknown);
    }

    /** @param kept fields to read even if they are newer than the release */
    PodReading(
            FeatureGates gates,
            boolean keepsAnnotations,
            boolean keepsGroups,
            Set<NewerField> kept,
            Consumer<String> onUnknown) {
        this.keepsGroups = keepsGroups;
        this.countsOverhead = gates.enabled(FeatureGates.POD_OVERHEAD);
        this.sumsRoundedAmounts = gates.honoursNewerFields() && !SchedulerChange.EXACT_REQUEST_SUMS.in(gates.release());
        this.keepsAnnotations = keepsAnnotations || gates.keepsPodAnnotations();
        this.arithmetic = gates.arithmetic();
        this.ignoredFields = Arrays.stream(NewerField.values())
                .filter(field -> gates.honoursNewerFields() && !gates.honours(field) && !kept.contains(field))
                .collect(Collectors.collectingAndThen(Collectors.toSet(), Sets::immutableEnumSet));
        this.onUnknown = onUnknown;
    }

    /** Whether v1.17 counts {@code spec.overhead}. */
    boolean countsOverhead() {
        return countsOverhead;
    }

    /** Whether the release rounds the requests of each container before adding them up. */
    boolean sumsRoundedAmounts() {
        return sumsRoundedAmounts;
    }

    boolean keepsAnnotations() {
        return keepsAnnotations;
    }

    /** Whether {@code spec.schedulingGroup} is read. */
    boolean keepsGroups() {
        return keepsGroups;
    }

    /** True if the field is ignored: it is newer than the release, or ignored on request. */
    boolean ignores(NewerField field) {
        return ignoredFields.contains(field);
    }

    /** The overflow behavior of sums. */
    Arithmetic arithmetic() {
        return arithmetic;
    }

    SpecCache specCache() {
        return specCache;
    }

    PodSpec intern(PodSpec spec) {
        return specs.intern(spec);
    }

    /** Reports a field that is not read, unless it is known to have no effect on scheduling. */
    void reportUnread(PodFields place, String name) {
        if (place.contains(name) || unknown.size() >= MAX_UNKNOWN) {
            return;
        }
        String path = place.path(name);
        if (unknown.add(path)) {
            onUnknown.accept(path);
        }
    }
}
