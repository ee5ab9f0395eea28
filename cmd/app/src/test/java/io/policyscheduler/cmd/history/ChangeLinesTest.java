package io.policyscheduler.cmd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.Measuring;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterChange.ClaimWritten.Effect;
import io.policyscheduler.framework.scheduler.api.ClusterChange.ClaimWritten.End;
import io.policyscheduler.framework.scheduler.api.ClusterChange.UnreadablePod;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.Profiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes are the same after they were written and read. */
class ChangeLinesTest {
    private static final Instant START = Instant.parse("2026-11-28T08:00:00Z");
    private static final UnreadablePod BROKEN = new UnreadablePod("shop", "bad", "u9", "n1", "mine", "no spec", true);

    private final Map<ClusterObject, byte[]> originals = new IdentityHashMap<>();
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
    private final PodInfo pod = (PodInfo) object("Pod", """
        {"metadata":{"name":"web","namespace":"shop","uid":"u1","resourceVersion":"7","labels":{"app":"web"}},
         "spec":{"schedulerName":"mine","containers":[{"name":"c","resources":{"requests":{"cpu":"1500m"}}}]}}\
        """);
    private final Node node = (Node) object("Node", """
        {"metadata":{"name":"n1","uid":"u2"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}}\
        """);
    private final ClusterObject service = object("Service", """
        {"metadata":{"name":"web","namespace":"shop","uid":"u3"},"spec":{"selector":{"app":"web"}}}\
        """);

    private final ResourceClaimInfo claim = (ResourceClaimInfo) object("ResourceClaim", """
        {"metadata":{"name":"gpu","namespace":"shop","uid":"u4","resourceVersion":"9"},
         "spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]}}}\
        """);
    private final ResourceClaimInfo named = (ResourceClaimInfo) object("ResourceClaim", """
        {"metadata":{"namespace":"shop","name":"gpu","uid":"u4"}}\
        """);
    private final TableSchema prices = new TableSchema(
            "price",
            ImmutableSortedMap.of("each", RuleType.NUMBER, "free", RuleType.BOOL, "zone", RuleType.STRING),
            ImmutableSortedSet.of("each"),
            ImmutableSortedMap.of());
    private final RuleTables tables = new RuleTables(
            Map.of(
                    "price",
                    new TableDefinition(
                            "price",
                            new TableOrigin.Inline(),
                            prices.fields(),
                            Map.of(),
                            TableValues.EMPTY,
                            Measuring.NONE,
                            new TableDefinition.Place("policy.json", 1, 1))),
            Map.of("price", TableState.none(prices, Map.of())));

    private ClusterObject object(String kind, String json) {
        try (JsonParser parser = ClusterFile.jsonFactory().createParser(json)) {
            parser.nextToken();
            ClusterObject read = Objects.requireNonNull(reader.read(parser, kind));
            originals.put(read, json.replace("\n", "").getBytes(StandardCharsets.UTF_8));
            return read;
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void survivesARoundTrip(@TempDir Path folder) throws IOException {
        List<ClusterChange> changes = List.of(
                new ClusterChange.PodsReplaced(List.of(pod), List.of(BROKEN), "42"),
                new ClusterChange.NodesReplaced(List.of(node)),
                new ClusterChange.ObjectsReplaced(ResourceKind.SERVICES, List.of(service)),
                new ClusterChange.ObjectsReplaced(ResourceKind.NAMESPACES, List.of()),
                new ClusterChange.PodUpserted(pod),
                new ClusterChange.NodeUpserted(node),
                new ClusterChange.ObjectUpserted(service),
                new ClusterChange.PodUnreadable(BROKEN),
                new ClusterChange.PodDeleted("shop", "web", "u1"),
                new ClusterChange.NodeDeleted("n1"),
                new ClusterChange.ObjectDeleted(ResourceKind.SERVICES, "shop", "web"),
                new ClusterChange.SchedulingEnabled(true),
                new ClusterChange.SchedulingEnabled(false),
                new ClusterChange.ServerBack(),
                new ClusterChange.PodEndRead(pod),
                new ClusterChange.PodReRead("u1", 3, new PodRead.Found(pod)),
                new ClusterChange.PodReRead("u1", 4, new PodRead.NotFound()),
                new ClusterChange.PodReRead("u1", 5, new PodRead.Failed("timeout")),
                new ClusterChange.DoubtAnswered(6, new PodRead.Found(pod)),
                new ClusterChange.PreemptionStarted(pod),
                new ClusterChange.PreemptionDropped(pod),
                new ClusterChange.PreemptionCarriedOut(pod),
                new ClusterChange.PreemptionFailed(pod, true),
                new ClusterChange.PreemptionFailed(pod, false),
                new ClusterChange.BindAnswered("u1", 7, BindOutcome.BOUND),
                new ClusterChange.BindAnswered("u1", 8, BindOutcome.conflict("already bound")),
                new ClusterChange.VolumesAnswered("u1", 9, "timed out"),
                new ClusterChange.PluginsRan("u1", 10, ClusterChange.PluginsRan.Outcome.REJECTED, "no"),
                new ClusterChange.PermitAllowed("u1", 11, "Gang"),
                new ClusterChange.PermitRejected("u1", 12, "Gang", "too few"),
                new ClusterChange.BindingCancelled("u1", 13, true, "preempted"),
                new ClusterChange.BindingCancelled("u1", 14, false, "preempted"),
                new ClusterChange.ClaimWritten(Effect.UPDATED, claim, End.ALLOCATION, named),
                new ClusterChange.ClaimWritten(Effect.CREATED, claim, End.NONE, null),
                new ClusterChange.ClaimWritten(Effect.DELETED, named, End.NONE, null),
                new ClusterChange.ClaimWritten(Effect.NONE, null, End.RELEASE, named),
                new ClusterChange.TableChanged(tables, prices()));
        try (TraceWriter trace = TraceWriter.open(
                TraceFiles.of(folder), Limits.NONE, "test", JsonNodeFactory.instance.objectNode(), START)) {
            ChangeLines.Writer writer = new ChangeLines.Writer(trace, originals::get);
            writer.tables(2, List.of(RuleTables.none(), tables));
            for (ClusterChange change : changes) {
                writer.write(START, change);
            }
        }
        assertEquals(changes, read(folder));
    }

    private TableState prices() {
        return new TableState(
                prices,
                new TableValues(
                        ImmutableMap.of("n1", ImmutableMap.of("each", 1.5, "free", true, "zone", "b")),
                        ImmutableMap.of("each", 3.0),
                        ImmutableMap.of("n1", START)),
                4,
                START,
                1,
                null);
    }

    private List<ClusterChange> read(Path folder) throws IOException {
        ChangeLines.Reader changes = new ChangeLines.Reader(
                FeatureGates.defaults(),
                generation -> Profiles.none(),
                generation -> generation == 2 ? List.of(RuleTables.none(), tables) : List.of(),
                uid -> uid.equals(pod.uid()) ? pod : null);
        List<ClusterChange> read = new ArrayList<>();
        List<JsonNode> items = new ArrayList<>();
        for (TraceFile file : TraceFiles.of(folder).list()) {
            TraceReader.read(file, text -> true, line -> {
                if (line.kind().equals(ChangeLines.ITEM)) {
                    items.add(line.fields().path(ChangeLines.OBJECT));
                } else {
                    read.add(changes.change(line.fields(), items));
                    items.clear();
                }
            });
        }
        return read;
    }
}
