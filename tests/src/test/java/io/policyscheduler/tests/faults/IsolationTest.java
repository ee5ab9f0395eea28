package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.tests.e2e.Manifest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pods of one tenant do not delay the pods of others. */
@Tag("faults")
@Timeout(120)
class IsolationTest {
    private static final int WAITING = 400;
    private static final int ALL = 1_000_000;

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    static Stream<Named<Supplier<ProfileSettings>>> profiles() {
        return Stream.of(Named.of("1.17", FaultFixture::legacy), Named.of("today", FaultFixture::modern));
    }

    private static Predicate<Call> conditions() {
        return call -> FaultFixture.statusPatches().test(call) && call.path().contains("/waiting");
    }

    /** Fills both nodes with pods of low priority, which stay for a while when they are deleted. */
    private static void loadLow(FaultFixture fixture) {
        for (int i = 0; i < 2; i++) {
            ObjectNode pod = Manifest.podWithPriority("low" + i, "1", "low");
            pod.withObject("/spec").put("terminationGracePeriodSeconds", 600);
            fixture.server().load(pod);
        }
        fixture.awaitAllBound(2);
    }

    private static Predicate<Call> events() {
        return call -> call.method().equals("POST") && call.path().endsWith("/events");
    }

    /** Creates a pod of high priority, and waits until a victim is deleted for it. */
    private static void awaitEviction(FaultFixture fixture, String pod) {
        long deletes = fixture.proxy().count(FaultFixture.deletes());
        fixture.server().load(Manifest.podWithPriority(pod, "1", "high"));
        fixture.await("a victim is deleted for " + pod, () -> fixture.proxy().count(FaultFixture.deletes()) > deletes);
    }

    /**
     * The proxy responds to no event and to no condition of the 400 pods. A deletion that had to wait for a single one of these requests would never
     * be sent: with and without the waiting pods, it waits for the same requests.
     */
    @ParameterizedTest
    @MethodSource("profiles")
    void evictionsWaitForNoConditionAndNoEvent(Supplier<ProfileSettings> profile) {
        fixture.start(profile.get());
        fixture.addNodes(2, "1");
        fixture.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        fixture.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        loadLow(fixture);
        Predicate<Call> conditions = conditions();
        fixture.proxy().order(ALL, conditions.or(events()), new Fault.BlackHole());
        awaitEviction(fixture, "first");
        fixture.addPods("waiting", WAITING, "64");
        fixture.await("conditions are written", () -> fixture.proxy().count(conditions) > 8);
        awaitEviction(fixture, "second");
        long sent = fixture.proxy().count(conditions);
        assertTrue(sent < WAITING / 2, () -> sent + " of " + WAITING + " conditions were sent before the deletion");
    }

    /**
     * Prints how long the deletion of a victim takes alone and next to 400 pods that fit nowhere, and the ratio, if each status patch
     * and each event takes 500 ms. The system property is the number of runs; it asserts nothing about the times.
     */
    @Test
    @Timeout(3600)
    @EnabledIfSystemProperty(named = "isolation.runs", matches = "[0-9]+", disabledReason = "measures")
    void measuresEvictionsNextToWaitingPods() {
        int runs = Integer.getInteger("isolation.runs");
        List<Double> ratios = new ArrayList<>();
        for (int run = 1; run <= runs; run++) {
            try (FaultFixture measured = new FaultFixture()) {
                measured.start(FaultFixture.legacy());
                measured.addNodes(2, "1");
                measured.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
                measured.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
                loadLow(measured);
                measured.proxy()
                        .order(ALL, FaultFixture.statusPatches().or(events()), new Fault.Late(Duration.ofMillis(500)));
                double alone = millisToEviction(measured, "first");
                measured.addPods("waiting", WAITING, "64");
                measured.await("conditions are written", () -> measured.proxy().count(conditions()) > 8);
                double next = millisToEviction(measured, "second");
                ratios.add(next / alone);
                System.out.printf(
                        Locale.ROOT,
                        "run %d: alone %.0f ms, next to %d waiting pods %.0f ms%n",
                        run,
                        alone,
                        WAITING,
                        next);
            }
        }
        ratios.sort(null);
        System.out.printf(
                Locale.ROOT, "ratio: median %.2f, largest %.2f%n", ratios.get(runs / 2), ratios.get(runs - 1));
    }

    private static double millisToEviction(FaultFixture fixture, String pod) {
        long start = System.nanoTime();
        awaitEviction(fixture, pod);
        return (System.nanoTime() - start) / 1e6;
    }

