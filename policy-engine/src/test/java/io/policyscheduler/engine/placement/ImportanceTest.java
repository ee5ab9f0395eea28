package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ImportanceTest {
    /** A pod written as {@code name/priority/start}; without a start it has not started. */
    private static PodInfo read(String text) {
        String[] parts = text.split("/", -1);
        PodBuilder builder = pod(parts[0]).priority(Integer.parseInt(parts[1]));
        return parts.length > 2 ? builder.startTime(Long.parseLong(parts[2])).build() : builder.build();
    }

    @ParameterizedTest
    @CsvSource({
        "a/2/9, b/1/1, true,  false",
        "a/1/1, b/1/2, true,  false",
        "a/1/1, b/1/1, false, false",
        "a/1/1, b/1,   true,  false",
        "a/2,   b/1/1, true,  false",
        "a/-1,  b/0,   false, true",
        // Each starts "now" when it is looked at, so the first looks older.
        "a/1,   b/1,   true,  true",
    })
    void isMore(String one, String other, boolean forth, boolean back) {
        assertEquals(forth, PodPreemption.isMoreImportant(read(one), read(other)));
        assertEquals(back, PodPreemption.isMoreImportant(read(other), read(one)));
    }

    static Stream<Arguments> orders() {
        return Stream.of(
                arguments("v0/0 v1/0/20 v2/0 v3/0/10", "v3 v1 v2 v0"),
                arguments("a/0 b/0 c/0", "c b a"),
                arguments("a/0/5 b/0/5 c/0/5", "a b c"),
                arguments("a/1/1 b/3/9 c/2/1 d/3/8", "d b c a"),
                arguments("a/7", "a"));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void sort(String pods, String expected) {
        List<PodInfo> list = new ArrayList<>();
        for (String text : pods.split(" ", -1)) {
            list.add(read(text));
        }
        PodPreemption.sortByImportance(list);
        assertEquals(expected, String.join(" ", list.stream().map(PodInfo::name).toList()));
    }
}
