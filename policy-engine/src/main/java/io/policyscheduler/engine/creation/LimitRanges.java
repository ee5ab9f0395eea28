package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.creation.AmountChecks.Amount;
import io.policyscheduler.engine.creation.AmountChecks.PodAmounts;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Applies the default limits and requests of LimitRanges to containers ({@code plugin/pkg/admission/limitranger}). Of several
 * LimitRanges, the first by name takes precedence; Kubernetes has no order.
 */
final class LimitRanges {
    private static final String ANNOTATION = "kubernetes.io/limit-ranger";
    private static final String CONTAINER = "Container";

    private final Objects objects;

    LimitRanges(Objects objects) {
        this.objects = objects;
    }

    /** The defaults of a LimitRange: each unset level gets the value of the next one. */
    static void defaults(ObjectNode limitRange) {
        Fields.forEach(limitRange.path("spec").path("limits"), item -> {
            if (Fields.text(item, "type").equals(CONTAINER)) {
                fill(item, "default", item.path("max"));
                fill(item, "defaultRequest", item.path("default"));
                fill(item, "defaultRequest", item.path("min"));
            }
        });
    }

    private static void fill(ObjectNode item, String name, JsonNode from) {
        if (!from.isEmpty()) {
            ObjectNode target = Fields.child(item, name);
            from.properties().forEach(entry -> target.putIfAbsent(entry.getKey(), entry.getValue()));
        }
    }

    /** Applies the defaults to the containers of a new pod. */
    void admit(ObjectNode pod) {
        String namespace = Fields.text(pod, "metadata", "namespace");
        Map<String, JsonNode> limits = new TreeMap<>();
        Map<String, JsonNode> requests = new TreeMap<>();
        objects.all(Objects.Kind.LIMIT_RANGE).stream()
                .filter(range -> Fields.text(range, "metadata", "namespace").equals(namespace))
                .sorted(Comparator.comparing(range -> Fields.text(range, "metadata", "name")))
                .forEach(range -> collect(range, limits, requests));
        if (limits.isEmpty() && requests.isEmpty()) {
            return;
        }
        List<String> notes = new ArrayList<>();
        JsonNode spec = pod.path("spec");
        Fields.forEach(spec.path("containers"), container -> complete("container", container, limits, requests, notes));
        Fields.forEach(
                spec.path("initContainers"),
                container -> complete("init container", container, limits, requests, notes));
        if (!notes.isEmpty()) {
            Fields.child(Fields.child(pod, "metadata"), "annotations")
                    .put(ANNOTATION, "LimitRanger plugin set: " + String.join("; ", notes));
        }
    }

    private static void collect(ObjectNode range, Map<String, JsonNode> limits, Map<String, JsonNode> requests) {
        ObjectNode completed = range.deepCopy();
        defaults(completed);
        Fields.forEach(completed.path("spec").path("limits"), item -> {
            if (Fields.text(item, "type").equals(CONTAINER)) {
                item.path("default").properties().forEach(e -> limits.putIfAbsent(e.getKey(), e.getValue()));
                item.path("defaultRequest").properties().forEach(e -> requests.putIfAbsent(e.getKey(), e.getValue()));
            }
        });
    }

    private static void complete(
            String what,
            ObjectNode container,
            Map<String, JsonNode> limits,
            Map<String, JsonNode> requests,
            List<String> notes) {
        String name = Fields.text(container, "name");
        ObjectNode resources = Fields.child(container, "resources");
        note(put(resources, "requests", requests), "request", what, name, notes);
        note(put(resources, "limits", limits), "limit", what, name, notes);
    }

    private static List<String> put(ObjectNode resources, String list, Map<String, JsonNode> defaults) {
        List<String> set = new ArrayList<>();
        defaults.forEach((resource, amount) -> {
            if (!resources.path(list).has(resource)) {
                Fields.child(resources, list).set(resource, amount);
                set.add(resource);
            }
        });
        return set;
    }

    private static void note(List<String> set, String list, String what, String container, List<String> notes) {
        if (!set.isEmpty()) {
            notes.add(String.join(", ", set) + " " + list + " for " + what + " " + container);
        }
    }

    /**
     * Rejects pods and claims that violate the LimitRanges of their namespace ({@code plugin/pkg/admission/limitranger}, when it
     * validates). LimitRanges and resources are checked in name order; Kubernetes has no order.
     */
    static final class LimitChecks {
        private static final String POD = "Pod";
        private static final String CLAIM = "PersistentVolumeClaim";
        private static final String CONTAINER = "Container";

        private final Rules rules;
        private final Objects objects;

        LimitChecks(Rules rules, Objects objects) {
            this.rules = rules;
            this.objects = objects;
        }

        /** The requested amounts, by resource. */
        private record Amounts(Map<String, Amount> requests, Map<String, Amount> limits) {}

        /** One resource of a LimitRange's item. */
        private record Bound(String type, String resource, Amount amount) {
            String usage(String most) {
                return most + " " + resource + " usage per " + type + " is " + amount;
            }
        }

