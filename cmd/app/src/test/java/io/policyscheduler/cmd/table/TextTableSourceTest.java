package io.policyscheduler.cmd.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.table.TableFeeds.TableSource.TableSink;
import io.policyscheduler.cmd.table.WatchedTables.TextSource;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.PolicyTables.TableException;
import io.policyscheduler.engine.rules.data.TableValues;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a text is read for the first time, and again. */
class TextTableSourceTest {
    private final List<String> calls = new ArrayList<>();
    private final Deque<Runnable> retries = new ArrayDeque<>();
    private final ScheduledFuture<?> retry = mock();
    private final ScheduledExecutorService thread = mock();
    private @Nullable RuntimeException trouble;
    private @Nullable TableException refusal;
    private Runnable onChange = () -> {};

    private final TextSource source = new TextSource(
            () -> {
                if (trouble != null) {
                    throw trouble;
                }
                if (refusal != null) {
                    throw refusal;
                }
                return TableValues.EMPTY;
            },
            changed -> {
                onChange = changed;
                return () -> calls.add("watch closed");
            },
            thread);

    private final TableSink sink = new TableSink() {
        @Override
        public void publish(TableValues values, @Nullable Instant sourceTime, int stale) {
            calls.add("published");
        }

        @Override
        public void expire(TableValues values, int stale) {
            calls.add("expired");
        }

        @Override
        public void refuse(String reason) {
            calls.add("refused " + reason);
        }
    };

    @BeforeEach
    void runAtOnce() {
        doAnswer(call -> {
                    call.<Runnable>getArgument(0).run();
                    return null;
                })
                .when(thread)
                .execute(any());
        when(thread.schedule(any(Runnable.class), anyLong(), any())).thenAnswer(call -> {
            retries.add(call.getArgument(0));
            return retry;
        });
    }

    private void assertCalls(String... expected) {
        assertEquals(List.of(expected), calls);
    }

    /** It may change between the reading of the policy and the start of the watch. */
    @Test
    void readsAtTheBeginAndAfterEachChange() {
        source.start(sink);
        onChange.run();
        assertCalls("published", "published");
        assertEquals(0, retries.size());
    }

    @Test
    void whatIsOutOfReachIsReadAgainSoon() {
        trouble = new InputException("no such file");
        source.start(sink);
        verify(thread).schedule(any(Runnable.class), eq(5L), eq(TimeUnit.SECONDS));
        trouble = null;
        retries.remove().run();
        assertCalls("refused no such file", "published");
        assertEquals(0, retries.size());
    }

    @Test
    void aChangeGoesBeforeTheNextTry() {
        refusal = new TableException("t", "no number", "write one", "t.csv", new SourcePosition(3, 1));
        source.start(sink);
        onChange.run();
        verify(retry).cancel(false);
        assertEquals(2, retries.size());
        assertEquals(2, calls.size());
        assertEquals("refused t.csv:3:1: R030: table t: no number; write one", calls.get(0));
    }

    @Test
    void closedItReadsNoMore() {
        trouble = new InputException("no such file");
        source.start(sink);
        source.close();
        verify(retry).cancel(false);
        doAnswer(call -> {
                    throw new RejectedExecutionException("closed");
                })
                .when(thread)
                .execute(any());
        onChange.run();
        assertCalls("refused no such file", "watch closed");
    }
}
