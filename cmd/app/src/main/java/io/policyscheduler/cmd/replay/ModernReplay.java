package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.replay.Replayer.RecordedCluster;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimJson;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimWriteException;
import io.policyscheduler.framework.devices.ExtendedResources.SpecialClaim;
import io.policyscheduler.framework.devices.PodResourceClaims;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.PolicyTranslator;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Works a scenario out again with the plugins of current releases. */
final class ModernReplay {
    /** Unused by profiles of current plugins, which preempt by their own rules. */
    private static final Preemption OLD_RULES = new Preemption(true, true);

    /** More than the time that a pod waits for the conditions of its devices. */
    private static final Duration BINDING_TIMEOUT = Duration.ofMinutes(11);

    private final Release release;
    private final ReplayClock clock;
    private final Profile profile;
    private final RecordedCluster cluster;
    private final SchedulingCycle cycle;
    private final RecordedClaims claims;
    private final boolean binds;
    private final boolean preempts;

    private ModernReplay(
            Release release,
            ReplayClock clock,
            Profile profile,
            RecordedCluster cluster,
            RecordedClaims claims,
            boolean binds,
            boolean preempts) {
        this.release = release;
        this.clock = clock;
        this.claims = claims;
        this.binds = binds;
        this.preempts = preempts;
        this.profile = profile;
        this.cluster = cluster;
        this.cycle = SchedulingCycle.of(profile, cluster.cluster);
    }

    /**
     * The outcome of a scenario.
     *
     * @param release 1.18 or later
     * @param withoutPreemption writes the outcome in the form of {@code expected.release}: the plugins as built, and no preemption
     * @throws IOException when an object of the scenario cannot be read
     */
    static ObjectNode replay(JsonNode scenario, Release release, boolean withoutPreemption) throws IOException {
        ObjectNode outcome = JsonNodeFactory.instance.objectNode();
        RecordedCluster cluster =
                new RecordedCluster(scenario, FeatureGates.defaults().at(release));
        RecordedClaims claims = new RecordedClaims(cluster.cluster.assumedClaims());
        ReplayClock clock = new ReplayClock();
        Profile profile;
        try {
            profile = profile(scenario, release, cluster, claims, clock, outcome);
        } catch (ConfigurationException | PolicyException | PluginException e) {
            return outcome.put("configError", e.getMessage());
        }
        if (profile == null) {
            return outcome;
        }
        if (withoutPreemption) {
            OutcomeWriter.filtersAndScores(outcome, profile);
        }
        if (!cluster.pending.isEmpty()) {
            new ModernReplay(
                            release,
                            clock,
                            profile,
                            cluster,
                            claims,
                            scenario.path("bind").asBoolean(),
                            !withoutPreemption)
                    .run(outcome.putArray("pods"));
        }
        return outcome;
    }

    /** The plugins that a kube-scheduler of the release has. */
    private static PluginRegistry plugins(Release release) {
        if (release.compareTo(ReplayMode.MODERN_RECORDINGS) >= 0) {
            return ModernPlugins.registry();
        }
        return PluginRegistry.empty()
                .with(ModernPlugins.over(new InTreePlugins(
                                Algorithms.registry(), FeatureGates.defaults().at(release), name -> "")
                        .factories()));
    }

    /** The profile that the release makes of the policy of a scenario. */
    private static Profile translated(JsonNode scenario, Release release, ProfileBuilder builder)
            throws ConfigurationException, PolicyException {
        String text = scenario.has("policyText")
                ? scenario.get("policyText").asText()
                : scenario.path("policy").toString();
        Policy policy = new PolicyReader(true).read(text, "policy");
        SchedulerConfiguration configuration =
                PolicyTranslator.translate(policy, release, PolicyTranslator.DEFAULT_SCHEDULER_NAME);
        try {
            Profile profile =
                    builder.build(configuration, configuration.profiles().get(0));
            return policy.alwaysCheckAllPredicates() ? profile.checkingAllFilters() : profile;
        } catch (PluginException e) {
            throw PolicyTranslator.rejected(policy, String.valueOf(e.getMessage()));
        }
    }

    private static String notRegistered(ConfigVersion version) {
        return "no kind \"" + ConfigVersion.KIND + "\" is registered for version \"" + version.apiVersion()
                + "\" in scheme \"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:29\"";
    }

