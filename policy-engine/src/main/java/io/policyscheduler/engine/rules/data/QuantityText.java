package io.policyscheduler.engine.rules.data;

import java.math.BigDecimal;
import java.util.Map;

/** Parses numbers and Kubernetes quantities. Long texts are rejected unread, to bound the cost. */
public final class QuantityText {
    private static final int MAX_LENGTH = 32;
    private static final int MAX_PLAIN_DIGITS = 15;
    private static final Map<String, BigDecimal> SUFFIXES = Map.ofEntries(
            Map.entry("", BigDecimal.ONE),
            Map.entry("n", BigDecimal.ONE.scaleByPowerOfTen(-9)),
            Map.entry("u", BigDecimal.ONE.scaleByPowerOfTen(-6)),
            Map.entry("m", BigDecimal.ONE.scaleByPowerOfTen(-3)),
            Map.entry("k", BigDecimal.ONE.scaleByPowerOfTen(3)),
            Map.entry("M", BigDecimal.ONE.scaleByPowerOfTen(6)),
            Map.entry("G", BigDecimal.ONE.scaleByPowerOfTen(9)),
            Map.entry("T", BigDecimal.ONE.scaleByPowerOfTen(12)),
            Map.entry("P", BigDecimal.ONE.scaleByPowerOfTen(15)),
            Map.entry("E", BigDecimal.ONE.scaleByPowerOfTen(18)),
            Map.entry("Ki", BigDecimal.valueOf(1L << 10)),
            Map.entry("Mi", BigDecimal.valueOf(1L << 20)),
            Map.entry("Gi", BigDecimal.valueOf(1L << 30)),
            Map.entry("Ti", BigDecimal.valueOf(1L << 40)),
            Map.entry("Pi", BigDecimal.valueOf(1L << 50)),
            Map.entry("Ei", BigDecimal.valueOf(1L << 60)));

    private QuantityText() {}

    /** The amount in the base unit (cores, bytes, pieces), or NaN if the text is not a quantity. */
    public static double parse(String text) {
        int length = text.length();
        if (length == 0 || length > MAX_LENGTH) {
            return Double.NaN;
        }
        int at = text.charAt(0) == '-' || text.charAt(0) == '+' ? 1 : 0;
        int start = at;
        int digits = 0;
        boolean point = false;
        while (at < length && (isDigit(text.charAt(at)) || (text.charAt(at) == '.' && !point))) {
            point |= text.charAt(at) == '.';
            digits += text.charAt(at) == '.' ? 0 : 1;
            at++;
        }
        if (digits == 0) {
            return Double.NaN;
        }
        if (at == length && !point && digits <= MAX_PLAIN_DIGITS) {
            return plain(text, start);
        }
        BigDecimal factor = SUFFIXES.get(text.substring(at));
        if (factor == null) {
            return Double.NaN;
        }
        String number = text.substring(text.charAt(0) == '+' ? 1 : 0, at);
        return new BigDecimal(number).multiply(factor).doubleValue();
    }

    private static double plain(String text, int start) {
        long value = 0;
        for (int i = start; i < text.length(); i++) {
            value = value * 10 + (text.charAt(i) - '0');
        }
        // Not -0.0, which is not equal to 0.
        return text.charAt(0) == '-' ? -value : value;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
