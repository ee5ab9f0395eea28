package io.policyscheduler.framework.devices.cel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.devices.cel.SelectorCompiler.AttributeReads;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttributeReadsTest {
    private static final List<String> ATTRIBUTES = List.of("d/a", "d/b", "e/a", "e/b");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "true | -",
                "device.driver == 'd' | -",
                "device.capacity['d'].a.compareTo(quantity('1')) > 0 | -",
                "device.attributes['d'].a == 'x' | d/a",
                "device.attributes['d']['a'] == 'x' | d/a",
                "device.attributes.d.a == 'x' | d/a",
                "device.attributes['d'].?a.orValue('') == 'x' | d/a",
                "device.attributes[?'d'][?'a'].orValue('') == 'x' | d/a",
                "has(device.attributes['d'].a) && device.attributes['e'].b == 'x' | d/a e/b",
                "'a' in device.attributes['d'] | d/a d/b",
                "device.attributes['d'].exists(k, k == 'a') | d/a d/b",
                "device.attributes['d'][device.driver] == 'x' | d/a d/b",
                "device.attributes['e'].all(k, device.attributes['d'].a == k) | d/a e/a e/b",
                "cel.bind(x, device.attributes['d'], size(x) > 3) | d/a d/b",
                "device.attributes.exists(k, k == 'd') | d/a d/b e/a e/b",
                "device.attributes[device.driver].a == 'x' | d/a d/b e/a e/b",
                "cel.bind(x, device, x.attributes['d'].a == 'x') | d/a d/b e/a e/b",
                "[device].size() == 1 | d/a d/b e/a e/b",
                "device.attributes['d' | d/a d/b e/a e/b",
            })
    void onlyWhatIsNamedIsRead(String expression, String read) {
        List<String> found = new ArrayList<>();
        AttributeReads reads = AttributeReads.of(List.of("device.driver != 'z'", expression));
        for (String attribute : ATTRIBUTES) {
            if (reads.includes(attribute.substring(0, 1), attribute.substring(2))) {
                found.add(attribute);
            }
        }
        assertEquals(read == null ? "" : read, String.join(" ", found));
    }
}