    /**
     * The profile of a scenario; the effective configuration is written into the outcome. Null if the release does not read the
     * version of the configuration.
     */
    private static @Nullable Profile profile(
            JsonNode scenario,
            Release release,
            RecordedCluster cluster,
            ClaimWriter claims,
            Clock clock,
            ObjectNode outcome)
            throws ConfigurationException, PolicyException {
        ProfileBuilder builder = new ProfileBuilder(plugins(release), cluster.cluster, WaitingPods.NONE, clock, claims);
        if (scenario.has("policy") || scenario.has("policyText")) {
            return translated(scenario, release, builder);
        }
        if (!scenario.has("config")) {
            SchedulerConfiguration configuration = ModernProfile.configuration("default-scheduler", release);
            return builder.build(configuration, configuration.profiles().get(0));
        }
        SchedulerConfiguration configuration =
                new ConfigurationReader(release).read(scenario.get("config").toString(), "config");
        if (!configuration.version().isReadBy(release)) {
            outcome.put("configError", notRegistered(configuration.version()));
            return null;
        }
        new ConfigurationValidator().check(configuration);
        List<Profile> profiles = new ArrayList<>();
        for (ProfileConfiguration profile : configuration.profiles()) {
            profiles.add(builder.build(configuration, profile));
        }
        if (cluster.pending.isEmpty()) {
            OutcomeWriter.allPlugins(
                    outcome,
                    builder.plugins(configuration, configuration.profiles().get(0)));
        } else {
            OutcomeWriter.profile(outcome, profiles.get(0));
        }
        return profiles.get(0);
    }

    /** A clock that skips the waits of the recorded scheduler. */
    private static final class ReplayClock extends Clock {
        private Duration passed = Duration.ZERO;

        void pass(Duration time) {
            passed = passed.plus(time);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.now().plus(passed);
        }
    }

    private void run(ArrayNode pods) {
        for (PodInfo pod : cluster.pending) {
            if (gate(pod) != null) {
                // A pod that does not enter the queue has no nomination.
                cluster.dropNomination(pod);
            }
        }
        List<@Nullable Gate> gates = new ArrayList<>();
        cluster.pending.forEach(pod -> gates.add(gate(pod)));
        for (int i = 0; i < cluster.pending.size(); i++) {
            PodInfo pod = cluster.pending.get(i);
            ObjectNode entry = pods.addObject();
            Gate gate = gates.get(i);
            if (gate != null) {
                OutcomeWriter.gated(entry, pod, gate.plugin(), gate.status());
            } else {
                decide(pod, entry);
            }
        }
    }

    private record Gate(String plugin, Status status) {}

    private @Nullable Gate gate(PodInfo pod) {
        for (PreEnqueuePlugin plugin : profile.preEnqueues()) {
            Status status = plugin.preEnqueue(pod);
            if (!status.isSuccess()) {
                return new Gate(plugin.name(), status);
            }
        }
        return null;
    }

    private void decide(PodInfo pod, ObjectNode entry) {
        CycleState state = cycle.newState();
        Evaluation evaluation = cycle.evaluate(pod, cluster::nominatedOn, state);
        if (preempts) {
            OutcomeWriter.currentEvaluation(entry, pod, evaluation);
        } else {
            OutcomeWriter.evaluationOfRelease(entry, pod, evaluation, SchedulerChange.REGISTERED_EVENTS.in(release));
        }
        if (evaluation.rejectedBefore() == null
                && !profile.rules().countsExcludedNodes()
                && entry.get("failures") instanceof ObjectNode failures) {
            // The recorded scheduler has no status for nodes that plugins exclude before the filters.
            evaluation.failures().forEach((node, failure) -> {
                if (failure.plugin() == null) {
                    failures.remove(node);
                }
            });
        }
        if (evaluation.error() == null) {
            boolean nominated = preempts && evaluation.feasible().contains(pod.nominatedNodeName());
            String node =
                    nominated ? pod.nominatedNodeName() : evaluation.best().get(0);
            if (nominated) {
                entry.put("nominated", node);
            }
            reserve(pod, node, state, entry);
        } else if (preempts && evaluation.fitError()) {
            String more =
                    PostFilters.run(profile, state, pod, evaluation::failures, () -> preempt(pod, evaluation, entry));
            claims.carryOut().forEach(freed -> entry.withArray("/deallocated").add(freed));
            if (!more.isEmpty()) {
                entry.put("postFilter", more);
                entry.put("error", evaluation.error() + " " + more);
            }
        }
    }

