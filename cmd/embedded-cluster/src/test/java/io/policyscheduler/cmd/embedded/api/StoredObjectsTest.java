package io.policyscheduler.cmd.embedded.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.Manifests;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Batch;
import io.policyscheduler.cmd.embedded.api.StoredObjects.EventReader;
import io.policyscheduler.cmd.embedded.api.StoredObjects.StoredEvent;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredObjectsTest {
    private static final ResourceType PODS = new ResourceCatalog(Release.V1_34).named("pods");

    private final StoredObjects store = new StoredObjects(3);

    private ObjectNode create(String namespace, String name) {
        return store.create(
                PODS, Manifests.json("{'metadata':{'namespace':'" + namespace + "','name':'" + name + "'}}"), false);
    }

    private static List<String> names(List<ObjectNode> objects) {
        return objects.stream()
                .map(o -> ObjectKey.of(o).namespace() + "/" + ObjectKey.of(o).name())
                .toList();
    }

    private static ObjectNode touch(ObjectNode object, String value) {
        return object.put("touched", value);
    }

    @Test
    void listsInOrderOfNamespaceAndName() {
        create("b", "1");
        create("a-b", "1");
        create("a", "2");
        create("a", "1");
        assertEquals(
                List.of("a/1", "a/2", "a-b/1", "b/1"),
                names(store.list(PODS, "").items()));
        assertEquals(List.of("a/1", "a/2"), names(store.list(PODS, "a").items()));
        assertEquals(List.of(), store.list(PODS, "c").items());
    }

    @Test
    void everyChangeTakesTheNextVersion() {
        assertEquals("2", Json.text(create("a", "1"), "metadata", "resourceVersion"));
        assertEquals(
                "3",
                Json.text(
                        store.modify(PODS, "a", "1", false, o -> touch(o, "x")).object(),
                        "metadata",
                        "resourceVersion"));
        assertEquals(
                "3",
                Json.text(
                        store.modify(PODS, "a", "1", false, o -> touch(o, "x")).object(),
                        "metadata",
                        "resourceVersion"),
                "an equal state is no change");
        assertTrue(store.modify(PODS, "a", "1", false, o -> null).removed());
        assertEquals(4, store.resourceVersion());
        assertTrue(store.get(PODS, "a", "1").isEmpty());
    }

    @Test
    void aStoreThatStartsAtALaterVersionKnowsNothingOfEarlierOnes() {
        StoredObjects later = new StoredObjects(3, 1000);
        assertEquals(1000, later.resourceVersion());
        assertThrows(StatusError.class, () -> later.changesAfter(PODS, 998));
        assertEquals(0, later.changesAfter(PODS, 999).poll().events().size());
        later.create(PODS, Manifests.json("{'metadata':{'namespace':'a','name':'1'}}"), false);
        assertEquals(1001, later.changesAfter(PODS, 1000).poll().resourceVersion());
    }

    @Test
    void dryRunsChangeNothing() {
        create("a", "1");
        store.modify(PODS, "a", "1", true, o -> touch(o, "x"));
        store.modify(PODS, "a", "1", true, o -> null);
        store.create(PODS, Manifests.json("{'metadata':{'namespace':'a','name':'2'}}"), true);
        assertEquals(2, store.resourceVersion());
        assertEquals(List.of("a/1"), names(store.list(PODS, "").items()));
        assertFalse(store.get(PODS, "a", "1").orElseThrow().has("touched"));
    }

    @Test
    void refusesDuplicatesAndAbsentObjects() {
        create("a", "1");
        StatusError duplicate = assertThrows(StatusError.class, () -> create("a", "1"));
        assertEquals("pods \"1\" already exists", duplicate.getMessage());
        StatusError absent = assertThrows(StatusError.class, () -> store.modify(PODS, "a", "2", false, o -> o));
        assertEquals("pods \"2\" not found", absent.getMessage());
    }

    @Test
    void readersSeeEachChangeOnceAndLoseTheirPlaceWhenSlow() {
        create("a", "1");
        EventReader reader = store.changesAfter(PODS, 1);
        EventReader slow = store.changesAfter(PODS, 1);
        store.modify(PODS, "a", "1", false, o -> touch(o, "x"));
        Batch batch = reader.poll();
        assertEquals(
                List.of(StoredEvent.Type.ADDED, StoredEvent.Type.MODIFIED),
                batch.events().stream().map(StoredEvent::type).toList());
        assertEquals(3, batch.resourceVersion());
        assertEquals(new Batch(List.of(), 3, false), reader.poll());
        store.modify(PODS, "a", "1", false, o -> null);
        StoredEvent deleted = reader.poll().events().get(0);
        assertEquals(StoredEvent.Type.DELETED, deleted.type());
        assertEquals("4", Json.text(deleted.object(), "metadata", "resourceVersion"));
        create("a", "2");
        assertTrue(slow.poll().expired());
        assertFalse(reader.poll().expired());
    }

    @Test
    void historyStartsAtAnyKnownVersion() {
        for (int i = 0; i < 5; i++) {
            create("a", "p" + i);
        }
        StatusError tooOld = assertThrows(StatusError.class, () -> store.changesAfter(PODS, 2));
        assertEquals("too old resource version: 2 (3)", tooOld.getMessage());
        assertEquals(3, store.changesAfter(PODS, 3).poll().events().size());
        assertEquals(1, store.changesAfter(PODS, 5).poll().events().size());
        assertEquals(0, store.changesAfter(PODS, 6).poll().events().size());
        store.compact();
        assertThrows(StatusError.class, () -> store.changesAfter(PODS, 5));
        assertEquals(0, store.changesAfter(PODS, 6).poll().events().size());
        create("a", "later");
        assertEquals(1, store.changesAfter(PODS, 6).poll().events().size());
    }

    @Test
    void closedReadersReturnAtOnce() throws InterruptedException {
        EventReader reader = store.changesAfter(PODS, 1);
        reader.close();
        assertEquals(new Batch(List.of(), 1, false), reader.next(10, Long.MAX_VALUE));
        assertTrue(reader.isClosed());
    }
}
