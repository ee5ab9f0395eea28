package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.Source;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelListsExtensions;
import dev.cel.extensions.CelOptionalLibrary;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.parser.CelMacro;
import dev.cel.parser.CelMacroExprFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelRuntimeLibrary;
import dev.cel.runtime.CelStandardFunctions;
import io.policyscheduler.framework.devices.cel.DeviceVariable.DeviceTypes;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.FunctionException;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.StrictEquality;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Cidr;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.ExactQuantity;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Ip;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.NamedFormat;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Semver;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Url;
import io.policyscheduler.framework.devices.cel.Selector.SelectorException;
import io.policyscheduler.framework.devices.cel.StringFunctions.RegexFunctions;
import io.policyscheduler.framework.devices.cel.StringFunctions.StringFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The compiler of selectors, with the CEL environment that kube-scheduler uses for stored expressions. Mirrors {@code
 * staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go}. Thread-safe.
 */
public final class SelectorCompiler {
    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .enableTimestampEpoch(true)
            .enableProtoDifferencerEquality(false)
            .evaluateCanonicalTypesToNativeValues(true)
            .build();

    private static final class Shared {
        private static final SelectorCompiler INSTANCE = new SelectorCompiler();
    }

    private final CelCompiler compiler;
    private final CelRuntime runtime;

    /**
     * Returns the shared compiler. It is created for the first selector, because most clusters have none and the creation is
     * slow.
     */
    public static SelectorCompiler shared() {
        return Shared.INSTANCE;
    }

