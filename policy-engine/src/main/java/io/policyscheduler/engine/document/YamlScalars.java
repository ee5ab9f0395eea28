package io.policyscheduler.engine.document;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/** Scalars by the YAML 1.1 rules of go-yaml v2. */
final class YamlScalars {
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> TRUES =
            Set.of("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
    private static final Set<String> FALSES =
            Set.of("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");

    private YamlScalars() {}

    static SourceNode resolve(ScalarNode node, SourcePosition position) throws DocumentException {
        String text = node.getValue();
        String tag = node.getTag().getValue();
        if (tag.equals("!!binary") || node.getTag().equals(Tag.BINARY)) {
            return binary(text, position);
        }
        if (!node.isPlain() || (node.getTag().equals(Tag.STR) && looksTagged(node))) {
            return SourceNode.scalar(SourceNode.Kind.STRING, text, position);
        }
        return plain(text, position);
    }

    /** A plain scalar that only an explicit tag makes a string. */
    private static boolean looksTagged(ScalarNode node) {
        Tag implicit = new Resolver().resolve(node.getNodeId(), node.getValue(), true);
        return !implicit.equals(Tag.STR);
    }

    private static SourceNode binary(String text, SourcePosition position) throws DocumentException {
        try {
            byte[] bytes = Base64.getMimeDecoder().decode(text);
            return SourceNode.scalar(SourceNode.Kind.STRING, new String(bytes, StandardCharsets.UTF_8), position);
        } catch (IllegalArgumentException e) {
            throw new DocumentException("yaml: !!binary value contains invalid base64 data", position);
        }
    }

    static SourceNode plain(String text, SourcePosition position) throws DocumentException {
        if (NULLS.contains(text)) {
            return SourceNode.scalar(SourceNode.Kind.NULL, "null", position);
        }
        if (TRUES.contains(text) || FALSES.contains(text)) {
            return SourceNode.scalar(SourceNode.Kind.BOOL, String.valueOf(TRUES.contains(text)), position);
        }
        String number = number(text, position);
        return number == null
                ? SourceNode.scalar(SourceNode.Kind.STRING, text, position)
                : SourceNode.scalar(SourceNode.Kind.NUMBER, number, position);
    }

    private static @Nullable String number(String text, SourcePosition position) throws DocumentException {
        if (text.matches("[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)")) {
            String value =
                    text.toLowerCase(Locale.ROOT).contains("nan") ? "NaN" : text.startsWith("-") ? "-Inf" : "+Inf";
            throw new DocumentException("json: unsupported value: " + value, position);
        }
        String digits = text.replace("_", "");
        if (!digits.matches("[-+.]?[0-9].*")) {
            return null;
        }
        BigInteger integer = integer(digits);
        if (integer != null && integer.bitLength() <= (integer.signum() < 0 ? 63 : 64)) {
            return integer.toString();
        }
        if (digits.matches("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?")) {
            double value = Double.parseDouble(digits);
            return Double.isInfinite(value) ? null : goFloat(value);
        }
        return null;
    }

    private static @Nullable BigInteger integer(String digits) {
        boolean signed = digits.startsWith("-") || digits.startsWith("+");
        String body = signed ? digits.substring(1) : digits;
        int radix = 10;
        if (body.matches("0[xX][0-9a-fA-F]+")) {
            radix = 16;
            body = body.substring(2);
        } else if (body.matches("0[bB][01]+")) {
            radix = 2;
            body = body.substring(2);
        } else if (body.matches("0[oO][0-7]+")) {
            radix = 8;
            body = body.substring(2);
        } else if (body.matches("0[0-7]+")) {
            radix = 8;
        } else if (!body.matches("[1-9][0-9]*|0")) {
            return null;
        }
        BigInteger value = new BigInteger(body, radix);
        return digits.startsWith("-") ? value.negate() : value;
    }

    /** A float64 as Go's encoding/json writes it: no fraction if integral, exponents only outside 1e-6 to 1e21. */
    private static String goFloat(double value) {
        double magnitude = Math.abs(value);
        BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        if (magnitude == 0 || (magnitude >= 1e-6 && magnitude < 1e21)) {
            return magnitude == 0 ? "0" : decimal.toPlainString();
        }
        String digits = decimal.unscaledValue().abs().toString();
        int exponent = digits.length() - 1 - decimal.scale();
        String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
        return (value < 0 ? "-" : "") + digits.charAt(0) + fraction + "e" + (exponent < 0 ? "-" : "+")
                + Math.abs(exponent);
    }
}
