package io.policyscheduler.cmd.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.ApiClient.Watch;
import io.policyscheduler.cmd.embedded.api.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WatchTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final EmbeddedControlPlane cluster;
    private final ApiClient client;

    WatchTest() throws IOException {
        cluster = EmbeddedControlPlane.builder()
                .kubeletPeriod(Duration.ZERO)
                .bookmarkInterval(Duration.ofMillis(20))
                .watchHistory(4)
                .start();
        client = new ApiClient(cluster);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void startsWithThePresentStateAndFollows() throws Exception {
        client.post(PODS, Manifests.pod("a"));
        try (Watch watch = client.watch("/api/v1/pods?watch=true&resourceVersion=0")) {
            JsonNode added = watch.next();
            assertEquals("ADDED", Json.text(added, "type"));
            assertEquals("Pod", Json.text(added, "object", "kind"));
            assertEquals("v1", Json.text(added, "object", "apiVersion"));
            client.post(PODS, Manifests.pod("b"));
            client.patch("merge-patch", PODS + "/a", "{'metadata':{'labels':{'x':'y'}}}");
            client.delete(PODS + "/a");
            assertEquals(
                    List.of("ADDED b", "MODIFIED a", "DELETED a"),
                    List.of(watch.nextText(), watch.nextText(), watch.nextText()));
        }
    }

    @Test
    void continuesAfterAVersion() throws Exception {
        client.post(PODS, Manifests.pod("a"));
        String version = client.get("/api/v1/pods").text("metadata", "resourceVersion");
        client.post(PODS, Manifests.pod("b"));
        try (Watch watch = client.watch("/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion=" + version)) {
            assertEquals(List.of("ADDED b", ""), List.of(watch.nextText(), watch.nextText()));
        }
    }

    @Test
    void objectsEnterAndLeaveASelection() throws Exception {
        client.post(PODS, Manifests.pod("a"));
        String version = client.get("/api/v1/pods").text("metadata", "resourceVersion");
        String query = "?watch=1&fieldSelector=spec.nodeName%3D&labelSelector=!hidden&resourceVersion=" + version;
        try (Watch watch = client.watch(PODS + query)) {
            client.patch("merge-patch", PODS + "/a", "{'metadata':{'labels':{'hidden':'1'}}}");
            client.patch("merge-patch", PODS + "/a", "{'metadata':{'labels':{'hidden':null}}}");
            client.post(PODS + "/a/binding", Manifests.binding("a", "n1"));
            JsonNode left = watch.next();
            assertEquals("DELETED", Json.text(left, "type"));
            assertFalse(left.at("/object/metadata/labels").has("hidden"), "the state before it left");
            assertEquals("ADDED a", watch.nextText());
            JsonNode bound = watch.next();
            assertEquals("DELETED", Json.text(bound, "type"));
            assertEquals(
                    Json.text(cluster.get("pods", "default", "a").orElseThrow(), "metadata", "resourceVersion"),
                    Json.text(bound, "object", "metadata", "resourceVersion"));
        }
    }

    @Test
    void sendsBookmarksToThoseWhoAllowThem() throws Exception {
        client.post(PODS, Manifests.pod("a"));
        String version = client.get("/api/v1/nodes").text("metadata", "resourceVersion");
        try (Watch watch = client.watch("/api/v1/nodes?watch=1&allowWatchBookmarks=true&resourceVersion=" + version)) {
            JsonNode bookmark = watch.next();
            assertEquals("BOOKMARK", Json.text(bookmark, "type"));
            assertEquals("Node", Json.text(bookmark, "object", "kind"));
            assertEquals(version, Json.text(bookmark, "object", "metadata", "resourceVersion"));
        }
        try (Watch watch = client.watch("/api/v1/pods?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                + "&resourceVersionMatch=NotOlderThan")) {
            assertEquals("ADDED a", watch.nextText());
            assertEquals(
                    "true", Json.text(watch.next(), "object", "metadata", "annotations", "k8s.io/initial-events-end"));
        }
    }

    @Test
    void lostHistoryIsExpired() throws Exception {
        String version = client.get("/api/v1/pods").text("metadata", "resourceVersion");
        for (int i = 0; i < 6; i++) {
            client.post(PODS, Manifests.pod("p" + i));
        }
        try (Watch watch = client.watch("/api/v1/pods?watch=1&resourceVersion=" + version)) {
            assertEquals(200, watch.code());
            JsonNode error = watch.next();
            assertEquals(
                    List.of("ERROR", "Status", "Expired", "410"),
                    List.of(
                            Json.text(error, "type"),
                            Json.text(error, "object", "kind"),
                            Json.text(error, "object", "reason"),
                            Json.text(error, "object", "code")));
            assertEquals("", watch.nextText());
        }
    }

    @Test
    void faultsEndAndExpireWatches() throws Exception {
        cluster.faults().expireNextWatches(1);
        try (Watch watch = client.watch("/api/v1/pods?watch=1")) {
            assertEquals("410", Json.text(watch.next(), "object", "code"));
        }
        try (Watch watch = client.watch("/api/v1/pods?watch=1")) {
            cluster.faults().closeWatchesAfter(Duration.ofMillis(1));
            assertEquals("", watch.nextText());
        }
    }

    @Test
    void stoppingEndsWatchesAndStartingServesTheSameObjects() throws Exception {
        client.post(PODS, Manifests.pod("a"));
        String url = cluster.url();
        try (Watch watch = client.watch("/api/v1/pods?watch=1")) {
            assertEquals("ADDED a", watch.nextText());
            cluster.stopServing();
            try {
                assertEquals("", watch.nextText());
            } catch (IOException e) {
                assertTrue(e.getMessage() != null, "a dropped connection");
            }
        }
        assertThrows(IOException.class, () -> client.get("/version"));
        cluster.startServing();
        assertEquals(url, cluster.url());
        assertEquals("a", client.get(PODS + "/a").text("metadata", "name"));
    }
}
