package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Tolerations that admission adds to pods. */
final class Tolerations {
    private static final List<String> AUTOMATIC =
            List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");
    private static final String NO_EXECUTE = "NoExecute";
    private static final int SECONDS = 300;

    private Tolerations() {}

    /** Pods stay on a node in trouble for five minutes ({@code plugin/pkg/admission/defaulttolerationseconds}). */
    static void addAutomatic(ObjectNode spec) {
        for (String key : AUTOMATIC) {
            if (!isTolerated(spec.path("tolerations"), key)) {
                Fields.list(spec, "tolerations")
                        .addObject()
                        .put("key", key)
                        .put("operator", "Exists")
                        .put("effect", NO_EXECUTE)
                        .put("tolerationSeconds", SECONDS);
            }
        }
    }

    private static boolean isTolerated(JsonNode tolerations, String key) {
        for (JsonNode toleration : tolerations) {
            String effect = Fields.text(toleration, "effect");
            String tolerated = Fields.text(toleration, "key");
            if ((tolerated.equals(key) || tolerated.isEmpty()) && (effect.isEmpty() || effect.equals(NO_EXECUTE))) {
                return true;
            }
        }
        return false;
    }

    /** The pod's own, then those of its RuntimeClass, without those that another one covers ({@code pkg/util/tolerations}). */
    static void merge(ObjectNode spec, JsonNode more) {
        List<JsonNode> all = new ArrayList<>();
        spec.path("tolerations").forEach(all::add);
        more.forEach(all::add);
        List<JsonNode> kept = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            JsonNode one = all.get(i);
            boolean covered = kept.stream().anyMatch(other -> covers(other, one));
            for (int j = i + 1; j < all.size() && !covered; j++) {
                covered = !all.get(j).equals(one) && covers(all.get(j), one);
            }
            if (!covered) {
                kept.add(one);
            }
        }
        ArrayNode merged = spec.putArray("tolerations");
        kept.forEach(toleration -> merged.add(toleration.deepCopy()));
    }

    private static boolean covers(JsonNode wide, JsonNode narrow) {
        if (wide.equals(narrow)) {
            return true;
        }
        String key = Fields.text(wide, "key");
        String effect = Fields.text(wide, "effect");
        if ((!key.isEmpty() && !key.equals(Fields.text(narrow, "key")))
                || (!effect.isEmpty() && !effect.equals(Fields.text(narrow, "effect")))) {
            return false;
        }
        JsonNode seconds = wide.path("tolerationSeconds");
        JsonNode wanted = narrow.path("tolerationSeconds");
        if (effect.equals(NO_EXECUTE)
                && seconds.isNumber()
                && (!wanted.isNumber() || wanted.asLong() > seconds.asLong())) {
            return false;
        }
        return operator(wide).equals("Exists")
                || (operator(narrow).equals("Equal")
                        && Fields.text(wide, "value").equals(Fields.text(narrow, "value")));
    }

    private static String operator(JsonNode toleration) {
        String operator = Fields.text(toleration, "operator");
        return operator.isEmpty() ? "Equal" : operator;
    }
}
