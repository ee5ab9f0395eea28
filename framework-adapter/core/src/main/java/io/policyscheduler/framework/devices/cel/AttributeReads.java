package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableSet;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr.ExprKind;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import io.policyscheduler.framework.devices.cel.Selector.SelectorException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The device attributes that a set of selectors can read: those that they name, or all attributes of a domain or device if a
 * selector computes the name. The values of other attributes cannot change the result of a selector. Immutable.
 */
public final class AttributeReads {
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
                read.add(domain.key() + "/" + step(domain.expr()).map(Step::key).orElse(ANY));
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
