package io.policyscheduler.engine.cluster.object;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PodAffinityTermTest {
    private static final LabelSelector WEB = LabelSelector.of(Labels.of("app", "web"), List.of());
    private static final LabelSelector INVALID = LabelSelector.of(Labels.of("app", "not legal"), List.of());

    static Stream<Arguments> cases() {
        return Stream.of(
                arguments(WEB, List.of(), "a", "web", true),
                arguments(WEB, List.of(), "b", "web", false),
                arguments(WEB, List.of(), "a", "db", false),
                arguments(WEB, List.of("b", "c"), "b", "web", true),
                arguments(WEB, List.of("b", "c"), "a", "web", false),
                arguments(LabelSelector.EVERYTHING, List.of(), "a", "db", true),
                arguments(null, List.of(), "a", "web", false),
                arguments(INVALID, List.of(), "a", "not legal", false));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void matches(
            @Nullable LabelSelector selector, List<String> namespaces, String namespace, String app, boolean expected) {
        PodInfo owner = pod("owner").namespace("a").build();
        PodInfo other = pod("other").namespace(namespace).label("app", app).build();
        assertEquals(expected, new PodAffinityTerm(selector, namespaces, "zone", null).matches(owner, other));
        // Namespaces by label came after v1.17, which does not look at them.
        assertEquals(
                expected,
                new PodAffinityTerm(selector, namespaces, "zone", LabelSelector.EVERYTHING).matches(owner, other));
    }
}
