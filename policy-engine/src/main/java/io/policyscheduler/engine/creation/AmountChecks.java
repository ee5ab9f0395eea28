package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.resource.Quantity;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException.InvalidField;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The validation of the resource amounts of a pod ({@code ValidateResourceRequirements} of {@code pkg/apis/core/validation}).
 * Resources are checked in file order; Kubernetes has no order.
 */
final class AmountChecks {
    private static final String HUGE_PAGES = "hugepages-";
    private static final Set<String> OF_CONTAINERS = Set.of("cpu", "memory", "ephemeral-storage");
    private static final Set<String> OF_PODS = Set.of("cpu", "memory");
    /** Resources of quotas and nodes, which containers cannot have. */
    private static final Set<String> OF_OTHERS = Set.of("storage", "pods", "requests.cpu", "requests.memory");

    private final Rules rules;

    AmountChecks(Rules rules) {
        this.rules = rules;
    }

    /** The invalid fields in report order; empty for a valid pod. */
    List<InvalidField> of(JsonNode pod) {
        List<InvalidField> invalid = new ArrayList<>();
        JsonNode spec = pod.path("spec");
        for (String list : List.of("containers", "initContainers")) {
            for (int i = 0; i < spec.path(list).size(); i++) {
                String path = "spec." + list + "[" + i + "].resources";
                requirements(path, spec.path(list).get(i).path("resources"), AmountChecks::ofContainer, invalid);
            }
        }
        if (rules.has(NewerField.POD_RESOURCES) && spec.path("resources") instanceof ObjectNode resources) {
            requirements("spec.resources", resources, AmountChecks::ofPod, invalid);
            together(spec, resources, invalid);
        }
        return invalid;
    }

    private void requirements(
            String path, JsonNode resources, BiConsumer<Named, List<InvalidField>> names, List<InvalidField> invalid) {
        Map<String, Amount> limits = PodAmounts.read(resources.path("limits"));
        Map<String, Amount> requests = PodAmounts.read(resources.path("requests"));
        for (Map.Entry<String, JsonNode> entry : resources.path("limits").properties()) {
            one(path + ".limits", entry.getKey(), limits, names, invalid);
        }
        for (Map.Entry<String, JsonNode> entry : resources.path("requests").properties()) {
            String resource = entry.getKey();
            one(path + ".requests", resource, requests, names, invalid);
            Amount request = requests.getOrDefault(resource, Amount.ZERO);
            Amount limit = limits.get(resource);
            boolean fixed = !isOvercommitted(resource);
            if (limit == null) {
                if (fixed) {
                    invalid.add(InvalidField.required(
                            path + ".limits", "Limit must be set for non overcommitable resources"));
                }
                continue;
            }
            int order = request.exact().compareTo(limit.exact());
            String bound = resource + " limit" + (rules.reportsLimits() ? " of " + limit : "");
            if (fixed && order != 0) {
                invalid.add(InvalidField.value(path + ".requests", request, "must be equal to " + bound));
            } else if (order > 0) {
                invalid.add(InvalidField.value(path + ".requests", request, "must be less than or equal to " + bound));
            }
        }
        boolean hugePages = has(limits, HUGE_PAGES) || has(requests, HUGE_PAGES);
        boolean others = OF_PODS.stream().anyMatch(name -> limits.containsKey(name) || requests.containsKey(name));
        if (hugePages && !others) {
            invalid.add(InvalidField.forbidden(path, "HugePages require cpu or memory"));
        }
    }

    /** A resource and its path. */
    private record Named(String path, String resource) {}

    private void one(
            String list,
            String resource,
            Map<String, Amount> amounts,
            BiConsumer<Named, List<InvalidField>> names,
            List<InvalidField> invalid) {
        String path = list + "[" + resource + "]";
        names.accept(new Named(path, resource), invalid);
        Amount amount = amounts.getOrDefault(resource, Amount.ZERO);
        if (amount.exact().signum() < 0) {
            invalid.add(InvalidField.value(path, amount, "must be greater than or equal to 0"));
        }
        if (!isNative(resource) && !amount.isWhole()) {
            invalid.add(
                    rules.printsJson()
                            ? InvalidField.value(path, amount, "must be an integer")
                            : InvalidField.structure(path, amount.goStructure(), "must be an integer"));
        }
    }

    private static void ofContainer(Named named, List<InvalidField> invalid) {
        String resource = named.resource();
        if (resource.contains("/") || OF_CONTAINERS.contains(resource) || resource.startsWith(HUGE_PAGES)) {
            return;
        }
        if (!OF_OTHERS.contains(resource)) {
            invalid.add(
                    InvalidField.value(named.path(), resource, "must be a standard resource type or fully qualified"));
        }
        invalid.add(InvalidField.value(named.path(), resource, "must be a standard resource for containers"));
    }

    private static void ofPod(Named named, List<InvalidField> invalid) {
        String resource = named.resource();
        if (!OF_PODS.contains(resource) && !resource.startsWith(HUGE_PAGES)) {
            invalid.add(InvalidField.unsupported(named.path(), resource, "\"cpu\", \"hugepages-\", \"memory\""));
        }
    }

