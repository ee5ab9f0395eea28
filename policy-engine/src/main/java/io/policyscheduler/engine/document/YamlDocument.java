package io.policyscheduler.engine.document;

import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.YamlJsonFactory.AliasLimit;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserException;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * The documents of a YAML text, converted to JSON values as go-yaml v2 and sigs.k8s.io/yaml do.
 *
 * @param root the first document, a null value if the text is empty
 * @param moreDocuments whether the text continues after the first document
 * @param documents all documents up to the first malformed one, including the first one
 */
record YamlDocument(SourceNode root, boolean moreDocuments, List<SourceNode> documents) {
    private static final String INVALID = "invalid YAML: ";
    private static final Resolver RESOLVER = new Resolver();

    /** A parser that fails if a text has more values than fit into memory. */
    private static final class LimitedParser extends ParserImpl {
        private static final int MAX_EVENTS = 1_000_000;
        private int events;

        LimitedParser(StreamReader reader, LoaderOptions options) {
            super(reader, options);
        }

        @Override
        public Event getEvent() {
            events++;
            if (events > MAX_EVENTS) {
                throw new YAMLException("more than " + MAX_EVENTS + " values");
            }
            return super.getEvent();
        }
    }

    public static YamlDocument parse(String text) throws DocumentException {
        String content = text.startsWith("\ufeff") ? text.substring(1) : text;
        try {
            LoaderOptions options = new LoaderOptions();
            options.setNestingDepthLimit(500);
            options.setMaxAliasesForCollections(Integer.MAX_VALUE);
            options.setCodePointLimit(Integer.MAX_VALUE);
            Composer composer = new Composer(new LimitedParser(new StreamReader(content), options), RESOLVER, options);
            if (!composer.checkNode()) {
                SourceNode empty = SourceNode.scalar(SourceNode.Kind.NULL, "null", new SourcePosition(1, 1));
                return new YamlDocument(empty, false, List.of(empty));
            }
            List<SourceNode> documents = new ArrayList<>();
            documents.add(new Converter().convert(composer.getNode()));
            boolean more = addOthers(composer, documents);
            return new YamlDocument(documents.get(0), more, List.copyOf(documents));
        } catch (MarkedYAMLException e) {
            Mark mark = e.getProblemMark() == null ? e.getContextMark() : e.getProblemMark();
            SourcePosition position = mark == null ? SourcePosition.UNKNOWN : positionOf(mark);
            // As in go-yaml, scanner errors have 1-based lines, parser errors 0-based ones; 0 is omitted.
            int fromZero = position.line() - 1;
            int line = fromZero > 0 && !(e instanceof ParserException) ? fromZero + 1 : fromZero;
            throw new DocumentException(
                    "yaml: " + (line > 0 ? "line " + line + ": " : "") + problem(e), INVALID + problem(e), position);
        } catch (ReaderException e) {
            SpecialCharacters special = new SpecialCharacters();
            special.read(content.toCharArray(), 0, content.length());
            throw new DocumentException("yaml: " + special.problem(), INVALID + special.problem(), special.position());
        } catch (YAMLException e) {
            throw new DocumentException("yaml: " + e.getMessage(), INVALID + e.getMessage(), SourcePosition.UNKNOWN);
        }
    }

    /**
     * Finds the first character of a text that YAML does not allow: a control character, or a byte that is not UTF-8
     * ({@link TextInput}). The texts are those of libyaml.
     */
    static final class SpecialCharacters {
        private int line = 1;
        private int column = 1;
        private boolean found;
        private char first;
        private int next = -1;
        private char previous;

        /** Reads the next part of the text; does nothing for a length below 1. */
        void read(char[] chars, int offset, int length) {
            for (int i = offset; i < offset + length && next < 0; i++) {
                char c = chars[i];
                if (found) {
                    next = c;
                } else if (isSpecial(c) && !Character.isHighSurrogate(previous)) {
                    found = true;
                    first = c;
                } else {
                    line += c == '\n' ? 1 : 0;
                    column = c == '\n' ? 1 : column + 1;
                    previous = c;
                }
            }
        }

        private static boolean isSpecial(char c) {
            return (!StreamReader.isPrintable(c) && !Character.isSurrogate(c)) || TextInput.isUndecoded(c);
        }

        SourcePosition position() {
            return found ? new SourcePosition(line, column) : SourcePosition.UNKNOWN;
        }

        String problem() {
            if (!TextInput.isUndecoded(first)) {
                return "control characters are not allowed";
            }
            boolean leads = (first & 0xff) >= 0xc0 && (first & 0xff) < 0xf8;
            return !leads
                    ? "invalid leading UTF-8 octet"
                    : next < 0 ? "incomplete UTF-8 octet sequence" : "invalid trailing UTF-8 octet";
        }
    }

