package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.document.DocumentPlace;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.engine.document.SourceNode;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What v1.17 says about values of another type: the words of json-iterator in its case-sensitive configuration, and within
 * extenders those of encoding/json. Both go on with an excerpt of the text, which is left out here.
 */
final class V117Words {
    private static final String NOT_A_DIGIT = "unexpected character: \ufffd";

    /** Package of the Go types with a dot. */
    private final String goPackage;

    private final boolean internal;

    /** @param internal the types are those of a file without apiVersion, whose extenders are not decoded by encoding/json */
    V117Words(boolean internal) {
        this.goPackage = internal ? "config." : "v1.";
        this.internal = internal;
    }

    /** A key that v1.17 does not know. */
    String unknown(DocumentPlace object, String key) {
        return way(object, true) + name(object.shape()) + ".ReadObject: found unknown field: " + key;
    }

    /** A value, not null, that is none of its shape. */
    String misfit(SourceNode value, DocumentPlace place) {
        for (DocumentPlace around : placesTo(place)) {
            if (!internal && around.shape().loose()) {
                return way(around, true) + "unmarshalerDecoder: " + standard(value, place, around);
            }
        }
        boolean integer =
                place.shape().kind() == Shape.Kind.INT32 || place.shape().kind() == Shape.Kind.INT64;
        if (integer && value.text().matches("-?[0-9]+[eE].*") && value.kind() == SourceNode.Kind.NUMBER) {
            // The digits are a number, so it is what follows the field that is wrong.
            int exponent = value.text().toLowerCase(java.util.Locale.ROOT).indexOf('e');
            return way(place, false) + "isObjectEnd: object ended prematurely, unexpected char "
                    + value.text().charAt(exponent);
        }
        return way(place, true) + iterator(value, place.shape());
    }

    /** The types and fields that lead to a place, as json-iterator puts them before an error. */
    private String way(DocumentPlace place, boolean withField) {
        StringBuilder way = new StringBuilder();
        for (DocumentPlace step : placesTo(place)) {
            Shape.Field field = step.field();
            DocumentPlace parent = step.parent();
            if (field != null && parent != null) {
                way.append(name(parent.shape())).append('.');
                if (step.equals(place) && !withField) {
                    return way.toString();
                }
                way.append(field.goName()).append(": ");
            }
            if (step.shape().kind() == Shape.Kind.LIST) {
                way.append(name(step.shape())).append(": ");
            }
        }
        return way.toString();
    }

    private static Deque<DocumentPlace> placesTo(DocumentPlace place) {
        Deque<DocumentPlace> places = new ArrayDeque<>();
        for (DocumentPlace step = place; step != null; step = step.parent()) {
            places.addFirst(step);
        }
        return places;
    }

    private String name(Shape shape) {
        return switch (shape.kind()) {
            case LIST -> "[]" + name(shape.elementShape());
            case OBJECT -> goPackage + shape.goType();
            default -> shape.goType();
        };
    }

    /** encoding/json, which starts at an extender and names the innermost struct only. */
    private String standard(SourceNode value, DocumentPlace place, DocumentPlace extender) {
        Shape shape = place.shape();
        if (shape.kind() == Shape.Kind.BYTES && value.kind() == SourceNode.Kind.STRING) {
            return "illegal base64 data at input byte " + GoText.badBase64(value.text());
        }
        String number =
                value.kind() == SourceNode.Kind.NUMBER && shape.kind() == Shape.Kind.INT64 ? " " + value.text() : "";
        DocumentPlace named = place;
        while (!named.equals(extender) && named.field() == null && named.parent() != null) {
            named = named.parent();
        }
        Shape.Field field = named.field();
        DocumentPlace struct = named.parent();
        String target = named.equals(extender) || field == null || struct == null
                ? "Go value"
                : "Go struct field " + struct.shape().goType() + "." + field.key();
        return "json: cannot unmarshal " + value.kind().goName() + number + " into " + target + " of type "
                + name(shape);
    }

    private static String iterator(SourceNode value, Shape shape) {
        String found = switch (value.kind()) {
            case OBJECT -> "{";
            case ARRAY -> "[";
            case STRING -> "\"";
            default -> value.text().substring(0, 1);
        };
        return switch (shape.kind()) {
            case LIST -> "decode slice: expect [ or n, but found " + found;
            case OBJECT -> "readObjectStart: expect { or n, but found " + found;
            case BOOL -> "ReadBool: expect t or f, but found " + found;
            case INT32 -> integer(value, 32);
            case INT64 -> integer(value, 64);
            case BYTES ->
                value.kind() == SourceNode.Kind.STRING
                        ? "base64Codec: illegal base64 data at input byte " + GoText.badBase64(value.text())
                        : "ReadString: expects \" or n, but found " + found;
            default -> "ReadString: expects \" or n, but found " + found;
        };
    }

    private static String integer(SourceNode value, int bits) {
        String operation = "readUint" + bits + ": ";
        if (value.kind() != SourceNode.Kind.NUMBER) {
            return operation + NOT_A_DIGIT;
        }
        String digits = value.text().replaceFirst("^-", "").replaceFirst("[^0-9].*", "");
        BigInteger number = new BigInteger(digits);
        if (number.bitLength() > bits) {
            return operation + "overflow";
        }
        return value.text().contains(".")
                ? "assertInteger: can not decode float as int"
                : "ReadInt" + bits + ": overflow: " + number;
    }
}