    SelectorCompiler() {
        StrictEquality equality = new StrictEquality(OPTIONS);
        List<FunctionLibrary> ours = List.of(
                ExactQuantity.functions(),
                Semver.functions(),
                new ListFunctions(equality.equality()).functions(),
                RegexFunctions.functions(),
                Url.functions(),
                Ip.functions(),
                Cidr.functions(),
                NamedFormat.functions(),
                StringFunctions.functions(),
                HasMacro.functions(),
                StringFormat.functions());
        CelStringExtensions strings = CelExtensions.strings(
                CelStringExtensions.Function.JOIN,
                CelStringExtensions.Function.LOWER_ASCII,
                CelStringExtensions.Function.QUOTE,
                CelStringExtensions.Function.REPLACE,
                CelStringExtensions.Function.SPLIT,
                CelStringExtensions.Function.TRIM,
                CelStringExtensions.Function.UPPER_ASCII);
        CelListsExtensions lists = CelExtensions.lists(
                CelListsExtensions.Function.SLICE,
                CelListsExtensions.Function.FLATTEN,
                CelListsExtensions.Function.DISTINCT,
                CelListsExtensions.Function.REVERSE,
                CelListsExtensions.Function.SORT,
                CelListsExtensions.Function.SORT_BY);
        List<CelCompilerLibrary> compiled = new ArrayList<>(ours);
        compiled.addAll(List.of(
                CelOptionalLibrary.INSTANCE,
                CelExtensions.bindings(),
                CelExtensions.sets(OPTIONS),
                CelExtensions.comprehensions(),
                strings,
                lists));
        List<CelRuntimeLibrary> run = new ArrayList<>(ours);
        run.addAll(List.of(
                CelOptionalLibrary.INSTANCE,
                CelExtensions.sets(OPTIONS),
                CelExtensions.comprehensions(),
                strings,
                lists));
        this.compiler = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS.stream()
                        .filter(macro -> macro != CelStandardMacro.HAS)
                        .toList())
                .addMacros(HasMacro.macro())
                .setTypeProvider(new DeviceTypes())
                .addVar("device", DeviceTypes.DEVICE)
                .addLibraries(compiled)
                .build();
        this.runtime = CelRuntimeFactory.standardCelRuntimeBuilder()
                .setOptions(OPTIONS)
                .setStandardEnvironmentEnabled(false)
                .setStandardFunctions(CelStandardFunctions.newBuilder()
                        .excludeFunctions(
                                CelStandardFunctions.StandardFunction.EQUALS,
                                CelStandardFunctions.StandardFunction.NOT_EQUALS,
                                CelStandardFunctions.StandardFunction.IN)
                        .build())
                .addFunctionBindings(equality.bindings())
                .addLibraries(run)
                .build();
    }

    /**
     * Compiles an expression.
     *
     * @throws SelectorException if it does not compile
     */
    public Selector compile(String expression) throws SelectorException {
        CelAbstractSyntaxTree ast = checked(expression);
        CelType type = ast.getResultType();
        if (type.kind() != CelKind.BOOL && type.kind() != CelKind.ANY) {
            throw new SelectorException(
                    "CEL compile error: must evaluate to bool or the unknown type, not " + format(type));
        }
        List<LiteralChecks.Finding> invalid = LiteralChecks.invalid(ast);
        if (!invalid.isEmpty()) {
            throw failed(CompileErrors.of(
                    invalid.stream().map(finding -> finding.in(ast)).toList(), ast.getSource()));
        }
        String unfoldable = LiteralChecks.unfoldable(ast);
        if (unfoldable != null) {
            throw new SelectorException("CEL compile error: program instantiation failed: " + unfoldable);
        }
        try {
            return new Selector(runtime.createProgram(ast), ast, mayCostMuch(expression, ast), expression.length());
        } catch (CelEvaluationException e) {
            throw new SelectorException("CEL compile error: program instantiation failed: " + EvaluationErrors.of(e));
        }
    }

    /** Returns the type-checked expression. */
    CelAbstractSyntaxTree checked(String expression) throws SelectorException {
        CelValidationResult result = compiler.compile(expression);
        if (result.hasError()) {
            throw failed(CompileErrors.of(result.getErrors(), result.getSource()));
        }
        try {
            return result.getAst();
        } catch (CelValidationException e) {
            throw failed(String.valueOf(e.getMessage()));
        }
    }

    private static String format(CelType type) {
        return type.kind() == CelKind.NULL_TYPE ? "null_type" : CelTypes.format(type);
    }

    private static SelectorException failed(String issues) {
        return new SelectorException("CEL compile error: compilation failed: " + issues);
    }

    private static boolean mayCostMuch(String expression, CelAbstractSyntaxTree ast) {
        return expression.length() > Selector.LONG
                || CelNavigableAst.fromAst(ast)
                        .getRoot()
                        .allNodes()
                        .anyMatch(node -> node.getKind() == CelExpr.ExprKind.Kind.COMPREHENSION);
    }

    /** Maps issues of the Java compiler to the messages of cel-go. */
    static final class CompileErrors {
        private static final Pattern CANDIDATES = Pattern.compile(" \\(candidates: .*", Pattern.DOTALL);
        private static final Pattern SYNTAX = Pattern.compile(
                "(mismatched input|extraneous input|no viable|token recognition|missing ).*", Pattern.DOTALL);

        private CompileErrors() {}

        static String of(List<CelIssue> issues, Source source) {
            return issues.stream()
                    .map(CompileErrors::reworded)
                    .map(issue -> displayed(issue, source))
                    // The expansion of has() repeats its operand, and with it the operand's issues.
                    .distinct()
                    .collect(Collectors.joining("\n"));
        }

        /** An empty expression has no line that cel-go can show, and its end is in column 0. */
        private static String displayed(CelIssue issue, Source source) {
            return source.getContent().isEmpty()
                    ? "ERROR: <input>:1:0: " + issue.getMessage()
                    : issue.toDisplayString(source);
        }

        private static CelIssue reworded(CelIssue issue) {
            return CelIssue.formatError(issue.getExprId(), issue.getSourceLocation(), text(issue.getMessage()));
        }

        private static String text(String message) {
            String plain = CANDIDATES.matcher(message).replaceFirst("");
            return SYNTAX.matcher(plain).matches() ? "Syntax error: " + plain : plain;
        }
    }

    /**
     * The macro {@code has(x.y)}. If {@code x} can be something else than a map or an object, the expansion checks its type
     * first, because values without fields have no field. Mirrors {@code makeHas} of cel-go's {@code parser/macro.go} and
     * its presence tests.
     */
    static final class HasMacro {
        /** The internal function that returns whether a value can have fields. Expressions cannot contain its name. */
        private static final String FIELDED = "@fielded";

        private static final String CONDITIONAL = "_?_:_";
        private static final String INDEX = "_[_]";

        private HasMacro() {}

        static CelMacro macro() {
            return CelMacro.newGlobalMacro("has", 1, HasMacro::expand);
        }

        static FunctionLibrary functions() {
            return new FunctionLibrary()
                    .global(FIELDED, SimpleType.BOOL, List.of(SimpleType.DYN), a -> isFielded(a[0]));
        }

        private static boolean isFielded(Object value) {
            if (value instanceof List) {
                throw new FunctionException("unsupported index type 'string' in list");
            }
            return value instanceof Map;
        }

        private static Optional<CelExpr> expand(
                CelMacroExprFactory factory, CelExpr target, ImmutableList<CelExpr> arguments) {
            CelExpr argument = arguments.get(0);
            if (argument.exprKind().getKind() != CelExpr.ExprKind.Kind.SELECT) {
                return Optional.of(factory.reportError(CelIssue.formatError(
                        argument.id(), factory.getSourceLocation(argument), "invalid argument to has() macro")));
            }
            CelExpr.CelSelect select = argument.select();
            CelExpr test = factory.newSelect(select.operand(), select.field(), true);
            if (isMap(select.operand())) {
                return Optional.of(test);
            }
            return Optional.of(factory.newGlobalCall(
                    CONDITIONAL,
                    factory.newGlobalCall(FIELDED, factory.copy(select.operand())),
                    test,
                    factory.newConstant(CelConstant.ofValue(false))));
        }

        /** Returns whether the expression is the device, its attributes or capacities, or one domain of them. */
        private static boolean isMap(CelExpr expr) {
            return switch (expr.exprKind().getKind()) {
                case IDENT -> true;
                case SELECT -> expr.select().operand().exprKind().getKind() == CelExpr.ExprKind.Kind.IDENT;
                case CALL ->
                    expr.call().function().equals(INDEX)
                            && expr.call().args().get(0).exprKind().getKind() == CelExpr.ExprKind.Kind.SELECT
                            && isMap(expr.call().args().get(0));
                default -> false;
            };
        }
    }

    /**
     * The device attributes that a set of selectors can read: those that they name, or all attributes of a domain or device if a
     * selector computes the name. The values of other attributes cannot change the result of a selector. Immutable.
     */
    public static final class AttributeReads {
        private static final String ANY = "*";
        private static final Set<String> INDEX = Set.of("_[_]", "_[?_]", "_?._");

        /** {@code domain/name}, either of which may be {@link #ANY}. */
        private final Set<String> read;

        private AttributeReads(Set<String> read) {
            this.read = ImmutableSet.copyOf(read);
        }

        /**
         * Returns the attributes that at least one of the expressions reads. An expression that does not compile counts as
         * reading all.
         */
        public static AttributeReads of(Iterable<String> expressions) {
            Set<String> read = new TreeSet<>();
            for (String expression : expressions) {
                try {
                    CelNavigableAst.fromAst(SelectorCompiler.shared().checked(expression))
                            .getRoot()
                            .allNodes()
                            .filter(node -> node.getKind() == ExprKind.Kind.IDENT
                                    && node.expr().ident().name().equals("device"))
                            .forEach(device -> device(device, read));
                } catch (SelectorException e) {
                    read.add(ANY + "/" + ANY);
                }
            }
            return new AttributeReads(read);
        }

        /**
         * Returns whether a selector can read the attribute.
         *
         * @param domain domain of the attribute; the name of the driver if the attribute has none
         */
        public boolean includes(String domain, String name) {
            return read.contains(ANY + "/" + ANY)
                    || read.contains(domain + "/" + ANY)
                    || read.contains(domain + "/" + name);
        }

        private static void device(CelNavigableExpr device, Set<String> read) {
            Step member = step(device).orElse(null);
            if (member == null) {
                read.add(ANY + "/" + ANY);
            } else if (member.key().equals(DeviceVariable.ATTRIBUTES)) {
                Step domain = step(member.expr()).orElse(null);
                if (domain == null) {
                    read.add(ANY + "/" + ANY);
                } else {
                    read.add(domain.key() + "/"
                            + step(domain.expr()).map(Step::key).orElse(ANY));
                }
            }
        }

        /** An expression that selects one member of another expression. */
        private record Step(CelNavigableExpr expr, String key) {}

        /** Returns the parent if it selects a constant member of the expression; empty for any other use. */
        private static Optional<Step> step(CelNavigableExpr of) {
            CelNavigableExpr parent = of.parent().orElse(null);
            if (parent == null) {
                return Optional.empty();
            }
            if (parent.getKind() == ExprKind.Kind.SELECT) {
                return Optional.of(new Step(parent, parent.expr().select().field()));
            }
            if (parent.getKind() == ExprKind.Kind.CALL
                    && INDEX.contains(parent.expr().call().function())
                    && parent.expr().call().args().size() == 2
                    && parent.expr().call().args().get(0).id() == of.id()
                    && parent.expr().call().args().get(1).getKind() == ExprKind.Kind.CONSTANT) {
                CelConstant key = parent.expr().call().args().get(1).constant();
                return key.getKind() == CelConstant.Kind.STRING_VALUE
                        ? Optional.of(new Step(parent, key.stringValue()))
                        : Optional.empty();
            }
            return Optional.empty();
        }
    }
}