    /** Adds the documents after the first one. Stops at a malformed one, because the first one is valid without it. */
    private static boolean addOthers(Composer composer, List<SourceNode> documents) {
        try {
            while (composer.checkNode()) {
                documents.add(new Converter().convert(composer.getNode()));
            }
            return documents.size() > 1;
        } catch (YAMLException | DocumentException e) {
            return true;
        }
    }

    /** The message of libyaml, which differs from SnakeYAML's for parser errors. */
    static String problem(MarkedYAMLException e) {
        String context = String.valueOf(e.getContext());
        String problem = String.valueOf(e.getProblem());
        if (context.contains("block mapping")) {
            return "did not find expected key";
        }
        if (context.contains("block collection") || context.contains("block sequence")) {
            return "did not find expected '-' indicator";
        }
        if (context.contains("flow sequence")) {
            return "did not find expected ',' or ']'";
        }
        if (context.contains("flow mapping")) {
            return "did not find expected ',' or '}'";
        }
        if (context.contains("node") && e instanceof ParserException) {
            return "did not find expected node content";
        }
        if (problem.startsWith("mapping values are not allowed")) {
            return "mapping values are not allowed in this context";
        }
        return problem.contains("cannot start any token") ? "found character that cannot start any token" : problem;
    }

    private static SourcePosition positionOf(Mark mark) {
        return new SourcePosition(mark.getLine() + 1, mark.getColumn() + 1);
    }

    /** Converts nodes; one instance per document, because it counts nodes. */
    static final class Converter {
        private final Set<Node> open = Collections.newSetFromMap(new IdentityHashMap<>());
        private final Set<Node> converted = Collections.newSetFromMap(new IdentityHashMap<>());
        private final AliasLimit limit = new AliasLimit();
        private int aliases;

        SourceNode convert(Node node) throws DocumentException {
            boolean alias = !converted.add(node);
            aliases += alias ? 1 : 0;
            SourceNode value = convertOnce(node);
            aliases -= alias ? 1 : 0;
            return value;
        }

        private SourceNode convertOnce(Node node) throws DocumentException {
            SourcePosition position = positionOf(node.getStartMark());
            if (!limit.count(aliases > 0)) {
                throw new DocumentException("yaml: document contains excessive aliasing", position);
            }
            if (node instanceof ScalarNode scalar) {
                return YamlScalars.resolve(scalar, position);
            }
            if (!open.add(node)) {
                String anchor = node.getAnchor() == null ? "" : node.getAnchor();
                throw new DocumentException("yaml: anchor '" + anchor + "' value contains itself", position);
            }
            SourceNode result;
            if (node instanceof SequenceNode sequence) {
                List<SourceNode> items = new ArrayList<>();
                for (Node item : sequence.getValue()) {
                    items.add(convert(item));
                }
                result = SourceNode.array(items, position);
            } else {
                result = mapping((MappingNode) node, position);
            }
            open.remove(node);
            return result;
        }

        private SourceNode mapping(MappingNode node, SourcePosition position) throws DocumentException {
            List<SourceNode.Member> members = new ArrayList<>();
            List<SourceNode.Member> merged = new ArrayList<>();
            for (NodeTuple tuple : node.getValue()) {
                SourcePosition keyPosition = positionOf(tuple.getKeyNode().getStartMark());
                if (isMerge(tuple.getKeyNode())) {
                    merge(convert(tuple.getValueNode()), merged);
                } else {
                    SourceNode key = convert(tuple.getKeyNode());
                    members.add(new SourceNode.Member(keyText(key), keyPosition, convert(tuple.getValueNode())));
                }
            }
            for (SourceNode.Member member : merged) {
                if (members.stream().noneMatch(own -> own.key().equals(member.key()))) {
                    members.add(member);
                }
            }
            return SourceNode.object(members, position);
        }

        private static boolean isMerge(Node key) {
            return key instanceof ScalarNode scalar
                    && scalar.isPlain()
                    && scalar.getValue().equals("<<");
        }

        private static void merge(SourceNode value, List<SourceNode.Member> merged) throws DocumentException {
            if (value.kind() == SourceNode.Kind.ARRAY) {
                for (SourceNode item : value.items()) {
                    merge(item, merged);
                }
            } else if (value.kind() == SourceNode.Kind.OBJECT) {
                merged.addAll(value.members());
            } else {
                throw new DocumentException(
                        "yaml: map merge requires map or sequence of maps as the value", value.position());
            }
        }

