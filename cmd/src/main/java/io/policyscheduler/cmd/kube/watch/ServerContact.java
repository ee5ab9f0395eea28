package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.cmd.kube.RetryPause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether the server answers one reflector: told to its listener and to all that wait for the same server when it changes, and
 * to whoever asks. Written by the reflector's thread only.
 */
final class ServerContact {
    private final ReflectorListener<?> listener;
    private final RetryPause pause;
    private final InstantSource clock;
    /** Since when an answer is missing; null while the server answers, or has not been asked. */
    private volatile @Nullable Instant unansweredSince;

    private boolean connected;
    private boolean everConnected;

    ServerContact(ReflectorListener<?> listener, RetryPause pause, InstantSource clock) {
        this.listener = listener;
        this.pause = pause;
        this.clock = clock;
    }

    /** For how long the server has not answered; empty while it does, and when there is nothing to ask it for. Any thread. */
    Optional<Duration> unansweredFor() {
        Instant since = unansweredSince;
        return since == null ? Optional.empty() : Optional.of(Duration.between(since, clock.instant()));
    }

    boolean isConnected() {
        return connected;
    }

    /** An answer is missing from now on, if it has not been missing before. */
    void unanswered() {
        if (unansweredSince == null) {
            unansweredSince = clock.instant();
        }
    }

    /** No answer is missing: there was one, or there is nothing to ask for. */
    void nothingMissing() {
        unansweredSince = null;
    }

    void connected() {
        if (!connected) {
            connected = true;
            everConnected = true;
            pause.connected();
            listener.onConnected();
        }
    }

    /**
     * The last request was in vain.
     *
     * @return whether the listener was told; false when it knows
     */
    boolean disconnected(String why) {
        if (!connected && everConnected) {
            return false;
        }
        everConnected = true;
        leave();
        listener.onDisconnected(why);
        return true;
    }

    /** What this reflector hears says nothing about the server for now. */
    void leave() {
        if (connected) {
            connected = false;
            pause.disconnected();
        }
    }
}
