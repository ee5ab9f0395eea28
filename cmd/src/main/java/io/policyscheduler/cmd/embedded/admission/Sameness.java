package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Quantities;
import java.math.BigDecimal;
import java.util.Set;

/** Whether two parts of objects mean the same (apimachinery {@code equality.Semantic}): what is empty is not there, 1 is 1000m. */
final class Sameness {
    /** Fields whose values are amounts. */
    private static final Set<String> AMOUNTS = Set.of("requests", "limits", "overhead", "capacity", "allocatable");

    private Sameness() {}

    static boolean same(JsonNode one, JsonNode two) {
        return one.equals(two) || plain(one, false).equals(plain(two, false));
    }

    private static JsonNode plain(JsonNode node, boolean isAmount) {
        if (node instanceof ObjectNode object) {
            ObjectNode plain = JsonNodeFactory.instance.objectNode();
            object.properties().forEach(field -> {
                boolean amounts = isAmount || AMOUNTS.contains(field.getKey());
                JsonNode value = plain(field.getValue(), amounts);
                boolean isEmpty =
                        value.isMissingNode() || value.isNull() || (value.isContainerNode() && value.isEmpty());
                if (!isEmpty) {
                    plain.set(field.getKey(), value);
                }
            });
            return plain;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode plain = JsonNodeFactory.instance.arrayNode();
            array.forEach(element -> plain.add(plain(element, isAmount)));
            return plain;
        }
        return isAmount && node.isValueNode() ? JsonNodeFactory.instance.textNode(amount(node.asText())) : node;
    }

    private static String amount(String text) {
        return Quantities.parse(text)
                .map(BigDecimal::stripTrailingZeros)
                .map(BigDecimal::toPlainString)
                .orElse(text);
    }
}
