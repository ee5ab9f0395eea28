package io.policyscheduler.engine.creation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.TextNode;
import io.policyscheduler.engine.creation.AmountChecks.Amount;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmountTest {
    private static Amount amount(String text) {
        return Amount.of(new TextNode(text));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "1000m, 1",
        "0.5, 500m",
        "1500m, 1500m",
        "0, 0",
        "0Mi, 0",
        "1000, 1k",
        "1500M, 1500M",
        "1000M, 1G",
        "-2, -2",
        "1e3, 1e3",
        "12e5, 1200e3",
        "1E, 1E",
        "1024Mi, 1Gi",
        "1.5Gi, 1536Mi",
        "1Ki, 1Ki",
        "0.5Ki, 512",
        "100Mi, 100Mi",
        "0.1Ki, 102400m",
        "3n, 1m",
        "1500u, 2m",
        "nonsense, 0"
    })
    void anAmountIsWrittenInOneWay(String text, String written) {
        assertEquals(written, amount(text).toString());
    }

    @ParameterizedTest
    @CsvSource({"100Mi, 100Mi, 200Mi", "1, 500m, 1500m", "0, 1Gi, 1Gi", "1Gi, 1G, 2073741824"})
    void aSumIsWrittenAsItsFirstPart(String one, String two, String sum) {
        assertEquals(sum, amount(one).plus(amount(two)).toString());
    }

    @ParameterizedTest
    @CsvSource({
        "100m, 0.1, 0, 0",
        "1100u, 2m, 0, 0",
        "1, 2, 0, -1",
        "1001m, 1, 0, 1",
        "1001m, 1, 1E, 1",
        "1001m, 1, 9E, 1",
        "1001m, 2, 9E, 0",
    })
    void largeAmountsAreComparedByWholeUnits(String one, String two, String third, int order) {
        assertEquals(order, Amount.compare(amount(one), amount(two), amount(third)));
    }
}
