package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.cmd.live.EventHandlers.UnreadableObjects;
import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterChange.UnreadablePod;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class UnreadableObjectsTest {
    private final UnreadableObjects objects = new UnreadableObjects(true);
    private final EventInbox inbox = new EventInbox();

    private static WatchedResource resource(ResourceKind kind) {
        return WatchedResource.all().stream()
                .filter(resource -> resource.kind() == kind)
                .findFirst()
                .orElseThrow();
    }

    private static Unreadable object(String namespace, String name, String node) {
        return new Unreadable(namespace, name, "u", node, "s", "odd");
    }

    private List<Integer> podsAndNodes() {
        return List.of(
                objects.counts().getOrDefault("Pod", -1), objects.counts().getOrDefault("Node", -1));
    }

    @Test
    void podsAreCountedAndPostedWithTheirNodes() {
        EventHandlers pods = new EventHandlers(inbox, resource(ResourceKind.PODS), objects);
        pods.onReplaced(List.of(), List.of(object("ns", "a", "n1"), object("", "", "")), "7");
        assertEquals(List.of(2, 0), podsAndNodes());
        pods.onUnreadable(object("ns", "a", "n1"));
        pods.onUnreadable(object("ns", "b", ""));
        assertEquals(List.of(3, 0), podsAndNodes());
        pods.onUnreadableDeleted(object("ns", "a", "n1"));
        assertEquals(List.of(2, 0), podsAndNodes());
        UnreadablePod a = new UnreadablePod("ns", "a", "u", "n1", "s", "odd", true);
        UnreadablePod b = new UnreadablePod("ns", "b", "u", "", "s", "odd", true);
        assertEquals(
                List.of(
                        new ClusterChange.PodsReplaced(List.of(), List.of(a), "7"),
                        new ClusterChange.PodUnreadable(a),
                        new ClusterChange.PodUnreadable(b),
                        new ClusterChange.PodDeleted("ns", "a", "u")),
                inbox.drain());
        pods.onReplaced(List.of(), "8");
        assertEquals(List.of(0, 0), podsAndNodes());
    }

    @Test
    void aNodeThatCannotBeReadIsNone() {
        EventHandlers nodes = new EventHandlers(inbox, resource(ResourceKind.NODES), objects);
        nodes.onUnreadable(object("", "n1", ""));
        assertEquals(List.of(0, 1), podsAndNodes());
        assertEquals(List.of(new ClusterChange.NodeDeleted("n1")), inbox.drain());
    }

    @Test
    void otherObjectsStayAsTheyWere() {
        EventHandlers services = new EventHandlers(inbox, resource(ResourceKind.SERVICES), objects);
        services.onUnreadable(object("ns", "web", ""));
        assertEquals(List.of(), inbox.drain());
        services.onUnreadableDeleted(object("ns", "web", ""));
        assertEquals(List.of(new ClusterChange.ObjectDeleted(ResourceKind.SERVICES, "ns", "web")), inbox.drain());
    }

    @Test
    void aTenantCannotFillTheLog() {
        Logger log = (Logger) LoggerFactory.getLogger(UnreadableObjects.class);
        ListAppender<ILoggingEvent> written = new ListAppender<>();
        written.start();
        log.addAppender(written);
        try {
            AtomicLong now = new AtomicLong(7);
            UnreadableObjects limited = new UnreadableObjects(true, now::get);
            for (int i = 0; i < 1000; i++) {
                limited.add(resource(ResourceKind.PODS), object("ns", "p" + i, ""));
            }
            assertEquals(1000, limited.counts().get("Pod"));
            assertEquals(UnreadableObjects.MAX_LINES + 1, written.list.size());
            assertEquals(
                    "W101 60 unreadable objects were logged in a minute, and further ones are not: the metric"
                            + " policy_scheduler_unreadable_objects counts them",
                    written.list.get(UnreadableObjects.MAX_LINES).getFormattedMessage());
            now.addAndGet(TimeUnit.MINUTES.toNanos(1));
            limited.add(resource(ResourceKind.PODS), object("ns", "p1", ""));
            limited.add(resource(ResourceKind.PODS), object("ns", "p999", ""));
            assertEquals(
                    List.of("W101 skipped an unreadable object of pods: ns/p999 (odd); the pod is not scheduled"),
                    written.list.subList(UnreadableObjects.MAX_LINES + 1, written.list.size()).stream()
                            .map(ILoggingEvent::getFormattedMessage)
                            .toList());
        } finally {
            log.detachAppender(written);
        }
    }
}
