package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.Quantity;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Builds a resource list while its fields are read, and sums of such lists. Mirrors {@code Resource.Add} and {@code SetMaxResource}
 * of {@code pkg/scheduler/nodeinfo/node_info.go}.
 */
final class ResourceList {
    private final Arithmetic arithmetic;
    boolean hasCpu;
    boolean hasMemory;
    long milliCpu;
    /** CPU rounded up to whole cores. */
    long cpuValue;

    long memory;
    long ephemeralStorage;
    long pods;
    private Map<String, Long> scalars = Map.of();
    private Set<String> ignoredNames = Set.of();
    /** Alternating names and quantities, as written. */
    private List<String> texts = List.of();

    /** @param arithmetic overflow behavior of quantities and sums */
    ResourceList(Arithmetic arithmetic) {
        this.arithmetic = arithmetic;
    }

    static ResourceList of(JsonCursor cursor, Arithmetic arithmetic) throws IOException {
        ResourceList list = new ResourceList(arithmetic);
        list.read(cursor);
        return list;
    }

    void read(JsonCursor cursor) throws IOException {
        JsonParser parser = cursor.parser();
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw cursor.mismatch("an object");
        }
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            put(name, cursor);
            if (texts.isEmpty()) {
                texts = new ArrayList<>(4);
            }
            texts.add(name);
            texts.add(cursor.quantityText());
        }
    }

    /** True if both lists have the same resources with the same amounts, unchanged by rounding. */
    boolean isSameAs(ResourceList other) {
        return hasCpu == other.hasCpu
                && hasMemory == other.hasMemory
                && milliCpu == other.milliCpu
                && memory == other.memory
                && ephemeralStorage == other.ephemeralStorage
                && scalars.equals(other.scalars)
                && !isFine()
                && !other.isFine();
    }

    boolean isEmpty() {
        return texts.isEmpty();
    }

    /** The exact amounts by name. */
    Map<String, BigDecimal> exact() {
        Map<String, BigDecimal> amounts = new TreeMap<>();
        for (int i = 0; i < texts.size(); i += 2) {
            amounts.put(texts.get(i), Quantity.parse(texts.get(i + 1)).exact());
        }
        return amounts;
    }

    /** All amounts in whole units if the list contains extended resources; otherwise an empty map. */
    Map<String, Long> wholeIfExtended() {
        boolean extended = false;
        for (int i = 0; i < texts.size() && !extended; i += 2) {
            extended = ResourceNames.isExtended(texts.get(i))
                    || texts.get(i).startsWith(ResourceNames.DEVICE_CLASS_PREFIX);
        }
        if (!extended) {
            return Map.of();
        }
        Map<String, Long> amounts = new TreeMap<>();
        for (int i = 0; i < texts.size(); i += 2) {
            amounts.put(texts.get(i), arithmetic.value(texts.get(i + 1)));
        }
        return amounts;
    }

    /** True if rounding before adding up may change the sum. */
    boolean isFine() {
        for (int i = 1; i < texts.size(); i += 2) {
            if (isFine(texts.get(i - 1), texts.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFine(String name, String text) {
        char last = text.charAt(text.length() - 1);
        boolean thousandths = last == 'm' && !name.equals(ResourceNames.CPU);
        return thousandths || last == 'u' || last == 'n' || text.indexOf('.') >= 0 || text.indexOf('-') >= 0;
    }

    private void put(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case ResourceNames.CPU -> {
                milliCpu = cursor.milliQuantity();
                cpuValue = arithmetic.value(cursor.quantityText());
                hasCpu = true;
            }
            case ResourceNames.MEMORY -> {
                memory = cursor.quantity();
                hasMemory = true;
            }
            case ResourceNames.EPHEMERAL_STORAGE -> ephemeralStorage = cursor.quantity();
            case ResourceNames.PODS -> pods = cursor.quantity();
            default -> {
                long amount = cursor.quantity();
                if (ResourceNames.isScalar(name)) {
                    mutableScalars().put(name, amount);
                } else {
                    ignore(name);
                }
            }
        }
    }

    private void ignore(String name) {
        if (ignoredNames.isEmpty()) {
            ignoredNames = new TreeSet<>();
        }
        ignoredNames.add(name);
    }

    private Map<String, Long> mutableScalars() {
        if (scalars.isEmpty()) {
            scalars = new TreeMap<>();
        }
        return scalars;
    }

    void add(ResourceList other) {
        milliCpu = arithmetic.add(milliCpu, other.milliCpu);
        memory = arithmetic.add(memory, other.memory);
        ephemeralStorage = arithmetic.add(ephemeralStorage, other.ephemeralStorage);
        other.scalars.forEach((name, amount) -> mutableScalars().merge(name, amount, arithmetic::add));
    }

    /** Raises each amount to that of {@code other}; a scalar is added only if its amount is above 0. */
    void max(ResourceList other) {
        milliCpu = Math.max(milliCpu, other.milliCpu);
        memory = Math.max(memory, other.memory);
        ephemeralStorage = Math.max(ephemeralStorage, other.ephemeralStorage);
        other.scalars.forEach((name, amount) -> {
            if (amount > scalars.getOrDefault(name, 0L)) {
                mutableScalars().put(name, amount);
            }
        });
    }

    void addNames(Set<String> names) {
        if (hasCpu) {
            names.add(ResourceNames.CPU);
        }
        if (hasMemory) {
            names.add(ResourceNames.MEMORY);
        }
        names.addAll(scalars.keySet());
        names.addAll(ignoredNames);
    }

    ResourceVector toVector() {
        return ResourceVector.of(milliCpu, memory, ephemeralStorage, pods, scalars);
    }
}
