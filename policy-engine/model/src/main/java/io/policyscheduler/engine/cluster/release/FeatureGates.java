package io.policyscheduler.engine.cluster.release;

import com.google.common.collect.Sets;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The enabled features of Kubernetes: the release whose rules apply, the feature gates of kube-scheduler v1.17 that change
 * scheduling, honored fields of later releases, and whether annotations of pods are kept. Immutable.
 *
 * <p>Mirrors {@code k8s.io/component-base/featuregate}: a gate set by name takes precedence over {@link #ALL_ALPHA} and
 * {@link #ALL_BETA}, and GA gates are locked to true.
 */
public final class FeatureGates {
    public static final String ALL_ALPHA = "AllAlpha";
    public static final String ALL_BETA = "AllBeta";
    public static final String EVEN_PODS_SPREAD = "EvenPodsSpread";
    public static final String RESOURCE_LIMITS_PRIORITY_FUNCTION = "ResourceLimitsPriorityFunction";
    public static final String NON_PREEMPTING_PRIORITY = "NonPreemptingPriority";
    public static final String POD_OVERHEAD = "PodOverhead";
    public static final String BALANCE_ATTACHED_NODE_VOLUMES = "BalanceAttachedNodeVolumes";
    public static final String POD_DISRUPTION_BUDGET = "PodDisruptionBudget";
    public static final String CSI_MIGRATION = "CSIMigration";
    public static final String CSI_MIGRATION_AWS = "CSIMigrationAWS";
    public static final String CSI_MIGRATION_GCE = "CSIMigrationGCE";
    public static final String CSI_MIGRATION_AZURE_DISK = "CSIMigrationAzureDisk";
    public static final String CSI_MIGRATION_OPEN_STACK = "CSIMigrationOpenStack";
    public static final String BLOCK_VOLUME = "BlockVolume";
    public static final String TAINT_NODES_BY_CONDITION = "TaintNodesByCondition";
    public static final String CSI_NODE_INFO = "CSINodeInfo";
    public static final String ATTACH_VOLUME_LIMIT = "AttachVolumeLimit";
    public static final String POD_PRIORITY = "PodPriority";
    public static final String SCHEDULE_DAEMON_SET_PODS = "ScheduleDaemonSetPods";
    public static final String STORAGE_OBJECT_IN_USE_PROTECTION = "StorageObjectInUseProtection";

    private enum Stage {
        ALPHA,
        BETA,
        GA,
        GA_LOCKED,
        BULK
    }

    private record Gate(Stage stage, boolean defaultValue) {}

    private static final SortedMap<String, Gate> KNOWN = knownGates();
    private static final Set<String> TRUE_WORDS = Set.of("1", "t", "T", "TRUE", "true", "True");
    private static final Set<String> FALSE_WORDS = Set.of("0", "f", "F", "FALSE", "false", "False");
    private static final FeatureGates DEFAULTS =
            new FeatureGates(new TreeMap<>(), Release.V1_17, Set.of(), Arithmetic.SATURATING, false);

    /** Explicitly set gates; every other gate has the value of a bulk switch or its default. */
    private final SortedMap<String, Boolean> chosen;

    private final Release release;
    private final Set<NewerField> ignored;
    private final Arithmetic arithmetic;
    private final boolean podAnnotations;

    private FeatureGates(
            SortedMap<String, Boolean> chosen,
            Release release,
            Set<NewerField> ignored,
            Arithmetic arithmetic,
            boolean podAnnotations) {
        this.chosen = Collections.unmodifiableSortedMap(chosen);
        this.release = release;
        this.ignored = Sets.immutableEnumSet(ignored);
        this.arithmetic = arithmetic;
        this.podAnnotations = podAnnotations;
    }

    /** The default gates of v1.17, in a cluster of that release. */
    public static FeatureGates defaults() {
        return DEFAULTS;
    }

    /**
     * Parses the value of {@code --feature-gates}, for example {@code EvenPodsSpread=true,PodOverhead=false}. Empty entries are
     * skipped and the last value of a repeated name applies.
     *
     * @throws IllegalArgumentException with the text of v1.17 for an unknown gate, an invalid boolean, or a locked gate
     */
    public static FeatureGates parse(String text) {
        Map<String, Boolean> values = new LinkedHashMap<>();
        for (String entry : text.split(",", -1)) {
            if (entry.isEmpty()) {
                continue;
            }
            int equals = entry.indexOf('=');
            String name = (equals < 0 ? entry : entry.substring(0, equals)).strip();
            if (equals < 0) {
                throw new IllegalArgumentException("missing bool value for " + name);
            }
            values.put(name, parseBoolean(name, entry.substring(equals + 1).strip()));
        }
        FeatureGates gates = DEFAULTS;
        for (Map.Entry<String, Boolean> value : values.entrySet()) {
            gates = gates.with(value.getKey(), value.getValue());
        }
        return gates;
    }

    /**
     * A copy with another value of a gate.
     *
     * @throws IllegalArgumentException if the gate is unknown, or locked to the other value
     */
    public FeatureGates with(String name, boolean on) {
        Gate gate = KNOWN.get(name);
        if (gate == null) {
            throw new IllegalArgumentException("unrecognized feature gate: " + name);
        }
        if (gate.stage() == Stage.GA_LOCKED && on != gate.defaultValue()) {
            throw new IllegalArgumentException(
                    "cannot set feature gate " + name + " to " + on + ", feature is locked to " + gate.defaultValue());
        }
        SortedMap<String, Boolean> changed = new TreeMap<>(chosen);
        changed.put(name, on);
        return new FeatureGates(changed, release, ignored, arithmetic, podAnnotations);
    }

    /** A copy for another release. */
    public FeatureGates at(Release other) {
        return other.equals(release) ? this : new FeatureGates(chosen, other, ignored, arithmetic, podAnnotations);
    }

    /** A copy that ignores exactly these fields. */
    public FeatureGates ignoring(Set<NewerField> fields) {
        return new FeatureGates(chosen, release, fields, arithmetic, podAnnotations);
    }

    /** Exactly v1.17: its rules, and its integer overflows. */
    public FeatureGates exactlyV117() {
        return new FeatureGates(chosen, Release.V1_17, ignored, Arithmetic.WRAPPING, podAnnotations);
    }

    /**
     * A copy that keeps or drops the annotations of pods, which need memory.
     *
     * @param value true if a rule reads them
     */
    public FeatureGates keepingPodAnnotations(boolean value) {
        return value == podAnnotations ? this : new FeatureGates(chosen, release, ignored, arithmetic, value);
    }

    /** Whether annotations of pods are kept. */
    public boolean keepsPodAnnotations() {
        return podAnnotations;
    }

    /** The overflow behavior of amounts. */
    public Arithmetic arithmetic() {
        return arithmetic;
    }

    /** The release whose rules apply. */
    public Release release() {
        return release;
    }

    /** Fields of the release that are ignored. */
    public Set<NewerField> ignored() {
        return ignored;
    }

    /** True with the rules of a release after v1.17, which honor newer fields. */
    public boolean honoursNewerFields() {
        return release.compareTo(Release.V1_17) > 0;
    }

    /** True if a field that is newer than v1.17 is honored. */
    public boolean honours(NewerField field) {
        return honoursNewerFields() && release.compareTo(field.served()) >= 0 && !ignored.contains(field);
    }

    /**
     * Whether the gate is enabled.
     *
     * @throws IllegalArgumentException if v1.17 has no such gate
     */
    public boolean enabled(String name) {
        Gate gate = KNOWN.get(name);
        if (gate == null) {
            throw new IllegalArgumentException("unrecognized feature gate: " + name);
        }
        Boolean value = chosen.get(name);
        if (value == null && gate.stage() == Stage.ALPHA) {
            value = chosen.get(ALL_ALPHA);
        }
        if (value == null && gate.stage() == Stage.BETA) {
            value = chosen.get(ALL_BETA);
        }
        if (value == null && name.equals(NON_PREEMPTING_PRIORITY) && honours(NewerField.PREEMPTION_POLICY)) {
            return true;
        }
        return value == null ? gate.defaultValue() : value;
    }

    /** The names of all supported gates, sorted. */
    public static Set<String> names() {
        return Collections.unmodifiableSet(KNOWN.keySet());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FeatureGates gates
                && gates.chosen.equals(chosen)
                && gates.release.equals(release)
                && gates.ignored.equals(ignored)
                && gates.arithmetic == arithmetic
                && gates.podAnnotations == podAnnotations;
    }

    @Override
    public int hashCode() {
        return Objects.hash(chosen, release, ignored, arithmetic, podAnnotations);
    }

    /** The explicitly set gates in the format of {@link #parse}, sorted by name. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Boolean> value : chosen.entrySet()) {
            text.append(text.length() == 0 ? "" : ",")
                    .append(value.getKey())
                    .append('=')
                    .append(value.getValue());
        }
        return text.toString();
    }

    /**
     * The value of a gate, as Go's {@code strconv.ParseBool} reads it.
     *
     * @throws IllegalArgumentException that names the gate, if the text is no boolean
     */
    public static boolean parseBoolean(String name, String value) {
        if (TRUE_WORDS.contains(value)) {
            return true;
        }
        if (FALSE_WORDS.contains(value)) {
            return false;
        }
        throw new IllegalArgumentException("invalid value of " + name + "=" + value
                + ", err: strconv.ParseBool: parsing \"" + value + "\": invalid syntax");
    }

    private static SortedMap<String, Gate> knownGates() {
        SortedMap<String, Gate> gates = new TreeMap<>();
        Gate bulk = new Gate(Stage.BULK, false);
        gates.put(ALL_ALPHA, bulk);
        gates.put(ALL_BETA, bulk);
        Gate alpha = new Gate(Stage.ALPHA, false);
        gates.put(EVEN_PODS_SPREAD, alpha);
        gates.put(RESOURCE_LIMITS_PRIORITY_FUNCTION, alpha);
        gates.put(NON_PREEMPTING_PRIORITY, alpha);
        gates.put(POD_OVERHEAD, alpha);
        gates.put(BALANCE_ATTACHED_NODE_VOLUMES, alpha);
        gates.put(CSI_MIGRATION_AZURE_DISK, alpha);
        gates.put(CSI_MIGRATION_OPEN_STACK, alpha);
        Gate betaOn = new Gate(Stage.BETA, true);
        gates.put(POD_DISRUPTION_BUDGET, betaOn);
        gates.put(CSI_MIGRATION, betaOn);
        gates.put(BLOCK_VOLUME, betaOn);
        Gate betaOff = new Gate(Stage.BETA, false);
        gates.put(CSI_MIGRATION_AWS, betaOff);
        gates.put(CSI_MIGRATION_GCE, betaOff);
        gates.put(STORAGE_OBJECT_IN_USE_PROTECTION, new Gate(Stage.GA, true));
        Gate locked = new Gate(Stage.GA_LOCKED, true);
        gates.put(TAINT_NODES_BY_CONDITION, locked);
        gates.put(CSI_NODE_INFO, locked);
        gates.put(ATTACH_VOLUME_LIMIT, locked);
        gates.put(POD_PRIORITY, locked);
        gates.put(SCHEDULE_DAEMON_SET_PODS, locked);
        return Collections.unmodifiableSortedMap(gates);
    }
}
