package io.policyscheduler.engine.document;

import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;

/**
 * The text of a file, JSON or YAML, as a tree with positions. YAML follows the rules of go-yaml v2, so that scalars have the same
 * types as in Kubernetes.
 *
 * @param root the first document; a null value if the text is empty
 * @param moreDocuments whether the text continues after the first YAML document
 * @param documents all documents up to the first malformed one, including the first one
 */
public record SourceDocument(SourceNode root, boolean moreDocuments, List<SourceNode> documents) {
    /**
     * Parses a text; one that starts with a brace is JSON.
     *
     * @throws DocumentException if the text is malformed
     */
    public static SourceDocument parse(String text) throws DocumentException {
        if (isJson(text)) {
            SourceNode root = JsonParser.parse(text);
            return new SourceDocument(root, false, List.of(root));
        }
        YamlDocument yaml = YamlDocument.parse(text);
        return new SourceDocument(yaml.root(), yaml.moreDocuments(), yaml.documents());
    }

    /**
     * Parses a text as JSON.
     *
     * @throws DocumentException if the text is malformed, with the message of Go
     */
    public static SourceNode parseJson(String text) throws DocumentException {
        return JsonParser.parse(text);
    }

    /** Whether a text is parsed as JSON. */
    public static boolean isJson(String text) {
        return text.stripLeading().startsWith("{");
    }

    /** Whether a text that is parsed as JSON is a YAML flow mapping instead. */
    static boolean isFlowMapping(String text) {
        try {
            return YamlDocument.parse(text).root().kind() == SourceNode.Kind.OBJECT;
        } catch (DocumentException e) {
            return false;
        }
    }

    /** The fix for a text that {@link #parse} rejects, in parentheses after a space; empty if none is recognized. */
    public static String hint(String text, DocumentException error) {
        return hint(text, error.text(), error.position());
    }

    /** Like {@link #hint(String, DocumentException)}, for a text that parses as something unintended. */
    public static String hint(String text, String message, SourcePosition position) {
        return SyntaxHint.of(text, message, position);
    }

    /** The message for a YAML text that was pasted without its indentation. */
    public static final String FLAT =
            "the file has no indentation, so that all keys are at the top level; copy it again with its indentation";

    /** Keys that policies and configurations have only below others. */
    private static final Set<String> NESTED = Set.of(
            "weight",
            "argument",
            "labelsPresence",
            "labelPreference",
            "serviceAffinity",
            "serviceAntiAffinity",
            "presence",
            "enabled",
            "disabled",
            "args",
            "leaderElect");

    /** Whether no line of a YAML text is indented although its keys belong to several levels. */
    public static boolean isFlat(String text) {
        List<String> lines = text.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        return !isJson(text)
                && lines.stream().noneMatch(line -> Character.isWhitespace(line.charAt(0)))
                // A key without a value, whose lines would be indented.
                && lines.stream().anyMatch(line -> line.stripTrailing().endsWith(":"))
                && lines.stream()
                        .filter(line -> line.indexOf(':') > 0)
                        .anyMatch(line -> NESTED.contains(line.substring(0, line.indexOf(':'))));
    }

    /**
     * A fix for a text that is neither JSON nor YAML, recognized by the text and by the position of the parser error: comments and
     * trailing commas in JSON, typographic quotes, templates, TOML, and other corruptions by editors, web pages, and wikis.
     *
     * @param fix the fix, in the imperative
     * @param matches whether a text and the text from the error on have the fault
     */
    record SyntaxHint(String fix, BiPredicate<String, At> matches) {
        /**
         * The position of an error.
         *
         * @param message the message of the parser
         * @param rest the text from the position on, empty if it is unknown
         */
        record At(String message, String rest) {
            boolean startsWithAny(String characters) {
                return !rest.isEmpty() && characters.indexOf(rest.charAt(0)) >= 0;
            }
        }

