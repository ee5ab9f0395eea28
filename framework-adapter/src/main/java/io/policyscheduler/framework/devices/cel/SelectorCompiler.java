package io.policyscheduler.framework.devices.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelListsExtensions;
import dev.cel.extensions.CelOptionalLibrary;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelRuntimeLibrary;
import dev.cel.runtime.CelStandardFunctions;
import io.policyscheduler.framework.devices.cel.function.ExactQuantity;
import io.policyscheduler.framework.devices.cel.function.FunctionSet;
import io.policyscheduler.framework.devices.cel.function.IpAddress;
import io.policyscheduler.framework.devices.cel.function.IpBlock;
import io.policyscheduler.framework.devices.cel.function.ListFunctions;
import io.policyscheduler.framework.devices.cel.function.NamedFormat;
import io.policyscheduler.framework.devices.cel.function.ParsedUrl;
import io.policyscheduler.framework.devices.cel.function.RegexFunctions;
import io.policyscheduler.framework.devices.cel.function.Semver;
import io.policyscheduler.framework.devices.cel.function.StrictEquality;
import io.policyscheduler.framework.devices.cel.function.StringFormat;
import io.policyscheduler.framework.devices.cel.function.TextFunctions;
import java.util.ArrayList;
import java.util.List;

/**
 * Compiles selectors in the environment that the scheduler has for stored expressions. Mirrors
 * {@code staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go}. Thread-safe.
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

    /** One for all, made when the first selector is seen: most clusters have none, and it takes a while. */
    public static SelectorCompiler shared() {
        return Shared.INSTANCE;
    }

    SelectorCompiler() {
        StrictEquality equality = new StrictEquality(OPTIONS);
        List<FunctionSet> ours = List.of(
                ExactQuantity.functions(),
                Semver.functions(),
                new ListFunctions(equality.equality()).functions(),
                RegexFunctions.functions(),
                ParsedUrl.functions(),
                IpAddress.functions(),
                IpBlock.functions(),
                NamedFormat.functions(),
                TextFunctions.functions(),
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
     * @throws SelectorException when it cannot be used
     */
    public Selector compile(String expression) throws SelectorException {
        CelAbstractSyntaxTree ast = checked(expression);
        CelType type = ast.getResultType();
        if (type.kind() != CelKind.BOOL && type.kind() != CelKind.ANY) {
            throw new SelectorException(
                    "CEL compile error: must evaluate to bool or the unknown type, not " + shown(type));
        }
        List<LiteralChecks.Finding> invalid = LiteralChecks.invalid(ast);
        if (!invalid.isEmpty()) {
            throw failed(CompileTexts.of(
                    invalid.stream().map(finding -> finding.in(ast)).toList(), ast.getSource()));
        }
        String unfoldable = LiteralChecks.unfoldable(ast);
        if (unfoldable != null) {
            throw new SelectorException("CEL compile error: program instantiation failed: " + unfoldable);
        }
        try {
            return new Selector(runtime.createProgram(ast), ast, mayCostMuch(expression, ast));
        } catch (CelEvaluationException e) {
            throw new SelectorException("CEL compile error: program instantiation failed: " + EvaluationTexts.of(e));
        }
    }

    /** The expression with the types of its parts. */
    CelAbstractSyntaxTree checked(String expression) throws SelectorException {
        CelValidationResult result = compiler.compile(expression);
        if (result.hasError()) {
            throw failed(CompileTexts.of(result.getErrors(), result.getSource()));
        }
        try {
            return result.getAst();
        } catch (CelValidationException e) {
            throw failed(String.valueOf(e.getMessage()));
        }
    }

    private static String shown(CelType type) {
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
}