    private void reserve(PodInfo pod, String node, CycleState state, ObjectNode entry) {
        for (ReservePlugin plugin : profile.reserves()) {
            Status status = plugin.reserve(state, pod, node);
            if (!status.isSuccess()) {
                profile.reserves().forEach(reserved -> reserved.unreserve(state, pod, node));
                entry.put("error", profile.rules().reserve(plugin.name(), pod.name(), status));
                return;
            }
        }
        if (binds) {
            for (PreBindPlugin plugin : profile.preBinds()) {
                Status status = plugin.preBind(state, pod, node);
                if (!status.isSuccess()) {
                    // The recorded scheduler waited for the conditions of devices until the timeout.
                    entry.put("preBindError", status.message());
                    profile.reserves().forEach(reserved -> reserved.unreserve(state, pod, node));
                    clock.pass(BINDING_TIMEOUT);
                    return;
                }
            }
            claims.write(pod, entry);
        }
        entry.put("bound", node);
        cluster.place(pod, node, preempts);
    }

    private Status preempt(PodInfo pod, Evaluation evaluation, ObjectNode entry) {
        PreemptionResult result =
                cycle.preemption().preempt(pod, cluster::nominatedOn, evaluation.failures(), OLD_RULES);
        if (!result.eligible() && cluster.hasClaims) {
            // Recordings with claims contain no more about a pod that may not preempt.
            entry.putObject("preemption").put("eligible", false);
        } else {
            OutcomeWriter.preemption(entry, result);
        }
        return PostFilters.statusOf(result);
    }

    /** Claims of a recorded cluster: writes apply immediately, but releases apply at the end of the attempt. */
    static final class RecordedClaims implements ClaimWriter {
        private final AssumedClaims known;
        private final ClaimWriter memory;
        private final List<ResourceClaimInfo> freed = new ArrayList<>();
        /** By the UID of the pod. */
        private final Map<String, SpecialClaim> created = new HashMap<>();

        RecordedClaims(AssumedClaims known) {
            this.known = known;
            this.memory = ClaimWriter.inMemory(known);
        }

        @Override
        public void reserve(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod)
                throws ClaimWriteException {
            memory.reserve(claim, allocation, pod);
        }

        @Override
        public void release(ResourceClaimInfo claim, PodInfo pod) {
            memory.release(claim, pod);
        }

        @Override
        public String deallocate(ResourceClaimInfo claim) {
            freed.add(claim);
            return "";
        }

        @Override
        public ResourceClaimInfo create(SpecialClaim special, DeviceAllocation allocation, PodInfo pod)
                throws ClaimWriteException {
            created.put(pod.uid(), special);
            return memory.create(special, allocation, pod);
        }

        @Override
        public String deleteCreated(ResourceClaimInfo claim) {
            return memory.deleteCreated(claim);
        }

        @Override
        public String awaitBindingConditions(
                List<ResourceClaimInfo> claims,
                PodInfo pod,
                String node,
                Duration timeout,
                Function<ResourceClaimInfo, @Nullable String> check) {
            return memory.awaitBindingConditions(claims, pod, node, timeout, check);
        }

        /** Releases the claims of an attempt and returns them. */
        List<String> carryOut() {
            List<String> names = freed.stream().map(ResourceClaimInfo::key).toList();
            freed.forEach(memory::deallocate);
            freed.clear();
            return names;
        }

        /** The final claims of a placed pod. */
        void write(PodInfo pod, ObjectNode entry) {
            for (ResourceClaimInfo claim : PodResourceClaims.of(pod, known).claims()) {
                ObjectNode written = entry.withObject("/claims").putObject(claim.key());
                if (claim.allocation() != null) {
                    written.set("allocation", recorded(claim.allocation()));
                }
                if (claim.finalizers().isEmpty()) {
                    written.putNull("finalizers");
                } else {
                    claim.finalizers().forEach(written.putArray("finalizers")::add);
                }
                claim.reservedFor()
                        .forEach(user -> written.withArray("/reservedFor")
                                .add(user.resource() + "/" + user.name() + "/" + user.uid()));
            }
            SpecialClaim special = created.get(pod.uid());
            ResourceClaimInfo claim = special == null ? null : known.ofExtendedResources(pod);
            if (special != null && claim != null && claim.allocation() != null) {
                ObjectNode written = entry.putObject("extendedClaim");
                written.set("spec", ClaimJson.spec(special));
                written.set("allocation", recorded(claim.allocation()));
                written.set("mappings", ClaimJson.mappings(special));
            }
        }

        /** Recordings have neither times nor random identifiers. */
        private static ObjectNode recorded(DeviceAllocation allocation) {
            ObjectNode json = ClaimJson.allocation(allocation.allocatedAt(PodInfo.NO_TIME));
            for (JsonNode result : json.path("devices").path("results")) {
                if (result.has("shareID") && result instanceof ObjectNode share) {
                    share.put("shareID", "shared");
                }
            }
            return json;
        }
    }
}
