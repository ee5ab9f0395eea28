package io.policyscheduler.cmd.extender.client;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.policyscheduler.cmd.extender.client.ExtenderBinding.SkippedBinds;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Extender;
import io.policyscheduler.framework.cycle.Extender.ExtenderException;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ExtenderBindingTest {
    private final PodInfo p = pod("p").build();
    private final ClusterWriter api = mock(ClusterWriter.class);
    private final Extender extender = mock(Extender.class);
    private final ExtenderBinding writer = new ExtenderBinding(
            api, new Extenders(List.of(extender), Runnable::run), Runnable::run, () -> true, SkippedBinds.NEVER);
    private final List<BindOutcome> outcomes = new ArrayList<>();

    private List<BindOutcome> bind() {
        writer.bind(p, "n1", outcomes::add);
        return outcomes;
    }

    @Test
    void theApiServerBindsWhatNoExtenderWants() {
        when(extender.isBinder()).thenReturn(true);
        Consumer<BindOutcome> done = outcomes::add;
        writer.bind(p, "n1", done);
        verify(api).bind(p, "n1", done);
    }

    @Test
    void theExtenderBinds() throws ExtenderException {
        when(extender.isBinder()).thenReturn(true);
        when(extender.isInterested(p)).thenReturn(true);
        assertEquals(List.of(BindOutcome.BOUND), bind());
        verify(extender).bind(p, "n1");
        verifyNoInteractions(api);
    }

    @Test
    void theNextBinderBindsAfterAnIgnorableOne() throws ExtenderException {
        List<String> skipped = new ArrayList<>();
        for (boolean ignorable : List.of(true, false)) {
            for (boolean allowed : List.of(true, false)) {
                for (ExtenderException failure :
                        List.of(ExtenderException.rejected("no"), ExtenderException.broken("EOF"))) {
                    Extender failing = mock(Extender.class);
                    when(failing.isBinder()).thenReturn(true);
                    when(failing.isInterested(p)).thenReturn(true);
                    when(failing.isIgnorable()).thenReturn(ignorable);
                    doThrow(failure).when(failing).bind(any(), any());
                    ExtenderBinding binding = new ExtenderBinding(
                            (pod, node, done) -> done.accept(BindOutcome.failed("full")),
                            new Extenders(List.of(failing), Runnable::run),
                            Runnable::run,
                            () -> true,
                            (pod, extender, error) -> {
                                skipped.add(error);
                                return allowed;
                            });
                    outcomes.clear();
                    binding.bind(p, "n1", outcomes::add);
                    boolean isUnknown = failure.text().equals("EOF");
                    String message = ignorable && allowed ? "full" : failure.text();
                    // A rejection by the API server is not the response to the extender's request.
                    assertEquals(
                            List.of(isUnknown ? BindOutcome.unknown(message) : BindOutcome.failed(message)), outcomes);
                }
            }
        }
        assertEquals(List.of("no", "EOF", "no", "EOF"), skipped);
    }

    @Test
    void aRefusalIsFinalAndSilenceIsNot() throws ExtenderException {
        when(extender.isBinder()).thenReturn(true);
        when(extender.isInterested(p)).thenReturn(true);
        doThrow(ExtenderException.rejected("no"), ExtenderException.broken("EOF"), new IllegalStateException("bug"))
                .when(extender)
                .bind(any(), any());
        bind();
        bind();
        assertEquals(List.of(BindOutcome.failed("no"), BindOutcome.unknown("EOF"), BindOutcome.unknown("bug")), bind());
    }
}
