package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.cmd.kube.Backoff;
import io.policyscheduler.cmd.kube.RetryPause;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** How long a reflector waits before its next request. */
final class RetryDelays {
    private final ReflectorRequests requests;
    private final RetryPause pause;
    private final Backoff failures;
    /** For watches that are answered and end at once: nothing is wrong with the server, so changes must not be missed for long. */
    private final Backoff shortWatches;

    RetryDelays(ReflectorRequests requests, RetryPause pause, RandomGenerator random) {
        this.requests = requests;
        this.pause = pause;
        this.failures = Backoff.forWatch(random);
        this.shortWatches = Backoff.forShortWatches(random);
    }

    /** @param told how long the server wants to be left alone */
    void afterFailure(Optional<Duration> told) throws InterruptedException {
        backOff(told, failures);
    }

    void afterShortWatch() throws InterruptedException {
        backOff(Optional.empty(), shortWatches);
    }

    /** A watch works: what failed is past. */
    void healthy() {
        failures.reset();
        shortWatches.reset();
    }

    private void backOff(Optional<Duration> told, Backoff delays) throws InterruptedException {
        if (requests.takeCutShort() || pause.await(told.isPresent() ? told.get() : delays.next())) {
            delays.reset();
        }
    }
}
