package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what the search has found for one claim. */
final class AllocationResult {
    private AllocationResult() {}

    static DeviceAllocation of(
            ResourceClaimInfo claim, List<AllocationSearch.Taken> taken, List<PreparedRequest> chosen, String node)
            throws AllocationException {
        List<DeviceAllocation.Result> results = new ArrayList<>(taken.size());
        for (AllocationSearch.Taken one : taken) {
            results.add(new DeviceAllocation.Result(
                    one.request().resultName(),
                    one.slot().id(),
                    one.request().wanted().adminAccess()));
        }
        return new DeviceAllocation(results, config(claim, chosen), nodeTerms(claim, taken, node));
    }

    private static List<DeviceConfig> config(ResourceClaimInfo claim, List<PreparedRequest> chosen) {
        List<DeviceConfig> config = new ArrayList<>();
        for (PreparedRequest request : chosen) {
            for (DeviceConfig entry : request.deviceClass().config()) {
                config.add(new DeviceConfig(DeviceConfig.FROM_CLASS, List.of(), entry.content()));
            }
        }
        for (DeviceConfig entry : claim.config()) {
            DeviceConfig told = new DeviceConfig(DeviceConfig.FROM_CLAIM, entry.requests(), entry.content());
            if (entry.requests().isEmpty()) {
                config.add(told);
            } else {
                chosen.stream()
                        .filter(request -> request.isNamedIn(entry.requests()))
                        .forEach(request -> config.add(told));
            }
        }
        return config;
    }

    private static @Nullable List<NodeSelectorTerm> nodeTerms(
            ResourceClaimInfo claim, List<AllocationSearch.Taken> taken, String node) throws AllocationException {
        List<LabelRequirement> expressions = new ArrayList<>();
        List<LabelRequirement> fields = new ArrayList<>();
        for (AllocationSearch.Taken one : taken) {
            if (one.slot().isLocal()) {
                return List.of(new NodeSelectorTerm(
                        List.of(), List.of(LabelRequirement.ofNodeSelector("metadata.name", "In", List.of(node)))));
            }
            List<NodeSelectorTerm> terms = one.slot().slice().nodeTerms();
            if (terms == null) {
                continue;
            }
            if (terms.size() != 1) {
                throw new AllocationException("create NodeSelector for claim " + claim.name()
                        + ": unsupported ResourceSlice.NodeSelector with " + terms.size() + " terms");
            }
            terms.get(0).expressions().forEach(requirement -> addNew(expressions, requirement));
            terms.get(0).fields().forEach(requirement -> addNew(fields, requirement));
        }
        return expressions.isEmpty() && fields.isEmpty() ? null : List.of(new NodeSelectorTerm(expressions, fields));
    }

    private static void addNew(List<LabelRequirement> all, LabelRequirement requirement) {
        boolean known = all.stream()
                .anyMatch(other -> other.key().equals(requirement.key())
                        && other.operator().equals(requirement.operator())
                        && new HashSet<>(other.values()).equals(new HashSet<>(requirement.values())));
        if (!known) {
            all.add(requirement);
        }
    }
}