    /** Checks that pod-level resources cover those of containers. */
    private static void together(JsonNode spec, ObjectNode resources, List<InvalidField> invalid) {
        Map<String, Amount> sum = PodAmounts.ofContainers(spec, "requests");
        PodAmounts.read(resources.path("requests")).forEach((resource, amount) -> {
            Amount needed = sum.getOrDefault(resource, Amount.ZERO);
            if (needed.exact().compareTo(amount.exact()) > 0) {
                invalid.add(InvalidField.value(
                        "spec.resources.requests[" + resource + "]",
                        amount,
                        "must be greater than or equal to aggregate container requests of " + needed));
            }
        });
        Map<String, Amount> limits = PodAmounts.read(resources.path("limits"));
        for (int i = 0; i < spec.path("containers").size(); i++) {
            JsonNode own = spec.path("containers").get(i).path("resources").path("limits");
            String path = "spec.resources.containers[" + i + "]";
            PodAmounts.read(own).forEach((resource, amount) -> {
                Amount limit = limits.get(resource);
                if (limit != null && amount.exact().compareTo(limit.exact()) > 0) {
                    invalid.add(InvalidField.value(
                            path + "[" + resource + "].limits",
                            amount,
                            "must be less than or equal to pod limits of " + limit));
                }
            });
        }
    }

    private static boolean has(Map<String, Amount> amounts, String prefix) {
        return amounts.keySet().stream().anyMatch(resource -> resource.startsWith(prefix));
    }

    private static boolean isNative(String resource) {
        return !resource.contains("/") || resource.contains("kubernetes.io/");
    }

    private static boolean isOvercommitted(String resource) {
        return isNative(resource) && !resource.startsWith(HUGE_PAGES);
    }

    /**
     * An amount of a resource with the comparison and format of API servers ({@code apimachinery/pkg/api/resource/quantity.go}).
     *
     * @param exact the amount
     * @param form its format
     */
    record Amount(BigDecimal exact, Form form) {
        /** The format of an amount. */
        enum Form {
            /** {@code 500m}, {@code 2}, {@code 3G}. */
            DECIMAL,
            /** {@code 64Mi}; amounts below 1Ki, and those with a fraction, as decimals. */
            BINARY,
            /** {@code 1e3}. */
            EXPONENT
        }

        static final Amount ZERO = new Amount(BigDecimal.ZERO, Form.DECIMAL);

        private static final BigDecimal KIBI = BigDecimal.valueOf(1024);
        private static final String BINARY_SUFFIXES = "KMGTPE";
        private static final String[] DECIMAL_SUFFIXES = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
        private static final int FINEST = -9;
        private static final int THOUSAND = 3;
        /** Above this, milli-units do not fit into 64 bits. */
        private static final BigDecimal MOST_WITH_THOUSANDTHS = BigDecimal.valueOf(Long.MAX_VALUE / 1000);

        /**
         * Rounded up to milli-units, as API servers store every amount of a resource. Zero for an invalid quantity, which is
         * rejected when the object is read.
         */
        static Amount of(JsonNode quantity) {
            String text = quantity.asText("");
            try {
                BigDecimal exact = Quantity.parse(text).exact();
                return new Amount(
                        exact.scale() > THOUSAND ? exact.setScale(THOUSAND, RoundingMode.UP) : exact, form(text));
            } catch (IllegalArgumentException e) {
                return ZERO;
            }
        }

        private static Form form(String text) {
            if (text.endsWith("i")) {
                return Form.BINARY;
            }
            boolean exponent = text.toLowerCase(Locale.ROOT).matches(".*e[+-]?[0-9]+");
            return exponent ? Form.EXPONENT : Form.DECIMAL;
        }

        /** The sum in the format of this one, unless this one is zero. */
        Amount plus(Amount other) {
            return new Amount(exact.add(other.exact), exact.signum() == 0 ? other.form : form);
        }

        /** Compares as admission does: in milli-units, or in whole units if one of all three is too large. */
        static int compare(Amount one, Amount two, Amount third) {
            boolean fine = one.hasThousandths() && two.hasThousandths() && third.hasThousandths();
            int scale = fine ? THOUSAND : 0;
            return one.exact.setScale(scale, RoundingMode.UP).compareTo(two.exact.setScale(scale, RoundingMode.UP));
        }

        /** The ratio of both, rounded as in {@link #compare} with a third. */
        static double ratio(Amount one, Amount two, Amount third) {
            boolean fine = one.hasThousandths() && two.hasThousandths() && third.hasThousandths();
            int scale = fine ? THOUSAND : 0;
            return one.exact.setScale(scale, RoundingMode.UP).doubleValue()
                    / two.exact.setScale(scale, RoundingMode.UP).doubleValue();
        }

        /** Whether it has no fraction. */
        boolean isWhole() {
            return exact.stripTrailingZeros().scale() <= 0;
        }

