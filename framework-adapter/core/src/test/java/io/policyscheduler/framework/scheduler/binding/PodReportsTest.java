package io.policyscheduler.framework.scheduler.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.base.Splitter;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.ScheduledCondition;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.binding.CurrentProfiles.PluginCalls;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The status of pods that fail, before and after the watch has delivered what was written. */
class PodReportsTest {
    private static final int NOW = 5000;

    private final List<String> written = new ArrayList<>();
    private final PodReports reports = new PodReports(
            new Writer(),
            Clock.fixed(Instant.ofEpochMilli(NOW), ZoneOffset.UTC),
            new CurrentProfiles(Profiles.none(), new PodsInFlight(), new PluginCalls(Runnable::run, new EventInbox())));

    private final class Writer implements ClusterWriter {
        @Override
        public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {}

        @Override
        public void updateStatus(PodInfo pod, @Nullable ScheduledCondition condition, @Nullable String nominatedNode) {
            String said = condition == null
                    ? "-"
                    : condition.status() + " " + condition.message() + " since " + condition.lastTransitionMillis();
            written.add(
                    said + (nominatedNode == null ? "" : " on " + (nominatedNode.isEmpty() ? "none" : nominatedNode)));
        }

        @Override
        public void event(PodInfo pod, String type, String reason, String message, long generation) {}

        @Override
        public void readPod(PodInfo pod, Consumer<PodRead> done) {}
    }

    /** Version, message, and nominated node of a pod on the watch; {@code -} for none. */
    private static PodInfo shown(String text) {
        List<String> parts = Splitter.on(' ').splitToList(text);
        PodInfo pod = PodBuilder.pod("p").build();
        return new PodInfo(
                pod.namespace(),
                pod.name(),
                pod.uid(),
                parts.get(0),
                pod.labels(),
                pod.annotations(),
                pod.controller(),
                false,
                "",
                pod.spec(),
                "",
                "",
                PodInfo.NO_TIME,
                none(parts.get(2)),
                parts.get(1).equals("-") ? null : new ScheduledCondition("False", "Unschedulable", parts.get(1), 1000),
                false,
                PodInfo.NO_TIME,
                List.of(),
                0);
    }

    private static String none(String text) {
        return text.equals("-") ? "" : text;
    }

    /** Attempts: the pod on the watch, the reason of the failure, and the nominated node. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 - - : a -                                 | False a since 5000",
                "1 - - : a n1                                | False a since 5000 on n1",
                "1 a - : a -                                 | ",
                "1 a - : b -                                 | False b since 1000",
                "1 a n1: a n1                                | ",
                "1 a n1: a n2                                | - on n2",
                "1 a n1: a -                                 | - on none",
                "1 a - : b -  ; 1 a - : a -                  | False b since 1000; False a since 1000",
                "1 a - : b -  ; 2 b - : a -                  | False b since 1000; False a since 1000",
                "1 a - : b -  ; 1 a - : b -                  | False b since 1000; False b since 1000",
                "1 a - : b -  ; 2 a - : a -                  | False b since 1000; False a since 1000",
                "1 a - : b -  ; 2 a - : a -  ; 3 a - : a -   | False b since 1000; False a since 1000",
                "1 - - : a n1 ; 1 - - : a -                  | False a since 5000 on n1; False a since 5000 on none",
                "1 a - : a n1 ; 1 a - : a -                  | - on n1; - on none",
                "1 a - : a n1 ; 1 a - : b n1 ; 1 a - : a n1  | - on n1; False b since 1000 on n1; False a since 1000"
                        + " on n1",
                "1 a - : b n1 ; 2 b n1: b n1                 | False b since 1000 on n1",
            })
    void whatIsSaidLastIsWritten(String attempts, @Nullable String expected) {
        for (String attempt : Splitter.on(';').trimResults().split(attempts)) {
            List<String> parts = Splitter.on(':').trimResults().splitToList(attempt);
            List<String> said = Splitter.on(' ').splitToList(parts.get(1));
            reports.notScheduled(shown(parts.get(0)), "Unschedulable", said.get(0), none(said.get(1)));
        }
        assertEquals(expected == null ? "" : expected, String.join("; ", written));
    }

    @ParameterizedTest
    @CsvSource({
        "1 - -, a, False a since 5000",
        "1 a -, a, ",
        "1 a n1, b, False b since 1000",
    })
    void nominationsAreLeftToOthers(String pod, String message, @Nullable String expected) {
        reports.notScheduled(shown(pod), "Unschedulable", message, null);
        assertEquals(expected == null ? "" : expected, String.join("; ", written));
    }
}
