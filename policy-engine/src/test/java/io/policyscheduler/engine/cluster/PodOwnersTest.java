package io.policyscheduler.engine.cluster;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo.Kind;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodOwnersTest {
    private static final PodInfo WEB =
            pod("p").label("app", "web").label("tier", "front").build();
    private static final PodInfo BARE = pod("bare").build();
    private static final LabelSelector INVALID =
            new LabelSelector(List.of(LabelRequirement.ofLabelSelector("app", "Foo", List.of())));

    private static ServiceInfo service(String name, @Nullable Labels selector) {
        return new ServiceInfo("default", name, selector);
    }

    private static WorkloadInfo rc(String name, @Nullable Labels selector) {
        return new WorkloadInfo(Kind.REPLICATION_CONTROLLER, "default", name, selector, null);
    }

    private static WorkloadInfo workload(Kind kind, String name, @Nullable LabelSelector selector) {
        return new WorkloadInfo(kind, "default", name, null, selector);
    }

    private static LabelSelector equal(String... keysAndValues) {
        return LabelSelector.of(Labels.of(keysAndValues), List.of());
    }

    private static List<String> names(List<? extends ClusterObject> objects) {
        return objects.stream().map(ClusterObject::name).toList();
    }

    @Test
    void servicesOfTheNamespaceInNameOrder() {
        ClusterState cluster = cluster(
                service("z", Labels.of("app", "web")),
                service("all", Labels.EMPTY),
                service("none", null),
                service("other", Labels.of("app", "db")),
                service("both", Labels.of("app", "web", "tier", "front")),
                new ServiceInfo("prod", "foreign", Labels.of("app", "web")));
        assertEquals(List.of("all", "both", "z"), names(PodOwners.services(cluster, WEB)));
        assertEquals(List.of("all"), names(PodOwners.services(cluster, BARE)));
    }

    @Test
    void replicationControllersNeedASelector() {
        ClusterState cluster = cluster(
                rc("web", Labels.of("app", "web")),
                rc("empty", Labels.EMPTY),
                rc("none", null),
                rc("other", Labels.of("app", "db")));
        assertEquals(List.of("web"), names(PodOwners.controllers(cluster, Kind.REPLICATION_CONTROLLER, WEB)));
        assertEquals(List.of(), PodOwners.controllers(cluster, Kind.REPLICATION_CONTROLLER, BARE));
    }

    @Test
    void oneInvalidSelectorHidesAllOfItsKind() {
        ClusterState cluster = cluster(
                workload(Kind.REPLICA_SET, "a", equal("app", "web")),
                workload(Kind.REPLICA_SET, "b", LabelSelector.EVERYTHING),
                workload(Kind.REPLICA_SET, "c", null),
                workload(Kind.STATEFUL_SET, "s", equal("app", "web")),
                workload(Kind.STATEFUL_SET, "t", INVALID));
        assertEquals(List.of("a"), names(PodOwners.controllers(cluster, Kind.REPLICA_SET, WEB)));
        assertEquals(List.of(), PodOwners.controllers(cluster, Kind.STATEFUL_SET, WEB));
        assertEquals(List.of(), PodOwners.controllers(cluster, Kind.REPLICA_SET, BARE));
    }

    @Test
    void spreadSelectorJoinsAllOwners() {
        ClusterState cluster = cluster(
                service("s", Labels.of("tier", "front")),
                rc("r", Labels.of("app", "web")),
                workload(Kind.REPLICA_SET, "rs", equal("app", "web")),
                workload(Kind.STATEFUL_SET, "ss", equal("tier", "front")));
        assertEquals(
                new LabelSelector(List.of(
                        LabelRequirement.equalTo("app", "web"),
                        LabelRequirement.equalTo("tier", "front"),
                        LabelRequirement.equalTo("app", "web"),
                        LabelRequirement.equalTo("tier", "front"))),
                PodOwners.spreadSelector(cluster, WEB, false));
        assertEquals(equal("tier", "front"), PodOwners.spreadSelector(cluster, WEB, true));
        assertEquals(LabelSelector.EVERYTHING, PodOwners.spreadSelector(cluster, BARE, false));
    }

    @Test
    void illegalValueVoidsTheMapPartOnly() {
        PodInfo odd = pod("odd").label("app", "-web").label("tier", "front").build();
        ClusterState cluster = cluster(
                service("a", Labels.of("app", "-web")),
                service("b", Labels.of("tier", "front")),
                workload(Kind.REPLICA_SET, "rs", equal("tier", "front")));
        assertEquals(equal("tier", "front"), PodOwners.spreadSelector(cluster, odd, false));
        assertEquals(LabelSelector.EVERYTHING, PodOwners.spreadSelector(cluster, odd, true));
        assertEquals(LabelSelector.EVERYTHING, PodOwners.firstServiceSelector(cluster, odd));
    }

    @Test
    void firstServiceByName() {
        ClusterState cluster = cluster(
                service("a", null), service("c", Labels.of("app", "web")), service("b", Labels.of("tier", "front")));
        assertEquals(equal("tier", "front"), PodOwners.firstServiceSelector(cluster, WEB));
        assertNull(PodOwners.firstServiceSelector(cluster, BARE));
    }
}
