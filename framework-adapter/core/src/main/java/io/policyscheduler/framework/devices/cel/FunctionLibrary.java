package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.cel.checker.CelCheckerBuilder;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntimeBuilder;
import dev.cel.runtime.CelRuntimeLibrary;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import io.policyscheduler.framework.devices.cel.DeviceVariable.DomainMap;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.FunctionException;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Cidr;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.ExactQuantity;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Ip;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.NamedFormat;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Semver;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Url;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A set of CEL functions: their declarations and implementations. */
public final class FunctionLibrary implements CelCompilerLibrary, CelRuntimeLibrary {
    /** The implementation of a function. */
    public interface Body {
        /** @throws FunctionException if the function fails for these arguments */
        Object apply(Object[] args);
    }

    private static final ImmutableMap<CelType, Class<?>> CLASSES = ImmutableMap.<CelType, Class<?>>builder()
            .put(SimpleType.STRING, String.class)
            .put(SimpleType.INT, Long.class)
            .put(SimpleType.DOUBLE, Double.class)
            .put(SimpleType.BOOL, Boolean.class)
            .put(KubernetesTypes.QUANTITY, ExactQuantity.class)
            .put(KubernetesTypes.SEMVER, Semver.class)
            .put(KubernetesTypes.URL, Url.class)
            .put(KubernetesTypes.IP, Ip.class)
            .put(KubernetesTypes.CIDR, Cidr.class)
            .put(KubernetesTypes.FORMAT, NamedFormat.class)
            .buildOrThrow();

    private final List<CelFunctionDecl> declarations = new ArrayList<>();
    private final List<CelFunctionBinding> bindings = new ArrayList<>();

    /** Adds a global function. */
    public FunctionLibrary global(String name, CelType result, List<CelType> args, Body body) {
        String id = id(name, args);
        declarations.add(
                CelFunctionDecl.newFunctionDeclaration(name, CelOverloadDecl.newGlobalOverload(id, result, args)));
        return bind(id, args, body);
    }

    /** Adds a member function. The receiver is the first argument. */
    public FunctionLibrary member(String name, CelType result, List<CelType> args, Body body) {
        String id = "of_" + id(name, args);
        declarations.add(
                CelFunctionDecl.newFunctionDeclaration(name, CelOverloadDecl.newMemberOverload(id, result, args)));
        return bind(id, args, body);
    }

    @SuppressWarnings("Immutable") // implementations are stateless
    private FunctionLibrary bind(String id, List<CelType> args, Body body) {
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

    /** Thrown when a function fails. The message is that of Kubernetes. */
    public static final class FunctionException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** @param message the message of Kubernetes */
        public FunctionException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Equality and membership as Kubernetes defines them. A comparison of a version, quantity, URL, or IP address with a
     * value of another type fails; it is not false.
     */
    public static final class StrictEquality {
        private final RuntimeEquality equality;

        /** @param options options of the CEL environment */
        public StrictEquality(CelOptions options) {
            this.equality = RuntimeEquality.create(RuntimeHelpers.create(), options);
        }

        /** Returns the equality of the library. */
        public RuntimeEquality equality() {
            return equality;
        }

        /** Returns the functions that replace those of the library. */
        @SuppressWarnings("Immutable") // the library's equality is immutable
        public ImmutableList<CelFunctionBinding> bindings() {
            return ImmutableList.of(
                    CelFunctionBinding.from("equals", Object.class, Object.class, this::areEqual),
                    CelFunctionBinding.from("not_equals", Object.class, Object.class, (a, b) -> !areEqual(a, b)),
                    CelFunctionBinding.from("in_list", Object.class, List.class, (a, list) -> isIn(list, a)),
                    CelFunctionBinding.from("in_map", Object.class, Map.class, (a, map) -> isKey(map, a)));
        }

        private boolean areEqual(Object a, Object b) {
            boolean ofKubernetes = a instanceof Semver
                    || a instanceof ExactQuantity
                    || a instanceof Url
                    || a instanceof Ip
                    || a instanceof Cidr;
            if (ofKubernetes && a.getClass() != b.getClass()) {
                throw new FunctionException("no such overload");
            }
            return equality.objectEquals(a, b);
        }

        @SuppressWarnings("unchecked")
        private boolean isIn(List<?> list, Object value) {
            return equality.inList((List<Object>) list, value);
        }

        @SuppressWarnings("unchecked")
        private boolean isKey(Map<?, ?> map, Object key) {
            return map instanceof DomainMap domains ? domains.has(key) : equality.inMap((Map<Object, Object>) map, key);
        }
    }
}
