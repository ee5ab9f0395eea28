package io.policyscheduler.cmd.http.auth;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.util.concurrent.Striped;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps answers for a while, good and bad ones each for its own; errors are not kept. Whoever asks for what is being asked for
 * waits for that. Thread-safe.
 */
final class Outcomes<K, V> {
    private static final int MOST = 4096;
    private static final int STRIPES = 64;

    /** Asks. */
    interface Question<V> {
        V ask() throws IOException;
    }

    /** Tells good answers from bad ones. */
    interface Judge<V> {
        boolean isGood(V answer);
    }

    private final Cache<K, V> good;
    private final Cache<K, V> bad;
    private final Judge<V> judge;
    private final Striped<Lock> asking = Striped.lock(STRIPES);

    /** @param ticker a clock that only runs forward */
    Outcomes(Duration goodTtl, Duration badTtl, Judge<V> judge, Ticker ticker) {
        this.good = cache(goodTtl, ticker);
        this.bad = cache(badTtl, ticker);
        this.judge = judge;
    }

    private static <K, V> Cache<K, V> cache(Duration ttl, Ticker ticker) {
        return CacheBuilder.newBuilder()
                .maximumSize(MOST)
                .expireAfterWrite(ttl)
                .ticker(ticker)
                .build();
    }

    /** The answer, as kept or as given now. */
    V get(K key, Question<V> question) throws IOException {
        V known = known(key);
        if (known != null) {
            return known;
        }
        Lock lock = asking.get(key);
        lock.lock();
        try {
            known = known(key);
            if (known != null) {
                return known;
            }
            V answer = question.ask();
            (judge.isGood(answer) ? good : bad).put(key, answer);
            return answer;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable V known(K key) {
        V answer = good.getIfPresent(key);
        return answer == null ? bad.getIfPresent(key) : answer;
    }
}