        static String keyText(SourceNode key) throws DocumentException {
            return switch (key.kind()) {
                case STRING, BOOL, NUMBER -> key.text();
                case NULL, ARRAY, OBJECT -> {
                    String type = key.kind() == SourceNode.Kind.NULL
                            ? "<nil>"
                            : key.kind().goName();
                    throw new DocumentException("Unsupported map key of type: " + type, key.position());
                }
            };
        }
    }

    /** Resolves scalars with the YAML 1.1 rules of go-yaml v2. */
    static final class YamlScalars {
        private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
        private static final Set<String> TRUES =
                Set.of("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
        private static final Set<String> FALSES =
                Set.of("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");

        private static final Pattern NO_JSON_NUMBER = Pattern.compile("[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");
        private static final Pattern NUMBER_START = Pattern.compile("[-+.]?[0-9]");
        private static final Pattern FLOAT = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
        private static final Pattern HEXADECIMAL = Pattern.compile("0[xX][0-9a-fA-F]+");
        private static final Pattern BINARY = Pattern.compile("0[bB][01]+");
        private static final Pattern NEW_OCTAL = Pattern.compile("0[oO][0-7]+");
        private static final Pattern OCTAL = Pattern.compile("0[0-7]+");
        private static final Pattern DECIMAL = Pattern.compile("[1-9][0-9]*|0");

        private static final int MAX_INTEGER = 1000;

        private YamlScalars() {}

        static SourceNode resolve(ScalarNode node, SourcePosition position) throws DocumentException {
            Tag implicit = RESOLVER.resolve(node.getNodeId(), node.getValue(), true);
            String tag = node.getTag().equals(implicit) ? null : node.getTag().getValue();
            return resolve(node.getValue(), node.isPlain(), tag, position);
        }

        /**
         * The value of a scalar.
         *
         * @param plain without quotes
         * @param tag an explicit tag, null without one
         */
        static SourceNode resolve(String text, boolean plain, @Nullable String tag, SourcePosition position)
                throws DocumentException {
            if (tag != null && (tag.equals("!!binary") || tag.equals(Tag.BINARY.getValue()))) {
                return binary(text, position);
            }
            return !plain || Tag.STR.getValue().equals(tag)
                    ? SourceNode.scalar(SourceNode.Kind.STRING, text, position)
                    : plain(text, position);
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

        /** Skips the patterns for most scalars of a dump, which are strings and short numbers. */
        private static boolean startsNumber(String text) {
            char first = text.isEmpty() ? 'x' : text.charAt(0);
            return (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.' || first == '_';
        }

        private static boolean isPlainInteger(String text) {
            return text.length() < 18
                    && (text.charAt(0) != '0' || text.length() == 1)
                    && text.chars().allMatch(c -> c >= '0' && c <= '9');
        }

        private static @Nullable String number(String text, SourcePosition position) throws DocumentException {
            if (!startsNumber(text)) {
                return null;
            }
            if (isPlainInteger(text)) {
                return text;
            }
            if (NO_JSON_NUMBER.matcher(text).matches()) {
                String value =
                        text.toLowerCase(Locale.ROOT).contains("nan") ? "NaN" : text.startsWith("-") ? "-Inf" : "+Inf";
                throw new DocumentException("json: unsupported value: " + value, position);
            }
            String digits = text.replace("_", "");
            if (!NUMBER_START.matcher(digits).lookingAt()) {
                return null;
            }
            BigInteger integer = integer(digits);
            if (integer != null && integer.bitLength() <= (integer.signum() < 0 ? 63 : 64)) {
                return integer.toString();
            }
            if (FLOAT.matcher(digits).matches()) {
                double value = Double.parseDouble(digits);
                return Double.isInfinite(value) ? null : goFloat(value);
            }
            return null;
        }

        private static @Nullable BigInteger integer(String digits) {
            boolean signed = digits.startsWith("-") || digits.startsWith("+");
            String body = signed ? digits.substring(1) : digits;
            int radix = 10;
            if (body.length() > MAX_INTEGER) {
                // Conversion takes quadratic time, and no such number fits into 64 bits.
                return null;
            }
            if (HEXADECIMAL.matcher(body).matches()) {
                radix = 16;
                body = body.substring(2);
            } else if (BINARY.matcher(body).matches()) {
                radix = 2;
                body = body.substring(2);
            } else if (NEW_OCTAL.matcher(body).matches()) {
                radix = 8;
                body = body.substring(2);
            } else if (OCTAL.matcher(body).matches()) {
                radix = 8;
            } else if (!DECIMAL.matcher(body).matches()) {
                return null;
            }
            BigInteger value = new BigInteger(body, radix);
            return digits.startsWith("-") ? value.negate() : value;
        }

        /** A float64 in the format of Go's encoding/json: no fraction if integral, exponents only outside 1e-6 to 1e21. */
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
}