    /** A server with little capacity: two tenants whose pods fit nowhere leave enough of it for the pods that fit. */
    @Test
    void podsThatFitAreBoundWhileTwoProfilesFail() {
        fixture.start(List.of(FaultFixture.legacy("a"), FaultFixture.modern("b")));
        fixture.proxy().limit(100);
        fixture.addPods("lost-a", 40, "64", "a");
        fixture.addPods("lost-b", 40, "64", "b");
        fixture.addPods("fits-a", 10, "1", "a");
        fixture.addPods("fits-b", 10, "1", "b");
        fixture.addNodes(5, "4");
        fixture.await(
                Duration.ofSeconds(10),
                "20 pods are bound",
                () -> fixture.server().list("pods").stream()
                                .filter(pod -> !pod.path("spec")
                                        .path("nodeName")
                                        .asText("")
                                        .isEmpty())
                                .count()
                        == 20);
        fixture.proxy().limit(0);
        fixture.assertSound();
    }

    private static String numbers(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).collect(Collectors.joining(",", "[", "]"));
    }

    /**
     * Claims with 8 requests of 31 different, expensive selectors. The API servers of all releases with claims accept them: their estimate of the
     * cost is exact, because the lists are literals.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SMALL.all(x, LARGE.all(y, LARGE.all(z, x + y + z + NUMBER >= 0)))",
                "SMALL.all(x, LARGE.all(y, SMALL.map(z, string(x + y + z + NUMBER)).size() > 0))",
                "SMALL.exists(x, LARGE.exists(y, LARGE.exists(z, x + y + z + NUMBER < 0) || false) || false) || true"
            })
    void selectorsOfDevicesDoNotKeepOtherPodsWaiting(String expression) {
        fixture.start(FaultFixture.modern());
        fixture.server()
                .load(
                        Manifest.json(
                                "{'apiVersion':'resource.k8s.io/v1','kind':'DeviceClass','metadata':{'name':'gpu'},'spec':{}}"));
        StringBuilder devices = new StringBuilder("[");
        for (int i = 0; i < 64; i++) {
            devices.append(i == 0 ? "" : ",").append("{'name':'d").append(i).append("'}");
        }
        fixture.server()
                .load(Manifest.json("{'apiVersion':'resource.k8s.io/v1','kind':'ResourceSlice','metadata':{'name':'s'},"
                        + "'spec':{'driver':'gpu.example.com','allNodes':true,'pool':{'name':'p','generation':1,"
                        + "'resourceSliceCount':1},'devices':" + devices + "]}}"));
        fixture.addNodes(10, "4");
        for (int pod = 0; pod < 3; pod++) {
            StringBuilder requests = new StringBuilder();
            for (int request = 0; request < 8; request++) {
                StringBuilder selectors = new StringBuilder();
                for (int selector = 0; selector < 31; selector++) {
                    int number = (pod * 8 + request) * 31 + selector;
                    selectors
                            .append(selector == 0 ? "" : ",")
                            .append("{'cel':{'expression':'")
                            .append(expression
                                    .replace("SMALL", numbers(10))
                                    .replace("LARGE", numbers(70))
                                    .replace("NUMBER", String.valueOf(number)))
                            .append("'}}");
                }
                requests.append(request == 0 ? "" : ",")
                        .append("{'name':'r" + request)
                        .append(
                                "','exactly':{'deviceClassName':'gpu','allocationMode':'ExactCount','count':1,'selectors':[")
                        .append(selectors)
                        .append("]}}");
            }
            fixture.server()
                    .load(Manifest.json(
                            "{'apiVersion':'resource.k8s.io/v1','kind':'ResourceClaim','metadata':{'name':'c" + pod
                                    + "','namespace':'default'},'spec':{'devices':{'requests':[" + requests + "]}}}"));
            ObjectNode hostile = Manifest.pod("hostile" + pod, "100m");
            hostile.withObject("/spec")
                    .withArray("resourceClaims")
                    .addObject()
                    .put("name", "k")
                    .put("resourceClaimName", "c" + pod);
            fixture.server().load(hostile);
        }
        fixture.await(
                "the hostile pods are deprioritized",
                () -> fixture.server().list("events").stream()
                                .filter(event -> event.path("reason").asText().equals("SlowDecision"))
                                .map(event -> event.path("involvedObject")
                                                .path("name")
                                                .asText()
                                        + event.path("regarding").path("name").asText())
                                .distinct()
                                .count()
                        == 3);
        fixture.addPods("ordinary", 20, "1");
        fixture.await(
                Duration.ofSeconds(35),
                "20 pods are bound",
                () -> fixture.server().list("pods").stream()
                                .filter(pod -> !pod.path("spec")
                                        .path("nodeName")
                                        .asText("")
                                        .isEmpty())
                                .count()
                        == 20);
    }
}
