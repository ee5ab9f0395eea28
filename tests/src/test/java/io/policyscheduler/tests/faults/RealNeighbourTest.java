package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** kube-scheduler 1.17 and this program with its defaults share one lock: there is one leader, whichever starts first. */
@Tag("real")
@Timeout(300)
class RealNeighbourTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String ACQUIRED = "successfully acquired lease kube-system/kube-scheduler";
    /** The messages of the real one and of this one when they find the lock held. */
    private static final String REAL_WAITS = "and has not yet expired";

    private static final String WAITS = "lease kube-system/kube-scheduler is held by";
    /** Number of tries that takes longer than the lease: periods of one second, up to 2.2 with the jitter, and a lease of six seconds. */
    private static final int LOOKS = 8;

    private final RealServer server = RealServer.start("1.17");
    private final List<AutoCloseable> started = new ArrayList<>();

    private final Path folder;

    RealNeighbourTest(@TempDir Path folder) {
        this.folder = folder;
        server.load(Manifest.node("n0", "32"));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : started) {
            one.close();
        }
        server.close();
    }

    private List<String> flags() throws IOException {
        String token = String.valueOf(server.headers().get("Authorization")).replace("Bearer ", "");
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
            users: [{name: u, user: {token: "%s"}}]
            contexts: [{name: x, context: {cluster: c, user: u}}]
            current-context: x
            """.formatted(server.url(), token));
        return List.of(
                "--kubeconfig=" + kubeconfig,
                "--leader-elect-lease-duration=6s",
                "--leader-elect-renew-deadline=4s",
                "--leader-elect-retry-period=1s");
    }

    private RealScheduler startReal(String name) throws IOException, InterruptedException {
        RealScheduler real = RealScheduler.start("1.17", folder.resolve(name + ".log"), flags());
        started.add(real);
        return real;
    }

    private Program start(String name) throws IOException {
        List<String> args = new ArrayList<>(List.of("run", "--compat=1.17", "--port=0", "--secure-port=0"));
        args.addAll(flags());
        args.add("--v=4");
        Program program = Program.start(Files.createDirectory(folder.resolve(name)), args.toArray(String[]::new));
        started.add(program);
        return program;
    }

    private void await(String what, BooleanSupplier condition) {
        Await.until(FaultFixture.PATIENCE, what, condition, this::state);
    }

    private String state() {
        return "Endpoints: " + endpoints() + "\nLease: " + lease();
    }

    private JsonNode endpoints() {
        String text = server.get("endpoints", "kube-system", "kube-scheduler")
                .map(found -> found.at("/metadata/annotations/control-plane.alpha.kubernetes.io~1leader")
                        .asText())
                .orElse("{}");
        try {
            return MAPPER.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonNode lease() {
        return server.get("leases", "kube-system", "kube-scheduler")
                .map(found -> found.path("spec"))
                .orElse(MAPPER.createObjectNode());
    }

    /** Returns the holder of both objects; their records are equal except for the name of one field. */
    private String holder() {
        JsonNode endpoints = endpoints();
        JsonNode lease = lease();
        for (String field : List.of("holderIdentity", "leaseDurationSeconds")) {
            assertEquals(lease.path(field), endpoints.path(field), this::state);
        }
        assertEquals(lease.path("leaseTransitions"), endpoints.path("leaderTransitions"), this::state);
        return lease.path("holderIdentity").asText();
    }

    private void bindsAPod(String name) {
        ObjectNode pod = Manifest.pod(name, "100m");
        ((ObjectNode) pod.path("spec")).put("schedulerName", "default-scheduler");
        server.load(pod);
        await(
                "pod " + name + " is bound",
                () -> server.get("pods", "default", name)
                        .filter(found ->
                                !found.path("spec").path("nodeName").asText("").isEmpty())
                        .isPresent());
    }

    private static long looks(Program program) {
        return program.output().lines().filter(line -> line.contains(WAITS)).count();
    }

    private void awaitStandsBy(Program program) {
        await("this one has looked " + LOOKS + " times", () -> looks(program) >= LOOKS);
        assertFalse(program.output().contains(ACQUIRED), program::output);
    }

    private void awaitStandsBy(RealScheduler real) {
        await("the real one has looked " + LOOKS + " times", () -> real.count(REAL_WAITS) >= LOOKS);
        assertEquals(0, real.count(ACQUIRED), real::output);
    }

    @Test
    void standsByWhileTheRealOneLeadsAndTakesOverAndGivesBack() throws Exception {
        RealScheduler first = startReal("first");
        await("the real one leads", () -> first.count(ACQUIRED) == 1);
        Program ours = start("ours");
        awaitStandsBy(ours);
        String before = holder();
        bindsAPod("by-real");
        first.close();

        await("this one leads", () -> ours.output().contains(ACQUIRED));
        bindsAPod("by-ours");
        String held = holder();
        assertFalse(held.equals(before) || held.isEmpty(), held);
        RealScheduler second = startReal("second");
        awaitStandsBy(second);
        assertEquals(held, holder());
        assertEquals(1, endpoints().path("leaderTransitions").asInt());

        ours.signal("TERM");
        assertEquals(0, ours.awaitEnd());
        // Before the lease would have expired.
        assertFalse(held.equals(endpoints().path("holderIdentity").asText()), "it was not released");
        assertFalse(held.equals(lease().path("holderIdentity").asText()), "it was not released");
        await("the real one leads again", () -> second.count(ACQUIRED) == 1);
        bindsAPod("by-real-again");
        assertFalse(List.of("", held, before).contains(holder()), this::state);
    }

    @Test
    void theRealOneStandsByWhileThisOneLeadsAndTakesOverWhenItIsKilled() throws Exception {
        Program first = start("first");
        await("this one leads", () -> first.output().contains(ACQUIRED));
        RealScheduler real = startReal("real");
        awaitStandsBy(real);
        bindsAPod("by-ours");
        String held = holder();
        first.kill();

        await("the real one leads", () -> real.count(ACQUIRED) == 1);
        bindsAPod("by-real");
        Program second = start("second");
        awaitStandsBy(second);
        assertFalse(List.of("", held).contains(holder()), this::state);
        assertEquals(1, endpoints().path("leaderTransitions").asInt());
    }
}