        /** The Go structure that messages of API servers contain until 1.32; with the text of a canonical quantity. */
        String goStructure() {
            String text = exact.scale() % THOUSAND == 0 ? toString() : "";
            String format = form == Form.DECIMAL ? "DecimalSI" : form == Form.BINARY ? "BinarySI" : "DecimalExponent";
            return "resource.Quantity{i:resource.int64Amount{value:" + exact.unscaledValue() + ", scale:"
                    + -exact.scale() + "}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:\"" + text + "\", Format:\""
                    + format + "\"}";
        }

        private boolean hasThousandths() {
            return exact.setScale(0, RoundingMode.UP).compareTo(MOST_WITH_THOUSANDTHS) <= 0;
        }

        /** The canonical format of API servers. */
        @Override
        public String toString() {
            if (form == Form.BINARY && isWhole() && exact.abs().compareTo(KIBI) >= 0) {
                return binary();
            }
            if (exact.signum() == 0) {
                return "0";
            }
            BigDecimal stripped = exact.setScale(-FINEST, RoundingMode.UP).stripTrailingZeros();
            int exponent = Math.floorDiv(-stripped.scale(), THOUSAND) * THOUSAND;
            String number =
                    stripped.scaleByPowerOfTen(-exponent).toBigIntegerExact().toString();
            int suffix = (exponent - FINEST) / THOUSAND;
            if (exponent != 0 && (form == Form.EXPONENT || suffix >= DECIMAL_SUFFIXES.length)) {
                return number + "e" + exponent;
            }
            return number + DECIMAL_SUFFIXES[suffix];
        }

        private String binary() {
            BigInteger kibi = KIBI.toBigIntegerExact();
            BigInteger rest = exact.toBigIntegerExact();
            int power = 0;
            while (power < BINARY_SUFFIXES.length() && rest.mod(kibi).signum() == 0) {
                rest = rest.divide(kibi);
                power++;
            }
            return power == 0 ? rest.toString() : rest + BINARY_SUFFIXES.substring(power - 1, power) + "i";
        }
    }

    /** The total requests of a pod for admission: the sum of its containers, or the largest init container. */
    static final class PodAmounts {
        private static final Set<String> OF_PODS = Set.of("cpu", "memory");

        private final Rules rules;

        PodAmounts(Rules rules) {
            this.rules = rules;
        }

        /** The amounts of a list such as {@code requests}, by resource. */
        static Map<String, Amount> read(JsonNode list) {
            Map<String, Amount> amounts = new TreeMap<>();
            for (Map.Entry<String, JsonNode> entry : list.properties()) {
                amounts.put(entry.getKey(), Amount.of(entry.getValue()));
            }
            return amounts;
        }

        /**
         * The amounts of a pod; pod-level resources override the sum of its containers.
         *
         * @param list requests or limits
         */
        Map<String, Amount> of(JsonNode spec, String list) {
            Map<String, Amount> sum = rules.has(NewerField.SIDECARS) ? ofContainers(spec, list) : before(spec, list);
            if (rules.has(NewerField.POD_RESOURCES)) {
                read(spec.path("resources").path(list)).forEach((resource, amount) -> {
                    if (OF_PODS.contains(resource) || resource.startsWith("hugepages-")) {
                        sum.put(resource, amount);
                    }
                });
            }
            return sum;
        }

        /** The sum of the containers. */
        static Map<String, Amount> ofContainers(JsonNode spec, String list) {
            Map<String, Amount> sum = new TreeMap<>();
            Fields.forEach(spec.path("containers"), container -> add(sum, amounts(container, list)));
            Map<String, Amount> sidecars = new TreeMap<>();
            Map<String, Amount> most = new TreeMap<>();
            Fields.forEach(spec.path("initContainers"), container -> {
                Map<String, Amount> needed = amounts(container, list);
                if (Fields.text(container, "restartPolicy").equals("Always")) {
                    add(sum, needed);
                    add(sidecars, needed);
                    max(most, sidecars);
                } else {
                    add(needed, sidecars);
                    max(most, needed);
                }
            });
            max(sum, most);
            return sum;
        }

        /** The same in releases without sidecars: only resources that all containers have are added up. */
        private static Map<String, Amount> before(JsonNode spec, String list) {
            Map<String, Amount> sum = new TreeMap<>();
            Fields.forEach(spec.path("containers"), container -> add(sum, amounts(container, list)));
            Fields.forEach(
                    spec.path("containers"),
                    container -> sum.keySet().retainAll(amounts(container, list).keySet()));
            Fields.forEach(spec.path("initContainers"), container -> max(sum, amounts(container, list)));
            return sum;
        }

        private static Map<String, Amount> amounts(ObjectNode container, String list) {
            return read(container.path("resources").path(list));
        }

        private static void add(Map<String, Amount> sum, Map<String, Amount> more) {
            more.forEach((resource, amount) -> sum.merge(resource, amount, Amount::plus));
        }

        private static void max(Map<String, Amount> most, Map<String, Amount> other) {
            other.forEach((resource, amount) ->
                    most.merge(resource, amount, (one, two) -> two.exact().compareTo(one.exact()) > 0 ? two : one));
        }
    }
}
