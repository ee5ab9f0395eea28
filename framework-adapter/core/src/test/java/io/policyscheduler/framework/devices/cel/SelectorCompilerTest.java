package io.policyscheduler.framework.devices.cel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Splitter;
import com.google.common.io.Resources;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.AttributeValue;
import io.policyscheduler.engine.cluster.object.Device.NodeSelection;
import io.policyscheduler.framework.devices.cel.Selector.SelectorException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** CEL expressions give the results and errors recorded from the real scheduler. */
class SelectorCompilerTest {
    private static final String DRIVER = "gpu.example.com";
    private static final Device DEVICE = device(Map.of(
            "model",
            AttributeValue.of("l4"),
            "memory",
            AttributeValue.of(24),
            "healthy",
            AttributeValue.of(true),
            "ver",
            AttributeValue.version("1.2.3"),
            "dra.example.com/rack",
            AttributeValue.of("r1")));

    private final SelectorCompiler compiler = new SelectorCompiler();

    private static Device device(Map<String, AttributeValue> attributes) {
        return new Device(
                "gpu0",
                attributes,
                Map.of("memory", "40Gi", "cores", "2500m"),
                Map.of(),
                false,
                null,
                List.of(),
                List.of(),
                List.of(),
                NodeSelection.NONE,
                false);
    }

    private static Stream<List<String>> rows(String file) throws IOException {
        return Resources.readLines(Resources.getResource(SelectorCompilerTest.class, file), StandardCharsets.UTF_8)
                .stream()
                .filter(line -> !line.startsWith("#"))
                .map(Splitter.on('\t')::splitToList);
    }

    static Stream<List<String>> asHeard() throws IOException {
        return rows("selectors.tsv");
    }

    static Stream<List<String>> otherwise() throws IOException {
        return rows("selectors-otherwise.tsv");
    }

    private String said(String expression, Device device) {
        try {
            return compiler.compile(expression).matches(DRIVER, device) ? "TRUE" : "FALSE";
        } catch (SelectorException e) {
            return String.valueOf(e.getMessage()).replace("\n", "\\n");
        }
    }

    @ParameterizedTest
    @MethodSource("asHeard")
    void saysWhatTheRealOneSays(List<String> row) {
        assertEquals(row.get(1), said(row.get(0), DEVICE));
    }

    /** Even where texts differ, the result is the same. */
    @ParameterizedTest
    @MethodSource("otherwise")
    void saysTheSameInOtherWords(List<String> row) {
        String here = said(row.get(0), DEVICE);
        assertEquals(row.get(2), here);
        assertTrue(here.startsWith("CEL ") && row.get(1).startsWith("CEL "), here);
    }

    @Test
    void attributesThatCannotBeUnderstoodFailEachExpression() {
        assertEquals(
                "CEL runtime error: attribute odd: unsupported attribute value",
                said("true", device(Map.of("odd", AttributeValue.NONE))));
        assertEquals(
                "CEL runtime error: attribute v: parse semantic version: No Major.Minor.Patch elements found",
                said("true", device(Map.of("v", AttributeValue.version("1")))));
    }

    @Test
    void aLongExpressionIsMeteredToo() {
        String longText = "'" + "a".repeat(4000) + "'";
        String costly = String.join(" || ", Collections.nCopies(2, longText + ".matches(" + longText + " + 'b')"));
        assertEquals("FALSE", said(costly, DEVICE));
        String tooCostly = "[1,2,3,4,5,6,7,8,9].exists(i, " + longText + ".matches(" + longText + " + string(i)))";
        assertEquals("CEL runtime error: operation cancelled: actual cost limit exceeded", said(tooCostly, DEVICE));
    }
}
