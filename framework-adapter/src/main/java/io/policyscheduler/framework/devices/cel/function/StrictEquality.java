package io.policyscheduler.framework.devices.cel.function;

import com.google.common.collect.ImmutableList;
import dev.cel.common.CelOptions;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import java.util.List;
import java.util.Map;

/**
 * Equality, and membership in what knows its members better than a map does. Versions, quantities and the like cannot be compared
 * with anything else: in Kubernetes that is a failure, not false.
 */
public final class StrictEquality {
    private final RuntimeEquality equality;

    /** @param options of the environment that it is for */
    public StrictEquality(CelOptions options) {
        this.equality = RuntimeEquality.create(RuntimeHelpers.create(), options);
    }

    /** As the library compares. */
    public RuntimeEquality equality() {
        return equality;
    }

    /** What replaces the library's own. */
    @SuppressWarnings("Immutable") // the library's equality never changes
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
                || a instanceof ParsedUrl
                || a instanceof IpAddress
                || a instanceof IpBlock;
        if (ofKubernetes && a.getClass() != b.getClass()) {
            throw new FunctionFailure("no such overload");
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