        private static final Pattern TOML =
                Pattern.compile("(?m)^\\s*(\\[{1,2}[\\w.\"-]+\\]{1,2}\\s*$|[\\w.-]+\\s*=\\s)");
        private static final Pattern PYTHON = Pattern.compile("(True|False|None|TRUE|FALSE|NULL)\\b");
        private static final Pattern TEMPLATE = Pattern.compile("\\{\\{|\\{%");
        private static final Pattern FENCE = Pattern.compile("(?m)^\\s*(```|~~~)");
        private static final Pattern COMMAND_LINE = Pattern.compile(
                "(?m)^(?!\\s*(#|//)).*(--(extra-config=scheduler\\.)?(policy-config-file|policy-configmap|config)[= ]|"
                        + "--extra-config=scheduler\\.)");
        private static final Pattern HEREDOC = Pattern.compile("(?m)^\\s*\\w+\\b.*<<-?\\s*['\"]?\\w+");
        private static final Pattern DESCRIBED =
                Pattern.compile("(?s)\\AName: +\\S+\\R.*^(Labels|Data|Roles):? ", Pattern.MULTILINE);
        private static final Pattern TABLE = Pattern.compile("\\A\\s*(NAMESPACE +)?NAME +[A-Z]");
        private static final Pattern TERRAFORM =
                Pattern.compile("(?m)^(resource|module|variable|locals|data|provider|terraform)\\b[^:]*\\{\\s*$");
        private static final Pattern LINE_COMMENT = Pattern.compile("(?m)(^|[,{\\[]\\s*)//");
        private static final Pattern NO_SPACE = Pattern.compile("(?m)^\\s*(- )?\\w+:[\\w\"']");
        private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/\\s]+={0,2}\\s*");
        private static final int MIN_BASE64 = 40;
        private static final Pattern CONFLICT = Pattern.compile("(?m)^(<{7}|={7}|>{7})( |$)");
        private static final int MAX_REST = 8;
        private static final String QUOTES = "\u201c\u201d\u201e\u201f\u2018\u2019\u00ab\u00bb";
        private static final String SPACES = "\u00a0\u2007\u202f\u2009\u3000\u200b\ufeff\u2028\u2029";
        private static final String WIDE = "\uff1a\uff0c\uff5b\uff5d\uff3b\uff3d\uff02\u3001";

