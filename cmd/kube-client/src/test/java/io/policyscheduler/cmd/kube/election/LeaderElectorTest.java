package io.policyscheduler.cmd.kube.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.util.concurrent.Uninterruptibles;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.connection.VirtualTime;
import io.policyscheduler.cmd.kube.election.LeaderElector.Deadline;
import io.policyscheduler.cmd.kube.election.LeaderElector.ElectionLock;
import io.policyscheduler.cmd.kube.election.LeaderElector.LeaderCallbacks;
import io.policyscheduler.cmd.kube.election.LeaderElector.LeaderTerm;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockKind;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockObject;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockState;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The election in virtual time: 15 s lease, 10 s deadline, 2 s period; the random number is always 0.5. */
class LeaderElectorTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final LeaderElectionConfig SETTINGS = LeaderElectionConfig.defaults("kube-system", "psched", "me");

    private final VirtualTime time = new VirtualTime();
    private final FakeLock lock = new FakeLock();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private Runnable atStart = () -> {};

    /** A Lease in memory that can fail, hang, and be changed by others. */
    private final class FakeLock implements ElectionLock {
        private @Nullable LockObject lease;
        private boolean down;
        private Set<String> forbidden = Set.of();
        private Duration latency = Duration.ZERO;
        private boolean conflict;
        private boolean loseAnswers;
        private @Nullable CountDownLatch beforeRelease;
        private int writes;

        private void call(Duration limit) throws ApiIoException {
            if (Thread.currentThread().isInterrupted()) {
                throw new ApiIoException("interrupted", 0);
            }
            if (latency.compareTo(limit) > 0) {
                time.advance(limit);
                throw new ApiIoException("timeout", 0);
            }
            time.advance(latency);
            if (down) {
                throw new ApiIoException("connection refused", 0);
            }
        }

        private void require(String call) throws ApiIoException {
            if (forbidden.contains(call)) {
                throw new ApiIoException(call + " /leases/psched: forbidden", 403);
            }
        }

        @Override
        public LockState read(Deadline left) throws ApiIoException {
            call(left.get());
            require("GET");
            LockObject object = lease == null ? LockObject.absent(LockKind.LEASE, "kube-system", "psched") : lease;
            return new LockState(List.of(object));
        }

        @Override
        public boolean write(LockState state, Deadline left) throws ApiIoException {
            call(left.get());
            require(state.objects().get(0).isStored() ? "PUT" : "POST");
            LockObject written = state.objects().get(0);
            if (beforeRelease != null && state.holder().isEmpty()) {
                Uninterruptibles.awaitUninterruptibly(beforeRelease);
            }
            if (written.isStored() != (lease != null) || conflict) {
                return false;
            }
            writes++;
            lease = object(written.json());
            if (loseAnswers) {
                throw new ApiIoException("answer lost", 0);
            }
            return true;
        }

        LockObject stored() {
            return Objects.requireNonNull(lease);
        }

        String spec() {
            return lease == null ? "none" : lease.json().path("spec").toString().replace('"', '\'');
        }
    }

    private static LockObject object(JsonNode json) {
        try {
            return LockObject.stored(LockKind.LEASE, json);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static LockObject lease(String spec) {
        try {
            JsonNode json = MAPPER.readTree("{'metadata':{'name':'psched','labels':{'a':'b'}},'spec':%s}"
                    .formatted(spec)
                    .replace('\'', '"'));
            return object(json);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LeaderElector election() {
        return election(SETTINGS);
    }

    private LeaderElector election(LeaderElectionConfig settings) {
        return election(settings, time);
    }

    private LeaderElector election(LeaderElectionConfig settings, Sleeper sleeper) {
        RandomGenerator half = new RandomGenerator() {
            @Override
            public long nextLong() {
                return 0;
            }

            @Override
            public double nextDouble() {
                return 0.5;
            }
        };
        LeaderCallbacks listener = new LeaderCallbacks() {
            @Override
            public void onStartedLeading() {
                hear("leads");
                atStart.run();
            }

            @Override
            public void onStoppedLeading(String why) {
                hear("stopped" + (why.isEmpty() ? "" : ": " + why));
            }

            @Override
            public void onForbidden(String why) {
                hear(why);
            }

            @Override
            public void onNewLeader(String identity) {
                hear("leader " + identity);
            }
        };
        return new LeaderElector(lock, settings, listener, time, time.ticker(), sleeper, half);
    }

    private void hear(String what) {
        calls.add(time.elapsed().toMillis() / 1000.0 + " " + what);
    }

    private static Duration s(double seconds) {
        return Duration.ofMillis((long) (seconds * 1000));
    }

    @Test
    void createsTheLeaseAndRenewsItEveryPeriod() {
        LeaderElector election = election();
        time.at(s(5), () -> assertTrue(election.isLeader())).at(s(6.5), () -> hear("end"));
        election.run();
        assertEquals(List.of("0.0 leader me", "0.0 leads", "6.5 end", "8.0 stopped"), calls);
        assertEquals(4, lock.writes);
        assertEquals(
                "{'holderIdentity':'me','leaseDurationSeconds':15,'acquireTime':'2024-05-01T12:00:00.000000Z',"
                        + "'renewTime':'2024-05-01T12:00:06.000000Z','leaseTransitions':0}",
                lock.spec());
        assertFalse(election.isLeader());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "null",
                "{'holderIdentity':null}",
                "{'holderIdentity':'','leaseDurationSeconds':1}",
                "{'strategy':'OldestEmulationVersion'}"
            })
    void takesALeaseWithoutAHolderAtOnceWhateverIsMissing(String spec) {
        lock.lease = lease(spec);
        time.at(s(1), () -> {});
        election().run();
        assertEquals(List.of("0.0 leader me", "0.0 leads", "2.0 stopped"), calls);
        JsonNode json = lock.stored().json();
        assertEquals("b", json.path("metadata").path("labels").path("a").asText());
        assertEquals(
                spec.equals("null") ? 0 : 1,
                json.path("spec").path("leaseTransitions").asInt());
        assertEquals(spec.contains("strategy"), json.path("spec").has("strategy"));
    }

    /** Candidates look every 2 s * (1 + 0.5 * 1.2) = 3.2 s; at 12.8 s the record is 12.8 s old, at 16 s it has expired. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'holderIdentity':'other'} | 16.0",
                "{'holderIdentity':'other','leaseDurationSeconds':15,'renewTime':'1999-01-01T00:00:00.000000Z'} | 16.0",
                "{'holderIdentity':'other','leaseDurationSeconds':15,'renewTime':'2999-01-01T00:00:00.000000Z'} | 16.0",
                "{'holderIdentity':'other','leaseDurationSeconds':3,'leaseTransitions':7} | 3.2",
                "{'holderIdentity':'other','leaseDurationSeconds':20} | 22.4",
                // The lease ends with its last nanosecond.
                "{'holderIdentity':'other','leaseDurationSeconds':16} | 16.0",
                "{'holderIdentity':'me','leaseTransitions':7} | 0.0",
            })
    void respectsAForeignRecordForItsDurationSinceItWasFirstSeen(String spec, double from) {
        lock.lease = lease(spec);
        long before = lock.stored().record().transitions();
        time.at(s(from + 0.5), () -> {});
        election().run();
        assertTrue(calls.contains(from + " leads"), calls::toString);
        boolean own = spec.contains("'me'");
        assertEquals(before + (own ? 0 : 1), lock.stored().record().transitions());
    }

    @Test
    void aRecordThatChangesIsRespectedAnew() {
        lock.lease = lease("{'holderIdentity':'other','leaseDurationSeconds':15,'renewTime':'a'}");
        time.at(s(12), () -> lock.lease = lease("{'holderIdentity':'other','leaseDurationSeconds':15,'renewTime':'b'}"))
                .at(s(29), () -> {});
        election().run();
        // Seen at 12.8 for the first time; at 25.6 it is 12.8 s old, at 28.8 it is over.
        assertEquals(List.of("0.0 leader other", "28.8 leader me", "28.8 leads", "30.8 stopped"), calls);
    }

    @Test
    void changesBesideTheRecordDoNotCount() {
        lock.lease = lease("{'holderIdentity':'other'}");
        time.at(s(12), () -> {
                    ObjectNode touched = lock.stored().json();
                    touched.putObject("metadata").put("resourceVersion", "99");
                    lock.lease = object(touched);
                })
                .at(s(16.5), () -> {});
        election().run();
        assertTrue(calls.contains("16.0 leads"), calls::toString);
    }

    @Test
    void anOutageEndsTheLeadershipAtTheDeadlineAfterTheLastRenewal() {
        LeaderElector election = election();
        time.at(s(5), () -> lock.down = true)
                .at(s(13.9), () -> assertTrue(election.isLeader()))
                .at(s(14), () -> assertFalse(election.isLeader()))
                .at(s(99), () -> {});
        election.run();
        assertEquals(
                List.of(
                        "0.0 leader me",
                        "0.0 leads",
                        "14.0 stopped: failed to renew lease kube-system/psched within 10000 ms: connection refused"),
                calls);
    }

    @Test
    void anOutageThatEndsInTimeIsSurvived() {
        LeaderElector election = election();
        time.at(s(5), () -> lock.down = true)
                .at(s(11), () -> lock.down = false)
                .at(s(21.9), () -> assertTrue(election.isLeader()))
                .at(s(25), () -> {});
        election.run();
        assertEquals(List.of("0.0 leader me", "0.0 leads", "26.0 stopped"), calls);
    }

    /** A request that hangs does not prolong the leadership. */
    @Test
    void aServerThatDoesNotAnswerEndsTheLeadershipAtTheDeadline() {
        LeaderElector election = election();
        time.at(s(5), () -> lock.latency = Duration.ofHours(1)).at(s(99), () -> {});
        election.run();
        assertEquals("14.0 stopped: failed to renew lease kube-system/psched within 10000 ms: timeout", calls.get(2));
    }

    /** The time counts from the start of the renewal: the server may have written it then. */
    @Test
    void slowAnswersShortenTheLeadership() {
        lock.latency = s(2);
        LeaderElector election = election();
        time.at(s(3), () -> assertFalse(election.isLeader()))
                .at(s(4.5), () -> lock.down = true)
                .at(s(9.9), () -> assertTrue(election.isLeader()))
                .at(s(99), () -> {});
        election.run();
        assertTrue(calls.get(2).startsWith("10.0 stopped: "), calls::toString);
    }

    /** A process that can never lead names the missing verb; one that could, or that waits, tries again. */
    @ParameterizedTest
    @CsvSource({"GET,get,0", "POST,create,0", "PUT,update,0"})
    void aCandidateWithoutPermissionEnds(String call, String verb, int from) {
        if (call.equals("PUT")) {
            lock.lease = lease("{'holderIdentity':''}");
        }
        lock.forbidden = Set.of(call);
        time.at(s(99), () -> {});
        election().run();
        assertEquals(
                List.of("0.0 no permission to " + verb + " lease kube-system/psched: " + call
                        + " /leases/psched: forbidden; grant the verbs get, create, and update on"
                        + " leases.coordination.k8s.io, or set --leader-elect=false if only one process runs"),
                calls);
    }

    @Test
    void aRightThatIsTakenAwayForAMomentEndsNoCandidate() {
        lock.lease = lease("{'holderIdentity':'other','leaseDurationSeconds':15}");
        time.at(s(3), () -> lock.forbidden = Set.of("GET"))
                .at(s(9), () -> lock.forbidden = Set.of())
                .at(s(40), () -> {});
        election().run();
        assertEquals(
                "leads",
                calls.get(calls.size() - 2)
                        .substring(calls.get(calls.size() - 2).indexOf(' ') + 1));
    }

    /** Writes end with the lease, which counts from the last renewal, not with the time in which this process may renew it. */
    @Test
    void writesMayTakeAsLongAsTheLease() {
        LeaderElector election = election();
        time.at(s(5), () -> lock.down = true)
                .at(s(5), () -> assertEquals(s(14), election.timeToLead()))
                .at(s(13.9), () -> assertEquals(s(5.1), election.timeToLead()))
                .at(s(14), () -> assertEquals(Duration.ZERO, election.timeToLead()))
                .at(s(99), () -> {});
        election.run();
        assertEquals(3, calls.size());
    }

    @Test
    void aRecordWithTheLargestCountIsTakenOver() {
        lock.lease = lease("{'holderIdentity':'','leaseTransitions':2147483647}");
        time.at(s(1), () -> {});
        election().run();
        assertEquals("0.0 leads", calls.get(1));
        assertEquals(Integer.MAX_VALUE, lock.stored().record().transitions());
    }

    @Test
    void stopsAtOnceWhenAnotherHolderIsSeen() {
        time.at(s(3), () -> lock.lease = lease("{'holderIdentity':'thief'}")).at(s(9), () -> {});
        election().run();
        assertEquals(
                List.of(
                        "0.0 leader me",
                        "0.0 leads",
                        "4.0 leader thief",
                        "4.0 stopped: lease kube-system/psched is held by thief"),
                calls);
        assertEquals("thief", lock.stored().record().holder());
    }

    @Test
    void aDeletedLeaseIsCreatedAgain() {
        time.at(s(3), () -> lock.lease = null).at(s(9), () -> {});
        election().run();
        assertEquals(List.of("0.0 leader me", "0.0 leads", "10.0 stopped"), calls);
        assertEquals("me", lock.stored().record().holder());
    }

    @Test
    void aCandidateThatLosesTheRaceTriesAgain() {
        lock.conflict = true;
        time.at(s(3), () -> lock.conflict = false).at(s(5), () -> {});
        election().run();
        assertEquals(List.of("3.2 leader me", "3.2 leads", "5.2 stopped"), calls);
    }

    @Test
    void aWriteWhoseAnswerWasLostShowsAtTheNextLook() {
        lock.loseAnswers = true;
        time.at(s(3), () -> lock.loseAnswers = false).at(s(5), () -> {});
        election().run();
        assertEquals(List.of("3.2 leader me", "3.2 leads", "5.2 stopped"), calls);
        assertEquals(0, lock.stored().record().transitions());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closeGivesTheLeaseBackIfItIsToldTo(boolean release) {
        LeaderElector election = election(new LeaderElectionConfig(
                ResourceLock.LEASES, "kube-system", "psched", "me", s(15), s(10), s(2), release));
        time.at(s(3), election::close).at(s(9), () -> {});
        election.run();
        assertEquals(List.of("0.0 leader me", "0.0 leads", "4.0 stopped"), calls);
        assertFalse(election.isLeader());
        assertEquals(
                release
                        ? "{'holderIdentity':'','leaseDurationSeconds':1,'acquireTime':'2024-05-01T12:00:04.000000Z',"
                                + "'renewTime':'2024-05-01T12:00:04.000000Z','leaseTransitions':0}"
                        : "{'holderIdentity':'me','leaseDurationSeconds':15,"
                                + "'acquireTime':'2024-05-01T12:00:00.000000Z',"
                                + "'renewTime':'2024-05-01T12:00:02.000000Z','leaseTransitions':0}",
                lock.spec());
    }

    @Test
    void closeDoesNotTouchALeaseOfAnother() {
        LeaderElector election = election();
        time.at(s(3), () -> {
                    lock.lease = lease("{'holderIdentity':'thief'}");
                    election.close();
                })
                .at(s(9), () -> {});
        election.run();
        assertEquals("{'holderIdentity':'thief'}", lock.spec());
    }

    /** A callback that fails ends the term. Only a process that closes releases its lease then. */
    @ParameterizedTest
    @CsvSource({"false, true, false, me", "true, true, false, ''", "true, false, false, me", "true, true, true, me"})
    void aCallbackThatFailsEndsTheTerm(boolean close, boolean release, boolean keep, String holder) {
        List<LeaderElector> made = new ArrayList<>();
        atStart = () -> {
            if (keep) {
                made.get(0).closeKeepingLease();
            } else if (close) {
                made.get(0).close();
            }
            throw new IllegalStateException("a fault of the callback");
        };
        made.add(election(new LeaderElectionConfig(
                ResourceLock.LEASES, "kube-system", "psched", "me", s(15), s(10), s(2), release)));
        assertThrows(IllegalStateException.class, made.get(0)::run);
        assertFalse(made.get(0).isLeader());
        assertEquals(List.of("0.0 leader me", "0.0 leads", "0.0 stopped"), calls);
        assertEquals(holder, lock.stored().record().holder());
    }

    /** The interrupt that ends a candidate, or that arrives during the release of the lease, stays set for the thread. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInterruptStaysSet(boolean leads) {
        if (!leads) {
            lock.lease = lease("{'holderIdentity':'other'}");
        }
        List<LeaderElector> made = new ArrayList<>();
        made.add(election(SETTINGS, delay -> {
            if (!leads) {
                throw new InterruptedException();
            }
            made.get(0).close();
            Thread.currentThread().interrupt();
        }));
        made.get(0).run();
        assertTrue(Thread.interrupted());
        assertEquals(leads ? "" : "other", lock.stored().record().holder());
        if (leads) {
            LeaderElector next = election();
            time.at(s(1), next::close);
            next.run();
            assertFalse(Thread.interrupted());
        }
    }

    /** {@code close} waits until the lease is released, and an interrupt ends this wait. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closeWaitsForTheRelease(boolean interrupt) throws InterruptedException {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch waits = new CountDownLatch(1);
        LeaderElector election = election(SETTINGS, delay -> {
            waits.countDown();
            new CountDownLatch(1).await();
        });
        lock.beforeRelease = released;
        Thread[] thread = new Thread[1];
        election.start(task -> thread[0] = new Thread(task, "election"));
        waits.await();
        Thread closing = new Thread(() -> {
            election.close();
            hear(Thread.interrupted() + " " + lock.stored().record().holder());
        });
        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        if (interrupt) {
            closing.interrupt();
            closing.join();
            released.countDown();
            thread[0].join();
        } else {
            released.countDown();
            closing.join();
        }
        List<String> expected = new ArrayList<>(List.of("0.0 leader me", "0.0 leads", "0.0 stopped"));
        expected.add(interrupt ? 2 : 3, interrupt ? "0.0 true me" : "0.0 false ");
        assertEquals(expected, calls);
    }

    @Test
    void aCandidateThatIsClosedNeverLeads() {
        lock.lease = lease("{'holderIdentity':'other'}");
        LeaderElector election = election();
        time.at(s(3), election::close).at(s(99), () -> {});
        election.run();
        assertEquals(List.of("0.0 leader other"), calls);
        election.start(task -> {
            throw new AssertionError("started after close");
        });
    }

    /** On a thread of its own, which close() interrupts while it waits for the next renewal. */
    @ParameterizedTest
    @CsvSource({"true, false, ''", "true, true, me", "false, false, me"})
    void closeInterruptsTheWaitAndGivesTheLeaseBackUnlessItIsToBeKept(boolean release, boolean keep, String holder)
            throws InterruptedException {
        CountDownLatch waits = new CountDownLatch(1);
        LeaderElector election = election(
                new LeaderElectionConfig(
                        ResourceLock.LEASES, "kube-system", "psched", "me", s(15), s(10), s(2), release),
                delay -> {
                    waits.countDown();
                    new CountDownLatch(1).await();
                });
        List<Thread> threads = new ArrayList<>();
        election.start(task -> {
            threads.add(new Thread(task, "election"));
            return threads.get(0);
        });
        waits.await();
        assertTrue(election.isLeader());
        assertThrows(IllegalStateException.class, () -> election.start(Thread::new));
        if (keep) {
            election.closeKeepingLease();
        } else {
            election.close();
        }
        threads.get(0).join();
        assertFalse(election.isLeader());
        assertEquals(List.of("0.0 leader me", "0.0 leads", "0.0 stopped"), calls);
        assertEquals(holder, lock.stored().record().holder());
    }

    /** The limit counts from the creation, at whatever time that was, and nothing is left at its end. */
    @Test
    void aTimeLimitCountsFromItsStart() throws ApiIoException {
        time.advance(s(1000));
        Deadline deadline = new Deadline("to write lease x", s(10), time.ticker());
        assertEquals(s(10), deadline.get());
        time.advance(s(4));
        assertEquals(s(6), deadline.get());
        time.advance(s(6).minusNanos(1));
        assertEquals(Duration.ofNanos(1), deadline.get());
        time.advance(Duration.ofNanos(1));
        assertEquals(
                "no time left to write lease x",
                assertThrows(ApiIoException.class, deadline::get).getMessage());
    }

    /** What is left of a term, at each side of its limits, for a process that has run for some time. */
    @Test
    void aTermCountsFromTheStartOfItsRenewal() {
        time.advance(s(1000));
        LeaderTerm term = new LeaderTerm(SETTINGS, time.ticker());
        assertFalse(term.isStuck());
        assertEquals(List.of(s(0), s(0)), List.of(term.remaining(), term.timeToLead()));
        term.renewed(time.ticker().read());
        assertEquals(List.of(s(10), s(15)), List.of(term.remaining(), term.timeToLead()));
        time.advance(s(10).minusNanos(1));
        assertTrue(term.isLeader());
        assertEquals(s(5).plusNanos(1), term.timeToLead());
        time.advance(Duration.ofNanos(1));
        assertFalse(term.isLeader());
        assertEquals(List.of(s(0), s(0)), List.of(term.remaining(), term.timeToLead()));
        time.advance(s(25));
        assertFalse(term.isStuck());
        time.advance(Duration.ofNanos(1));
        assertTrue(term.isStuck());
        term.end();
        assertFalse(term.isStuck());
    }

    @Test
    void aLeaderThatIsStuckIsInTrouble() {
        LeaderElector election = election();
        List<Optional<String>> seen = new ArrayList<>();
        lock.latency = Duration.ZERO;
        time.at(s(1), () -> {
                    // The thread of the election does not run for 35 s.
                    time.advance(s(34));
                    seen.add(election.trouble());
                    time.advance(s(0.001));
                    seen.add(election.trouble());
                })
                .at(s(99), () -> {});
        election.run();
        assertEquals(
                List.of(
                        Optional.empty(),
                        Optional.of("failed election to renew leadership on lease kube-system/psched")),
                seen);
        assertEquals(Optional.empty(), election.trouble());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "ns | n | me | 15000 | 10000 | 2000 | -",
                "'' | n | me | 15000 | 10000 | 2000 | resourceNamespace is required",
                "ns | '' | me | 15000 | 10000 | 2000 | resourceName is required",
                "ns | n | '' | 15000 | 10000 | 2000 | identity is required",
                "ns | n | me | 0 | 10000 | 2000 | leaseDuration 0s must be greater than zero",
                "ns | n | me | 15000 | -5 | 2000 | renewDeadline -5ms must be greater than zero",
                "ns | n | me | 15000 | 10000 | 0 | retryPeriod 0s must be greater than zero",
                "ns | n | me | 10000 | 10000 | 2000 | leaseDuration 10s must be greater than renewDeadline 10s",
                "ns | n | me | 15000 | 2400 | 2000 | renewDeadline 2400ms must be greater than retryPeriod 2s * 1.2",
                "ns | n | me | 15000 | 2401 | 2000 | -",
                "ns | n | me | 10001 | 10000 | 2000 | -",
            })
    void settingsAreChecked(
            String namespace, String name, String id, long lease, long renew, long retry, @Nullable String error) {
        if (error == null) {
            settings(namespace, name, id, lease, renew, retry);
            return;
        }
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> settings(namespace, name, id, lease, renew, retry));
        assertEquals(error, e.getMessage());
    }

    /** Annotations have whole seconds, so that a record may look a second older than it is. */
    @ParameterizedTest
    @CsvSource({
        "LEASES, 10001, true",
        "ENDPOINTS_LEASES, 10999, false",
        "ENDPOINTS, 10999, false",
        "ENDPOINTS, 11000, true"
    })
    void anAnnotationNeedsASecondMore(ResourceLock kind, long lease, boolean allowed) {
        try {
            new LeaderElectionConfig(kind, "ns", "n", "me", Duration.ofMillis(lease), s(10), s(2), true);
            assertTrue(allowed);
        } catch (IllegalArgumentException e) {
            assertFalse(allowed);
            assertEquals(
                    "leaseDuration 10999ms must be at least 1s greater than renewDeadline 10s with the resourceLock "
                            + kind.text() + ", whose records have whole seconds",
                    e.getMessage());
        }
    }

    private static void settings(String namespace, String name, String id, long lease, long renew, long retry) {
        LeaderElectionConfig made = new LeaderElectionConfig(
                ResourceLock.LEASES,
                namespace,
                name,
                id,
                Duration.ofMillis(lease),
                Duration.ofMillis(renew),
                Duration.ofMillis(retry),
                true);
        assertEquals(namespace + "/" + name, made.key());
    }
}
