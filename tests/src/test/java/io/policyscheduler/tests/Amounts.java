package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Parses and adds Kubernetes quantities exactly. It shares no code with the parser under test. */
final class Amounts {
    private static final List<String> BINARY = List.of("Ki", "Mi", "Gi", "Ti");
    private static final Map<String, Integer> DECIMAL =
            Map.of("n", -9, "u", -6, "m", -3, "k", 3, "M", 6, "G", 9, "T", 12);

    private Amounts() {}

    /** Returns one quantity, such as {@code 1500m} or {@code 1.5Gi}. */
    static BigDecimal of(String text) {
        for (int i = 0; i < BINARY.size(); i++) {
            if (text.endsWith(BINARY.get(i))) {
                BigDecimal unit = BigDecimal.valueOf(1L << (10 * (i + 1)));
                return new BigDecimal(text.substring(0, text.length() - 2)).multiply(unit);
            }
        }
        Integer exponent = text.isEmpty() ? null : DECIMAL.get(text.substring(text.length() - 1));
        return exponent == null
                ? new BigDecimal(text)
                : new BigDecimal(text.substring(0, text.length() - 1)).scaleByPowerOfTen(exponent);
    }

    /** Returns the quantities of an object such as {@code requests}; empty if the object is missing. */
    static Map<String, BigDecimal> of(JsonNode quantities) {
        Map<String, BigDecimal> amounts = new TreeMap<>();
        quantities
                .properties()
                .forEach(
                        entry -> amounts.put(entry.getKey(), of(entry.getValue().asText())));
        return amounts;
    }

    /** Returns the sum of the containers' requests. */
    static Map<String, BigDecimal> sum(JsonNode containers) {
        Map<String, BigDecimal> sum = new TreeMap<>();
        for (JsonNode container : containers) {
            of(container.path("resources").path("requests"))
                    .forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::add));
        }
        return sum;
    }
}