        private static final List<SyntaxHint> HINTS = List.of(
                new SyntaxHint(
                        "the file is an HTML page: download the raw file",
                        (text, at) -> text.stripLeading().regionMatches(true, 0, "<!DOCTYPE", 0, 9)
                                || text.stripLeading().regionMatches(true, 0, "<html", 0, 5)),
                new SyntaxHint(
                        "the file is XML: write JSON or YAML",
                        (text, at) -> text.stripLeading().startsWith("<?xml")),
                new SyntaxHint(
                        "remove the lines with ``` that mark code in Markdown",
                        (text, at) -> FENCE.matcher(text).find()),
                new SyntaxHint(
                        "the file is a shell script: pass the file that it writes",
                        (text, at) ->
                                text.startsWith("#!") || HEREDOC.matcher(text).find()),
                new SyntaxHint(
                        "the file is the output of kubectl describe: use kubectl get with -o yaml",
                        (text, at) -> DESCRIBED.matcher(text).find()),
                new SyntaxHint(
                        "the file is a table of kubectl get: use kubectl get with -o yaml",
                        (text, at) -> TABLE.matcher(text).find()),
                new SyntaxHint(
                        "the file is Terraform code: pass the policy or configuration that it creates",
                        (text, at) -> TERRAFORM.matcher(text).find()),
                new SyntaxHint(
                        "the file has merge conflict markers: resolve the conflict",
                        (text, at) -> CONFLICT.matcher(text).find()),
                new SyntaxHint(
                        "the file is compressed: unpack it",
                        (text, at) -> text.startsWith("\u001f\udc8b") || text.startsWith("PK\u0003")),
                new SyntaxHint(
                        "the text is in quotes: remove them, and the backslashes before other quotes",
                        (text, at) -> text.stripLeading().startsWith("\"") && text.contains("\\\"")),
                new SyntaxHint(
                        "the text is base64: decode it",
                        (text, at) -> text.length() >= MIN_BASE64
                                && BASE64.matcher(text).matches()),
                new SyntaxHint(
                        "the file is not UTF-8: save it in this encoding",
                        (text, at) -> at.message().contains("UTF-8 octet")
                                || at.message().startsWith("Invalid UTF-8")),
                new SyntaxHint(
                        "remove the control character; a file in another encoding than UTF-8 or UTF-16 must be converted",
                        (text, at) -> at.message().contains("control characters are not allowed")),
                new SyntaxHint(
                        "the file is a template: render it first, for example with helm template",
                        (text, at) -> TEMPLATE.matcher(text).find()),
                new SyntaxHint(
                        "JSON has no comments: remove them, or write YAML, where they begin with #",
                        (text, at) -> at.message().contains("invalid character '/'")
                                || at.message().contains("invalid character '#'")
                                || at.message().contains("Unexpected character ('/'")
                                || at.message().contains("Unexpected character ('#'")
                                || at.message().startsWith("invalid YAML: ")
                                        && SourceDocument.isJson(text)
                                        && LINE_COMMENT.matcher(text).find()
                                || text.stripLeading().startsWith("//")
                                || text.stripLeading().startsWith("/*")),
                new SyntaxHint(
                        "the file starts kube-scheduler: pass the file or ConfigMap that its flags name",
                        (text, at) -> !SourceDocument.isJson(text)
                                && COMMAND_LINE.matcher(text).find()),
                new SyntaxHint(
                        "replace typographic quotes with straight ones: \" or '",
                        (text, at) -> at.startsWithAny(QUOTES)),
                new SyntaxHint(
                        "replace full-width punctuation with ASCII characters",
                        (text, at) -> at.startsWithAny(WIDE)
                                || (!SourceDocument.isJson(text)
                                        && text.lines().anyMatch(line -> line.indexOf('\uff1a') > 0))),
                new SyntaxHint(
                        "replace the no-break space or invisible character with a space",
                        (text, at) -> at.startsWithAny(SPACES)
                                || (!SourceDocument.isJson(text)
                                        && text.lines().anyMatch(SyntaxHint::indentedBySpecial))),
                new SyntaxHint(
                        "remove the comma before it",
                        (text, at) -> (at.startsWithAny("]") && at.message().contains("beginning of value"))
                                || (at.startsWithAny("}") && at.message().contains("beginning of object key"))
                                || at.message().contains("Unexpected character (']'")
                                || at.message().contains("Unexpected character ('}'")),
                new SyntaxHint(
                        "add a comma before it",
                        (text, at) -> at.startsWithAny("\"{[")
                                && (at.message().contains("after object key:value pair")
                                        || at.message().contains("after array element")
                                        || at.message().contains("was expecting comma"))),
                new SyntaxHint(
                        "remove the text after the JSON document; a file contains one",
                        (text, at) -> at.message().contains("after top-level value")),
                new SyntaxHint(
                        "write a backslash as \\\\ in JSON",
                        (text, at) -> at.message().contains("in string escape code")),
                new SyntaxHint(
                        "write a quote inside of a string as \\\", or add a comma",
                        (text, at) -> at.message().contains("after object key:value pair")
                                && !at.rest().isEmpty()
                                && isWord(at.rest().charAt(0))),
                new SyntaxHint(
                        "a closing quote is missing",
                        (text, at) -> at.message().contains("in string literal")
                                || at.message().contains("found unexpected end of stream")),
                new SyntaxHint(
                        "remove the control character",
                        (text, at) -> !at.rest().isEmpty()
                                && Character.isISOControl(at.rest().charAt(0))
                                && !Character.isWhitespace(at.rest().charAt(0))),
                new SyntaxHint(
                        "write true, false, and null in lower case",
                        (text, at) -> PYTHON.matcher(at.rest()).lookingAt()),
                new SyntaxHint(
                        "a file that begins with { is read as JSON, as kube-scheduler does: write strings and keys in double"
                                + " quotes, or begin the file with a line --- for YAML",
                        (text, at) -> SourceDocument.isJson(text)
                                && at.message().contains("looking for beginning of")
                                && SourceDocument.isFlowMapping(text)),
                new SyntaxHint(
                        "write strings and keys in double quotes",
                        (text, at) -> SourceDocument.isJson(text)
                                && at.message().contains("looking for beginning of")
                                && (at.startsWithAny("'")
                                        || (!at.rest().isEmpty()
                                                && isWord(at.rest().charAt(0))))),
                new SyntaxHint(
                        "a closing brace or bracket is missing: the file ends too early",
                        (text, at) -> at.message().contains("unexpected end of JSON input")),
                new SyntaxHint(
                        "the file has no indentation: copy it again with its indentation",
                        (text, at) -> SourceDocument.isFlat(text)),
                new SyntaxHint(
                        "write a space after the colon",
                        (text, at) -> !SourceDocument.isJson(text)
                                && NO_SPACE.matcher(text).find()),
                new SyntaxHint(
                        "the file is TOML: write JSON or YAML",
                        (text, at) -> TOML.matcher(text).find()),
                new SyntaxHint(
                        "YAML does not allow tabs for indentation: use spaces",
                        (text, at) -> !SourceDocument.isJson(text)
                                && text.lines().anyMatch(line -> line.startsWith("\t") || line.matches(" +\t.*"))));

