package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.DiscreteDomain;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Range;
import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import dev.cel.runtime.RuntimeEquality;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.FunctionException;
import io.policyscheduler.framework.devices.cel.Selector.CostMeter;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The list functions of Kubernetes. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/lists.go}. */
public final class ListFunctions {
    private static final List<CelType> COMPARABLE = List.of(
            SimpleType.INT,
            SimpleType.UINT,
            SimpleType.DOUBLE,
            SimpleType.BOOL,
            SimpleType.STRING,
            SimpleType.BYTES,
            SimpleType.TIMESTAMP,
            SimpleType.DURATION);
    private static final List<CelType> SUMMABLE =
            List.of(SimpleType.INT, SimpleType.UINT, SimpleType.DOUBLE, SimpleType.DURATION);

    private final RuntimeEquality equality;

    /** @param equality compares list elements */
    public ListFunctions(RuntimeEquality equality) {
        this.equality = equality;
    }

    /** Returns the functions, including a {@code lists.range} that limits the size of the list to the cost budget. */
    public FunctionLibrary functions() {
        FunctionLibrary set = new FunctionLibrary();
        for (CelType type : COMPARABLE) {
            CelType list = ListType.create(type);
            set.member("isSorted", SimpleType.BOOL, List.of(list), a -> isSorted(list(a[0])))
                    .member("min", type, List.of(list), a -> extreme("min", list(a[0]), -1))
                    .member("max", type, List.of(list), a -> extreme("max", list(a[0]), 1));
        }
        for (CelType type : SUMMABLE) {
            set.member("sum", type, List.of(ListType.create(type)), a -> sum(list(a[0]), type));
        }
        TypeParamType any = TypeParamType.create("T");
        return set.member(
                        "indexOf",
                        SimpleType.INT,
                        List.of(ListType.create(any), any),
                        a -> indexOf(list(a[0]), a[1], true))
                .member(
                        "lastIndexOf",
                        SimpleType.INT,
                        List.of(ListType.create(any), any),
                        a -> indexOf(list(a[0]), a[1], false))
                .global(
                        "lists.range",
                        ListType.create(SimpleType.INT),
                        List.of(SimpleType.INT),
                        a -> range((Long) a[0]));
    }

    private static List<?> list(Object value) {
        return (List<?>) value;
    }

    private static Object range(long end) {
        if (end > CostMeter.LIMIT) {
            throw new FunctionException(CostMeter.EXCEEDED);
        }
        return end <= 0
                ? ImmutableList.of()
                : ContiguousSet.create(Range.closedOpen(0L, end), DiscreteDomain.longs())
                        .asList();
    }

    private static boolean isSorted(List<?> list) {
        for (int i = 1; i < list.size(); i++) {
            if (compare(list.get(i - 1), list.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static Object extreme(String name, List<?> list, int sign) {
        @Nullable Object best = null;
        for (Object each : list) {
            if (best == null || compare(each, best) * sign > 0) {
                best = each;
            }
        }
        if (best == null) {
            throw new FunctionException(name + " called on empty list");
        }
        return best;
    }

    @SuppressWarnings("unchecked") // elements have one comparable type; others fail
    private static int compare(Object a, Object b) {
        if (!(a instanceof Comparable<?>) || a.getClass() != b.getClass()) {
            throw new FunctionException("no such overload");
        }
        return Integer.signum(((Comparable<Object>) a).compareTo(b));
    }

    private static Object sum(List<?> list, CelType type) {
        try {
            return switch (type.kind()) {
                case INT -> {
                    long sum = 0;
                    for (Object each : list) {
                        sum = Math.addExact(sum, (Long) each);
                    }
                    yield sum;
                }
                case UINT -> {
                    UnsignedLong sum = UnsignedLong.ZERO;
                    for (Object each : list) {
                        sum = sum.plus((UnsignedLong) each);
                    }
                    yield sum;
                }
                case DOUBLE -> {
                    double sum = 0;
                    for (Object each : list) {
                        sum += (Double) each;
                    }
                    yield sum;
                }
                default -> {
                    Duration sum = Duration.ZERO;
                    for (Object each : list) {
                        sum = sum.plus((Duration) each);
                    }
                    yield sum;
                }
            };
        } catch (ArithmeticException e) {
            throw new FunctionException("integer overflow");
        } catch (ClassCastException e) {
            throw new FunctionException("no such overload");
        }
    }

    private long indexOf(List<?> list, Object element, boolean first) {
        for (int i = 0; i < list.size(); i++) {
            int at = first ? i : list.size() - 1 - i;
            if (equality.objectEquals(list.get(at), element)) {
                return at;
            }
        }
        return -1;
    }
}