        /** @throws RejectedException if the object violates a LimitRange; only the first is reported */
        void check(String kind, ObjectNode object) {
            if (!kind.equals(POD) && !kind.equals(CLAIM)) {
                return;
            }
            String namespace = Fields.text(object, "metadata", "namespace");
            objects.all(Objects.Kind.LIMIT_RANGE).stream()
                    .filter(range -> Fields.text(range, "metadata", "namespace").equals(namespace))
                    .sorted(Comparator.comparing(range -> Fields.text(range, "metadata", "name")))
                    .forEach(range -> {
                        Set<String> problems = new LinkedHashSet<>();
                        Fields.forEach(range.path("spec").path("limits"), item -> {
                            if (kind.equals(POD)) {
                                ofPod(item, object.path("spec"), problems);
                            } else if (Fields.text(item, "type").equals(CLAIM)) {
                                ofClaim(item, object.path("spec").path("resources"), problems);
                            }
                        });
                        if (!problems.isEmpty()) {
                            String all = String.join(", ", problems);
                            throw RejectedException.forbidden(problems.size() == 1 ? all : "[" + all + "]");
                        }
                    });
        }

        private void ofPod(ObjectNode item, JsonNode spec, Set<String> problems) {
            switch (Fields.text(item, "type")) {
                case CONTAINER -> {
                    for (String list : List.of("containers", "initContainers")) {
                        Fields.forEach(
                                spec.path(list),
                                container -> compare(item, amounts(container.path("resources")), problems));
                    }
                }
                case POD -> compare(item, together(spec), problems);
                default -> {
                    // Pods cannot request other resources.
                }
            }
        }

        private Amounts together(JsonNode spec) {
            PodAmounts amounts = new PodAmounts(rules);
            return new Amounts(amounts.of(spec, "requests"), amounts.of(spec, "limits"));
        }

        private static Amounts amounts(JsonNode resources) {
            return new Amounts(PodAmounts.read(resources.path("requests")), PodAmounts.read(resources.path("limits")));
        }

        private static void compare(ObjectNode item, Amounts amounts, Set<String> problems) {
            bounds(item, "min", (bound, messages) -> least(bound, amounts, messages), problems);
            bounds(item, "max", (bound, messages) -> most(bound, amounts, messages), problems);
            bounds(item, "maxLimitRequestRatio", (bound, messages) -> ratio(bound, amounts, messages), problems);
        }

        /** Only requests count; limits of claims are ignored. */
        private static void ofClaim(ObjectNode item, JsonNode resources, Set<String> problems) {
            Amounts amounts = new Amounts(PodAmounts.read(resources.path("requests")), Map.of());
            bounds(item, "min", (bound, messages) -> least(bound, amounts, messages), problems);
            bounds(
                    item,
                    "max",
                    (bound, messages) -> {
                        Amount request = amounts.requests().get(bound.resource());
                        if (request == null) {
                            messages.add(bound.usage("maximum") + ".  No request is specified");
                        } else if (Amount.compare(request, bound.amount(), Amount.ZERO) > 0) {
                            messages.add(bound.usage("maximum") + ", but request is " + request);
                        }
                    },
                    problems);
        }

        private static void bounds(
                ObjectNode item, String field, BiConsumer<Bound, List<String>> check, Set<String> problems) {
            Map<String, JsonNode> byName = new TreeMap<>();
            item.path(field).properties().forEach(entry -> byName.put(entry.getKey(), entry.getValue()));
            List<String> messages = new ArrayList<>();
            byName.forEach((resource, amount) ->
                    check.accept(new Bound(Fields.text(item, "type"), resource, Amount.of(amount)), messages));
            problems.addAll(messages);
        }

        private static void least(Bound bound, Amounts amounts, List<String> messages) {
            Amount request = amounts.requests().get(bound.resource());
            Amount limit = amounts.limits().getOrDefault(bound.resource(), Amount.ZERO);
            if (request == null) {
                messages.add(bound.usage("minimum") + ".  No request is specified");
            } else if (Amount.compare(request, bound.amount(), limit) < 0) {
                messages.add(bound.usage("minimum") + ", but request is " + request);
            } else if (amounts.limits().containsKey(bound.resource())
                    && Amount.compare(limit, bound.amount(), request) < 0) {
                messages.add(bound.usage("minimum") + ", but limit is " + limit);
            }
        }

        private static void most(Bound bound, Amounts amounts, List<String> messages) {
            Amount limit = amounts.limits().get(bound.resource());
            Amount request = amounts.requests().getOrDefault(bound.resource(), Amount.ZERO);
            if (limit == null) {
                messages.add(bound.usage("maximum") + ".  No limit is specified");
            } else if (Amount.compare(limit, bound.amount(), request) > 0) {
                messages.add(bound.usage("maximum") + ", but limit is " + limit);
            } else if (Amount.compare(request, bound.amount(), limit) > 0) {
                messages.add(bound.usage("maximum") + ", but request is " + request);
            }
        }

        private static void ratio(Bound bound, Amounts amounts, List<String> messages) {
            String text =
                    bound.resource() + " max limit to request ratio per " + bound.type() + " is " + bound.amount();
            Amount request = amounts.requests().getOrDefault(bound.resource(), Amount.ZERO);
            Amount limit = amounts.limits().getOrDefault(bound.resource(), Amount.ZERO);
            if (request.exact().signum() == 0) {
                messages.add(text + ", but no request is specified or request is 0");
            } else if (limit.exact().signum() == 0) {
                messages.add(text + ", but no limit is specified or limit is 0");
            } else {
                double ratio = Amount.ratio(limit, request, bound.amount());
                if (ratio > bound.amount().exact().doubleValue()) {
                    messages.add(text + ", but provided ratio is " + String.format(Locale.ROOT, "%f", ratio));
                }
            }
        }
    }
}