        private static boolean isWord(char c) {
            return Character.isLetter(c) || c == '_';
        }

        private static boolean indentedBySpecial(String line) {
            String start = line.replaceFirst("^[ \\t-]*", "");
            return !start.isEmpty() && SPACES.indexOf(start.charAt(0)) >= 0;
        }

        /** The fix in parentheses after a space, or an empty text. */
        static String of(String text, String message, SourcePosition position) {
            At at = new At(message, rest(text, position));
            for (SyntaxHint hint : HINTS) {
                if (hint.matches.test(text, at)) {
                    return " (" + hint.fix + ")";
                }
            }
            return "";
        }

        private static String rest(String text, SourcePosition position) {
            if (!position.known()) {
                return "";
            }
            int start = 0;
            for (int line = 1; line < position.line(); line++) {
                int end = text.indexOf('\n', start);
                if (end < 0) {
                    return "";
                }
                start = end + 1;
            }
            int offset = Math.min(text.length(), start + Math.max(0, position.column() - 1));
            return text.substring(offset, Math.min(text.length(), offset + MAX_REST));
        }
    }

    /**
     * A value of a document with its position; duplicate keys are preserved.
     *
     * @param text the value of a scalar in JSON syntax, of a string without quotes
     * @param members keys and values of an object in file order, else empty
     * @param items items of an array, else empty
     */
    public record SourceNode(
            Kind kind, String text, List<Member> members, List<SourceNode> items, SourcePosition position) {
        /** The types of JSON. */
        public enum Kind {
            NULL("null"),
            BOOL("bool"),
            NUMBER("number"),
            STRING("string"),
            ARRAY("array"),
            OBJECT("object");

            private final String goName;

            Kind(String goName) {
                this.goName = goName;
            }

            /** The name of the type in error messages of Go. */
            public String goName() {
                return goName;
            }
        }

        /** One key of an object. */
        public record Member(String key, SourcePosition keyPosition, SourceNode value) {}

        /** A null, bool, number or string. */
        public static SourceNode scalar(Kind kind, String text, SourcePosition position) {
            return new SourceNode(kind, text, List.of(), List.of(), position);
        }

        static SourceNode array(List<SourceNode> items, SourcePosition position) {
            return new SourceNode(Kind.ARRAY, "", List.of(), List.copyOf(items), position);
        }

        static SourceNode object(List<Member> members, SourcePosition position) {
            return new SourceNode(Kind.OBJECT, "", List.copyOf(members), List.of(), position);
        }
    }

    /**
     * A position in a document.
     *
     * @param line 1-based line, 0 if unknown
     * @param column 1-based column in characters, 0 if unknown
     */
    public record SourcePosition(int line, int column) {
        /** An unknown position. */
        public static final SourcePosition UNKNOWN = new SourcePosition(0, 0);

        /** Whether the position is known. */
        public boolean known() {
            return line > 0;
        }

        /** The position with the name of the file: {@code FILE:LINE:COLUMN}; unknown parts are omitted. */
        public String in(String file) {
            return file + (line > 0 ? ":" + line : "") + (line > 0 && column > 0 ? ":" + column : "");
        }

        @Override
        public String toString() {
            return known() ? line + ":" + column : "?";
        }
    }

    /** Thrown for a malformed document, or a value of a wrong type. */
    public static final class DocumentException extends Exception {
        private static final long serialVersionUID = 1L;

        private final String plainText;
        private final transient SourcePosition position;

        /** @param message the text of kube-scheduler v1.17 */
        public DocumentException(String message, SourcePosition position) {
            this(message, message, position);
        }

        /**
         * @param message the text of kube-scheduler v1.17
         * @param plainText the same for users, without Go names and position
         */
        public DocumentException(String message, String plainText, SourcePosition position) {
            super(message);
            this.plainText = plainText;
            this.position = position;
        }

        /** The message for users. */
        public String plainText() {
            return plainText;
        }

        /** Returns the position of the value, or the one where the parser stopped. */
        public SourcePosition position() {
            return position;
        }

        /** The message, never null. */
        public String text() {
            return String.valueOf(getMessage());
        }
    }
}
