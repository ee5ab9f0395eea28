package io.policyscheduler.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which devices count as taken while claims are allocated, written, delivered by the watch, and forgotten. */
class AssumedClaimsTest {
    private static final DeviceId A = new DeviceId("d", "p", "a");
    private static final DeviceId B = new DeviceId("d", "p", "b");

    private final ClusterState state = new ClusterState();
    private final AssumedClaims claims = state.assumedClaims();

    private static ResourceClaimInfo claim(String uid, String version, @Nullable DeviceId device) {
        return claim(uid, version, device, false);
    }

    private static ResourceClaimInfo claim(String uid, String version, @Nullable DeviceId device, boolean admin) {
        DeviceAllocation allocation = device == null
                ? null
                : new DeviceAllocation(
                        List.of(new DeviceAllocation.Result(
                                "r", device, admin, List.of(), "", Map.of(), List.of(), List.of())),
                        List.of(),
                        null);
        return new ResourceClaimInfo(
                "ns",
                "c",
                uid,
                version,
                false,
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                allocation,
                List.of(),
                List.of(),
                false);
    }

    private String version() {
        return Objects.requireNonNull(claims.claim("ns", "c")).resourceVersion();
    }

    @Test
    void shownAllocationsAreTakenUntilTheyGo() {
        state.putObject(claim("u", "1", A));
        state.putObject(claim("u", "2", A));
        assertTrue(claims.isAllocated(A));
        state.putObject(claim("u", "3", B));
        assertFalse(claims.isAllocated(A));
        assertTrue(claims.isAllocated(B));
        state.removeObject(claim("u", "3", B));
        assertFalse(claims.isAllocated(B));
        state.removeObject(claim("u", "3", B));
        assertFalse(claims.isAllocated(B));
    }

    @Test
    void administratorsTakeNothing() {
        state.putObject(claim("u", "1", A, true));
        assertFalse(claims.isAllocated(A));
    }

    @Test
    void whatIsInFlightIsTakenAndDoesNotShow() {
        state.putObject(claim("u", "1", null));
        claims.allocating(claim("u", "1", A));
        claims.allocating(claim("u", "1", A));
        assertTrue(claims.isAllocated(A));
        assertTrue(claims.isInFlight(claim("u", "1", null)));
        assertEquals(null, Objects.requireNonNull(claims.claim("ns", "c")).allocation());
        claims.allocationEnded(claim("u", "1", null));
        assertFalse(claims.isAllocated(A));
        assertFalse(claims.isInFlight(claim("u", "1", null)));
    }

    @Test
    void whatComesToNothingIsTold() {
        List<ResourceClaimInfo> freed = new ArrayList<>();
        claims.whenFreed(freed::add);
        state.putObject(claim("u", "1", null));
        claims.allocating(claim("u", "1", A));
        claims.putWritten(claim("u", "2", A));
        claims.allocationEnded(claim("u", "1", null));
        assertEquals(List.of(), freed);
        assertTrue(claims.isAllocated(A));
        state.putObject(claim("v", "3", null));
        claims.allocating(claim("v", "3", B));
        claims.allocationEnded(claim("v", "3", null));
        claims.allocationEnded(claim("v", "3", null));
        assertEquals(List.of(claim("v", "3", B)), freed);
        assertFalse(claims.isAllocated(B));
    }

    @Test
    void aClaimIsUnsettledUntilEveryWriteIs() {
        ResourceClaimInfo claim = claim("u", "1", A);
        assertFalse(claims.isBeingWritten(claim));
        claims.writeStarted(claim);
        claims.writeStarted(claim);
        claims.writeFinished(claim);
        assertTrue(claims.isBeingWritten(claim));
        assertFalse(claims.isQuiet());
        claims.writeFinished(claim);
        assertFalse(claims.isBeingWritten(claim));
        assertTrue(claims.isQuiet());
    }

    @Test
    void whatWasWrittenCountsUntilSomethingNewerIsShown() {
        state.putObject(claim("u", "1", null));
        claims.putWritten(claim("u", "5", A));
        assertTrue(claims.isAllocated(A));
        assertEquals("5", version());
        state.putObject(claim("u", "4", null));
        assertEquals("5", version());
        assertTrue(claims.isAllocated(A));
        state.putObject(claim("u", "6", B));
        assertEquals("6", version());
        assertFalse(claims.isAllocated(A));
        assertTrue(claims.isAllocated(B));
        claims.putWritten(claim("u", "5", A));
        assertEquals("6", version());
    }

    @Test
    void anotherClaimOfTheNameIsAnother() {
        state.putObject(claim("u", "1", null));
        claims.putWritten(claim("u", "5", A));
        state.putObject(claim("v", "3", null));
        assertEquals("3", version());
        assertFalse(claims.isAllocated(A));
        claims.putWritten(claim("u", "7", A));
        assertFalse(claims.isAllocated(A));
        claims.restore("ns", "c");
        assertEquals("3", version());
    }

    @Test
    void whatWasWrittenGoesWithTheClaim() {
        state.putObject(claim("u", "1", null));
        claims.putWritten(claim("u", "5", A));
        state.removeObject(claim("u", "5", null));
        assertFalse(claims.isAllocated(A));
        assertEquals(null, claims.claim("ns", "c"));
    }
}
