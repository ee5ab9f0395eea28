package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.modern.PluginAlgorithms.FilterPredicate;
import io.policyscheduler.framework.modern.PluginAlgorithms.PluginSource;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FilterPredicateTest {
    private final PolicyFixture fixture =
            new PolicyFixture().node("n1", "", "cpu: '1'").node("n2", "", "cpu: '1'");
    private final PodInfo pod = fixture.pod("p", "", "");

    /** Accepts nodes without pods; the PreFilter result is a parameter. */
    private static final class Counting implements PreFilterPlugin, CacheableFilter {
        private final PreFilterResult before;
        private final StateKey<List<String>> key;

        Counting(PluginHandle handle, PreFilterResult before) {
            this.before = before;
            this.key = handle.stateKeys().create("Counting", List::copyOf);
        }

        @Override
        public String name() {
            return "Counting";
        }

        @Override
        public PreFilterResult preFilter(CycleState state, PodContext context) {
            state.write(key, List.of());
            return before;
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            List<String> nodes = state.read(key);
            if (nodes.contains("broken")) {
                throw new PluginException("it broke");
            }
            return nodes.contains(node.name()) ? Status.unschedulable("Too many pods") : Status.SUCCESS;
        }

        @Override
        public FilterReads filterReads(CycleState state, PodInfo pod) {
            return new FilterReads(null, 0, state.read(key).isEmpty(), false, index -> null);
        }

        @Override
        public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
            state.write(key, List.of(added.name().equals("bad") ? "broken" : node.name()));
            return added.name().equals("refused") ? "cannot add" : null;
        }

        @Override
        public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
            state.write(key, List.of());
            return removed.name().equals("refused") ? "cannot remove" : null;
        }
    }

    private static FilterPredicate predicate(PluginFactory factory) {
        return new FilterPredicate(
                "Old", Scope.CLUSTER, new PluginSource(factory, JsonNodeFactory.instance.missingNode()));
    }

    private PodFilter start(PreFilterResult before) {
        return predicate(handle -> new Counting(handle, before)).start(fixture.context(pod));
    }

    @Test
    void decidesBeforeLookingAtNodes() {
        assertSame(PodFilter.FITS_ALL, start(PreFilterResult.SKIP));
        assertEquals(List.of("no !", "no !"), fixture.verdicts(start(PreFilterResult.of(Status.unresolvable("no")))));
        assertEquals(
                List.of("error: boom", "error: boom"),
                fixture.verdicts(start(PreFilterResult.of(Status.error("boom")))));
        assertEquals(
                List.of("node(s) didn't match node selector !", "fits"),
                fixture.verdicts(start(PreFilterResult.only(Set.of("n2")))));
    }

    @Test
    void followsChangesOnCopies() {
        for (PreFilterResult before : List.of(PreFilterResult.ALL_NODES, PreFilterResult.only(Set.of("n1", "n2")))) {
            PodFilter filter = start(before);
            PodFilter copy = filter.copy();
            assertEquals(
                    null, copy.addPod(fixture.pod("a", "", ""), fixture.nodes().get(0)));
            assertEquals(List.of("Insufficient pods", "fits"), fixture.verdicts(copy));
            assertEquals(List.of("fits", "fits"), fixture.verdicts(filter));
            assertEquals(
                    null,
                    copy.removePod(fixture.pod("a", "", ""), fixture.nodes().get(0)));
            assertEquals(List.of("fits", "fits"), fixture.verdicts(copy));
            PodInfo refused = fixture.pod("refused", "", "");
            assertEquals("cannot add", copy.addPod(refused, fixture.nodes().get(0)));
            assertEquals(
                    "cannot remove", copy.removePod(refused, fixture.nodes().get(0)));
        }
    }

    @Test
    void saysWhetherItPassesUntilChanged() {
        PodFilter filter = start(PreFilterResult.ALL_NODES);
        assertEquals(true, filter.fitsUntilChanged());
        filter.addPod(fixture.pod("a", "", ""), fixture.nodes().get(0));
        assertEquals(false, filter.fitsUntilChanged());
    }

    @Test
    void exceptionsAreErrorVerdicts() {
        PodFilter filter = start(PreFilterResult.ALL_NODES);
        filter.addPod(fixture.pod("bad", "", ""), fixture.nodes().get(0));
        assertEquals(List.of("error: it broke", "error: it broke"), fixture.verdicts(filter));
    }

    @Test
    void hasTheOldNameAndNeedsAFilter() {
        FilterPredicate predicate = predicate(handle -> () -> "Idle");
        assertEquals("Old", predicate.name());
        assertEquals(Scope.CLUSTER, predicate.scope());
        PodContext context = fixture.context(pod);
        assertEquals(
                "Idle filters nothing",
                assertThrows(IllegalStateException.class, () -> predicate.start(context))
                        .getMessage());
    }
}
