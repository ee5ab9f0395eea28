package io.policyscheduler.cmd.embedded.controller.core;

import com.fasterxml.jackson.databind.JsonNode;

/** A number or a percentage of a total (apimachinery util/intstr). */
public final class IntOrPercent {
    private IntOrPercent() {}

    /** The number that is meant; text without a per cent sign is 0. */
    public static int of(JsonNode value, int total, boolean roundUp) {
        String text = value.asText("");
        if (value.isNumber() || !text.endsWith("%")) {
            return value.asInt();
        }
        try {
            double exact = Integer.parseInt(text.substring(0, text.length() - 1)) * (double) total / 100;
            return (int) (roundUp ? Math.ceil(exact) : Math.floor(exact));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
