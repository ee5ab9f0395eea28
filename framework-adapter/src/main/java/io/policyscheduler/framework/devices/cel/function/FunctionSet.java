package io.policyscheduler.framework.devices.cel.function;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.cel.checker.CelCheckerBuilder;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntimeBuilder;
import dev.cel.runtime.CelRuntimeLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Functions with their types and what they do. */
public final class FunctionSet implements CelCompilerLibrary, CelRuntimeLibrary {
    /** What a function does. */
    public interface Body {
        /** @throws FunctionFailure when it cannot answer */
        Object apply(Object[] args);
    }

    private static final ImmutableMap<CelType, Class<?>> CLASSES = ImmutableMap.<CelType, Class<?>>builder()
            .put(SimpleType.STRING, String.class)
            .put(SimpleType.INT, Long.class)
            .put(SimpleType.DOUBLE, Double.class)
            .put(SimpleType.BOOL, Boolean.class)
            .put(ValueTypes.QUANTITY, ExactQuantity.class)
            .put(ValueTypes.SEMVER, Semver.class)
            .put(ValueTypes.URL, ParsedUrl.class)
            .put(ValueTypes.IP, IpAddress.class)
            .put(ValueTypes.CIDR, IpBlock.class)
            .put(ValueTypes.FORMAT, NamedFormat.class)
            .buildOrThrow();

    private final List<CelFunctionDecl> declarations = new ArrayList<>();
    private final List<CelFunctionBinding> bindings = new ArrayList<>();

    /** A function of its arguments. */
    public FunctionSet global(String name, CelType result, List<CelType> args, Body body) {
        String id = id(name, args);
        declarations.add(
                CelFunctionDecl.newFunctionDeclaration(name, CelOverloadDecl.newGlobalOverload(id, result, args)));
        return bind(id, args, body);
    }

    /** A function of what stands before the dot, which is the first argument. */
    public FunctionSet member(String name, CelType result, List<CelType> args, Body body) {
        String id = "of_" + id(name, args);
        declarations.add(
                CelFunctionDecl.newFunctionDeclaration(name, CelOverloadDecl.newMemberOverload(id, result, args)));
        return bind(id, args, body);
    }

    @SuppressWarnings("Immutable") // bodies are functions of their arguments, and of what never changes
    private FunctionSet bind(String id, List<CelType> args, Body body) {
        List<Class<?>> classes = new ArrayList<>();
        for (CelType arg : args) {
            classes.add(javaClass(arg));
        }
        bindings.add(CelFunctionBinding.from(id, classes, body::apply));
        return this;
    }

    private static Class<?> javaClass(CelType type) {
        return switch (type.kind()) {
            case LIST -> List.class;
            case MAP -> Map.class;
            default -> CLASSES.getOrDefault(type, Object.class);
        };
    }

    private static String id(String name, List<CelType> args) {
        StringBuilder id = new StringBuilder(name);
        for (CelType arg : args) {
            id.append('_').append(arg.name());
            arg.parameters().forEach(parameter -> id.append('_').append(parameter.name()));
        }
        return id.toString().replace('.', '_');
    }

    @Override
    public void setCheckerOptions(CelCheckerBuilder checker) {
        checker.addFunctionDeclarations(declarations);
    }

    @Override
    public void setRuntimeOptions(CelRuntimeBuilder runtime) {
        runtime.addFunctionBindings(ImmutableList.copyOf(bindings));
    }
}
